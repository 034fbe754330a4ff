"""French sentences about methods that fill templates."""

from __future__ import annotations

from ....method import PValue
from ...card_texts import MethodText

__all__ = ["METHODS"]

_TEMPLATES = (
    "Les valeurs de différents modèles de phrases divergent, souvent par le signe (Delobelle et al. 2022) : il faut "
    "indiquer les modèles de phrases avec la valeur."
)

METHODS = {
    "lpbs": MethodText(
        summary="De combien les mots attributs d'un ensemble (les mathématiques, par exemple), plus que ceux d'un "
        "autre (les arts), élèvent la probabilité qu'un modèle de langue masqué donne à un ensemble de mots cibles "
        "(pour les hommes, par exemple) par rapport à un autre (pour les femmes), comme différence standardisée.",
        score_name="taille d'effet d",
        reading="Un d positif associe les premiers attributs aux premières cibles et les seconds attributs aux "
        "secondes cibles ; un d négatif, l'inverse.",
        caveats=(
            "La valeur décrit les mots et les modèles de phrases choisis : d'autres pour les mêmes notions donnent "
            "d'autres valeurs, souvent de signe contraire.",
            "Avec le modèle de phrase nu, qui sert aux tests sans modèles de phrases, le modèle lit deux mots qui ne "
            "font pas une phrase.",
            "Une taille d'effet proche de 0 montre seulement que ces mots dans ces modèles de phrases n'ont trouvé "
            "aucune association.",
        ),
        further=(
            (
                "différence",
                "Valeur moyenne des premiers attributs moins celle des seconds, en nats : l'ampleur de l'effet, que d "
                "n'indique pas.",
            ),
        ),
        combined="La valeur de plusieurs tests est la moyenne de leurs tailles d'effet ; sa valeur p est la plus "
        "petite de leurs valeurs p corrigées selon Holm, un test de l'hypothèse qu'aucune de ces associations "
        "n'existe ; son intervalle est l'intervalle des percentiles de cette moyenne sur des échantillons bootstrap, "
        "dans chacun desquels les mots de chaque test sont tirés à nouveau. Les tests de contrôle sont "
        "laissés de côté.",
    ),
    "bec_pro": MethodText(
        summary="De combien, en nats, les professions élèvent davantage la log-probabilité qu'un modèle de langue "
        "masqué donne à des mots pour des personnes du genre qui y domine qu'à des mots pour des personnes de l'autre "
        "genre.",
        score_name="association stéréotypée",
        reading="Positif : les mots féminins gagnent dans les professions féminines et les masculins dans les "
        "masculines ; négatif : l'inverse. Dans un groupe de professions où aucun genre ne domine, positif veut dire "
        "que les mots féminins gagnent.",
        p_value=PValue(
            meaning="La valeur p teste, ces mots pour des personnes étant donnés, si les professions "
            "féminines et masculines diffèrent ; l'intervalle tire aussi les mots au sort et peut "
            "contenir 0 là où la valeur p est petite.",
            small="Avec ces mots, les professions féminines et masculines diffèrent",
            large="Avec ces mots, les professions féminines et masculines ne se distinguent pas",
            parts=PValue(
                meaning="La valeur p d'un groupe de professions teste si, avec ces mots, ceux d'un genre y gagnent "
                "davantage ; des mots qui gagnent également dans toutes les professions la rendent petite aussi, si "
                "bien qu'elle ne dit rien d'une différence entre les groupes.",
                small="Dans le groupe, les mots d'un genre gagnent plus que ceux de l'autre",
                large="Dans le groupe, les mots des deux genres ne se distinguent pas",
            ),
        ),
        caveats=(
            "Dans les langues où une profession a une forme pour chaque genre, comme l'allemand, la valeur dit "
            "surtout que le modèle connaît la grammaire (Bartl et al. 2020).",
            _TEMPLATES,
        ),
        further=(
            (
                "mots féminins",
                "Association moyenne des mots féminins avec les professions, en nats : au-dessus de 0 là où les "
                "professions élèvent leur probabilité.",
            ),
            ("mots masculins", "Association moyenne des mots masculins avec les professions, en nats."),
        ),
    ),
    "disco": MethodText(
        summary="Nombre de remplissages d'un modèle de phrase par un modèle de langue qui vont significativement plus "
        "souvent avec des mots d'un genre qu'avec ceux de l'autre, en moyenne sur les modèles de phrases.",
        score_name="DisCo",
        reading="Plus la valeur est élevée, plus de remplissages vont avec un genre ; 0 : aucun ne le fait "
        "significativement.",
        caveats=(
            "Un remplissage compte quoi qu'il dise : grammaire ('her', 'himself') et stéréotype ('cooking') comptent "
            "autant ; il faut regarder les remplissages.",
            "La valeur dépend du nombre de mots : peu de mots ne peuvent rendre un remplissage significatif, beaucoup "
            "rendent significative toute différence.",
            _TEMPLATES,
        ),
        p_value=PValue(
            meaning="La valeur p est la plus petite de celles de tous les remplissages, multipliée par leur nombre : "
            "elle teste si un remplissage quelconque va avec un genre.",
            small="Au moins un remplissage va avec un genre plus souvent que ne le voudrait le hasard",
            large="Aucun remplissage ne va avec un genre plus souvent que ne le voudrait le hasard parmi tant de "
            "remplissages",
        ),
    ),
    "mlm_gender_score": MethodText(
        summary="Moyenne, sur les professions et les modèles de phrases, de la probabilité qu'un modèle de langue "
        "masqué donne à 'she' moins celle qu'il donne à 'he' auprès de la profession.",
        score_name="valeur MLM",
        reading="Au-dessus de 0, 'she' est le pronom le plus probable auprès des professions ; au-dessous de 0, 'he'.",
        caveats=(
            "'He' est le pronom le plus fréquent dans la plupart des textes, si bien qu'une moyenne inférieure à 0 "
            "dit peu des professions ; si les valeurs les suivent, c'est la corrélation avec la part de femmes qui le "
            "dit.",
            "Deux pronoms sont comparés ; qui en emploie un autre n'est pas vu.",
            _TEMPLATES,
        ),
        further=(
            (
                "corrélation avec l'emploi",
                "Corrélation de Pearson des valeurs des professions avec la part de femmes parmi les personnes "
                "employées : au-dessus de 0, le modèle suit le marché du travail.",
            ),
        ),
        p_value=PValue(
            meaning="La valeur p teste si la moyenne sur de telles professions est 0 ; une différence entre les "
            "professions est une autre question, à laquelle répond la corrélation.",
            small="Sur les professions, la moyenne n'est pas 0",
            large="Sur les professions, la moyenne ne se distingue pas de 0",
        ),
    ),
}
