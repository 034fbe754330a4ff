"""stereoset."""
