"""SEAT as a Hugging Face `evaluate` module: a thin adapter over evaluate_bias.methods.seat."""

import datasets
import evaluate

import evaluate_bias.hub.adapter  # From: evaluate-bias>=0.1

_DESCRIPTION = """
The Sentence Encoder Association Test (SEAT) is the word embedding association test on sentences: every target and
attribute word is put into simple templates, each sentence (or the word in it) becomes one vector, and the effect size d
is the difference of the mean associations of the two target sets in standard deviations over all target sentences. With
templates="none" it is the word test on a contextual model, and the items may be ready sentences.
"""

_KWARGS_DESCRIPTION = """
Args:
    name (list of str): a name for every test, one test a row.
    targets_x (list of list of str): first target words (or sentences) of every test.
    targets_y (list of list of str): second target words.
    attributes_a (list of list of str): first attribute words.
    attributes_b (list of list of str): second attribute words.
    model: a language model or encoder by Hub id, folder or (model, tokenizer); word vectors take part with the mean of
        a sentence's words.
    preset (str): 'may', 'tan_celis', 'lauscher' or 'delobelle': templates and representation of a paper.
    templates: 'seat' (default), the name of another set, a list of templates such as ['This is {target}.'], 'none', or
        a mapping with one of these for 'targets' and for 'attributes'.
    representation (str): 'auto' (default), 'cls', 'target_first', 'target_mean', 'sentence_mean', 'first4_mean',
        'last_token', or one of these with a layer, such as 'cls@-2'.
    layer (int): layer of the representation; the last by default.
    ddof (int): 1 for the sample standard deviation (the published values, default), 0 for the population's.
    alternative (str): 'greater' (default), 'less' or 'two-sided'.
    p_method (str): 'auto' (default), 'exact', 'lattice', 'monte_carlo' or 'normal'.
    strict (bool): count only splits above the observed one (default False counts equal ones too).
    ci (str): 'bca' (default), 'percentile' or 'none'; words are drawn with all their sentences.
    max_missing (float): largest share of a list that may be left without a sentence (default 0.2).
    seed (int): of random splits and bootstrap (default 0).
    Further options are those of evaluate_bias.methods.seat.evaluate; columns of bias/weat-word-lists that are not
    listed here (language, title, labels, origin ...) may be passed along; the language chooses the templates.

Returns:
    dict: 'seat' (effect size d; between -2 and 2 for target sets of equal size; 0 is ideal; with several tests the
    mean of their absolute values, whose ideal is its mean over random splits, without control tests),
    'p_value' (with 'p_low' and 'p_high'), 'ci_low', 'ci_high', 'n', 'coverage', 'items' (every test, with
    the paper's 'p_sentences', and the association and influence of every word), 'skipped', 'warnings', 'settings',
    'provenance'.

Examples:

    Word vectors, and two templates of one's own:

    >>> import evaluate_bias
    >>> vectors = {"poppy": [1.0, 0.1], "rose": [0.9, 0.0], "ant": [0.0, 1.0], "wasp": [0.2, 0.9], "is": [0.3, 0.5],
    ...            "good": [1.0, 0.2], "nice": [0.8, 0.1], "bad": [0.1, 1.0], "vile": [0.0, 0.8]}
    >>> lists = {"name": ["toy"], "targets_x": [["poppy", "rose"]], "targets_y": [["ant", "wasp"]],
    ...          "attributes_a": [["good", "nice"]], "attributes_b": [["bad", "vile"]]}
    >>> seat = evaluate_bias.load("seat")
    >>> results = seat.compute(**lists, model=vectors, templates=["{target}", "is {target}"])
    >>> round(results["seat"], 3), results["items"][0]["sentences_x"]
    (1.82, 4)

    The p-value splits words; the paper's splits sentences, as if those of one word were independent:

    >>> round(results["p_value"], 4), round(results["items"][0]["p_sentences"], 4)
    (0.1667, 0.0143)

    Words alone, which is the word test:

    >>> results = seat.compute(**lists, model=vectors, templates="none")
    >>> round(results["seat"], 3)
    1.723
"""


class Seat(evaluate.Metric):
    """The evaluate module `bias/seat`."""

    def _info(self):
        words = datasets.Sequence(datasets.Value("string"))
        return evaluate_bias.hub.adapter.metric_info(
            "seat",
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
        return evaluate_bias.hub.adapter.compute_rows("seat", self, model, columns_and_options)
