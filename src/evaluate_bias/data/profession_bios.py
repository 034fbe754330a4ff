"""Short synthetic biographies with profession and gender, for classifiers of professions."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from .load import load_rows, loader
from .row_set import RowSet
from .schemas import Schema


class ProfessionBio(Schema):
    """One biography.

    Attributes:
        id: ``bio-000`` ….
        text: three sentences, which do not name the profession.
        profession: the profession.
        gender: ``"female"`` or ``"male"``.
        split: ``"train"`` or ``"test"``.
        prediction: what a word-count classifier made of the training split (naive Bayes) predicts; in the test split.
        language: language tag.
    """

    id: str
    text: str
    profession: str
    gender: Literal["female", "male"]
    split: Literal["train", "test"]
    prediction: str | None = None
    language: str = "en"


@loader
def load_profession_bios(
    split: Literal["train", "test"] | None = None, *, source: str | Path | None = None, language: str = "en"
) -> RowSet[ProfessionBio]:
    """Load the biographies: synthetic, made of templates of this project.

    Args:
        split: the split; ``None`` for both.
        source: ``None``: the packaged ones; or a file, a folder or a Hub data set with the same columns.
        language: language tag.

    Raises:
        UnknownNameError: there is no such split.
        BiasError: as :func:`~evaluate_bias.data.load_word_lists`.

    Examples:
        >>> train, test = load_profession_bios("train"), load_profession_bios("test")
        >>> len(train), len(test), len({row.profession for row in train})
        (320, 320, 8)
    """
    return load_rows(ProfessionBio, "profession_bios_mini", language, source).where("split", split, "split")
