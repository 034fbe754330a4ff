"""What all evaluate modules in ``metrics/`` share, so that each stays a few lines."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from numbers import Real
from typing import TYPE_CHECKING, Any

from ..data.pair_schemas import SENTENCE_COLUMNS
from ..errors import InputError
from ..options import checked_options
from ..registry import MethodRecord, get_method

if TYPE_CHECKING:
    import datasets
    import evaluate

__all__ = ["SentencesOrScores", "compute_rows", "metric_info"]


class SentencesOrScores:
    """For modules whose columns hold sentences or, in their place, ready scores: stands before ``evaluate.Metric``.

    Left to itself, ``evaluate`` would go by the first row: it writes a later number among sentences as text, and
    reads sentences that look like numbers as scores. The module gives two features, text first, numbers second.
    """

    features: list[datasets.Features]
    selected_feature_format: datasets.Features | None

    def add_batch(self, **columns: Any) -> None:
        """Add rows.

        Args:
            columns: the module's columns, one list each; ``None`` stands for an absent text.

        Raises:
            InputError: a column is missing, no row is given, or sentences and scores are mixed.
        """
        chosen = self._infer_feature_from_batch(columns)
        if self.selected_feature_format not in (None, chosen):
            raise InputError(
                "sentences and scores cannot be mixed: the rows added before are of the other kind"
            )
        columns |= {
            c: [_storable(cell, feature, c in SENTENCE_COLUMNS) for cell in columns[c]]
            for c, feature in chosen.items()
        }
        super().add_batch(**columns)  # type: ignore[misc]

    def add(self, **row: Any) -> None:
        """Add one row.

        Args:
            row: a value for each of the module's columns.
        """
        self.add_batch(**{column: [value] for column, value in row.items()})

    def _infer_feature_from_batch(self, batch: Mapping[str, Any]) -> datasets.Features:
        """Choose by all values instead of the first row."""
        text, numbers = self.features
        if missing := [c for c in text if batch.get(c) is None]:
            raise InputError(f"the columns {', '.join(text)} are all needed; missing: {', '.join(missing)}")
        if not len(batch[next(iter(text))]):
            raise InputError("no row was given")
        kinds: dict[str, str] = {}
        for column in text:
            if text[column] == numbers[column]:
                continue
            for row, cell in enumerate(batch[column]):
                for value in _scored(cell):
                    kind = "a sentence" if isinstance(value, str) else "a score"
                    if isinstance(value, bool) or not isinstance(value, (str, Real)):
                        raise InputError(f"{column}, row {row}: {value!r} is neither a sentence nor a score")
                    kinds.setdefault(kind, f"{column}, row {row}")
        if len(kinds) > 1:
            places = ", ".join(f"{kind} in {place}" for kind, place in kinds.items())
            raise InputError(f"sentences and scores cannot be mixed: there is {places}")
        return numbers if "a score" in kinds else text


def _scored(cell: Any) -> Iterator[Any]:
    """The sentences or scores of a cell: itself, or those of its options (StereoSet)."""
    if isinstance(cell, (list, tuple)):
        yield from (o.get("sentence") if isinstance(o, Mapping) else o for o in cell)
    elif cell is not None:
        yield cell


def _storable(cell: Any, feature: Any, is_sentence: bool) -> Any:
    """What ``evaluate`` can store: empty for an absent text, and of an option the fields it knows.

    A text is absent where there is ``None``, or NaN as in a table of pandas.
    An empty sentence is stored as a blank, so that it is not absent: it will be listed as skipped.
    """
    if getattr(feature, "dtype", None) == "string":
        if cell is None or (isinstance(cell, float) and math.isnan(cell)):
            return ""
        return (cell or " ") if is_sentence else cell
    fields = getattr(feature, "feature", None)
    if isinstance(fields, Mapping) and isinstance(cell, (list, tuple)):
        return [{f: o.get(f) for f in fields} if isinstance(o, Mapping) else o for o in cell]
    return cell


def metric_info(
    name: str, *, description: str, inputs: str, features: datasets.Features | list[datasets.Features]
) -> evaluate.MetricInfo:
    """Describe the module of a registered method to ``evaluate``, the citation taken from the registry record."""
    import evaluate

    record = get_method(name)
    return evaluate.MetricInfo(
        description=description,
        citation=record.bibtex,
        inputs_description=inputs,
        features=features,
        reference_urls=[record.url],
    )


def compute_rows(
    name: str, module: Any, model: Any, columns_and_options: Mapping[str, Any]
) -> dict[str, Any]:
    """Run a method whose data are rows of columns, and return the plain dictionary of its result.

    Args:
        name: registry name of the method.
        module: the evaluate module, for the record of its version.
        model: what :func:`evaluate_bias.load_model` takes; ``None`` where the columns hold ready scores.
        columns_and_options: the module's columns, further columns of the data set, and options of the method.

    Raises:
        InputError: no model where one is needed, columns of unequal length, or an option the method does not have.
    """
    from ..models.load import load_model

    record = get_method(name)
    rows, options = _split(record, columns_and_options)
    result = record.function()(None if model is None else load_model(model), rows, **options).to_dict()
    result["provenance"]["dataset"] = {"source": "columns given to compute()"}
    result["provenance"]["module"] = {"name": module.name, "hash": module._hash}
    return result


def _split(record: MethodRecord, given: Mapping[str, Any]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Separate columns from options; unknown names are an error, because evaluate would swallow a typing mistake."""
    known = record.options()
    named = [c for c in (*record.columns, *record.extra_columns, *record.unused_columns) if c not in known]
    others = {k: v for k, v in given.items() if k not in named}
    options = checked_options(others, known, record.name, "column or option", [*named, *known])
    columns = {
        k: v for k, v in given.items() if k in named and k not in record.unused_columns and v is not None
    }
    n = len(columns[record.columns[0]])
    for column, values in columns.items():
        if not isinstance(values, (list, tuple)) or len(values) != n:
            raise InputError(
                f"column {column!r} must be a list of {n} values, one a row, like {record.columns[0]!r}"
            )
    rows = zip(*columns.values(), strict=True)
    return [{c: None if v == "" else v for c, v in zip(columns, row, strict=True)} for row in rows], options
