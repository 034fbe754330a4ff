"""glpp."""
