"""The command ``evaluate-bias``: one file a command."""
