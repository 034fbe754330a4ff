#!/usr/bin/env bash
# Inspect 0.3.285 runs the eval.yaml of a data set of the Hub (`inspect eval hf/OWNER/NAME`) with ten scorers of its own
# alone: one that is registered, and that `scorer_from_spec` finds by its name, is refused. A task without `config` is
# read as that of a configuration called "default"; the Hub's documentation says the default one of the data set.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/python" -m pip install --quiet --disable-pip-version-check inspect-ai==0.3.285 datasets huggingface_hub
cd "$work"
cat > eval.yaml <<'YAML'
name: Example
description: A question.
evaluation_framework: inspect-ai
tasks:
  - id: example
    field_spec: {input: question, target: answer}
    solvers: [{name: generate}]
    scorers: [{name: length}]
YAML
"$work/venv/bin/python" - <<'PY'
import huggingface_hub
import yaml
from inspect_ai._eval.loader import scorer_from_spec
from inspect_ai._eval.task.hf import HFTask, task_create_from_hf
from inspect_ai.scorer import Score, mean, scorer
from inspect_ai.scorer._scorer import ScorerSpec
from pydantic import ValidationError


@scorer(metrics=[mean()])
def length():
    async def score(state, target):
        return Score(value=len(state.output.completion))

    return score


print("by its name:", scorer_from_spec(ScorerSpec(scorer="length"), task_path=None))
huggingface_hub.hf_hub_download = lambda **_: "eval.yaml"
try:
    task_create_from_hf("hf/owner/example")
except ValidationError as error:
    print("in eval.yaml:", error)
    assert [e["loc"] for e in error.errors()] == [("scorers", 0, "name")]
else:
    raise SystemExit("the scorer is taken")
task = yaml.safe_load(open("eval.yaml"))["tasks"][0]
read = HFTask.model_validate({**task, "scorers": [{"name": "exact"}]})
print("configuration:", read.config)
assert read.config == "default"
PY
