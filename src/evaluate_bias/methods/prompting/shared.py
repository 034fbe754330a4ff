"""What the two methods of one paper have alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from ...data.instructions import Wordings, refuse_wordings
from ...errors import InputError
from ..rows import refuse_model

__all__ = ["BAI_2025", "hold_ready"]

BAI_2025: Final[dict[str, Any]] = {
    "paper": (
        "Bai, Wang, Sucholutsky and Griffiths (2025): Explicitly unbiased large language models still form biased "
        "associations. Proceedings of the National Academy of Sciences 122"
    ),
    "url": "https://arxiv.org/abs/2402.04105",
    "bibtex": """@article{bai2025explicitly,
  title         = {Explicitly unbiased large language models still form biased associations},
  author        = {Bai, Xuechunzi and Wang, Angelina and Sucholutsky, Ilia and Griffiths, Thomas L.},
  journal       = {Proceedings of the National Academy of Sciences},
  volume        = {122},
  year          = {2025},
  eprint        = {2402.04105},
  archiveprefix = {arXiv}
}""",
}


def hold_ready(method: str, tests: Sequence[Any], column: str, model: Any, wordings: Wordings) -> bool:
    """Whether tests hold in a column what a model would answer, which leaves nothing to ask.

    Raises:
        InputError: some do and others do not, or there is a model or wordings besides.
    """
    lacking = [test.name for test in tests if not getattr(test, column)]
    if len(lacking) == len(tests):
        return False
    if lacking:
        raise InputError(
            f"{method}: {lacking[0]} has no {column} and others have some; give {column} to all tests or to none"
        )
    refuse_model(model, method, column)
    refuse_wordings(method, wordings, f"no {column} in the data")
    return True
