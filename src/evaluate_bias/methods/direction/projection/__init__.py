"""projection."""
