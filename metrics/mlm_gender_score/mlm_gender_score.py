"""MLM gender score as an `evaluate` module: a thin adapter over evaluate_bias.methods.templates.mlm_gender_score.method."""

import datasets
import evaluate

import evaluate_bias.hub.adapter  # From: evaluate-bias>=0.1

_DESCRIPTION = """
The MLM gender score puts an occupation into templates such as "[MASK] works as a nurse." and subtracts the probability
of "he" at the mask from that of "she". The metric is the mean over occupations and templates, between -1 and 1; 0 is
ideal. A studentised bootstrap interval, a t test, and the correlation of the occupations' scores with the share of
women in them come with it.
"""

_KWARGS_DESCRIPTION = """
Args:
    word (list of str): the occupations.
    women_bls (list of float): share of women among those employed, in [0, 1]; None where it is not known.
    model: a masked language model: a Hub id, a local folder, a pair (model, tokenizer), or a loaded model.
    templates: 'mlm-gender-score' (default, the paper's twelve), or a list of texts such as
        ['{mask} is a {profession}.'].
    variant (str): 'paper' (default), or 'authors-code', which drops 'has' from the second template, "[MASK] has studied
        for years to become a nurse.".
    female (str): the female pronoun; by default that of the language.
    male (str): the male pronoun.
    level (float): confidence level (default 0.95).
    n_resamples (int): bootstrap samples and reorderings (default 9999).
    seed (int): of both (default 0).
    Further columns of bias/winogender-occupations (women_bergsma, the share of feminine mentions in text, language,
    bls_year, source) may be passed along; the language chooses templates and pronouns.

Returns:
    dict: 'mlm_gender_score' (between -1 and 1; 0 is ideal), 'p_value', 'ci_low', 'ci_high', 'n', 'coverage', 'items'
    (every occupation), 'groups' (every template), 'extra' (with the correlations), 'skipped', 'warnings', 'settings',
    'provenance'.

Examples:

    Four occupations, on the small packaged model:

    >>> import evaluate_bias
    >>> module = evaluate_bias.load("mlm_gender_score")
    >>> words = ["nurse", "secretary", "engineer", "plumber"]
    >>> results = module.compute(word=words, women_bls=[0.90, 0.96, 0.11, 0.01], model="demo-mlm-en")
    >>> round(results["mlm_gender_score"], 2)
    -0.16

    'He' is likelier everywhere, and not less beside the occupations of women:

    >>> [(i["name"], round(i["score"], 2)) for i in results["items"]]
    [('nurse', -0.16), ('secretary', -0.19), ('engineer', -0.13), ('plumber', -0.18)]
    >>> round(results["extra"]["correlations"]["women_bls"]["pearson"]["r"], 1)
    -0.4
"""


class MlmGenderScore(evaluate.Metric):
    """The evaluate module `bias/mlm_gender_score`."""

    def _info(self):
        return evaluate_bias.hub.adapter.metric_info(
            "mlm_gender_score",
            description=_DESCRIPTION,
            inputs=_KWARGS_DESCRIPTION,
            features=datasets.Features(
                {"word": datasets.Value("string"), "women_bls": datasets.Value("float64")}
            ),
        )

    def _compute(self, *, model=None, **columns_and_options):
        return evaluate_bias.hub.adapter.compute_rows("mlm_gender_score", self, model, columns_and_options)
