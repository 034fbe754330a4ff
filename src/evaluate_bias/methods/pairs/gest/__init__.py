"""gest."""
