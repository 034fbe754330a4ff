"""Inputs of the module and what it must answer, worked by hand.

Differences of the four pairs: 2.5, -1, 0.0001, 1.5. At three decimals the third pair is a tie, so two of four are
preferred (50 %, where 50 · 3 / 4 is balanced); of the three decided pairs two are, for which the two-sided binomial p
is 1. The stereo pairs are the
first and third: one decided, preferred (100 %); the antistereo pairs are the second and fourth: one of two (50 %).
Without rounding three of four are preferred: p = 2 · (4 + 1) / 16 = 0.625.
"""

PAIRS = {
    "sent_more": [-10.0, -9.0, -7.0001, -5.0],
    "sent_less": [-12.5, -8.0, -7.0002, -6.5],
    "stereo_antistereo": ["stereo", "antistereo", "stereo", "antistereo"],
    "bias_type": ["gender", "gender", "age", "age"],
}

test_cases = [
    {
        "inputs": PAIRS,
        "result": {
            "crows_pairs": 50.0,
            "p_value": 1.0,
            "n": 4,
            "ideal": 37.5,
            "extra": {
                "neutral": 1,
                "decided_score": 200 / 3,
                "stereo_score": 100.0,
                "antistereo_score": 50.0,
                "mean_delta": (2.5 - 1.0 + 0.0001 + 1.5) / 4,
            },
        },
    },
    {
        "inputs": {**PAIRS, "round_to": None},
        "result": {"crows_pairs": 75.0, "p_value": 0.625, "n": 4, "extra": {"neutral": 0}},
    },
]
