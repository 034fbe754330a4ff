"""How much a score depends on its words or items."""
