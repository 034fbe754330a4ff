#!/usr/bin/env bash
# scipy 1.17.1: random_table.rvs draws a negative count where one row or one column holds everything (a classifier that
# predicts one label): the default method, "patefield", repeats the count before with its sign turned. "boyett" is right.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1
"$work/venv/bin/python" - <<'PY'
from scipy.stats import random_table

for row, col in (([5, 7], [12]), ([12], [5, 7]), ([2, 1, 4], [7])):
    table = random_table(row, col)
    default, boyett = (table.rvs(100, method=method, random_state=1) for method in (None, "boyett"))
    print(f"rows {row}, columns {col}: default {default[0].tolist()}, boyett {boyett[0].tolist()}")
    assert (boyett.sum(axis=2) == row).all() and (boyett.sum(axis=1) == col).all()
    assert (default.min(axis=(1, 2)) < 0).all() and (default.sum(axis=(1, 2)) != sum(row)).all()
PY
