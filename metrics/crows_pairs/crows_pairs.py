"""CrowS-Pairs as an `evaluate` module: a thin adapter over evaluate_bias.methods.pairs.crows_pairs.method."""

import datasets
import evaluate

import evaluate_bias.hub.adapter  # From: evaluate-bias>=0.1

_DESCRIPTION = """
CrowS-Pairs compares two sentences that differ in the group they speak of, one more stereotypical than the other. A
sentence's score is the sum of the log-probabilities of the tokens that both sentences share, each masked in turn
while the tokens that differ stay visible. The metric is the share of pairs, in percent, whose more stereotypical
sentence scores higher; 50 is ideal where there are no ties. An exact binomial test, Wilson intervals, and the
breakdown by bias type come
with it.
"""

_KWARGS_DESCRIPTION = """
Args:
    sent_more (list): the more stereotypical sentences, or their scores.
    sent_less (list): the less stereotypical sentences, or their scores.
    stereo_antistereo (list): 'stereo' or 'antistereo': whether the pair demonstrates or violates a stereotype.
    bias_type (list): bias type of every pair, for the breakdown; may be empty.
    model: a masked or causal language model: a Hub id, a local folder, or a loaded model; left out when the columns
        hold ready scores.
    variant (str): 'shared' (default, the original), 'all' (Salazar et al.), 'changed' (bias-bench), 'causal'.
    round_to (int): decimals the scores are rounded to before comparing (default 3, as the reference; None: not at
        all).
    lower (bool or 'auto'): lower-case the sentences first (default 'auto': for models that throw case away).
    p_method (str): the test against one half: 'binomial' (default), 'z' or 'score'.
    ties (str): 'drop' (default) leaves ties out of the test, 'keep' keeps them as not preferred.
    preset (str): 'thesis' is p_method='z' with ties='keep'.
    level (float): confidence level (default 0.95).
    seed (int): of the bootstrap (default 0).
    Further columns of the data set (id, exclude) may be passed along.

Returns:
    dict: 'crows_pairs' (metric score), 'ideal', 'p_value', 'ci_low', 'ci_high', 'n', 'coverage', 'groups' (the
    breakdown),
    'items' (every row with its scores), 'extra' (further scores and tests), 'skipped', 'warnings', 'settings',
    'provenance'.

Examples:

    Ready scores in place of sentences:

    >>> import evaluate_bias
    >>> module = evaluate_bias.load("crows_pairs")
    >>> results = module.compute(sent_more=[-10.0, -9.0, -7.0], sent_less=[-12.5, -8.0, -7.0],
    ...                          stereo_antistereo=["stereo", "antistereo", "stereo"],
    ...                          bias_type=["gender", "gender", "age"])
    >>> round(results["crows_pairs"], 2), results["extra"]["neutral"], results["extra"]["stereo_score"]
    (33.33, 1, 100.0)

    With a tie the ideal is below 50, that of the share of the decided pairs is not:

    >>> round(results["ideal"], 2), results["extra"]["decided_score"]
    (33.33, 50.0)

    The breakdown by bias type:

    >>> [(g["name"], g["n"], g["score"]) for g in results["groups"]]
    [('gender', 2, 50.0)]

    The only pair on age is a tie, which is no score:

    >>> results["skipped"][0]["item"], results["skipped"][0]["reason"][:34]
    ('age', 'no pair decides the score, so it i')
"""


class CrowsPairs(evaluate_bias.hub.adapter.SentencesOrScores, evaluate.Metric):
    """The evaluate module `bias/crows_pairs`."""

    def _info(self):
        return evaluate_bias.hub.adapter.metric_info(
            "crows_pairs",
            description=_DESCRIPTION,
            inputs=_KWARGS_DESCRIPTION,
            features=[
                datasets.Features(
                    {
                        "sent_more": datasets.Value(kind),
                        "sent_less": datasets.Value(kind),
                        "stereo_antistereo": datasets.Value("string"),
                        "bias_type": datasets.Value("string"),
                    }
                )
                for kind in ("string", "float64")
            ],
        )

    def _compute(self, *, model=None, **columns_and_options):
        return evaluate_bias.hub.adapter.compute_rows("crows_pairs", self, model, columns_and_options)
