"""Add the case of a method to ``tests/readings/results``: ``python -m tests.readings.make_cases METHOD …``.

A case is the result of a few units worked by hand, see :func:`tests.test_all_methods.measured`. The other cases were
measured once, by models and data of the demonstration, or made by hand. They are kept as they are, so that what is said
of them can change and they cannot.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any

from evaluate_bias.result import Result
from tests.readings.surfaces import HERE
from tests.test_all_methods import measured

MOST = 26_000
"""Characters of a file."""
VERSIONS = {"python": "3.11.9", "evaluate-bias": "0.1.0", "numpy": "2.4.6", "scipy": "1.17.0"}


def normalised(value: Any) -> Any:
    """Provenance without what differs between machines."""
    if isinstance(value, Mapping):
        out = {}
        for key, own in value.items():
            if key == "versions":
                own = {name: VERSIONS.get(name, "1.0.0") for name in own}
            elif isinstance(own, str) and ("sha256" in key or key == "checksum"):
                own = "ab" * 32
            elif key.endswith("sha256") and isinstance(own, Mapping):
                own = dict.fromkeys(own, "ab" * 32)
            out[key] = normalised(own)
        return out
    if isinstance(value, list):
        return [normalised(own) for own in value]
    return value.rpartition("/")[2] if isinstance(value, str) and value.startswith("/") else value


def cut(value: Any, most: int) -> Any:
    """Lists at any depth of at most this length."""
    if isinstance(value, Mapping):
        return {key: cut(own, most) for key, own in value.items()}
    if not isinstance(value, list):
        return value
    step = max(1, -(-len(value) // most))
    return [cut(own, most) for own in value[::step]]


def as_text(result: Result) -> str:
    """The file of a case: long lists of words and items are thinned until it is small."""
    whole = result.to_dict()
    whole["provenance"] = normalised(whole["provenance"])
    for most in (10_000, 120, 80, 60, 40, 30, 20, 12, 8):
        data = {
            **whole,
            "rows": [{**row, "details": cut(row.get("details", {}), most)} for row in whole["rows"]],
        }
        items = [row for row in data["rows"] if row["kind"] == "item"]
        kept = cut(items, most)
        data["rows"] = [row for row in data["rows"] if row["kind"] != "item" or row in kept]
        data["details"], data["skipped"] = cut(data["details"], most), cut(data["skipped"], most)
        text = json.dumps(data, ensure_ascii=False, indent=None, separators=(",", ":"))
        if len(text) <= MOST:
            break
    Result.from_json(text)
    return text + "\n"


if __name__ == "__main__":
    for name in sys.argv[1:]:
        (HERE / "results" / f"{name}_golden.json").write_text(as_text(measured(name)), encoding="utf-8")
