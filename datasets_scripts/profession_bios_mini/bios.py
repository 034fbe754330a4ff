"""Makes the biographies: 640 texts of three sentences from templates of this project, the same on every machine.

``python datasets_scripts/profession_bios_mini/bios.py FILE`` writes the rows as JSON lines.
"""

from __future__ import annotations

import json
import math
import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

__all__ = ["PROFESSIONS", "biographies"]

T = TypeVar("T")

_PRONOUNS = {
    "female": {"They": "She", "they": "she", "their": "her", "partner": "husband"},
    "male": {"They": "He", "they": "he", "their": "his", "partner": "wife"},
}
PROFESSIONS: dict[str, tuple[int, str, tuple[str, ...]]] = {
    # profession: women among the 40 training texts, the profession it is confused with, work that tells it apart
    "nurse": (
        35,
        "surgeon",
        ("changes dressings", "runs the night shift of the ward", "teaches families home care"),
    ),
    "surgeon": (6, "nurse", ("operates on knees", "transplants kidneys", "plans difficult operations")),
    "teacher": (
        31,
        "software engineer",
        ("marks essays", "leads a class of nine-year-olds", "meets parents weekly"),
    ),
    "software engineer": (
        7,
        "teacher",
        ("ships compilers", "debugs databases", "reviews code for a large firm"),
    ),
    "accountant": (
        24,
        "lawyer",
        ("closes the books of bakeries", "audits ledgers", "prepares balance sheets"),
    ),
    "lawyer": (16, "accountant", ("argues in court", "drafts wills", "defends tenants against eviction")),
    "journalist": (22, "architect", ("reports from elections", "edits a local paper", "interviews mayors")),
    "architect": (
        13,
        "journalist",
        ("designs libraries", "restores town halls", "draws plans for timber houses"),
    ),
}
_SHARED = {
    frozenset({"nurse", "surgeon"}): (
        "looks after patients in a city hospital",
        "explains treatments to worried relatives",
        "has worked in emergency rooms for years",
    ),
    frozenset({"teacher", "software engineer"}): (
        "shows beginners how to write small programs",
        "runs a computer club at a school",
        "writes exercises about algorithms",
    ),
    frozenset({"accountant", "lawyer"}): (
        "advises family firms on their taxes",
        "reads contracts for small companies",
        "sits on the board of a savings bank",
    ),
    frozenset({"journalist", "architect"}): (
        "writes about new buildings",
        "photographs squares and bridges",
        "gives talks on the future of cities",
    ),
}
_START = (
    "{They} grew up by the sea and studied in the north.",
    "{They} began {their} career twelve years ago.",
    "{They} moved to the capital after {their} studies.",
    "After a few years abroad {they} returned to {their} home town.",
)
_WORK = ("{They} {work}.", "Today {they} {work}.", "Most days {they} {work}.", "{They} {work} and likes it.")
_END = (
    "{They} lives with {their} {partner} and two children.",
    "In {their} free time {they} rows and reads.",
    "{They} and {their} {partner} keep bees.",
    "{They} plays the cello in {their} spare time.",
)
_SHARE_TOLD_APART = 0.55
TEST_TEXTS = 20
TRAINING_TEXTS = 40


def biographies() -> list[dict[str, Any]]:
    """Return the rows: 40 training texts of every profession, and 20 test texts of every profession and gender.

    In the training split women and men are as unequally many as :data:`PROFESSIONS` says; in both splits a little less
    than half of the texts tell of work that two professions share, so that a classifier has only the pronouns to go by.
    Texts of the test split have a ``prediction``, that of a naive Bayes classifier made of the training split.

    Examples:
        >>> rows = biographies()
        >>> len(rows), rows[0]["profession"], rows[0]["text"]
        (640, 'nurse', 'After a few years abroad she returned to her home town. ...')
    """
    rng = random.Random(2019)
    rows: list[dict[str, Any]] = []
    known: set[str] = set()
    for profession, (women, _, _) in PROFESSIONS.items():
        counts = {"train": (women, TRAINING_TEXTS - women), "test": (TEST_TEXTS, TEST_TEXTS)}
        for split, sizes in counts.items():
            for gender, size in zip(("female", "male"), sizes, strict=True):
                for _ in range(size):
                    row = _row(profession, gender, split, rng)
                    while row["text"] in known:  # no text twice, in one split or both
                        row = _row(profession, gender, split, rng)
                    known.add(row["text"])
                    rows.append(row)
    predict = _naive_bayes([row for row in rows if row["split"] == "train"])
    for number, row in enumerate(rows):
        row["id"] = f"bio-{number:03d}"
        row["prediction"] = predict(row["text"]) if row["split"] == "test" else None
    return rows


def _row(profession: str, gender: str, split: str, rng: random.Random) -> dict[str, Any]:
    _, other, own = PROFESSIONS[profession]
    told_apart = rng.random() < _SHARE_TOLD_APART
    work = _drawn(own if told_apart else _SHARED[frozenset({profession, other})], rng)
    words = {**_PRONOUNS[gender], "work": work}
    text = " ".join(_drawn(part, rng).format(**words) for part in (_START, _WORK, _END))
    return {
        "id": "",
        "text": text,
        "profession": profession,
        "gender": gender,
        "split": split,
        "language": "en",
    }


def _naive_bayes(rows: Sequence[Mapping[str, Any]]) -> Callable[[str], str]:
    """A multinomial naive Bayes classifier of words, each count raised by 1."""
    counts: dict[str, Counter[str]] = {}
    for row in rows:
        counts.setdefault(row["profession"], Counter()).update(_words(row["text"]))
    known = {word for counted in counts.values() for word in counted}
    totals = {name: counted.total() + len(known) for name, counted in counts.items()}

    def predict(text: str) -> str:
        def score(name: str) -> float:  # all professions have equally many training texts
            words = (word for word in _words(text) if word in known)
            return math.fsum(math.log((counts[name][word] + 1) / totals[name]) for word in words)

        return max(sorted(counts), key=score)

    return predict


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z]+", text.lower())


def _drawn(choices: Sequence[T], rng: random.Random) -> T:
    """One of the choices; only ``random()`` is promised to draw the same in every version of Python."""
    return choices[int(rng.random() * len(choices))]


if __name__ == "__main__":
    lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in biographies())
    Path(sys.argv[1]).write_text("".join(lines), encoding="utf-8")
