"""French sentences about methods on embeddings."""

from __future__ import annotations

from ...card_texts import MethodText

__all__ = ["METHODS"]

METHODS = {
    "weat": MethodText(
        summary="De combien un ensemble de mots cibles est plus associé à un ensemble de mots attributs qu'à un "
        "autre, par rapport à un second ensemble de mots cibles, comme différence standardisée de similarités "
        "cosinus moyennes.",
        score_name="taille d'effet d",
        reading="Un d positif associe les premières cibles aux premiers attributs et les secondes cibles aux "
        "seconds attributs ; un d négatif, l'inverse.",
        caveats=(
            "La valeur décrit les mots choisis : d'autres mots pour les mêmes notions donnent d'autres valeurs.",
            "Une valeur p proche de 0 indique que l'association n'est pas une répartition de ces mots due au "
            "hasard ; elle n'indique ni son ampleur, ni qu'un système construit sur les vecteurs discriminera.",
            "Une taille d'effet proche de 0 montre seulement que ces listes n'ont trouvé aucune association.",
        ),
        combined="La valeur de plusieurs tests est la moyenne des valeurs absolues de leurs tailles d'effet, pour "
        "que des signes opposés ne s'annulent pas ; par hasard elle n'est pas 0, sa valeur idéale est donc "
        "sa moyenne sur des répartitions au hasard des mots cibles, et sa valeur p la part des "
        "répartitions dont la moyenne est aussi grande. Son intervalle est l'intervalle des percentiles de "
        "cette moyenne sur des échantillons bootstrap, dans chacun desquels les mots de chaque test, "
        "cibles et attributs, sont tirés à nouveau, centré sur la valeur. Les tests de contrôle sont "
        "laissés de côté.",
        further=(
            (
                "moyenne de d avec signe",
                "Moyenne des tailles d'effet de plusieurs tests avec leurs signes ; des signes opposés s'y "
                "annulent.",
            ),
        ),
    ),
}
