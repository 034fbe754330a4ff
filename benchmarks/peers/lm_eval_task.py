"""Exported tasks run by lm-eval on its transformers back end. JSON in, JSON out."""

import json
import os
import sys
from pathlib import Path

given = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
os.environ |= {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"}

from lm_eval import simple_evaluate  # noqa: E402
from lm_eval.models.huggingface import HFLM  # noqa: E402
from lm_eval.tasks import TaskManager  # noqa: E402

model = HFLM(
    pretrained=given["model"],
    device="cpu",
    dtype="float32",
    batch_size=8,
)
answer = Path(sys.argv[2]).resolve()
os.chdir(given["folder"])  # the data are a file beside the task
found = simple_evaluate(
    model,
    tasks=given["tasks"],
    task_manager=TaskManager(
        include_path=".", include_defaults=False, metadata={"pretrained": given["model"]}
    ),
    log_samples=True,
)
scores = {
    task: {key.partition(",")[0]: value for key, value in values.items() if key.endswith(",none")}
    for task, values in found["results"].items()
}
likelihoods = {
    task: [
        [float(one[0][0] if isinstance(one[0], (list, tuple)) else one[0]) for one in sample["resps"]]
        for sample in sorted(samples, key=lambda sample: sample["doc_id"])
    ]
    for task, samples in found["samples"].items()
}
answer.write_text(json.dumps({"scores": scores, "likelihoods": likelihoods}, default=str), encoding="utf-8")
