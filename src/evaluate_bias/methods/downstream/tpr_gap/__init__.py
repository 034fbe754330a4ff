"""tpr_gap."""
