"""winobias."""
