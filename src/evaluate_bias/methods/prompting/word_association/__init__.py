"""word_association."""
