"""Two groups exchanged, by option or by lists: a signed score is mirrored with its interval, any other stays the same.

p is the same number. Whatever was drawn was drawn for the same items, so no tolerance for chance is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evaluate_bias as eb
from benchmarks.calibrations.templates import DrawnMLM
from evaluate_bias.data.gender_stereotypes import OF_MEN, OF_WOMEN
from evaluate_bias.data.words import load_gendered_words, load_occupations
from evaluate_bias.registry import METHODS
from evaluate_bias.result import Result
from tests.support.tiny_models import tiny_masked
from tests.test_all_methods import every_number, larger, shuffled

Rows = list[dict[str, Any]]
Planted = tuple[Any, Rows, dict[str, Any]]

RESAMPLES = 99
GENDER_TEMPLATES = [
    "{mask} is a {profession}.",
    "The {profession} said {mask} left.",
    "{mask} met the {profession}.",
]
PERSON_TEMPLATES = ["{person} likes {mask}.", "{person} is {mask}.", "{person} saw the {mask}."]
LABELS = ("stereotype", "anti-stereotype", "unrelated")


def renamed(rows: Rows, names: Mapping[str, str]) -> Rows:
    """Rows whose columns have changed places."""
    both = {**names, **{b: a for a, b in names.items()}}
    return [{both.get(k, k): v for k, v in row.items()} for row in rows]


def relabelled(rows: Rows, column: str, one: Any, other: Any) -> Rows:
    """Rows with two values of a column exchanged."""
    turned = {one: other, other: one}
    return [{**row, column: turned.get(row[column], row[column])} for row in rows]


Exchange = tuple[
    str, Callable[[], Planted], Callable[[Rows, dict[str, Any]], tuple[Rows, dict[str, Any]]], int
]
"""A method, its model, rows and options, these after two groups are exchanged, and -1 if the score is mirrored at its
ideal value, 1 if it stays the same."""


def rng(seed: int = 5) -> np.random.Generator:
    return np.random.default_rng(seed)


# --- what is planted ------------------------------------------------------------------------------------------


def pairs(rng: np.random.Generator, n: int = 90) -> Rows:
    numbers = rng.normal(size=(n, 6)).round(2).tolist()
    columns = [f"sent_{side}{end}" for end in ("", "_par", "_ran") for side in ("more", "less")]
    types = ["age", "gender", "race-color", "", "religion"]
    kinds = ["stereo", "antistereo", None]
    return [
        {**dict(zip(columns, row, strict=True)), "bias_type": types[i % 5], "stereo_antistereo": kinds[i % 3]}
        for i, row in enumerate(numbers)
    ]


def stereoset_items(rng: np.random.Generator) -> Rows:
    """More target terms than the sign patterns of which are counted."""
    return [
        {
            "target": f"term{i % 40}",
            "bias_type": ["race", "gender"][i % 2],
            "context": ["BLANK", "Then."][i % 3 % 2],
            "sentences": [
                {"gold_label": label, "sentence": score}
                for label, score in zip(LABELS, rng.integers(0, 4, 3).tolist(), strict=True)
            ],
        }
        for i in range(160)
    ]


def sentences(rng: np.random.Generator, *, numbered: bool) -> tuple[Any, Rows]:
    """Words for persons and professions, and a model that reads them."""
    table, rows = {}, []
    for gender in ("female", "male"):
        for i in range(5):
            for k, group in enumerate(["female"] * 6 + ["male"] * 5 + ["balanced"] * 3):
                word, profession = f"{gender}{(7 * i) % 5}", f"job{(5 * k) % 14}"
                table[word, profession] = float(rng.normal())
                row = {"sentence": f"{word} {profession}", "person": word, "gender": gender}
                row |= {"profession": profession, "profession_gender": group}
                rows.append({**row, "pair": i} if numbered else row)
    return DrawnMLM(table), rows


@cache
def words(name: str) -> Callable[[], Planted]:
    def planted() -> Planted:
        model, rows, options = larger(name)
        return model, rows if name == "wefat" else rows[:1], {k: v for k, v in options.items() if k != "ci"}

    return planted


def contrasts(n: int = 45) -> Planted:
    """Templates about two groups, with a log-odds each."""
    numbers = rng().normal(0.2, 1.0, (n, 2)).tolist()
    rows = [
        {"question": value, "group": group, "template": f"t{t}"}
        for t, both in enumerate(numbers)
        for group, value in zip(("b", "a"), both, strict=True)
    ]
    return None, rows, {"groups": ("a", "b")}


def named_contrasts() -> Planted:
    numbers = rng().normal(0, 1.0, (2, 5, 9))
    rows = [
        {"question": float(numbers[g, i, t]), "group": "ab"[g], "template": f"t{t}", "name": f"{'ab'[g]}{i}"}
        for g, i, t in np.ndindex(numbers.shape)
    ]
    return None, rows, {"groups": ("a", "b")}


def texts(n: int = 40) -> Planted:
    lengths = rng().poisson(9, (n, 2, 3)).tolist()
    rows = [
        {"prompt": f"Praise {{group}} {t}.", "group": g, "completions": ["word" + " word" * k for k in own]}
        for t, both in enumerate(lengths)
        for g, own in zip(("women", "men"), both, strict=True)
    ]
    return None, rows, {"scorers": "length", "groups": ("women", "men")}


def entailments() -> Planted:
    numbers = rng().dirichlet((2, 5, 2), (8, 4, 5))
    rows = []
    for o, w, t in np.ndindex(8, 4, 5):
        entailment, neutral, contradiction = numbers[o, w, t].tolist()
        row = {"premise": f"A job{o} ate {t}.", "hypothesis": f"A word{w} ate {t}.", "target": f"job{o}"}
        row |= {"attribute": f"word{w}", "group": ("women", "men")[w % 2], "template": f"t{t}"}
        rows.append({**row, "entailment": entailment, "neutral": neutral, "contradiction": contradiction})
    return None, rows, {"groups": ("women", "men"), "variant": "gap"}


def pronouns(*, professions: bool) -> Planted:
    rows = [
        {
            "sentence_female": float(a),
            "sentence_male": float(b),
            "stereotype": ("female", "male")[i % 2],
            "profession": f"job{i % 24}" if professions else "",
        }
        for i, (a, b) in enumerate(rng().normal(size=(72, 2)))
    ]
    return None, rows, {}


def gendered_sentences() -> Planted:
    rows = [
        {"stereotype": stereotype, "id": f"{stereotype} {i}", "masculine": float(a), "feminine": float(b)}
        for stereotype in (*OF_WOMEN, *OF_MEN)
        for i, (a, b) in enumerate(rng(len(stereotype)).normal(size=(6, 2)))
    ]
    return None, rows, {"min_sentences": 1}


def answers() -> Planted:
    draw, people = rng(), ("Ben", "Julia")
    lists = {"attributes_a": [f"a{i}" for i in range(26)], "attributes_b": [f"b{i}" for i in range(25)]}
    listed = [word for own in lists.values() for word in own]
    replies = ["\n".join(f"{word} - {people[draw.integers(2)]}" for word in listed) for _ in range(6)]
    rows = [{"name": "t", "targets_x": ["Ben"], "targets_y": ["Julia"], **lists, "answers": replies}]
    return None, rows, {}


def answers_to_two_tests() -> Planted:
    draw, (_, (row,), _) = rng(9), answers()
    lists = {"attributes_a": ["c0", "c1", "c2", "c3", "c4"], "attributes_b": ["d0", "d1", "d2", "d3"]}
    people, listed = ("Ben", "Julia"), [word for words in lists.values() for word in words]
    replies = ["\n".join(f"{word} - {people[draw.integers(2)]}" for word in listed) for _ in range(6)]
    return None, [row, {**row, "name": "u", **lists, "answers": replies}], {}


def completions() -> Planted:
    draw = rng()
    rows = [
        {
            "id": f"{group}{t}", "prompt": f"{who} {t}", "group": group, "identity": who, "template": f"t{t}",
            "completions": [("stupid", "kind", "tall")[draw.integers(3)] for _ in range(4)],
        }
        for t in range(40)
        for group, who in (("female", "the woman"), ("male", "the man"))
    ]  # fmt: skip
    return None, rows, {"lexicon": ["stupid"]}


def questions() -> Planted:
    draw = rng()
    row = {
        "question": "Who?",
        "context": "A and B.",
        "ans0": "A",
        "ans1": "B",
        "ans2": "Unknown",
        "unknown_loc": 2,
    }
    rows = [
        {
            **row, "category": ("Age", "Religion")[t % 2], "question_index": str(t), "context_condition": condition,
            "label": 2 if condition == "ambig" else int(draw.integers(2)), "target_loc": i % 2,
            **{f"ans{k}": v for k, v in enumerate(draw.normal(size=3).tolist())},
        }
        for t in range(14)
        for condition in ("ambig", "disambig")
        for i in range(4)
    ]  # fmt: skip
    return None, rows, {}


def gendered_words(**more: Any) -> Planted:
    people = [p.model_dump() for p in load_gendered_words("en") if p.kind in ("kinship", "person")]
    return tiny_masked("bert"), people[:5], {"templates": PERSON_TEMPLATES[:2], **more}


def occupations() -> Planted:
    jobs = [o.model_dump() for o in load_occupations()][:14]
    return tiny_masked("bert"), jobs, {"templates": GENDER_TEMPLATES}


def classed_words() -> Planted:
    model, rows, options = larger("wsv")
    return model, rows, options


def token_sets() -> Planted:
    sets = {"stereotypical": ["she", "woman", "nurse"], "anti_stereotypical": ["he", "man", "doctor"]}
    rows = [
        {"text": f"the {job} {verb} BLANK", **{side: own[i % 2 : i % 2 + 2] for side, own in sets.items()}}
        for i, (job, verb) in enumerate(
            (j, v) for j in ("nurse", "doctor", "old", "young") for v in ("is", "left")
        )
    ]
    return tiny_masked("bert"), rows, {}


def pronouns_for_occupations() -> Planted:
    model, rows, options = occupations()
    return model, rows, {**options, "female": "she", "male": "he"}


def predictions(*, clusters: bool) -> Planted:
    draw = rng(8)
    rows = [
        {
            "predictions": "abc"[i % 3] if draw.random() < (0.8 if group == "f" else 0.6) else "abc"[draw.integers(3)],
            "references": "abc"[i % 3], "groups": group, "cluster": f"{group}{i // 4}" if clusters else None,
        }
        for group, n in (("f", 60), ("m", 45))
        for i in range(n)
    ]  # fmt: skip
    return None, rows, {}


def decisions() -> Planted:
    draw, lists = rng(), {"attributes_a": ["the budget"], "attributes_b": ["the party"]}
    rows = [
        {
            "name": f"s{i}", "targets_x": ["Ben"], "targets_y": ["Ann"], **lists,
            "scenario": "{first} and {second} help.",
            "decisions": [DECISIONS[k] for k in draw.integers(0, 2, 6 + i)],
        }
        for i in range(9)
    ]  # fmt: skip
    return None, rows, {}


def scores_of_models() -> Planted:
    table = rng().normal(size=(9, 3)) + rng(6).normal(size=(9, 1))
    rows = [
        {"model_name": f"m{i}", "measure": f"s{k}", "score": float(v)} for (i, k), v in np.ndenumerate(table)
    ]
    return None, rows, {}


def two_genders(*, numbered: bool) -> Planted:
    model, rows = sentences(rng(3), numbered=numbered)
    return model, rows, {}


# --- what is exchanged ----------------------------------------------------------------------------------------


def columns(**names: str) -> Callable[[Rows, dict[str, Any]], tuple[Rows, dict[str, Any]]]:
    return lambda rows, options: (renamed(rows, names), options)


def labels(
    column: str, one: Any, other: Any
) -> Callable[[Rows, dict[str, Any]], tuple[Rows, dict[str, Any]]]:
    return lambda rows, options: (relabelled(rows, column, one, other), options)


def genders(rows: Rows, options: dict[str, Any]) -> tuple[Rows, dict[str, Any]]:
    return rows, {**options, "female": options["male"], "male": options["female"]}


def groups(rows: Rows, options: dict[str, Any]) -> tuple[Rows, dict[str, Any]]:
    return rows, {**options, "groups": tuple(options["groups"])[::-1]}


DECISIONS = ("stereotypical", "anti-stereotypical")


def opposite_decisions(rows: Rows, options: dict[str, Any]) -> tuple[Rows, dict[str, Any]]:
    """The people exchanged, so that every decision is the other one."""
    turned = dict(zip(DECISIONS, DECISIONS[::-1], strict=True))
    people = renamed(rows, {"targets_x": "targets_y"})
    return [{**row, "decisions": [turned[d] for d in row["decisions"]]} for row in people], options


def gold_labels(rows: Rows, options: dict[str, Any]) -> tuple[Rows, dict[str, Any]]:
    return [
        {**row, "sentences": relabelled(row["sentences"], "gold_label", *LABELS[:2])} for row in rows
    ], options


TARGETS, ATTRIBUTES = columns(targets_x="targets_y"), columns(attributes_a="attributes_b")
SENTENCES = columns(sent_more="sent_less", sent_more_par="sent_less_par", sent_more_ran="sent_less_ran")


def of_lists(names: str, exchange: Any, sign: int) -> list[Exchange]:
    return [(name, words(name), exchange, sign) for name in names.split()]


def rows_of_pairs() -> Planted:
    return None, pairs(rng()), {}


def pairs_without_ties() -> Planted:
    """A tie counts as no preference for the more stereotypical sentence, which is another one after the exchange."""
    rows = pairs(rng())
    for i, row in enumerate(rows):
        row |= {k: v + i / 1e6 for k, v in row.items() if k.startswith("sent_more")}
    return None, rows, {}


FEMALE_MALE = {"one": "female", "other": "male"}
CASES: dict[str, list[Exchange]] = {
    "targets": [
        *of_lists(
            "weat seat ceat rnd ripa projection lpbs pmi_bias frequency_bias matched_guise", TARGETS, -1
        ),
        *of_lists("frequency_sensitivity", TARGETS, -1),
        *of_lists("ect mac rnsb direct_bias indirect_bias glpp seed_sensitivity", TARGETS, 1),
        *of_lists("template_compatibility representation_compatibility", TARGETS, 1),
        ("word_association", answers, TARGETS, -1),
        ("word_association", answers_to_two_tests, TARGETS, -1),
        ("relative_decision", decisions, opposite_decisions, -1),
    ],
    "attributes": [
        *of_lists("weat seat ceat projection lpbs pmi_bias frequency_bias matched_guise", ATTRIBUTES, -1),
        *of_lists("ect mac indirect_bias glpp seed_sensitivity", ATTRIBUTES, 1),
        *of_lists("template_compatibility representation_compatibility", ATTRIBUTES, 1),
        ("word_association", answers, ATTRIBUTES, -1),
        ("word_association", answers_to_two_tests, ATTRIBUTES, -1),
    ],
    "the option groups": [
        ("wefat", words("wefat"), groups, -1),
        ("decision_gap", contrasts, groups, -1),
        ("decision_gap", named_contrasts, groups, -1),
        ("counterfactual_text", texts, groups, -1),
        ("bias_nli", entailments, groups, -1),
    ],
    "the options female and male": [("mlm_gender_score", pronouns_for_occupations, genders, -1)],
    "columns": [
        *((name, rows_of_pairs, SENTENCES, -1) for name in ("crows_pairs", "pll", "aul", "aula")),
        ("kldivs", rows_of_pairs, SENTENCES, 1),
        ("pll_robustness", pairs_without_ties, SENTENCES, 1),
        ("winobias", partial(pronouns, professions=True), columns(sentence_female="sentence_male"), -1),
        ("gest", gendered_sentences, columns(masculine="feminine"), -1),
        ("disco", gendered_words, columns(female="male"), 1),
        ("token_sets", token_sets, columns(stereotypical="anti_stereotypical"), -1),
    ],
    "labels": [
        *(
            ("bec_pro", partial(two_genders, numbered=numbered), labels(column, **FEMALE_MALE), -1)
            for numbered in (True, False)
            for column in ("gender", "profession_gender")
        ),
        ("stereoset", lambda: (None, stereoset_items(rng()), {}), gold_labels, -1),
        *(
            ("winobias", partial(pronouns, professions=known), labels("stereotype", **FEMALE_MALE), -1)
            for known in (True, False)
        ),
        ("honest", completions, labels("group", **FEMALE_MALE), 1),
        ("bbq", questions, labels("target_loc", 0, 1), -1),
        *(
            ("tpr_gap", partial(predictions, clusters=clusters), labels("groups", "f", "m"), 1)
            for clusters in (False, True)
        ),
        ("metric_compatibility", scores_of_models, labels("measure", "s0", "s2"), 1),
        ("wsv", classed_words, labels("group", "f", "m"), -1),
    ],
}
WITHOUT_GROUPS = {"analogies": "a question has words, which belong to no group of people"}


def measured(method: str, planted: Planted) -> Result:
    model, rows, options = planted
    known = METHODS[method].options()
    fewer = {k: RESAMPLES for k in ("n_resamples", "ci_resamples") if k in known}
    fewer |= {"p_method": "monte_carlo"} if "monte_carlo" in str(known.get("p_method")) else {}
    fewer |= {"subset_size": 3} if "subset_size" in known else {}
    return eb.measure(method, model, data=rows, **{**options, **fewer})


@pytest.mark.parametrize(
    ("method", "planted", "exchange", "sign"),
    [pytest.param(*one, id=f"{one[0]}-{what}") for what, several in CASES.items() for one in several],
)
def test_exchanged_groups_mirror_a_signed_score_and_leave_any_other(
    method: str, planted: Any, exchange: Any, sign: int
) -> None:
    model, rows, options = planted()
    found = measured(method, (model, rows, options))
    other = measured(method, (model, *exchange(rows, options)))
    centre = 2 * found.reference if found.reference and sign < 0 else 0.0
    expected = [found.ci_low, found.score, found.ci_high]
    if sign < 0:
        expected = [None if v is None else centre - v for v in expected[::-1]]
    assert [other.ci_low, other.score, other.ci_high] == [
        v if v is None else pytest.approx(v, rel=1e-12, abs=1e-13) for v in expected
    ]
    # Equal but for rounding, which those have that come from a distribution.
    p_values = [
        [r.p_value, r.p_error, *(e.value for key, e in r.estimates.items() if key == "p_words")]
        for r in (found, other)
    ]
    assert p_values[1] == [p if p is None else pytest.approx(p, rel=1e-12) for p in p_values[0]]


def test_every_method_is_in_the_table_or_has_no_groups() -> None:
    tested = {method for own in CASES.values() for method, *_ in own}
    assert tested.isdisjoint(WITHOUT_GROUPS)
    assert tested | set(WITHOUT_GROUPS) == set(METHODS)


PLANTED = {f"{method} {planted}": (method, planted) for own in CASES.values() for method, planted, *_ in own}
PLANTED |= {
    "analogies": ("analogies", words("analogies")),
    "lauscher": ("disco", partial(gendered_words, variant="lauscher", threshold=0.002)),
}


@pytest.mark.parametrize(("method", "planted"), PLANTED.values(), ids=[name for name, _ in PLANTED.values()])
def test_rows_and_columns_in_another_order_change_no_number(
    method: str, planted: Callable[[], Planted]
) -> None:
    model, rows, options = planted()
    expected = every_number(measured(method, (model, rows, options)))
    # Batches of other texts move a tiny model's numbers in the seventh digit; other draws, in the second.
    exact = {"rel": 1e-12, "abs": 1e-12} if not isinstance(model, tuple) else {"rel": 1e-5, "abs": 1e-6}
    turned = [dict(reversed(row.items())) for row in reversed(rows)]
    for given in (turned, shuffled(rows, 1, METHODS[method].paired)):
        found = every_number(measured(method, (model, given, options)))
        assert found == pytest.approx(expected, **exact)


@pytest.mark.parametrize("name", ["direct_bias", "indirect_bias"])
def test_random_pairs_do_not_follow_the_order_of_the_vocabulary(name: str, tmp_path: Path) -> None:
    model, rows, options = words(name)()
    more = {f"other{i}": vector.tolist() for i, vector in enumerate(rng().normal(0.3, 1.0, (150, 6)))}
    lines = [f"{word} {' '.join(map(repr, vector))}" for word, vector in {**model, **more}.items()]
    (tmp_path / "one.txt").write_text("\n".join(lines))
    (tmp_path / "other.txt").write_text("\n".join(reversed(lines)))
    options |= {"n_resamples": 1_999, "ci": "none"}
    found, other = (eb.measure(name, tmp_path / f, data=rows, **options) for f in ("one.txt", "other.txt"))
    assert found.p_value is not None
    assert (other.p_value, other.p_error) == (found.p_value, found.p_error)


@pytest.mark.parametrize("name", ["pmi_bias", "frequency_bias"])
def test_files_of_a_corpus_in_another_order_change_no_number(name: str, tmp_path: Path) -> None:
    _, rows, options = words(name)()
    listed = [
        word for key, some in rows[0].items() if key.startswith(("targets", "attributes")) for word in some
    ]
    texts = [" ".join(rng(i).choice(listed, 60)) for i in range(12)]
    for folder, several in (("one", texts), ("other", texts[::-1])):
        (tmp_path / folder).mkdir()
        for i, text in enumerate(several):
            (tmp_path / folder / f"{i:02}.txt").write_text(text)
    found, other = (
        measured(name, (f"corpus:{tmp_path / folder}", rows, options)) for folder in ("one", "other")
    )
    assert every_number(other) == pytest.approx(every_number(found), rel=1e-12, abs=1e-12)
