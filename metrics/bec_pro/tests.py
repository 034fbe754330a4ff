"""Inputs of the module and what it must answer, worked by hand.

Probabilities of "he" and "she" over their priors .2 and .1 (however many masks hide the profession): smith 2 and 1,
mason 1 and 1, nurse (two pieces) 1/2 and 4, maid 1/4 and 2. Female less male: -log 2, 0, log 8, log 8; score
(2 log 8 + log 2) / 4. Two of the six splits of the professions lie as far out.
"""

from math import log

from evaluate_bias.models.table import TableMLM

TABLE = {
    "[MASK] is smith": {"0": {"he": 0.4, "she": 0.1}},
    "[MASK] is mason": {"0": {"he": 0.2, "she": 0.1}},
    "[MASK] is nur ##se": {"0": {"he": 0.1, "she": 0.4}},
    "[MASK] is maid": {"0": {"he": 0.05, "she": 0.2}},
    "[MASK] is [MASK]": {"0": {"he": 0.2, "she": 0.1}},
    "[MASK] is [MASK] [MASK]": {"0": {"he": 0.2, "she": 0.1}},
}
GROUPS = {"smith": "male", "mason": "male", "nurse": "female", "maid": "female"}
ROWS = [(word, gender, p) for p in GROUPS for word, gender in (("he", "male"), ("she", "female"))]

test_cases = [
    {
        "inputs": {
            "sentence": [f"{word} is {p}" for word, _, p in ROWS],
            "person": [word for word, _, _ in ROWS],
            "gender": [gender for _, gender, _ in ROWS],
            "profession": [p for _, _, p in ROWS],
            "profession_gender": [GROUPS[p] for _, _, p in ROWS],
            "template": ["is"] * len(ROWS),
            "model": TableMLM(TABLE, {"nurse": ["nur", "##se"]}),
        },
        "result": {
            "bec_pro": (2 * log(8) + log(2)) / 4,
            "p_value": 1 / 3,
            "n": 4,
            "extra": {
                "female": (log(4) + log(2)) / 4,
                "male": (log(2) - log(2) - log(4)) / 4,
                "n_templates": 1,
            },
        },
    },
]
