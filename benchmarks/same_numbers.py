"""Every method on packaged data and the models at hand: scores, intervals, p-values, changes and gates, as they were.

``python benchmarks/same_numbers.py write FILE`` before a change that may alter no number, ``compare FILE`` after it.

Each method is measured (``measured``), and once more on a second model or data set, planted from the first by a fixed
seed; what ``compare`` and ``gate`` say of the two is kept as well (``changed``). Every number has a Monte Carlo error,
0 where nothing is sampled: of a p-value by its draws, of an end of a bootstrap interval by its resamples. ``compare``
prints

- numbers that differ: exact ones in any bit (``--relative 1e-9`` allows for sums in another order), sampled ones by
  more than four of their errors. One that differs or is missing makes the exit status 1;
- how many sampled numbers moved within their error, and how many are new;
- the names that were dropped (``DROPPED``, ``--drop NAME``), each once with how often it was there.

A name that changed goes into ``RENAMED``; a measurement that is meant to change, into ``--drop METHOD:*``.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import math
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

import evaluate_bias as eb
from evaluate_bias.assets import fetch
from evaluate_bias.assets.catalogue import CATALOGUE
from evaluate_bias.registry import METHODS

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
    ("crows_pairs", CAUSAL, {**PAIRS, "variant": "causal", "limit": 40}),
    ("pll", MLM, {**PAIRS, "variant": "within_word_l2r"}),
    ("aul", MLM, PAIRS),
    ("aula", MLM, PAIRS),
    ("kldivs", MLM, PAIRS),
    ("stereoset", MLM, PAIRS),
    ("stereoset", CAUSAL, {**PAIRS, "limit": 40}),
    ("token_sets", MLM, {}),
    ("gest", MLM, {}),
    ("gest", CAUSAL, {"variant": "published"}),
    ("counterfactual_text", "", {"data": TEXTS}),
    ("decision_gap", CAUSAL, {"prompt_variants": 1, "variant": "continuation", "limit": 40}),
    ("honest", MLM, {"k": 20}),
    ("bbq", MLM, PAIRS),
    ("bbq", CAUSAL, {**PAIRS, "condition": "disambig", "prompt_variants": 1, "limit": 8}),
    ("word_association", "", {"data": ASSOCIATIONS}),
    ("relative_decision", "", {"data": DECISIONS}),
    ("metric_compatibility", "", {"data": SCORES, "coefficient": "spearman"}),
    ("seed_sensitivity", GLOVE, {"tests": ["weat7"], "n_subsets": 20}),
    ("pll_robustness", MLM, {"limit": 100}),
    ("template_compatibility", ENCODER, {"n_subsets": 50, "n_resamples": 199, "ci_resamples": 199}),
    ("representation_compatibility", ENCODER, {"n_subsets": 50, "n_resamples": 199, "ci_resamples": 199}),
)

CHANGED: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("weat", GLOVE, {}),
    ("rnd", GLOVE, {"tests": ["weat6", "weat7"]}),
    ("mac", GLOVE, {}),
    ("ect", GLOVE, {}),
    ("ripa", GLOVE, {}),
    ("rnsb", GLOVE, {}),
    ("direct_bias", GLOVE, {}),
    ("indirect_bias", GLOVE, {}),
    ("projection", GLOVE, {}),
    ("analogies", GLOVE, {"max_vocabulary": 20_000}),
    ("seat", ENCODER, {"tests": ["weat7"]}),
    ("ceat", MLM, {"tests": ["weat6"], "samples": 50, "max_contexts": 10}),
    ("wefat", GLOVE, {"max_missing": 1.0}),
    ("pmi_bias", CORPUS, {"smoothing": 0.5, "max_missing": 1.0}),
    ("frequency_bias", CORPUS, {"max_missing": 1.0}),
    ("wsv", GLOVE, {"max_missing": 1.0}),
    ("glpp", GLOVE, {"dimension": 25}),
    ("frequency_sensitivity", GLOVE, {"tests": ["weat7"], "n_subsets": 20, "measured_method": "rnd"}),
    ("seed_sensitivity", GLOVE, {"tests": ["weat7"], "n_subsets": 20}),
    ("lpbs", MLM, {}),
    ("matched_guise", MLM, {}),
    ("bec_pro", MLM, {}),
    ("disco", MLM, {}),
    ("mlm_gender_score", MLM, {}),
    ("winobias", MLM, PAIRS),
    ("crows_pairs", MLM, {**PAIRS, "ties": "keep"}),
    ("pll", MLM, PAIRS),
    ("aul", MLM, PAIRS),
    ("aula", MLM, PAIRS),
    ("kldivs", MLM, PAIRS),
    ("stereoset", MLM, PAIRS),
    ("token_sets", MLM, {}),
    ("gest", MLM, {}),
    ("honest", MLM, {"k": 20}),
    ("bbq", MLM, PAIRS),
    ("pll_robustness", MLM, {"limit": 100}),
    ("decision_gap", CAUSAL, {"prompt_variants": 1, "variant": "continuation", "limit": 40}),
    ("template_compatibility", ENCODER, {"n_subsets": 20, "n_resamples": 199, "ci_resamples": 199}),
    ("representation_compatibility", ENCODER, {"n_subsets": 20, "n_resamples": 199, "ci_resamples": 199}),
    ("tpr_gap", "", {}),
    ("bias_nli", "", {"data": INFERENCES}),
    ("counterfactual_text", "", {"data": TEXTS}),
    ("word_association", "", {"data": ASSOCIATIONS}),
    ("relative_decision", "", {"data": DECISIONS}),
    ("metric_compatibility", "", {"data": SCORES}),
)
"""Measured on two planted models each, of which ``compare`` and ``gate`` are kept."""

RENAMED = {
    "wordings": "prompt_variants",
    "level": "confidence_level",
    "position_effect": "option_order_effect",
    "position_effect_low": "option_order_effect_low",
    "position_effect_high": "option_order_effect_high",
    "decided_score": "score_without_ties",
    "decided_score_low": "score_without_ties_low",
    "decided_score_high": "score_without_ties_high",
    "too few units": "too few items",
}
"""Options, columns and verdicts that had another name when the numbers were saved."""

DROPPED = ["p_low", "p_high"]
"""Columns and options that are gone, as patterns of the shell; ``METHOD:COLUMN`` drops one method's."""

_ERRORS = 4.0
_RESAMPLED = ("boot", "bca", "percentile", "studentised")
_DEFAULT_RESAMPLES, _DEFAULT_DRAWS = 9_999, 99_999
_Z = 1.959963984540054
_Numbers = dict[str, tuple[Any, float]]


def end_error(low: Any, high: Any, method: str, resamples: int) -> float:
    """Monte Carlo error of an end of a 95% interval: of a quantile of a normal sample of so many resamples."""
    if low is None or high is None or not any(word in method.lower() for word in _RESAMPLED):
        return 0.0
    deviation = (high - low) / (2 * _Z)
    density = math.exp(-(_Z**2) / 2) / math.sqrt(2 * math.pi)
    return deviation / density * math.sqrt(0.025 * 0.975 / resamples)


def measured(result: Any) -> _Numbers:
    """Every number of a result by row and column, with its Monte Carlo error."""
    settings = result.settings
    resamples = int(settings.get("ci_resamples") or settings.get("n_resamples") or _DEFAULT_RESAMPLES)
    rows = [
        {k: v for k, v in row.items() if not (isinstance(v, float) and math.isnan(v))}
        for row in result.to_frame().to_dict("records")
    ]
    tests = sum(row["kind"] != "item" for row in rows)
    adjusted = tests * max((row.get("p_error", 0.0) for row in rows), default=0.0)
    draws = int(settings.get("n_resamples") or _DEFAULT_DRAWS)
    found: _Numbers = {}
    seen: Counter[str] = Counter()
    for row in rows:
        name = f"{row['kind']} {row['name']}"
        seen[name] += 1
        name += f" #{seen[name]}" * (seen[name] > 1)
        method = str(row.get("ci_method") or result.ci_method or "bootstrap")
        for key, value in row.items():
            if not isinstance(value, (int, float, np.integer, np.floating)):
                continue
            error = 0.0
            if key in ("p_value", "p_error"):
                error = row.get("p_error", 0.0)
            elif key in ("p_holm", "p_bh"):
                error = adjusted
            elif (key.endswith("_p") or key.startswith("p_")) and 0 <= value <= 1:
                error = math.sqrt(value * (1 - value) / draws)
            elif key.endswith(("_low", "_high")):
                stem = key.rpartition("_")[0]
                of = method if stem == "ci" else "bootstrap"
                error = end_error(row.get(f"{stem}_low"), row.get(f"{stem}_high"), of, resamples)
            found[f"{name} {key}"] = float(value), error
        if row["kind"] == "overall":
            found[f"{name} score_range"] = list(result.score_range), 0.0
    return found


def changed(first: Any, second: Any) -> _Numbers:
    """What ``compare`` and ``gate`` say of two results."""
    found: _Numbers = {}
    widest = 0.0
    changes = eb.compare([first], [second]).changes
    adjusted = len(changes) * max((change.p_error or 0.0 for change in changes), default=0.0)
    for change in changes:
        name = f"compare {change.kind} {change.name}"
        end = end_error(change.low, change.high, change.interval or "bootstrap", _DEFAULT_RESAMPLES)
        excess = change.excess or (None, None)
        errors = {
            "first": 0.0, "second": 0.0, "ideal_first": 0.0, "ideal_second": 0.0, "difference": 0.0, "n": 0.0,
            "low": end, "high": end, "detectable": end, "p_value": change.p_error or 0.0, "p_holm": adjusted,
        }  # fmt: skip
        for key, error in errors.items():
            found[f"{name} {key}"] = getattr(change, key), error
        for key in ("distance", "excess"):
            low, high = excess if key == "excess" else (change.distance_low, change.distance_high)
            error = end_error(low, high, change.interval or "bootstrap", _DEFAULT_RESAMPLES)
            widest = max(widest, error, end)
            found |= {f"{name} {key}_low": (low, error), f"{name} {key}_high": (high, error)}
        found[f"{name} conclusion"] = change.conclusion.value, 0.0
    for k, check in enumerate(eb.gate([second], against=[first], margin=2, groups=True).checks):
        found[f"gate {k} {check.name} outcome"] = check.outcome, 0.0
        # One-sided ends lie where the bootstrap distribution is denser.
        found[f"gate {k} {check.name} held"] = check.held, widest
    return found


def load(name: str) -> Any:
    return eb.load_model(name) if name else None


def plant(name: str, folder: Path) -> Any:
    """A second model: the first with noise on every number, or a corpus without every third book."""
    rng = np.random.default_rng(7)
    if name.startswith("corpus:"):
        books = sorted(fetch(CATALOGUE[name.partition(":")[2]]).glob("*.txt"))
        path = folder / "planted.txt"
        path.write_bytes(b"\n".join(b.read_bytes() for k, b in enumerate(books) if k % 3))
        return eb.load_model(f"corpus:{path}")
    model = eb.load_model(name)
    if name == GLOVE:
        import pandas as pd

        rows = eb.measure("weat", model, ci="none", max_missing=1.0).rows
        listed = {
            f["word"].lower() for row in rows for key in ("words", "attributes") for f in row.details[key]
        }
        words = [word for k, word in enumerate(model.words) if k < 40_000 or word in listed]
        table = np.stack([model.vector(word) for word in words]).astype(np.float32)
        noise = 0.3 * table.std() * rng.standard_normal(table.shape, dtype=np.float32)
        return eb.load_model(pd.DataFrame(table + noise, index=words), name="planted", case="lower")
    import torch

    generator = torch.Generator().manual_seed(7)
    with torch.no_grad():
        for weights in model.model.parameters():
            if weights.ndim > 1:
                weights += 0.2 * weights.std() * torch.randn(weights.shape, generator=generator)
    return model


def planted_data(data: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The same units with other answers: those of the row that comes two later."""
    answers = ("score", "answers", "decisions", "completions", "entailment", "neutral", "contradiction")
    moved = data[2:] + data[:2]
    return [row | {k: other[k] for k in answers if k in row} for row, other in zip(data, moved, strict=True)]


def everything(only: list[str]) -> dict[str, _Numbers]:
    """All measurements and changes, each model loaded once."""
    out: dict[str, _Numbers] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in ("", GLOVE, MLM, ENCODER, CAUSAL, CORPUS):
            jobs = [
                (key, of, options)
                for key, table in (("measured", MEASUREMENTS), ("changed", CHANGED))
                for of, model, options in table
                if model == name and (not only or of in only)
            ]
            if not jobs:
                continue
            first = load(name)
            second = plant(name, Path(folder)) if name and any(key == "changed" for key, *_ in jobs) else None
            for key, method, options in jobs:
                start = time.monotonic()
                told = {k: v for k, v in options.items() if k != "data"}
                label = f"{key} {method} {name} {json.dumps(told, sort_keys=True)}"
                try:
                    result = eb.measure(method, first, **options)
                    if key == "measured":
                        out[label] = measured(result)
                    else:
                        other = options | (
                            {"data": planted_data(options["data"])} if "data" in options else {}
                        )
                        out[label] = changed(result, eb.measure(method, second, **other))
                except eb.BiasError as error:
                    out[label] = {"error": (type(error).__name__, 0.0)}
                    print(f"{label}: {error}", file=sys.stderr)
                seconds = time.monotonic() - start
                print(f"{seconds:6.1f} s  {len(out[label]):5d} numbers  {label}", file=sys.stderr)
    return out


def renamed(name: str) -> str:
    """A saved name with the words of today."""
    for old, new in RENAMED.items():
        name = " ".join(
            new if word == old else word.replace(f'"{old}"', f'"{new}"') for word in name.split(" ")
        )
    return name


def dropped(method: str, name: str, patterns: list[str]) -> str | None:
    """The pattern by which a number is gone on purpose."""
    column = name.rpartition(" ")[2]
    for pattern in patterns:
        of, _, what = pattern.rpartition(":")
        if (not of or of == method) and fnmatch.fnmatchcase(column, what):
            return pattern
    return None


def compare(before: dict[str, Any], now: dict[str, _Numbers], patterns: list[str], relative: float) -> int:
    """Print the differences and return their number."""
    differ = moved = equal = 0
    gone: Counter[str] = Counter()
    for saved, numbers in before.items():
        key = renamed(saved)
        method = key.split(" ")[1]
        new = now.get(key, {})
        for name, (value, error) in ((renamed(n), v) for n, v in numbers.items()):
            value = RENAMED.get(value, value) if isinstance(value, str) else value
            other, other_error = new.get(name, ("missing", 0.0))
            if other == value:
                equal += 1
            elif pattern := dropped(method, name, patterns):
                gone[pattern] += 1
            elif not (isinstance(value, float | int) and isinstance(other, float | int)):
                differ += 1
                print(f"{key}: {name}: {value!r} -> {other!r}")
            elif math.isclose(value, other, rel_tol=relative, abs_tol=relative * 1e-3):
                equal += 1
            elif abs(value - other) <= _ERRORS * math.hypot(error, other_error):
                moved += 1
            else:
                differ += 1
                errors = (
                    f", {abs(value - other) / e:.1f} errors" if (e := math.hypot(error, other_error)) else ""
                )
                print(f"{key}: {name}: {value!r} -> {other!r}{errors}")
    names = {(renamed(k), renamed(n)) for k, numbers in before.items() for n in numbers}
    added = sum((k, n) not in names for k, numbers in now.items() for n in numbers)
    for pattern, n in gone.items():
        print(f"dropped: {pattern}, {n} times")
    print(f"{equal} equal, {moved} moved within their Monte Carlo error, {added} new, {differ} differ")
    return differ


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("write", "compare"))
    parser.add_argument("file", type=Path)
    parser.add_argument("methods", nargs="*")
    parser.add_argument("--relative", type=float, default=0.0)
    parser.add_argument("--drop", action="append", default=[], metavar="NAME")
    options = parser.parse_args()
    for table in (MEASUREMENTS, CHANGED):
        if missing := set(METHODS) - {m[0] for m in table}:
            print(f"not here: {', '.join(sorted(missing))}", file=sys.stderr)
    now = everything(options.methods)
    if options.what == "write":
        options.file.write_text(json.dumps(now, indent=0), encoding="utf-8")
        return 0
    before = json.loads(options.file.read_text(encoding="utf-8"))
    if options.methods:
        before = {k: v for k, v in before.items() if k.split(" ")[1] in options.methods}
    return int(compare(before, now, DROPPED + options.drop, options.relative) > 0)


if __name__ == "__main__":
    sys.exit(main())
