"""Representation compatibility as an `evaluate` module: a thin adapter over the library's method."""

import datasets
import evaluate

import evaluate_bias.hub.adapter  # From: evaluate-bias>=0.1

_DESCRIPTION = """
Representation compatibility asks whether different representations of words (the opening token, the first piece of a
word, the mean of its pieces, in templates or alone) agree about a bias. Subsets of the target words are drawn; every
subset has one WEAT effect size for each representation; and the effect sizes of each two representations are correlated
over the subsets. The score is the mean correlation over all pairs; 1 is ideal.
"""

_KWARGS_DESCRIPTION = """
Args:
    name (list of str): a name for the test; one row.
    targets_x (list of list of str): first target words.
    targets_y (list of list of str): second target words.
    attributes_a (list of list of str): first attribute words.
    attributes_b (list of list of str): second attribute words.
    model: a model that embeds words in context (a Hub id, a local folder, a named asset, a loaded model), or word
        vectors.
    representations (list of str): two or more, such as 'cls', 'target_mean' or 'target_mean@-2', after 'bare:' for the
        word alone in place of templates (default: the six of Delobelle et al. 2022).
    templates (str or list of str): name of a packaged set (default 'delobelle-evaluated'), or texts with the slot
        {target}.
    subset_size (int): words of each target list in a subset (default 10).
    n_subsets (int): number of subsets (default 20).
    ddof (int): 1 for the sample standard deviation in the effect size (default), 0 for the population's.
    n_resamples (int): reorderings of the permutation test (default 9999).
    ci_resamples (int): bootstrap samples (default 1999; 0 for no interval).
    max_missing (float): largest share of a list that may be impossible to embed (default 0.2).
    seed (int): of subsets, reorderings and bootstrap (default 0).
    Further options are those of evaluate_bias.methods.agreement.representation_compatibility.method.evaluate; columns of
    bias/weat-word-lists that are not listed here (title, labels, origin ...) may be passed along.

Returns:
    dict: 'representation_compatibility' (mean correlation over all pairs, between -1 and 1), 'p_value', 'ci_low',
    'ci_high', 'n', 'coverage', 'groups', 'items' (every pair), 'extra' (matrices, scores, subsets), 'skipped',
    'warnings', 'settings', 'provenance'.

Examples:

    Four flowers, four insects:

    >>> import evaluate_bias
    >>> vectors = {"poppy": [1.0, 0.1], "rose": [0.9, 0.0], "lily": [0.7, 0.4], "iris": [0.8, 0.3],
    ...            "ant": [0.0, 1.0], "wasp": [0.2, 0.9], "moth": [0.5, 0.8], "gnat": [0.1, 0.7],
    ...            "good": [1.0, 0.2], "nice": [0.8, 0.1], "bad": [0.1, 1.0], "vile": [0.0, 0.8]}
    >>> test = {"name": ["toy"], "targets_x": [["poppy", "rose", "lily", "iris"]],
    ...         "targets_y": [["ant", "wasp", "moth", "gnat"]], "attributes_a": [["good", "nice"]],
    ...         "attributes_b": [["bad", "vile"]]}
    >>> representation_compatibility = evaluate_bias.load("representation_compatibility")
    >>> results = representation_compatibility.compute(
    ...     **test, model=vectors, representations=["bare:target_mean", "sentence_mean"], templates=["{target} good"],
    ...     subset_size=2, n_subsets=5, n_resamples=99, ci_resamples=0)
    >>> round(results["representation_compatibility"], 2), results["n"]
    (0.69, 8)

    Every pair of representations is a row:

    >>> [(i["a"], i["b"], round(i["r"], 2)) for i in results["items"]]
    [('bare:target_mean', 'sentence_mean', 0.69)]
"""


class RepresentationCompatibility(evaluate.Metric):
    """The evaluate module `bias/representation_compatibility`."""

    def _info(self):
        words = datasets.Sequence(datasets.Value("string"))
        return evaluate_bias.hub.adapter.metric_info(
            "representation_compatibility",
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
        return evaluate_bias.hub.adapter.compute_rows(
            "representation_compatibility", self, model, columns_and_options
        )
