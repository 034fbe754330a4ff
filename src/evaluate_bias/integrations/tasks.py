"""Methods as tasks of other evaluation frameworks, written from their records: lm-evaluation-harness and Inspect.

A method fits where the framework can ask the model the very question that the method asks, so that the numbers mean the
same; :func:`task_fit` says which do, and why others do not.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ..api import measure
from ..errors import CapabilityError, InputError, UndefinedScoreError
from ..files import atomic_write
from ..method import MethodRecord
from ..methods.record_parts import CHOICE_SECONDARY
from ..registry import get_method

Framework = Literal["lm-eval", "inspect"]

_PAIR = ("sent_more", "sent_less")
_PREFERENCE = {"more": 100.0, "less": 0.0, "neutral": 0.0}
_QUESTION = ("context", "question", "ans0", "ans1", "ans2", "label")


@dataclass(frozen=True, slots=True)
class TaskFit:
    """Whether a method fits a framework, and why."""

    fits: bool
    reason: str


def task_fit(method: str, framework: Framework) -> TaskFit:
    """Say whether a method can be a task of a framework.

    Raises:
        UnknownNameError: no such method.
        InputError: no such framework.

    Examples:
        >>> task_fit("crows_pairs", "lm-eval").fits, task_fit("weat", "lm-eval").reason
        (True, 'lm-eval compares the likelihoods of texts, and WEAT needs a model that embeds words')
    """
    record = get_method(method)
    _writer(framework)
    short = record.title.rpartition("(")[2].rstrip(")") if record.title.endswith(")") else record.title
    if _asks_questions(record):
        return TaskFit(True, "every item is a question with three answers")
    if framework == "inspect":
        return TaskFit(
            False,
            f"Inspect reads what a model writes, and {short} needs a model that {' or '.join(record.needs)}",
        )
    if "scores sequences" not in record.needs:
        return TaskFit(
            False,
            f"lm-eval compares the likelihoods of texts, and {short} needs a model that {' or '.join(record.needs)}",
        )
    if _prefers_of_a_pair(record):
        return TaskFit(True, "every item is a pair of sentences of which the likelier one counts")
    return TaskFit(False, f"the score of {short} is not the share of pairs whose first sentence is likelier")


def write_task(
    method: str,
    framework: Framework,
    folder: str | Path,
    *,
    data: Iterable[Mapping[str, Any]] | None = None,
    **options: Any,
) -> list[Path]:
    """Write a method as a task of a framework; nothing of the framework needs to be installed.

    For lm-evaluation-harness: a YAML file, a Python file ``…_utils.py`` and the data. A pair counts 100 where the
    log-likelihood of its more stereotypical sentence, rounded to three decimals, is higher, and 0 else; the score is
    their mean, ideal 50 where nothing ties; what the method leaves out (pairs to be excluded or equal) is left out, and
    counted in ``metadata``. A question is answered by the option with the largest mean log-probability of its tokens,
    which the tokenizer of ``--model_args`` or ``--metadata`` counts. Run it from the folder: ``lm_eval --include_path .
    --tasks bias_<method> …``. For Inspect: a Python file and the data, a multiple-choice question an item: ``inspect
    eval bias_<method>.py --model …``. Answers to questions are counted by the method itself in either, so that this
    library must be installed there; what is undefined is NaN, as the frameworks write it.

    Args:
        method: name of a method that fits, see :func:`task_fit`.
        framework: ``"lm-eval"`` or ``"inspect"``.
        folder: where to write; it is made.
        data: rows in the method's schema; by default its default data set.
        options: data options of the method, such as ``language``; for Inspect also the option by which the method asks
            a chat model, such as ``variant="choice"``: then every question is a sample, in every wording and with its
            options in every order, and the method itself reads the replies.

    Returns:
        The files, the task first.

    Raises:
        UnknownNameError: no such method.
        CapabilityError: the method does not fit the framework; the text says why.
        InputError: no such framework, no row, or an option together with ``data``.
        OutputError: the files cannot be written.
    """
    record, write = get_method(method), _writer(framework)
    if asked := {name: options.pop(name) for name in list(options) if name in record.asks}:
        return _write_questions(record, framework, Path(folder), data, options, asked)
    fit = task_fit(method, framework)
    if not fit.fits:
        raise CapabilityError(f"{record.name} cannot be a task of {framework}: {fit.reason}")
    if data is not None and options:
        raise InputError(
            "options that choose the default data cannot be combined with data=…; give one or the other"
        )
    columns = _QUESTION if _asks_questions(record) else _PAIR
    items = list(record.load_data(**options) if data is None else data)
    rows = [row for i, one in enumerate(items) if (row := _row(record, one, columns, i)) is not None]
    if not rows:
        raise InputError(f"there is no row to write for {record.name}")
    folder, name = Path(folder), f"bias_{record.name}"
    files: dict[str, str | bytes] = {**write(record, name, len(items) - len(rows))}
    text = "".join(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n" for row in rows)
    if columns == _PAIR:
        files[f"{name}.jsonl"] = text
    else:  # the questions of a benchmark repeat their contexts
        files[f"{name}.jsonl.gz"] = gzip.compress(text.encode(), mtime=0)
    return [atomic_write(folder / file, text) for file, text in files.items()]


def _write_questions(
    record: MethodRecord,
    framework: str,
    folder: Path,
    data: Iterable[Mapping[str, Any]] | None,
    options: Mapping[str, Any],
    asked: Mapping[str, Any],
) -> list[Path]:
    """Write what the method asks a chat model as a task of Inspect; the method is asked itself for its questions.

    Raises:
        CapabilityError: another framework, or not the way in which the method asks.
        UndefinedScoreError: there is no question.
    """
    if framework != "inspect" or asked != record.asks:
        ways = ", ".join(f"{name}={value!r}" for name, value in record.asks.items())
        raise CapabilityError(f"{record.name} asks a model only as a task of inspect, with {ways}")
    given = record.load_data(**options) if data is None else data
    rows = [dict(r) if isinstance(r, Mapping) else r.model_dump(exclude_none=True) for r in given]
    questions: dict[str, None] = {}

    def listen(prompts: list[str]) -> list[str]:
        questions.update(dict.fromkeys(prompts))
        return [""] * len(prompts)

    try:
        measure(record.name, listen, data=rows, **asked)
    except UndefinedScoreError:  # of no reply; the questions are known
        if not questions:
            raise
    name = f"bias_{record.name}_{'_'.join(map(str, asked.values()))}"
    files = {f"{name}.py": _asking_task(record, name, asked)}
    samples = [{"id": str(i), "question": question} for i, question in enumerate(questions)]
    for end, lines in (("", samples), ("_rows", rows)):
        texts = (json.dumps(line, ensure_ascii=False, allow_nan=False) for line in lines)
        files[f"{name}{end}.jsonl"] = "".join(f"{text}\n" for text in texts)
    return [atomic_write(folder / file, text) for file, text in files.items()]


def _asking_task(record: MethodRecord, name: str, asked: Mapping[str, Any]) -> str:
    keys = ["score", *(s.key for s in record.secondary)]
    return f'''"""{_one_docstring_line(record)}

The model is asked every question, and evaluate-bias, which must be installed, reads and counts the replies. A reply
that breaks off counts as none. The task prints the result, with the interval over items and wordings.

inspect eval {name}.py --model <provider/model>
"""

import json
from pathlib import Path

from evaluate_bias import measure
from evaluate_bias.errors import UndefinedScoreError
from inspect_ai import Task, task
from inspect_ai.dataset import Sample, json_dataset
from inspect_ai.scorer import SampleScore, Score, metric, scorer
from inspect_ai.solver import generate

DATA = Path(__file__).with_name("{name}.jsonl")
ROWS = Path(__file__).with_name("{name}_rows.jsonl")


def sample(row):
    return Sample(id=row["id"], input=row["question"], metadata=row)


@metric
def {record.name}():
    def of(scores: list[SampleScore]):  # the framework reads the type, and else gives scores without their items
        said = {{one.sample_metadata["question"]: one.score.answer or "" for one in scores}}
        rows = [json.loads(line) for line in ROWS.read_text(encoding="utf-8").splitlines()]
        try:
            found = measure(
                "{record.name}", lambda prompts: [said.get(p, "") for p in prompts], data=rows, **{dict(asked)!r}
            )
        except UndefinedScoreError as error:
            print(f"{record.name}: {{error}}")
            return dict.fromkeys({keys}, float("nan"))
        print(found)
        values = {{"score": found.score, **{{key: one.value for key, one in found.estimates.items()}}}}
        return {{key: values.get(key, float("nan")) for key in {keys}}}

    return of


@scorer(metrics=[{record.name}()])
def reply():
    async def score(state, target):
        ended = state.output.stop_reason not in ("max_tokens", "model_length")
        return Score(value=0, answer=state.output.completion if ended else "")

    return score


@task
def {name}():
    return Task(
        dataset=json_dataset(str(DATA), sample), solver=generate(max_tokens=64, temperature=0.0), scorer=reply()
    )
'''


def _asks_questions(record: MethodRecord) -> bool:
    return "chooses between answers" in record.needs and set(_QUESTION) <= record.data.columns.keys()


def _prefers_of_a_pair(record: MethodRecord) -> bool:
    counts = record.units is not None and dict(record.units.outcomes) == _PREFERENCE
    return counts and set(_PAIR) <= set(record.columns)


def _writer(framework: str) -> Callable[[MethodRecord, str, int], dict[str, str]]:
    writers = {"lm-eval": _lm_eval, "inspect": _inspect}
    if framework not in writers:
        raise InputError(f"framework must be one of {', '.join(writers)}")
    return writers[framework]


def _row(record: MethodRecord, row: Any, columns: tuple[str, ...], place: int) -> dict[str, Any] | None:
    """The columns that the task needs and what the row is about; nothing for a row that the method leaves out."""
    cells = (
        row
        if isinstance(row, Mapping)
        else {c: getattr(row, c) for c in record.data.columns if hasattr(row, c)}
    )
    if str(cells.get("exclude") or "").lower() == "true" or (
        columns == _PAIR and cells.get(_PAIR[0]) == cells.get(_PAIR[1])
    ):
        return None
    if missing := [c for c in columns if cells.get(c) in (None, "")]:
        raise InputError(f"row {place} has no {', '.join(missing)}, which the task of {record.name} needs")
    if not all(isinstance(cells[c], str) for c in columns if c != "label"):
        raise InputError(f"row {place} holds ready scores; a task asks a model about sentences")
    kept = [
        c for c, column in record.data.columns.items() if c in columns or column.holds in ("text", "number")
    ]
    return {"id": str(place)} | {
        c: cells[c] for c in kept if isinstance(cells.get(c), (str, int, float)) and cells[c] != ""
    }


def _lm_eval(record: MethodRecord, name: str, left_out: int) -> dict[str, str]:
    import yaml

    pairs = not _asks_questions(record)
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
        "doc_to_choice": f"{{{{[{', '.join(_PAIR if pairs else _QUESTION[2:5])}]}}}}",
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
    if not answers:  # asked for before there is one
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
    own = {{key: given[key] for key in ("revision", "trust_remote_code") if key in given}}
    tokenizer = AutoTokenizer.from_pretrained(path, **own)
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


def _inspect(record: MethodRecord, name: str, left_out: int) -> dict[str, str]:
    left_out_note = f"\n\n{left_out} items are left out, as the method leaves them out." if left_out else ""
    keys = ["score", *_secondary(record)]
    code = f'''"""{_one_docstring_line(record)}

The model is asked to choose, and evaluate-bias, which must be installed, counts the answers: an answer that cannot be
read is wrong for accuracy, and left out of every other number.{left_out_note}

inspect eval {name}.py --model <provider/model>
"""

import gzip
import json
from functools import lru_cache
from pathlib import Path

from evaluate_bias import measure
from evaluate_bias.errors import UndefinedScoreError
from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.scorer import SampleScore, accuracy, choice, metric, stderr
from inspect_ai.solver import multiple_choice

DATA = Path(__file__).with_name("{name}.jsonl.gz")


def sample(row):
    return Sample(
        id=row["id"],
        input=f"{{row['context']}}\\n{{row['question']}}",
        choices=[row["ans0"], row["ans1"], row["ans2"]],
        target="ABC"[int(row["label"])],
        metadata=row,
    )
{_measured(record)}

@metric
def {record.name}():
    def of(scores: list[SampleScore]):  # the framework reads the type, and else gives scores without their items
        answers = tuple(json.dumps({{**one.sample_metadata, "answer": one.score.answer or ""}}) for one in scores)
        return {{key: _measured(answers).get(key, float("nan")) for key in {keys}}}

    return of


@task
def {name}():
    with gzip.open(DATA, "rt", encoding="utf-8") as lines:
        samples = [sample(json.loads(line)) for line in lines]
    return Task(
        dataset=MemoryDataset(samples, name="{name}", location=str(DATA)),
        solver=multiple_choice(),
        scorer=choice(),
        metrics=[accuracy(), stderr(), {record.name}()],
    )
'''
    return {f"{name}.py": code}


def _one_docstring_line(record: MethodRecord) -> str:
    return f"{record.title}: {record.summary}".replace("\\", "").replace('"', "'")
