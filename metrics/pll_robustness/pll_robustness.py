"""Robustness to paraphrase as an `evaluate` module: a thin adapter over evaluate_bias.methods.agreement.pll_robustness.method."""

import datasets
import evaluate

import evaluate_bias.hub.adapter  # From: evaluate-bias>=0.1

_DESCRIPTION = """
A preference for the stereotypical sentence of a pair should survive a paraphrase. The metric is Cohen's kappa between
the preferences for the pairs and for their paraphrases; 1 is ideal, 0 what independent preferences give. The share of
pairs that agree, agreement by band, agreement with unrelated pairs as a yardstick, and all tests come with it.
"""

_KWARGS_DESCRIPTION = """
Args:
    sent_more (list): the more stereotypical sentences, or their scores.
    sent_less (list): the less stereotypical sentences, or their scores.
    sent_more_par (list): paraphrases of the more stereotypical sentences, or their scores.
    sent_less_par (list): paraphrases of the less stereotypical sentences, or their scores.
    bias_type (list): bias type of every pair, for the breakdown; may be empty.
    model: a masked or causal language model: a Hub id, a local folder, or a loaded model; left out when the columns
        hold ready scores.
    scoring (str): how a sentence is scored: 'shared' (default), 'all', 'aul', 'causal' ...
    band_limits (pair of float): differences between them count as no preference (default (-3.5, 3.5)).
    share (float): agreement to test against beside kappa (default 0.8).
    alternative (str): of these tests: 'less' (default), 'greater' or 'two-sided'.
    lower (bool or 'auto'): lower-case the sentences first (default 'auto').
    level (float): confidence level (default 0.95).
    Further columns of the data set may be passed along: id, stereo_antistereo, exclude, a second paraphrase
    (sent_more_par2, sent_less_par2) and an unrelated pair (sent_more_ran, sent_less_ran).

Returns:
    dict: 'pll_robustness' (kappa), 'p_value', 'ci_low', 'ci_high', 'n', 'coverage', 'groups' (the breakdown),
    'items' (every row with its scores), 'extra' (further scores and tests), 'skipped', 'warnings', 'settings',
    'provenance'.

Examples:

    Ready scores in place of sentences:

    >>> import evaluate_bias
    >>> module = evaluate_bias.load("pll_robustness")
    >>> results = module.compute(sent_more=[2.0, -1.0, 1.5, 0.5], sent_less=[0.0] * 4,
    ...                          sent_more_par=[1.0, -3.0, -0.5, 0.1], sent_less_par=[0.0] * 4,
    ...                          bias_type=["age"] * 4, band_limits=(-1, 1))
    >>> agreement = results["extra"]["paraphrase"]
    >>> results["pll_robustness"], agreement["sign"]["agreement"], agreement["band"]["agreement"]
    (0.5, 0.75, 0.25)

    Which pairs changed sides:

    >>> [i["id"] for i in results["items"] if not i["agrees_paraphrase"]]
    ['2']
"""


class PllRobustness(evaluate_bias.hub.adapter.SentencesOrScores, evaluate.Metric):
    """The evaluate module `bias/pll_robustness`."""

    def _info(self):
        return evaluate_bias.hub.adapter.metric_info(
            "pll_robustness",
            description=_DESCRIPTION,
            inputs=_KWARGS_DESCRIPTION,
            features=[
                datasets.Features(
                    {
                        "sent_more": datasets.Value(kind),
                        "sent_less": datasets.Value(kind),
                        "sent_more_par": datasets.Value(kind),
                        "sent_less_par": datasets.Value(kind),
                        "bias_type": datasets.Value("string"),
                    }
                )
                for kind in ("string", "float64")
            ],
        )

    def _compute(self, *, model=None, **columns_and_options):
        return evaluate_bias.hub.adapter.compute_rows("pll_robustness", self, model, columns_and_options)
