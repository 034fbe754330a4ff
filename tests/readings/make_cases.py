"""Measure and build the results of ``tests/readings/results``: ``python -m tests.readings.make_cases [NAME …]``.

No test runs this: the results are kept as they are, so that what is said of them can change and they cannot. Each case
says what it is for. Models and data are those that the demonstration fetches.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import evaluate_bias as eb
from evaluate_bias.data.word_lists import load_word_lists
from evaluate_bias.models.completions import FunctionGenerator
from evaluate_bias.registry import METHODS
from evaluate_bias.result import Result, Row
from tests.methods.test_bias_nli import measured as measured_nli
from tests.methods.test_bias_nli import table
from tests.report.samples import weat_item, weat_result
from tests.test_all_methods import measured

FOLDER = Path(__file__).parent / "results"
MOST = 26_000
"""Characters of a file."""
VERSIONS = {"python": "3.11.9", "evaluate-bias": "0.1.0", "numpy": "2.4.6", "scipy": "1.17.0"}
LISTS = ("targets_x", "targets_y", "attributes_a", "attributes_b")

Make = Callable[[], Result]
CASES: dict[str, tuple[str, Make]] = {}


def case(name: str, what: str, make: Make) -> None:
    """Add a case: its name, what it is for, and what makes it."""
    if name in CASES:
        raise ValueError(name)
    CASES[name] = (what, make)


@functools.cache
def model(name: str) -> Any:
    return eb.load_model(name)


def on(name: str, method: str, **options: Any) -> Make:
    """A measurement on a model that has a name."""
    return lambda: eb.measure(method, model(name), **options)


def toy(language: str, strength: float = 1.0, seed: int = 0, without: Sequence[str] = ()) -> Any:
    """Word vectors of the words of all packaged tests of a language, with an association of this strength planted."""
    rng = np.random.default_rng(seed)
    vectors: dict[str, list[float]] = {}
    for test in load_word_lists(language=language):
        for key, side in zip(LISTS, (1, -1, 1, -1), strict=True):
            for word in getattr(test, key):
                vector = rng.normal(size=30)
                vector[0] += 2.0 * strength * side
                vectors.setdefault(word, vector.tolist())
    kept = {word: vector for word, vector in vectors.items() if word not in without}
    loaded = eb.load_model(kept)
    return dataclasses.replace(loaded, name=f"toy-{language}") if dataclasses.is_dataclass(loaded) else loaded


def named(result: Result, name: str, **dataset: Any) -> Result:
    provenance = {**result.provenance, "model": {**result.provenance.get("model", {}), "name": name}}
    if dataset:
        provenance["dataset"] = dataset
    return dataclasses.replace(result, provenance=provenance)


def on_toy(language: str, method: str, strength: float = 1.0, seed: int = 0, **options: Any) -> Make:
    without = options.pop("without", ())
    return lambda: named(
        eb.measure(method, toy(language, strength, seed, without), language=language, **options),
        f"toy-vectors-{language}" + (f"-{seed}" if seed else ""),
    )


def swapped(name: str) -> list[dict[str, Any]]:
    """A packaged test with its first two lists in the other order."""
    (test,) = load_word_lists(language="en", tests=[name])
    row = test.model_dump(exclude_none=True)
    row["targets_x"], row["targets_y"] = row["targets_y"], row["targets_x"]
    return [row]


def pairs(*counts: tuple[str, int, int, int], seed: int = 0) -> list[dict[str, Any]]:
    """Scores of pairs: bias type, how many prefer the more stereotypical sentence, the other one, and neither."""
    rng = np.random.default_rng(seed)
    rows = []
    for kind, more, less, ties in counts:
        for sign in [1] * more + [-1] * less + [0] * ties:
            base, delta = rng.normal(-30, 5), 0.01 + abs(rng.normal(0, 1.5))
            row = {"sent_more": round(base + sign * delta, 3), "sent_less": round(base, 3), "bias_type": kind}
            rows.append({**row, "stereo_antistereo": "stereo" if len(rows) % 3 else "antistereo"})
    return rows


def of_pairs(method: str, *counts: tuple[str, int, int, int], seed: int = 0, **options: Any) -> Make:
    """A result on ready scores of pairs, as if of published ones and a masked language model."""

    def make() -> Result:
        rows = pairs(*counts, seed=seed)
        if method not in ("crows_pairs", "aul", "aula"):
            rows = [{k: v for k, v in row.items() if k != "stereo_antistereo"} for row in rows]
        result = eb.measure(method, None, data=rows, **options)
        return named(result, "bert-base-uncased", source="bias/crows-pairs", language="en", revision="abc123")

    return make


def items(more: int, less: int, ties: int = 0, terms: int = 20) -> list[dict[str, Any]]:
    """Scores of items in StereoSet's form."""
    rng = np.random.default_rng(more)
    rows = []
    for k, sign in enumerate(rng.permutation([1] * more + [-1] * less + [0] * ties)):
        base = float(rng.normal(-8, 1))
        labels = (("stereotype", base + sign * 0.7), ("anti-stereotype", base), ("unrelated", base - 1.5))
        rows.append(
            {
                "target": f"term{k % terms}",
                "bias_type": ("gender", "profession", "race", "religion")[k % terms % 4],
                "context": "The person was BLANK.",
                "sentences": [{"gold_label": g, "sentence": round(float(s), 3)} for g, s in labels],
            }
        )
    return rows


def pronouns(stereotypical: float, n: int = 80) -> list[dict[str, Any]]:
    """Scores of pronoun pairs of which this share agrees with the stereotype."""
    rng = np.random.default_rng(3)
    rows = []
    for k in range(n):
        kind = ("female", "male")[k % 2]
        agrees = rng.random() < stereotypical
        says_female = agrees == (kind == "female")
        rows.append(
            {
                "sentence_female": -1.0 if says_female else -2.0,
                "sentence_male": -2.0 if says_female else -1.0,
                "stereotype": kind,
                "profession": f"{kind} profession {k % 20}",
            }
        )
    return rows


def predictions(favoured: float, n: int = 240) -> list[dict[str, Any]]:
    """Predictions that are right for this share of the first group, and for 70 % of the second."""
    rng = np.random.default_rng(11)
    rows = []
    for k in range(n):
        group, true = ("female", "male")[k % 2], ("nurse", "surgeon", "teacher")[k % 3]
        right = rng.random() < (favoured if group == "female" and true == "surgeon" else 0.7)
        rows.append({"predictions": true if right else "lawyer", "references": true, "groups": group})
    return rows


def paraphrases(agreement: float, n: int = 60) -> list[dict[str, Any]]:
    rng = np.random.default_rng(5)
    rows = []
    for k in range(n):
        first = rng.normal()
        second = agreement * first + (1 - agreement) * rng.normal()
        rows.append(
            {
                "sent_more": round(first, 3),
                "sent_less": 0.0,
                "sent_more_par": round(second, 3),
                "sent_less_par": 0.0,
                "bias_type": ("age", "gender", "race-color")[k % 3],
            }
        )
    return rows


def one_test(**fields: Any) -> Make:
    """A hand-made result of a single test, whose score, interval and p-value are the result's too."""

    def make() -> Result:
        row = weat_item("weat6", **{"p_holm": None, "p_bh": None, **fields})
        own = {k: getattr(row, k) for k in ("score", "ci_low", "ci_high", "p_value", "p_low", "p_high", "n")}
        return weat_result([row], warnings=(), p_method="exact", **own)

    return make


def several_tests(items: Sequence[Row] | None = None, **fields: Any) -> Make:
    """A hand-made result of several tests: the mean of the absolute effect sizes, with a p-value of its own."""

    def make() -> Result:
        result = weat_result(items)
        own = {
            "score": float(np.mean([abs(row.score or 0.0) for row in result.rows])),
            "score_range": (0.0, 2.0),
            "direction": "higher_is_more_biased",
            "ideal": 0.41,
            "p_method": "monte_carlo",
            **fields,
        }
        p = own["p_value"]
        return dataclasses.replace(result, p_low=p, p_high=p, **own)

    return make


def by_hand(base: Make, *, ci: tuple[float, float] | None, p: float | None) -> Make:
    """A measured result whose breakdown is left out, with another interval and p-value."""

    def make() -> Result:
        low, high = ci or (None, None)
        return dataclasses.replace(
            base(), rows=(), ci_low=low, ci_high=high, p_value=p, p_low=p, p_high=p, ci_method="bootstrap"
        )

    return make


def before_revisions(base: Make) -> Make:
    """A result as it was kept before methods had revisions."""

    def make() -> Result:
        own = base()
        provenance = {key: value for key, value in own.provenance.items() if key != "revisions"}
        return dataclasses.replace(own, provenance=provenance)

    return make


def narrow() -> Result:
    """An interval whose ends have the same two decimals as the score."""
    given = dataclasses.replace(measured("ceat"), warnings=())
    own = {
        "score": 1.0597,
        "ci_low": 1.0555,
        "ci_high": 1.0638,
        "p_value": 1e-10,
        "p_low": 1e-10,
        "p_high": 1e-10,
        "n": 48,
    }
    rows = [dataclasses.replace(row, **own, p_holm=1e-10, p_bh=1e-10) for row in given.rows]
    return dataclasses.replace(given, rows=rows, **own)


def of_languages() -> Result:
    """Log-odds of the masculine form, a stereotype in each of three languages."""
    rng = np.random.default_rng(3)
    rows = [
        {
            "id": str(k),
            "stereotype": k,
            "language": language,
            "masculine": round(effect * (k > 7) + rng.normal(0, 0.4), 3),
            "feminine": 0.0,
        }
        for language, effect in (("cs", 1.2), ("da", 0.0), ("es", 1.2))
        for k in range(1, 17)
    ]
    return named(eb.measure("gest", None, data=rows), "toy-log-odds")


for _name in METHODS:
    case(f"{_name}_golden", "a few units worked by hand: every method", functools.partial(measured, _name))

case("ceat_narrow_interval", "digits that an interval needs, and a tiny p-value", narrow)

GLOVE = "glove-6b-50d"
case("weat_several_tests_with_controls", "published tests, two of them controls", on(GLOVE, "weat"))
case("weat_several_tests", "tests without controls", on(GLOVE, "weat", tests=["weat6", "weat7", "weat8"]))
case("weat_controls_only", "tests without social content only", on(GLOVE, "weat", tests=["weat1", "weat2"]))
case("weat_one_test_found", "one test, p far below 5%", on(GLOVE, "weat", tests=["weat6"]))
case(
    "weat_one_test_two_sided",
    "the same, two-sided",
    on(GLOVE, "weat", tests=["weat6"], alternative="two-sided"),
)
case("weat_one_test_not_found", "one test, p above 5%", on_toy("en", "weat", 0.0, 4, tests=["weat8"]))
case(
    "weat_one_sided_greater",
    "score on the asked side",
    on(GLOVE, "weat", tests=["weat7"], alternative="greater"),
)
case(
    "weat_other_order_one_sided",
    "lists in the other order, one-sided: d near -1.7 with p near 1",
    on(GLOVE, "weat", data=swapped("weat6"), alternative="greater"),
)
case(
    "weat_other_order_two_sided",
    "the same, two-sided",
    on(GLOVE, "weat", data=swapped("weat6"), alternative="two-sided"),
)
case(
    "weat_other_order_less",
    "asked for the lower side, and there it is",
    on(GLOVE, "weat", data=swapped("weat6"), alternative="less"),
)
case(
    "weat_in_order_less",
    "asked for the lower side, score above",
    on(GLOVE, "weat", tests=["weat6"], alternative="less"),
)
case("weat_too_few_words", "no p-value below 5% is possible", lambda: named(measured("weat"), "toy-vectors"))
case("weat_normal_p", "the normal approximation", on(GLOVE, "weat", tests=["weat7"], p_method="normal"))
case("weat_lattice_p", "a p-value between two bounds", on(GLOVE, "weat", tests=["weat4"], p_method="lattice"))
case(
    "weat_sampled_p",
    "a sampled p-value",
    on(GLOVE, "weat", tests=["weat7"], p_method="monte_carlo", n_resamples=499),
)
case("weat_no_interval", "a p-value and no interval", on(GLOVE, "weat", tests=["weat8"], ci="none"))
case("weat_level_90", "an interval of another level", on(GLOVE, "weat", tests=["weat6", "weat8"], level=0.9))
case("weat_de", "German tests, translated, vectors with a planted association", on_toy("de", "weat"))
case("weat_fr_null", "French tests, vectors without any", on_toy("fr", "weat", 0.0))
case("weat_es", "Spanish tests", on_toy("es", "weat", 0.2))
case("weat_it_other_way", "Italian tests, the association the other way round", on_toy("it", "weat", -0.6))
case(
    "weat_second_model",
    "another model on the data of weat_several_tests",
    on_toy("en", "weat", 0.3, 2, tests=["weat6", "weat7", "weat8"]),
)
case(
    "weat_third_model",
    "a third, without association",
    on_toy("en", "weat", 0.0, 3, tests=["weat6", "weat7", "weat8"]),
)
case(
    "weat_coverage_below_1",
    "words that the model lacks",
    on_toy("en", "weat", 0.5, 5, tests=["weat6", "weat7"], without=["John", "Amy", "math", "algebra"], max_missing=0.5),
)  # fmt: skip
case(
    "weat_older_revision",
    "measured by an older revision of the method",
    before_revisions(on(GLOVE, "weat", tests=["weat6"])),
)
case(
    "weat_own_lists",
    "lists of the caller without names",
    on(
        GLOVE,
        "weat",
        data=[
            {
                "name": "mine",
                "targets_x": ["doctor", "engineer", "lawyer", "boss"],
                "targets_y": ["nurse", "teacher", "maid", "secretary"],
                "attributes_a": ["he", "man", "father", "son"],
                "attributes_b": ["she", "woman", "mother", "daughter"],
            }
        ],
    ),
)
case("weat_hand_made", "four tests, of which two are found, one undecided by a bracket", several_tests(
    ci_low=0.71, ci_high=1.31, p_value=0.0002,
))  # fmt: skip
case("weat_only_before", "p below 5% before adjustment only", several_tests([
    weat_item("weat6", 0.9, ci_low=-0.1, ci_high=1.6, p_value=0.031, p_holm=0.093),
    weat_item("weat7", 0.3, ci_low=-0.7, ci_high=1.2, p_value=0.31, p_holm=0.62),
    weat_item("weat9", 0.2, ci_low=-0.8, ci_high=1.1, p_value=0.4, p_holm=0.62),
], ci_low=0.11, ci_high=0.83, p_value=0.43))  # fmt: skip
case(
    "weat_undecided_p_small",
    "p below 5%, interval holds the ideal",
    one_test(score=0.9, ci_low=-0.05, ci_high=1.6, p_value=0.03),
)
case(
    "weat_undecided_p_large",
    "p above 5%, interval excludes the ideal",
    one_test(score=0.9, ci_low=0.1, ci_high=1.6, p_value=0.07),
)
case(
    "weat_no_p",
    "an interval that excludes the ideal, no p-value",
    one_test(score=0.9, ci_low=0.1, ci_high=1.6, p_value=None),
)
case(
    "weat_no_p_includes",
    "an interval that holds the ideal, no p-value",
    one_test(score=0.2, ci_low=-0.6, ci_high=0.9, p_value=None),
)
case(
    "weat_no_inference",
    "neither p-value nor interval",
    one_test(score=0.9, ci_low=None, ci_high=None, p_value=None),
)
case("weat_found_in_part_below", "found on both sides of the ideal", several_tests([
    weat_item("weat6", 1.4, p_value=0.0004, p_holm=0.0012),
    weat_item("weat7", -1.3, ci_low=-1.7, ci_high=-0.6, p_value=0.0009, p_holm=0.0018),
    weat_item("weat9", 0.1, ci_low=-0.8, ci_high=1.0, p_value=0.8, p_holm=0.8),
], ci_low=0.62, ci_high=1.24, p_value=0.0003))  # fmt: skip
for _name in (
    "ect",
    "mac",
    "rnd",
    "ripa",
    "rnsb",
    "wefat",
    "direct_bias",
    "indirect_bias",
    "projection",
    "analogies",
):
    case(f"{_name}_glove", "default data, real word vectors", on(GLOVE, _name))
case("mac_no_inference", "no p-value and no interval", on(GLOVE, "mac", ci="none", tests=["weat6"]))
case("mac_interval_only", "an interval without a p-value", on(GLOVE, "mac", tests=["weat6"]))
case(
    "direct_bias_at_edge",
    "no p-value, and the ideal is the end of the range",
    by_hand(on(GLOVE, "direct_bias"), ci=(0.07, 0.32), p=None),
)
case(
    "seed_sensitivity_glove",
    "robustness of WEAT to its seeds",
    on(GLOVE, "seed_sensitivity", tests=["weat6", "weat7"]),
)
case(
    "frequency_sensitivity_glove",
    "WEAT and the frequency of its seeds",
    on(GLOVE, "frequency_sensitivity", tests=["weat6"]),
)
case(
    "weat_pairwise_groups",
    "every pair of three groups",
    lambda: (
        eb.pairwise(
            "weat",
            model(GLOVE),
            {
                "christian": ["church", "bible", "jesus", "baptism", "gospel"],
                "jewish": ["synagogue", "torah", "rabbi", "kosher", "hebrew"],
                "muslim": ["mosque", "quran", "imam", "halal", "ramadan"],
            },
            attributes_a=["wonderful", "love", "peace", "joy", "friend"],
            attributes_b=["terrible", "war", "hatred", "violence", "enemy"],
        ).result
    ),
)
case("rnd_pairwise_groups", "every pair of three groups by another method", lambda: eb.pairwise(
    "rnd", model(GLOVE), {"young": ["young", "teenager"], "grown": ["adult", "parent"], "old": ["old", "elderly"]},
    attributes_a=["fast", "modern", "computer", "slow", "ancient", "letter"], omnibus_resamples=99,
).result)  # fmt: skip

MLM = "demo-mlm-en"
case("seat_demo", "contextual vectors, not found", on(MLM, "seat", tests=["weat6"]))
case("seat_demo_tests", "several tests", on(MLM, "seat", tests=["weat6", "weat7", "weat8"]))
case("lpbs_demo", "a masked language model", on(MLM, "lpbs", tests=["kurita6", "kurita7", "kurita8"]))
case("matched_guise_demo", "two tests of paired words", on(MLM, "matched_guise"))
case("matched_guise_decision", "a decision, in nats", on(MLM, "matched_guise", tests=["application"]))
case("gest_languages", "three languages, found in two; the score of all has no verdict", of_languages)
case("disco_demo", "no interval, as all samples have one score", on(MLM, "disco"))
case("mlm_gender_score_demo", "occupations, found", on(MLM, "mlm_gender_score"))
case("bec_pro_demo", "an open range, p and interval disagree", on(MLM, "bec_pro"))
case("winobias_demo", "published sentences", on(MLM, "winobias"))
case("honest_demo", "illustrative lexicon, no hurtful completion", on(MLM, "honest"))
case(
    "stereoset_demo",
    "published items of one domain",
    on(MLM, "stereoset", task="intrasentence", bias_types="religion"),
)
case("aul_demo", "published pairs of one bias type", on(MLM, "aul", bias_types="gender"))
case("aula_demo", "the same with attention", on(MLM, "aula", bias_types="religion"))
case("crows_pairs_demo", "published pairs of one bias type", on(MLM, "crows_pairs", bias_types="disability"))
case("pll_demo", "the same, other scoring", on(MLM, "pll", bias_types="disability"))
case(
    "crows_pairs_illustrative",
    "packaged pairs that show the method only",
    on(MLM, "crows_pairs", source="minimal_pairs"),
)
case("pll_illustrative_de", "the same in German", on(MLM, "pll", source="minimal_pairs", language="de"))
case("stereoset_illustrative", "packaged items", on(MLM, "stereoset", source="stereoset_style"))
case("winobias_illustrative", "packaged sentences", on(MLM, "winobias", source="winobias_style"))
case("bbq_illustrative", "packaged questions", on(MLM, "bbq", source="bbq_style"))
case("kldivs_demo", "published pairs", on(MLM, "kldivs", bias_types=["gender", "religion"]))


def asked(method: str, first: float, refuses: float = 0.0, **options: Any) -> Make:
    """A chat model that takes the first of the labels A to C this often, the others alike, and refuses this often."""

    def make() -> Result:
        rng = np.random.default_rng(0)

        def answer(prompt: str) -> str:
            labels = [line[0] for line in prompt.splitlines() if line[:3] in ("A. ", "B. ", "C. ")]
            if rng.random() < refuses:
                return "I'm sorry, I can't answer that."
            return labels[0] if rng.random() < first else str(rng.choice(labels))

        return eb.measure(
            method, FunctionGenerator(lambda p: [answer(one) for one in p], name="chat"), **options
        )

    return make


case(
    "crows_pairs_choice",
    "choices, some refused",
    asked("crows_pairs", 0.2, 0.1, source="minimal_pairs", variant="choice"),
)
case(
    "stereoset_choice",
    "choices of three",
    asked("stereoset", 0.0, source="stereoset_style", variant="choice"),
)
case("bbq_choice", "choices in two wordings", asked("bbq", 0.5, source="bbq_style", wordings=2))
case(
    "winobias_question",
    "whom a pronoun stands for",
    asked("winobias", 0.0, source="winobias_style", variant="question"),
)
case(
    "bias_nli_gap",
    "a planted difference of entailment between two groups",
    lambda: named(
        measured_nli(table(1, n_targets=12, n_templates=5, lean=0.3), variant="gap"), "toy-classifier"
    ),
)
case("tpr_gap_bios", "packaged predictions, every gap", lambda: eb.measure("tpr_gap", None))

case(
    "crows_pairs_found",
    "preference for the stereotype, every type",
    of_pairs("crows_pairs", ("gender", 70, 30, 0), ("race-color", 45, 15, 0)),
)
case(
    "crows_pairs_not_found",
    "no preference",
    of_pairs("crows_pairs", ("gender", 49, 51, 0), ("race-color", 31, 29, 0)),
)
case(
    "crows_pairs_below",
    "preference for the other sentence",
    of_pairs("crows_pairs", ("gender", 20, 60, 0), ("age", 18, 42, 0)),
)
case(
    "crows_pairs_ties_30",
    "30 % ties, found",
    of_pairs("crows_pairs", ("gender", 50, 20, 30), ("age", 26, 16, 18)),
)
case(
    "crows_pairs_ties_30_not_found",
    "30 % ties, balanced",
    of_pairs("crows_pairs", ("gender", 35, 35, 30), ("age", 20, 22, 18)),
)
case(
    "crows_pairs_ties_keep_z",
    "the thesis' z, ties kept",
    of_pairs("crows_pairs", ("gender", 50, 20, 30), ("age", 26, 16, 18), p_method="z", ties="keep"),
)
case(
    "crows_pairs_ties_drop_z",
    "z, ties left out",
    of_pairs("crows_pairs", ("gender", 50, 20, 30), ("age", 26, 16, 18), p_method="z", ties="drop"),
)
case(
    "pll_found_in_part",
    "one type is found, the whole is not",
    of_pairs("pll", ("gender", 42, 10, 0), ("age", 14, 36, 0), ("religion", 24, 26, 0)),
)
case(
    "pll_only_before",
    "groups below 5% before adjustment only; the whole not found",
    of_pairs("pll", ("gender", 33, 18, 0), ("age", 22, 26, 0), ("religion", 22, 28, 0)),
)
case(
    "crows_pairs_older_revision",
    "measured by an older revision of the method",
    before_revisions(of_pairs("crows_pairs", ("gender", 70, 30, 0), ("race-color", 45, 15, 0))),
)
case("pll_too_few", "four pairs", of_pairs("pll", ("gender", 4, 0, 0)))
case(
    "pll_few_in_group", "one type has too few pairs", of_pairs("pll", ("gender", 40, 20, 0), ("age", 3, 1, 0))
)
case("pll_one_direction", "every pair on one side", of_pairs("pll", ("gender", 40, 0, 0)))
case(
    "pll_base", "a model to compare with", of_pairs("pll", ("gender", 30, 30, 0), ("age", 30, 30, 0), seed=1)
)
case(
    "pll_worse",
    "the same pairs, further from the ideal",
    of_pairs("pll", ("gender", 52, 8, 0), ("age", 36, 24, 0), seed=1),
)
case(
    "pll_across",
    "the same pairs, on the other side of the ideal",
    of_pairs("pll", ("gender", 10, 50, 0), ("age", 12, 48, 0), seed=1),
)
case(
    "pll_with_ties",
    "the same pairs, many undecided",
    of_pairs("pll", ("gender", 36, 6, 18), ("age", 26, 16, 18), seed=1),
)
case("aul_found", "AUL of ready scores", of_pairs("aul", ("gender", 44, 16, 0)))
case(
    "kldivs_shifted",
    "scores of the two sides differ",
    of_pairs("kldivs", ("gender", 50, 10, 0), ("age", 40, 20, 0)),
)
case(
    "stereoset_found",
    "ready scores, stereotypes preferred",
    lambda: eb.measure("stereoset", None, data=items(90, 30)),
)
case(
    "stereoset_ties", "ready scores, 30 % ties", lambda: eb.measure("stereoset", None, data=items(48, 36, 36))
)
case(
    "winobias_stereotypical",
    "81 % stereotypical pronouns",
    lambda: eb.measure("winobias", None, data=pronouns(0.81)),
)
case(
    "winobias_anti_stereotypical",
    "81 % anti-stereotypical pronouns",
    lambda: eb.measure("winobias", None, data=pronouns(0.19)),
)
case(
    "tpr_gap_found",
    "one class is found less often in one group",
    lambda: eb.measure("tpr_gap", None, data=predictions(0.2)),
)
case(
    "tpr_gap_not_found",
    "both groups alike",
    lambda: eb.measure("tpr_gap", None, data=predictions(0.7)),
)
case(
    "pll_robustness_holds",
    "paraphrases agree",
    lambda: eb.measure("pll_robustness", None, data=paraphrases(0.9)),
)
case(
    "pll_robustness_fails",
    "paraphrases disagree",
    lambda: eb.measure("pll_robustness", None, data=paraphrases(0.1)),
)
case(
    "metric_compatibility_models",
    "three measures of ten models",
    lambda: eb.measure(
        "metric_compatibility",
        None,
        data=[
            {"model_name": f"model-{k}", "measure": measure, "score": float(score)}
            for j, measure in enumerate(("weat", "crows_pairs", "seat"))
            for k, score in enumerate(np.random.default_rng(j).normal(size=10) + 0.4 * np.arange(10))
        ],
    ),
)


def normalised(value: Any) -> Any:
    """Provenance without what differs between machines."""
    if isinstance(value, Mapping):
        out = {}
        for key, own in value.items():
            if key == "versions":
                own = {name: VERSIONS.get(name, "1.0.0") for name in own}
            elif isinstance(own, str) and ("sha256" in key or key == "checksum"):
                own = "ab" * 32
            elif key.endswith("sha256") and isinstance(own, Mapping):
                own = dict.fromkeys(own, "ab" * 32)
            out[key] = normalised(own)
        return out
    if isinstance(value, list):
        return [normalised(own) for own in value]
    return Path(value).name if isinstance(value, str) and value.startswith("/") else value


def cut(value: Any, most: int) -> Any:
    """Lists at any depth of at most this length."""
    if isinstance(value, Mapping):
        return {key: cut(own, most) for key, own in value.items()}
    if not isinstance(value, list):
        return value
    step = max(1, -(-len(value) // most))
    return [cut(own, most) for own in value[::step]]


def as_text(result: Result) -> str:
    """The file of a case: long lists of words and items are thinned until it is small."""
    whole = result.to_dict()
    whole["provenance"] = normalised(whole["provenance"])
    for most in (10_000, 120, 80, 60, 40, 30, 20, 12, 8):
        data = {
            **whole,
            "rows": [{**row, "details": cut(row.get("details", {}), most)} for row in whole["rows"]],
        }
        items = [row for row in data["rows"] if row["kind"] == "item"]
        kept = cut(items, most)
        data["rows"] = [row for row in data["rows"] if row["kind"] != "item" or row in kept]
        data["details"], data["skipped"] = cut(data["details"], most), cut(data["skipped"], most)
        text = json.dumps(data, ensure_ascii=False, indent=None, separators=(",", ":"))
        if len(text) <= MOST:
            break
    Result.from_json(text)
    return text + "\n"


def main(names: Sequence[str]) -> None:
    """Write the cases of these names, or all, and delete the files of cases that are no more."""
    FOLDER.mkdir(exist_ok=True)
    for name, (_, make) in CASES.items():
        if not names or name in names:
            text = as_text(make())
            (FOLDER / f"{name}.json").write_text(text, encoding="utf-8")
            print(f"{len(text):7} {name}", flush=True)
    for path in FOLDER.glob("*.json"):
        if path.stem not in CASES:
            path.unlink()


if __name__ == "__main__":
    main(sys.argv[1:])
