"""template_compatibility."""
