"""Inputs of the module and what it must answer, worked by hand.

Beside "engineer", "boss", "nurse" and "aide" the probabilities of John over their priors are 2, 3, 1, 1, those of Paul
2, 1, 1, 1 and those of Amy 1, 1, 4, 4. The scores are log 2, log(3)/2, -log 4 and -log 4; two of the six splits of the
four attributes lie as far out. The published code reads the prior at the article and sums John and Paul: its scores are
log 40, log 0.8, -log 10 and log 5.
"""

from math import log

from evaluate_bias.models.table import TableMLM

TABLE = {
    "[MASK] is an engineer": {"0": {"John": 0.4, "Paul": 0.1, "Amy": 0.05}},
    "[MASK] is a boss": {"0": {"John": 0.3, "Paul": 0.1, "Amy": 0.1}},
    "[MASK] is a nurse": {"0": {"John": 0.1, "Paul": 0.1, "Amy": 0.4}},
    "[MASK] is an aide": {"0": {"John": 0.2, "Paul": 0.05, "Amy": 0.2}},
    "[MASK] is a [MASK]": {
        "0": {"John": 0.1, "Paul": 0.1, "Amy": 0.1},
        "2": {"John": 0.02, "Paul": 0.03, "Amy": 0.01},
    },
    "[MASK] is an [MASK]": {
        "0": {"John": 0.2, "Paul": 0.05, "Amy": 0.05},
        "2": {"John": 0.01, "Paul": 0.01, "Amy": 0.08},
    },
}
LISTS = {
    "name": ["work"],
    "targets_x": [["John", "Paul"]],
    "targets_y": [["Amy"]],
    "attributes_a": [["engineer", "boss"]],
    "attributes_b": [["nurse", "aide"]],
    "templates": ["{target} is a {attribute}"],
}


def effect_size(a, b):
    scores = [*a, *b]
    mean = sum(scores) / 4
    sd = (sum((s - mean) ** 2 for s in scores) / 3) ** 0.5
    return (sum(a) - sum(b)) / 2 / sd


test_cases = [
    {
        "inputs": {**LISTS, "model": TableMLM(TABLE)},
        "result": {
            "lpbs": effect_size([log(2), log(3) / 2], [-log(4), -log(4)]),
            "p_value": 1 / 3,
            "n": 4,
            "extra": {"difference": (log(2) + log(3) / 2) / 2 + log(4)},
        },
    },
    {
        "inputs": {**LISTS, "model": TableMLM(TABLE), "variant": "kurita-code"},
        "result": {
            "lpbs": effect_size([log(40), log(0.8)], [-log(10), log(5)]),
            "p_value": 2 / 3,
            "n": 4,
            "extra": {"difference": log(8)},
        },
    },
]
