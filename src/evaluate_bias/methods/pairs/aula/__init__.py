"""aula."""
