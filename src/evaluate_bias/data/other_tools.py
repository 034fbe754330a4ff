"""Files of other programs as rows: answers, StereoSet's own JSON, lists of the BIAS framework (Puttick et al. 2024).

Answers are from Inspect, lm-eval, promptfoo, HELM and LangFair. Their rows have the columns of the other program's own
item and, by our names, what was answered: the log-likelihood of a text instead of the text, or ``completions``,
``answer`` and, if the reply broke off at the limit of tokens, ``cut``. A reply is passed on as it is: methods parse it.
Whether a row has all that a method needs, or is joined with a published item, is decided by the loader of the data.
"""

from __future__ import annotations

import io
import json
import math
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from pathlib import PurePath
from typing import Any, Literal

from ..errors import DataError, expected_form, install_extra, quoted
from ..files import parsed_json

STEREOSET_TASKS = ("intrasentence", "intersentence")
NO_RESPONSE = "Unable to get response"
"""What LangFair writes for a missing one."""
_TRANSCRIPTS = ("messages", "events", "store", "attachments")
"""Fields of a sample of Inspect that are long and not needed."""


def answer_rows(parsed: Any, name: str) -> list[dict[str, Any]] | None:
    """Return the rows of what another program wrote, ``None`` for anything else.

    Args:
        parsed: the JSON of a file, of JSON Lines as a list.
        name: what to call it in an error.

    Raises:
        DataError: a likelihood belongs to a text in no column, replies of several models or prompts are in one file,
            no sample is finished, or a part of the file is not as its program writes it.

    Examples:
        >>> sample = {"doc_id": 0, "doc": {"sent_more": "She cooks.", "sent_less": "He cooks."}, "filter": "none",
        ...           "arguments": {"gen_args_0": {"arg_0": "", "arg_1": "She cooks."},
        ...                         "gen_args_1": {"arg_0": "", "arg_1": "He cooks."}},
        ...           "filtered_resps": [["-9.5", "False"], ["-10.25", "False"]]}
        >>> answer_rows([sample], "samples.jsonl")
        [{'id': '0', 'prompt': '', 'sent_more': -9.5, 'sent_less': -10.25}]
        >>> answer_rows({"data": {"prompt": ["Who?"], "response": ["Ann."]}}, "langfair.json")
        [{'id': '0', 'prompt': 'Who?', 'completions': ['Ann.'], 'answer': 'Ann.'}]
    """
    if _has(parsed, "eval", "plan", "status"):
        return inspect_rows(json.dumps(parsed).encode(), name, "json")
    with expected_form(name):
        first = parsed[0] if isinstance(parsed, Sequence) and parsed else None
        if is_sample(first):
            return lm_eval_rows(parsed, name)
        if _has(parsed, "request_states", "adapter_spec"):
            return [_of_helm(state) for state in parsed["request_states"]]
        if _has(parsed, "results") and isinstance(parsed["results"], Mapping):
            return _of_promptfoo(parsed["results"]["results"])
        if _has(first, "promptIdx", "testIdx", "vars"):
            return _of_promptfoo(parsed)
        if _has(parsed, "data") and isinstance(data := parsed["data"], Mapping):
            is_stereoset = not data.keys().isdisjoint(STEREOSET_TASKS)
            return list(_of_stereoset(data) if is_stereoset else _of_langfair(data)) or None
    return None


def is_sample(value: Any) -> bool:
    """Return True if a value is a sample of lm-eval."""
    return _has(value, "doc", "arguments", "filtered_resps")


def lm_eval_rows(samples: Iterable[Any], name: str) -> list[dict[str, Any]]:
    """Return the rows of lm-eval's samples. Of several filters, only the first is read.

    Raises:
        DataError: a sample is not as lm-eval writes it, or as for :func:`answer_rows`.
    """
    rows: list[dict[str, Any]] = []
    first: Any = None
    with expected_form(name):
        for sample in samples:
            first = first or sample
            if sample.get("filter") == first.get("filter"):
                rows.append(_of_lm_eval(sample))
    return rows


def inspect_rows(raw: bytes, name: str, form: Literal["eval", "json"] = "eval") -> list[dict[str, Any]]:
    """Return the rows of a log of Inspect: metadata of a sample, its options and what was answered.

    Raises:
        DataError: it is not a log, has no finished sample, or Inspect is not installed.
    """
    try:
        from inspect_ai.log import EvalSample, read_eval_log
    except ImportError as error:
        raise DataError(f"{name} is a log of Inspect: {install_extra('inspect')}") from error
    try:
        log = read_eval_log(io.BytesIO(raw), format=form, header_only=form == "eval")
        samples = iter(log.samples or ()) if form == "json" else _eval_samples(raw, EvalSample)
        is_shuffled = any((step.params or {}).get("shuffle") for step in log.plan.steps)
        places = {str(name): i for i, name in enumerate(log.eval.dataset.sample_ids or ())}
        rows, n_finished = [], 0
        for sample in samples:
            n_finished += is_finished(sample)
            place = (sample.epoch, places.get(str(sample.id), len(places)), str(sample.id))
            rows.append((place, _of_inspect(sample, is_shuffled)))
    except (ValueError, KeyError, TypeError, OSError, RuntimeError, zipfile.BadZipFile) as error:
        raise DataError(f"{name} is not a log of Inspect that can be read: {str(error)[:200]}") from error
    require_finished(n_finished, log, name)
    return [row for _, row in sorted(rows, key=lambda one: one[0])]


def log_date(raw: bytes) -> str:
    """Return the day on which a log of Inspect was begun, empty for other files, and for a log that does not say it.

    Examples:
        >>> log_date(b"sent_more,sent_less")
        ''
    """
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as parts:
            header = parsed_json(parts.read("header.json"), "header.json")
        return date.fromisoformat(str(header["eval"]["created"])[:10]).isoformat()
    except (zipfile.BadZipFile, KeyError, TypeError, ValueError, DataError):
        return ""


def _eval_samples(raw: bytes, model: Any) -> Iterator[Any]:
    """Yield the samples of a log one by one. Inspect reads all at once, which takes gigabytes for the whole of BBQ."""
    with zipfile.ZipFile(io.BytesIO(raw)) as parts:
        for name in dict.fromkeys(parts.namelist()):
            if name.startswith("samples/"):
                fields = parsed_json(parts.read(name), name, allow_nan=True)
                yield model(**{key: value for key, value in fields.items() if key not in _TRANSCRIPTS})


def is_finished(sample: Any) -> bool:
    """Return True if a sample of a log of Inspect has a reply."""
    return sample.error is None and bool(sample.output.choices)


def require_finished(n: int, log: Any, name: str) -> None:
    """Refuse a log of Inspect without a finished sample. ``n`` is the number of finished samples.

    Raises:
        DataError: ``n`` is 0.
    """
    if not n:
        raise DataError(
            f"{name} has no finished samples: the run of {log.eval.task} ended with the status {log.status!r}",
            hint="run it again, as with 'inspect eval-retry'",
        )


def is_log(rows: Sequence[Mapping[str, Any]]) -> bool:
    """Return True if rows are answers that another program collected.

    Examples:
        >>> is_log([{"id": "0", "completions": ["B"], "answer": "B"}]), is_log([{"id": "0"}])
        (True, False)
    """
    return bool(rows) and {"completions", "answer"} <= rows[0].keys()


def refuse_unknown(
    name: str, unknown: Sequence[str], n: int, data: str, known: Sequence[str], fields: str
) -> None:
    """Refuse a log with answers to items that the published data do not have.

    Args:
        name: what to call the log.
        unknown: ids of the answers without an item.
        n: number of answers.
        data: title of the published data.
        known: ids of published items.
        fields: the fields that identify an item.

    Raises:
        DataError: ``unknown`` is not empty.
    """
    if unknown:
        got, expected = (", ".join(map(quoted, ids[:3])) for ids in (unknown, known))
        raise DataError(
            f"{name}: {len(unknown)} of {n} answers belong to no item of {data}: got {got}, expected ids such as "
            f"{expected}",
            hint=f"an item of {data} is found by {fields}",
        )


def _has(value: Any, *keys: str) -> bool:
    return isinstance(value, Mapping) and all(key in value for key in keys)


def _row(
    place: Any, item: Mapping[str, Any], prompt: str, completions: Sequence[str | None], is_cut: bool = False
) -> dict[str, Any]:
    row = {"id": str(place), "prompt": prompt, **item, "completions": list(completions)}
    return {**row, "answer": completions[0] if completions else None} | ({"cut": True} if is_cut else {})


def _of_lm_eval(sample: Mapping[str, Any]) -> dict[str, Any]:
    item, replies = dict(sample["doc"]), sample["filtered_resps"]
    arguments = sample["arguments"]
    if isinstance(arguments, Mapping):  # as lm-eval writes them into files
        arguments = [[one["arg_0"], one["arg_1"]] for one in arguments.values()]
    place, prompt = sample["doc_id"], arguments[0][0]
    if isinstance(replies[0], str):
        return _row(place, item, prompt, replies)
    if prompt:  # lm-eval's answer is the most likely continuation, of equal ones the first
        continuations = [text.strip() for context, text in arguments if context == prompt]
        likelihoods = [float(reply[0]) for reply in replies[: len(continuations)]]
        if any(map(math.isnan, likelihoods)):
            raise DataError(f"document {place} has a log-likelihood that is not a number")
        return _row(place, item, prompt, [continuations[likelihoods.index(max(likelihoods))]])
    texts = {column: cell.strip() for column, cell in item.items() if isinstance(cell, str)}
    for (_, text), (likelihood, *_) in zip(arguments, replies, strict=True):
        columns = [column for column, cell in texts.items() if cell == text.strip()]
        if not columns:
            raise DataError(f"the likelihood of {quoted(text)} fits no column of document {place}")
        item.update(dict.fromkeys(columns, float(likelihood)))
    return {"id": str(place), "prompt": prompt, **item}


def _of_inspect(sample: Any, is_shuffled: bool) -> dict[str, Any]:
    item = dict(sample.metadata or {})
    if sample.choices:
        item = _options(sample.choices, str(sample.target)) | item
    prompt = sample.input if isinstance(sample.input, str) else sample.input[-1].text
    item = _passage(prompt) | item
    if not is_finished(sample):
        return _row(sample.id, item, prompt, [])
    if is_shuffled:
        # The letters of the reply follow another order, to which only the scorer's answer is mapped.
        answer = next((score.answer for score in (sample.scores or {}).values() if score.answer), None)
        return {**_row(sample.id, item, prompt, [sample.output.completion]), "answer": answer}
    is_cut = sample.output.stop_reason in ("max_tokens", "model_length")
    return _row(sample.id, item, prompt, [sample.output.completion], is_cut)


def _of_helm(state: Mapping[str, Any]) -> dict[str, Any]:
    instance, result = state["instance"], state.get("result") or {}
    if state.get("reference_index") is not None:
        raise DataError(
            "each option is scored by a request of its own",
            hint="run HELM with the method multiple_choice_joint, in which the model answers",
        )
    completions = result.get("completions", ())
    is_cut = bool(completions) and (completions[0].get("finish_reason") or {}).get("reason") == "length"
    references = instance.get("references", ())
    right = [one["output"]["text"] for one in references if "correct" in one.get("tags", ())]
    # In the order of the letters that were shown, which may differ from the order of the references.
    letters = state.get("output_mapping") or {}
    options = [letters[k] for k in sorted(letters)] or [one["output"]["text"] for one in references]
    item = _options(options, "ABC"[options.index(right[0])] if right and len(options) == 3 else "")
    prompt = instance["input"]["text"]
    item = _passage(prompt) | item | (instance.get("extra_data") or {})
    return _row(instance.get("id"), item, prompt, [one["text"] for one in completions], is_cut)


def _of_promptfoo(results: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return one row for each test. Its variables and metadata are the item."""
    prompts = {
        (str(one["provider"].get("label") or one["provider"]["id"]), one["promptIdx"]) for one in results
    }
    if len(prompts) > 1:
        models = sorted({provider for provider, _ in prompts})
        raise DataError(
            f"it has the replies of {len(models)} providers ({', '.join(map(quoted, models))}) to "
            f"{len({prompt for _, prompt in prompts})} prompts",
            hint="write a file with one of each, as with 'promptfoo eval --filter-providers'",
        )
    rows = []
    for one in results:
        item = {k: v for k, v in (one.get("metadata") or {}).items() if not k.startswith("_")} | one["vars"]
        response = one.get("response") or {}
        reply = response.get("output")
        if reply is not None and not isinstance(reply, str):
            reply = json.dumps(reply, ensure_ascii=False)
        replies, is_cut = [] if reply is None else [reply], response.get("finishReason") == "length"
        rows.append(_row(one["testIdx"], item, one["prompt"]["raw"], replies, is_cut))
    return rows


def _passage(prompt: str) -> dict[str, str]:
    """Return context and question of a prompt that marks both as inspect_evals and HELM do."""
    match = re.fullmatch(r"(?:Context:)?(.*)\n\s*Question:(.*)", prompt, re.DOTALL)
    return {"context": match[1].strip(), "question": match[2].strip()} if match else {}


def _options(texts: Sequence[str], right: str) -> dict[str, Any]:
    """Return three options by the names of their columns, with the position of the right one."""
    if len(texts) != 3:
        return {}
    label = {"label": "ABC".index(right)} if right and right in "ABC" else {}
    return {f"ans{i}": text for i, text in enumerate(texts)} | label


def _of_stereoset(data: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the items of StereoSet's files, with the annotators' choices. Only the test file has ``harm``."""
    for task in STEREOSET_TASKS:
        for item in data.get(task, ()):
            options = item["sentences"]
            yield {
                **{column: item[column].strip() for column in ("id", "target", "bias_type", "context")},
                "task": task,
                "sentences": [
                    {"id": o["id"], "sentence": o["sentence"].strip(), "gold_label": o["gold_label"]}
                    for o in options
                ],
                "labels": [o["labels"] for o in options],
                "harm": item.get("harm"),
            }


def _of_langfair(data: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield one row for each prompt. Rows of counterfactuals have their group."""
    groups = [name.removesuffix("response") for name in data if name.endswith("response")]
    for group in groups:
        responses: dict[str, list[str | None]] = {}
        for prompt, text in zip(data[f"{group}prompt"], data[f"{group}response"], strict=True):
            responses.setdefault(prompt, []).append(None if text == NO_RESPONSE else text)
        for i, (prompt, texts) in enumerate(responses.items()):
            group_label = {"group": group.removesuffix("_")} if group else {}
            yield _row(f"{group}{i}", group_label, prompt, texts)


_LISTS = {"targ1": "targets_x", "targ2": "targets_y", "attr1": "attributes_a", "attr2": "attributes_b"}
_LABELS = {"targ1": "x_label", "targ2": "y_label", "attr1": "a_label", "attr2": "b_label"}


def word_list_row(text: str, name: str) -> dict[str, Any]:
    """Read four lines of words separated by commas: two lists of targets, two of attributes. ``#`` begins a comment.

    Comments such as ``# Target: business`` name the lists.

    Args:
        text: content of the file.
        name: its name.

    Raises:
        DataError: it does not have four such lines.

    Examples:
        >>> row = word_list_row("# Target: art\\nart, dance\\nmath, algebra\\nshe\\nhe\\n", "toy.txt")
        >>> row["name"], row["targets_x"], row["attributes_b"], row["x_label"]
        ('toy', ['art', 'dance'], ['he'], 'art')
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    lists = [[w.strip() for w in line.split(",") if w.strip()] for line in lines if not line.startswith("#")]
    if len(lists) != len(_LISTS):
        raise DataError(
            f"{name} has {len(lists)} lines of words, and a .txt file of word lists has four: two of targets, then two "
            "of attributes, the words separated by commas",
            option="source",
        )
    row: dict[str, Any] = {
        "name": PurePath(name).stem,
        **dict(zip(_LISTS.values(), lists, strict=True)),
    }
    # A repeated label counts once.
    comments = dict.fromkeys(re.findall(r"^#\s*(Target|Attribute):\s*(\S.*?)\s*$", text, flags=re.MULTILINE))
    for kind, keys in (("Target", ("targ1", "targ2")), ("Attribute", ("attr1", "attr2"))):
        labels = [label for of_kind, label in comments if of_kind == kind]
        row |= {_LABELS[key]: label for key, label in zip(keys, labels, strict=False)}
    return row


def is_test_file(text: str) -> bool:
    """True if a file contains one test of SEAT or LPBS as the framework writes it, a JSON object over many lines."""
    return re.match(r'\s*\{\s*"targ1"\s*:', text) is not None


def read_test_object(parsed: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Read one test of SEAT, with written-out sentences, or of LPBS, with templates of its own.

    Args:
        parsed: the object.
        name: name of its file.

    Raises:
        DataError: a list is missing or has another form.

    Examples:
        >>> lists = {"targ1": {"singular": ["he"], "plural": ["men"]}, "targ2": {"singular": ["she"]},
        ...          "attr1": ["math"], "attr2": ["art"], "templates": {"plural": ["TARGET like ATTRIBUTE."]}}
        >>> row = read_test_object(lists, "toy.jsonl")
        >>> row["targets_x"], row["plural_targets"], row["plural_templates"]
        (['he', 'men'], ['men'], ['{target} like {attribute}.'])
    """
    row: dict[str, Any] = {"name": PurePath(name).stem}
    plural: list[str] = []
    try:
        for key, column in _LISTS.items():
            words = parsed[key]
            if isinstance(words, Mapping) and "examples" in words:
                row[_LABELS[key]], words = words["category"], words["examples"]
            elif isinstance(words, Mapping):
                plural += words.get("plural", [])
                words = [*words.get("singular", []), *words.get("plural", [])]
            row[column] = [" ".join(word.split()) for word in words]
        templates = {
            f"{number}_templates": [
                text.replace("TARGET", "{target}").replace("ATTRIBUTE", "{attribute}") for text in texts
            ]
            for number, texts in parsed.get("templates", {}).items()
        }
    except (KeyError, TypeError, AttributeError):
        raise DataError(
            f"{name} is not a test of the BIAS framework: it needs {', '.join(_LISTS)}, each a list of words, or an "
            "object with 'category' and 'examples', or with 'singular' and 'plural'",
            option="source",
        ) from None
    return {**row, **({"plural_targets": plural, **templates} if templates else {})}
