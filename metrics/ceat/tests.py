"""Inputs of the module and what it must answer, worked by hand.

Every word has one context, itself, so all samples are alike: associations +1, +1, -1, -1, variance 4/3, d = sqrt(3),
no heterogeneity. Over 100 samples the standard error is sqrt(V / 100), with V = 4/3 or, as the sampling variance of d,
1 + 3/8. Of the six splits of four words into pairs two are as extreme as the observed one on either side.
"""

VECTORS = {
    "north": [0.0, 1.0],
    "up": [0.0, 2.0],
    "east": [1.0, 0.0],
    "right": [3.0, 0.0],
    "top": [0.0, 5.0],
    "side": [4.0, 0.0],
}
WORDS = list(VECTORS)

test_cases = [
    {
        "inputs": {
            "name": ["axes"],
            "targets_x": [["north", "up"]],
            "targets_y": [["east", "right"]],
            "attributes_a": [["top"]],
            "attributes_b": [["side"]],
            "contexts": WORDS,
            "samples": 100,
            "model": VECTORS,
        },
        "result": {
            "ceat": 3**0.5,
            "n": 4,
            "extra": {"standard_error": (4 / 3 / 100) ** 0.5, "tau2": 0.0, "i2": 0.0},
            "p_value": 1 / 3,
        },
    },
    {
        "inputs": {
            "name": ["axes, turned, sampling variance"],
            "targets_x": [["east", "right"]],
            "targets_y": [["north", "up"]],
            "attributes_a": [["top"]],
            "attributes_b": [["side"]],
            "contexts": WORDS,
            "samples": 100,
            "variance": "hedges",
            "model": VECTORS,
        },
        "result": {"ceat": -(3**0.5), "n": 4, "extra": {"standard_error": (11 / 8 / 100) ** 0.5}},
    },
]
