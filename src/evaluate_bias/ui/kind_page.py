"""What a tab over a kind of data consists of, as small values; :mod:`~.build_tab` makes the tab of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from string import Template
from typing import Any, Literal, TypeAlias

from ..errors import InputError
from ..experiments.export import csv_text
from ..registry import METHODS, MethodRecord
from ..result import Result
from .fields import Field, Values
from .limits import REQUEST_SECONDS, Deadline
from .outcome import result_page
from .parts import Links, page_defaults, read_texts, show, text_link
from .pool import ModelPool, kinds_for, model_choices
from .session import Session
from .uploads import uploaded_vectors

_OF_TEXTS = "counts words"


def methods_on(kind: str) -> tuple[MethodRecord, ...]:
    """The methods that take a kind of data and a model."""
    return tuple(r for r in METHODS.values() if r.data.name == kind and not counts_words(r))


def counts_words(record: MethodRecord) -> bool:
    """Whether a method measures a text rather than a model."""
    return record.needs == (_OF_TEXTS,)


def offered(records: Iterable[MethodRecord], name: str | None) -> MethodRecord:
    """The one of some methods that has a name.

    Raises:
        InputError: none has.
    """
    for record in records:
        if record.name == name:
            return record
    raise InputError("choose one of the methods that the page offers", option="method")


def quick_options(record: MethodRecord) -> dict[str, Any]:
    """Options for methods whose defaults take longer than a visitor waits."""
    options: dict[str, Any] = page_defaults()["quick"].get(record.name, {}).get("options", {})
    return options


@dataclass(frozen=True, slots=True)
class Tab:
    """A tab of a page.

    Attributes:
        pool: where models come from.
        session: gradio's state that holds the visitor's :class:`~.session.Session`.
        method: the only method that it offers; ``None`` for all that take its kind of data.
        seconds: time for one request.
        names_method: whether the names of endpoints say the method, as where several methods are on one page.
    """

    pool: ModelPool
    session: Any
    method: MethodRecord | None = None
    seconds: float = REQUEST_SECONDS
    names_method: bool = False

    def endpoint(self, name: str) -> str:
        """The name of an endpoint for callers from outside the page."""
        return f"{name}_{self.method.name}" if self.names_method and self.method is not None else name

    @property
    def only(self) -> MethodRecord:
        """The only method, of a tab that has one."""
        assert self.method is not None
        return self.method

    @property
    def needs(self) -> tuple[str, ...]:
        """What the tab's only method needs of a model; nothing where it offers several."""
        return () if self.method is None else self.method.needs


Answer: TypeAlias = tuple[str, dict[str, Any]]
"""What a click is answered with: HTML, and the same as data."""


class Click:
    """One click on a button that measures.

    Attributes:
        values: what stood in the fields.
        deadline: the time that it may take.
    """

    def __init__(self, tab: Tab, session: Session, values: Values, progress: Any) -> None:
        self.values = values
        self.deadline = Deadline(tab.seconds, show=lambda share, doing: progress(share, desc=doing))
        self._tab, self._session = tab, session

    @property
    def upload(self) -> str | None:
        """The visitor's upload, ``None`` where none is wanted.

        Raises:
            InputError: one is wanted and there is none, as after one that was refused.
        """
        path: str | None = self.values.get("upload")
        if self.values.get("own") and not path:
            raise InputError(
                "your file has not arrived", hint="upload it again, or untick the box that says to use it"
            )
        return path

    def model(self) -> AbstractContextManager[Any]:
        """Borrow the model that the visitor named."""
        return self._tab.pool.borrow(self.values.get("model") or "", self.deadline)

    def model_or_vectors(self) -> AbstractContextManager[Any]:
        """Borrow the word vectors that the visitor uploaded, or else the model that they named."""
        path = self.upload
        return self._tab.pool.borrow_upload(path, uploaded_vectors, self.deadline) if path else self.model()

    def answer(self, result: Result, rows: Sequence[Any] = ()) -> Answer:
        """Show a result, keep it in the visitor's session, and offer it as files."""
        return self.keep([result], result_page(result, rows))

    def keep(self, results: Sequence[Result], html: str, **more: Any) -> Answer:
        """The same for several results, with a page of them and further facts for the data."""
        import pandas as pd

        if not results:
            return html, {"results": [], **more}
        self._session.add(results)
        lines = "".join(f"{result.to_json()}\n" for result in results)
        frames = [result.to_frame() for result in results]
        rows = [
            f if "method" in f else f.assign(method=r.method) for f, r in zip(frames, results, strict=True)
        ]
        links = Links(
            [
                text_link("results.jsonl", lines, "application/x-ndjson", "JSON lines"),
                text_link(
                    "rows.csv", csv_text(pd.concat(rows, ignore_index=True)), "text/csv", "CSV of the rows"
                ),
            ]
        )
        return html + show(links), {"results": [_no_file(r.to_dict()) for r in results], **more}


def _no_file(value: Any) -> Any:
    """The same with another key for ``path``: gradio's client would fetch the file that it takes the value for."""
    if isinstance(value, dict):
        return {"file" if key == "path" else key: _no_file(inner) for key, inner in value.items()}
    return [_no_file(inner) for inner in value] if isinstance(value, list) else value


@dataclass(frozen=True, slots=True, kw_only=True)
class Button:
    """A button.

    Attributes:
        button: what it says.
        elem_id: its id on the page.
        primary: whether it is the main button of its section.
    """

    button: str
    elem_id: str
    primary: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PageMeasurement(Button):
    """A button that measures.

    Attributes:
        endpoint: its name for callers from outside the page.
        about: what they are told of it.
        reads: names of the fields that it needs, in the order that callers give them.
        measure: what it does.
        at_once: how many visitors compute, where no pool of models bounds that.
    """

    endpoint: str
    about: str
    reads: Sequence[str]
    measure: Callable[[Click], Answer]
    at_once: int | Literal["default"] = "default"
    primary: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Filler(Button):
    """A button that fills fields.

    Attributes:
        values: what to fill in, by the names of fields.
        fills: those names.
        measures: whether the section's first measurement follows, as of an example.
    """

    values: Callable[[], Values]
    fills: Sequence[str]
    measures: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PageSection:
    """A part of a tab: fields, buttons, and where their results go.

    Attributes:
        output: id of the place of the results; empty where nothing is measured.
        heading: what it is called, with the id of that.
        text: a paragraph above the fields, with its id.
        examples: buttons above the fields.
        rows: fields side by side.
        measurements: buttons below them.
        fillers: buttons beside those.
    """

    output: str = ""
    heading: tuple[str, str] = ("", "")
    text: tuple[str, str] = ("", "")
    examples: Sequence[Filler] = ()
    rows: Sequence[Sequence[Field]] = ()
    measurements: Sequence[PageMeasurement] = ()
    fillers: Sequence[Filler] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class KindPage:
    """The tab of a kind of data.

    Attributes:
        sections: its parts.
        cascade: names of drop-downs, of which a choice in one is followed by all after it that have a
            :attr:`~.fields.Field.follow`.
        leads: names of those that are followed; all where none is given.
        fill: what a choice puts into other fields, from the values of the cascade; by name, nothing for no change.
        fills: names of those fields.
    """

    sections: Sequence[PageSection]
    cascade: Sequence[str] = ()
    leads: Sequence[str] = ()
    fill: Callable[[Values], Values] = field(default=lambda values: {})
    fills: Sequence[str] = ()


OPTION_FIELDS: Mapping[str, str] = {
    **{
        name: name
        for name in ("language", "prompt_variants", "scoring", "smoothing", "source", "tests", "window")
    },
    "bias_type": "bias_types",
    "items": "limit",
    "test": "tests",
    "texts": "k",
}
"""Fields that are options, by their names on the page, with the names that they have everywhere."""


class PageWording:
    """What a tab calls its fields and buttons, from ``tabs.json``.

    Args:
        name: name of the tab there.
        prefix: what the ids of its parts begin with; by default its name.
        methods: the methods that it offers.
        names: what stands for the words with a dollar sign.
    """

    def __init__(
        self, name: str, prefix: str = "", methods: Sequence[MethodRecord] = (), **names: object
    ) -> None:
        self._texts = read_texts("tabs")[name]
        self._prefix, self._methods = prefix or name, methods
        self._names = {"methods": ", ".join(record.name for record in methods), **names}

    def text(self, template: str) -> str:
        """A text with its names filled in."""
        return Template(template).safe_substitute(self._names)

    @property
    def help(self) -> tuple[str, str]:
        """The paragraph above the fields, with its id."""
        return self.text(self._texts["help"]), f"{self._prefix}-help"

    def field(self, name: str, *, label: str = "", **rest: Any) -> Field:
        """A field of the tab; ``rest`` are further attributes of :class:`~.fields.Field`.

        A field that is an option of :func:`evaluate_bias.measure` is labelled with the option's name, as errors call
        it; the text on it stands below.
        """
        elem_id = self._texts.get("ids", {}).get(name, f"{self._prefix}-{name}")
        label = label or self.text(self._texts["labels"][name])
        if option := OPTION_FIELDS.get(name):
            rest["more"] = {"info": label, **rest.get("more", {})}
            label = option
        return Field(name=name, label=label, elem_id=elem_id, **rest)

    def method(self, start: str = "") -> Field:
        """The field that names one of the methods, hidden where there is only one."""
        choices = [(record.title, record.name) for record in self._methods]
        more = {"visible": len(choices) > 1}
        return self.field("method", value=start or choices[0][1], choices=choices, more=more)

    def button(self, name: str, measure: Callable[[Click], Answer], **rest: Any) -> PageMeasurement:
        """A button that measures; ``rest`` are further attributes of :class:`Measurement`."""
        texts = self._texts["buttons"][name]
        defaults = {
            "elem_id": texts.get("id", f"{self._prefix}-run"),
            "endpoint": name,
            "reads": texts.get("reads", ()),
        }
        about = self.text(texts["about"])
        return PageMeasurement(**{**defaults, **rest}, button=texts["text"], about=about, measure=measure)

    def model(
        self, tab: Tab, kinds: Sequence[str] = (), *, none: str = "", start: str = "", follow: Any = None
    ) -> Field:
        """The field that names a model: those of some kinds, or those that fit the tab's only method.

        ``none`` is what no model is called, where the data may hold what one would have answered; ``start`` is the
        model that the page begins with, by default that of the method.
        """
        needs, models = tab.needs, page_defaults()["models"]
        fitting = tuple(kinds) if tab.method is None else kinds_for(needs)
        choices = model_choices(fitting, installed=tab.method is None)
        value = start or next((models[need] for need in needs if need in models), None)
        if (mine := tab.pool.users_model) is not None and {*mine.kinds} & {*fitting}:
            others = [choice for choice in choices if choice[1] != mine.name]
            choices, value = [(f"{mine.name} (yours)", mine.name), *others], mine.name
        if none:
            choices = [*choices, (none, "")]
        value = value or (choices[0][1] if choices else None)
        label = f"{self._texts['labels']['model']} (or type a Hub id)"
        more = {"allow_custom_value": True, "visible": tab.method is None or bool(needs)}
        return self.field("model", label=label, value=value, choices=choices, follow=follow, more=more)

    def upload(self, types: Sequence[str], *, visible: bool = True) -> list[list[Field]]:
        """The box to tick for using an upload, and the field for it, which is there when the box is ticked."""
        return [
            [self.field("own", widget="check", value=False, more={"visible": visible})],
            [self.field("upload", widget="file", more={"visible": False, "file_types": list(types)})],
        ]
