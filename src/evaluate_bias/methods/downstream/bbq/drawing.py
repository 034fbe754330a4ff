"""The items that the protocol "quick" asks about: of ten templates a category, one quadruple each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ....data.bbq import BbqItem
from ....method import Finding
from ...rows import places_of
from ...word_lists.inference import derive_seed
from .answers import template_of

TEMPLATES = 10
"""Templates that are drawn of a category."""


def draw_quadruples(items: Sequence[BbqItem], seed: int) -> list[BbqItem]:
    """Draw ten templates of every category and one quadruple of each.

    A quadruple is the ambiguous and the disambiguated context about the same two people, each with the negative and
    the other question. Fewer than four items are drawn if a template has no whole quadruple. What is drawn of
    a category follows from the seed and its own items, whatever their order and whatever other categories
    there are.

    Args:
        items: the items. Those without a biased answer are drawn only if a template has no others.
        seed: of the draws.

    Returns:
        The items that are drawn, in their order.
    """
    places: list[int] = []
    for category, members in sorted(places_of(item.category for item in items).items()):
        rng = np.random.default_rng(derive_seed(category, seed))
        members = sorted(members, key=lambda i: (items[i].id, items[i].context, items[i].question))
        templates = sorted(places_of(template_of(items[i]) for i in members).items())
        for t in sorted(rng.permutation(len(templates))[:TEMPLATES].tolist()):
            of_template = [members[k] for k in templates[t][1]]
            usable = [i for i in of_template if items[i].target_loc is not None] or of_template
            largest: list[int] = []
            for start in rng.permutation(len(usable)).tolist():
                if len(quadruple := _find_partners(items, usable, usable[start])) > len(largest):
                    largest = quadruple
                if len(largest) == 4:
                    break
            places += largest
    return [items[i] for i in sorted(places)]


def _find_partners(items: Sequence[BbqItem], members: Sequence[int], start: int) -> list[int]:
    """An item, and the items of its template that differ from it only in whether the context tells the answer, and in
    which question is asked.
    """
    first = items[start]
    cells: dict[tuple[str, str | None], int] = {}
    for i in (start, *members):
        item = items[i]
        stems = sorted((first.context, item.context), key=len)
        if _find_people(item) == _find_people(first) and stems[1].startswith(stems[0]):
            cells.setdefault((item.context_condition, item.question_polarity), i)
    return list(cells.values())


def _find_people(item: BbqItem) -> frozenset[str]:
    """Return the two options that name a person."""
    return frozenset(text for k, text in enumerate(item.options) if k != item.unknown_loc)


def as_drawn(finding: Finding, n_asked: int, n: int) -> Finding:
    """Return a finding on drawn items: the rows of categories have no p-value, and the settings say which part it is.

    Ten templates of a category are too few to test each category.
    """
    rows = [
        row if row.kind != "group" else replace(row, p_value=None, p_error=None, p_method="", n_tested=None)
        for row in finding.rows
    ]
    subset = f"{n_asked:,} of {n:,} items, quick" if n_asked < n else "quick"
    return replace(
        finding,
        rows=rows,
        settings={**finding.settings, "subset": subset},
        warnings=[
            *finding.warnings,
            f"the rows of categories are descriptive: at most {TEMPLATES} templates of each were asked "
            "about, and only the total is tested. `protocol` 'robust' asks about all items",
        ],
    )
