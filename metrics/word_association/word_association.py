"""Word association test for chat models as an `evaluate` module, written by `make modules`.

>>> from evaluate_bias.hub.golden import module_cases
>>> results = WordAssociation().compute(**module_cases("word_association")[0]["inputs"])
>>> round(results["word_association"], 3)
0.833
"""

import evaluate

import evaluate_bias.hub.adapter  # From: evaluate-bias>=0.9


class WordAssociation(evaluate_bias.hub.adapter.Module, evaluate.Metric):
    """The evaluate module `word_association`."""

    METHOD = "word_association"
