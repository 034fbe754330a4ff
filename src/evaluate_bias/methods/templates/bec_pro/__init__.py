"""bec_pro."""
