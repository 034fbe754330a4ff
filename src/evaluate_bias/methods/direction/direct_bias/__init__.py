"""direct_bias."""
