"""How a method is called: the decorator that makes a function ``(model, data, *, options…)`` a method of the library.

It checks the options and the model's capability, and makes the result from what the function returns and from what the
record, the model and the software add.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
from contextlib import nullcontext
from itertools import islice
from numbers import Number
from typing import Any

import numpy as np

from .errors import DataError, InputError, quoted
from .method_record import MethodRecord
from .options import checked_options, options_of
from .result import Finding as Finding
from .result import Result, Row


def method(record: MethodRecord) -> Callable[[Callable[..., Finding]], Callable[..., Result]]:
    """Make a function ``(model, data, *, options…) -> Finding`` the entry of a method.

    The options are checked against their annotations, the model against the capabilities that the record
    names. If the record declares ``inference``, the entry accepts these options as one object, and its
    callers one by one. The result has the record's range, direction and ideal value, all options as settings,
    provenance of model and software, and the model's warnings. P-values of groups are adjusted for their
    number. The function without the check, for options that were checked before, is its attribute
    ``with_checked``.

    Raises:
        InputError: an option is out of range, or a model is needed and was not given.
        CapabilityError: the model lacks the capability.
    """

    def decorate(entry: Callable[..., Finding]) -> Callable[..., Result]:
        signature = inspect.signature(entry)
        if (record.inference is not None) != ("inference" in signature.parameters):
            raise InputError(
                f"{record.name}: an entry that accepts `inference` needs a record that declares it with "
                "inference_options(…), and only such an entry does"
            )
        if record.inference is not None:
            signature = record.inference.one_by_one(signature, "inference")

        @functools.wraps(entry)
        def measured(*args: Any, **kwargs: Any) -> Result:
            known = options_of(measured)
            options = {k: v for k, v in kwargs.items() if k in known}
            return with_checked(*args, **{**kwargs, **checked_options(options, known, record.name)})

        def with_checked(*args: Any, **kwargs: Any) -> Result:
            bound = signature.bind(*args, **kwargs)
            bound.apply_defaults()
            (model, data), options = bound.args, bound.kwargs
            rows = _rows(record, data)
            from .models.base import checked_outputs, refuse_any, require

            if model is not None or not record.needs_no_model:
                if not record.needs:
                    raise InputError(f"{record.name} measures no model", option="model", hint="omit `model`")
                require(model, record.needs, record.name, record.instead)
                refuse_any(model, record.refuses, record.name, record.instead)
            arguments = dict(options)
            if record.inference is not None:
                single = {name: arguments.pop(name) for name in record.inference.names}
                arguments["inference"] = dataclasses.replace(record.inference.defaults, **single)
            with getattr(model, "separate_warnings", nullcontext)():
                finding = entry(model if model is None else checked_outputs(model), rows, **arguments)
                return _result(record, model, options, finding)

        measured.__signature__ = signature  # type: ignore[attr-defined]
        measured.with_checked = with_checked  # type: ignore[attr-defined]
        return measured

    return decorate


def _rows(record: MethodRecord, data: Any) -> Any:
    """Return the rows of a measurement, as a list if they can be read only once.

    The first row is checked before any other is read, since data that are not rows may be long.

    Raises:
        InputError: the data are not rows.
        DataError: the first of them is not a row.
    """
    is_scalar = getattr(data, "ndim", 1) == 0  # of numpy, which is iterable by type
    if isinstance(data, (str, bytes, Mapping)) or not isinstance(data, Iterable) or is_scalar:
        raise InputError(
            f"{record.name} needs a list of rows, each with {', '.join(record.columns)}, got {quoted(data)}",
            option="data",
            hint="put a single row into a list",
        )
    rows = iter(data)
    first = list(islice(rows, 1))
    if first and isinstance(first[0], (str, bytes, Number, np.ndarray, list, tuple, type(None))):
        raise DataError(
            f"{record.name} expects rows, each a dict with {', '.join(record.columns)}, and the first is "
            f"{quoted(first[0])}"
        )
    return data if isinstance(data, Sized) else [*first, *rows]


def _result(record: MethodRecord, model: Any, options: Mapping[str, Any], finding: Finding) -> Result:
    from .provenance import provenance_of

    values = {f.name: getattr(finding, f.name) for f in dataclasses.fields(finding)}
    for name in ("score_range", "direction", "ideal"):
        if values[name] is None:
            values[name] = getattr(record, name)
    settings = {**options, **finding.settings}
    if not {"instructions", "protocol"} & finding.settings.keys():  # nobody was asked
        settings.pop("protocol", None)
    values |= {
        "settings": settings,
        "provenance": {**provenance_of(model), **finding.provenance},
        "warnings": tuple(dict.fromkeys((*finding.warnings, *getattr(model, "warnings", ())))),
        "rows": _adjusted(finding.rows),
        "confidence_level": settings.get("confidence_level", 0.95),
    }
    return Result(method=record.name, **values)


def _adjusted(rows: Sequence[Row]) -> tuple[Row, ...]:
    """Return the rows. P-values of groups and tests are adjusted for the number of rows of their kind."""
    from . import stats

    out = list(rows)
    for kind in ("test", "group"):
        places = [i for i, row in enumerate(out) if row.kind == kind and row.p_value is not None]
        p = [out[i].p_value for i in places]
        for i, holm, bh in zip(places, stats.holm(p), stats.benjamini_hochberg(p), strict=True) if p else ():  # type: ignore[arg-type]
            if out[i].p_holm is None:
                out[i] = dataclasses.replace(out[i], p_holm=float(holm), p_bh=float(bh))
    return tuple(out)
