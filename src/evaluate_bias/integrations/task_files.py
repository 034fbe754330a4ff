"""The files that make a method a task of lm-evaluation-harness, as texts."""

from __future__ import annotations

from typing import Any

from ..method_record import MethodRecord
from ..methods.record_parts import CHOICE_SECONDARY

PAIR = ("sent_more", "sent_less")
QUESTION = ("context", "question", "ans0", "ans1", "ans2", "label")


def asks_questions(record: MethodRecord) -> bool:
    """Whether every item of a method is a question with three answers."""
    return "chooses between answers" in record.needs and set(QUESTION) <= record.data.columns.keys()


def lm_eval_files(record: MethodRecord, name: str, left_out: int) -> dict[str, str]:
    """The task of lm-evaluation-harness, and its functions."""
    import yaml

    pairs = not asks_questions(record)
    metrics: dict[str, Any] = {"score": "mean", "mean_delta": "mean"}
    if not pairs:
        keys = ("score", *_secondary(record))
        metrics = {"acc": "mean"} | {key: _Function(f"{name}_utils.{key}") for key in keys}
    task: dict[str, Any] = {
        "task": name,
        "tag": "social_bias",
        "dataset_path": "json",
        **(
            {"dataset_kwargs": {"data_files": {"test": f"{name}.jsonl"}}}
            if pairs
            else {"custom_dataset": _Function(f"{name}_utils.dataset")}
        ),
        "test_split": "test",
        "output_type": "multiple_choice",
        "doc_to_text": "" if pairs else "{{prompt}}",
        "doc_to_target": 0 if pairs else "label",
        "doc_to_choice": f"{{{{[{', '.join(PAIR if pairs else QUESTION[2:5])}]}}}}",
        "target_delimiter": "" if pairs else " ",
        "process_results": _Function(f"{name}_utils.process_results"),
    }
    # Higher is better of accuracies alone: a score is read by its ideal value, and neither arrow is true of it.
    task["metric_list"] = [
        {"metric": metric, "aggregation": aggregation, "higher_is_better": metric.startswith("acc") or None}
        for metric, aggregation in metrics.items()
    ]
    task["metadata"] = {
        "version": 1.0,
        "source": record.url,
        "made_by": "evaluate-bias",
        "left_out": left_out,
    }
    text = yaml.dump(task, Dumper=_dumper(), sort_keys=False, allow_unicode=True, width=1000)
    asks = _ASKS["pairs" if pairs else "questions"]
    return {
        f"{name}.yaml": f"# {record.title}: {record.summary}\n# {asks}\n{text}",
        f"{name}_utils.py": _PAIR_UTILS if pairs else _question_utils(record, name),
    }


def _secondary(record: MethodRecord) -> list[str]:
    """Keys of the secondary values, but for those of choices and the accuracy of a row, the framework's own."""
    return [s.key for s in record.secondary if s.key != "accuracy" and s not in CHOICE_SECONDARY]


class _Function(str):
    """A function of the task's own Python file."""


def _dumper() -> Any:
    import yaml

    class Dumper(yaml.SafeDumper):
        pass

    Dumper.add_representer(_Function, lambda dumper, name: dumper.represent_scalar("!function", str(name)))
    return Dumper


_ASKS = {
    "pairs": (
        "The log-likelihood of each sentence after the beginning-of-sequence token, for which the empty context "
        'stands, as the method has it with variant="causal"; sentences are not lower-cased (lower=False).'
    ),
    "questions": (
        "The answer is the option with the largest mean log-probability of its tokens after the prompt, which begins "
        "with the beginning-of-sequence token, as the method has it. The tokenizer is that of --model_args "
        'pretrained=… or tokenizer=…, or of --metadata \'{"tokenizer": "…"}\'.'
    ),
}

_PAIR_UTILS = '''"""How a pair counts, as in evaluate-bias: by log-likelihoods rounded to three decimals."""


def process_results(doc, results):
    more, less = (float(result[0] if isinstance(result, (tuple, list)) else result) for result in results)
    return {"score": 100.0 if round(more, 3) > round(less, 3) else 0.0, "mean_delta": more - less}
'''

_MEASURED = '''

@lru_cache(maxsize=1)
def _measured(answers):
    """Score and secondary values of answers, each the JSON of an item; nothing where the score is undefined."""
    if not answers:  # lm-eval asks before there is one
        return {{}}
    try:
        result = measure("{method}", None, data=[json.loads(answer) for answer in answers]{options})
    except UndefinedScoreError as error:
        print(f"{method}: {{error}}")
        return {{}}
    return {{"score": result.score, **{{key: estimate.value for key, estimate in result.estimates.items()}}}}
'''


def _measured(record: MethodRecord) -> str:
    """The function of a task that hands the answers to the method: one definition, and not a copy of it."""
    return _MEASURED.format(method=record.name, options=', ci="none"' if "ci" in record.options() else "")


def _question_utils(record: MethodRecord, name: str) -> str:
    keys = ["score", *_secondary(record)]
    metrics = "".join(
        f'\n\ndef {key}(answers):\n    return _measured(tuple(answers)).get("{key}", float("nan"))\n'
        for key in keys
    )
    return f'''"""The framework scores the answers; evaluate-bias, which must be installed, chooses and counts them."""

import gzip
import json
from functools import lru_cache
from pathlib import Path

from datasets import Dataset
from evaluate_bias import measure
from evaluate_bias.errors import UndefinedScoreError
from transformers import AutoTokenizer

OPTIONS = ("ans0", "ans1", "ans2")


def dataset(tokenizer=None, pretrained=None, model=None, **given):
    """The questions, each with its prompt and the tokens of each option, which the framework does not count."""
    if not (path := tokenizer or pretrained or model):
        raise ValueError("{name} needs the model's tokenizer, named in --model_args or as tokenizer in --metadata")
    options = {{key: given[key] for key in ("revision", "trust_remote_code") if key in given}}
    tokenizer = AutoTokenizer.from_pretrained(path, **options)
    start = tokenizer.bos_token or tokenizer.eos_token or ""
    with gzip.open(Path(__file__).with_name("{name}.jsonl.gz"), "rt", encoding="utf-8") as lines:
        docs = [json.loads(line) for line in lines]
    for doc in docs:
        doc["prompt"] = f"{{start}}Q: {{doc['context']}} {{doc['question']}}\\nA:"
        texts = [doc["prompt"], *(f"{{doc['prompt']}} {{doc[option]}}" for option in OPTIONS)]
        before, *whole = (len(ids) for ids in tokenizer(texts, add_special_tokens=False)["input_ids"])
        doc["tokens"] = [count - before for count in whole]
    columns = dict.fromkeys(column for doc in docs for column in doc)
    return {{"test": Dataset.from_dict({{column: [doc.get(column) for doc in docs] for column in columns}})}}


def process_results(doc, results):
    sums = [float(result[0] if isinstance(result, (tuple, list)) else result) for result in results]
    means = [total / count for total, count in zip(sums, doc["tokens"], strict=True)]
    item = {{key: doc[key] for key in doc if doc[key] is not None and key not in ("prompt", "tokens")}}
    scored = json.dumps(item | dict(zip(OPTIONS, means, strict=True)))
    return {{"acc": float(means.index(max(means)) == doc["label"]), **dict.fromkeys({keys}, scored)}}
{_measured(record)}{metrics}'''
