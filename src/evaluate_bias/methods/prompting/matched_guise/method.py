"""Matched guise probing: which attributes a model expects after two ways to say the same (Hofmann et al. 2024)."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ....arrays import FloatArray
from ....data.prompted_tests import GuiseTest
from ....data.schemas import WordListTest
from ....errors import InputError
from ....method import Finding, method
from ....models.base import MaskedScorer, SequenceScorer
from ...word_lists.inference import Inference
from ...word_lists.inputs import LISTS, parsed_tests
from ...word_lists.pipeline import measure_materials
from ...word_lists.results import Headline, TestOutcome, TestRun
from .reading import BARE, GuiseMaterial, read_test
from .record import RECORD
from .statistics import decision_outcome, rated_outcome


@method(RECORD)
def evaluate(
    model: MaskedScorer | SequenceScorer,
    tests: Sequence[WordListTest | Mapping[str, Any]],
    *,
    calibrate: bool = False,
    inference: Inference,
) -> Finding:
    """Run matched guise probing on a masked or causal language model.

    The association of an attribute x is q(x), the mean over prompts v and pairs of texts t of
    log p(x | v(t₁)) − log p(x | v(t₂)), x being the next token after the prompt. The score is Spearman's correlation
    of q with the ratings of the attributes. A test with two attributes is a decision: its score is q of the one that
    is rated higher less q of the other one. Attributes that are not one token to the model are left out and listed.

    With one test the score is its own. With several, which must be of one kind, it is the mean of theirs; every test
    has its own p-value. Controls (``bias_type`` "none") are left out of it, unless there is nothing else.

    Args:
        model: a masked or causal language model, or an endpoint that gives log-probabilities of its prompts.
        tests: mappings with ``name``, ``targets_x`` and ``targets_y`` (the texts, in pairs), ``attributes_a``,
            ``attributes_b``, ``prompts`` and ``ratings``, see :class:`~evaluate_bias.data.prompted_tests.GuiseTest`.
            Word lists whose targets are pairs will do; without prompts, the attributes are read after the bare texts.
        calibrate: divide the probability of an attribute by that after the prompt without a text. That is the same for
            both texts of a pair and cancels out of q; it changes which of two decisions is the likelier one.

    Returns:
        Score ρ, range -1 to 1, two-sided, ideal 0; positive where highly rated attributes go with the first texts. The
        p-value rearranges the ratings over the attributes; of a decision, it exchanges the texts of each pair. ``n`` is
        the number of attributes, of a decision that of pairs; that of a test's row is the number of its texts.

    Raises:
        CapabilityError: the model scores neither masked tokens nor sequences.
        CoverageError: more than ``max_missing`` of the attributes or pairs cannot be scored; the text names them.
        DataError: a row does not follow the schema.
        InputError: an option is out of range, two tests share a name, the texts are no pairs, an attribute is in both
            lists, or decisions and rated attributes are mixed.
        UndefinedScoreError: there are no texts, fewer attributes than are needed, or associations or ratings that do
            not vary.

    References:
        Hofmann, Kalluri, Jurafsky and King (2024): AI generates covertly racist decisions about people based on their
        dialect. Nature 633, 147-154.
    """
    parsed = parsed_tests("matched_guise", tests, GuiseTest)
    is_decision = parsed[0].is_decision
    if other := next((t.name for t in parsed if t.is_decision != is_decision), None):
        two, more = (parsed[0].name, other) if is_decision else (other, parsed[0].name)
        raise InputError(
            f"{two} is a decision between two attributes and {more} a correlation over more, whose scores have no "
            "common scale: measure them apart, by tests=[…]"
        )
    neutral = calibrate and is_decision
    materials = [read_test(model, t, neutral=neutral, max_missing=inference.max_missing) for t in parsed]

    def compute(material: GuiseMaterial, inference: Inference) -> TestOutcome:
        if is_decision:
            outcome = decision_outcome(material.differences, material.ratings, _shares(material), inference)
            outcome = dataclasses.replace(outcome, row_facts=_named_pairs(material, outcome.row_facts))
        else:
            outcome = rated_outcome(material.differences, material.ratings, inference)
        return dataclasses.replace(outcome, words=_by_list(material, outcome.words))

    finding = measure_materials(
        RECORD, materials, compute, inference, DECISIONS if is_decision else CORRELATIONS,
        {"prompts": {t.name: list(t.prompts or BARE) for t in parsed},
         "variant": "decision" if is_decision else "ratings"},
    )  # fmt: skip
    lists = {material.test.name: _rated_lists(material) for material in materials}
    rows = (dataclasses.replace(row, labels={**row.labels, **lists[row.name]}) for row in finding.rows)
    return dataclasses.replace(finding, rows=tuple(rows))


def _rated_lists(material: GuiseMaterial) -> dict[str, str]:
    """Where ratings are the lists, one value for each: what the list with the higher and the lower ones is called."""
    test, rating = material.test, dict(zip(material.attributes, material.ratings.tolist(), strict=True))
    a, b = ({rating[word] for word in material.words[name]} for name in LISTS[2:])
    if not len(a) == len(b) == 1 or a == b:
        return {}
    names = (
        test.a_label if test.a_label != "A" else "the first attributes",
        test.b_label if test.b_label != "B" else "the second attributes",
    )
    return dict(zip(("high", "low"), names if max(a) > max(b) else names[::-1], strict=True))


class GuiseHeadline(Headline):
    """A rank correlation or a decision, whose interval is no bootstrap interval."""

    def of_one(self, run: TestRun) -> tuple[dict[str, Any], dict[str, Any]]:
        """Fields of the finding, and further facts, of a single test."""
        fields, facts = super().of_one(run)
        if run.outcome.interval is not None:
            fields["ci_method"] = self.resampled
        return fields, facts

    def interval_notes(self, interval: Any, words: Any, ci: str) -> list[str]:
        """That there is none, or that it cannot reflect the choice of texts."""
        if interval is None:
            return ["nothing varies, or the correlation is 1 or -1, so there is no interval"]
        few = self is CORRELATIONS and len(words["targets_x"]) < 5
        return ["fewer than 5 pairs of texts, whose choice the interval does not reflect"] * few


CORRELATIONS = GuiseHeadline(
    tested="permutation test of the ratings over the attributes, two-sided",
    resampled="Bonett and Wright's interval of a rank correlation over attributes, widened by a bootstrap over pairs",
    units=LISTS[2:],
)
DECISIONS = GuiseHeadline(
    tested="sign-flip test over pairs of texts, two-sided",
    resampled="Student's t over pairs of texts",
    units=LISTS[:1],
)


def _shares(material: GuiseMaterial) -> FloatArray:
    """Share of prompts in which the higher rated of two attributes is the likelier one, shape (pairs, 2)."""
    if len(material.attributes) != 2:
        return np.zeros((0, 2))
    logprobs = material.logprobs
    if material.neutral is not None:
        logprobs = logprobs - material.neutral[:, None, :, None]
    high = int(np.argmax(material.ratings))
    return np.asarray((logprobs[high] > logprobs[1 - high]).mean(axis=1))


def _named_pairs(material: GuiseMaterial, facts: Mapping[str, Any]) -> dict[str, Any]:
    """The facts of a decision with the texts of each pair beside its difference."""
    texts = (" / ".join(pair) for pair in zip(*(material.words[name] for name in LISTS[:2]), strict=True))
    pairs = [{"word": pair, "score": score} for pair, score in zip(texts, facts["pairs"], strict=True)]
    return {**facts, "pairs": pairs}


def _by_list(material: GuiseMaterial, columns: Mapping[str, Any]) -> dict[str, dict[str, list[Any]]]:
    """What is said of the attributes, for each of their lists."""
    place = {word: i for i, word in enumerate(material.attributes)}
    return {
        name: {key: [values[place[word]] for word in material.words[name]] for key, values in columns.items()}
        for name in LISTS[2:]
    }
