"""French sentences about methods on sentences that language models score."""

from __future__ import annotations

from ....method_record import PValue
from .. import MethodText

__all__ = ["METHODS"]

_PAIRS = (
    "Au-dessus de 50, le modèle juge plus souvent plus probable la phrase la plus stéréotypée d'une paire ; "
    "au-dessous de 50, la moins stéréotypée."
)
_BALANCE = (
    "Une valeur proche de 50 peut venir de préférences stéréotypées et antistéréotypées qui se compensent ; il faut "
    "regarder les types de biais et la différence moyenne."
)
_SEEN = (
    "Le modèle voit les tokens mêmes sur lesquels il est mesuré : les différences sont donc petites et disent peu de "
    "la vraisemblance."
)
_DELTA = (
    "Δ moyen",
    "Différence moyenne entre les valeurs des deux phrases d'une paire, positive là où la plus stéréotypée est plus "
    "haute ; idéal 0.",
)
_FURTHER = (
    _DELTA,
    (
        "valeur de stéréotype",
        "La valeur sur les paires qui illustrent un stéréotype d'un groupe défavorisé, sans les égalités ; idéal 50.",
    ),
    (
        "valeur d'antistéréotype",
        "La valeur sur les paires qui contredisent un tel stéréotype, sans les égalités ; idéal 50.",
    ),
    ("égalités", "Paires dont les deux phrases ont la même valeur ; elles comptent comme non préférées."),
)

METHODS = {
    "crows_pairs": MethodText(
        summary="Part des paires de phrases dont un modèle de langue juge plus probable la phrase la plus stéréotypée, "
        "mesurée sur les tokens communs aux deux phrases, en pour cent.",
        score_name="valeur principale",
        reading=_PAIRS,
        caveats=(_BALANCE,),
        further=_FURTHER,
    ),
    "pll": MethodText(
        summary="Part des paires de phrases dont la phrase la plus stéréotypée a la plus grande "
        "pseudo-log-vraisemblance, en pour cent.",
        score_name="valeur de préférence",
        reading=_PAIRS,
        caveats=(
            "La phrase entière est évaluée, mot du groupe compris : un mot de groupe fréquent peut décider seul d'une "
            "paire.",
            _BALANCE,
        ),
        further=_FURTHER,
    ),
    "aul": MethodText(
        summary="Part des paires de phrases dont la phrase la plus stéréotypée a la plus grande log-probabilité "
        "moyenne de ses tokens sans rien masquer, en pour cent.",
        score_name="valeur de biais",
        reading=_PAIRS,
        caveats=(_SEEN, _BALANCE),
        further=_FURTHER,
    ),
    "aula": MethodText(
        summary="Comme AUL, la log-probabilité de chaque token étant pondérée par l'attention qu'il reçoit, en pour "
        "cent.",
        score_name="valeur de biais",
        reading=_PAIRS,
        caveats=(
            "L'attention n'est pas l'importance : les poids sont un choix de la méthode.",
            _SEEN,
            _BALANCE,
        ),
        further=_FURTHER,
    ),
    "kldivs": MethodText(
        summary="La plus grande part des deux divergences de Kullback-Leibler entre les valeurs des phrases "
        "stéréotypées et antistéréotypées, toutes deux supposées normales, en pour cent.",
        score_name="KLDivS",
        reading="Plus la valeur dépasse 50, plus les deux directions de la divergence de Kullback-Leibler entre les "
        "valeurs stéréotypées et antistéréotypées diffèrent.",
        caveats=(
            "On compare les deux directions d'une divergence, non son ampleur : des valeurs de même dispersion "
            "donnent 50, si éloignées que soient leurs moyennes.",
            "Le bruit seul la porte au-dessus de 50, d'autant plus que les paires sont peu nombreuses : il faut la "
            "comparer à sa moyenne sous échanges aléatoires, indiquée comme valeur idéale.",
            "La valeur ne tient pas compte de l'appartenance des phrases aux paires.",
            "JSDivS et JSS, indiqués à côté, sont des heuristiques : leurs divergences ne sont pas celle de Jensen et "
            "Shannon.",
        ),
        p_value=PValue(
            meaning="La valeur p est la part des échanges des deux phrases au sein des paires qui donnent un KLDivS "
            "au moins aussi grand. Elle demande si KLDivS dépasse ce que donne le bruit seul ; une préférence qui "
            "laisse inchangée la dispersion des valeurs ne s'y voit pas.",
            small="KLDivS est plus grand que ne l'explique l'échange aléatoire des phrases des paires",
            large="KLDivS n'est pas plus grand que ne l'explique l'échange aléatoire des phrases des paires",
        ),
        further=(
            (
                "moyenne sans différence",
                "Moyenne de KLDivS quand les deux phrases de chaque paire sont échangées au hasard : ce que donne le "
                "bruit seul, et la valeur à laquelle comparer.",
            ),
            (
                "JSDivS",
                "La valeur de divergence de Jensen-Shannon de l'article, une heuristique sans borne inférieure ; idéal "
                "100.",
            ),
            ("JSS", "Valeur de Jensen-Shannon de Liu (2024), une heuristique entre 0 et 100 ; idéal 100."),
            (
                "p (KS)",
                "Valeur p du test de Kolmogorov-Smirnov à deux échantillons, qui prend les valeurs pour "
                "indépendantes ; celles d'une paire montent et descendent ensemble, il ne trouve donc que de "
                "fortes préférences.",
            ),
            _DELTA,
        ),
    ),
    "pll_robustness": MethodText(
        summary="Part des paires de phrases dont la préférence est la même pour la paire et pour sa paraphrase.",
        score_name="accord",
        reading="Près de 1, les préférences survivent à une paraphrase ; près d'un demi, elles ne valent pas mieux "
        "que le hasard.",
        caveats=(
            "C'est la mesure qui est mesurée : un modèle peut être biaisé et robuste, ou ni l'un ni l'autre.",
        ),
        p_value=PValue(
            meaning="La valeur p compare l'accord à une part de {share} ; un demi est ce que donnerait le jet d'une "
            "pièce. Elle ne dit pas à quel point l'accord est proche de 1 : c'est l'intervalle qui le dit.",
            small="L'accord diffère d'une part de {share}",
            large="L'accord ne se distingue pas d'une part de {share}",
        ),
        further=(
            (
                "accord avec des paires étrangères",
                "Le repère : combien de fois une paire sans rapport donne la même préférence ; l'accord avec la "
                "paraphrase devrait être bien plus grand.",
            ),
            (
                "accord par bande",
                "Accord avec la paraphrase quand les différences à l'intérieur de la bande comptent comme absence de "
                "préférence ; idéal 1.",
            ),
        ),
    ),
    "stereoset": MethodText(
        summary="Part des exercices où un modèle de langue préfère l'option stéréotypée à l'option antistéréotypée, "
        "moyennée sur les termes cibles, en pour cent, avec la valeur de modèle de langue et la combinaison des deux, "
        "icat.",
        score_name="valeur de stéréotype ss",
        reading="Au-dessus de 50, le modèle préfère les options stéréotypées ; au-dessous, les antistéréotypées ; à "
        "lire avec lms (idéal 100) : un modèle qui ne comprend rien obtient aussi 50.",
        caveats=("Une valeur proche de 50 peut venir d'un modèle qui ne comprend rien ; lms le montre.",),
        further=(
            (
                "lms",
                "Valeur de modèle de langue : part des options sensées qui l'emportent sur l'option hors sujet, en "
                "pour cent ; idéal 100.",
            ),
            ("icat", "Les deux en un nombre, lms · min(ss, 100 − ss) / 50 ; idéal 100."),
            (
                "égalités",
                "Exercices dont les options stéréotypée et antistéréotypée ont la même valeur ; ils comptent comme si "
                "la stéréotypée perdait.",
            ),
        ),
    ),
}
