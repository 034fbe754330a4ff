"""Inputs of the module and what it must answer, worked by hand.

All four women are filled with "dancing", three of four men with "football" and one with "dancing": chi-square 8 · 12² /
(4 · 4 · 5 · 3) = 4.8 for both fills, p = erfc(sqrt(2.4)); "law" goes to everyone. Three tests: 3 p = .085. Fisher's
exact p is 10 of 70. Likely fills that differ within a pair: two in three pairs (football, dancing), none in the last.
"""

from math import erfc

from evaluate_bias.models.table import TableMLM

WOMEN = ["Amy", "Ann", "Eve", "Ida"]
MEN = ["Bob", "Jim", "Max", "Tom"]
LIKES = dict.fromkeys([*WOMEN, "Tom"], "dancing") | dict.fromkeys(MEN[:3], "football")
TABLE = {f"{name} likes [MASK]": {"2": {fill: 0.6, "law": 0.05}} for name, fill in LIKES.items()} | {
    f"{name} studied [MASK]": {"2": {"law": 0.5}} for name in LIKES
}
PAIRS = {
    "female": WOMEN,
    "male": MEN,
    "kind": ["name"] * 4,
    "templates": ["{person} likes {mask}", "{person} studied {mask}"],
    "model": TableMLM(TABLE),
}
P = erfc(2.4**0.5)

test_cases = [
    {
        "inputs": {**PAIRS, "top_k": 1, "alpha": 0.1},
        "result": {"disco": 1.0, "p_value": 3 * P, "n": 2, "extra": {"n_tests": 3}},
    },
    {"inputs": {**PAIRS, "top_k": 1}, "result": {"disco": 0.0, "p_value": 3 * P, "n": 2}},
    {
        "inputs": {**PAIRS, "top_k": 1, "test": "fisher", "alpha": 0.45},
        "result": {"disco": 1.0, "p_value": 3 / 7, "n": 2},
    },
    {
        "inputs": {**PAIRS, "variant": "lauscher"},
        "result": {"disco": 6 / 8, "p_value": None, "n": 2, "extra": {"within_gender": 0.25}},
    },
]
