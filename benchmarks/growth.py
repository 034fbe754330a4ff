"""How time and memory of every method grow with what a user gives: 100, 1,000 and 10,000 units, default options.

    python benchmarks/growth.py [--limit SECONDS] [method ...]

Every figure comes from a process of its own: CPU time of the call, and by how much it raises the peak of the memory.
Where the growth so far says that a size would take more than three times the limit, or it takes more than that, the
exponent of the last two times stands in its place: n^2.0 is quadratic. What a unit is, ``UNITS`` says: words in every
list, pairs, questions, sentences. Vectors have 50 numbers. Methods on pairs and answers are given scores, so that no
model is timed; those that need one have the small demonstration model, whose passes are most of their time.
"""

from __future__ import annotations

import argparse
import itertools
import math
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

import evaluate_bias as eb
from evaluate_bias.registry import METHODS

SIZES = (10, 100, 1_000, 10_000)
"""The first is not printed: it shows how the time grows to the second."""
MLM = "demo-mlm-en"
LISTS = ("targets_x", "targets_y", "attributes_a", "attributes_b")
TYPES = ("age", "gender", "religion")

Call = tuple[Any, Any, dict[str, Any]]
"""Model, data and options of a measurement."""


def vectors(words: list[str]) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    centres: dict[str, np.ndarray] = {}  # of words of one list, which begin with one letter
    return {
        w: centres.setdefault(w[0], rng.normal(0, 0.3, 50)) + rng.normal(size=50).astype(np.float32)
        for w in words
    }


def numbers(n: int, mean: float = 0.0) -> list[float]:
    return (np.random.default_rng(int(mean * 10) % 1_000).normal(size=n) + mean).tolist()


def types(n: int) -> list[str]:
    return list(itertools.islice(itertools.cycle(TYPES), n))


def lists(n: int, **sizes: int) -> dict[str, Any]:
    return {"name": "t", **{k: [f"{k[-1]}{i}" for i in range(sizes.get(k, n))] for k in LISTS}}


def word_lists(n: int, **options: Any) -> Call:
    test = lists(n)
    return vectors([w for k in LISTS for w in test[k]]), [test], options


def contexts(n: int) -> Call:
    model, data, _ = word_lists(4)
    words = [w for k in LISTS for w in data[0][k]]
    return model, data, {"contexts": [f"{words[i % 16]} {words[i * 7 % 16]}" for i in range(16 * n)]}


def frequencies(n: int) -> Call:
    model, data, _ = word_lists(n)
    return model, data, {"measured_method": "rnd"}


def short_vectors(n: int) -> Call:
    model, data, _ = word_lists(n)
    return {w: v[:10] for w, v in model.items()}, data, {"dimension": 5}


def grouped(n: int, **options: Any) -> Call:
    words = [f"w{i}" for i in range(2 * n)]
    groups = [("f", "m")[i % 2] if i < n else "" for i in range(2 * n)]
    statistic = [None if g else v for g, v in zip(groups, numbers(2 * n), strict=True)]
    rows = [{"word": w, "group": g, "statistic": s} for w, g, s in zip(words, groups, statistic, strict=True)]
    return vectors(words), rows, options


def questions(n: int) -> Call:
    words = [f"w{i}" for i in range(5_000)]
    picked = np.random.default_rng(0).choice(words, (n, 4)).tolist()
    rows = [{"a": a, "b": b, "c": c, "expected": [d], "relation": "r"} for a, b, c, d in picked]
    return vectors(words), rows, {}


def texts(n: int) -> Call:
    test = lists(n)
    words = [w for k in LISTS for w in test[k]]
    picked = np.random.default_rng(0).choice([*words, *(["of", "the"] * n)], (20 * n, 20))
    return eb.load_corpus([" ".join(row) for row in picked]), [test], {"max_missing": 1.0}


def pairs(n: int, **columns: str) -> Call:
    both = zip(numbers(n, -20.0), numbers(n, -20.3), types(n), strict=True)
    rows = [{"sent_more": m, "sent_less": v, "bias_type": t, **columns} for m, v, t in both]
    return None, rows, {}


def paraphrases(n: int) -> Call:
    _, rows, options = pairs(n)
    for row, more, less in zip(rows, numbers(n, -20.1), numbers(n, -20.2), strict=True):
        row |= {"sent_more_par": more, "sent_less_par": less}
    return None, rows, options


def professions(n: int) -> Call:
    both = zip(numbers(n, -20.0), numbers(n, -20.3), strict=True)
    rows = [
        {
            "sentence_female": f,
            "sentence_male": m,
            "stereotype": ("female", "male")[i % 2],
            "profession": f"p{i % 40}",
        }
        for i, (f, m) in enumerate(both)
    ]
    return None, rows, {}


def triples(n: int) -> Call:
    labels = ("stereotype", "anti-stereotype", "unrelated")
    scores = np.random.default_rng(0).normal(size=(n, 3)).tolist()
    rows = [
        {
            "target": f"t{i % 50}",
            "bias_type": kind,
            "context": f"The t{i % 50} number {i} was BLANK.",
            "sentences": [{"gold_label": g, "sentence": s} for g, s in zip(labels, scores[i], strict=True)],
        }
        for i, kind in enumerate(types(n))
    ]
    return None, rows, {}


def answers(n: int) -> Call:
    scores = np.random.default_rng(0).normal(size=(n, 3)).tolist()
    rows = [
        {
            "category": kind.title(),
            "question_index": str(i % 50),
            "context_condition": ("ambig", "disambig")[i % 2],
            "context": f"A boy and a grandfather came in, {i}.",
            "question": "Who forgot his keys?",
            **{f"ans{k}": score for k, score in enumerate(scores[i])},
            "label": 2 if i % 2 == 0 else i // 2 % 2,
            "target_loc": i // 4 % 2,
            "unknown_loc": 2,
        }
        for i, kind in enumerate(types(n))
    ]
    return None, rows, {}


def predictions(n: int) -> Call:
    rng = np.random.default_rng(0)
    jobs, groups = rng.choice(["nurse", "surgeon", "clerk"], (2, n)), rng.choice(["female", "male"], n)
    rows = [
        {"predictions": p, "references": r, "groups": g}
        for p, r, g in zip(*jobs.tolist(), groups, strict=True)
    ]
    return None, [{k: str(v) for k, v in row.items()} for row in rows], {}


def score_table(n: int) -> Call:
    scores = np.random.default_rng(0).normal(size=(max(n // 2, 5), 2)).tolist()
    rows = [
        {"model_name": f"m{i}", "measure": f"s{k}", "score": s}
        for i, own in enumerate(scores)
        for k, s in enumerate(own)
    ]
    return None, rows, {}


_TOO_MANY = 3
"""Exit status of a process that was asked for more words than the demonstration model knows."""


def said(n: int) -> list[str]:
    """Words of the demonstration model's vocabulary."""
    vocabulary = sorted(w for w in demo().tokenizer.get_vocab() if w.isalpha() and len(w) > 2)
    if n > len(vocabulary):
        raise SystemExit(_TOO_MANY)
    return vocabulary[:n]


@cache
def demo() -> Any:
    return eb.load_model(MLM)


def attributes(n: int) -> Call:
    words = said(2 * n + 4)
    test = {
        "name": "t",
        "targets_x": words[:2],
        "targets_y": words[2:4],
        "attributes_a": words[4 : 4 + n],
        "attributes_b": words[4 + n :],
    }
    return demo(), [test], {"templates": ["{target} is a {attribute}"]}


def held_jobs(n: int) -> Call:
    rows = [
        {
            "sentence": f"the {person} is a {job} .",
            "person": person,
            "gender": gender,
            "profession": job,
            "profession_gender": ("female", "male")[i % 2],
            "template": "t",
        }
        for i, job in enumerate(said(n))
        for person, gender in (("woman", "female"), ("man", "male"))
    ]
    return demo(), rows, {}


def names(n: int) -> Call:
    words = said(2 * n)
    rows = [{"female": f, "male": m, "kind": "name"} for f, m in zip(words[::2], words[1::2], strict=True)]
    return demo(), rows, {}


def jobs(n: int) -> Call:
    rows = [{"word": w, "women_bls": s % 1} for w, s in zip(said(n), numbers(n), strict=False)]
    return demo(), rows, {}


def prompts(n: int) -> Call:
    words = said(n // 2)
    rows = [
        {"id": f"{who}-{w}", "prompt": f"the {who} {w} [M]", "group": who}
        for w in words
        for who in ("woman", "man")
    ]
    return demo(), rows, {"lexicon": ["stupid"], "k": 5}


def filled(n: int) -> Call:
    nouns = said(n)
    rows = [
        {
            "text": f"the {noun} is BLANK .",
            "stereotypical": ["man", "he"],
            "anti_stereotypical": ["woman", "she"],
        }
        for noun in nouns
    ]
    return demo(), rows, {}


def guises(n: int) -> Call:
    words = said(2 * n)
    test = {
        "name": "t",
        "targets_x": ["the man said", "he said"],
        "targets_y": ["the woman said", "she said"],
        "attributes_a": words[:n],
        "attributes_b": words[n:],
        "prompts": ["{text} the"],
    }
    return demo(), [test], {}


def assigned(n: int) -> Call:
    test = {**lists(8), "targets_x": ["Ben"], "targets_y": ["Julia"]}
    sides = np.random.default_rng(0).random((n, 16)) < 0.5
    words = [*test["attributes_a"], *test["attributes_b"]]
    said_in_answers = [
        "\n".join(f"{w} - {('Ben', 'Julia')[int(s)]}" for w, s in zip(words, row, strict=True))
        for row in sides
    ]
    return None, [{**test, "answers": said_in_answers}], {}


def decided(n: int) -> Call:
    labels = np.random.default_rng(0).choice(["stereotypical", "anti-stereotypical"], (n, 5)).tolist()
    rows = [
        {
            "name": f"scenario {i}",
            "targets_x": ["Peter"],
            "targets_y": ["Laura"],
            "attributes_a": ["the budget"],
            "attributes_b": ["the party"],
            "scenario": "{first} and {second} help.",
            "decisions": own,
        }
        for i, own in enumerate(labels)
    ]
    return None, rows, {}


def log_odds(n: int) -> Call:
    rows = [
        {"question": value, "group": group, "template": f"t{i}"}
        for group, mean in (("woman", 0.0), ("man", 0.3))
        for i, value in enumerate(numbers(n, mean))
    ]
    return None, rows, {"groups": ["woman", "man"]}


UNITS: dict[str, tuple[str, Callable[[int], Call]]] = {
    **dict.fromkeys(
        ("weat", "rnd", "mac", "ect", "ripa", "rnsb", "direct_bias", "indirect_bias", "projection"),
        ("words in each of four lists", word_lists),
    ),
    "glpp": ("pairs of words, 10 numbers each", short_vectors),
    "seed_sensitivity": ("words in each of four lists", word_lists),
    "frequency_sensitivity": ("words in each of four lists", frequencies),
    "seat": ("words in each of four lists", lambda n: word_lists(n, templates=["{target}"])),
    "template_compatibility": (
        "words in each of four lists",
        lambda n: word_lists(
            n, templates=["{target}", "{target} x0"], representation="target_mean", subset_size=5
        ),
    ),
    "representation_compatibility": (
        "words in each of four lists",
        lambda n: word_lists(n, representations=["bare:target_mean", "bare:sentence_mean"], subset_size=5),
    ),
    "ceat": ("contexts of each of 16 words", contexts),
    "wefat": ("words with a number", lambda n: grouped(n, groups=["f", "m"])),
    "wsv": ("words with a number", grouped),
    "analogies": ("questions, 5,000 words", questions),
    **dict.fromkeys(
        ("pmi_bias", "frequency_bias"), ("words in each of four lists, 20 texts for each", texts)
    ),
    **dict.fromkeys(("crows_pairs", "pll", "aul", "aula", "kldivs"), ("pairs", pairs)),
    "crows_pairs": ("pairs", lambda n: pairs(n, stereo_antistereo="stereo")),
    "pll_robustness": ("pairs with paraphrases", paraphrases),
    "winobias": ("pairs", professions),
    "stereoset": ("triples", triples),
    "bbq": ("questions", answers),
    "tpr_gap": ("predictions", predictions),
    "metric_compatibility": ("scores", score_table),
    "lpbs": ("attributes on either side *", attributes),
    "bec_pro": ("professions, with two words *", held_jobs),
    "disco": ("pairs of names *", names),
    "mlm_gender_score": ("words *", jobs),
    "honest": ("prompts *", prompts),
    "token_sets": ("sentences *", filled),
    "word_association": ("answers about 16 words", assigned),
    "relative_decision": ("scenarios, 5 decisions about each", decided),
    "decision_gap": ("questions about two groups", log_odds),
    "matched_guise": ("attributes on either side, two pairs of texts *", guises),
}
"""What is counted as a unit, and how that many are made; * with the demonstration model."""


def measure(method: str, n: int) -> tuple[float, float]:
    """CPU seconds of one measurement, and by how many kilobytes it raised the peak of the memory."""
    model, data, options = UNITS[method][1](n)
    model = eb.load_model(model) if isinstance(model, dict) else model
    before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    eb.measure(method, model, data=data, **options)
    seconds = time.process_time() - start
    return seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before


def cell(method: str, n: int, limit: float) -> tuple[float, float] | None:
    """CPU seconds and megabytes of one measurement, in a process of its own; ``None`` beyond three times the limit."""
    cpu = round(3 * limit) + 60
    child = subprocess.run(
        [sys.executable, __file__, "--units", str(n), method],
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (cpu, -1)),
    )
    if child.returncode > 0 and child.returncode != _TOO_MANY:
        raise SystemExit(f"{method} failed on {n} units")
    if child.returncode:
        return None
    seconds, kilobytes = child.stdout.split()
    return float(seconds), float(kilobytes) / 1024


def row(method: str, limit: float) -> str:
    """The line of a method in the table."""
    cells: list[str] = []
    times: list[float] = []
    exponent = 1.0
    for n in SIZES:
        if len(times) > 1:
            exponent = math.log10(max(times[-1], 1e-3) / max(times[-2], 1e-3))
        expected = times[-1] * 10 ** max(exponent, 1.0) if times else 0.0
        found = cell(method, n, limit) if len(times) == len(cells) and expected <= 3 * limit else None
        if found is None:
            cells.append(f"n^{exponent:.1f}" if len(times) == len(cells) else "")
            continue
        times.append(found[0])
        cells.append(f"{found[0]:.2g} s, {found[1]:.0f} MB")
    return f"| {method} | {UNITS[method][0]} | {' | '.join(cells[1:])} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("methods", nargs="*")
    parser.add_argument("--limit", type=float, default=20.0, help="seconds of CPU time for a figure")
    parser.add_argument("--units", type=int, help="only measure that many, here: seconds and kilobytes")
    options = parser.parse_args()
    if options.units:
        (method,) = options.methods
        measure(method, SIZES[0])  # so that nothing is imported while the clock runs
        print(*measure(method, options.units))
        return
    if missing := set(METHODS) - set(UNITS):
        print(f"not measured here: {', '.join(sorted(missing))}", file=sys.stderr)
    print(f"| method | units | {' | '.join(f'{n:,}' for n in SIZES[1:])} |\n|{'---|' * (len(SIZES) + 1)}")
    for method in options.methods or UNITS:
        print(row(method, options.limit), flush=True)


if __name__ == "__main__":
    main()
