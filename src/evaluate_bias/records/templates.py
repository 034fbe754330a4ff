"""Methods that fill templates and read a masked language model."""

from __future__ import annotations

from typing import Any

from ..method_record import MethodRecord, PValue, Secondary

__all__ = ["RECORDS"]

_MASKED: dict[str, Any] = {"ideal": 0.0, "needs": ("scores masked tokens",)}
_TEMPLATES = (
    "Scores of different templates disagree, often in sign (Delobelle et al. 2022): name the templates with the "
    "score."
)

RECORDS = (
    MethodRecord(
        **_MASKED,
        name="lpbs",
        title="Log Probability Bias Score (LPBS)",
        summary="How much more attribute words of one set (such as mathematics) than of another (arts) raise a masked "
        "language model's probability of one set of target words (such as those for men) over another set (those for "
        "women), as a standardised difference.",
        paper="Kurita, Vyas, Pareek, Black and Tsvetkov (2019): Measuring Bias in Contextualized Word Representations. "
        "First Workshop on Gender Bias in Natural Language Processing, 166-172",
        url="https://doi.org/10.18653/v1/W19-3823",
        bibtex="""@inproceedings{kurita2019measuring,
  title     = {Measuring Bias in Contextualized Word Representations},
  author    = {Kurita, Keita and Vyas, Nidhi and Pareek, Ayush and Black, Alan W. and Tsvetkov, Yulia},
  booktitle = {Proceedings of the First Workshop on Gender Bias in Natural Language Processing},
  pages     = {166--172},
  year      = {2019},
  doi       = {10.18653/v1/W19-3823}
}""",
        score_name="effect size d",
        score_range=(-2.0, 2.0),
        direction="two_sided",
        reading="A positive d associates the first attributes with the first targets and the second attributes with "
        "the second targets; a negative d the other way round.",
        columns=("name", "targets_x", "targets_y", "attributes_a", "attributes_b"),
        extra_columns=(
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
            "plural_targets",
            "singular_templates",
            "plural_templates",
        ),
        dataset="bias/weat-word-lists",
        entry="evaluate_bias.methods.lpbs:evaluate",
        loader="evaluate_bias.data.lpbs_tests:load_lpbs_tests",
        data_options=("source", "language", "tests"),
        group_by="test",
        caveats=(
            "The score describes the chosen words and templates: others for the same concepts give other values, often "
            "of the other sign.",
            "In the bare template, which stands in for tests without templates, the model reads two words that are no "
            "sentence.",
            "An effect size near 0 shows only that these words in these templates found no association.",
        ),
        secondary=(
            Secondary(
                key="difference",
                title="difference",
                meaning="Mean score of the first attributes less that of the second, in nats: the size of the effect, "
                "which d does not tell.",
            ),
        ),
        combined="The score of several tests is the mean of their effect sizes; its p-value is the smallest of their "
        "Holm-adjusted p-values, a test of 'none of these associations exists'; its interval is the percentile "
        "interval of that mean over bootstrap samples, in each of which the words of every test are drawn anew. "
        "Control tests are left out.",
    ),
    MethodRecord(
        **_MASKED,
        name="bec_pro",
        title="Bias Evaluation Corpus with Professions (BEC-Pro)",
        summary="How much more, in nats, professions raise a masked language model's log-probability of words for "
        "persons of the gender that dominates them than of words for persons of the other gender.",
        paper="Bartl, Nissim and Gatt (2020): Unmasking Contextual Stereotypes: Measuring and Mitigating BERT's Gender "
        "Bias. Second Workshop on Gender Bias in Natural Language Processing, 1-16",
        url="https://aclanthology.org/2020.gebnlp-1.1",
        bibtex="""@inproceedings{bartl2020unmasking,
  title     = {Unmasking Contextual Stereotypes: Measuring and Mitigating {BERT}'s Gender Bias},
  author    = {Bartl, Marion and Nissim, Malvina and Gatt, Albert},
  booktitle = {Proceedings of the Second Workshop on Gender Bias in Natural Language Processing},
  pages     = {1--16},
  year      = {2020},
  url       = {https://aclanthology.org/2020.gebnlp-1.1}
}""",
        score_name="stereotypical association",
        score_range=(None, None),
        direction="two_sided",
        reading="Positive: female words gain in female professions and male words in male ones; negative: the other "
        "way round. In a group of professions that no gender dominates, positive says that female words gain.",
        columns=("sentence", "person", "gender", "profession", "profession_gender", "template"),
        extra_columns=(
            "id",
            "language",
            "pair",
            "profession_en",
            "person_start",
            "person_end",
            "profession_start",
            "profession_end",
        ),
        dataset="bias/bec-pro",
        entry="evaluate_bias.methods.bec_pro:evaluate",
        loader="evaluate_bias.data.bec_pro:load_bec_pro",
        data_options=("language", "source"),
        group_by="profession",
        p_value=PValue(
            meaning="The p-value tests, with these words for persons taken as given, whether female and male "
            "professions differ; the interval draws the words too and can hold 0 where the p-value is small.",
            small="With these words, female and male professions differ",
            large="With these words, female and male professions cannot be told apart",
            parts=PValue(
                meaning="The p-value of a group of professions tests whether, with these words, those of one gender "
                "gain more in it; words that gain in all professions alike make it small too, so that it says nothing "
                "of a difference between the groups.",
                small="Within the group, the words of one gender gain more than those of the other",
                large="Within the group, the words of the two genders cannot be told apart",
            ),
        ),
        caveats=(
            "In languages where a profession has a form for each gender, such as German, the score mostly tells that "
            "the model knows the grammar (Bartl et al. 2020).",
            _TEMPLATES,
        ),
        secondary=(
            Secondary(
                key="female",
                title="female words",
                meaning="Mean association of the female words with the professions, in nats: above 0 where the "
                "professions raise their probability.",
            ),
            Secondary(
                key="male",
                title="male words",
                meaning="Mean association of the male words with the professions, in nats.",
            ),
        ),
    ),
    MethodRecord(
        **{**_MASKED, "needs": ("fills a mask",)},
        name="disco",
        title="Discovery of Correlations (DisCo)",
        summary="Number of a model's fills of a template that go significantly more often with words for one gender "
        "than for the other, averaged over templates.",
        paper="Webster, Wang, Tenney, Beutel, Pitler, Pavlick, Chen, Chi and Petrov (2020): Measuring and Reducing "
        "Gendered Correlations in Pre-trained Models. arXiv:2010.06032",
        url="https://arxiv.org/abs/2010.06032",
        bibtex="""@misc{webster2020measuring,
  title         = {Measuring and Reducing Gendered Correlations in Pre-trained Models},
  author        = {Webster, Kellie and Wang, Xuezhi and Tenney, Ian and Beutel, Alex and Pitler, Emily and Pavlick,
                   Ellie and Chen, Jilin and Chi, Ed and Petrov, Slav},
  year          = {2020},
  eprint        = {2010.06032},
  archivePrefix = {arXiv},
  primaryClass  = {cs.CL}
}""",
        score_name="DisCo",
        score_range=(0.0, None),
        direction="higher_is_more_biased",
        reading="The higher, the more fills go with a gender; 0: none does significantly.",
        columns=("female", "male", "kind"),
        extra_columns=("language",),
        unused_columns=("origin", "source"),
        dataset="bias/gendered-words",
        entry="evaluate_bias.methods.disco:evaluate",
        loader="evaluate_bias.data.professions:load_gendered_words",
        data_options=("language", "kinds", "source"),
        data_defaults={"kinds": ("person", "kinship", "title", "role", "name")},
        group_by="template",
        caveats=(
            "A fill counts whatever it says: grammar ('her', 'himself') and stereotype ('cooking') count alike; look "
            "at the fills.",
            "The score depends on the number of words: few words cannot make a fill significant, many make any "
            "difference so.",
            _TEMPLATES,
        ),
        p_value=PValue(
            meaning="The p-value is the smallest of those of all fills, times their number: it tests whether any fill "
            "goes with a gender.",
            small="At least one fill goes with a gender more often than chance would have it",
            large="No fill goes with a gender more often than chance among so many fills would have it",
        ),
    ),
    MethodRecord(
        **_MASKED,
        name="mlm_gender_score",
        title="MLM gender score",
        summary="Mean over occupations and templates of a masked language model's probability of 'she' less that of "
        "'he' beside the occupation.",
        paper="Dusi, Arici, Gerevini, Putelli and Serina (2022): Graphical Identification of Gender Bias in BERT with "
        "a Weakly Supervised Approach. NL4AI at AIxIA 2022, CEUR-WS 3287, paper 16",
        url="https://ceur-ws.org/Vol-3287/paper16.pdf",
        bibtex="""@inproceedings{dusi2022graphical,
  title     = {Graphical Identification of Gender Bias in {BERT} with a Weakly Supervised Approach},
  author    = {Dusi, Michele and Arici, Nicola and Gerevini, Alfonso E. and Putelli, Luca and Serina, Ivan},
  booktitle = {Proceedings of the Sixth Workshop on Natural Language for Artificial Intelligence (NL4AI 2022)},
  series    = {CEUR Workshop Proceedings},
  volume    = {3287},
  year      = {2022},
  url       = {https://ceur-ws.org/Vol-3287/paper16.pdf}
}""",
        score_name="MLM score",
        score_range=(-1.0, 1.0),
        direction="two_sided",
        reading="Above 0 'she' is the likelier pronoun beside the occupations, below 0 'he'.",
        columns=("word", "women_bls"),
        extra_columns=("language", "women_bergsma"),
        unused_columns=("bls_year", "source"),
        dataset="bias/winogender-occupations",
        entry="evaluate_bias.methods.mlm_gender_score:evaluate",
        loader="evaluate_bias.data.professions:load_occupations",
        data_options=("source", "language"),
        group_by="template",
        caveats=(
            "'He' is the more frequent pronoun in most texts, so that a mean below 0 says little of occupations; "
            "whether the scores follow them is told by the correlation with the share of women.",
            "Two pronouns are compared; whoever goes by another is not seen.",
            _TEMPLATES,
        ),
        secondary=(
            Secondary(
                key="correlations.women_bls.pearson.r",
                title="correlation with employment",
                meaning="Pearson correlation of the occupations' scores with the share of women among those employed: "
                "above 0 the model follows the labour market.",
                low="correlations.women_bls.pearson.ci_low",
                high="correlations.women_bls.pearson.ci_high",
            ),
        ),
        p_value=PValue(
            meaning="The p-value tests whether the mean over such occupations is 0; a difference between the "
            "occupations is another question, which the correlation answers.",
            small="Over occupations, the mean is not 0",
            large="Over occupations, the mean cannot be told from 0",
        ),
    ),
)
