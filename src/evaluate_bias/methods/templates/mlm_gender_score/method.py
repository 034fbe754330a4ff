"""MLM gender score: does a masked model put "she" or "he" next to an occupation? (Dusi et al. 2022)"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from pydantic import BeforeValidator, ConfigDict

from ....data.grammar import grammar_of
from ....data.schemas import Schema, TidyText, parse_row
from ....data.templates import Template
from ....errors import InputError, quoted
from ....method import Finding, method
from ....models.base import MaskedScorer
from ....result import NOTHING_TO_TEST, Coverage, Estimate, Row, Sampled, Skipped
from ....text import row_place
from ...correlation import correlate, rank_interval, without_interval
from ...rows import as_fields, checked_rows, is_score, nothing_left
from ...template_filling import (
    Cloze,
    fill,
    one_language,
    read_words,
    template_texts,
    templates_for,
    word_logprobs,
)
from ...word_lists.inference import Inference, studentised_mean
from .record import RECORD

PRONOUNS: Mapping[str, tuple[str, str]] = {
    "de": ("sie", "er"),
    "en": ("she", "he"),
    "es": ("ella", "él"),
    "fr": ("elle", "il"),
    "is": ("hún", "hann"),
    "it": ("lei", "lui"),
    "nl": ("zij", "hij"),
    "no": ("hun", "han"),
    "pt": ("ela", "ele"),
}
"""Female and male pronoun of each language, in the form of a subject. Turkish has one pronoun for both."""
Variant: TypeAlias = Literal["paper", "authors-code"]
_SET = "mlm-gender-score"
_AUTHORS_TEXTS = {"mlm-gender-score-02": "{mask} studied for years to become a {profession}."}
"""Templates of the set that the authors' code has otherwise than the paper's Table 1."""
SHARES = ("women_bls", "women_bergsma")
"""Columns with the share of women in an occupation."""
LEAST_FOR_CORRELATION = 4
FEW = 5
"""With fewer occupations than this a bootstrap interval cannot keep its level."""
_INTERVALS = {"studentised": "studentised bootstrap", "student": "Student's t interval"}
_TESTS = {"studentised": "studentised bootstrap", "student": "t test"}
_EQUAL_WITHIN = 1e-7
"""Probabilities closer than this are equal: that is how far models in single precision round."""


def gender_scores(
    model: Any, words: Sequence[str], templates: Sequence[Template], pronouns: tuple[str, str]
) -> tuple[NDArray[np.float64], list[str]]:
    """p(female pronoun) − p(male pronoun) of every word in every template.

    Returns:
        Array of shape (words, templates), NaN in the rows of words that cannot be scored, and for every word
        the reason, empty if it can be.
    """
    filled = []
    for word, template, pronoun in product(words, templates, pronouns):
        # With the pronoun in place, which is masked later: so its piece is the one that fits there.
        filling = fill(template, mask=pronoun, profession=word)
        if not isinstance(filling, str) and filling.spans["mask"][0] == 0 and template.is_sentence:
            filling = filling.replace({"mask": grammar_of(template.language).capitalised(pronoun)})
        filled.append(filling)
    clozes = read_words(model, filled)
    of_words = [
        clozes[first : first + 2 * len(templates)] for first in range(0, len(clozes), 2 * len(templates))
    ]
    reasons = [next((one for one in word_clozes if isinstance(one, str)), "") for word_clozes in of_words]
    good = [i for i, reason in enumerate(reasons) if not reason]
    requests = [c.requests("mask") for i in good for c in of_words[i] if isinstance(c, Cloze)]
    # score(word, template) = p(female pronoun) − p(male pronoun). p has shape (scored words, templates, 2).
    p = np.exp(word_logprobs(model, requests)).reshape(-1, len(templates), 2)
    scores = np.full((len(words), len(templates)), np.nan)
    scores[good] = p[..., 0] - p[..., 1]
    return scores, reasons


@method(RECORD)
def evaluate(
    model: MaskedScorer,
    data: Sequence[Any],
    *,
    templates: str | Sequence[str | Template] = _SET,
    variant: Variant = "paper",
    female: str | None = None,
    male: str | None = None,
    inference: Inference,
) -> Finding:
    """Mean over occupations and templates of p("she") − p("he") at the mask.

    The score of an occupation is its mean over the templates, and the model's score is the mean over occupations. The
    correlation of the occupations' scores with the share of women in them, if the data have it, appears in ``details``:
    Pearson's with Fisher's interval and a permutation p-value, and Spearman's. A pronoun of several pieces gets a mask
    for each, read from left to right.

    Args:
        model: a masked language model.
        data: occupations: mappings with ``word``, and, if known, the share of women in [0, 1] as ``women_bls`` (of
            those employed) and ``women_bergsma`` (of mentions in text).
        templates: the name of a packaged set, or a list of texts with the slots ``{mask}`` and ``{profession}``, in the
            language of the data (English if they name none).
        variant: ``"authors-code"`` reproduces the published code, whose second template is "[mask] studied for years to
            become a [job]."; in the paper, and here, it is "[mask] has studied …". For the packaged set in English.
        female: the female pronoun, by default the language's.
        male: the male pronoun.
        n_resamples: number of bootstrap samples of occupations, and of reorderings for the correlations' p-values.

    Returns:
        Score in [-1, 1], two-sided, ideal 0, positive if "she" is the more likely pronoun. The interval is a
        studentised bootstrap over occupations (Student's t interval if they are too few for it), the p-value
        that of a mean of 0 by the same bootstrap. ``n`` is the number of occupations, ``items`` has every one
        of them, ``groups`` every template. Interval and p-value are missing if all occupations have the same score.

    Raises:
        CapabilityError: the model does not score masked tokens.
        DataError: a template has other slots than the two, or a share is not one.
        InputError: an option is out of range, templates or pronouns in this language are missing, or the authors' code
            has no such templates.
        UndefinedScoreError: no occupation can be scored.

    References:
        Dusi, Arici, Gerevini, Putelli and Serina (2022): Graphical Identification of Gender Bias in BERT with a Weakly
        Supervised Approach. NL4AI 2022.
    """
    uncased = bool(getattr(model, "is_uncased", False))
    occupations, skipped = _occupations(checked_rows(data, "mlm_gender_score"), uncased)
    language = one_language("mlm_gender_score", (o.language for o in occupations))
    chosen = templates_for(templates, language, ("mask", "profession"))
    if variant == "authors-code":
        if not {t.id for t in chosen if t.language == "en"} >= set(_AUTHORS_TEXTS):
            raise InputError(
                f"`variant` 'authors-code' changes a template of {_SET!r} in English",
                option="variant",
                hint="leave `templates` and `language` at their defaults",
            )
        chosen = [type(t)(**{**t.model_dump(), "text": _AUTHORS_TEXTS.get(t.id, t.text)}) for t in chosen]
    pronouns = _pronouns(language, female, male)
    table, reasons = gender_scores(model, [o.word for o in occupations], chosen, pronouns)
    skipped += [Skipped(o.word, reason) for o, reason in zip(occupations, reasons, strict=True) if reason]
    jobs = [o for o, reason in zip(occupations, reasons, strict=True) if not reason]
    if not jobs:
        raise nothing_left("no occupation can be scored", skipped)
    table = table[[not reason for reason in reasons]]
    scores, means = table.mean(axis=1), table.mean(axis=0)
    notes: list[str] = []
    nothing: dict[str, str] = {}
    if len(jobs) == 1:
        notes = ["there is only one occupation, so there is neither an interval nor a test"]
    elif not _varies(scores):
        notes = ["all occupations have the same score, so there is neither an interval nor a test"]
        nothing = {NOTHING_TO_TEST: f"all {len(jobs)} occupations have the same score"}
    elif len(jobs) < FEW:
        notes = [f"fewer than {FEW} occupations, so the interval is rough"]
    groups = [
        Row(
            name=t.id,
            kind="group",
            n=len(jobs),
            labels={"title": t.text},
            sampled=Sampled(("occupations",), {"templates": 1}),
            **_mean(column, inference),
        )
        for t, column in zip(chosen, table.T, strict=True)
    ]
    items = [
        Row(name=o.word, kind="item", score=float(score), details=o.shares)
        for o, score in zip(jobs, scores, strict=True)
    ]
    correlations = {
        key: facts
        for key in SHARES
        if (facts := _correlations(scores, [o.shares.get(key) for o in jobs], inference))
    }
    perfect = without_interval(
        {f"{share}, {k}": c[k]["r"] for share, c in correlations.items() for k in ("pearson", "spearman")}
    )
    employment = {}
    if "women_bls" in correlations:
        r = correlations["women_bls"]["pearson"]
        employment["correlation_women_bls"] = Estimate(r["r"], r["ci_low"], r["ci_high"], r["p_value"])
    return Finding(
        n=len(jobs),
        **_mean(scores, inference),
        sampled=Sampled(("occupations",), {"templates": len(chosen)}),
        coverage=Coverage(found=len(jobs), asked=len(occupations)),
        rows=(*groups, *items),
        skipped=skipped,
        warnings=[*notes, *perfect],
        estimates=employment,
        details={
            "correlations": correlations,
            "templates": {"lowest": float(means.min()), "highest": float(means.max())},
            **dict(zip(("female", "male"), pronouns, strict=True)),
            **nothing,
        },
        settings={"templates": template_texts(templates), "language": language},
    )


def _varies(values: NDArray[np.float64]) -> bool:
    return bool(np.ptp(values) > _EQUAL_WITHIN)


def _share(value: Any) -> float:
    if not is_score(value) or not 0 <= value <= 1:
        raise ValueError(f"must be a share between 0 and 1, got {quoted(value)}")
    return float(value)


_Share: TypeAlias = Annotated[float | None, BeforeValidator(_share)]


class _Job(Schema):
    """An occupation, and what is known of the share of women in it."""

    model_config = ConfigDict(extra="ignore")

    word: TidyText
    language: str = "und"
    women_bls: _Share = None
    women_bergsma: _Share = None

    @property
    def shares(self) -> dict[str, float]:
        return {key: share for key in SHARES if (share := getattr(self, key)) is not None}


def _occupations(rows: Sequence[Any], uncased: bool) -> tuple[list[_Job], list[Skipped]]:
    """Return every occupation once, with the shares that are known of it. An uncased model sees no capitals."""
    occupations: dict[str, _Job] = {}
    skipped: list[Skipped] = []
    for i, row in enumerate(rows):
        where = row_place(i, len(rows), "occupation")
        job = parse_row(_Job, as_fields(row, where), where)
        key = job.word.lower() if uncased else job.word
        if key in occupations:
            skipped.append(Skipped(job.word, "given twice, counted once"))
        occupations.setdefault(key, job)
    return list(occupations.values()), skipped


def _pronouns(language: str, female: str | None, male: str | None) -> tuple[str, str]:
    known = PRONOUNS.get(language.partition("-")[0].lower())
    if known is None and not (female and male):
        raise InputError(
            f"the pronouns of {language!r} are not known, only of {', '.join(PRONOUNS)}",
            option="language",
            hint="give them as `female` and `male`",
        )
    pair = (female or known[0], male or known[1]) if known else (female or "", male or "")
    if pair[0] == pair[1]:
        raise InputError(f"the female and the male pronoun are both {pair[0]!r}, so nothing could differ")
    return pair


def _mean(scores: NDArray[np.float64], inference: Inference) -> dict[str, Any]:
    """Mean, and if the scores vary its interval and the p-value of a mean of 0."""
    if not _varies(scores):
        return {"score": float(scores.mean())}
    interval = studentised_mean(scores, inference)
    assert interval.p is not None
    p, p_error = interval.p
    return {
        "score": interval.estimate,
        # A difference of probabilities cannot lie outside, whatever a few occupations allow.
        "ci_low": max(interval.low, -1.0),
        "ci_high": min(interval.high, 1.0),
        "ci_method": f"{_INTERVALS[interval.method]} over occupations",
        "p_value": p,
        "p_error": p_error,
        "p_method": f"{_TESTS[interval.method]} of a mean of 0 over occupations, two-sided",
    }


def _correlations(
    scores: NDArray[np.float64], shares: Sequence[float | None], inference: Inference
) -> dict[str, Any] | None:
    """Pearson's and Spearman's correlation of scores and shares, over the occupations whose share is known."""
    from scipy.stats import rankdata

    known = [i for i, share in enumerate(shares) if share is not None]
    # In ascending order, so that rows in another order have the same reorderings.
    known.sort(key=lambda i: (scores[i], shares[i]))
    values = np.array([shares[i] for i in known], dtype=np.float64)
    if len(known) < LEAST_FOR_CORRELATION or not (_varies(values) and _varies(scores[known])):
        return None
    out: dict[str, Any] = {"n": len(known)}
    for name, x, y in (
        ("pearson", scores[known], values),
        ("spearman", rankdata(scores[known]), rankdata(values)),
    ):
        correlation = correlate(
            x[:, None],
            y,
            n_resamples=inference.n_resamples,
            confidence_level=inference.confidence_level,
            seed=inference.seed,
        ).each[0]
        low, high = correlation.ci_low, correlation.ci_high
        if name == "spearman":
            low, high = rank_interval(correlation.r, len(known), inference.confidence_level) or (None, None)
        out[name] = {"r": correlation.r, "p_value": correlation.p_value, "ci_low": low, "ci_high": high}
    return out
