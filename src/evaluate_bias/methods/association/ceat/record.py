"""What the library knows about ceat."""

from __future__ import annotations

from ....data.kinds import WORD_LISTS
from ....method import MethodRecord, Secondary, Units

RECORD = MethodRecord(
    name="ceat",
    title="Contextualized Embedding Association Test (CEAT)",
    summary=(
        "Mean of the effect sizes of association tests on words in contexts drawn at random from a corpus, "
        "combined by a random-effects model."
    ),
    paper=(
        "Guo and Caliskan (2021): Detecting Emergent Intersectional Biases: Contextualized Word Embeddings "
        "Contain a Distribution of Human-like Biases. AIES 2021, 122-133"
    ),
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
    score_range=(-2.0, 2.0),
    direction="two_sided",
    ideal=0.0,
    interpretation=(
        "A positive value associates the first targets with the first attributes and the second targets "
        "with the second attributes; a negative one the other way round."
    ),
    needs=("embeds words in context",),
    columns=("name", "targets_x", "targets_y", "attributes_a", "attributes_b"),
    data=WORD_LISTS,
    data_defaults={"tests": ("weat6", "weat8", "weat9")},
    group_by="test",
    caveats=(
        (
            "The interval speaks of random contexts of these very words and shrinks with the number of "
            "samples by construction, as does the paper's p-value over contexts, given beside: with 10,000 "
            "samples any difference between these words is significant. The p-value splits words and does "
            "not shrink."
        ),
        "The score describes the chosen words and the corpus that their contexts come from.",
        (
            "Scores of different representations and layers of one model disagree, often in sign: name "
            "both with the score."
        ),
    ),
    secondary=(
        Secondary(
            key="tau2",
            title="τ²",
            meaning=(
                "Estimated variance of the effect size over contexts, beyond what the chosen variance of a "
                "sample explains."
            ),
        ),
        Secondary(
            key="i2",
            title="I²",
            meaning=(
                "Share of the variation between samples that the chosen variance of a sample does not "
                "explain."
            ),
        ),
        Secondary(
            key="p_contexts",
            title="p over contexts",
            meaning=(
                "The paper's p-value, of the random-effects model: it takes the words as given and asks "
                "whether the mean over random draws of contexts is 0."
            ),
        ),
    ),
    aggregation=(
        "The score of several tests is the mean of their combined effect sizes; its p-value is the "
        "smallest of their Holm-adjusted p-values, a test of 'none of these associations exists'; its "
        "interval takes the tests as independent. Control tests are left out."
    ),
    min_n_for_significance=7,
    units=Units(
        name="words",
        value="association",
        score="effect_size",
        list="words",
        lists=("targets_x", "targets_y"),
        stand_in=True,
    ),
)
