"""Several methods on one model that is in memory: what they ask of it the same way is computed once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from .. import api
from ..errors import InputError, MeasurementError, quoted
from ..models.engine import TransformerModel
from ..models.load import load_model
from ..models.score_memo import ScoreMemo
from ..options import check_arguments
from ..progress import track
from ..registry import get_method
from ..result import Result

Methods = Mapping[str, Mapping[str, Any]] | Sequence[str]
"""Names of methods, or mappings from a name to the options of :func:`evaluate_bias.measure`."""


class PartlyMeasuredError(MeasurementError):
    """Some methods failed. What the others gave is not lost.

    Attributes:
        results: the results of the others, in their order.
        errors: the error of each method that failed, by its name.
    """

    def __init__(self, results: Sequence[Result], errors: Mapping[str, Exception]) -> None:
        self.results, self.errors = list(results), dict(errors)
        by_reason: dict[str, list[str]] = {}
        for name, error in self.errors.items():
            by_reason.setdefault(str(error), []).append(name)
        parts = [f"{', '.join(names)} could not be measured: {reason}" for reason, names in by_reason.items()]
        super().__init__("; ".join(parts + ["the other results are in .results"] * bool(self.results)))


def named_methods(methods: Methods) -> dict[str, dict[str, Any]]:
    """Return the options of each method by its name.

    Raises:
        UnknownNameError: no such method.
        InputError: no method is named, one is given twice with options, or the options of one are not a mapping.

    Examples:
        >>> named_methods("WEAT"), named_methods({"aul": {"source": None}})
        ({'weat': {}}, {'aul': {'source': None}})
    """
    names = (methods,) if isinstance(methods, str) else methods
    if not isinstance(names, Iterable):
        raise InputError(
            "`methods` must be a list of names, as evaluate_bias.registry.METHODS has them, or a dict "
            f"from names to options, got {quoted(methods)}",
            option="methods",
        )
    options_of: dict[str, dict[str, Any]] = {}
    for name, options in names.items() if isinstance(names, Mapping) else [(name, {}) for name in names]:
        if not isinstance(options, Mapping):
            raise InputError(
                f"the options of {quoted(name)} must be a dict, got {quoted(options)}", option="methods"
            )
        method = get_method(name).name
        if method in options_of and isinstance(names, Mapping):
            raise InputError(
                f"{method} is given twice, and a model is measured with it once",
                option="methods",
                hint="call once for each",
            )
        options_of[method] = dict(options)
    if not options_of:
        raise InputError("`methods` is empty", option="methods", hint="name at least one method")
    return options_of


def measure_all(
    model: Any,
    methods: Methods,
    *,
    on_error: Callable[[str, Exception], None] | None = None,
    progress: bool = True,
    **options: Any,
) -> list[Result]:
    """Measure ``model`` with several methods, which share its load and, of a transformer, every forward pass.

    A request that one method has made is answered from memory for the next. Those that are left form batches of their
    own, so that a number may differ by rounding of float32 from the number of :func:`evaluate_bias.measure` alone.

    Args:
        model: anything :func:`evaluate_bias.load_model` accepts, ``None`` if no method needs one.
        methods: names of methods, or a mapping from a name to the options of :func:`evaluate_bias.measure`, among them
            ``data``.
        on_error: called with name and error of a method that fails, which is omitted.
        progress: show a progress bar if somebody watches.
        **options: options of every method that does not set them itself.

    Returns:
        The results in the order of the methods.

    Raises:
        UnknownNameError: no such method. Nothing was measured.
        InputError: no method, one is given twice, or the options of one are not a mapping. Nothing was measured.
        PartlyMeasuredError: some methods failed, without ``on_error``. All others were measured, and the error has
            their results.
        BiasError: the model cannot be loaded, or the only method fails.

    Examples:
        >>> import evaluate_bias as eb
        >>> pairs = [{"sent_more": "She is a nurse.", "sent_less": "He is a nurse.", "bias_type": "gender"}]
        >>> results = eb.measure_all("demo-mlm-en", ["crows_pairs", "pll", "aul"], data=pairs)
        >>> [(r.method, r.n) for r in results]
        [('crows_pairs', 1), ('pll', 1), ('aul', 1)]
    """
    check_arguments(measure_all, on_error=on_error, progress=progress)
    options_of = named_methods(methods)
    loaded = None if model is None else load_model(model)
    results: list[Result] = []
    errors: dict[str, Exception] = {}
    with _shared_passes(loaded) as memo, track("measuring", len(options_of), enabled=progress) as advance:
        for name, method_options in options_of.items():
            try:
                results.append(api.measure(name, loaded, **{**options, **method_options}))
                memo.commit()
            except Exception as error:
                memo.rollback()
                if on_error is None and len(options_of) == 1:
                    raise
                errors[name] = error
                if on_error is not None:
                    on_error(name, error)
            advance(1)
    if errors and on_error is None:
        raise PartlyMeasuredError(results, errors)
    return results


@contextmanager
def _shared_passes(model: Any) -> Iterator[ScoreMemo]:
    """Give the model a memo. It ends with the measurements, since the weights may change after them."""
    memo = ScoreMemo()
    if not isinstance(model, TransformerModel):
        yield memo
        return
    before, model.memo = model.memo, memo
    try:
        yield memo
    finally:
        model.memo = before
