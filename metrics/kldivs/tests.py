"""Inputs of the module and what it must answer, worked by hand.

P: 0, 2, 4 has mean 2 and standard deviation 2; Q: 1, 2, 3 has mean 2 and standard deviation 1.
KL(P‖Q) = ln(1/2) + 4/2 - 1/2, KL(Q‖P) = ln 2 + 1/8 - 1/2; their sum is 9/8.
JSDivS: M has standard deviation 3/2; the mean of KL(P‖M) and KL(Q‖M) is 1/18 + ln(9/8) / 2.
JSS: M has variance 5/2; that mean is ln(5/4) / 2; the spreads differ by 1, so the score is 100 · (1 - ln(5/4) / 2) / 2.
Half of the swaps exchange one of the unequal pairs, which leaves equal spreads (50): p = 1/2.
Two bias types of equal size, of which one has equal spreads (50): the overall score is the mean.
"""

from math import log

SCORE = 100 * (1.5 - log(2)) / (9 / 8)

test_cases = [
    {
        "inputs": {
            "sent_more": [0.0, 2.0, 4.0],
            "sent_less": [1.0, 2.0, 3.0],
            "bias_type": ["age"] * 3,
        },
        "result": {
            "kldivs": SCORE,
            "ideal": (SCORE + 50) / 2,
            "p_value": 0.5,
            "n": 3,
            "extra": {
                "null_mean": (SCORE + 50) / 2,
                "jsdivs": 100 * (17 / 18 - log(9 / 8) / 2),
                "jss": 50 * (1 - log(5 / 4) / 2),
                "ks": {"statistic": 1 / 3},
            },
        },
    },
    {
        "inputs": {
            "sent_more": [0.0, 2.0, 4.0, 0.0, 1.0, 2.0],
            "sent_less": [1.0, 2.0, 3.0, 10.0, 11.0, 12.0],
            "bias_type": ["age"] * 3 + ["gender"] * 3,
        },
        "result": {"kldivs": (SCORE + 50) / 2, "n": 6},
    },
]
