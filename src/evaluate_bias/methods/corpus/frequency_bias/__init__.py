"""frequency_bias."""
