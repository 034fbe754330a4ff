"""What every surface says of a fixed set of results; a change of a sentence is a diff that someone reads.

``tests/readings/results`` holds twenty small results of every kind of conclusion, ``tests/readings/texts`` one file per
surface. To write the files anew after a change that is meant, and read what changed:

    python tests/readings/write.py [SURFACE …] && git diff tests/readings/texts
"""

from __future__ import annotations

import difflib

import pytest

from tests.readings.surfaces import HERE, SURFACES, rendered

MOST = 200
"""Lines of a difference that are shown."""


@pytest.mark.parametrize("surface", SURFACES)
def test_surfaces_say_what_they_said(surface: str) -> None:
    path = HERE / "texts" / f"{surface}.txt"
    kept, now = path.read_text(encoding="utf-8").splitlines(), rendered(surface).splitlines()
    found = list(difflib.unified_diff(kept, now, "kept", "now", lineterm="", n=2))
    shown = "\n".join(found[:MOST]) + (f"\n… {len(found) - MOST} more lines" if len(found) > MOST else "")
    assert not found, (
        f"{surface} says something else; if that is meant, run write.py and read the diff\n{shown}"
    )


def test_there_is_a_file_for_every_surface() -> None:
    assert {path.stem for path in (HERE / "texts").glob("*.txt")} == SURFACES.keys()
