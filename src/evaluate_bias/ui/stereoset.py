"""The tab of items with three options: one item of the visitor's own, or the packaged items of one domain."""

from __future__ import annotations

from markupsafe import Markup

from ..api import measure
from ..data import kinds
from ..data.pair_schemas import BLANK, LABELS, StereoSetItem, fill_span
from ..data.schemas import parse_row
from ..data.stereoset import StereoSet, load_stereoset
from ..report.lines import model_name
from ..result import Result
from .fields import Values, column_fields
from .kind_page import Answer, Click, KindPage, PageSection, PageWording, Tab, methods_on
from .limits import sentence
from .parts import Note, ScrollTable, number, show

ALL_DOMAINS = "all domains"
_TYPED = ("context", "first", "second", "third")
"""Names of the fields of one item."""


def chosen_items(domain: str = ALL_DOMAINS) -> StereoSet:
    """The packaged items of one domain, or of all.

    Raises:
        UnknownNameError: there is no such domain.
    """
    return load_stereoset(bias_types=None if domain == ALL_DOMAINS else domain)


def typed_item(context: str, *options: str) -> StereoSetItem:
    """An item from what was typed: a context and what fills its BLANK, or, without BLANK, what follows it.

    Args:
        context: the context sentence.
        options: the stereotypical, the anti-stereotypical and the unrelated option.

    Raises:
        InputError: a text is empty or too long.

    Examples:
        >>> typed_item("The nurse was BLANK.", "kind", "strict", "oval").option("unrelated")
        'The nurse was oval.'
        >>> typed_item("He is a nurse.", "He is kind.", "He is strict.", "It rains.").task
        'intersentence'
    """
    context = sentence(context, "context")
    texts = [sentence(o, f"{label} option") for o, label in zip(options, LABELS, strict=True)]
    blank = BLANK in context
    return parse_row(
        StereoSetItem,
        {
            "task": "intrasentence" if blank else "intersentence",
            "target": "your target",
            "context": context,
            "sentences": [
                {"gold_label": label, "sentence": context.replace(BLANK, text) if blank else text}
                for label, text in zip(LABELS, texts, strict=True)
            ],
        },
        "your item",
    )


def options_of(item: StereoSetItem) -> list[str]:
    """The context of an item and its three options, as :func:`typed_item` takes them.

    Examples:
        >>> options_of(typed_item("The nurse was BLANK.", "kind", "strict", "oval"))
        ['The nurse was BLANK.', 'kind', 'strict', 'oval']
    """
    sentences = [item.option(label) for label in LABELS]
    if item.task == "intersentence":
        return [item.context, *sentences]
    return [item.context, *(s[slice(*(fill_span(item.context, s) or (0, None)))] for s in sentences)]


_VERDICTS = {
    "stereotype": "The model prefers the <strong>stereotypical</strong> to the anti-stereotypical option.",
    "anti-stereotype": "The model prefers the <strong>anti-stereotypical</strong> to the stereotypical option.",
    "tie": "The model prefers neither the stereotypical nor the anti-stereotypical option.",
}


def item_html(item: StereoSetItem, result: Result) -> str:
    """The options of one item from the likeliest to the least likely."""
    (row,) = result.rows_of("item")
    scores = {label: float(row.details[label.replace("-", "_")]) for label in LABELS}
    ordered = sorted(scores, key=lambda label: -scores[label])
    odd = "It does not find the unrelated option the least likely: it may not understand the sentence."
    return show(
        Note(Markup(_VERDICTS[row.details["verdict"]]), "finding"),
        Note("" if ordered[-1] == LABELS[-1] else odd, "warning"),
        ScrollTable(
            "Scores from log-probabilities: higher is likelier",
            [
                {"option": label, "text": item.option(label), "score": number(scores[label], 4)}
                for label in ordered
            ],
        ),
        Note(f"Scored with {model_name(result)}."),
        Note("One item shows how the method works; it says nothing about the model."),
        *(Note(w, "warning") for w in result.warnings),
    )


def items_page(tab: Tab) -> KindPage:
    """The tab of items: one of the visitor's own, and the packaged ones of a domain."""
    method = tab.method or methods_on(kinds.STEREOSET.name)[0]
    start = chosen_items()

    def examples(values: Values) -> tuple[list[tuple[str, str]], None]:
        return [(f"{item.target}: {item.context}", item.id) for item in chosen_items(values["domain"])], None

    def fill(values: Values) -> Values:
        item = next((i for i in start if i.id == values["example"]), None)
        return {} if item is None else dict(zip(_TYPED, options_of(item), strict=True))

    def measure_item(click: Click) -> Answer:
        item = typed_item(*(click.values[name] for name in _TYPED))
        with click.model() as model:
            result = measure(method.name, model, data=[item])
        return item_html(item, result), {"results": [result.to_dict()]}

    def measure_items(click: Click) -> Answer:
        items = chosen_items(click.values["domain"] or ALL_DOMAINS)
        with click.model() as model:
            return click.answer(measure(method.name, model, data=items))

    wording = PageWording("items")
    packaged = examples({"domain": ALL_DOMAINS})[0]
    domain = wording.field("domain", value=ALL_DOMAINS, choices=[ALL_DOMAINS, *start.bias_types])
    typed = column_fields(kinds.STEREOSET, ("context", "sentences"), "item", options_of(start[0]))
    sections = [
        PageSection(text=wording.help, rows=[[wording.model(tab), domain]]),
        PageSection(
            output="item-output",
            heading=("One item", "item-title"),
            rows=[[wording.field("example", choices=packaged, follow=examples)], *typed],
            measurements=[wording.button("measure_item", measure_item)],
        ),
        PageSection(
            output="items-output",
            heading=("The packaged items of the domain", "items-title"),
            measurements=[wording.button("measure_items", measure_items)],
        ),
    ]
    return KindPage(sections=sections, cascade=("domain", "example"), fill=fill, fills=_TYPED)
