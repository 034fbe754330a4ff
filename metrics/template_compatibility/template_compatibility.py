"""Template compatibility as an `evaluate` module: a thin adapter over the library's method."""

import datasets
import evaluate

import evaluate_bias.hub.adapter  # From: evaluate-bias>=0.1

_DESCRIPTION = """
Template compatibility asks whether the templates that put words into sentences agree about a bias. Subsets of the
target words are drawn; every subset has one WEAT effect size for each template; and the effect sizes of each two
templates are correlated over the subsets. The score is the mean correlation over all pairs; 1 is ideal. Of masked
language models the distributions at the masked word are compared as well, by Kullback-Leibler divergences.
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
    templates (str or list of str): name of a packaged set (default 'delobelle-evaluated'), or texts with the slot
        {target}; two or more.
    representation (str): what is taken from a sentence (default 'auto': that of the whole sentence), such as 'cls',
        'target_mean' or 'target_mean@-2'.
    subset_size (int): words of each target list in a subset (default 10).
    n_subsets (int): number of subsets (default 20).
    ddof (int): 1 for the sample standard deviation in the effect size (default), 0 for the population's.
    n_resamples (int): reorderings of the permutation test (default 9999).
    ci_resamples (int): bootstrap samples (default 1999; 0 for no interval).
    max_missing (float): largest share of a list that may be impossible to embed (default 0.2).
    seed (int): of subsets, reorderings and bootstrap (default 0).
    Further options are those of evaluate_bias.methods.agreement.template_compatibility.method.evaluate; columns of
    bias/weat-word-lists that are not listed here (title, labels, origin ...) may be passed along.

Returns:
    dict: 'template_compatibility' (mean correlation over all pairs, between -1 and 1), 'p_value', 'ci_low', 'ci_high',
    'n', 'coverage', 'groups' (every template), 'items' (every pair), 'extra' (matrices, scores, subsets, and for masked
    language models 'divergence'), 'skipped', 'warnings', 'settings', 'provenance'.

Examples:

    Four flowers, four insects:

    >>> import evaluate_bias
    >>> vectors = {"poppy": [1.0, 0.1], "rose": [0.9, 0.0], "lily": [0.7, 0.4], "iris": [0.8, 0.3],
    ...            "ant": [0.0, 1.0], "wasp": [0.2, 0.9], "moth": [0.5, 0.8], "gnat": [0.1, 0.7],
    ...            "good": [1.0, 0.2], "nice": [0.8, 0.1], "bad": [0.1, 1.0], "vile": [0.0, 0.8]}
    >>> test = {"name": ["toy"], "targets_x": [["poppy", "rose", "lily", "iris"]],
    ...         "targets_y": [["ant", "wasp", "moth", "gnat"]], "attributes_a": [["good", "nice"]],
    ...         "attributes_b": [["bad", "vile"]]}
    >>> template_compatibility = evaluate_bias.load("template_compatibility")
    >>> results = template_compatibility.compute(**test, model=vectors, templates=["{target}", "{target} good"],
    ...                                          subset_size=2, n_subsets=5, n_resamples=99, ci_resamples=0)
    >>> round(results["template_compatibility"], 2), results["n"]
    (0.69, 8)

    Every pair of templates is a row:

    >>> [(i["a"], i["b"], round(i["r"], 2)) for i in results["items"]]
    [('{target}', '{target} good', 0.69)]

    Where a word's own vector is taken, a template changes nothing of static vectors:

    >>> results = template_compatibility.compute(**test, model=vectors, templates=["{target}", "{target} good"],
    ...                                          representation="target_mean", subset_size=2, n_resamples=99,
    ...                                          ci_resamples=0)
    >>> round(results["template_compatibility"], 2)
    1.0
"""


class TemplateCompatibility(evaluate.Metric):
    """The evaluate module `bias/template_compatibility`."""

    def _info(self):
        words = datasets.Sequence(datasets.Value("string"))
        return evaluate_bias.hub.adapter.metric_info(
            "template_compatibility",
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
            "template_compatibility", self, model, columns_and_options
        )
