"""AUL as an `evaluate` module: a thin adapter over evaluate_bias.methods.pairs.aul.method."""

import datasets
import evaluate

import evaluate_bias.hub.adapter  # From: evaluate-bias>=0.1

_DESCRIPTION = """
AUL (all unmasked likelihood) scores a sentence by the mean log-probability of its tokens with nothing masked. The
metric is the share of sentence pairs, in percent, whose more stereotypical sentence has the higher AUL; 50 is ideal
where there are no ties.
"""

_KWARGS_DESCRIPTION = """
Args:
    sent_more (list): the more stereotypical sentences, or their scores.
    sent_less (list): the less stereotypical sentences, or their scores.
    bias_type (list): bias type of every pair, for the breakdown; may be empty.
    model: a masked language model: a Hub id, a local folder, or a loaded model; left out when the columns hold
        ready scores.
    round_to (int): decimals before comparing (default None).
    lower (bool or 'auto'): lower-case the sentences first (default 'auto').
    p_method (str): the test against one half: 'binomial' (default), 'z' or 'score'.
    ties (str): 'drop' (default) leaves ties out of the test, 'keep' keeps them as not preferred.
    preset (str): 'thesis' is p_method='z' with ties='keep'.
    level (float): confidence level (default 0.95).
    seed (int): of the bootstrap (default 0).
    Further columns of the data set (id, stereo_antistereo, exclude) may be passed along.

Returns:
    dict: 'aul' (bias score), 'ideal', 'p_value', 'ci_low', 'ci_high', 'n', 'coverage', 'groups' (the breakdown),
    'items'
    (every row with its scores), 'extra' (further scores and tests), 'skipped', 'warnings', 'settings',
    'provenance'.

Examples:

    Ready scores in place of sentences:

    >>> import evaluate_bias
    >>> module = evaluate_bias.load("aul")
    >>> results = module.compute(sent_more=[-1.0, -2.0], sent_less=[-1.5, -2.5], bias_type=["age", "age"])
    >>> results["aul"], results["p_value"]
    (100.0, 0.5)

    Equal scores are neutral and count as not preferred:

    >>> results = module.compute(sent_more=[-1.0, -2.0], sent_less=[-1.5, -2.0], bias_type=["age", "age"])
    >>> results["aul"], results["extra"]["neutral"]
    (50.0, 1)
"""


class Aul(evaluate_bias.hub.adapter.SentencesOrScores, evaluate.Metric):
    """The evaluate module `bias/aul`."""

    def _info(self):
        return evaluate_bias.hub.adapter.metric_info(
            "aul",
            description=_DESCRIPTION,
            inputs=_KWARGS_DESCRIPTION,
            features=[
                datasets.Features(
                    {
                        "sent_more": datasets.Value(kind),
                        "sent_less": datasets.Value(kind),
                        "bias_type": datasets.Value("string"),
                    }
                )
                for kind in ("string", "float64")
            ],
        )

    def _compute(self, *, model=None, **columns_and_options):
        return evaluate_bias.hub.adapter.compute_rows("aul", self, model, columns_and_options)
