"""Small pieces of Markdown and numbers that the parts of the bias section share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..escape import markdown
from ..lines import ReportRow


class Markdown(str):
    """Text that is Markdown already: the template writes it as it is and escapes every other text."""

    __slots__ = ()

    def __html__(self) -> str:
        return str(self)  # what Jinja asks of text that needs no escaping


def names(lines: Sequence[ReportRow]) -> str:
    """Name lines, with their models where there are several."""
    with_model = several(r.model for r in lines)
    written = (f"{r.name} ({r.model})" if with_model else r.name for r in lines)
    return ", ".join(markdown(name) for name in dict.fromkeys(written))


def several(values: Iterable[str]) -> bool:
    """Tell whether there is more than one value."""
    return len(set(values)) > 1


def one_of_each(values: Iterable[str]) -> list[Markdown]:
    """Return the values without repetitions, as Markdown."""
    return [Markdown(v) for v in dict.fromkeys(values)]
