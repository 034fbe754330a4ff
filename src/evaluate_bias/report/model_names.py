"""Models that are called alike, told apart."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any

from ..result import Result
from .lines import model_name


def disambiguate_models(results: Iterable[Result]) -> list[Result]:
    """Return the results, those of a model that is called like another before it with a number in its name.

    Two models are one where their weights have the same checksums, or, where these are unknown, the same place.

    Examples:
        >>> places = ["/a/step-10", "/b/step-10", "/a/step-10"]
        >>> given = [Result(method="weat", score=1.0, score_range=(-2, 2), direction="two_sided", ideal=0, n=16,
        ...                 provenance={"model": {"name": place}}) for place in places]
        >>> [r.provenance["model"]["name"] for r in disambiguate_models(given)]
        ['/a/step-10', 'step-10 #2', '/a/step-10']
    """
    known: dict[str, list[Mapping[str, Any]]] = {}
    out = []
    for result in results:
        name, model = model_name(result), result.provenance.get("model")
        facts = model if isinstance(model, Mapping) else {"name": model}
        own = known.setdefault(name, [])
        place = next((i for i, other in enumerate(own) if _same_model(facts, other)), len(own))
        if place == len(own):
            own.append(facts)
        if place:
            called = {"model": {**facts, "name": f"{name} #{place + 1}"}}
            result = dataclasses.replace(result, provenance={**result.provenance, **called})
        out.append(result)
    return out


_WEIGHTS = ("weights_sha256", "sha256", "archive_sha256", "revision")


def _same_model(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    shared = [key for key in _WEIGHTS if key in one and key in other] or ["name"]
    return all(one.get(key) == other.get(key) for key in shared)
