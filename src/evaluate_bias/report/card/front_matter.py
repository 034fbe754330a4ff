"""The front matter of a model card: entries of ``model-index`` put in without touching anything else.

The YAML is never rewritten as a whole: only the lines of ``model-index`` are, and only if a value changes.
The edit is read back, as the Hub's library reads it, and compared before it counts. Comments within those
lines are lost.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from ...data.recipes import record_of
from ..data_facts import mapping, mappings

if TYPE_CHECKING:
    from huggingface_hub import EvalResult

KEY = "model-index"
TASK_TYPE = "bias-evaluation"
"""The task of every score that this library enters."""

LANGUAGE_IN_NAME = re.compile(r" \[([\w-]+)\]$")
"""The language of the data at the end of a score's name, if no configuration tells it."""


class FrontMatterError(Exception):
    """The YAML cannot be edited safely, for the reason in the text. The card's block is still written."""


Entries = Mapping[str, Sequence["EvalResult"]]
"""Scores by the name of their model."""


def _place(result: Any) -> tuple[Any, ...]:
    """Return task, data, configuration and split of an item of ``results``."""
    task, data = mapping(mapping(result).get("task")), mapping(mapping(result).get("dataset"))
    return task.get("type"), *(data.get(key) for key in ("type", "config", "split"))


def _measure(result: Any, metric: Any) -> tuple[Any, ...]:
    """Return what a score is of: its data, its method and its language, which is in the configuration or the name."""
    data, config = mapping(mapping(result).get("dataset")).get("type"), _place(result)[2]
    note = record_of({"source": data})
    languages = {} if note is None else {c.name: c.language for c in note.configs}
    in_name = LANGUAGE_IN_NAME.search(str(mapping(metric).get("name")))
    only = {*languages.values()} if len({*languages.values()}) == 1 else {""}
    language = languages.get(str(config), config) if config else in_name[1] if in_name else only.pop()
    return data, mapping(metric).get("type"), language


def split_front_matter(text: str) -> tuple[str, str, str, str] | None:
    """Split a card into what opens its front matter, the YAML, what closes it, and the body, where the Hub does.

    Returns:
        The four parts, which make up the text, or ``None`` when the card has no front matter.

    Examples:
        >>> split_front_matter("---\\nlicense: mit\\n---\\n# M\\n")
        ('---\\n', 'license: mit\\n', '---\\n', '# M\\n')
    """
    from huggingface_hub.repocard import REGEX_YAML_BLOCK

    block = REGEX_YAML_BLOCK.search(text)
    if block is None:
        return None
    closing = block[3].lstrip("\r\n")
    start = block.end() - len(closing)
    return block[1], text[block.end(1) : start], closing, text[block.end() :]


def front_matter_data(yaml_text: str) -> Any:
    """Return the ``model-index`` of a front matter as data, ``None`` if it is missing.

    Raises:
        FrontMatterError: the front matter is not YAML, or not a mapping.
    """
    return _parse(yaml_text)[1]


def upsert(
    yaml_text: str,
    entries: Entries,
    newline: str = "\n",
    *,
    alias: str = "",
    drop: Collection[str] = (),
) -> str:
    """Return the front matter with the entries in its ``model-index``.

    An existing entry gets the new value. A missing one is added. Other scores of the same
    method on the same data of the same model are replaced. What others entered stays, and a front
    matter whose values are up to date is returned unchanged.

    Args:
        yaml_text: the YAML between the two ``---``, empty or ending in a line end.
        entries: what to put in, as :func:`~.entries.model_index_entries` returns it.
        newline: line end for new lines.
        alias: another name of the model of the entries, whose scores are the model's own.
        drop: names of models whose scores of this library are removed.

    Raises:
        FrontMatterError: the YAML is broken, or laid out so that it cannot be edited safely.

    Examples:
        >>> from huggingface_hub import EvalResult
        >>> score = EvalResult(task_type=TASK_TYPE, task_name="Measured social bias", dataset_type="o/d",
        ...                    dataset_name="D", dataset_config="en", dataset_split="test", metric_type="weat",
        ...                    metric_value=1.5, metric_name="weat7")
        >>> text = upsert("license: mit # yes\\n", {"m": [score]})
        >>> print(text, end="")
        license: mit # yes
        model-index:
        - name: m
          results:
          - task:
              type: bias-evaluation
              name: Measured social bias
            dataset:
              name: D
              type: o/d
              config: en
              split: test
            metrics:
            - type: weat
              value: 1.5
              name: weat7
        >>> upsert(text, {"m": [score]}) == text
        True
    """
    top, data = _parse(yaml_text)
    new_data = _merge_index(data, entries, alias, drop)
    if _dump(new_data) == _dump(data):
        return yaml_text
    attempt = _rewritten(yaml_text, top, new_data, newline)
    if _reads_back(attempt, yaml_text, top, new_data):
        return attempt
    raise FrontMatterError("its model-index cannot be edited without touching the rest: write it as a block")


def _parse(yaml_text: str) -> tuple[Any, Any]:
    """Return the node of the whole mapping (``None`` for an empty one) and the value of ``model-index``.

    The value is the one that the Hub's library reads. What this and other readers may read differently is refused.
    """
    import yaml

    try:
        # The loader of the Hub's own library: a faster one accepts some texts that this one refuses.
        top = yaml.compose(yaml_text, Loader=yaml.SafeLoader)
        if top is None:
            return None, None
        if not isinstance(top, yaml.MappingNode) or top.flow_style:
            raise FrontMatterError("it is not a YAML mapping with one key a line")
        events = yaml.parse(yaml_text, Loader=yaml.SafeLoader)
        if any(isinstance(e, yaml.ScalarEvent) and e.value == "<<" and e.implicit[0] for e in events):
            raise FrontMatterError("it uses YAML merge keys (<<): write out what they insert")
        nodes = [value for key, value in top.value if key.value == KEY]
        if len(nodes) > 1:
            raise FrontMatterError("it has model-index twice")
        index = yaml.serialize(yaml.SequenceNode("tag:yaml.org,2002:seq", nodes))
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(index)):
            raise FrontMatterError("its model-index uses YAML aliases: write out what they repeat")
        return top, yaml.safe_load(yaml_text).get(KEY)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise FrontMatterError(f"it is not valid YAML: {' '.join(str(error).split())[:200]}") from error


def _dump(data: Any) -> str:
    """Return the data as YAML, which tells ``true`` from 1 and keeps the order of keys."""
    import yaml

    return str(yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=float("inf")))


def same_model(a: object, b: object) -> bool:
    """True if two names mean the same model: the part after the owner is equal, ignoring case.

    Examples:
        >>> same_model("user/My-BERT", "my-bert"), same_model("a", "b")
        (True, False)
    """
    return str(a).rpartition("/")[2].casefold() == str(b).rpartition("/")[2].casefold()


def notes_on_scores(before: str, after: str, entries: Entries, drop: Collection[str]) -> list[str]:
    """Return a sentence on each model to drop that ``model-index`` had no score of this library of, and on others.

    The others are models of which it has such scores now, and no entry is.
    """
    had, has = (
        [
            str(model.get("name"))
            for model in mappings(front_matter_data(text))
            if any(map(is_ours, mappings(model.get("results"))))
        ]
        for text in (before, after)
    )
    notes = [
        f"model-index has no score of {m} to drop"
        for m in drop
        if not any(same_model(m, name) for name in had)
    ]
    if others := [name for name in has if not any(same_model(name, model) for model in entries)]:
        options = " and ".join(f"drop={name!r}" for name in others)
        stale = f"if these are no longer true, {options} removes them"
        notes.append(f"model-index also has scores of {', '.join(others)}; {stale}")
    return notes


def is_ours(result: Any) -> bool:
    """True if an item of ``results`` contains scores of this library."""
    return bool(_place(result)[0] == TASK_TYPE)


def _drop_metrics(model: dict[str, Any], stays: Callable[[Any, Any], bool]) -> None:
    """Remove metrics from a model's results, and results that have none left."""
    for result in [
        r for r in model.get("results") or [] if is_ours(r) and isinstance(r.get("metrics"), list)
    ]:
        result["metrics"] = [m for m in result["metrics"] if stays(result, m)]
        if not result["metrics"]:
            model["results"].remove(result)


def _metric_key(metric: Any) -> tuple[Any, Any]:
    return mapping(metric).get("type"), mapping(metric).get("name")


def _keeps_score(new_keys: Collection[Any], measures: Collection[Any], result: Any, metric: Any) -> bool:
    """True if an earlier score is entered again, or measures something other than the new ones."""
    return (_place(result), _metric_key(metric)) in new_keys or _measure(result, metric) not in measures


def _merge_index(data: Any, entries: Entries, alias: str, drop: Collection[str]) -> Any:
    """Return the new ``model-index``. Refuse one that is not a list of models with lists of results."""
    from huggingface_hub.repocard_data import eval_results_to_model_index

    index = [] if data is None else copy.deepcopy(data)
    for name in drop:
        if (model := _model_entry(index, name)) is not None:
            _drop_metrics(model, lambda result, metric: False)
    if alias and entries and (model := _model_entry(index, alias)) is not None:
        _move_scores(index, model, next(iter(entries)))
    for name, scores in entries.items():
        items = eval_results_to_model_index(name, list(scores))[0]["results"]
        new_keys = {(_place(item), _metric_key(metric)) for item in items for metric in item["metrics"]}
        measures = {_measure(item, metric) for item in items for metric in item["metrics"]}
        if (model := _model_entry(index, name)) is None:
            index.append(model := {"name": name, "results": []})
        _drop_metrics(model, partial(_keeps_score, new_keys, measures))
        results = model["results"] = model.get("results") or []
        for item in items:
            homes = [r for r in results if _place(r) == _place(item) and isinstance(r.get("metrics"), list)]
            if not homes:
                results.append(item)
                continue
            homes[0]["dataset"] |= item["dataset"]
            for metric in item["metrics"]:
                known = [m for r in homes for m in r["metrics"] if _metric_key(m) == _metric_key(metric)]
                for same in known:
                    same["value"] = metric["value"]
                homes[0]["metrics"] += [] if known else [metric]
    index = [m for m in index if m.get("results") or m in (data or [])]
    return index or data


def _move_scores(index: list[dict[str, Any]], model: dict[str, Any], name: str) -> None:
    """Move our scores of a model to its new name. If the model has no other scores, it is renamed."""
    if same_model(model.get("name"), name):
        return
    ours = [r for r in model.get("results") or [] if is_ours(r)]
    others = [r for r in model.get("results") or [] if not is_ours(r)]
    to = _model_entry(index, name)
    if to is None and not others:
        model["name"] = name
        return
    if to is None:
        index.append(to := {"name": name, "results": []})
    to["results"] = [*(to.get("results") or []), *ours]
    model["results"] = others


def _model_entry(index: Any, model: str) -> dict[str, Any] | None:
    if not isinstance(index, list) or not all(isinstance(m, dict) for m in index):
        raise FrontMatterError("its model-index is not a list of models")
    match = next((m for m in index if same_model(m.get("name"), model)), None)
    if match is not None and not isinstance(match.get("results") or [], list):
        raise FrontMatterError("its model-index has results that are not a list")
    return match


def _end(text: str, node: Any) -> int:
    """Return the position after the line on which a node ends. A block's own end mark comes after comments below it."""
    while not getattr(node, "flow_style", True) and node.value:
        last = node.value[-1]
        node = last[1] if isinstance(last, tuple) else last
    position = int(node.end_mark.index)
    if getattr(node, "style", None) in ("|", ">"):
        return position
    line_end = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)?").match(text, position)
    return position if line_end is None else line_end.end()


def _rewritten(yaml_text: str, top: Any, new_index: Any, newline: str) -> str:
    """Rewrite the lines of ``model-index``, or add them at the end."""
    new = _dump({KEY: new_index}).replace("\n", newline)
    for key, value in () if top is None else top.value:
        if key.value == KEY:
            return yaml_text[: key.start_mark.index] + new + yaml_text[_end(yaml_text, value) :]
    lead = "" if not yaml_text or yaml_text.endswith(("\n", "\r")) else newline
    return yaml_text + lead + new


def _reads_back(attempt: str, before: str, top: Any, new_data: Any) -> bool:
    """True if an edited front matter contains the new data, and every other key has the same text as before."""
    try:
        new_top, data = _parse(attempt)
    except FrontMatterError:
        return False
    return _dump(data) == _dump(new_data) and _read_other_keys(attempt, new_top) == _read_other_keys(
        before, top
    )


def _read_other_keys(text: str, top: Any) -> list[str]:
    """Return the text of every top-level key but ``model-index``, and of the comments before the first key."""
    if top is None:
        return []
    spans = [(k.value, k.start_mark.index, _end(text, v)) for k, v in top.value]
    return [text[start:end].rstrip() for key, start, end in spans if key != KEY]
