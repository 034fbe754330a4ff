"""crows_pairs."""
