"""French sentences about methods on sentences that language models score."""

from __future__ import annotations

from ....method import PValue
from ...card_texts import MethodText

__all__ = ["METHODS", "SCORINGS"]

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
    (
        "part des paires décidées",
        "La valeur sans les égalités, dont parlent les phrases et les graphiques ; idéal 50.",
    ),
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

SCORINGS = {
    "shared": "somme des log p des tokens communs aux deux phrases, masqués l'un après l'autre "
    "(Nangia et al. 2020)",
    "all": "somme des log p de tous les tokens, masqués l'un après l'autre "
    "(pseudo-log-vraisemblance, Salazar et al. 2020)",
    "all_mean": "pseudo-log-vraisemblance divisée par le nombre de tokens",
    "within_word_l2r": "pseudo-log-vraisemblance, les parties suivantes du mot étant masquées aussi "
    "(Kauf et Ivanova 2023)",
    "changed": "moyenne des log p des tokens qui diffèrent, masqués l'un après l'autre (Meade et al. 2022)",
    "aul": "moyenne des log p de tous les tokens, sans rien masquer (Kaneko et Bollegala 2022)",
    "aula": "comme AUL, chaque token pondéré par l'attention qu'il reçoit (Kaneko et Bollegala 2022)",
    "causal": "somme des log p de chaque token selon ceux qui le précèdent",
    "causal_mean": "log-vraisemblance divisée par le nombre de tokens",
}

METHODS = {
    "crows_pairs": MethodText(
        summary="Part des paires de phrases dont un modèle de langue juge plus probable la phrase la plus stéréotypée, "
        "en pour cent.",
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
        summary="Kappa de Cohen entre les préférences pour des paires de phrases et pour leurs paraphrases : quelle "
        "part de l'accord que le hasard laisse à atteindre est atteinte.",
        score_name="kappa de Cohen",
        reading="Près de 1, les préférences survivent à une paraphrase ; près de 0, elles s'accordent autant que le "
        "feraient des préférences indépendantes ; au-dessous de 0, moins.",
        caveats=(
            "C'est la mesure qui est mesurée : un modèle peut être biaisé et robuste, ou ni l'un ni l'autre.",
        ),
        p_value=PValue(
            meaning="La valeur p dit combien de fois des paraphrases mélangées entre les paires s'accordent au moins "
            "autant ; elle compare à 0 et ne dit pas à quel point kappa est proche de 1 : l'intervalle le dit.",
            small="Les préférences s'accordent mieux avec celles des paraphrases qu'avec des paraphrases mélangées",
            large="Il n'a pas été détecté que les préférences s'accordent mieux avec celles des paraphrases qu'avec "
            "des paraphrases mélangées",
        ),
        further=(
            (
                "accord",
                "Part des paires dont la préférence est la même pour la paire et pour sa paraphrase ; idéal 1. Avec "
                "une part p de préférences pour la phrase la plus stéréotypée, le hasard donne p² + (1 − p)².",
            ),
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
        reading="Au-dessus de la valeur idéale (50 s'il n'y a pas d'égalité), le modèle préfère les options "
        "stéréotypées ; au-dessous, les antistéréotypées ; à lire avec lms (idéal 100) : un modèle qui ne "
        "comprend rien obtient aussi 50.",
        caveats=("Une valeur proche de 50 peut venir d'un modèle qui ne comprend rien ; lms le montre.",),
        further=(
            (
                "lms",
                "Valeur de modèle de langue : part des options sensées qui l'emportent sur l'option hors sujet, en "
                "pour cent ; idéal 100.",
            ),
            ("icat", "Les deux en un nombre, lms · min(ss, 100 − ss) / 50 ; idéal 100."),
            (
                "ss des exercices décidés",
                "La valeur de stéréotype sans les égalités : part parmi les exercices décidés d'un terme, moyennée sur "
                "les termes qui en ont, en pour cent ; idéal 50.",
            ),
            (
                "égalités",
                "Exercices dont les options stéréotypée et antistéréotypée ont la même valeur ; ils comptent comme si "
                "la stéréotypée perdait, et la valeur idéale est 50 moins la moitié de leur part.",
            ),
            (
                "p sur les exercices",
                "Valeur p du test de l'égalité de la part des exercices à un demi ; il tient pour indépendants les "
                "exercices d'un même terme cible, qui ne le sont pas, et elle est donc trop petite.",
            ),
        ),
    ),
}
