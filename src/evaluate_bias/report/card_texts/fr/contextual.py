"""French sentences about methods on embeddings in context."""

from __future__ import annotations

from ...card_texts import MethodText

__all__ = ["METHODS"]

_READING = (
    "Une valeur positive associe les premières cibles aux premiers attributs et les secondes cibles aux seconds "
    "attributs ; une valeur négative, l'inverse."
)
_WORDS = "La valeur décrit les mots choisis : d'autres mots pour les mêmes notions donnent d'autres valeurs."
_REPRESENTATION = (
    "Les valeurs de différents modèles de phrases, représentations et couches d'un même modèle divergent, souvent par "
    "le signe (Delobelle et al. 2022) : il faut indiquer les trois avec la valeur."
)
_LAYERS = (
    "Les valeurs de différentes représentations et couches d'un même modèle divergent, souvent par le signe : il faut "
    "indiquer les deux avec la valeur."
)
_HOLM = "un test de l'hypothèse qu'aucune de ces associations n'existe"

METHODS = {
    "seat": MethodText(
        summary="De combien des phrases sur un ensemble de mots cibles sont plus associées à des phrases sur un "
        "ensemble de mots attributs que des phrases sur un autre ensemble de mots cibles, comme différence "
        "standardisée de similarités cosinus moyennes.",
        score_name="taille d'effet d",
        reading=_READING
        + " Les bornes sont ±2 là où les deux ensembles de cibles ont autant de phrases, et un peu plus larges "
        "ailleurs.",
        caveats=(
            "La valeur p répartit les mots. Celle de l'article, indiquée à côté, prend les phrases pour "
            "indépendantes, et celles faites d'un même mot ne le sont pas : elle est trop petite, souvent de "
            "beaucoup.",
            _REPRESENTATION,
            _WORDS,
            "Une taille d'effet proche de 0 montre seulement que ces phrases n'ont trouvé aucune association.",
        ),
        further=(
            (
                "p sur les phrases",
                "La valeur p de l'article, du test de permutation qui répartit les "
                "phrases comme si celles d'un même mot étaient indépendantes.",
            ),
            (
                "moyenne de d avec signe",
                "Moyenne des tailles d'effet de plusieurs tests avec leurs signes ; des "
                "signes opposés s'y annulent.",
            ),
        ),
        combined="La valeur de plusieurs tests est la moyenne des valeurs absolues de leurs tailles d'effet, pour que "
        "des signes opposés ne s'annulent pas ; par hasard elle n'est pas 0, sa valeur idéale est donc sa moyenne sur "
        "des répartitions au hasard des mots cibles, et sa valeur p la part des répartitions dont la moyenne est "
        "aussi grande. Son intervalle est l'intervalle des percentiles de cette moyenne sur des échantillons "
        "bootstrap, dans chacun desquels les mots de chaque test, avec toutes leurs phrases, sont tirés à nouveau, "
        "centré sur la valeur. Les tests de contrôle sont laissés de côté.",
    ),
    "ceat": MethodText(
        summary="Moyenne des tailles d'effet de tests d'association sur des mots dans des contextes tirés au hasard "
        "d'un corpus, combinées par un modèle à effets aléatoires.",
        score_name="taille d'effet combinée (CES)",
        reading=_READING,
        caveats=(
            "L'intervalle parle de contextes au hasard de ces mots mêmes et diminue par construction avec le "
            "nombre d'échantillons, comme la valeur p de l'article sur les contextes, indiquée à côté : avec 10 "
            "000 échantillons, toute différence entre ces mots est significative. La valeur p répartit les mots et "
            "ne diminue pas.",
            "La valeur décrit les mots choisis et le corpus d'où viennent leurs contextes.",
            _LAYERS,
        ),
        further=(
            (
                "τ²",
                "Variance estimée des tailles d'effet sur les contextes, au-delà de ce qu'explique la variance "
                "choisie d'un échantillon.",
            ),
            (
                "I²",
                "Part de la variation entre échantillons que la variance choisie d'un échantillon n'explique pas.",
            ),
            (
                "p sur les contextes",
                "La valeur p de l'article, du modèle à effets aléatoires : elle prend les mots comme donnés et "
                "demande si la moyenne sur des tirages de contextes au hasard est 0.",
            ),
        ),
        combined="La valeur de plusieurs tests est la moyenne de leurs tailles d'effet combinées ; sa valeur p est la "
        "plus petite de leurs valeurs p corrigées selon Holm, "
        + _HOLM
        + " ; son intervalle prend les tests pour indépendants. "
        "Les tests de contrôle sont laissés de côté.",
    ),
}
