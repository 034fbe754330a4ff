"""Texts in bulk: words and their neighbours counted in one pass, with flat memory."""
