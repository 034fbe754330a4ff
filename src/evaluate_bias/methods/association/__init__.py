"""association."""
