"""honest."""
