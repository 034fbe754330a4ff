"""The tab of every other kind of data: words typed into fields, and a table, bars or pictures of what came out."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from ..api import measure
from ..data import kinds
from ..data.bec_pro import build_bec_pro
from ..data.professions import Profession, load_gendered_words, load_professions
from ..data.schemas import WORD_LISTS
from ..errors import InputError
from ..options import Option
from ..registry import MethodRecord
from ..result import Result
from .fields import Field
from .kind_page import Answer, Click, KindPage, PageSection, PageWording
from .limits import parse_words
from .tab import Tab

MAX_PROFESSIONS = 20
"""Each is put into 90 sentences."""
CLASSES = ("first", "second")
"""What the two classes of typed words are called."""
_QUICK = {"n_resamples": 1_999, "ci_resamples": 499}
"""Fewer resamples than the default, for methods whose every resample is a long computation."""


@dataclass(frozen=True, slots=True)
class Form:
    """What a visitor fills in for one kind of data.

    Attributes:
        fields: labels of the fields.
        start: what stands in them at first.
        rows: data for the method from the texts of the fields.
        options: options of the method that can be chosen, of those it has.
        quick: whether resamples are fewer than the default.
    """

    fields: tuple[str, ...]
    start: Callable[[MethodRecord], Sequence[str]]
    rows: Callable[[Sequence[str]], list[Any]]
    options: tuple[str, ...] = ()
    quick: bool = False


def numbered_words(text: str, name: str) -> dict[str, float]:
    """Read words with a number each, such as ``nurse 89.6``, separated by commas, semicolons or new lines.

    Raises:
        InputError: an entry has no number, or there are too many.

    Examples:
        >>> numbered_words("nurse 89.6, truck driver: 5", "occupations")
        {'nurse': 89.6, 'truck driver': 5.0}
    """
    found: dict[str, float] = {}
    for entry in parse_words(text, name):
        match = re.fullmatch(r"(.+?)[:=\s]\s*([-+]?\d+(?:\.\d+)?)", entry)
        if match is None:
            raise InputError(f"{name}: write a number after every word, as in 'nurse 89.6', not {entry!r}")
        found[match[1].rstrip(" :=")] = float(match[2])
    return found


def _lists(texts: Sequence[str]) -> list[Any]:
    lists = {c: parse_words(t, c.replace("_", " ")) for c, t in zip(WORD_LISTS, texts, strict=True)}
    return [{"name": "your lists", "language": "en", **lists}]


def _start_lists(record: MethodRecord) -> list[str]:
    test = record.load_data()[0]
    return [", ".join(getattr(test, column)) for column in WORD_LISTS]


def _classed(texts: Sequence[str]) -> list[Any]:
    groups = zip(CLASSES, texts, strict=False)
    rows: list[Any] = [
        {"word": word, "group": group}
        for group, text in groups
        for word in parse_words(text, f"{group} protected words")
    ]
    numbers = numbered_words(texts[2], "words to evaluate")
    return rows + [{"word": word, "statistic": value} for word, value in numbers.items()]


def _start_classed(record: MethodRecord) -> list[str]:
    rows = record.load_data()
    classes = [", ".join(w.word for w in rows if w.group == group) for group in ("female", "male")]
    return [*classes, ", ".join(f"{w.word} {w.statistic}" for w in rows if not w.group)]


def _professions(texts: Sequence[str]) -> list[Any]:
    found = []
    groups: tuple[Literal["female", "male"], ...] = ("female", "male")
    for group, text in zip(groups, texts, strict=True):
        words = parse_words(text, f"{group} professions")
        if len(words) > MAX_PROFESSIONS:
            raise InputError(
                f"{group} professions: {len(words)} are more than the {MAX_PROFESSIONS} this page takes"
            )
        found += [
            Profession(profession=w, word=w, masculine=w, feminine=w, group=group, language="en")
            for w in words
        ]
    return list(build_bec_pro(found, "en"))


def _start_professions(record: MethodRecord) -> list[str]:
    known = load_professions(list="bec-pro")
    return [", ".join([p.profession for p in known if p.group == g][:5]) for g in ("female", "male")]


def _persons(texts: Sequence[str]) -> list[Any]:
    women, men = (parse_words(t, f"words for {who}") for t, who in zip(texts, ("women", "men"), strict=True))
    if len(women) != len(men):
        raise InputError(f"give as many words for women as for men, not {len(women)} and {len(men)}")
    return [
        {"female": f, "male": m, "kind": "name" if f[0].isupper() and m[0].isupper() else "person"}
        for f, m in zip(women, men, strict=True)
    ]


def _start_persons(record: MethodRecord) -> list[str]:
    pairs = load_gendered_words(kinds=("kinship", "name"))
    return [", ".join(getattr(p, who) for p in pairs) for who in ("female", "male")]


FORMS: Mapping[str, Form] = {
    kinds.OCCUPATION_TEST.name: Form(
        ("First targets X", "Second targets Y", "First attributes A", "Second attributes B"),
        _start_lists,
        _lists,
        ("subset_size",),
        quick=True,
    ),
    kinds.WSV_WORDS.name: Form(
        ("First protected words", "Second protected words", "Words to evaluate, each with its number"),
        _start_classed,
        _classed,
        ("n_features",),
        quick=True,
    ),
    kinds.BEC_PRO.name: Form(("Female professions", "Male professions"), _start_professions, _professions),
    kinds.GENDERED_WORDS.name: Form(
        ("Words for women", "Words for men"), _start_persons, _persons, ("variant",)
    ),
    kinds.OCCUPATIONS.name: Form(
        ("Occupations",),
        lambda record: [", ".join(o.word for o in record.load_data())],
        lambda texts: [{"word": word} for word in parse_words(texts[0], "occupations")],
    ),
}
"""The forms by kind of data."""


def run_form(record: MethodRecord, model: Any, texts: Sequence[str], chosen: Mapping[str, Any]) -> Result:
    """Measure what was typed into the fields of the form of a method's kind of data, with the options chosen there.

    Raises:
        InputError: a field is empty or too long, or is not what it asks for.
        BiasError: whatever the method raises.
    """
    form = FORMS[record.data.name]
    known = record.options()
    quick = {name: value for name, value in _QUICK.items() if form.quick and name in known}
    named: dict[str, Any] = {"groups": CLASSES} if form.rows is _classed and "groups" in known else {}
    return measure(record.name, model, data=form.rows(texts), **quick, **named, **chosen)


def _field_name(label: str) -> str:
    """What callers from outside the page call a field.

    Examples:
        >>> _field_name("First targets X")
        'first_targets_x'
    """
    return re.sub(r"\W+", "_", label.partition(",")[0].lower()).strip("_")


def form_page(tab: Tab, prefix: str = "table") -> KindPage:
    """The tab of a method whose data are made of typed words."""
    record = tab.only
    form, known = FORMS[record.data.name], record.options()
    wording = PageWording("form", prefix, title=record.title, summary=record.summary)
    tall = {"lines": 3, "max_lines": 8}
    texts = [
        Field(
            name=_field_name(label),
            label=label,
            elem_id=f"{prefix}-{i}",
            widget="lines",
            value=text,
            more=tall,
        )
        for i, (label, text) in enumerate(zip(form.fields, form.start(record), strict=True))
    ]
    options = [_option_field(name, known[name], wording) for name in form.options if name in known]

    def measure_form(click: Click) -> Answer:
        given = {option.name: click.values[option.name] for option in options}
        whole = {option.name for option in options if option.widget == "number"}
        chosen = {n: int(v) if n in whole else v for n, v in given.items() if v is not None}
        with click.model() as model:
            typed = [click.values[field.name] for field in texts]
            return click.answer(run_form(record, model, typed, chosen))

    reads = ["model", *(field.name for field in (*texts, *options))]
    section = PageSection(
        output=f"{prefix}-output",
        rows=[[wording.model(tab), *options], texts],
        measurements=[wording.button("measure", measure_form, endpoint=tab.endpoint("measure"), reads=reads)],
    )
    return KindPage(sections=[section])


def _option_field(name: str, option: Option, wording: PageWording) -> Field:
    """The field of an option: a number, or a choice among names."""
    choices = get_args(option.kind)
    if choices and int not in choices:
        return wording.field(name, value=option.default, choices=choices)
    return wording.field(name, widget="number", value=option.default, more={"precision": 0})
