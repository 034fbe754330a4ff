"""Answers that other programs collected, as rows: samples of lm-eval, logs of Inspect, files of HELM and LangFair.

A row has the columns of the other program's own item and, by our names, what was answered: the log-likelihood of a text
in place of the text, or ``completions`` and ``answer``. Whether that is all a method needs says its loader.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..errors import DataError, install_extra, quoted

NO_RESPONSE = "Unable to get response"
"""What LangFair writes where there is none."""


def answer_rows(parsed: Any, name: str) -> list[dict[str, Any]] | None:
    """The rows of what another program wrote; ``None`` where it is nothing of theirs.

    Args:
        parsed: the JSON of a file, of JSON Lines as a list.
        name: what to call it in an error.

    Raises:
        DataError: a likelihood is that of a text in no column, or a part of the file is not as written.

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
    if _has(parsed, "eval", "plan", "samples"):
        raise DataError(
            f"{name} is a log of Inspect as JSON; logs are read as .eval files, which 'inspect log convert --to eval' "
            "makes of it"
        )
    try:
        if isinstance(parsed, Sequence) and parsed and _has(parsed[0], "doc", "arguments", "filtered_resps"):
            return [_of_lm_eval(row, name) for row in parsed if row.get("filter") == parsed[0].get("filter")]
        if _has(parsed, "request_states", "adapter_spec"):
            return [_of_helm(state) for state in parsed["request_states"]]
        if _has(parsed, "data") and isinstance(parsed["data"], Mapping):
            return list(_of_langfair(parsed["data"])) or None
    except (KeyError, IndexError, TypeError, AttributeError, ValueError) as error:
        raise DataError(f"{name} is not as its program writes it: {type(error).__name__}: {error}") from error
    return None


def inspect_rows(raw: bytes, name: str) -> list[dict[str, Any]]:
    """The rows of a log of Inspect: metadata of a sample, its options and what was answered.

    Raises:
        DataError: it is no log, holds no sample, or Inspect is not installed.
    """
    try:
        from inspect_ai.log import read_eval_log
    except ImportError as error:
        raise DataError(f"{name} is a log of Inspect: {install_extra('inspect')}") from error
    try:
        log = read_eval_log(io.BytesIO(raw), format="eval")
    except (ValueError, KeyError, OSError, zipfile.BadZipFile) as error:
        raise DataError(f"{name} is not a log of Inspect that can be read: {str(error)[:200]}") from error
    return [_of_inspect(sample) for sample in log.samples or ()]


def _has(value: Any, *keys: str) -> bool:
    return isinstance(value, Mapping) and all(key in value for key in keys)


def _row(
    place: Any, item: Mapping[str, Any], prompt: str, completions: Sequence[str | None], answer: str | None
) -> dict[str, Any]:
    return {"id": str(place), "prompt": prompt, **item, "completions": list(completions), "answer": answer}


def _of_lm_eval(sample: Mapping[str, Any], name: str) -> dict[str, Any]:
    item, replies = dict(sample["doc"]), sample["filtered_resps"]
    arguments = sample["arguments"]
    if isinstance(arguments, Mapping):  # as lm-eval writes them into files
        arguments = [[one["arg_0"], one["arg_1"]] for one in arguments.values()]
    place, prompt = sample["doc_id"], arguments[0][0]
    if isinstance(replies[0], str):
        return _row(place, item, prompt, replies, replies[0])
    if prompt:
        raise DataError(
            f"{name}: document {place} has the log-likelihood of each option after a prompt, summed over its tokens; "
            "methods need the mean over the tokens, and the file does not say how many there are"
        )
    for (_, text), (likelihood, *_) in zip(arguments, replies, strict=True):
        columns = [column for column, cell in sample["doc"].items() if _same(cell, text)]
        if not columns:
            raise DataError(f"{name}: the likelihood of {quoted(text)} fits no column of document {place}")
        item.update(dict.fromkeys(columns, float(likelihood)))
    return {"id": str(place), "prompt": prompt, **item}


def _same(cell: Any, text: str) -> bool:
    return isinstance(cell, str) and cell.strip() == text.strip()


def _of_inspect(sample: Any) -> dict[str, Any]:
    scores = [score.answer for score in (sample.scores or {}).values() if score.answer]
    item = dict(sample.metadata or {})
    if sample.choices:
        item = _options(sample.choices, str(sample.target)) | item
    prompt = sample.input if isinstance(sample.input, str) else sample.input[-1].text
    reply = sample.output.completion
    return _row(sample.id, item, prompt, [reply], scores[0] if scores else reply)


def _of_helm(state: Mapping[str, Any]) -> dict[str, Any]:
    instance, result = state["instance"], state.get("result") or {}
    texts = [one["text"] for one in result.get("completions", ())]
    options = [one["output"]["text"] for one in instance.get("references", ())]
    right = [i for i, one in enumerate(instance.get("references", ())) if "correct" in one.get("tags", ())]
    item = _options(options, "ABC"[right[0]] if right and len(options) == 3 else "")
    # Where letters were shown, the options behind them are in another order than the references.
    letter_options = state.get("output_mapping") or {}
    answer = letter_options.get(texts[0].strip(), texts[0]) if texts else None
    item |= instance.get("extra_data") or {}
    return _row(instance.get("id"), item, instance["input"]["text"], texts, answer)


def _options(texts: Sequence[str], right: str) -> dict[str, Any]:
    """Three options by the names of their columns, with the position of the right one."""
    if len(texts) != 3:
        return {}
    label = {"label": "ABC".index(right)} if right and right in "ABC" else {}
    return {f"ans{i}": text for i, text in enumerate(texts)} | label


def _of_langfair(data: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """One row for each prompt, those of counterfactuals with their group."""
    groups = [name.removesuffix("response") for name in data if name.endswith("response")]
    for group in groups:
        responses: dict[str, list[str | None]] = {}
        for prompt, text in zip(data[f"{group}prompt"], data[f"{group}response"], strict=True):
            responses.setdefault(prompt, []).append(None if text == NO_RESPONSE else text)
        for i, (prompt, texts) in enumerate(responses.items()):
            group_label = {"group": group.removesuffix("_")} if group else {}
            yield _row(f"{group}{i}", group_label, prompt, texts, texts[0])
