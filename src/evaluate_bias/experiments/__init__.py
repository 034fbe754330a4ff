"""Batches of measurements: a config, the plan made of it, the store of results, and what runs the units."""
