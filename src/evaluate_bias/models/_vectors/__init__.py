"""Readers of word-vector files: one module a family of formats, all giving a table of vectors."""
