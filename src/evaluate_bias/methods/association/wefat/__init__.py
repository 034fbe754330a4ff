"""wefat."""
