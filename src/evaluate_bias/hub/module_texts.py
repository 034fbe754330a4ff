"""What an evaluate module says about itself, made from its method's record and signature."""

from __future__ import annotations

import textwrap

from ..method_record import MethodRecord
from ..text import range_text

_WIDTH = 120
MODEL_TEXT = "anything evaluate_bias.load_model accepts: a Hub id, a local folder, a file, a pair (model, tokenizer), …"
_HOLDS = {
    "number": "float",
    "probability": "float",
    "label": "str or int",
    "words": "list of str",
    "numbers": "list of float",
    "sentence": "str or float",
    "options": "list of dict",
}
RETURNS = (
    "score under the method's name, 'p_value', 'p_error', 'ci_low', 'ci_high', 'n', 'coverage', 'groups' and "
    "'items' (the breakdown), 'extra' (secondary values), 'skipped', 'warnings', 'settings', 'provenance'."
)


def description(record: MethodRecord) -> str:
    """Return the module's description: what the score is, its range and ideal value, and how to read it.

    Examples:
        >>> from evaluate_bias.registry import get_method
        >>> print(description(get_method("weat")).splitlines()[0][:60])
        How much more strongly one set of target words is associated
    """
    return textwrap.fill(
        f"{record.summary} {scale_text(record)} {record.interpretation}", _WIDTH, break_on_hyphens=False
    )


def scale_text(record: MethodRecord) -> str:
    """Return the score's range and ideal value in a sentence."""
    return f"From {range_text(record.score_range)}, ideal {record.ideal:g}."


def column_lines(record: MethodRecord) -> list[tuple[str, str, str]]:
    """Return name, type and meaning of every column that the module accepts and describes."""
    first = [*record.columns, *record.optional_columns]
    described = [
        c for c, column in record.data.columns.items() if column.text and c not in first and record.reads(c)
    ]
    return [
        (name, f"list of {_HOLDS.get(column.holds, 'str')}", column.text)
        for name in (*first, *described)
        for column in [record.data.columns[name]]
    ]


def option_lines(record: MethodRecord) -> list[tuple[str, str, str]]:
    """Return the name of every option, what it accepts, its default and its meaning."""
    return [(o.name, f"{o.takes}; default {o.default!r}", o.text) for o in record.options().values()]


def inputs_description(record: MethodRecord) -> str:
    """Return the module's arguments and what it returns, as ``evaluate`` shows them."""
    required = set(record.columns)
    lines = ["Args:"]
    lines += [
        _entry(f"{name} ({kind}{'' if name in required else ', optional'}): {text}")
        for name, kind, text in column_lines(record)
    ]
    if record.needs:
        lines.append(
            _entry(
                f"model: {MODEL_TEXT}"
                + (" Not needed if the columns contain scores." if record.takes_scores else "")
            )
        )
    lines += [_entry(f"{name} ({takes}): {text}") for name, takes, text in option_lines(record)]
    lines += ["", "Returns:", _entry(f"dict: {RETURNS}")]
    return "\n".join(lines) + "\n"


def _entry(text: str) -> str:
    return textwrap.fill(
        text, _WIDTH, initial_indent="    ", subsequent_indent="        ", break_on_hyphens=False
    )
