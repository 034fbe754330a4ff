"""Arrow schemas: of a pydantic model of simple fields, and of named columns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, get_args, get_origin

from pydantic import BaseModel

if TYPE_CHECKING:
    import pyarrow as pa


def arrow_schema(model: type[BaseModel], without: tuple[str, ...] = ()) -> pa.Schema:
    """Return the columns of a model's rows but for ready answers: texts, whole and real numbers, and lists of these.

    Examples:
        >>> from evaluate_bias.data.professions import Occupation
        >>> [str(arrow_schema(Occupation).field(name).type) for name in ("bls_year", "women_bergsma")]
        ['int64', 'double']
    """
    import pyarrow as pa

    hidden = {*without, *getattr(model, "ready", ())}
    return pa.schema(
        [(name, _kind(field.annotation)) for name, field in model.model_fields.items() if name not in hidden]
    )


def columns_schema(*names: str, lists: tuple[str, ...] = (), nested: tuple[str, ...] = ()) -> pa.Schema:
    """Return columns of text, but for those that are lists of texts and those that are lists of such lists."""
    import pyarrow as pa

    text = pa.string()
    kinds = dict.fromkeys(lists, pa.list_(text)) | dict.fromkeys(nested, pa.list_(pa.list_(text)))
    return pa.schema([(name, kinds.get(name, text)) for name in names])


def _kind(annotation: Any) -> pa.DataType:
    import pyarrow as pa

    if get_origin(annotation) is tuple:
        return pa.list_(_kind(get_args(annotation)[0]))
    types = set(_types(annotation))
    if float in types:
        return pa.float64()
    return pa.int64() if int in types else pa.string()


def _types(annotation: Any) -> Iterator[Any]:
    """Yield a type and what it is made of: the parts of a union, what an annotated type annotates."""
    yield annotation
    for part in get_args(annotation):
        if isinstance(part, type) or get_origin(part) is not None:
            yield from _types(part)
