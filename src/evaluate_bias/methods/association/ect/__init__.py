"""ECT: ect."""
