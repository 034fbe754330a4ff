"""relative_decision."""
