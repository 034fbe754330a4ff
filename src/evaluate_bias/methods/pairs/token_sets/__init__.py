"""token_sets."""
