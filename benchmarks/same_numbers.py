"""Every method on packaged data and the models at hand: all scores, intervals and p-values, to the last bit.

``python benchmarks/same_numbers.py write FILE`` before a change that may alter no number, ``compare FILE`` after it:
prints every number that differs or is missing, and exits with 1 if one does; what only the new numbers have is counted.
Rows are those of the report's table. ``--relative 1e-9`` lets scores and intervals, which a faster sum rounds
differently, differ by that share of themselves; p-values, which are counts of permutations, never.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from pathlib import Path
from typing import Any

import evaluate_bias as eb
from evaluate_bias.registry import METHODS
from evaluate_bias.report.lines import ALL_TESTS
from evaluate_bias.report.row_tables import summary_frame

GLOVE, MLM, ENCODER, CAUSAL = "glove-6b-50d", "demo-mlm-en", "minilm-l6", "smollm2-135m"
CORPUS = "corpus:gutenberg-books"
PAIRS: dict[str, Any] = {"source": None}
SCORES = [
    {"model_name": f"m{i}", "measure": f"s{k}", "score": (i + 1) ** k % 11 + 0.1 * i}
    for i in range(12)
    for k in (2, 3, 5)
]
ASSOCIATIONS = [
    {
        "name": "career",
        "targets_x": ["Ben"],
        "targets_y": ["Julia"],
        "attributes_a": ["office", "salary", "business", "career"],
        "attributes_b": ["home", "wedding", "family", "children"],
        "answers": [
            "\n".join(
                f"{word} - {('Ben', 'Julia')[(i * k) % 7 > 3]}"
                for i, word in enumerate(
                    ["office", "salary", "business", "career", "home", "wedding", "family", "children"]
                )
            )
            for k in range(1, 9)
        ],
    }
]
DECISIONS = [
    {
        "name": f"scenario {i}",
        "targets_x": ["Peter"],
        "targets_y": ["Laura"],
        "attributes_a": ["the budget"],
        "attributes_b": ["the party"],
        "scenario": "{first} and {second} help.",
        "decisions": ["stereotypical"] * (3 + i) + ["anti-stereotypical"] * 3 + ["both"],
    }
    for i in range(8)
]
TEXTS = [
    {
        "prompt": f"Describe {{group}} {i}.",
        "group": group,
        "completions": [f"{word} {'and more ' * (i % n)}so."] * 2,
    }
    for i in range(12)
    for group, word, n in (("women", "She is", 5), ("men", "He", 7))
]
INFERENCES = [
    {
        "premise": f"A t{t} did v{v}.",
        "hypothesis": f"A {word} did v{v}.",
        "target": f"t{t}",
        "attribute": word,
        "group": group,
        "template": f"v{v}",
        "women_share": t / 9,
        "entailment": (t * 7 + v + place) % 5 / 20,
        "neutral": 1 - ((t * 7 + v + place) % 5 + (t + v) % 3) / 20,
        "contradiction": (t + v) % 3 / 20,
    }
    for t in range(9)
    for place, (word, group) in enumerate(
        (("woman", "women"), ("lady", "women"), ("man", "men"), ("guy", "men"))
    )
    for v in range(5)
]
MEASUREMENTS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("weat", GLOVE, {"language": "en"}),
    ("weat", GLOVE, {"tests": ["weat7"], "ddof": 0, "alternative": "two-sided", "ci": "percentile"}),
    ("weat", GLOVE, {"tests": ["weat3"], "p_method": "monte_carlo"}),
    ("rnd", GLOVE, {}),
    ("rnd", GLOVE, {"tests": ["weat6"], "distance": "cosine", "n_resamples": 999}),
    ("mac", GLOVE, {}),
    ("ect", GLOVE, {}),
    ("ripa", GLOVE, {}),
    ("rnsb", GLOVE, {}),
    ("direct_bias", GLOVE, {"direction": "difference_pca"}),
    ("indirect_bias", GLOVE, {}),
    ("projection", GLOVE, {}),
    ("analogies", GLOVE, {"max_vocabulary": 50_000}),
    ("analogies", GLOVE, {"max_vocabulary": 50_000, "solver": "lrcos"}),
    ("seat", ENCODER, {"tests": ["weat6", "weat7"]}),
    ("seat", GLOVE, {"tests": ["weat7", "weat8"]}),
    ("ceat", MLM, {"tests": ["weat6"], "samples": 200, "max_contexts": 20}),
    ("wefat", GLOVE, {}),
    ("pmi_bias", CORPUS, {"smoothing": 0.5, "max_missing": 1.0}),
    ("pmi_bias", CORPUS, {"smoothing": 0.5, "max_missing": 1.0, "sentences": True}),
    ("frequency_bias", CORPUS, {"max_missing": 1.0}),
    ("wsv", ENCODER, {}),
    ("wsv", GLOVE, {}),
    ("glpp", GLOVE, {"dimension": 25}),
    (
        "frequency_sensitivity",
        GLOVE,
        {"tests": ["weat6", "weat7"], "n_subsets": 60, "measured_method": "rnd"},
    ),
    ("lpbs", MLM, {}),
    ("matched_guise", MLM, {}),
    ("matched_guise", CAUSAL, {"tests": ["application"], "calibrate": True}),
    ("bec_pro", MLM, {}),
    ("disco", MLM, {}),
    ("mlm_gender_score", MLM, {}),
    ("winobias", MLM, PAIRS),
    ("winobias", CAUSAL, PAIRS),
    ("tpr_gap", "", {}),
    ("bias_nli", "", {"data": INFERENCES}),
    ("bias_nli", "", {"data": INFERENCES, "variant": "gap"}),
    ("crows_pairs", MLM, PAIRS),
    ("crows_pairs", MLM, {**PAIRS, "variant": "changed"}),
    ("crows_pairs", CAUSAL, {**PAIRS, "variant": "causal"}),
    ("pll", MLM, {**PAIRS, "variant": "within_word_l2r"}),
    ("aul", MLM, PAIRS),
    ("aula", MLM, PAIRS),
    ("kldivs", MLM, PAIRS),
    ("stereoset", MLM, PAIRS),
    ("stereoset", CAUSAL, PAIRS),
    ("token_sets", MLM, {}),
    ("gest", MLM, {}),
    ("gest", CAUSAL, {"variant": "published"}),
    ("counterfactual_text", "", {"data": TEXTS}),
    ("decision_gap", CAUSAL, {"wordings": 1, "variant": "continuation"}),
    ("honest", MLM, {"k": 20}),
    ("bbq", MLM, PAIRS),
    ("bbq", CAUSAL, {**PAIRS, "condition": "disambig"}),
    ("word_association", "", {"data": ASSOCIATIONS}),
    ("relative_decision", "", {"data": DECISIONS}),
    ("metric_compatibility", "", {"data": SCORES, "coefficient": "spearman"}),
    ("seed_sensitivity", GLOVE, {"tests": ["weat7"], "n_subsets": 20}),
    ("pll_robustness", MLM, {}),
    ("template_compatibility", ENCODER, {"n_subsets": 50, "n_resamples": 199, "ci_resamples": 199}),
    ("representation_compatibility", ENCODER, {"n_subsets": 50, "n_resamples": 199, "ci_resamples": 199}),
)
RENAMED = {
    "decided_low": "decided_score_low",
    "decided_high": "decided_score_high",
    "neutral": "ties",
    "ks.p_value": "ks_p_value",
    "correlations.women_bls.pearson.r": "correlation_women_bls",
    "correlations.women_bls.pearson.ci_low": "correlation_women_bls_low",
    "correlations.women_bls.pearson.ci_high": "correlation_women_bls_high",
    **{
        f"{sentences}.{level}.{old}": f"{sentences}_{level}_agreement{new}"
        for sentences, level in (("paraphrase", "sign"), ("unrelated", "sign"), ("paraphrase", "band"))
        for old, new in (("agreement", ""), ("ci_low", "_low"), ("ci_high", "_high"))
    },
}
"""Columns of the report's table that had another name before version 2 of the results' schema."""
HEAD = ("score", "ideal", "n", "ci_low", "ci_high", "ci_level", "p_value", "p_low", "p_high")


def numbers(method: str, model: Any, options: dict[str, Any]) -> dict[str, float | None]:
    """All numbers of one measurement by name; floats are written with all their digits."""
    result = eb.measure(method, model, **options)
    found: dict[str, float | None] = {f"result {key}": getattr(result, key) for key in HEAD}
    frame = summary_frame([result])
    rows = [row for row in frame.to_dict("records") if not row["test"].startswith(ALL_TESTS)]
    for place, row in enumerate(rows):  # all tests together are the result's own numbers
        for key, value in row.items():
            if isinstance(value, (int, float)):
                found[f"row {place} {row['test']} {key}"] = None if math.isnan(value) else float(value)
    return found


def renamed(name: str) -> str:
    """A number's name with the column's name of today."""
    start, _, column = name.rpartition(" ")
    return f"{start} {RENAMED.get(column, column)}"


def same(name: str, old: float | None, new: float | None, relative: float) -> bool:
    """Whether a number is what it was: p-values to the last bit, others but for a share of them."""
    if old is None or new is None or name.rpartition(" ")[2].startswith("p_"):
        return old == new
    return math.isclose(old, new, rel_tol=relative, abs_tol=relative * 1e-3)


def measure(only: list[str]) -> dict[str, dict[str, float | None]]:
    """All measurements, models loaded once."""
    out = {}
    for name in ("", GLOVE, MLM, ENCODER, CAUSAL):
        chosen = [m for m in MEASUREMENTS if m[1] == name and (not only or m[0] in only)]
        model = eb.load_model(name) if name and chosen else None
        for method, _, options in chosen:
            start = time.monotonic()
            told = {k: v for k, v in options.items() if k != "data"}
            key = f"{method} {name} {json.dumps(told, sort_keys=True)}"
            out[key] = numbers(method, model, options)
            print(f"{time.monotonic() - start:6.1f} s  {len(out[key]):4d} numbers  {key}", file=sys.stderr)
    return out


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("write", "compare"))
    parser.add_argument("file", type=Path)
    parser.add_argument("methods", nargs="*")
    parser.add_argument("--relative", type=float, default=0.0)
    options = parser.parse_args()
    if missing := set(METHODS) - {m[0] for m in MEASUREMENTS}:
        print(f"not measured here: {', '.join(sorted(missing))}", file=sys.stderr)
    found = measure(options.methods)
    if options.what == "write":
        options.file.write_text(json.dumps(found, indent=1), encoding="utf-8")
        return 0
    before = json.loads(options.file.read_text(encoding="utf-8"))
    if options.methods:
        before = {k: v for k, v in before.items() if k.split()[0] in options.methods}
    differing = added = 0
    for key in sorted(before.keys() | found.keys()):
        old = {renamed(name): value for name, value in before.get(key, {}).items()}
        new = found.get(key, {})
        added += len(new.keys() - old.keys())
        for name, value in old.items():
            if name not in new or not same(name, value, new[name], options.relative):
                differing += 1
                print(f"{key}: {name}: {value!r} -> {new.get(name, 'missing')!r}")
    compared = sum(len(v) for v in found.values())
    print(f"{compared} numbers of {len(found)} measurements, {added} of them new, {differing} differ")
    return int(differing > 0)


if __name__ == "__main__":
    sys.exit(main())
