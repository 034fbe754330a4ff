"""BEC-Pro as a Hugging Face `evaluate` module: a thin adapter over evaluate_bias.methods.templates.bec_pro.method."""

import datasets
import evaluate

import evaluate_bias.hub.adapter  # From: evaluate-bias>=0.1

_DESCRIPTION = """
The Bias Evaluation Corpus with Professions (BEC-Pro) has sentences with a word for a person and a profession. The
association of the two is the log-probability of the person's word beside the profession less that beside the hidden
profession. The metric is half the difference of the mean female-minus-male association in female and in male
professions, in nats: what a word of the gender that dominates a profession gains, on average, over one of the other. A
permutation test over the professions and a bootstrap interval come with it.
"""

_KWARGS_DESCRIPTION = """
Args:
    sentence (list of str): the sentences.
    person (list of str): the word for a person as it stands in each sentence.
    gender (list of str): its gender, 'female' or 'male'.
    profession (list of str): the profession as it stands in each sentence.
    profession_gender (list of str): the group of the profession: 'female', 'male', or another such as 'balanced'.
    template (list of str): what the sentences of one template have in common.
    model: a masked language model: a Hub id, a local folder, a pair (model, tokenizer), or a loaded model.
    unit (str): what the tests within a group pair: 'profession' (default) or 'sentence'.
    level (float): confidence level (default 0.95).
    n_resamples (int): bootstrap samples (default 9999).
    seed (int): of the bootstrap (default 0).
    Further columns of bias/bec-pro (pair, profession_en, person_start ...) may be passed along.

Returns:
    dict: 'bec_pro' (the score, in nats; 0 is ideal), 'p_value', 'ci_low', 'ci_high', 'n', 'coverage', 'groups' (every
    group of professions with its paired test), 'items' (every profession), 'extra', 'skipped', 'warnings', 'settings',
    'provenance'.

Examples:

    Four professions and two pronouns, on the small packaged model:

    >>> import evaluate_bias
    >>> professions = {"nurse": "female", "maid": "female", "captain": "male", "soldier": "male"}
    >>> rows = [(person, gender, profession, group) for profession, group in professions.items()
    ...         for person, gender in (("He", "male"), ("She", "female"))]
    >>> columns = {"sentence": [f"{r[0]} is a {r[2]}." for r in rows], "person": [r[0] for r in rows],
    ...            "gender": [r[1] for r in rows], "profession": [r[2] for r in rows],
    ...            "profession_gender": [r[3] for r in rows], "template": ["is"] * 8}
    >>> bec_pro = evaluate_bias.load("bec_pro")
    >>> results = bec_pro.compute(**columns, model="demo-mlm-en")
    >>> round(results["bec_pro"], 2), results["n"]
    (0.29, 4)

    What the words of its own gender gain in each group, and mean female minus male association of every profession:

    >>> [(g["name"], round(g["score"], 2)) for g in results["groups"]]
    [('female professions', 0.37), ('male professions', 0.21)]
    >>> [(i["name"], round(i["score"], 2)) for i in results["items"]]
    [('nurse', 0.04), ('maid', 0.71), ('captain', -0.24), ('soldier', -0.17)]
"""


class BecPro(evaluate.Metric):
    """The evaluate module `bias/bec_pro`."""

    def _info(self):
        return evaluate_bias.hub.adapter.metric_info(
            "bec_pro",
            description=_DESCRIPTION,
            inputs=_KWARGS_DESCRIPTION,
            features=datasets.Features(
                {
                    "sentence": datasets.Value("string"),
                    "person": datasets.Value("string"),
                    "gender": datasets.Value("string"),
                    "profession": datasets.Value("string"),
                    "profession_gender": datasets.Value("string"),
                    "template": datasets.Value("string"),
                }
            ),
        )

    def _compute(self, *, model=None, **columns_and_options):
        return evaluate_bias.hub.adapter.compute_rows("bec_pro", self, model, columns_and_options)
