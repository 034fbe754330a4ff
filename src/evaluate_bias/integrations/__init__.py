"""Hooks into other people's training loops. Import the one you need. Each imports its framework."""
