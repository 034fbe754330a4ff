#!/usr/bin/env bash
# evaluate 0.4.6: a column that is no feature reaches a module through compute(), which passes it on, and not through
# add_batch(), which refuses it; and of features that may be text or numbers the first row decides for all: a number
# that follows a text is stored as text.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check evaluate==0.4.6 datasets==5.2.0
cd "$work"
HF_HUB_OFFLINE=1 HF_EVALUATE_OFFLINE=1 HF_HOME="$work/hf" "$work/venv/bin/python" - <<'PY'
import datasets
import evaluate


class Toy(evaluate.Metric):
    def _info(self):
        kinds = [datasets.Features({"x": datasets.Value(kind)}) for kind in ("string", "float64")]
        return evaluate.MetricInfo(description="", citation="", inputs_description="", features=kinds)

    def _compute(self, x, note=None):
        return {"x": list(x), "note": note}


print("compute:", Toy().compute(x=["a", 1.5], note=["b", "c"]))
assert Toy().compute(x=["a", 1.5], note=["b", "c"]) == {"x": ["a", "1.5"], "note": ["b", "c"]}
try:
    Toy().add_batch(x=["a"], note=["b"])
except ValueError as error:
    print("add_batch:", error)
    assert "Bad inputs" in str(error)
else:
    raise SystemExit("add_batch takes the column")
PY
