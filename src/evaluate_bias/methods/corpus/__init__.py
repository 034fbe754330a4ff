"""Bias in corpora: which words are next to words for groups."""
