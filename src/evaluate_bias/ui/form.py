"""A tab of a page while it is built: its fields by name, what follows a choice, and the buttons that measure."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from string import Template
from typing import Any, Literal, TypeAlias

from ..data.kinds import DataKind
from ..errors import InputError
from ..experiments.export import csv_text
from ..registry import METHODS, MethodRecord
from ..result import Result
from .guard import REQUEST_SECONDS, Deadline, uploaded_vectors
from .outcome import result_page
from .parts import links, note, page_defaults, read_texts
from .pool import ModelPool, kinds_for, model_choices
from .session import Session, wrap_errors

_OF_TEXTS = "counts words"
_FIELD_WIDTH = 260
"""Pixels. Narrower fields move below each other."""
_USUAL: Mapping[str, Mapping[str, Any]] = {
    "Dropdown": {"min_width": _FIELD_WIDTH},
    "Textbox": {"min_width": _FIELD_WIDTH},
    "Dataframe": {"type": "pandas", "interactive": True, "wrap": True, "max_height": 380},
}
"""What all components of a kind have in common here."""

# Scrolls to a result that starts below the window or near its end, as on a phone. An open list would be left
# behind, out of reach.
_GO_TO = """() => setTimeout(() => {
    if (document.querySelector("[role=listbox]")) return;
    const output = document.getElementById("%s"), top = output.getBoundingClientRect().top;
    if (top < 0 || top > window.innerHeight / 2) output.scrollIntoView();
}, 100)"""
# What a screen reader says of it: what was found, or why nothing was, and not every table.
_SAY = """() => {
    const told = document.querySelector("#told [role=status]");
    told.textContent = "";
    setTimeout(() => {
        const parts = [...document.querySelectorAll("#%s :is(.eb-finding, .eb-warning)")];
        told.textContent = parts.map(part => part.innerText).join(" ") || "The result is on the page.";
    }, 100);
}"""

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

Values: TypeAlias = Mapping[str, Any]
"""The values of fields, by their names."""
Answer: TypeAlias = tuple[str, Any]
"""What a click is answered with: HTML, and the same as data."""


def counts_words(record: MethodRecord) -> bool:
    """Return True if a method measures a text rather than a model."""
    return record.needs == (_OF_TEXTS,)


def methods_on(kind: str) -> tuple[MethodRecord, ...]:
    """Return the methods that accept a kind of data and a model."""
    return tuple(r for r in METHODS.values() if r.data.name == kind and not counts_words(r))


def offered(records: Iterable[MethodRecord], name: str | None) -> MethodRecord:
    """Return the method of this name.

    Raises:
        InputError: none of the methods has it.
    """
    for record in records:
        if record.name == name:
            return record
    raise InputError("choose one of the methods that the page offers", option="method")


def quick_options(record: MethodRecord) -> dict[str, Any]:
    """Return options for methods whose defaults need longer than a visitor waits."""
    options: dict[str, Any] = page_defaults()["quick"].get(record.name, {}).get("options", {})
    return options


@dataclass(frozen=True, slots=True)
class Tab:
    """A tab of a page.

    Attributes:
        pool: where models come from.
        session: gradio's state that contains the visitor's :class:`~.session.Session`.
        method: the only method that it offers, or ``None`` for all methods that accept its kind of data.
        seconds: time for one request.
        names_method: whether the names of endpoints include the method, which they need if several methods are on
            one page.
    """

    pool: ModelPool
    session: Any
    method: MethodRecord | None = None
    seconds: float = REQUEST_SECONDS
    names_method: bool = False


class Click:
    """One click on a button that measures.

    Attributes:
        values: the values of the fields.
        session: what the visitor has measured.
        deadline: the time that it may take.
    """

    def __init__(self, tab: Tab, session: Session, values: Values, progress: Any) -> None:
        self.values, self.session = values, session
        self.deadline = Deadline(tab.seconds, show=lambda share, doing: progress(share, desc=doing))
        self._pool = tab.pool

    @property
    def upload(self) -> str | None:
        """The visitor's upload, or ``None`` if none is wanted.

        Raises:
            InputError: one is wanted and is missing, such as after one that was refused.
        """
        path: str | None = self.values.get("upload")
        if self.values.get("own") and not path:
            raise InputError(
                "your file has not arrived", hint="upload it again, or untick the box that says to use it"
            )
        return path

    def model(self) -> AbstractContextManager[Any]:
        """Borrow the model that the visitor named."""
        return self._pool.borrow(self.values.get("model") or "", self.deadline)

    def model_or_vectors(self) -> AbstractContextManager[Any]:
        """Borrow the word vectors that the visitor uploaded, or else the model that they named."""
        path = self.upload
        return self._pool.borrow_upload(path, uploaded_vectors, self.deadline) if path else self.model()

    def answer(self, result: Result, rows: Sequence[Any] = ()) -> Answer:
        """Show a result, keep it in the visitor's session, and offer it as files."""
        return self.keep([result], result_page(result, rows))

    def keep(self, results: Sequence[Result], html: str, **more: Any) -> Answer:
        """Do the same for several results, with a page of them and further facts for the data."""
        import pandas as pd

        if not results:
            return html, {"results": [], **more}
        self.session.add(results)
        lines = "".join(f"{result.to_json()}\n" for result in results)
        frames = [result.to_frame() for result in results]
        rows = [
            f if "method" in f else f.assign(method=r.method) for f, r in zip(frames, results, strict=True)
        ]
        table = csv_text(pd.concat(rows, ignore_index=True))
        files = links(
            ("results.jsonl", lines, "application/x-ndjson", "JSON lines"),
            ("rows.csv", table, "text/csv", "CSV of the rows"),
        )
        return html + files, {"results": [_rename_path(r.to_dict()) for r in results], **more}


def _rename_path(value: Any) -> Any:
    """Return the same with another key for ``path``: gradio's client would fetch the file that it takes it for."""
    if isinstance(value, dict):
        return {"file" if key == "path" else key: _rename_path(inner) for key, inner in value.items()}
    return [_rename_path(inner) for inner in value] if isinstance(value, list) else value


class Form:
    """The fields of a tab, each drawn at the place where it is named, and what fills and reads them.

    Gradio's drop-down reports a choice twice, and reports one even if a visitor only passes through it. An answer
    to that would undo what they have typed meanwhile, so only a new value is answered.

    Args:
        tab: the tab.
        name: where ``tabs.json`` has its texts.
        prefix: the ids of its parts begin with it, by default the name.
        methods: the methods that it offers.
        names: what replaces the words with a dollar sign in the texts.

    Attributes:
        fields: gradio's components, by the names that handlers and callers from outside the page use.
    """

    def __init__(
        self, tab: Tab, name: str, prefix: str = "", methods: Sequence[MethodRecord] = (), **names: object
    ) -> None:
        import gradio as gr

        self.fields: dict[str, Any] = {}
        self._tab, self._texts, self._methods = tab, read_texts("tabs")[name], methods
        self._prefix = prefix or name
        self._names = {"methods": ", ".join(record.name for record in methods), **names}
        self._known = gr.State({})

    def help(self) -> None:
        """Draw the paragraph that says what the tab is for."""
        import gradio as gr

        gr.Markdown(self._fill_in(self._texts["help"]), elem_id=f"{self._prefix}-help")

    def _fill_in(self, template: str) -> str:
        return Template(template).safe_substitute(self._names)

    def field(
        self, name: str, component: str = "Dropdown", *, value: Any = None, label: str = "", **options: Any
    ) -> Any:
        """Draw a field.

        A field that is an option of :func:`evaluate_bias.measure` is labelled with the option's name, as errors call
        it, and its text is below that.

        Args:
            name: its name.
            component: gradio's class.
            value: its value at first.
            label: its text, by default the label of ``tabs.json``.
            options: of the component.
        """
        import gradio as gr

        label = label or self._fill_in(self._texts["labels"][name])
        if option := OPTION_FIELDS.get(name):
            options, label = {"info": label, **options}, option
        options = {**_USUAL.get(component, {}), **options}
        elem_id = self._texts.get("ids", {}).get(name, f"{self._prefix}-{name}")
        self.fields[name] = getattr(gr, component)(value=value, label=label, elem_id=elem_id, **options)
        return self.fields[name]

    def method(self, start: str = "") -> None:
        """Draw the field that names one of the methods, hidden if there is only one."""
        choices = [(record.title, record.name) for record in self._methods]
        self.field("method", value=start or choices[0][1], choices=choices, visible=len(choices) > 1)

    def model(
        self,
        kinds: Sequence[str] = (),
        *,
        none: str = "",
        needless: bool = False,
        more: Sequence[tuple[str, str]] = (),
    ) -> Any:
        """Draw the field that names a model: one of some kinds, or one that fits the tab's only method.

        Args:
            kinds: kinds of models.
            none: the label for no model, if the data may contain what a model would have answered.
            needless: whether the data that the page starts with do.
            more: further choices.
        """
        record, models = self._tab.method, page_defaults()["models"]
        needs = () if record is None else record.needs
        kinds = kinds if record is None else kinds_for(needs)
        choices = [*model_choices(tuple(kinds), installed=record is None), *more]
        value = next((models[need] for need in needs if need in models), None)
        mine, my_kinds = self._tab.pool.own_model
        if {*my_kinds} & {*kinds}:
            choices = [(f"{mine} (yours)", mine), *(c for c in choices if c[1] != mine)]
            value = mine
        if none:
            choices = [*choices, (none, "")]
            value = "" if needless else value
        if value is None and choices:
            value = choices[0][1]
        label = f"{self._texts['labels']['model']} (or type a Hub id)"
        visible = record is None or bool(needs)
        return self.field(
            "model", label=label, value=value, choices=choices, allow_custom_value=True, visible=visible
        )

    def columns(
        self, kind: DataKind, columns: Sequence[str], texts: Sequence[Any], required: Sequence[str]
    ) -> None:
        """Draw fields for one row of a kind of data, two side by side, with the texts that are in them at first."""
        import gradio as gr

        known, cells = page_defaults()["columns"], list(zip(columns, texts, strict=True))
        for i in range(0, len(cells), 2):
            with gr.Row():
                for column, text in cells[i : i + 2]:
                    name, about = known[column]
                    words = kind.columns[column].holds == "words"
                    self.field(
                        name,
                        "Textbox",
                        label=column if column in required else f"{column} (may be empty)",
                        value=text,
                        info=about,
                        **({"lines": 2, "max_lines": 6} if words else {}),
                    )

    def upload(self, types: Sequence[str], *, visible: bool = True) -> None:
        """Draw the box to tick for using an upload, and the field for it, which is there when the box is ticked."""
        import gradio as gr

        self.field("own", "Checkbox", value=False, visible=visible)
        self.field("upload", "File", visible=False, file_types=list(types))
        self.on_choice(
            "own", lambda values: {"upload": gr.update(value=None, visible=values["own"])}, (), ["upload"]
        )

    def button(self, name: str, variant: str = "primary") -> Any:
        """Draw a button that measures, by its name in ``tabs.json``."""
        import gradio as gr

        texts = self._texts["buttons"][name]
        return gr.Button(texts["text"], variant=variant, elem_id=texts.get("id", f"{self._prefix}-run"))

    def on_choice(
        self, name: str, fill: Callable[[Values], Values], reads: Sequence[str], changes: Sequence[str]
    ) -> None:
        """Bind a field to what fills others. Of several quick choices, the latest is answered too, and last.

        Args:
            name: the field.
            fill: returns new values by name, or what ``gradio.update`` makes, from the values of the fields that
                are read.
            reads: fields whose values are passed, in addition to the field's own.
            changes: fields that may be filled.
        """
        inputs = list(dict.fromkeys([name, *reads]))
        first = self.fields[name].value

        def run(known: dict[str, Any], *values: Any) -> Any:
            before, known[name] = known.get(name, first), values[0]
            if before == known[name]:
                return self._updates(known, {}, changes)
            try:
                return self._updates(known, fill(dict(zip(inputs, values, strict=True))), changes)
            except Exception:
                known[name] = object()  # so that the next choice counts as new
                raise

        self.fields[name].input(
            wrap_errors(run),
            [self._known, *map(self.fields.__getitem__, inputs)],
            [self.fields[n] for n in changes],
            api_visibility="private",
            trigger_mode="always_last",
        )

    def cascade(
        self,
        names: Sequence[str],
        follow: Mapping[str, Callable[[Values], tuple[Sequence[Any] | None, Any]]],
        fill: Callable[[Values], Values] = lambda values: {},
        fills: Sequence[str] = (),
        leads: Sequence[str] = (),
    ) -> None:
        """Let a choice in a drop-down be followed by the ones after it.

        Args:
            names: the drop-downs in their order.
            follow: the choices and the value of those that follow, no choices for the ones that it has.
            fill: what a choice puts into other fields, from the values of the drop-downs.
            fills: the names of those fields.
            leads: the drop-downs that are followed, by default all.
        """
        import gradio as gr

        def bind(name: str, later: Sequence[str]) -> None:
            def choose(values: Values) -> Values:
                chosen, updates = dict(values), {}
                for follower in later:
                    choices, chosen[follower] = follow[follower](chosen)
                    new = {} if choices is None else {"choices": choices}
                    updates[follower] = gr.update(value=chosen[follower], **new)
                return {**updates, **fill(chosen)}

            self.on_choice(name, choose, names, [*later, *fills])

        for name in leads or names:
            bind(name, [n for n in names[names.index(name) + 1 :] if n in follow])

    def on_fill(self, button: Any, fill: Callable[[], Values], changes: Sequence[str]) -> Any:
        """Bind a button to what fills fields, and return the event that can be followed by another."""

        def run(known: dict[str, Any]) -> Any:
            return self._updates(known, fill(), changes)

        outputs = [self.fields[name] for name in changes]
        return button.click(wrap_errors(run), self._known, outputs, api_visibility="private")

    def _updates(self, known: dict[str, Any], values: Values, changes: Sequence[str]) -> Any:
        """Return the values as gradio expects them, and let ``known`` keep what each field has."""
        import gradio as gr

        filled = {name: v if isinstance(v, Mapping) else {"value": v} for name, v in values.items()}
        known |= {name: update["value"] for name, update in filled.items() if "value" in update}
        updates = [values.get(name, gr.skip()) for name in changes]
        return updates if len(updates) > 1 else updates[0]  # a list for one field would be its value

    def on_measure(
        self,
        button: Any,
        name: str,
        measure: Callable[[Click], Answer],
        output: list[Any],
        *,
        options: Iterable[str] = (),
        at_once: int | Literal["default"] = "default",
    ) -> Any:
        """Bind a button, or the event that follows one, to a measurement, and go to what came out.

        When it fails, the reason is shown instead of a result.

        Args:
            button: a button, which callers from outside the page can press too, or an event.
            name: of the measurement in ``tabs.json``.
            measure: what answers a click.
            output: from :func:`outputs`.
            options: names of fields that it reads in addition to those in ``tabs.json``.
            at_once: how many visitors compute, if no pool of models bounds that.

        Returns:
            The event that the button starts.
        """
        import gradio as gr

        tab, texts = self._tab, self._texts["buttons"][name]
        names = [field for field in (*texts["reads"], *options) if field in self.fields]
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        parameters = [inspect.Parameter(field, kind, default=None) for field in names]
        progress = inspect.Parameter("progress", kind, default=gr.Progress())
        # A function of as many inputs as there are names, for gradio and for callers from outside the page.
        signature = inspect.Signature([inspect.Parameter("session", kind), *parameters, progress])

        def run(*args: Any, **kwargs: Any) -> Answer:
            bound = signature.bind(*args, **kwargs)
            bound.apply_defaults()
            values = dict(bound.arguments)
            return measure(Click(tab, values.pop("session"), values, values.pop("progress")))

        run.__signature__ = signature  # type: ignore[attr-defined]
        place = str(output[0].elem_id)
        handler, go_to = wrap_errors(run, place), _GO_TO % place
        if isinstance(button, gr.Button):
            endpoint = f"{name}_{tab.method.name}" if tab.names_method and tab.method is not None else name
            handler.__name__ = endpoint  # the tool's name, if the page serves tools
            bind, api = button.click, {"api_name": endpoint, "api_description": self._fill_in(texts["about"])}
        else:
            bind, api = button.then, {"api_visibility": "private"}
        inputs = [tab.session, *map(self.fields.__getitem__, names)]
        event = bind(handler, inputs, output, concurrency_limit=at_once, **api)

        def show_error(session: Session) -> list[Any]:
            return [note(session.errors.pop(place, ""), "warning"), *[None] * (len(output) - 1)]

        error = event.failure(
            show_error, tab.session, output, api_visibility="private", show_progress="hidden"
        )
        for end in (error.then, event.success):
            for js in (go_to, _SAY % place):
                end(None, js=js, api_visibility="private")
        if isinstance(button, gr.Button):  # the progress may be below the window too
            button.click(None, js=go_to, api_visibility="private")
        return event


def outputs(elem_id: str) -> list[Any]:
    """Draw the place of a result: HTML that is shown, and the same as data for callers from outside the page."""
    import gradio as gr

    page = gr.HTML(label="Result as HTML", show_label=False, elem_id=elem_id)
    return [page, gr.JSON(label="Result as data", visible=False, elem_id=f"{elem_id}-data")]
