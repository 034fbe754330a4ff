"""frequency_sensitivity."""
