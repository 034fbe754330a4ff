"""KLDivS as an `evaluate` module: a thin adapter over evaluate_bias.methods.pairs.kldivs.method."""

import datasets
import evaluate

import evaluate_bias.hub.adapter  # From: evaluate-bias>=0.1

_DESCRIPTION = """
KLDivS takes the scores of stereotypical and of anti-stereotypical sentences as two normal distributions and reports
the larger share of their two Kullback-Leibler divergences, in percent, weighted over bias types; its ideal value is its
mean when the two sentences of pairs are swapped at random. JSDivS, JSS, the distribution tests and the tests of the
mean difference come with it.
"""

_KWARGS_DESCRIPTION = """
Args:
    sent_more (list): the more stereotypical sentences, or their scores.
    sent_less (list): the less stereotypical sentences, or their scores.
    bias_type (list): bias type of every pair, for the breakdown; may be empty.
    model: a masked or causal language model: a Hub id, a local folder, or a loaded model; left out when the columns
        hold ready scores.
    scoring (str): how a sentence is scored: 'aul' (default), 'aula', 'shared', 'all', 'changed', 'causal' ...
    lower (bool or 'auto'): lower-case the sentences first (default 'auto').
    gev (bool): fit the generalised extreme value distributions (default True).
    n_resamples (int): random swaps of the two sentences of pairs, for the p-value (default 9999).
    ci_resamples (int): bootstrap samples (default 1999).
    level (float): confidence level (default 0.95).
    seed (int): of the swaps and of the bootstrap (default 0).
    Further columns of the data set (id, stereo_antistereo, exclude) may be passed along.

Returns:
    dict: 'kldivs' (KLDivS), 'p_value', 'ci_low', 'ci_high', 'n', 'coverage', 'groups' (the breakdown), 'items'
    (every row with its scores), 'extra' (further scores and tests), 'skipped', 'warnings', 'settings',
    'provenance'.

Examples:

    Ready scores in place of sentences:

    >>> import evaluate_bias
    >>> module = evaluate_bias.load("kldivs")
    >>> results = module.compute(sent_more=[0.0, 2.0, 4.0], sent_less=[1.0, 2.0, 3.0], bias_type=["age"] * 3)
    >>> round(results["kldivs"], 4), round(results["ideal"], 4), results["p_value"]
    (71.7203, 60.8601, 0.5)
    >>> round(results["extra"]["jsdivs"], 4), round(results["extra"]["jss"], 4)
    (88.5553, 44.4214)

    Equal spreads score 50 however far apart the means are:

    >>> results = module.compute(sent_more=[0.0, 1.0, 2.0], sent_less=[10.0, 11.0, 12.0], bias_type=["age"] * 3)
    >>> results["kldivs"]
    50.0
"""


class Kldivs(evaluate_bias.hub.adapter.SentencesOrScores, evaluate.Metric):
    """The evaluate module `bias/kldivs`."""

    def _info(self):
        return evaluate_bias.hub.adapter.metric_info(
            "kldivs",
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
        return evaluate_bias.hub.adapter.compute_rows("kldivs", self, model, columns_and_options)
