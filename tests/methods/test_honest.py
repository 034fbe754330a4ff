"""HONEST against a naive count, the authors' arithmetic, and properties of the share, its interval and its tests."""

from __future__ import annotations

import itertools
import random
import re
import unicodedata
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evaluate_bias as eb
from evaluate_bias.data.words import LexiconEntry, load_lexicon
from evaluate_bias.errors import DataError, InputError, UndefinedScoreError, UnknownNameError
from evaluate_bias.methods.downstream.honest.completions import Matcher, folded_words
from evaluate_bias.methods.downstream.honest.method import evaluate
from evaluate_bias.models.table import TableMLM
from evaluate_bias.stats import mean_proportion_interval
from evaluate_bias.stats.crossed import clustered_proportion_interval, clustered_variance
from tests.support.refusals import refusals
from tests.support.tiny_models import tiny_causal

LEXICON = {
    **dict.fromkeys(["fool", "waste of space", "imbécile"], "insult"),
    "thief": "crime",
    "pig": "animal",
}
HARMLESS = ["nurse", "doctor", "pigeon", "space", "foolish", "waste of a space", ""]


def drawn(
    seed: int, k: int = 4, groups: tuple[str, ...] = ("f", "m"), words: int = 3, templates: int = 7
) -> list[Any]:
    rng = random.Random(seed)
    texts = [*HARMLESS, "Fool", "a THIEF!", "what a waste of  space.", "imbecile", "the pig's pig"]
    return [
        {
            "id": f"{g}{w}{t}", "prompt": f"{g}{w} does {t} [M].", "group": g, "identity": f"{g}{w}",
            "template": f"t{t}", "type": "ab"[t % 2], "completions": rng.choices(texts, k=k),
        }
        for g in groups for w in range(words) for t in range(templates)
    ]  # fmt: skip


def naive_words(text: str) -> list[str]:
    """Without capitals and accents, parted at everything that is no letter."""
    flat = unicodedata.normalize("NFKD", text.lower())
    return re.findall(r"[a-z]+", "".join(c for c in flat if not unicodedata.combining(c)))


def naive_is_hurtful(text: str) -> bool:
    words = f" {' '.join(naive_words(text))} "
    return any(f" {' '.join(naive_words(entry))} " in words for entry in LEXICON)


@pytest.mark.parametrize("seed", range(20))
def test_the_share_is_that_of_a_naive_count(seed: int) -> None:
    rows = drawn(seed)
    result = evaluate(None, rows, lexicon=LEXICON)
    hurt = [[naive_is_hurtful(text) for text in row["completions"]] for row in rows]
    assert result.score == pytest.approx(np.mean(hurt), rel=1e-12)
    assert result.n == 4 * len(rows)
    for name in "fm":
        group = next(r for r in result.rows_of("group") if r.name == name)
        own = [h for row, hits in zip(rows, hurt, strict=True) if row["group"] == name for h in hits]
        assert group.score == pytest.approx(np.mean(own), rel=1e-12)
    assert [row.score for row in result.rows_of("item")] == pytest.approx([np.mean(hits) for hits in hurt])
    assert result.ci_low <= result.score <= result.ci_high


@pytest.mark.parametrize("seed", range(8))
def test_the_tests_are_those_of_all_rearrangements(seed: int) -> None:
    """Sign flips within templates and shuffles of words, by enumeration."""
    rows = drawn(seed)
    result = evaluate(None, rows, lexicon=LEXICON)
    hurt = {
        (r["group"], r["identity"], r["template"]): np.mean([naive_is_hurtful(t) for t in r["completions"]])
        for r in rows
    }

    def mean(group: str, **fixed: str) -> float:
        return float(np.mean([v for (g, i, t), v in hurt.items() if g == group and fixed.get("t", t) == t]))

    d = [mean("f", t=t) - mean("m", t=t) for t in sorted({r["template"] for r in rows})]
    flips = [abs(np.dot(signs, d)) for signs in itertools.product([1, -1], repeat=len(d))]
    over_templates = np.mean([f >= abs(sum(d)) - 1e-9 for f in flips])
    words = sorted({r["identity"] for r in rows})
    shares = [float(np.mean([v for (_, i, _), v in hurt.items() if i == w])) for w in words]
    seen = abs(np.mean(shares[:3]) - np.mean(shares[3:]))
    cuts = [
        abs(np.mean([shares[i] for i in c]) - np.mean([shares[i] for i in range(6) if i not in c]))
        for c in itertools.combinations(range(6), 3)
    ]
    over_words = np.mean([c >= seen - 1e-9 for c in cuts])
    tests = result.details["tests"]
    assert tests["templates"]["p_value"] == pytest.approx(over_templates)
    assert tests["words"]["p_value"] == pytest.approx(over_words)
    assert result.p_value == max(tests["templates"]["p_value"], tests["words"]["p_value"])
    (pair,) = result.details["differences"]
    assert pair["difference"] == pytest.approx(mean("f") - mean("m"))
    assert pair["p_value"] == result.p_value
    assert result.estimates["gap"].value == pytest.approx(abs(mean("f") - mean("m")))


def test_three_groups_are_permuted_by_their_spread() -> None:
    """Two templates, within which groups change places; and two words of each group, which change groups."""
    rows = drawn(2, groups=("f", "m", "x"), words=2, templates=2)
    share = {
        (r["identity"], r["template"]): np.mean([*map(naive_is_hurtful, r["completions"])]) for r in rows
    }
    tests = evaluate(None, rows, lexicon=LEXICON, n_resamples=20_000).details["tests"]
    table = np.array([[(share[f"{g}0", t] + share[f"{g}1", t]) / 2 for g in "fmx"] for t in ("t0", "t1")])
    orders = itertools.product(itertools.permutations(range(3)), repeat=2)
    spreads = np.array([np.var(np.take_along_axis(table, np.array(o), axis=1).mean(axis=0)) for o in orders])
    expected = np.mean(spreads >= spreads[0] - 1e-9)
    assert tests["templates"]["p_value"] == pytest.approx(expected, abs=0.02) != pytest.approx(1.0, abs=0.2)
    words = [(share[f"{g}{w}", "t0"] + share[f"{g}{w}", "t1"]) / 2 for g in "fmx" for w in (0, 1)]
    means = np.array([[*itertools.permutations(words)]]).reshape(-1, 3, 2).mean(axis=2)
    spreads = np.var(means, axis=1)
    assert tests["words"]["p_value"] == pytest.approx(np.mean(spreads >= spreads[0] - 1e-9), abs=0.02)


@pytest.mark.parametrize(
    ("text", "is_hurtful"),
    [
        ("fool", True), ("FOOL!", True), ("foolish", False), ("a-fool-he", True), ("fo ol", False), ("imbécile", True),
        ("imbecile", True), ("imbe\u0301cile", True), ("waste of space", True), ("waste, of space", True),
        ("waste of", False), ("of space", False), ("", False), ("fool's", True), ("fool2", False), ("  \n", False),
    ],
)  # fmt: skip
def test_what_is_found(text: str, is_hurtful: bool) -> None:
    assert bool(Matcher(load_lexicon(LEXICON)).matches(text)) is is_hurtful


def test_marks_of_other_scripts_and_scripts_without_blanks() -> None:
    matcher = Matcher([LexiconEntry(word="かき"), LexiconEntry(word="笨蛋"), LexiconEntry(word="йод")])
    assert [w for w, _ in matcher.matches("他是笨蛋。")] == ["笨蛋"]
    assert not matcher.matches("がき")  # another letter, not an accent
    assert not matcher.matches("иод")
    assert folded_words("ÇA, où?") == ["ca", "ou"]


def test_a_completion_counts_once_and_in_all_its_categories() -> None:
    result = evaluate(None, [{"completions": ["fool and thief, thief", "a nurse"]}], lexicon=LEXICON)
    assert result.score == 0.5
    assert result.details["categories"] == {"crime": 0.5, "insult": 0.5}
    assert result.rows_of("item")[0].details["hurtful"] == ["fool", "thief"]
    assert result.p_value is None


# -- models ----------------------------------------------------------------------------------------------------------


def test_a_masked_model_is_measured_by_its_fills() -> None:
    table = {f"{w} is [MASK]": {"2": {"nice": 0.5, "fool": 0.3, "here": 0.1}} for w in ("she", "he")}
    rows = [{"prompt": f"{w} is [M]", "group": w} for w in ("she", "he")]
    scores = [evaluate(TableMLM(table), rows, lexicon=LEXICON, k=k).score for k in (1, 2, 3)]
    assert scores == [0.0, 0.5, pytest.approx(1 / 3)]


def test_a_function_is_measured_and_its_missing_answers_are_listed() -> None:
    answers = {"she is": ["fool", None, "nurse"], "he is": [None, None], "it is": [""]}
    rows = [{"id": p, "prompt": f"{p} [M]."} for p in answers]
    result = eb.measure("honest", lambda prompts: [answers[p] for p in prompts], data=rows, lexicon=LEXICON)
    assert (result.score, result.n) == (pytest.approx(1 / 3), 3)
    assert {s.item: s.reason for s in result.skipped} == {
        "she is": "1 of 3 completions are None",
        "he is": "2 of 2 completions are None",
    }
    assert result.coverage.found == 2
    assert any("1 of 3 completions are empty" in w for w in result.warnings)
    assert any("different numbers" in w for w in result.warnings)


@pytest.mark.parametrize("decoding", ["top", "sample"])
@pytest.mark.parametrize("completion", ["word", "sentence"])
def test_a_causal_model_is_measured_and_its_settings_recorded(decoding: Any, completion: Any) -> None:
    rows = [{"prompt": f"{w} said that [M].", "group": w} for w in ("the nurse", "the doctor")]
    model = eb.load_model(tiny_causal())
    found = evaluate(model, rows, lexicon=LEXICON, k=3, decoding=decoding, completion=completion, seed=3)
    settings = found.settings["generation"]
    assert (settings["n"], settings["decoding"], settings["seed"]) == (3, decoding, 3)
    assert settings["max_new_tokens"] == {"word": 8, "sentence": 20}[completion]
    assert found == evaluate(
        model, rows, lexicon=LEXICON, k=3, decoding=decoding, completion=completion, seed=3
    )
    assert found.provenance["model"]["architecture"] == "GPT2LMHeadModel"


def test_prompts_that_no_model_can_complete_are_listed() -> None:
    model = eb.load_model(tiny_causal())
    rows = [{"id": t, "prompt": t} for t in ("he is [M]", "[M] is he", "the [M] is he")]
    result = evaluate(model, rows, lexicon=LEXICON, k=1)
    assert [s.item for s in result.skipped] == ["[M] is he", "the [M] is he"]
    with pytest.raises(UndefinedScoreError, match="none of the 2 prompts has a completion"):
        evaluate(model, rows[1:], lexicon=LEXICON)


# -- bad input -------------------------------------------------------------------------------------------------------


test_bad_input_is_one_clear_sentence = refusals(
    lambda rows, options: evaluate(None, rows, **options),
    ([{"prompt": "a [M] b [M]"}], {}, DataError, None, "2 blanks"),
    ([{"completions": ["a"]}], {"k": 0}, InputError, "k", "`k` must be an integer, 1 or more"),
    ([{"completions": ["a"], "language": "fr"}], {}, UnknownNameError, "language", "choose from en"),
    ([{"completions": ["a"], "language": code} for code in ("fr", "en")], {}, InputError, None, "several"),
    ([{"completions": "a text"}], {}, InputError, None, "must be a list of texts"),
    ([{"completions": [5]}], {}, InputError, None, "must be text, got 5"),
    ([{"completions": [None, None]}], {}, UndefinedScoreError, None, "2 of 2 completions are None"),
    ([{"completions": []}], {}, UndefinedScoreError, None, "empty"),
    ([{"completions": ["a"]}], {"lexicon": []}, InputError, None, "empty"),
    ([{"completions": ["a"]}], {"lexicon": ["…"]}, DataError, None, "no letter"),
    ([{"completions": ["a"]}], {"lexicon": "no-such-file.csv"}, DataError, "source", "neither"),
    ([{"completions": ["a"], "grp": "f"}], {}, DataError, None, "no field 'grp'"),
)  # fmt: skip


def test_a_lexicon_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "words.csv"
    path.write_text("word,category,language\nfool,insult,en\nidiote,insult,fr\n", encoding="utf-8")
    rows = [{"completions": ["fool", "idiote"], "language": language} for language in ("en",)]
    assert evaluate(None, rows, lexicon=str(path)).details["categories"] == {"insult": 0.5}
    hurtlex = tmp_path / "hurtlex_EN.tsv"
    hurtlex.write_text(
        "id\tpos\tcategory\tstereotype\tlemma\tlevel\n1\tn\tpa\tyes\tpolitician\tconservative\n"
        "2\tn\tqas\tno\tfather\tinclusive\n",
        encoding="utf-8",
    )
    found = evaluate(None, [{"completions": ["politician", "father"]}], lexicon=hurtlex)
    assert found.score == 0.5


def test_warnings_say_what_the_lexicon_is() -> None:
    result = evaluate(None, [{"completions": ["table"]}])
    assert any("illustrative words" in w for w in result.warnings)
    assert any("no completion contains any" in w for w in result.warnings)
    lexicon = load_lexicon(["fool"])
    licensed = type(lexicon)(lexicon.rows, {"source": "hurtlex", "licence": "cc-by-nc-sa-4.0"})
    found = evaluate(None, [{"completions": ["fool"]}], lexicon=licensed)
    assert any("not for commercial use" in w for w in found.warnings)
    assert found.settings["lexicon"]["licence"] == "cc-by-nc-sa-4.0"


# -- the interval ----------------------------------------------------------------------------------------------------


def test_the_interval_of_equal_clusters_is_that_of_their_mean() -> None:
    rng = np.random.default_rng(1)
    k = rng.integers(0, 6, 40)
    clusters = np.repeat(np.arange(8), 5)
    found = clustered_proportion_interval(k.tolist(), [9] * 40, clusters.tolist())
    sums = [int(k[clusters == c].sum()) for c in range(8)]
    expected = mean_proportion_interval(sums, [45] * 8)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))


def test_two_kinds_of_clusters_add_up() -> None:
    """Cell sums plus noise of rows and of columns: the variance of the total, by simulation."""
    rng = np.random.default_rng(2)
    rows, columns = (a.ravel().tolist() for a in np.mgrid[:12, :15])
    found, totals = [], []
    for _ in range(400):
        cells = rng.normal(0, 1, (12, 1)) + rng.normal(0, 0.8, (1, 15)) + rng.normal(0, 0.5, (12, 15))
        totals.append(cells.mean())
        found.append(clustered_variance((cells - cells.mean()).ravel() / cells.size, rows, columns)[0])
    assert np.mean(found) == pytest.approx(np.var(totals), rel=0.25)


test_clusters_are_checked = refusals(
    None,
    (lambda: clustered_variance([1.0, -1.0], ["a", "a"]), UndefinedScoreError, None, ""),
    (lambda: clustered_proportion_interval([], []), UndefinedScoreError, None, ""),
    (lambda: clustered_proportion_interval([2], [1]), InputError, None, ""),
)


@pytest.mark.parametrize(
    ("n_templates", "n_words", "clusters"),
    [
        (3, 2, ("templates", "identities")),
        (3, 1, ("templates",)),
        (1, 2, ("identities",)),
        (1, 1, ("prompts",)),
    ],
)
def test_what_is_sampled_is_what_there_are_several_of(
    n_templates: int, n_words: int, clusters: tuple[str, ...]
) -> None:
    rows = [
        {"group": g, "template": f"t{t}", "identity": f"{g}{w}", "completions": ["fool", "table"]}
        for g in "ab" for t in range(n_templates) for w in range(n_words)
    ]  # fmt: skip
    sampled = evaluate(None, rows, lexicon=LEXICON).sampled
    assert sampled is not None
    assert (sampled.clusters, sampled.fixed) == (clusters, {})
