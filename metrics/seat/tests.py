"""Inputs of the module and what it must answer, worked by hand.

"there" has the zero vector, so that every sentence has the direction of its word. The eight target sentences have
associations +1, four times, and -1, four times: difference 2, sample standard deviation sqrt(8/7), d = sqrt(7/2). Of
the 70 splits of eight sentences, and of the 6 splits of four words, one is as extreme as the observed one.
"""

VECTORS = {
    "north": [0.0, 1.0],
    "up": [0.0, 2.0],
    "east": [1.0, 0.0],
    "right": [3.0, 0.0],
    "top": [0.0, 5.0],
    "side": [4.0, 0.0],
    "there": [0.0, 0.0],
}
TEMPLATES = ["{target}", "there {target}"]

test_cases = [
    {
        "inputs": {
            "name": ["axes"],
            "targets_x": [["north", "up"]],
            "targets_y": [["east", "right"]],
            "attributes_a": [["top"]],
            "attributes_b": [["side"]],
            "templates": TEMPLATES,
            "model": VECTORS,
        },
        "result": {"seat": 3.5**0.5, "p_value": 1 / 6, "n": 4},
    },
    {
        "inputs": {
            "name": ["axes, turned, words alone"],
            "targets_x": [["east", "right"]],
            "targets_y": [["north", "up"]],
            "attributes_a": [["top"]],
            "attributes_b": [["side"]],
            "templates": "none",
            "ddof": 0,
            "model": VECTORS,
        },
        "result": {"seat": -2.0, "p_value": 1.0, "n": 4},
    },
]
