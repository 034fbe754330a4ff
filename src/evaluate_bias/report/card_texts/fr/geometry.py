"""French sentences about WSV and about how far templates and representations agree."""

from __future__ import annotations

from ....method import PValue
from ...card_texts import MethodText

__all__ = ["METHODS"]

_SUBSETS = (
    "Les sous-ensembles d'une liste de mots se recouvrent : les valeurs p ordinaires de ces corrélations sont trop "
    "petites. Les valeurs p par permutation sont valables ; les ordinaires ne sont indiquées que pour comparaison."
)
_FEW = (
    "Vingt sous-ensembles sont un petit échantillon : d'autres sous-ensembles (une autre graine) donnent des "
    "corrélations un peu différentes."
)

METHODS = {
    "wsv": MethodText(
        summary="Corrélation des positions des mots le long de l'axe principal des traits de la représentation qui "
        "révèlent une propriété protégée, comme le genre, avec une statistique des mots, comme la part de femmes dans "
        "une profession.",
        score_name="corrélation r",
        reading="Un r positif place les mots de plus grande statistique plus près de la classe positive (avec les "
        "données par défaut : les professions de femmes plus près des mots pour les femmes) ; un r négatif, "
        "l'inverse.",
        caveats=(
            "Le nombre de traits est un choix : il faut le fixer avant de voir les résultats de tous les nombres, ou "
            "prendre la valeur p propre à ce balayage, qui paie pour le choix.",
            "Le premier axe est celui de la plus grande variance parmi les mots protégés, qui n'est pas forcément la "
            "propriété protégée ; la part de sa variance entre les classes le dit.",
            "Une corrélation avec le monde dit que le modèle connaît l'inégalité du monde ; elle ne dit pas qu'un "
            "système construit sur lui traitera les personnes inégalement.",
        ),
    ),
    "template_compatibility": MethodText(
        summary="Corrélation moyenne des valeurs d'association que différents modèles de phrases donnent aux mêmes "
        "sous-ensembles de mots.",
        score_name="corrélation moyenne",
        reading="Près de 1, tous les modèles de phrases classent les sous-ensembles de mots de la même façon ; près "
        "de 0, une valeur dépend du modèle de phrase avec lequel elle a été mesurée.",
        caveats=(
            "C'est la mesure qui est mesurée : des modèles de phrases peuvent s'accorder sur un biais qui n'existe "
            "pas et diverger sur un biais qui existe.",
            _SUBSETS,
            _FEW,
        ),
        p_value=PValue(
            meaning="La valeur p teste qu'aucune paire de modèles de phrases n'a rien en commun, non qu'ils "
            "s'accordent bien : tout accord la rend petite.",
            small="Certains modèles de phrases s'accordent plus que ne le feraient des modèles sans rapport",
            large="Les modèles de phrases ne se distinguent pas de modèles sans rapport",
        ),
    ),
    "representation_compatibility": MethodText(
        summary="Corrélation moyenne des valeurs d'association que différentes représentations de mots donnent aux "
        "mêmes sous-ensembles de mots.",
        score_name="corrélation moyenne",
        reading="Près de 1, toutes les représentations classent les sous-ensembles de mots de la même façon ; près de "
        "0, une valeur dépend de la représentation avec laquelle elle a été mesurée.",
        caveats=(
            "C'est la mesure qui est mesurée : des représentations peuvent s'accorder sur un biais qui n'existe pas "
            "et diverger sur un biais qui existe.",
            _SUBSETS,
            _FEW,
        ),
        p_value=PValue(
            meaning="La valeur p teste qu'aucune paire de représentations n'a rien en commun, non qu'elles "
            "s'accordent bien : tout accord la rend petite.",
            small="Certaines représentations s'accordent plus que ne le feraient des représentations sans rapport",
            large="Les représentations ne se distinguent pas de représentations sans rapport",
        ),
    ),
}
