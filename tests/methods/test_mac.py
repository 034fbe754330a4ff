"""MAC: naive loops, properties, bad input. The golden cases are in the common table."""

from __future__ import annotations

import numpy as np
import pytest

from evaluate_bias.methods import mac
from tests.support.draws import draws

from .vector_tests import LISTS, cos, made, run


def naive(vectors, targets, sets):
    found = []
    for t in targets:
        for some in sets:
            found.append(sum(1 - cos(vectors[t], vectors[a]) for a in some) / len(some))
    return sum(found) / len(found)


@draws(200)
def test_agrees_with_naive_loops(seed):
    rng = np.random.default_rng(seed)
    sizes = [
        int(rng.integers(1, 6)),
        int(rng.integers(0, 6)),
        int(rng.integers(1, 6)),
        int(rng.integers(0, 6)),
    ]
    vectors, test = made(seed, sizes)
    targets = test["targets_x"] + test.get("targets_y", [])
    sets = [test[n] for n in LISTS[2:] if n in test]
    result = run("mac", vectors, test)
    assert result.score == pytest.approx(naive(vectors, targets, sets))
    for key, some in zip(("mac_a", "mac_b"), sets, strict=False):
        assert result.estimates[key].value == pytest.approx(naive(vectors, targets, [some]))
    arrays = mac.mean_average_cosine_similarity(
        [vectors[w] for w in targets], [[vectors[w] for w in some] for some in sets]
    )
    assert arrays == pytest.approx(result.score)
    (row,) = result.rows
    for word in row.details["words"]:
        rest = [t for t in targets if t != word["word"]]
        assert word["distance"] == pytest.approx(naive(vectors, [word["word"]], sets))
        expected = result.score - naive(vectors, rest, sets) if rest else None
        assert word["influence"] == (None if expected is None else pytest.approx(expected))
    for word in row.details["attributes"]:
        rests = [[a for a in some if a != word["word"]] for some in sets]
        expected = result.score - naive(vectors, targets, rests) if all(rests) else None
        assert word["influence"] == (None if expected is None else pytest.approx(expected))


def test_more_than_two_groups_and_sets():
    """Words for any number of groups are one list; with a row for each set, the mean of the rows is MAC over all."""
    vectors, test = made(6, (9, 0, 8, 0))
    sets = [test["attributes_a"][:2], test["attributes_a"][2:5], test["attributes_a"][5:]]
    rows = [{**test, "name": f"set {i}", "attributes_a": some} for i, some in enumerate(sets)]
    found = run("mac", vectors, *rows)
    assert found.score == pytest.approx(naive(vectors, test["targets_x"], sets))
    arrays = [[vectors[w] for w in some] for some in sets]
    assert found.score == pytest.approx(
        mac.mean_average_cosine_similarity([vectors[w] for w in test["targets_x"]], arrays)
    )
