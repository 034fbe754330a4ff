"""French sentences about data sets."""

from __future__ import annotations

from ...card_texts import DataText

__all__ = ["DATASETS"]

_BLODGETT = (
    "Blodgett et al. (2021) ont constaté que beaucoup de paires de CrowS-Pairs et de StereoSet n'isolent pas un "
    "stéréotype : contrastes peu clairs, mauvais groupes, plusieurs changements à la fois. Une valeur mesurée avec "
    "elles hérite de ces défauts."
)
_ILLUSTRATIVE = (
    "Ces phrases sont illustratives : elles ont été écrites pour ce projet et n'ont été validées ni par des locuteurs "
    "natifs ni par des membres des groupes dont elles parlent. Une valeur mesurée avec elles n'est pas un constat sur "
    "un modèle."
)

DATASETS = {
    "weat_word_lists": DataText(
        title="Listes de mots de WEAT",
        caveats=(
            "Les listes anglaises proviennent d'études faites aux États-Unis et publiées de 1998 à 2011 : leurs noms "
            "et leurs mots représentent des groupes tels qu'on les voyait là et alors.",
        ),
    ),
    "crows_pairs": DataText(
        title="CrowS-Pairs",
        caveats=(
            _BLODGETT,
            "Les paires publiées décrivent des stéréotypes des États-Unis, en anglais de 2020 ; celles des autres "
            "langues en sont des traductions ou des adaptations.",
        ),
    ),
    "stereoset": DataText(
        title="StereoSet",
        caveats=(
            _BLODGETT,
            "Les exercices publiés décrivent des stéréotypes des États-Unis, en anglais de 2020.",
        ),
    ),
    "bec_pro": DataText(
        title="BEC-Pro",
        caveats=(
            "Le genre est binaire dans ces phrases, et les groupes de professions suivent l'emploi aux États-Unis, en "
            "allemand aussi.",
        ),
    ),
    "winogender_occupations": DataText(
        title="Professions de Winogender",
        caveats=(
            "Les parts de femmes dans les professions sont celles des États-Unis en 2015 et 2016, attribuées aux mots "
            "à la main ; plusieurs mots partagent un même nombre.",
        ),
    ),
    "professions": DataText(
        title="Professions",
        caveats=(
            "Les formes dans d'autres langues que l'anglais, sauf les allemandes de BEC-Pro, ont été écrites pour ce "
            "projet et n'ont pas été validées par des locuteurs natifs ; certaines formes féminines sont contestées "
            "ou rares.",
            "Les professions comptées comme celles des femmes et des hommes suivent l'emploi aux États-Unis ; dans la "
            "liste de Delobelle et al. (2022), selon l'emploi de 2015, certaines sont le premier mot d'un titre plus "
            "long (server, model, helper) et plus larges que lui.",
        ),
    ),
    "gendered_words": DataText(
        title="Mots genrés",
        caveats=(
            "Les paires dans d'autres langues que l'anglais ont été écrites pour ce projet et n'ont pas été validées "
            "par des locuteurs natifs.",
            "Le genre est binaire dans ces paires, et les deux mots d'une paire diffèrent par la fréquence et par "
            "d'autres sens.",
        ),
    ),
    "bias_templates": DataText(
        title="Phrases modèles de mesures de biais",
        caveats=(
            "Une phrase neutralisée n'est pas dépourvue de sens (Delobelle et al. 2022) : les valeurs dépendent du "
            "modèle de phrase.",
            "Les modèles de phrases dans d'autres langues que l'anglais, sauf ceux de BEC-Pro en allemand, de RobBERT "
            "en néerlandais et ceux du mot seul, sont des traductions qu'aucun locuteur natif n'a validées.",
        ),
    ),
    "context_sentences": DataText(
        title="Phrases de contexte",
        caveats=(
            "Les contextes sont des textes anciens et soutenus, des romans de 1796 à 1918 et des discours de "
            "présidents des États-Unis de 1790 à 2021 : ce qui y est mesuré peut ne pas valoir pour l'usage "
            "d'aujourd'hui.",
        ),
    ),
    "minimal_pairs": DataText(title="Paires minimales livrées avec evaluate-bias", caveats=(_ILLUSTRATIVE,)),
    "stereoset_style": DataText(
        title="Exercices de la forme de StereoSet livrés avec evaluate-bias", caveats=(_ILLUSTRATIVE,)
    ),
}
