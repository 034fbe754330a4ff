"""direction."""
