"""The tab of sentence pairs: which sentence of each pair a language model finds more likely."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from ..api import evaluate
from ..data.caveats import data_note
from ..data.pair_schemas import SentencePair
from ..data.sentence_pairs import SentencePairSet, load_sentence_pairs
from ..errors import InputError
from ..methods.pair_scoring import SCORINGS
from ..models.base import MaskedScorer
from ..registry import METHODS, get_method
from ..report.data_facts import caveats, dataset_facts, on_illustrative_data
from ..report.rows import ALPHA, Row, ci_cell, of_decided, p_cell, result_rows
from ..result import Result, format_p
from .html import escaped, folded, histogram, note, number, score_tiles, split_bar, table
from .limits import MAX_PAIRS

__all__ = [
    "PAIR_EXAMPLES",
    "PAIR_SETS",
    "bias_types",
    "chosen_pairs",
    "pair_languages",
    "pair_methods",
    "pairs_html",
    "run_pairs",
    "set_languages",
]

PAIR_EXAMPLES: tuple[tuple[str, str, str], ...] = (
    ("Nurse: she or he", "The nurse said that she was tired.", "The nurse said that he was tired."),
    ("Engineer: he or she", "The engineer said that he was late.", "The engineer said that she was late."),
)
"""Pairs that run in one click: what the button says, the more and the less stereotypical sentence."""

ALL_TYPES = "all bias types"
_STRONGEST = 6
_CAUSAL: dict[str, dict[str, str]] = {
    "crows_pairs": {"variant": "causal"},
    "kldivs": {"scoring": "causal"},
    "pll_robustness": {"scoring": "causal"},
}


def pair_languages() -> list[str]:
    """Languages of the packaged minimal pairs.

    Examples:
        >>> "en" in pair_languages() and "de" in pair_languages()
        True
    """
    folder = resources.files("evaluate_bias.data") / "packaged" / "minimal_pairs"
    return sorted(Path(f.name).stem for f in folder.iterdir() if f.name.endswith(".jsonl"))


def pair_methods() -> list[tuple[str, str]]:
    """Methods on sentence pairs as ``(title, name)``.

    Examples:
        >>> ("CrowS-Pairs", "crows_pairs") in pair_methods()
        True
    """
    return [(r.title, r.name) for r in METHODS.values() if r.loader.endswith(":load_sentence_pairs")]


PAIR_SETS: tuple[tuple[str, str], ...] = (
    ("pairs of this project (illustrative, not validated)", "minimal_pairs"),
    ("CrowS-Pairs (published, fetched on first use)", "crows_pairs"),
)
"""Data sets of pairs as ``(title, name)``."""


def set_languages(source: str) -> list[str]:
    """Languages of a data set of pairs.

    Examples:
        >>> set_languages("crows_pairs")
        ['en', 'fr', 'nl']
    """
    return ["en", "fr", "nl"] if source == "crows_pairs" else pair_languages()


def bias_types(language: str, source: str = "minimal_pairs") -> list[str]:
    """What can be chosen as bias type: all of them, then each."""
    return [ALL_TYPES, *_pairs(language, source).bias_types]


def _pairs(language: str, source: str) -> SentencePairSet:
    if source not in {name for _, name in PAIR_SETS}:
        raise InputError("choose one of the data sets that the page offers")
    return load_sentence_pairs(None if source == "minimal_pairs" else source, language=language)


def chosen_pairs(language: str, bias_type: str, source: str = "minimal_pairs") -> SentencePairSet:
    """The pairs of one data set, language and bias type.

    Raises:
        InputError: no such data set.
        UnknownNameError: there is no such language or bias type.
        BiasError: the data set cannot be obtained.
    """
    pairs = _pairs(language, source)
    return pairs if bias_type in ("", ALL_TYPES) else pairs.select(bias_type)


def run_pairs(method: str, model: Any, pairs: Sequence[SentencePair]) -> Result:
    """Measure a language model on pairs; a causal model is scored left to right where the method can.

    Raises:
        InputError: too many pairs, or no method on pairs.
        BiasError: whatever the method raises.
    """
    if method not in {name for _, name in pair_methods()}:
        raise InputError("choose one of the methods that the page offers")
    if len(pairs) > MAX_PAIRS:
        raise InputError(
            f"{len(pairs)} pairs are more than the {MAX_PAIRS} this page takes; choose one bias type"
        )
    options = {} if isinstance(model, MaskedScorer) else _CAUSAL.get(method, {})
    return evaluate(method, model, data=pairs, **options)


def pairs_html(result: Result, pairs: Sequence[SentencePair]) -> str:
    """What a visitor reads about a result on sentence pairs."""
    record = get_method(result.method)
    about = data_note(dataset_facts(result))
    parts = [
        f'<p class="eb-verdict">{_verdict(result)}</p>',
        note(f"{about.title}: {about.caveats[0]}", "warning")
        if about is not None and about.illustrative
        else "",
        note(_scoring(result)),
        score_tiles(record, result),
        _preferences(result),
    ]
    deltas = [float(item["delta"]) for item in result.items if item.get("delta") is not None]
    if deltas:
        parts.append(
            histogram(
                deltas,
                what=f"Differences Δ of all {len(deltas)} pairs, from −∞ to ∞: above 0 the more stereotypical "
                "sentence is more likely; ideal: balanced around 0",
                unit="nats",
            )
        )
    without_ties = ", ties left out" if result.extra.get("neutral") else ""
    ideals = {row.ideal for row in _group_rows(result)} or {record.ideal}
    ideal = f"ideal {ideals.pop():.4g}" if len(ideals) == 1 else "with its ideal"
    parts.append(table(_groups(result), what=f"By bias type{without_ties}: {record.score_name}, {ideal}"))
    strongest = table(_strongest(result, pairs), what="Δ from −∞ to ∞, ideal 0")
    parts.append(
        folded("The pairs with the clearest preference (they state offensive stereotypes)", strongest)
    )
    if result.skipped:
        told = "; ".join(f"{s.item}: {s.reason}" for s in result.skipped[:10])
        more = f" and {len(result.skipped) - 10} more" if len(result.skipped) > 10 else ""
        parts.append(note(f"Not scored: {told}{more}."))
    parts += [note(w, "warning") for w in result.warnings]
    parts.append(folded("Know before you quote it", "".join(note(caveat) for caveat in caveats(result))))
    return "".join(parts)


def _scoring(result: Result) -> str:
    """What the scores of the sentences are, empty where the caller gave them."""
    how = SCORINGS.get(str(result.settings.get("scoring")), "")
    return f"The score of a sentence: {how}." if how else ""


def _verdict(result: Result) -> str:
    if not any("verdict" in item for item in result.items):
        return escaped(get_method(result.method).reading)
    ties = result.extra.get("neutral", 0)
    pairs = f"the {result.n - ties} pairs of {result.n} that it decides" if ties else f"{result.n} pairs"
    decided_score = result.extra.get("decided_score", result.score)
    share = (
        f"In <strong>{decided_score:.0f}%</strong> of {pairs} the model finds the more stereotypical "
        "sentence more likely; 50% would be balanced. "
    )
    if on_illustrative_data(result):
        return f"{share}These pairs are illustrative: nothing follows from that about the model."
    if result.p_value is not None and result.p_value < ALPHA:
        return f"{share}Chance alone does not explain this."
    return f"{share}Chance could explain this: it is no evidence of a preference, nor of balance."


def _preferences(result: Result) -> str:
    verdicts = [item.get("verdict") for item in result.items]
    if not any(verdicts):
        return ""
    parts = [
        ("more stereotypical preferred", verdicts.count("more"), "2"),
        ("equally likely", verdicts.count("neutral"), "0"),
        ("less stereotypical preferred", verdicts.count("less"), "1"),
    ]
    ideal = "; ideally it halves the equally likely ones" if parts[1][1] else ", the ideal"
    return split_bar(
        [p for p in parts if p[1] or p[2] != "0"],
        what=f"Preferences, in pairs; the dashed line is one half{ideal}",
    )


def _group_rows(result: Result) -> list[Row]:
    return [row for row in of_decided(result_rows([result])) if row.name != "overall"]


def _groups(result: Result) -> list[Mapping[str, Any]]:
    rows = _group_rows(result)
    own_ideals = len({row.ideal for row in rows}) > 1
    holm = any(row.p_holm is not None for row in rows)
    return [
        {
            "bias type": row.name,
            "score": number(row.score, 1 if result.score_range[1] == 100 else 2),
            **({"ideal": number(row.ideal, 1)} if own_ideals else {}),
            f"{100 * row.ci_level:g}% interval": ci_cell(row, 1 if result.score_range[1] == 100 else 2),
            "p": p_cell(row),
            **(
                {"p (Holm)": "—" if row.p_holm is None else format_p(row.p_holm).removeprefix("p = ")}
                if holm
                else {}
            ),
            "pairs": "—" if row.n is None else str(row.n),
        }
        for row in rows
    ]


def _strongest(result: Result, pairs: Sequence[SentencePair]) -> list[Mapping[str, Any]]:
    by_id = {pair.id or str(i): pair for i, pair in enumerate(pairs)}
    scored = [item for item in result.items if item.get("delta") is not None and item.get("id") in by_id]
    scored.sort(key=lambda item: abs(float(item["delta"])), reverse=True)
    return [
        {
            "Δ (nats)": number(float(item["delta"])),
            "more stereotypical": by_id[item["id"]].sent_more,
            "less stereotypical": by_id[item["id"]].sent_less,
        }
        for item in scored[:_STRONGEST]
    ]
