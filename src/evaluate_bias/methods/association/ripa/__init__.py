"""RIPA: ripa."""
