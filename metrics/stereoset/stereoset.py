"""StereoSet's Context Association Test as an `evaluate` module: a thin adapter over evaluate_bias.methods.pairs.stereoset.method."""

import datasets
import evaluate

import evaluate_bias.hub.adapter  # From: evaluate-bias>=0.1

_DESCRIPTION = """
The Context Association Test offers a model a stereotypical, an anti-stereotypical and an unrelated option for a
context. The metric is the stereotype score ss: the share of items, in percent, whose stereotypical option is
preferred to the anti-stereotypical one, averaged over target terms; 50 is ideal where nothing ties. The language-model
score lms, the combined score icat and a sign-flip test over target terms come with it.
"""

_KWARGS_DESCRIPTION = """
Args:
    target (list): target term of every item.
    bias_type (list): bias type of every item, for the breakdown; may be empty.
    context (list): context sentences; those of intrasentence items contain BLANK.
    sentences (list): three options an item, each with sentence (text or score) and gold_label: 'stereotype',
        'anti-stereotype' or 'unrelated'.
    model: a masked or causal language model: a Hub id, a local folder, or a loaded model; left out when the columns
        hold ready scores.
    variant (str): 'default', or 'original' to reproduce the reference code.
    intersentence (str): 'auto' (default), 'nsp' or 'likelihood'.
    p_method (str): test of the items' share: 'binomial' (default), 'z' or 'score'.
    ties (str): 'drop' (default) leaves ties out of that test, 'keep' counts them as not preferred.
    level (float): confidence level (default 0.95).
    n_resamples (int): random sign patterns of the p-value (default 99999) where more than 32 terms deviate.
    seed (int): of these patterns (default 0).
    Further columns of the data set (id, task) may be passed along.

Returns:
    dict: 'stereoset' (stereotype score ss), 'p_value', 'ci_low', 'ci_high', 'n', 'coverage', 'groups' (the
    breakdown), 'items' (every row with its scores), 'extra' (further scores and tests), 'skipped', 'warnings',
    'settings', 'provenance'.

Examples:

    Ready scores in place of sentences:

    >>> import evaluate_bias
    >>> module = evaluate_bias.load("stereoset")
    >>> def options(stereotype, anti, unrelated):
    ...     return [{"sentence": stereotype, "gold_label": "stereotype"},
    ...             {"sentence": anti, "gold_label": "anti-stereotype"},
    ...             {"sentence": unrelated, "gold_label": "unrelated"}]
    >>> results = module.compute(target=["nurse", "nurse", "cook"], bias_type=["profession"] * 3,
    ...                          context=["The nurse is BLANK."] * 2 + ["The cook is BLANK."],
    ...                          sentences=[options(3.0, 2.0, 1.0), options(2.0, 3.0, 2.5), options(3.0, 2.0, 0.0)])
    >>> results["stereoset"], results["extra"]["lms"], results["extra"]["icat"]
    (75.0, 87.5, 43.75)

    Every target term counts once, however many items it has; the average over items stands beside it:

    >>> round(results["extra"]["ss_micro"], 2)
    66.67
"""


class Stereoset(evaluate_bias.hub.adapter.SentencesOrScores, evaluate.Metric):
    """The evaluate module `bias/stereoset`."""

    def _info(self):
        return evaluate_bias.hub.adapter.metric_info(
            "stereoset",
            description=_DESCRIPTION,
            inputs=_KWARGS_DESCRIPTION,
            features=[
                datasets.Features(
                    {
                        "target": datasets.Value("string"),
                        "bias_type": datasets.Value("string"),
                        "context": datasets.Value("string"),
                        "sentences": [
                            {
                                "sentence": datasets.Value(kind),
                                "gold_label": datasets.Value("string"),
                            }
                        ],
                    }
                )
                for kind in ("string", "float64")
            ],
        )

    def _compute(self, *, model=None, **columns_and_options):
        return evaluate_bias.hub.adapter.compute_rows("stereoset", self, model, columns_and_options)
