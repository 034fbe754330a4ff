"""What is checked of a method beyond the answers of its evaluate module: the ``checks`` in its ``golden.json``."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

from evaluate_bias.registry import get_method


def golden_checks(name: str) -> dict[str, Any]:
    """The ``checks`` of a method: worked by hand or published, in the form that the method's own tests read."""
    text = (resources.files(get_method(name).package) / "golden.json").read_text(encoding="utf-8")
    return json.loads(text)["checks"]  # type: ignore[no-any-return]
