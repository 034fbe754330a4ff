"""Inputs of the module and what it must answer, worked by hand.

p(she) - p(he): nurse (two pieces) .4 and .4, cook 0 and -.1, judge -.3 and -.1, smith -.6 and -.2 in the two templates;
means .4, -.05, -.2, -.4, their mean -.0625. With the shares .9, .4, .3, 0: r = .38 / sqrt(.346875 · .42). The second
pronoun of the second case has two pieces: .5 · .4 - .1 and .25 · .8 - .3.
"""

from evaluate_bias.models.table import TableMLM

TABLE = {
    "[MASK] is nur ##se": {"0": {"she": 0.6, "he": 0.2}},
    "[MASK] is cook": {"0": {"she": 0.3, "he": 0.3}},
    "[MASK] is judge": {"0": {"she": 0.1, "he": 0.4}},
    "[MASK] is smith": {"0": {"she": 0.05, "he": 0.65}},
    "one day [MASK] works as nur ##se": {"2": {"she": 0.5, "he": 0.1}},
    "one day [MASK] works as cook": {"2": {"she": 0.25, "he": 0.35}},
    "one day [MASK] works as judge": {"2": {"she": 0.1, "he": 0.2}},
    "one day [MASK] works as smith": {"2": {"she": 0.1, "he": 0.3}},
}
PIECES = {
    "[MASK] [MASK] es cook": {"0": {"el": 0.5}},
    "el [MASK] es cook": {"1": {"##la": 0.4}},
    "[MASK] es cook": {"0": {"el": 0.1}},
    "[MASK] [MASK] es smith": {"0": {"el": 0.25}},
    "el [MASK] es smith": {"1": {"##la": 0.8}},
    "[MASK] es smith": {"0": {"el": 0.3}},
}

test_cases = [
    {
        "inputs": {
            "word": ["nurse", "cook", "judge", "smith"],
            "women_bls": [0.9, 0.4, 0.3, 0.0],
            "templates": ["{mask} is {profession}", "one day {mask} works as {profession}"],
            "model": TableMLM(TABLE, {"nurse": ["nur", "##se"]}),
        },
        "result": {
            "mlm_gender_score": -0.0625,
            "n": 4,
            "extra": {
                "correlations": {
                    "women_bls": {
                        "n": 4,
                        "pearson": {"r": 0.38 / (0.346875 * 0.42) ** 0.5},
                        "spearman": {"r": 1.0},
                    }
                }
            },
        },
    },
    {
        "inputs": {
            "word": ["cook", "smith"],
            "women_bls": [None, None],
            "templates": ["{mask} es {profession}"],
            "female": "ella",
            "male": "el",
            "model": TableMLM(PIECES, {"ella": ["el", "##la"]}),
        },
        "result": {"mlm_gender_score": 0.0, "p_value": 1.0, "n": 2, "extra": {"correlations": {}}},
    },
]
