"""CEAT as a Hugging Face `evaluate` module: a thin adapter over evaluate_bias.methods.association.ceat.method."""

import datasets
import evaluate

import evaluate_bias.hub.adapter  # From: evaluate-bias>=0.1

_DESCRIPTION = """
The Contextualized Embedding Association Test (CEAT) runs the word embedding association test on words in real
sentences. For each of N samples every word is given one of its contexts at random, and the effect size is computed on
the embeddings of the words there; the N effect sizes are combined by a random-effects model. The distribution of the
effect sizes tells how far the association depends on the context.
"""

_KWARGS_DESCRIPTION = """
Args:
    name (list of str): a name for every test, one test a row.
    targets_x (list of list of str): first target words of every test.
    targets_y (list of list of str): second target words.
    attributes_a (list of list of str): first attribute words.
    attributes_b (list of list of str): second attribute words.
    model: a language model or encoder by Hub id, folder or (model, tokenizer).
    contexts: where sentences come from: a list of sentences, a text file with one a line, the id of a Hub data set, the
        name of a corpus of this library such as 'en-books', or nothing for the library's default.
    samples (int): number of samples N (default 10000).
    variance (str): 'reference' (default): a sample is weighted by the variance of its associations, as in the paper;
        'hedges': by the sampling variance of an effect size.
    representation (str): 'target_mean' (default), 'target_first', 'cls', 'sentence_mean', 'first4_mean', 'last_token',
        or one of these with a layer, such as 'target_mean@-2'.
    layer (int): layer of the representation; the last by default.
    max_contexts (int): number of contexts of a word to embed, chosen at random (default 100; None for all).
    min_contexts (int): words with fewer contexts are left out and listed (default 1).
    replace (bool): draw contexts with replacement (default True).
    alternative (str): 'two-sided' (default), 'greater' or 'less'.
    level (float): confidence level (default 0.95).
    max_missing (float): largest share of a list that may be left out (default 0.2).
    seed (int): of the choice of contexts and of the draws (default 0).
    Further options are those of evaluate_bias.methods.association.ceat.method.evaluate; columns of bias/weat-word-lists that are not
    listed here (language, title, labels, origin ...) may be passed along and describe the tests.

Returns:
    dict: 'ceat' (combined effect size; between -2 and 2 for target sets of equal size; 0 is ideal; with several tests
    their mean), 'p_value', 'ci_low', 'ci_high', 'n', 'coverage', 'items' (every test, with 'tau2', 'i2',
    'p_contexts' and
    41 quantiles of its effect sizes), 'skipped', 'warnings', 'settings', 'provenance'.

Examples:

    Word vectors, and a corpus of two sentences a word, of which the mean is taken:

    >>> import evaluate_bias
    >>> vectors = {"poppy": [1.0, 0.1], "rose": [0.9, 0.0], "ant": [0.0, 1.0], "wasp": [0.2, 0.9], "a": [0.3, 0.5],
    ...            "good": [1.0, 0.2], "nice": [0.8, 0.1], "bad": [0.1, 1.0], "vile": [0.0, 0.8], "the": [0.6, 0.3]}
    >>> words = ["poppy", "rose", "ant", "wasp", "good", "nice", "bad", "vile"]
    >>> corpus = [f"{article} {word}" for word in words for article in ("a", "the")]
    >>> lists = {"name": ["toy"], "targets_x": [["poppy", "rose"]], "targets_y": [["ant", "wasp"]],
    ...          "attributes_a": [["good", "nice"]], "attributes_b": [["bad", "vile"]]}
    >>> ceat = evaluate_bias.load("ceat")
    >>> results = ceat.compute(**lists, model=vectors, contexts=corpus, representation="sentence_mean", samples=1000)
    >>> round(results["ceat"], 1)
    1.7

    The paper's p-value over contexts shrinks with the number of samples; that over words, two and two, does not:

    >>> results["items"][0]["p_contexts"] < 1e-9, round(results["p_value"], 4)
    (True, 0.3333)

    The spread of the effect sizes over contexts:

    >>> quantiles = results["items"][0]["effect_sizes"]["quantiles"]
    >>> len(quantiles), quantiles[0] < results["ceat"] < quantiles[-1]
    (41, True)
"""


class Ceat(evaluate.Metric):
    """The evaluate module `bias/ceat`."""

    def _info(self):
        words = datasets.Sequence(datasets.Value("string"))
        return evaluate_bias.hub.adapter.metric_info(
            "ceat",
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
        return evaluate_bias.hub.adapter.compute_rows("ceat", self, model, columns_and_options)
