"""Methods on embeddings in context."""

from __future__ import annotations

from typing import Any

from ..method_record import MethodRecord, Secondary

__all__ = ["RECORDS"]

_LISTS: dict[str, Any] = {
    "score_range": (-2.0, 2.0),
    "direction": "two_sided",
    "ideal": 0.0,
    "reading": "A positive value associates the first targets with the first attributes and the second targets with "
    "the second attributes; a negative one the other way round.",
    "needs": ("embeds words in context",),
    "columns": ("name", "targets_x", "targets_y", "attributes_a", "attributes_b"),
    "extra_columns": (
        "language",
        "title",
        "x_label",
        "y_label",
        "a_label",
        "b_label",
        "origin",
        "source",
        "licence",
        "bias_type",
        "notes",
    ),
    "dataset": "bias/weat-word-lists",
    "data_options": ("source", "language", "tests"),
    "group_by": "test",
}
_WORDS = "The score describes the chosen words: other words for the same concepts give other values."
RECORDS = (
    MethodRecord(
        **_LISTS
        | {
            "reading": f"{_LISTS['reading']} The bounds are ±2 where both target sets have equally many sentences, and "
            "a little wider elsewhere."
        },
        name="seat",
        title="Sentence Encoder Association Test (SEAT)",
        summary="How much more strongly sentences on one set of target words are associated with sentences on one set "
        "of attribute words than sentences on another set of target words are, as a standardised difference of mean "
        "cosine similarities.",
        paper="May, Wang, Bordia, Bowman and Rudinger (2019): On Measuring Social Biases in Sentence Encoders. "
        "NAACL-HLT 2019, 622-628",
        url="https://doi.org/10.18653/v1/N19-1063",
        bibtex="""@inproceedings{may2019measuring,
  title     = {On Measuring Social Biases in Sentence Encoders},
  author    = {May, Chandler and Wang, Alex and Bordia, Shikha and Bowman, Samuel R. and Rudinger, Rachel},
  booktitle = {Proceedings of NAACL-HLT 2019},
  pages     = {622--628},
  year      = {2019},
  doi       = {10.18653/v1/N19-1063}
}""",
        score_name="effect size d",
        entry="evaluate_bias.methods.association.seat.method:evaluate",
        loader="evaluate_bias.data.seat_tests:load_seat_tests",
        caveats=(
            "The p-value splits words. The paper's, given beside it, takes sentences as independent, and those made of "
            "one word are not: it is too small, often by far.",
            "Scores of different templates, representations and layers of one model disagree, often in sign (Delobelle "
            "et al. 2022): name all three with the score.",
            _WORDS,
            "An effect size near 0 shows only that these sentences found no association.",
        ),
        secondary=(
            Secondary(
                key="p_sentences",
                title="p over sentences",
                meaning="The paper's p-value, of the permutation test that splits sentences as if those of one word "
                "were independent.",
            ),
            Secondary(
                key="mean_d",
                title="mean signed d",
                meaning="Mean of the effect sizes of several tests with their signs; opposite ones cancel in it.",
            ),
        ),
        least_n=7,
        combined="The score of several tests is the mean of their absolute effect sizes, so that opposite signs do not "
        "cancel; it is not 0 by chance, so its ideal value is its mean over random splits of the target words, and its "
        "p-value is the share of such splits with as large a mean. Its interval is the percentile interval of that "
        "mean over bootstrap samples, in each of which the words of every test are drawn anew with all "
        "their sentences, centred at the score. Control tests are left out.",
    ),
    MethodRecord(
        **_LISTS,
        name="ceat",
        title="Contextualized Embedding Association Test (CEAT)",
        summary="Mean of the effect sizes of association tests on words in contexts drawn at random from a corpus, "
        "combined by a random-effects model.",
        paper="Guo and Caliskan (2021): Detecting Emergent Intersectional Biases: Contextualized Word Embeddings "
        "Contain a Distribution of Human-like Biases. AIES 2021, 122-133",
        url="https://doi.org/10.1145/3461702.3462536",
        bibtex="""@inproceedings{guo2021detecting,
  title     = {Detecting Emergent Intersectional Biases: Contextualized Word Embeddings Contain a Distribution of
               Human-like Biases},
  author    = {Guo, Wei and Caliskan, Aylin},
  booktitle = {Proceedings of the 2021 AAAI/ACM Conference on AI, Ethics, and Society},
  pages     = {122--133},
  year      = {2021},
  doi       = {10.1145/3461702.3462536}
}""",
        score_name="combined effect size (CES)",
        data_defaults={"tests": ("weat6", "weat8", "weat9")},
        entry="evaluate_bias.methods.association.ceat.method:evaluate",
        loader="evaluate_bias.data.word_lists:load_word_lists",
        caveats=(
            "The interval speaks of random contexts of these very words and shrinks with the number of samples by "
            "construction, as does the paper's p-value over contexts, given beside: with 10,000 samples any difference "
            "between these words is significant. The p-value splits words and does not shrink.",
            "The score describes the chosen words and the corpus that their contexts come from.",
            "Scores of different representations and layers of one model disagree, often in sign: name both with the "
            "score.",
        ),
        secondary=(
            Secondary(
                key="tau2",
                title="τ²",
                meaning="Estimated variance of the effect size over contexts, beyond what the chosen variance of a "
                "sample explains.",
            ),
            Secondary(
                key="i2",
                title="I²",
                meaning="Share of the variation between samples that the chosen variance of a sample does not explain.",
            ),
            Secondary(
                key="p_contexts",
                title="p over contexts",
                meaning="The paper's p-value, of the random-effects model: it takes the words as given and asks "
                "whether the mean over random draws of contexts is 0.",
            ),
        ),
        combined="The score of several tests is the mean of their combined effect sizes; its p-value is the smallest "
        "of their Holm-adjusted p-values, a test of 'none of these associations exists'; its interval takes the tests "
        "as independent. Control tests are left out.",
        least_n=7,
    ),
)
