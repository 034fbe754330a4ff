"""pmi_bias."""
