"""The fields of a page: what each looks like, and what fills them when a visitor chooses something."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from ..data.data_kind import DataKind
from .handlers import wrap_errors
from .parts import page_defaults

FIELD_WIDTH = 260
"""Pixels; narrower fields move below each other."""

Values: TypeAlias = Mapping[str, Any]
"""What stands in fields, by their names."""
Widget: TypeAlias = Literal["choice", "line", "lines", "number", "check", "file", "table"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A field of a tab.

    Attributes:
        name: what handlers, and callers from outside the page, call it.
        label: what stands above it.
        elem_id: its id on the page.
        widget: what it is filled in with.
        value: what stands in it at first.
        choices: what a drop-down offers.
        follow: choices and value of a drop-down after another choice; no choices for those that it has.
        more: further options of gradio's component.
    """

    name: str
    label: str
    elem_id: str
    widget: Widget = "choice"
    value: Any = None
    choices: Sequence[Any] | None = None
    follow: Callable[[Values], tuple[Sequence[Any] | None, Any]] | None = None
    more: Mapping[str, Any] = field(default_factory=dict)

    def draw(self) -> Any:
        """The component, inside the page that is being built."""
        import gradio as gr

        kinds: dict[Widget, tuple[Any, dict[str, Any]]] = {
            "choice": (gr.Dropdown, {"choices": self.choices, "min_width": FIELD_WIDTH}),
            "line": (gr.Textbox, {"min_width": FIELD_WIDTH}),
            "lines": (gr.Textbox, {"min_width": FIELD_WIDTH, "lines": 2, "max_lines": 6}),
            "number": (gr.Number, {}),
            "check": (gr.Checkbox, {}),
            "file": (gr.File, {}),
            "table": (gr.Dataframe, {"type": "pandas", "interactive": True, "wrap": True, "max_height": 380}),
        }
        component, options = kinds[self.widget]
        return component(value=self.value, label=self.label, elem_id=self.elem_id, **{**options, **self.more})


_WIDGETS: Mapping[str, Widget] = {"words": "lines", "number": "number"}
"""The widget for what a column holds; a line of text for everything else."""


def column_fields(
    kind: DataKind, columns: Sequence[str], prefix: str, texts: Sequence[Any], optional: Sequence[str] = ()
) -> list[list[Field]]:
    """Fields for one row of a kind of data, two side by side.

    Args:
        kind: the kind of data.
        columns: the columns to fill in.
        prefix: what the ids of the fields begin with.
        texts: what stands in the fields at first, in their order.
        optional: columns that may stay empty.
    """
    known, start = page_defaults()["columns"], iter(texts)
    rows: list[list[Field]] = []
    for column in columns:
        name, about = known.get(column, (column, ""))
        made = Field(
            name=name,
            label=f"{column}{' (may be empty)' if column in optional else ''}",
            elem_id=f"{prefix}-{name.replace('_', '-')}",
            widget=_WIDGETS.get(kind.columns[column].holds, "line"),
            value=next(start),
            more={"info": about} if about else {},
        )
        if rows and len(rows[-1]) == 1:
            rows[-1].append(made)
        else:
            rows.append([made])
    return rows


class Fields:
    """The components of a page by name, and what fills them.

    Gradio's drop-down says twice that something was chosen, and once that it was when a visitor only passes through it.
    An answer to that would put back what they have typed meanwhile, so only a value that is new is answered.
    """

    def __init__(self) -> None:
        import gradio as gr

        self._components: dict[str, Any] = {}
        self._known = gr.State({})

    def __contains__(self, name: str) -> bool:
        return name in self._components

    def __getitem__(self, name: str) -> Any:
        return self._components[name]

    def add(self, name: str, component: Any) -> Any:
        """Name a component of the page."""
        self._components[name] = component
        return component

    def on_choice(
        self, name: str, fill: Callable[[Values], Values], reads: Sequence[str], changes: Sequence[str]
    ) -> None:
        """Bind a field to what fills others; the latest of several quick choices is answered too, and last.

        Args:
            name: the field.
            fill: new values by name, or what ``gradio.update`` makes, from those of the fields that are read.
            reads: fields whose values are handed over, beside the field's own.
            changes: fields that may be filled.
        """
        import gradio as gr

        inputs = list(dict.fromkeys([name, *reads]))
        first = self[name].value

        def run(known: dict[str, Any], *field_values: Any) -> Any:
            before, known[name] = known.get(name, first), field_values[0]
            if before == known[name]:
                return _in_order([gr.skip()] * len(changes))
            try:
                return self._updates(known, fill(dict(zip(inputs, field_values, strict=True))), changes)
            except Exception:
                known[name] = object()  # so that whatever is chosen next is new
                raise

        self[name].input(
            wrap_errors(run),
            [self._known, *map(self.__getitem__, inputs)],
            [self[n] for n in changes],
            api_visibility="private",
            trigger_mode="always_last",
        )

    def on_button(self, button: Any, fill: Callable[[], Values], changes: Sequence[str]) -> Any:
        """Bind a button to what fills fields, and return the event that can be followed by another."""

        def run(known: dict[str, Any]) -> Any:
            return self._updates(known, fill(), changes)

        outputs = [self[name] for name in changes]
        return button.click(wrap_errors(run), self._known, outputs, api_visibility="private")

    def _updates(self, known: dict[str, Any], values: Values, changes: Sequence[str]) -> Any:
        """The values in the order of the fields, nothing for those that stay; ``known`` keeps what each field holds."""
        import gradio as gr

        filled = {name: v if isinstance(v, Mapping) else {"value": v} for name, v in values.items()}
        known |= {name: update["value"] for name, update in filled.items() if "value" in update}
        return _in_order([values.get(name, gr.skip()) for name in changes])


def _in_order(updates: list[Any]) -> Any:
    """What gradio takes for several fields, or for one: a list for one would be its value."""
    return updates if len(updates) > 1 else updates[0]


def choice(label: str, elem_id: str, choices: Sequence[Any], value: Any, **more: Any) -> Any:
    """A field to choose from."""
    return Field(name="", label=label, elem_id=elem_id, choices=choices, value=value, more=more).draw()


def text_box(label: str, elem_id: str, value: str = "", **more: Any) -> Any:
    """A field to type into."""
    return Field(name="", label=label, elem_id=elem_id, widget="line", value=value, more=more).draw()


def outputs(elem_id: str) -> list[Any]:
    """Where a measurement goes: HTML that is shown, and the same as data for callers from outside the page."""
    import gradio as gr

    page = gr.HTML(label="Result as HTML", show_label=False, elem_id=elem_id)
    return [page, gr.JSON(label="Result as data", visible=False, elem_id=f"{page.elem_id}-data")]
