"""matched_guise."""
