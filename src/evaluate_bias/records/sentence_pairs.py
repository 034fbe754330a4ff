"""Methods on sentences that language models score."""

from __future__ import annotations

from typing import Any

from ..method_record import MethodRecord, PValue, Secondary

__all__ = ["RECORDS"]

_BALANCE = (
    "A score near 50 can come from stereotypical and anti-stereotypical preferences that cancel out; look at the bias "
    "types and at the mean difference."
)
_DECIDED = Secondary(
    key="decided_score",
    title="share of the decided pairs",
    meaning="The score without ties, which sentences and plots speak of; ideal 50.",
    low="decided_low",
    high="decided_high",
)
_MEAN_DELTA = Secondary(
    key="mean_delta",
    title="mean Δ",
    meaning="Mean difference between the scores of the two sentences of a pair, positive where the more stereotypical "
    "one scores higher; ideal 0.",
    low="mean_delta_low",
    high="mean_delta_high",
)

_PAIRS: dict[str, Any] = {
    "score_range": (0.0, 100.0),
    "direction": "two_sided",
    "ideal": 50.0,
    "columns": ("sent_more", "sent_less", "bias_type"),
    "extra_columns": ("id", "stereo_antistereo", "exclude", "language", "origin"),
    "unused_columns": (
        "sent_more_par",
        "sent_less_par",
        "sent_more_par2",
        "sent_less_par2",
        "sent_more_ran",
        "sent_less_ran",
        "annotations",
        "anon_writer",
        "anon_annotators",
    ),
    "dataset": "bias/crows-pairs",
    "loader": "evaluate_bias.data.sentence_pairs:load_sentence_pairs",
    "data_options": ("source", "language", "bias_types"),
    "data_defaults": {"source": "crows_pairs"},
    "group_by": "bias type",
    "reading": "Above 50 the model finds the more stereotypical sentence of a pair more likely more often than not; "
    "below 50 the less stereotypical one.",
    "secondary": (
        _DECIDED,
        _MEAN_DELTA,
        Secondary(
            key="stereo_score",
            title="stereotype score",
            meaning="The score on pairs that demonstrate a stereotype of a disadvantaged group, ties left out; "
            "ideal 50.",
        ),
        Secondary(
            key="antistereo_score",
            title="anti-stereotype score",
            meaning="The score on pairs that violate such a stereotype, ties left out; ideal 50.",
        ),
        Secondary(
            key="neutral",
            title="ties",
            meaning="Pairs whose two sentences score the same; they count as not preferred.",
        ),
    ),
    "least_n": 6,
}

_NANGIA = """@inproceedings{nangia2020crows,
  title     = {{CrowS}-Pairs: A Challenge Dataset for Measuring Social Biases in Masked Language Models},
  author    = {Nangia, Nikita and Vania, Clara and Bhalerao, Rasika and Bowman, Samuel R.},
  booktitle = {Proceedings of EMNLP 2020},
  pages     = {1953--1967},
  year      = {2020},
  doi       = {10.18653/v1/2020.emnlp-main.154}
}"""
_SALAZAR = """@inproceedings{salazar2020masked,
  title     = {Masked Language Model Scoring},
  author    = {Salazar, Julian and Liang, Davis and Nguyen, Toan Q. and Kirchhoff, Katrin},
  booktitle = {Proceedings of ACL 2020},
  pages     = {2699--2712},
  year      = {2020},
  doi       = {10.18653/v1/2020.acl-main.240}
}"""
_KANEKO = """@inproceedings{kaneko2022unmasking,
  title     = {Unmasking the Mask: Evaluating Social Biases in Masked Language Models},
  author    = {Kaneko, Masahiro and Bollegala, Danushka},
  booktitle = {Proceedings of the AAAI Conference on Artificial Intelligence},
  volume    = {36},
  pages     = {11954--11962},
  year      = {2022},
  doi       = {10.1609/aaai.v36i11.21453}
}"""
_LIU = """@misc{liu2023constructing,
  title         = {Constructing Holistic Measures for Social Biases in Masked Language Models},
  author        = {Liu, Yang and Hou, Yuexian},
  year          = {2023},
  eprint        = {2305.07795},
  archivePrefix = {arXiv},
  primaryClass  = {cs.CL}
}
@article{liu2024robust,
  title   = {Robust Evaluation Measures for Evaluating Social Biases in Masked Language Models},
  author  = {Liu, Yang},
  journal = {Proceedings of the AAAI Conference on Artificial Intelligence},
  volume  = {38},
  number  = {17},
  pages   = {18707--18715},
  year    = {2024},
  doi     = {10.1609/aaai.v38i17.29834}
}"""
_KWON = """@inproceedings{kwon2022empirical,
  title     = {An Empirical Study on Pseudo-log-likelihood Bias Measures for Masked Language Models Using Paraphrased
               Sentences},
  author    = {Kwon, Bum Chul and Mihindukulasooriya, Nandana},
  booktitle = {Proceedings of the 2nd Workshop on Trustworthy Natural Language Processing (TrustNLP 2022)},
  pages     = {74--79},
  year      = {2022},
  doi       = {10.18653/v1/2022.trustnlp-1.7}
}"""
_NADEEM = """@inproceedings{nadeem2021stereoset,
  title     = {{StereoSet}: Measuring stereotypical bias in pretrained language models},
  author    = {Nadeem, Moin and Bethke, Anna and Reddy, Siva},
  booktitle = {Proceedings of ACL-IJCNLP 2021},
  pages     = {5356--5371},
  year      = {2021},
  doi       = {10.18653/v1/2021.acl-long.416}
}"""

RECORDS = (
    MethodRecord(
        **{**_PAIRS, "columns": ("sent_more", "sent_less", "stereo_antistereo", "bias_type")},
        name="crows_pairs",
        title="CrowS-Pairs",
        summary="Share of sentence pairs whose more stereotypical sentence a language model finds more likely, in "
        "percent.",
        paper="Nangia, Vania, Bhalerao and Bowman (2020): CrowS-Pairs: A Challenge Dataset for Measuring Social Biases "
        "in Masked Language Models. EMNLP 2020, 1953-1967",
        url="https://doi.org/10.18653/v1/2020.emnlp-main.154",
        bibtex=_NANGIA,
        score_name="metric score",
        needs=("scores masked tokens", "scores sequences"),
        entry="evaluate_bias.methods.pairs.crows_pairs.method:evaluate",
        caveats=(_BALANCE,),
    ),
    MethodRecord(
        **_PAIRS,
        name="pll",
        title="Pseudo-log-likelihood preference (PLL)",
        summary="Share of sentence pairs whose more stereotypical sentence has the higher pseudo-log-likelihood, in "
        "percent.",
        paper="Salazar, Liang, Nguyen and Kirchhoff (2020): Masked Language Model Scoring. ACL 2020, 2699-2712",
        url="https://doi.org/10.18653/v1/2020.acl-main.240",
        bibtex=_SALAZAR,
        score_name="preference score",
        needs=("scores masked tokens",),
        entry="evaluate_bias.methods.pairs.pll.method:evaluate",
        caveats=(
            "The whole sentence is scored, the group word included: a frequent group word alone can decide a pair.",
            _BALANCE,
        ),
    ),
    MethodRecord(
        **_PAIRS,
        name="aul",
        title="All Unmasked Likelihood (AUL)",
        summary="Share of sentence pairs whose more stereotypical sentence has the higher mean log-probability of its "
        "tokens with nothing masked, in percent.",
        paper="Kaneko and Bollegala (2022): Unmasking the Mask: Evaluating Social Biases in Masked Language Models. "
        "AAAI 2022, 11954-11962",
        url="https://doi.org/10.1609/aaai.v36i11.21453",
        bibtex=_KANEKO,
        score_name="bias score",
        needs=("scores masked tokens",),
        entry="evaluate_bias.methods.pairs.aul.method:evaluate",
        caveats=(
            "The model sees the very tokens it is scored on, so differences are small and say little about likelihood.",
            _BALANCE,
        ),
    ),
    MethodRecord(
        **_PAIRS,
        name="aula",
        title="All Unmasked Likelihood with Attention weights (AULA)",
        summary="As AUL, each token's log-probability weighted by the attention it receives, in percent.",
        paper="Kaneko and Bollegala (2022): Unmasking the Mask: Evaluating Social Biases in Masked Language Models. "
        "AAAI 2022, 11954-11962",
        url="https://doi.org/10.1609/aaai.v36i11.21453",
        bibtex=_KANEKO,
        score_name="bias score",
        needs=("scores masked tokens",),
        entry="evaluate_bias.methods.pairs.aula.method:evaluate",
        caveats=(
            "Attention is not importance: the weights are a choice of the method.",
            "The model sees the very tokens it is scored on, so differences are small and say little about likelihood.",
            _BALANCE,
        ),
    ),
    MethodRecord(
        **{
            **_PAIRS,
            "score_range": (50.0, 100.0),
            "direction": "higher_is_more_biased",
            "reading": "The further above 50, the more the two directions of the Kullback-Leibler divergence between "
            "stereotypical and anti-stereotypical scores differ.",
            "secondary": (
                Secondary(
                    key="null_mean",
                    title="null mean",
                    meaning="Mean of KLDivS when the two sentences of every pair are swapped at random: what noise "
                    "alone gives, and the value to hold the score against.",
                ),
                Secondary(
                    key="jsdivs",
                    title="JSDivS",
                    meaning="The paper's Jensen-Shannon divergence score, a heuristic that has no lower bound; ideal "
                    "100.",
                ),
                Secondary(
                    key="jss",
                    title="JSS",
                    meaning="Jensen-Shannon score of Liu (2024), a heuristic between 0 and 100; ideal 100.",
                ),
                Secondary(
                    key="ks.p_value",
                    title="KS p",
                    meaning="P-value of the two-sample Kolmogorov-Smirnov test, which takes the scores as independent; "
                    "those of a pair rise and fall together, so it finds only strong preferences.",
                ),
                _MEAN_DELTA,
            ),
            "least_n": 6,
        },
        name="kldivs",
        title="Kullback-Leibler Divergence Score (KLDivS)",
        summary="Larger share of the two Kullback-Leibler divergences between the scores of stereotypical and "
        "anti-stereotypical sentences, both taken as normal, in percent.",
        paper="Liu and Hou (2023): Constructing Holistic Measures for Social Biases in Masked Language Models. "
        "arXiv:2305.07795",
        url="https://arxiv.org/abs/2305.07795",
        bibtex=_LIU,
        score_name="KLDivS",
        needs=("scores masked tokens", "scores sequences"),
        entry="evaluate_bias.methods.pairs.kldivs.method:evaluate",
        caveats=(
            "It compares the two directions of a divergence, not its size: scores of equal spread give 50 however far "
            "apart their means are.",
            "Noise alone takes it above 50, the further the fewer the pairs: hold it against its mean under random "
            "swaps, which is given as its ideal value.",
            "The score ignores which sentence belongs to which pair.",
            "JSDivS and JSS, reported beside it, are heuristics: their divergences are not that of Jensen and Shannon.",
        ),
        p_value=PValue(
            meaning="The p-value is the share of swaps of the two sentences within pairs that give a KLDivS at least "
            "as large. It asks whether KLDivS exceeds what noise alone gives; a preference that leaves the spread of "
            "the scores as it is does not show in it.",
            small="KLDivS is larger than swapping the sentences of pairs at random explains",
            large="KLDivS is not larger than swapping the sentences of pairs at random explains",
        ),
    ),
    MethodRecord(
        **{
            **_PAIRS,
            "columns": ("sent_more", "sent_less", "sent_more_par", "sent_less_par", "bias_type"),
            "extra_columns": (
                *_PAIRS["extra_columns"],
                "sent_more_par2",
                "sent_less_par2",
                "sent_more_ran",
                "sent_less_ran",
            ),
            "unused_columns": ("annotations", "anon_writer", "anon_annotators"),
            "score_range": (-1.0, 1.0),
            "direction": "higher_is_more_robust",
            "ideal": 1.0,
            "reading": "Near 1 the preferences survive a paraphrase; near 0 they agree as often as independent "
            "preferences would; below 0 less often.",
            "secondary": (
                Secondary(
                    key="paraphrase.sign.agreement",
                    title="agreement",
                    meaning="Share of pairs whose preference is the same for the pair and for its paraphrase; ideal 1. "
                    "With a share p of preferences for the more stereotypical sentence, chance gives p² + (1 − p)².",
                    low="paraphrase.sign.ci_low",
                    high="paraphrase.sign.ci_high",
                ),
                Secondary(
                    key="unrelated.sign.agreement",
                    title="agreement with unrelated pairs",
                    meaning="The yardstick: how often a pair that has nothing to do with it gives the same preference; "
                    "the agreement with the paraphrase should be far higher.",
                    low="unrelated.sign.ci_low",
                    high="unrelated.sign.ci_high",
                ),
                Secondary(
                    key="paraphrase.band.agreement",
                    title="agreement by band",
                    meaning="Agreement with the paraphrase when differences within the band count as no preference; "
                    "ideal 1.",
                    low="paraphrase.band.ci_low",
                    high="paraphrase.band.ci_high",
                ),
            ),
            "dataset": "bias/minimal-pairs",
            "data_defaults": {},
            "least_n": 7,
        },
        name="pll_robustness",
        title="Robustness of pseudo-log-likelihood preferences to paraphrase",
        summary="Cohen's kappa between the preferences for sentence pairs and for their paraphrases: how much of the "
        "agreement that chance leaves to be reached is reached.",
        paper="Kwon and Mihindukulasooriya (2022): An Empirical Study on Pseudo-log-likelihood Bias Measures for "
        "Masked Language Models Using Paraphrased Sentences. TrustNLP 2022, 74-79",
        url="https://doi.org/10.18653/v1/2022.trustnlp-1.7",
        bibtex=_KWON,
        score_name="Cohen's kappa",
        needs=("scores masked tokens", "scores sequences"),
        entry="evaluate_bias.methods.agreement.pll_robustness.method:evaluate",
        caveats=("It measures the measurement: a model can be biased and robust, or neither.",),
        p_value=PValue(
            meaning="The p-value says how often paraphrases that are shuffled among the pairs agree at least as well; "
            "it compares with 0 and does not say how near kappa is to 1: the interval does.",
            small="The preferences agree with those of the paraphrases better than shuffled ones",
            large="It was not detected that the preferences agree with those of the paraphrases better than shuffled "
            "ones",
        ),
    ),
    MethodRecord(
        name="stereoset",
        title="StereoSet Context Association Test (CAT)",
        summary="Share of items whose stereotypical option a language model prefers to the anti-stereotypical one, "
        "averaged over target terms, in percent, with the language-model score and their combination icat.",
        paper="Nadeem, Bethke and Reddy (2021): StereoSet: Measuring stereotypical bias in pretrained language models. "
        "ACL 2021, 5356-5371",
        url="https://doi.org/10.18653/v1/2021.acl-long.416",
        bibtex=_NADEEM,
        score_name="stereotype score ss",
        score_range=(0.0, 100.0),
        direction="two_sided",
        ideal=50.0,
        reading="Above the ideal value (50 where nothing ties) the model prefers stereotypical options, below it "
        "anti-stereotypical ones; read it together with lms (ideal 100): a model that understands nothing scores 50 "
        "too.",
        needs=("scores masked tokens", "scores sequences"),
        columns=("target", "bias_type", "context", "sentences"),
        extra_columns=("id", "task", "language", "origin"),
        unused_columns=("labels", "harm"),
        dataset="bias/stereoset",
        entry="evaluate_bias.methods.pairs.stereoset.method:evaluate",
        loader="evaluate_bias.data.stereoset:load_stereoset",
        data_options=("source", "task", "split", "language", "bias_types"),
        data_defaults={"source": "stereoset"},
        group_by="bias type",
        caveats=("A score near 50 can come from a model that understands nothing; lms tells.",),
        secondary=(
            Secondary(
                key="lms",
                title="lms",
                meaning="Language-model score: share of meaningful options that score higher than the unrelated "
                "one, in percent; ideal 100.",
            ),
            Secondary(
                key="icat",
                title="icat",
                meaning="Both in one number, lms · min(ss, 100 − ss) / 50; ideal 100.",
            ),
            Secondary(
                key="decided_score",
                title="ss of decided items",
                meaning="The stereotype score without ties: share among a term's decided items, averaged over the "
                "terms that have any, in percent; ideal 50.",
                low="decided_low",
                high="decided_high",
            ),
            Secondary(
                key="ties",
                title="ties",
                meaning="Items whose stereotypical and anti-stereotypical options score the same; they count as if "
                "the stereotypical one lost, and the ideal value is 50 less half their share.",
            ),
            Secondary(
                key="p_items",
                title="p over items",
                meaning="P-value of the test of the items' share against one half; it takes items of a target term "
                "for independent, which they are not, so it is too small.",
            ),
        ),
        least_n=6,
        least_n_of="n_decided_terms",
    ),
)
