"""Readers of word-vector files: one module for each family of formats. All of them return a table of vectors."""
