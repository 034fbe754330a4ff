"""The pictures of an HTML page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from ...result import Result
from ..lines import method_title, model_name
from ..plots.details import method_drawings, picture_text
from ..plots.inline import inline_svg
from ..plots.overview import FEW_MODELS, overview_pictures
from ..plots.scores import forests

__all__ = ["Figure", "overview_figures", "result_figures"]


@dataclass(frozen=True, slots=True)
class Figure:
    """A picture with its caption, as an ``<svg>`` element."""

    caption: str
    svg: str


def overview_figures(results: Sequence[Result]) -> list[Figure]:
    """Draw the pictures of all results together, and every test of methods on a few models."""
    drawn = [(p.caption, p.draw) for p in overview_pictures(results)]
    for method, pages in forests(results, partial(_shows_its_parts, results)).items():
        drawn += [(f"{method_title(method)}: scores with their intervals", draw) for draw in pages]
    return [Figure(caption, inline_svg(draw, f"f{i}-")) for i, (caption, draw) in enumerate(drawn, 1)]


def _shows_its_parts(results: Sequence[Result], method: str) -> bool:
    """Whether a method's tests, or its score where there is nothing else to draw, go into a picture of their own."""
    own = [r for r in results if r.method == method]
    few = len({model_name(r) for r in own}) <= FEW_MODELS
    return few and not any(r.rows_of("group") for r in own)


def result_figures(results: Sequence[Result], most: int) -> Iterator[tuple[int, Figure]]:
    """Draw what single results make possible, such as maps of words, with the place of the result.

    Args:
        results: the results.
        most: no more than this number of pictures.
    """
    drawn = 0
    for i, result in enumerate(results):
        for name, draw in method_drawings(result).items():
            if drawn == most:
                return
            drawn += 1
            caption = f"{method_title(result.method)} on {model_name(result)}: {picture_text(result, name)}"
            yield i, Figure(caption, inline_svg(draw, f"r{i + 1}-{name}-"))


def count_result_figures(results: Sequence[Result]) -> int:
    """How many pictures the results make possible by themselves."""
    return sum(len(method_drawings(r)) for r in results)
