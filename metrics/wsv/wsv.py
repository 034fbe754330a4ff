"""WSV as an `evaluate` module: a thin adapter over evaluate_bias.methods.direction.wsv.method."""

import datasets
import evaluate

import evaluate_bias.hub.adapter  # From: evaluate-bias>=0.1

_DESCRIPTION = """
Weakly Supervised Visualization (WSV) trains a linear classifier on the embeddings of protected words, such as words for
women and for men, keeps the features with the largest weights, and projects other words, such as occupations, on the
two principal axes of the protected words' kept features. The score is the correlation of their first coordinate with a
statistic of the words, such as the share of women in an occupation; 0 is ideal. The map itself, that of plain principal
component analysis beside it, and a sweep over the number of features come with it.
"""

_KWARGS_DESCRIPTION = """
Args:
    word (list of str): the words, protected ones and those to evaluate.
    group (list of str): class of a protected word, such as 'female'; empty for a word to evaluate.
    statistic (list of float): a number for every word to evaluate; None where there is none.
    model: a model that embeds words in context (a Hub id, a local folder, a named asset, a loaded model), or word
        vectors.
    n_features (int): features to keep (default 50); None keeps all, which is plain principal component analysis.
    rotate (bool): False, with n_features=2, takes the two features as they are (default True: principal components).
    sweep (list of int): numbers of features to compare (default: powers of two, n_features and all).
    representation (str): how a word is embedded (default 'target_mean'), with a layer as in 'target_mean@-2'.
    template (str): sentence with the slot {target} (default: the word alone).
    statistics (dict): further statistics: name -> {word: number}.
    positive (str): class on the positive side of the axes (default: the alphabetically first one).
    max_missing (float): largest share of a class, or of the words to evaluate, that may be impossible to embed.
    seed (int): of the permutation tests (default 0).
    Further options are those of evaluate_bias.methods.direction.wsv.method.evaluate; the column statistic_label names the statistic.

Returns:
    dict: 'wsv' (correlation of the first axis with the statistic, between -1 and 1), 'p_value', 'ci_low', 'ci_high',
    'n', 'coverage', 'groups' (both axes of both maps), 'items' (every word with its coordinates), 'extra' (protected
    words, kept features, sweep), 'skipped', 'warnings', 'settings', 'provenance'.

Examples:

    Two features tell gender, a third, louder one does not:

    >>> import evaluate_bias
    >>> vectors = {"she": [1.0, 0.9, 3.0], "her": [1.1, 0.8, -3.1], "he": [-0.9, -1.0, 3.1], "him": [-1.0, -1.1, -3.0],
    ...            "nurse": [0.8, 0.9, 1.5], "maid": [0.6, 1.1, 0.4], "clerk": [0.1, 0.0, -1.0],
    ...            "judge": [-0.2, -0.8, 1.1], "smith": [-0.9, -1.2, 0.7]}
    >>> wsv = evaluate_bias.load("wsv")
    >>> words = ["she", "her", "he", "him", "nurse", "maid", "clerk", "judge", "smith"]
    >>> group = ["female", "female", "male", "male", "", "", "", "", ""]
    >>> women = [None, None, None, None, 90.0, 95.0, 60.0, 30.0, 5.0]
    >>> results = wsv.compute(word=words, group=group, statistic=women, model=vectors, n_features=2)
    >>> round(results["wsv"], 2), results["n"]
    (1.0, 5)

    Plain principal component analysis finds the loud feature instead:

    >>> results = wsv.compute(word=words, group=group, statistic=women, model=vectors, n_features=None)
    >>> round(results["wsv"], 2)
    0.0

    With men on the positive side the sign turns:

    >>> results = wsv.compute(word=words, group=group, statistic=women, model=vectors, n_features=2, positive="male")
    >>> round(results["wsv"], 2)
    -1.0
"""


class Wsv(evaluate.Metric):
    """The evaluate module `bias/wsv`."""

    def _info(self):
        return evaluate_bias.hub.adapter.metric_info(
            "wsv",
            description=_DESCRIPTION,
            inputs=_KWARGS_DESCRIPTION,
            features=datasets.Features(
                {
                    "word": datasets.Value("string"),
                    "group": datasets.Value("string"),
                    "statistic": datasets.Value("float64"),
                }
            ),
        )

    def _compute(self, *, model=None, **columns_and_options):
        return evaluate_bias.hub.adapter.compute_rows("wsv", self, model, columns_and_options)
