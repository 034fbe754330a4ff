"""MAC: mac."""
