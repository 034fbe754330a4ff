"""Which data a result is about, as a report may publish it, and which revision of its method measured it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..data.dataset_record import DatasetRecord
from ..data.pair_flags import ROW_FLAGS
from ..data.recipes import record_of
from ..errors import DataError, quoted
from ..registry import METHODS, revisions_of
from ..result import Result
from ..text import one_line
from .escape import public_name

OF_THE_CALLER = ("", "given by the caller", "columns given to compute()")
"""What provenance calls data that came without a source."""


def dataset_facts(result: Result) -> Mapping[str, Any]:
    """Return what the result's provenance says of its data, see :func:`provenance_facts`."""
    return provenance_facts(result, "dataset")


def provenance_facts(result: Result, part: str) -> Mapping[str, Any]:
    """Return a part of a result's provenance, empty if it is missing.

    Raises:
        DataError: it is not a dict, as after an edit by hand.
    """
    facts = result.provenance.get(part) or {}
    if not isinstance(facts, Mapping):
        problem = f"provenance.{part} of the result must be a mapping, got {quoted(facts)}: measure again"
        raise DataError(f"{result.method}: {problem}")
    return facts


def chosen_subset(facts: Mapping[str, Any]) -> list[str]:
    """Return which subset of the data was chosen, such as bias types. Empty if it is all data."""
    types, flags, subset = (facts.get(key) for key in ("bias_types", "without_flags", "subset"))
    chosen = list(map(str, types)) if isinstance(types, list) else []
    if isinstance(flags, list):
        flag_text = f"the flag {' or '.join(map(str, flags))}"
        chosen.append(f"pairs without {'flags' if set(ROW_FLAGS) <= {*map(str, flags)} else flag_text}")
    return [*chosen, str(subset)] if subset else chosen


def mapping(value: Any) -> Mapping[str, Any]:
    """Return a mapping as it is, and an empty one for anything else."""
    return value if isinstance(value, Mapping) else {}


def mappings(value: Any) -> list[Mapping[str, Any]]:
    """Return the mappings in a list, none of anything else."""
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []


def model_checksums(result: Result) -> tuple[str, ...]:
    """Return the checksums of the model's files, whatever the files are called. Empty if they are unknown."""
    model = mapping(result.provenance.get("model"))
    sums = model.get("weights_sha256") or model.get("sha256") or {}
    return tuple(sorted(map(str, sums.values() if isinstance(sums, Mapping) else [sums])))


def data_sources(result: Result) -> list[Mapping[str, Any]]:
    """Return the facts of all data behind a result: its own, data these were joined with, and corpora of contexts."""
    main = dataset_facts(result)
    others = [*main.values(), *mapping(result.provenance.get("contexts")).values()]
    return [main, *(f for f in others if isinstance(f, Mapping) and f.get("source"))]


def result_note(result: Result) -> DatasetRecord | None:
    """Return what to know about the result's data, ``None`` for data this library does not know."""
    return record_of(dataset_facts(result))


def result_notes(result: Result) -> list[DatasetRecord]:
    """Return the notes of all data behind a result that this library knows, each once."""
    records = (record_of(facts) for facts in data_sources(result))
    return list({note.name: note for note in records if note is not None}.values())


def on_illustrative_data(result: Result) -> bool:
    """True if the result is on items that show how a method works and prove nothing."""
    note = result_note(result)
    return note is not None and note.illustrative


def public_source(facts: Mapping[str, Any]) -> str:
    """Return the data's Hub id, or the name of the file. Never a path, which tells about someone's machine.

    Empty for data that came from the caller without a source.
    """
    note = record_of(facts)
    if note is not None:
        return note.hub_id or note.name
    source = str(facts.get("source") or "")
    return "" if source in OF_THE_CALLER else public_name(source)


def data_id(result: Result) -> str:
    """Return the Hub id of the result's data, or the name of the file, as cards name them."""
    return one_line(public_source(dataset_facts(result))) or "custom"


def data_titles(results: Sequence[Result]) -> list[str]:
    """Return the titles of the data behind the results, each once, with a remark on data that prove nothing."""
    titles = {}
    for facts in (facts for result in results for facts in data_sources(result)):
        note = record_of(facts)
        if title := public_source(facts) if note is None else note.title:
            remark = " (illustrative, not validated)" if note is not None and note.illustrative else ""
            titles[title] = title + remark
    return list(titles.values())


def caveats(result: Result) -> tuple[str, ...]:
    """Return what to know before quoting the result: of its data, then of its method."""
    record = METHODS.get(result.method)
    of_data = [caveat for note in result_notes(result) for caveat in note.caveats]
    return (*of_data, *(record.caveats if record else ()))


def revisions(result: Result) -> dict[str, int]:
    """Return the revisions of the methods that a result was measured by, 1 if the result does not say."""
    recorded_revisions = mapping(result.provenance.get("revisions"))
    names = revisions_of(result.method, result.settings)
    return {name: n if type(n := recorded_revisions.get(name)) is int else 1 for name in names}


def outdated(result: Result) -> str:
    """Return a clause if the method's revision has changed since the measurement, else an empty string.

    Examples:
        >>> result = Result(method="weat", score=1.5, score_range=(-2, 2), direction="two_sided", ideal=0, n=16,
        ...                 provenance={"revisions": {"weat": 99}})
        >>> outdated(result).partition(",")[0]
        'measured by revision 99 of weat'
    """
    now = revisions_of(result.method, result.settings)
    for name, was in revisions(result).items():
        if was < now[name]:
            return f"measured by revision {was} of {name}, now {now[name]}: measure it again"
        if was > now[name]:
            return f"measured by revision {was} of {name}, and this library has {now[name]}: upgrade evaluate-bias"
    return ""
