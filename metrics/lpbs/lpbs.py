"""LPBS as a Hugging Face `evaluate` module: a thin adapter over evaluate_bias.methods.templates.lpbs.method."""

import datasets
import evaluate

import evaluate_bias.hub.adapter  # From: evaluate-bias>=0.1

_DESCRIPTION = """
The Log Probability Bias Score (LPBS) reads a masked language model. The association of a target word with an attribute
word is the log-probability of the target beside the attribute less that beside the hidden attribute. The score of an
attribute is its mean association with the first targets less that with the second, and the effect size d is the
difference of the mean scores of the two attribute sets in standard deviations over all attributes. A permutation test
over the attributes and a bootstrap interval come with it.
"""

_KWARGS_DESCRIPTION = """
Args:
    name (list of str): a name for every test, one test a row.
    targets_x (list of list of str): first target words of every test, whose probability is read: those for men, say.
    plural_targets, singular_templates, plural_templates (list of list of str, optional): the targets that are
        plural, and
        the templates of the singular and of the plural ones.
    targets_y (list of list of str): second target words.
    attributes_a (list of list of str): first attribute words, at least two.
    attributes_b (list of list of str): second attribute words, at least two.
    model: a masked language model: a Hub id, a local folder, a pair (model, tokenizer), or a loaded model.
    templates: 'own' (default, those of the test, and 'bare' for a test without), 'bare' (the two words alone), the name
        of a set such as 'lpbs', or a list of texts such as ['{target} is a {attribute}.'].
    variant (str): 'default', 'kurita-code' to reproduce the published code, or 'bias-framework'.
    ddof (int): 1 for the sample standard deviation (default), 0 for the population's.
    alternative (str): 'two-sided' (default), 'greater' or 'less'.
    p_method (str): 'auto' (default), 'exact', 'lattice', 'monte_carlo' or 'normal'.
    ci (str): 'bca' (default), 'percentile' or 'none'.
    max_missing (float): largest share of a list that may be left out (default 0.2).
    seed (int): of random splits and bootstrap (default 0).
    Further options are those of evaluate_bias.methods.templates.lpbs.method.evaluate; columns of bias/weat-word-lists that are not
    listed here (language, title, labels, origin ...) may be passed along; the language chooses the templates.

Returns:
    dict: 'lpbs' (effect size d; between -2 and 2 for attribute sets of equal size; 0 is ideal; with several tests their
    mean), 'p_value' (with 'p_low' and 'p_high'), 'ci_low', 'ci_high', 'n', 'coverage', 'items' (every test, with the
    score of every attribute and the association of every target), 'skipped', 'warnings', 'settings', 'provenance'.

Examples:

    Words for men and women, and occupations, on the small packaged model:

    >>> import evaluate_bias
    >>> lists = {"name": ["work"], "targets_x": [["he", "man", "brother"]], "targets_y": [["she", "woman", "sister"]],
    ...          "attributes_a": [["captain", "soldier", "lawyer", "priest"]],
    ...          "attributes_b": [["nurse", "maid", "nun", "housekeeper"]]}
    >>> lpbs = evaluate_bias.load("lpbs")
    >>> results = lpbs.compute(**lists, model="demo-mlm-en", templates=["{target} is a {attribute}."])
    >>> round(results["lpbs"], 2), round(results["p_value"], 3)
    (1.21, 0.086)

    The score of every attribute; above 0 it raises the words for men:

    >>> [(a["word"], round(a["score"], 1)) for a in results["items"][0]["attributes"]][3:6]
    [('priest', 1.4), ('nurse', -0.0), ('maid', -0.6)]

    Swapping the targets turns the sign:

    >>> turned = {**lists, "targets_x": lists["targets_y"], "targets_y": lists["targets_x"]}
    >>> results = lpbs.compute(**turned, model="demo-mlm-en", templates=["{target} is a {attribute}."])
    >>> round(results["lpbs"], 2)
    -1.21
"""


class Lpbs(evaluate.Metric):
    """The evaluate module `bias/lpbs`."""

    def _info(self):
        words = datasets.Sequence(datasets.Value("string"))
        return evaluate_bias.hub.adapter.metric_info(
            "lpbs",
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
        return evaluate_bias.hub.adapter.compute_rows("lpbs", self, model, columns_and_options)
