"""weat."""
