"""Bias in corpora: which words stand beside words for groups."""
