"""German sentences of the bias section."""

from __future__ import annotations

from ...card_texts import CardText
from . import contextual, data, embeddings, geometry, sentence_pairs, templates

__all__ = ["TEXT"]

TEXT = CardText(
    language="de",
    section_title="Verzerrungen, Risiken und Einschränkungen",
    heading="Gemessene soziale Verzerrungen",
    intro="Es folgen Messungen an {models}. Jede hat Grenzen, die mit ihr genannt werden. Sie sind kein Urteil über "
    "das Modell und kein Zertifikat.",
    measured_with="Gemessen mit evaluate-bias {version}.",
    what="Was gemessen wurde",
    scored_by="Der Wert eines Satzes ist hier: {how}.",
    data="Mit welchen Daten",
    reading="Wie die Zahl zu lesen ist",
    outcome="Was gefunden wurde",
    limits="Was die Zahl nicht bedeutet",
    data_tests="{dataset}. Tests: {names}.",
    data_units="{dataset}. Bewertete Einheiten: {n}.",
    data_unknown="Daten der Person, die gemessen hat, ohne Angabe ihrer Herkunft",
    data_language="Sprache {language}",
    data_no_language="Sprache nicht angegeben",
    data_from="aus {repository}",
    data_revision="Revision {revision}",
    data_split="Teil {split}",
    data_unpinned="ohne Revision oder Prüfsumme",
    origin_paper="Wortlisten wie in der Veröffentlichung gedruckt: {names}.",
    origin_translated="**Übersetzte Listen, nicht von Muttersprachlern geprüft:** {names}. Wörter und Namen "
    "bedeuten in dieser Sprache womöglich nicht dasselbe, sodass der Wert ebenso viel über die Übersetzung sagen "
    "kann wie über das Modell.",
    origin_caller="Listen der Person, die gemessen hat, hier nicht geprüft: {names}.",
    origin_other="Herkunft von {names}: {origin}.",
    baseline="Ohne sozialen Inhalt, zum Nachweis, dass das Maß anspricht: {names}.",
    data_not_validated="Nirgends ist vermerkt, dass diese Daten validiert wurden.",
    coverage_gap="Bewertet: {found} von {asked} verlangten Wörtern oder Sätzen; der Rest geht nicht in die Zahlen ein.",
    score_range="Der Wert ({score}) kann zwischen {low} und {high} liegen; {ideal} heißt, dass das Verfahren nichts "
    "gefunden hat, nicht, dass nichts vorhanden ist.",
    score_range_robust="Der Wert ({score}) kann zwischen {low} und {high} liegen; {ideal} ist am besten.",
    two_sided="Das Vorzeichen gibt die Richtung an.",
    higher_is_more_biased="Ein höherer Wert bedeutet eine stärkere gemessene Verzerrung.",
    lower_is_more_biased="Ein niedrigerer Wert bedeutet eine stärkere gemessene Verzerrung.",
    higher_is_more_robust="Ein höherer Wert bedeutet eine robustere Messung.",
    detected_test="**Assoziation auf dem 5-%-Niveau nachgewiesen** ({k} von {n}): {names}.",
    undetected_test="**Keine Assoziation auf dem 5-%-Niveau nachgewiesen** ({k} von {n}): {names}. "
    "Das zeigt nicht, dass keine vorhanden ist.",
    detected_other="**Abweichung vom Idealwert auf dem 5-%-Niveau nachgewiesen** ({k} von {n}): {names}.",
    undetected_other="**Keine Abweichung vom Idealwert auf dem 5-%-Niveau nachgewiesen** ({k} von {n}): {names}. "
    "Das zeigt nicht, dass keine vorhanden ist.",
    rejected="**Nullhypothese auf dem 5-%-Niveau verworfen** ({k} von {n}): {names}. Test: {test}.",
    not_rejected="**Nullhypothese auf dem 5-%-Niveau nicht verworfen** ({k} von {n}): {names}. Das zeigt nicht, "
    "dass sie zutrifft. Test: {test}.",
    p_small="**{what}, auf dem 5-%-Niveau** ({k} von {n}): {names}.",
    p_large="**{what}, auf dem 5-%-Niveau** ({k} von {n}): {names}. Etwas nicht nachzuweisen ist kein Beweis, dass es "
    "nicht da ist.",
    only_before="**Auf dem 5-%-Niveau nur vor der Korrektur für mehrere Tests nachgewiesen** ({k} von {n}): {names}.",
    control_detected="Kontrolltests ohne sozialen Inhalt, getrennt gezählt: Assoziation nachgewiesen bei {k} von {n} "
    "({names}). Sie zeigen, dass das Maß auf dieses Modell anspricht, und sagen nichts über Menschen.",
    control_undetected="Kontrolltests ohne sozialen Inhalt, getrennt gezählt: keine Assoziation nachgewiesen bei {k} "
    "von {n} ({names}). Wo das Maß eine Assoziation verfehlt, die alle teilen, verfehlt es womöglich auch die "
    "anderen.",
    too_small="Zu wenige Einheiten, um das 5-%-Niveau zu erreichen, was immer sie zeigen (weniger als {least}, "
    "Gleichstände nicht gezählt): {names}. Sie stehen in der Tabelle und bleiben in den übrigen Zeilen hier außer "
    "Betracht.",
    edge="Der Wert kann nicht jenseits von {ideal} liegen, sein Intervall liegt also immer auf einer Seite davon; es "
    "sagt, wie weit, nicht, ob: {names}.",
    interval_only="Das Intervall schließt {ideal} aus, obwohl der p-Wert nicht unter 5 % liegt: {names}. Test "
    "und Intervall beruhen auf verschiedenen Annahmen und trennen sich nahe der Grenze; das ist als unentschieden zu "
    "lesen. Test: {test}.",
    interval_includes="Das Intervall enthält {ideal}, obwohl der p-Wert unter 5 % liegt: {names}. Der p-Wert gilt "
    "genau diesen Daten; das Intervall lässt auch andere Daten derselben Art zu.",
    no_p_excludes="Kein p-Wert; das Intervall schließt {ideal} aus: {names}.",
    no_p_includes="Kein p-Wert; das Intervall enthält {ideal}, es wurde also keine Verzerrung nachgewiesen, was nicht "
    "zeigt, dass keine vorhanden ist: {names}.",
    no_inference="Weder p-Wert noch Intervall, was offen lässt, was Zufall ist: {names}.",
    adjusted="Maßgeblich sind die für die Zahl der Tests korrigierten p-Werte (Holm), wo die Tabelle sie hat.",
    adjusted_all="Nach Korrektur für alle {n} p-Werte dieser Karte (Holm) bleiben unter 5 %: {names}.",
    nothing="keine",
    with_interval=" (Intervall {interval})",
    overall_score="**{name}: {score}**{interval}.",
    furthest="Am weitesten vom Idealwert entfernt: {name}, {score}{interval}.",
    of_decided="Gleichstände bleiben in diesen Aussagen und im Diagramm außen vor: Sie geben Anteile der "
    "entschiedenen Paare oder Aufgaben an, deren Ideal {ideal} ist. Die Tabelle enthält die "
    "veröffentlichten Werte, die Gleichstände mitzählen und deshalb ein niedrigeres Ideal haben.",
    illustrative_title="{title} (zur Veranschaulichung)",
    illustrative_outcome="**Kein Befund:** Diese Sätze dienen der Veranschaulichung und wurden nicht validiert. "
    "Die Werte in Tabelle und Diagramm zeigen, wie das Verfahren arbeitet; über das Modell "
    "folgt daraus nichts, und in keine Korrektur gehen sie ein: {names}.",
    not_the_application="Die Zahl beschreibt dieses Modell mit diesen Daten. Sie sagt nicht, wie eine Anwendung, "
    "die auf dem Modell aufbaut, Menschen behandelt.",
    not_absence="Ein Wert nahe {ideal} oder einer, der nicht signifikant ist, zeigt nicht, dass solche Assoziationen "
    "fehlen: Andere Wörter, Gruppen und Sprachen wurden nicht betrachtet.",
    not_size="Die Zahl sagt, wie weit der Messung zu trauen ist. Über die Größe einer Verzerrung sagt sie nichts.",
    english_only="(auf Englisch) {text}",
    column_test="Test",
    column_compared="Was verglichen wird",
    column_model="Modell",
    column_score="Wert",
    column_interval="{level}-%-KI",
    column_interval_mixed="KI",
    column_p="p",
    column_p_holm="p (Holm)",
    column_p_all="p (Holm, ganze Karte)",
    column_n="n",
    column_coverage="Abdeckung",
    column_ideal="Ideal",
    overall="insgesamt",
    list_names=(
        "erste Zielwortliste",
        "zweite Zielwortliste",
        "erste Attributwortliste",
        "zweite Attributwortliste",
    ),
    further="Weitere Werte",
    chart_legend="● signifikant auf dem 5-%-Niveau, ○ nicht signifikant oder ohne p-Wert; ├─┤ Konfidenzintervall; "
    "│ Idealwert.",
    notes="Hinweise aus der Messung (auf Englisch)",
    more_notes="{n} weitere in der Ergebnisdatei.",
    words="Wörter, die den jeweiligen Wert am stärksten in seine Richtung treiben, und was er ohne sie verlöre",
    words_line="{name}: {words}",
    skipped="Ausgelassen oder zusammengefasst",
    more_skipped="{n} weitere in der Ergebnisdatei.",
    settings="Einstellungen und Versionen",
    settings_model="Modell",
    settings_data="Daten",
    settings_all_tests="Alle Tests zusammen",
    settings_each_test="Jeder Test",
    settings_p="p-Wert",
    settings_interval="Intervall",
    settings_options="Optionen",
    settings_versions="Versionen",
    settings_paper="Verfahren",
    recommendations="Empfehlungen",
    advice=(
        "Die Anwendung selbst messen, mit den Menschen und Texten, für die sie gedacht ist, bevor aufgrund dieser "
        "Zahlen entschieden wird.",
        "Mehrere Verfahren und Datensätze verwenden: Ihre Werte widersprechen sich oft.",
        "Modelle nach diesen Werten weder in eine Rangfolge bringen noch zertifizieren.",
        "Nach jeder Änderung des Modells, etwa Feinabstimmung oder Quantisierung, erneut messen.",
    ),
    advice_detected="Prüfen, ob sich die nachgewiesenen Assoziationen dort zeigen, wo die Ausgabe des Modells die in "
    "der Tabelle genannten Gruppen betrifft: Die Werte sagen das nicht.",
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
