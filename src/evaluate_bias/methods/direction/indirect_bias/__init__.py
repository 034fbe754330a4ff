"""indirect_bias."""
