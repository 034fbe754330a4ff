"""The tab that shows one association in a model's vectors, likelihoods, word choice, decisions and texts."""

from __future__ import annotations

from ...report.levels import Levels, construct_names, levels, levels_figure, load_construct
from ..handlers import page_words
from ..kind_page import Answer, Click, KindPage, PageSection, PageWording, Tab
from ..limits import MAX_PROMPT_VARIANTS
from ..parts import Note, Part, ScrollTable, page_defaults, picture, show
from ..pool import TEXT_MODELS, WORD_VECTORS


def levels_html(outcome: Levels) -> str:
    """The sentence on a model, the picture, the table of its levels, and what to know of them."""
    parts: list[Part] = [Note(sentence, "finding") for sentence in outcome.sentences]
    if any(row.deviation is not None for row in outcome.rows):
        parts.append(picture(levels_figure(outcome), f"{outcome.construct.title}: the levels on one axis"))
    rows = outcome.table.records()
    for row in rows:  # a column less, so that a phone shows what each level shows
        row["level"] += f": {row.pop('measured by')}"
    return show(
        *parts, ScrollTable(outcome.construct.title, rows), *map(Note, map(page_words, outcome.notes))
    )


def levels_page(tab: Tab) -> KindPage:
    """The tab of a construct at the levels of a model."""
    start = page_defaults()["levels"]

    def measure_levels(click: Click) -> Answer:
        v = click.values
        click.deadline.step(0, 1)
        with click.model() as model:
            outcome = levels(model, v["construct"], progress=False, prompt_variants=start["prompt_variants"])
        return click.share(outcome.results, levels_html(outcome), levels=outcome.to_dict())

    wording = PageWording("levels", prompt_variants=MAX_PROMPT_VARIANTS)
    choices = [(load_construct(name).title, name) for name in construct_names()]
    section = PageSection(
        output="levels-output",
        text=wording.help,
        rows=[
            [
                wording.field("construct", value=start["construct"], choices=choices),
                wording.model(tab, (*WORD_VECTORS, *TEXT_MODELS), start=start["model"]),
            ]
        ],
        measurements=[wording.button("measure_levels", measure_levels)],
    )
    return KindPage(sections=[section])
