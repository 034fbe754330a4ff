"""representation_compatibility."""
