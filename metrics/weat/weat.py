"""WEAT as a Hugging Face `evaluate` module: a thin adapter over evaluate_bias.methods.weat."""

import datasets
import evaluate

import evaluate_bias.hub.adapter  # From: evaluate-bias>=0.1

_DESCRIPTION = """
The Word Embedding Association Test (WEAT) measures how much more strongly one set of target words is associated with
one set of attribute words than another set of target words is. Its effect size d is the difference of the mean
associations of the two target sets, in standard deviations over all targets; an association is the mean cosine
similarity to the first attributes minus the mean cosine similarity to the second. A permutation test tells whether
so large a difference could come from splitting the same targets at random.
"""

_KWARGS_DESCRIPTION = """
Args:
    name (list of str): a name for every test, one test a row.
    targets_x (list of list of str): first target words of every test.
    targets_y (list of list of str): second target words.
    attributes_a (list of list of str): first attribute words.
    attributes_b (list of list of str): second attribute words.
    model: word vectors: a mapping word -> vector, a vector file, gensim KeyedVectors, a named asset, a Hub id.
    ddof (int): 1 for the sample standard deviation (the published values, default), 0 for the population's.
    alternative (str): 'greater' (default), 'less' or 'two-sided'.
    p_method (str): 'auto' (default), 'exact', 'lattice', 'monte_carlo' or 'normal'.
    strict (bool): count only splits above the observed one (default False counts equal ones too).
    ci (str): 'bca' (default), 'percentile' or 'none'.
    max_missing (float): largest share of a list that may lack a vector (default 0.2).
    seed (int): of random splits and bootstrap (default 0).
    Further options are those of evaluate_bias.methods.weat.evaluate; columns of bias/weat-word-lists that are not
    listed here (title, labels, origin ...) may be passed along and describe the tests.

Returns:
    dict: 'weat' (effect size d; between -2 and 2 for target sets of equal size; 0 is ideal; with several tests the
    mean of their absolute values, whose ideal is its mean over random splits, without control tests),
    'p_value' (with 'p_low' and 'p_high'), 'ci_low', 'ci_high', 'n', 'coverage', 'items' (every test, with the
    association and influence of every word), 'skipped', 'warnings', 'settings', 'provenance'.

Examples:

    Two flowers, two insects, four vectors in the plane:

    >>> import evaluate_bias
    >>> vectors = {"poppy": [1.0, 0.1], "rose": [0.9, 0.0], "ant": [0.0, 1.0], "wasp": [0.2, 0.9],
    ...            "good": [1.0, 0.2], "nice": [0.8, 0.1], "bad": [0.1, 1.0], "vile": [0.0, 0.8]}
    >>> weat = evaluate_bias.load("weat")
    >>> results = weat.compute(name=["toy"], targets_x=[["poppy", "rose"]], targets_y=[["ant", "wasp"]],
    ...                        attributes_a=[["good", "nice"]], attributes_b=[["bad", "vile"]], model=vectors)
    >>> round(results["weat"], 3), round(results["p_value"], 4)
    (1.723, 0.1667)

    Swapping the targets turns the sign:

    >>> results = weat.compute(name=["toy"], targets_x=[["ant", "wasp"]], targets_y=[["poppy", "rose"]],
    ...                        attributes_a=[["good", "nice"]], attributes_b=[["bad", "vile"]], model=vectors)
    >>> round(results["weat"], 3)
    -1.723

    A word without a vector is listed, never ignored:

    >>> results = weat.compute(name=["toy"], targets_x=[["poppy", "rose", "tulip"]], targets_y=[["ant", "wasp"]],
    ...                        attributes_a=[["good", "nice"]], attributes_b=[["bad", "vile"]], model=vectors,
    ...                        max_missing=0.5)
    >>> results["skipped"][0]["item"], results["coverage"]["found"], results["coverage"]["asked"]
    ('tulip', 8, 9)
"""


class Weat(evaluate.Metric):
    """The evaluate module `bias/weat`."""

    def _info(self):
        words = datasets.Sequence(datasets.Value("string"))
        return evaluate_bias.hub.adapter.metric_info(
            "weat",
            description=_DESCRIPTION,
            inputs=_KWARGS_DESCRIPTION,
            features=datasets.Features(
                {
                    "name": datasets.Value("string"),
                    "targets_x": words,
                    "targets_y": words,
                    "attributes_a": words,
                    "attributes_b": words,
                }
            ),
        )

    def _compute(self, *, model=None, **columns_and_options):
        return evaluate_bias.hub.adapter.compute_rows("weat", self, model, columns_and_options)
