"""The command ``evaluate-bias``: one file per command."""
