"""``python -m evaluate_bias`` is the command ``evaluate-bias``."""

from .cli.main import main

if __name__ == "__main__":
    main()
