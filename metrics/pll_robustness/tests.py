"""Inputs of the module and what it must answer, worked by hand.

Differences 2, -1, 1.5, 0.5 and of the paraphrases 1, -3, -0.5, 0.1: all but the third keep their sign (3 of 4).
Positive are 3 of the pairs and 2 of the paraphrases, so chance agrees in (3 · 2 + 1 · 2) / 16 = 1/2 and kappa is
1/2; of the C(4, 2) ways to deal out the positive paraphrases 3 put both to positive pairs: p = 1/2. In bands of -1
to 1 they are 1, 0, 1, 0 and 0, -1, 0, 0, of which one agrees; in the default bands all are 0. A difference of 0
counts as not positive: 0 agrees with -1 and disagrees with 1. Of three pairs the first agrees so, the second
disagrees so, and the third agrees by two preferences: 2 of 3, chance (2 · 1 + 1 · 2) / 9 = 4/9, kappa (2/3 - 4/9) /
(5/9) = 2/5, p = 2/3.
"""

test_cases = [
    {
        "inputs": {
            "sent_more": [2.0, -1.0, 1.5, 0.5],
            "sent_less": [0.0] * 4,
            "sent_more_par": [1.0, -3.0, -0.5, 0.1],
            "sent_less_par": [0.0] * 4,
            "bias_type": ["age"] * 4,
            "band_limits": [-1.0, 1.0],
        },
        "result": {
            "pll_robustness": 0.5,
            "p_value": 0.5,
            "n": 4,
            "extra": {"paraphrase": {"sign": {"agreement": 0.75}, "band": {"agreement": 0.25}}},
        },
    },
    {
        "inputs": {
            "sent_more": [0.0, 1.0, 2.0],
            "sent_less": [0.0, 0.0, 0.0],
            "sent_more_par": [-1.0, 0.0, 3.0],
            "sent_less_par": [0.0, 0.0, 0.0],
            "bias_type": ["age", "age", "age"],
        },
        "result": {
            "pll_robustness": 0.4,
            "p_value": 2 / 3,
            "n": 3,
            "extra": {"paraphrase": {"sign": {"agreement": 2 / 3}, "band": {"agreement": 1.0}}},
        },
    },
]
