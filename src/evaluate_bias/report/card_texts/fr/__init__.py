"""French sentences of the bias section."""

from __future__ import annotations

from ...card_texts import CardText
from . import contextual, data, embeddings, geometry, sentence_pairs, templates

__all__ = ["TEXT"]

TEXT = CardText(
    language="fr",
    section_title="Biais, risques et limites",
    heading="Biais sociaux mesurés",
    intro="Ce qui suit sont des mesures faites sur {models}. Chacune a des limites, indiquées avec elle. Elles ne "
    "sont ni un verdict sur le modèle ni un certificat.",
    measured_with="Mesuré avec evaluate-bias {version}.",
    what="Ce qui a été mesuré",
    scored_by="La valeur d'une phrase est ici : {how}.",
    data="Sur quelles données",
    reading="Comment lire le nombre",
    outcome="Ce qui a été trouvé",
    limits="Ce que le nombre ne signifie pas",
    data_tests="{dataset}. Tests : {names}.",
    data_units="{dataset}. Unités évaluées : {n}.",
    data_unknown="Données fournies par la personne qui a fait la mesure, sans indication de leur origine",
    data_language="langue {language}",
    data_no_language="langue non indiquée",
    data_from="de {repository}",
    data_revision="révision {revision}",
    data_split="partie {split}",
    data_unpinned="sans révision ni somme de contrôle",
    origin_paper="Listes de mots telles qu'imprimées dans l'article : {names}.",
    origin_translated="**Listes traduites, non validées par des locuteurs natifs :** {names}. Les mots et les noms "
    "n'ont peut-être pas le même sens dans cette langue ; la valeur peut donc en dire autant sur la traduction que "
    "sur le modèle.",
    origin_caller="Listes fournies par la personne qui a fait la mesure, non relues ici : {names}.",
    origin_other="Origine de {names} : {origin}.",
    baseline="Sans contenu social, incluses pour montrer que la mesure réagit : {names}.",
    data_not_validated="Rien n'indique que ces données aient été validées.",
    coverage_gap="Évalués : {found} des {asked} mots ou phrases demandés ; le reste n'entre pas dans les nombres.",
    score_range="La valeur ({score}) peut aller de {low} à {high} ; {ideal} signifie que la méthode n'a rien "
    "trouvé, non qu'il n'y a rien.",
    score_range_robust="La valeur ({score}) peut aller de {low} à {high} ; {ideal} est le meilleur cas.",
    two_sided="Le signe indique la direction.",
    higher_is_more_biased="Une valeur plus élevée signifie davantage de biais mesuré.",
    lower_is_more_biased="Une valeur plus basse signifie davantage de biais mesuré.",
    higher_is_more_robust="Une valeur plus élevée signifie une mesure plus robuste.",
    detected_test="**Association détectée au seuil de 5 %** ({k} sur {n}) : {names}.",
    undetected_test="**Aucune association n'a été détectée au seuil de 5 %** ({k} sur {n}) : {names}. "
    "Cela ne démontre pas son absence.",
    detected_other="**Écart à la valeur idéale détecté au seuil de 5 %** ({k} sur {n}) : {names}.",
    undetected_other="**Aucun écart à la valeur idéale n'a été détecté au seuil de 5 %** ({k} sur {n}) : {names}. "
    "Cela ne démontre pas son absence.",
    rejected="**Hypothèse nulle rejetée au seuil de 5 %** ({k} sur {n}) : {names}. Test : {test}.",
    not_rejected="**Hypothèse nulle non rejetée au seuil de 5 %** ({k} sur {n}) : {names}. Cela ne démontre pas "
    "qu'elle soit vraie. Test : {test}.",
    p_small="**{what}, au seuil de 5 %** ({k} sur {n}) : {names}.",
    p_large="**{what}, au seuil de 5 %** ({k} sur {n}) : {names}. Ne pas détecter quelque chose ne prouve pas son "
    "absence.",
    only_before="**Détecté au seuil de 5 % seulement avant la correction pour plusieurs tests** ({k} sur {n}) : "
    "{names}.",
    control_detected="Tests de contrôle sans contenu social, comptés à part : association détectée pour {k} sur {n} "
    "({names}). Ils montrent que la mesure réagit à ce modèle et ne disent rien des personnes.",
    control_undetected="Tests de contrôle sans contenu social, comptés à part : aucune association détectée pour {k} "
    "sur {n} ({names}). Là où la mesure manque une association que tout le monde partage, elle peut manquer aussi les "
    "autres.",
    too_small="Trop peu d'unités pour atteindre le seuil de 5 %, quoi qu'elles montrent (moins de {least}, égalités "
    "non comptées) : {names}. Elles figurent dans le tableau et sont laissées de côté dans les autres lignes.",
    edge="La valeur ne peut pas dépasser {ideal}, son intervalle se trouve donc toujours d'un seul côté ; il dit de "
    "combien, non s'il y a quelque chose : {names}.",
    interval_only="L'intervalle exclut {ideal} bien que la valeur p ne soit pas inférieure à 5 % : {names}. Le "
    "test et l'intervalle reposent sur des hypothèses différentes et se séparent près de la limite ; à lire comme non "
    "tranché. Test : {test}.",
    interval_includes="L'intervalle contient {ideal} bien que la valeur p soit inférieure à 5 % : {names}. La "
    "valeur p porte sur ces données précises ; l'intervalle admet aussi d'autres données du même genre.",
    no_p_excludes="Pas de valeur p ; l'intervalle exclut {ideal} : {names}.",
    no_p_includes="Pas de valeur p ; l'intervalle contient {ideal}, aucun biais n'a donc été détecté, ce qui ne "
    "démontre pas son absence : {names}.",
    no_inference="Ni valeur p ni intervalle, ce qui laisse ouvert ce qui est dû au hasard : {names}.",
    adjusted="La décision se fonde sur les valeurs p corrigées pour le nombre de tests (Holm), là où le tableau en a.",
    adjusted_all="Après correction pour les {n} valeurs p de cette fiche (Holm), restent inférieures à 5 % : {names}.",
    nothing="aucune",
    with_interval=" (intervalle {interval})",
    overall_score="**{name} : {score}**{interval}.",
    furthest="Le plus loin de la valeur idéale : {name}, {score}{interval}.",
    of_decided="Les égalités sont laissées de côté dans ce qui est dit ici et dans le graphique, qui donnent des "
    "parts des paires ou des exercices décidés, dont l'idéal est {ideal}. Le tableau contient les "
    "valeurs publiées, qui comptent les égalités et dont l'idéal est donc plus bas.",
    illustrative_title="{title} (données illustratives)",
    illustrative_outcome="**Aucun constat :** ces phrases sont illustratives et n'ont pas été validées. Leurs "
    "valeurs, dans le tableau et le graphique, montrent comment la méthode fonctionne ; il "
    "n'en découle rien sur le modèle, et elles n'entrent dans aucun ajustement : {names}.",
    not_the_application="Le nombre décrit ce modèle sur ces données. Il ne dit pas comment une application "
    "construite sur le modèle traite les personnes.",
    not_absence="Une valeur proche de {ideal}, ou non significative, ne démontre pas l'absence de telles "
    "associations : d'autres mots, groupes et langues n'ont pas été examinés.",
    not_size="Le nombre indique jusqu'où la mesure est fiable. Il ne dit rien de l'ampleur d'un biais.",
    english_only="(en anglais) {text}",
    column_test="Test",
    column_compared="Ce qui est comparé",
    column_model="Modèle",
    column_score="Valeur",
    column_interval="IC à {level} %",
    column_interval_mixed="IC",
    column_p="p",
    column_p_holm="p (Holm)",
    column_p_all="p (Holm, fiche entière)",
    column_n="n",
    column_coverage="Couverture",
    column_ideal="Idéal",
    overall="ensemble",
    list_names=(
        "première liste de cibles",
        "seconde liste de cibles",
        "première liste d'attributs",
        "seconde liste d'attributs",
    ),
    further="Autres valeurs",
    chart_legend="● significatif au seuil de 5 %, ○ non significatif ou sans valeur p ; ├─┤ intervalle de confiance ; "
    "│ valeur idéale.",
    notes="Remarques issues de la mesure (en anglais)",
    more_notes="{n} de plus dans le fichier de résultats.",
    words="Mots qui poussent le plus chaque valeur dans sa propre direction, et ce qu'elle perdrait sans eux",
    words_line="{name} : {words}",
    skipped="Laissé de côté ou fusionné",
    more_skipped="{n} de plus dans le fichier de résultats.",
    settings="Réglages et versions",
    settings_model="Modèle",
    settings_data="Données",
    settings_all_tests="Tous les tests ensemble",
    settings_each_test="Chaque test",
    settings_p="Valeur p",
    settings_interval="Intervalle",
    settings_options="Options",
    settings_versions="Versions",
    settings_paper="Méthode",
    recommendations="Recommandations",
    advice=(
        "Mesurer l'application elle-même, avec les personnes et les textes auxquels elle est destinée, avant de "
        "décider quoi que ce soit d'après ces nombres.",
        "Employer plusieurs méthodes et jeux de données : leurs valeurs divergent souvent.",
        "Ne pas classer ni certifier des modèles d'après ces valeurs.",
        "Mesurer à nouveau après chaque changement du modèle, tel qu'un affinage ou une quantification.",
    ),
    advice_detected="Vérifier si les associations détectées apparaissent là où la sortie du modèle concerne les "
    "groupes nommés dans le tableau : les valeurs ne le disent pas.",
    scorings=sentence_pairs.SCORINGS,
    methods={
        **embeddings.METHODS,
        **contextual.METHODS,
        **geometry.METHODS,
        **templates.METHODS,
        **sentence_pairs.METHODS,
    },
    datasets=data.DATASETS,
)
