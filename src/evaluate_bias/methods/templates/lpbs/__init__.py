"""lpbs."""
