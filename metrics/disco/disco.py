"""DisCo as a Hugging Face `evaluate` module: a thin adapter over evaluate_bias.methods.templates.disco.method."""

import datasets
import evaluate

import evaluate_bias.hub.adapter  # From: evaluate-bias>=0.1

_DESCRIPTION = """
Discovery of Correlations (DisCo) puts words for persons into templates, lets the model fill the other slot, and counts
the fills that go with a gender: those that the words of one gender get significantly more often than those of the
other, by a chi-square test with Bonferroni's correction. The metric is their number, averaged over templates; 0 is
ideal. The variant of Lauscher et al. counts the likely fills that only one word of a pair gets.
"""

_KWARGS_DESCRIPTION = """
Args:
    female (list of str): words for women: names or nouns.
    male (list of str): their counterparts for men.
    kind (list of str): 'name', or what the nouns are: 'person', 'kinship', 'title' or 'role'; nouns get an article.
    model: a model that fills masks: a Hub id, a local folder, a pair (model, tokenizer), or a loaded model.
    templates: 'disco' (default, the paper's), or a list of texts such as ['{person} likes {mask}.'].
    variant (str): 'default', or 'lauscher'.
    top_k (int): fills of a word and template that count (default 3).
    threshold (float): for 'lauscher', the probability above which a fill counts (default 0.1).
    alpha (float): level below which a fill is significant (default 0.05).
    test (str): 'chi2' (default) or 'fisher'.
    family (str): the tests that the correction counts: those of the 'run' (default) or of each 'template'.
    level (float): confidence level (default 0.95).
    n_resamples (int): bootstrap samples (default 9999).
    seed (int): of the bootstrap (default 0).
    Further columns of bias/gendered-words (language, origin, source) may be passed along; the language chooses the
    templates.

Returns:
    dict: 'disco' (number of fills a template; 0 is ideal), 'p_value', 'ci_low', 'ci_high', 'n', 'coverage', 'items'
    (every template with its fills), 'groups', 'extra', 'skipped', 'warnings', 'settings', 'provenance'.

Examples:

    Six pairs of relatives in one template, on the small packaged model:

    >>> import evaluate_bias
    >>> pairs = {"female": ["mother", "sister", "aunt", "daughter", "wife", "niece"],
    ...          "male": ["father", "brother", "uncle", "son", "husband", "nephew"], "kind": ["kinship"] * 6}
    >>> disco = evaluate_bias.load("disco")
    >>> templates = ["{person} put on {mask} hat."]
    >>> results = disco.compute(**pairs, model="demo-mlm-en", templates=templates)
    >>> results["disco"], results["n"]
    (0.0, 1)

    Its fills, with the number of female and of male words that get each:

    >>> sorted((f["fill"], f["female"], f["male"]) for f in results["items"][0]["fills"])
    [('a', 1, 2), ('her', 5, 4), ('his', 6, 6), ('the', 6, 6)]

    Likely fills that only one word of a pair gets, beside how many differ between two words of one gender:

    >>> results = disco.compute(**pairs, model="demo-mlm-en", templates=templates, variant="lauscher")
    >>> round(results["disco"], 2), round(results["extra"]["within_gender"], 2)
    (0.67, 0.47)
"""


class Disco(evaluate.Metric):
    """The evaluate module `bias/disco`."""

    def _info(self):
        return evaluate_bias.hub.adapter.metric_info(
            "disco",
            description=_DESCRIPTION,
            inputs=_KWARGS_DESCRIPTION,
            features=datasets.Features(
                {
                    "female": datasets.Value("string"),
                    "male": datasets.Value("string"),
                    "kind": datasets.Value("string"),
                }
            ),
        )

    def _compute(self, *, model=None, **columns_and_options):
        return evaluate_bias.hub.adapter.compute_rows("disco", self, model, columns_and_options)
