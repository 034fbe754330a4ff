"""The word-list test of the compatibility methods: professions of women and of men, and words for women and men."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ..errors import InputError
from .load import loader
from .professions import load_gendered_words, load_professions
from .schemas import WordListTest
from .word_lists import WordListSet, load_word_lists

_N_TARGETS = 30
_PAPER = ("female", "woman", "girl", "sister", "daughter", "mother", "aunt", "grandmother")
"""The words for women of Delobelle et al. (2022); those for men are their counterparts."""


@loader
def load_occupation_test(
    source: str | Path | None = None,
    *,
    language: str = "en",
    tests: str | Iterable[str] | None = None,
    n_targets: int = _N_TARGETS,
) -> WordListSet:
    """Load the test that Delobelle et al. (2022) draw their subsets from.

    The first targets are their 30 professions with the largest share of women, the second their 30 with the smallest,
    the extreme ones first; the attributes are the paper's words for women and for men.

    Args:
        source: ``None`` for this test; anything else is read by :func:`~evaluate_bias.data.load_word_lists`.
        language: language tag; these professions are packaged in English.
        tests: names of the tests wanted of another source.
        n_targets: number of professions in each target list, 2 to 30.

    Raises:
        InputError: ``n_targets`` is out of range.
        UnknownNameError: there are no such professions in this language.
        BiasError: as :func:`~evaluate_bias.data.load_word_lists`.

    Examples:
        >>> test = load_occupation_test(n_targets=3)[0]
        >>> test.targets_x, test.targets_y
        (('pathologist', 'hygienist', 'dietitian'), ('mason', 'brickmason', 'pipelayer'))
        >>> test.attributes_a[:2], test.attributes_b[:2]
        (('female', 'woman'), ('male', 'man'))
    """
    if source is not None:
        if n_targets != _N_TARGETS:
            raise InputError("n_targets chooses packaged professions; leave it out where source is given")
        return load_word_lists(source, language=language, tests=tests)
    professions = load_professions(language, list="delobelle")
    women, men = ([p.word for p in professions if p.group == group] for group in ("female", "male"))
    if isinstance(n_targets, bool) or not isinstance(n_targets, int) or not 2 <= n_targets <= len(women):
        raise InputError(f"n_targets must be a whole number from 2 to {len(women)}, not {n_targets!r}")
    pairs = {p.female: p.male for p in load_gendered_words(language, kinds=("person", "kinship"))}
    test = WordListTest(
        name="occupations",
        language=language,
        title="Professions with many and with few women, and words for women and men",
        x_label="professions with many women",
        y_label="professions with few women",
        a_label="words for women",
        b_label="words for men",
        targets_x=tuple(women[:n_targets]),
        targets_y=tuple(men[:n_targets]),
        attributes_a=_PAPER,
        attributes_b=tuple(pairs[word] for word in _PAPER),
        bias_type="gender",
        origin="made from published lists",
        source="Delobelle, Tokpo, Calders and Berendt (2022), doi:10.18653/v1/2022.naacl-main.122: professions of "
        "appendix B.1, and attributes",
    )
    lists = WordListSet((test,), dict(professions.provenance))
    return lists if tests is None else lists.select(tests)
