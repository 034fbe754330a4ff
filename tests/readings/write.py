"""Write the texts of all surfaces anew, or of those named: ``python tests/readings/write.py [SURFACE …]``."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
os.environ.setdefault("MPLBACKEND", "Agg")

from tests.readings.surfaces import HERE, SURFACES, rendered

if __name__ == "__main__":
    (HERE / "texts").mkdir(exist_ok=True)
    for surface in sys.argv[1:] or SURFACES:
        start = time.perf_counter()
        (HERE / "texts" / f"{surface}.txt").write_text(rendered(surface), encoding="utf-8")
        print(f"{time.perf_counter() - start:6.1f} s  {surface}", flush=True)
