"""Counterfactual text: what a model writes when nothing but the group in a prompt changes."""
