"""ceat."""
