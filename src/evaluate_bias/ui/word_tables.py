"""The tab of every other kind of data: words typed into fields, and a table, bars or pictures of what came out."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, Literal, get_args

from ..api import measure
from ..data import kinds
from ..data.bec_pro import build_bec_pro
from ..data.professions import Profession, load_gendered_words, load_professions
from ..data.schemas import WORD_LISTS
from ..errors import InputError
from ..registry import MethodRecord, get_method
from ..result import Result, Row
from .handlers import on_click
from .limits import MAX_SENTENCE, MAX_WORDS, parse_words
from .outcome import groups_table, measured, pictures, remarks, score_tiles, secondary_table, verdict
from .parts import Bars, Part, Table, Verdict, number, short, show
from .tab import Tab, choice, model_box, text_box

__all__ = ["FORMS", "Form", "numbered_words", "run_form", "table_html", "table_tab"]

MAX_PROFESSIONS = 20
"""Each is put into 90 sentences."""
MAX_PROMPTS = 40
FILLS_SHOWN = 5
_QUICK = {"n_resamples": 1_999, "ci_resamples": 499}
"""Fewer resamples than the default, for methods whose every resample is a long computation."""
_OPTIONS = {
    "n_features": "Features to keep",
    "subset_size": "Words of each list in a subset",
    "variant": "Variant",
}


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
    groups = zip(("first", "second"), texts, strict=False)
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


def _questions(texts: Sequence[str]) -> list[Any]:
    names = ("a", "b", "c", "expected")
    columns = [parse_words(t, f"words {name}") for name, t in zip(names, texts, strict=True)]
    if len({len(column) for column in columns}) > 1:
        raise InputError(
            f"give one word per question in each field, not {', '.join(str(len(c)) for c in columns)}"
        )
    rows = [dict(zip(names, words, strict=True)) for words in zip(*columns, strict=True)]
    return [{**row, "expected": [row["expected"]]} for row in rows]


def _start_questions(record: MethodRecord) -> list[str]:
    rows = record.load_data()[:8]
    columns = zip(*((q.a, q.b, q.c, q.expected[0]) for q in rows), strict=True)
    return [", ".join(column) for column in columns]


def _predictions(texts: Sequence[str]) -> list[Any]:
    names = ("predictions", "references", "groups")
    columns = [parse_words(text, name) for name, text in zip(names, texts, strict=True)]
    if len({len(column) for column in columns}) > 1:
        raise InputError(
            f"give as many predictions as references and groups, not {', '.join(str(len(c)) for c in columns)}"
        )
    return [dict(zip(names, labels, strict=True)) for labels in zip(*columns, strict=True)]


def _start_predictions(record: MethodRecord) -> list[str]:
    rows = record.load_data()
    classes = sorted({row.references for row in rows})[-2:]
    shown = [row for row in rows if row.references in classes]
    return [", ".join(getattr(row, c) for row in shown) for c in ("predictions", "references", "groups")]


def _lines(text: str | None, name: str) -> list[str]:
    """Read sentences, one a line.

    Raises:
        InputError: there is none, there are too many, or one is too long.
    """
    found = [line.strip() for line in (text or "").splitlines() if line.strip()]
    if not 0 < len(found) <= MAX_WORDS:
        raise InputError(f"{name}: type 1 to {MAX_WORDS} of them, one a line, not {len(found)}")
    if max(map(len, found)) > MAX_SENTENCE:
        raise InputError(f"{name}: a line is longer than {MAX_SENTENCE} characters")
    return found


_PRONOUN_FIELDS = {
    "sentence_female": "Sentences with a female pronoun, one a line",
    "sentence_male": "The same with a male pronoun",
    "stereotype": "Whom a stereotype expects, female or male",
    "profession": "The person the pronoun stands for",
}


def _pronoun_pairs(texts: Sequence[str]) -> list[Any]:
    labels = _PRONOUN_FIELDS.values()
    columns = [_lines(text, label) for label, text in zip(labels, texts, strict=True)]
    if len({len(column) for column in columns}) > 1:
        raise InputError(
            f"give as many lines in each field, not {', '.join(str(len(column)) for column in columns)}"
        )
    return [dict(zip(_PRONOUN_FIELDS, row, strict=True)) for row in zip(*columns, strict=True)]


def _start_pronoun_pairs(record: MethodRecord) -> list[str]:
    rows = record.load_data(source=None)
    return ["\n".join(getattr(row, column) for row in rows) for column in _PRONOUN_FIELDS]


def _prompts(texts: Sequence[str]) -> list[Any]:
    rows: list[Any] = []
    for group, text in zip(("first", "second"), texts, strict=True):
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        if len(lines) > MAX_PROMPTS:
            raise InputError(
                f"{group} sentences: {len(lines)} are more than the {MAX_PROMPTS} this page takes"
            )
        rows += [{"prompt": line, "group": group, "template": str(k)} for k, line in enumerate(lines)]
    return rows


def _start_prompts(record: MethodRecord) -> list[str]:
    first: dict[tuple[str, str], str] = {}
    for p in record.load_data():
        first.setdefault((p.group, p.template), p.prompt)
    return ["\n".join(t for (g, _), t in first.items() if g == group) for group in ("female", "male")]


FORMS: Mapping[str, Form] = {
    kinds.PRONOUN_PAIRS.name: Form(
        tuple(_PRONOUN_FIELDS.values()), _start_pronoun_pairs, _pronoun_pairs, quick=True
    ),
    kinds.PREDICTIONS.name: Form(
        ("Predictions, one per row", "True classes", "Groups"), _start_predictions, _predictions
    ),
    kinds.COMPLETIONS.name: Form(
        (
            "Sentences about the first group, one per line, each with a blank [M]",
            "The same sentences about the second group",
        ),
        _start_prompts,
        _prompts,
    ),
    kinds.ANALOGIES.name: Form(
        ("Words a (a is to b as c is to …)", "Words b", "Words c", "Expected words, one per question"),
        _start_questions,
        _questions,
    ),
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
    return measure(record.name, model, data=form.rows(texts), **quick, **chosen)


def table_html(result: Result) -> str:
    """What a visitor reads about a result of any method: sentence, tiles, pictures, every row."""
    return show(
        Verdict(verdict(result)),
        *measured(result),
        score_tiles(result),
        *_items(result),
        *pictures(result),
        secondary_table(result),
        groups_table(result),
        *remarks(result),
    )


def _items(result: Result) -> list[Part]:
    """Bars where a score has two sides, a table of the texts behind it where it has one."""
    rows = sorted((r for r in result.rows_of("item") if r.score is not None), key=lambda r: -(r.score or 0.0))
    name, ideal = get_method(result.method).score_name, short(result.ideal)
    if not rows:
        return []
    if result.direction == "two_sided":
        groups = list(dict.fromkeys(_group(r) for r in rows))
        keys = dict(zip(groups, ("1", "2"), strict=False)) if all(groups) else {}
        bars = [(r.name, keys.get(_group(r), "0"), float(r.score or 0.0) - result.ideal) for r in rows]
        series = {key: f"{group} group" for group, key in keys.items()}
        what = f"Every row: {name} less {ideal}, its ideal value"
        return [Bars(what, f"below {ideal}", f"above {ideal}", series, bars)]
    cells = [{"": r.details.get("template", r.name), "score": number(r.score), **_fills(r)} for r in rows]
    low, high = result.score_range
    return [Table(f"Every row: {name}, from {short(low, '−')} to {short(high)}, ideal {ideal}", cells)]


def _group(row: Row) -> str:
    """The group that an item belongs to, in a word; empty when it says none."""
    return next((str(v) for k, v in row.details.items() if k.endswith(("gender", "group"))), "")


def _fills(row: Row) -> dict[str, str]:
    """The words that a model filled in most differently: how many words of either gender get each."""
    if "fills" not in row.details:
        return {}
    told = [
        f"{f['fill']} ({f['female']} to {f['male']}{', significant' if f['significant'] else ''})"
        for f in row.details["fills"][:FILLS_SHOWN]
    ]
    return {"fills: words for women to words for men that get each": ", ".join(told)}


def table_tab(tab: Tab) -> None:
    """Build the tab inside the page that is being built."""
    import gradio as gr

    assert tab.method is not None
    record, form = tab.method, FORMS[tab.method.data.name]
    options = {name: option for name, option in record.options().items() if name in form.options}
    choices = {name: get_args(option.kind) for name, option in options.items()}
    numeric = {name for name, kinds in choices.items() if not kinds or int in kinds}

    def measure_form(progress: Any = gr.Progress(), *filled: Any) -> str:
        session, model, *values = filled if record.needs else (filled[0], None, *filled[1:])
        texts, given = values[: len(form.fields)], values[len(form.fields) :]
        chosen = {
            n: int(v) if n in numeric else v for n, v in zip(options, given, strict=True) if v is not None
        }
        with tab.lent(model, progress) if record.needs else nullcontext() as lent:
            result = run_form(record, lent, texts, chosen)
        session.add([result])
        return table_html(result)

    with gr.Row():
        models = [model_box(tab, (), "table")] if record.needs else []
        controls = [
            gr.Number(option.default, label=_OPTIONS[name], precision=0, elem_id=f"table-{name}")
            if name in numeric
            else choice(_OPTIONS[name], f"table-{name}", choices[name], option.default)
            for name, option in options.items()
        ]
    with gr.Row():
        boxes = [
            text_box(label, f"table-{i}", text, lines=3, max_lines=8)
            for i, (label, text) in enumerate(zip(form.fields, form.start(record), strict=True))
        ]
    run = gr.Button("Measure", variant="primary", elem_id="table-run")
    output = gr.HTML(elem_id="table-output")
    on_click(run, measure_form, [tab.session, *models, *boxes, *controls], output, api_name="measure")
