"""decision_gap."""
