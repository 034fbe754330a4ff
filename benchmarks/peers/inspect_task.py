"""An exported task run by Inspect on its model of given outputs. JSON in, JSON out."""

import json
import os
import sys
import tempfile
from pathlib import Path

given = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
os.environ["INSPECT_DISPLAY"] = "none"

from inspect_ai import eval as run  # noqa: E402
from inspect_ai.model import ModelOutput, ModelUsage, get_model  # noqa: E402

outputs = [ModelOutput.from_content("mockllm/model", said) for said in given["outputs"]]
for output in outputs:
    output.usage = ModelUsage()  # else it counts tokens with a tokenizer that it downloads
model = get_model("mockllm/model", custom_outputs=outputs)
answer, file = Path(sys.argv[2]).resolve(), Path(given["file"])
os.chdir(file.parent)  # files are named relative to the folder
with tempfile.TemporaryDirectory() as logs:
    (log,) = run(file.name, model=model, log_dir=logs, log_format="json", max_samples=1, max_connections=1)
if log.status != "success":
    raise SystemExit(log.error.message[:1000])
scores = {name: metric.value for one in log.results.scores for name, metric in one.metrics.items()}
answer.write_text(json.dumps({"scores": scores}), encoding="utf-8")
