"""The bias explorer: every kind of measurement in one page, comparisons, and model cards."""
