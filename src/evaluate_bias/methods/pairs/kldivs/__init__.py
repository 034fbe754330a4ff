"""kldivs."""
