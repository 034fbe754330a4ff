"""What methods that measure another method share: that method, with its options, on a model."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..method_record import MethodRecord
from ..options import checked_options
from ..result import Result
from ..text import counted

_MOST_NAMED = 5


@dataclass(frozen=True, slots=True)
class MeasuredMethod:
    """The measured method on a model, with what it is called with."""

    record: MethodRecord
    model: Any
    options: dict[str, Any]

    @classmethod
    def of(
        cls,
        model: Any,
        name: str,
        options_given: Mapping[str, Any] | None,
        refuse: Callable[[MethodRecord], None],
        **otherwise: Any,
    ) -> MeasuredMethod:
        """Find the method, unless ``refuse`` raises an error about it, and check the options that are given."""
        from ..registry import get_method

        record = get_method(name)
        refuse(record)
        options = checked_options(options_given or {}, record.options(), record.name)
        return cls(record, model, options).with_options(**otherwise)

    def with_options(self, **otherwise: Any) -> MeasuredMethod:
        """Return the same, with options that hold if nothing else is asked for and the method has them."""
        known = self.record.options()
        defaults = {k: v for k, v in otherwise.items() if k in known}
        return dataclasses.replace(self, options=defaults | self.options)

    def result(self, rows: Sequence[Any]) -> Result:
        """Measure rows."""
        return self.record.function()(self.model, rows, **self.options)


def warnings_of_parts(whole: Result, parts: Sequence[Result], called: str) -> list[str]:
    """Return the warnings of the whole, and once each, with their number, the commonest that only parts have.

    Args:
        whole: what was measured of all units.
        parts: what was measured of parts of them.
        called: what such a part is called, in the singular.
    """
    counts = Counter(w for part in parts for w in dict.fromkeys(part.warnings) if w not in whole.warnings)
    lines = [*whole.warnings]
    lines += [f"in {n} of {counted(len(parts), called)}: {w}" for w, n in counts.most_common(_MOST_NAMED)]
    if len(counts) > _MOST_NAMED:
        lines.append(f"{counted(len(counts) - _MOST_NAMED, 'rarer warning')} of {called}s")
    return lines
