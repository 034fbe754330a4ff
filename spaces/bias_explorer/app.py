"""The bias explorer, as a Space or on 127.0.0.1 with ``make space``."""

import os

# Read when the libraries are imported: no telemetry, and no token of this machine for a visitor's Hub id.
os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")
os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
os.environ.setdefault("HF_HUB_DISABLE_IMPLICIT_TOKEN", "1")

from evaluate_bias.ui import explorer_page, launch

demo = explorer_page()

if __name__ == "__main__":
    launch(demo)
