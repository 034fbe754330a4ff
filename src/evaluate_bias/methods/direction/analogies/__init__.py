"""analogies."""
