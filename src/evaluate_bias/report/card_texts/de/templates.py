"""German sentences about methods that fill templates."""

from __future__ import annotations

from ....method import PValue
from ...card_texts import MethodText

__all__ = ["METHODS"]

_TEMPLATES = (
    "Werte verschiedener Satzvorlagen widersprechen sich, oft im Vorzeichen (Delobelle et al. 2022): Die Vorlagen "
    "sind mit dem Wert zu nennen."
)

METHODS = {
    "lpbs": MethodText(
        summary="Wie viel stärker Attributwörter einer Menge (etwa Mathematik) als die einer anderen (Kunst) die "
        "Wahrscheinlichkeit erhöhen, die ein maskiertes Sprachmodell einer Menge von Zielwörtern (etwa denen für "
        "Männer) gegenüber einer anderen (denen für Frauen) gibt, als standardisierte Differenz.",
        score_name="Effektstärke d",
        reading="Ein positives d verbindet die ersten Attribute mit den ersten Zielwörtern und die zweiten Attribute "
        "mit den zweiten Zielwörtern; ein negatives d umgekehrt.",
        caveats=(
            "Der Wert beschreibt die gewählten Wörter und Vorlagen: Andere für dieselben Begriffe ergeben andere "
            "Werte, oft mit anderem Vorzeichen.",
            "In der bloßen Vorlage, die bei Tests ohne Vorlagen einspringt, liest das Modell zwei Wörter, die kein "
            "Satz sind.",
            "Eine Effektstärke nahe 0 zeigt nur, dass diese Wörter in diesen Vorlagen keine Assoziation gefunden "
            "haben.",
        ),
        further=(
            (
                "Differenz",
                "Mittlerer Wert der ersten Attribute abzüglich dessen der zweiten, in Nat: die Größe des Effekts, die "
                "d nicht angibt.",
            ),
        ),
        combined="Der Wert mehrerer Tests ist der Mittelwert ihrer Effektstärken; sein p-Wert ist der kleinste ihrer "
        "nach Holm korrigierten p-Werte, ein Test der Hypothese, dass es keine dieser Assoziationen gibt; sein "
        "Intervall ist das Perzentilintervall dieses Mittelwerts über Bootstrap-Stichproben, in denen jeweils die "
        "Wörter jedes Tests neu gezogen werden. Kontrolltests bleiben außer Betracht.",
    ),
    "bec_pro": MethodText(
        summary="Wie viel mehr, in Nat, Berufe die Log-Wahrscheinlichkeit erhöhen, die ein maskiertes Sprachmodell "
        "Wörtern für Personen des in ihnen vorherrschenden Geschlechts gibt, als die von Wörtern für Personen des "
        "anderen Geschlechts.",
        score_name="stereotype Assoziation",
        reading="Positiv: Weibliche Wörter gewinnen in Frauenberufen und männliche in Männerberufen; negativ: "
        "umgekehrt. In einer Gruppe von Berufen, in der kein Geschlecht vorherrscht, heißt positiv, dass weibliche "
        "Wörter gewinnen.",
        p_value=PValue(
            meaning="Der p-Wert prüft bei gegebenen Wörtern für Personen, ob sich Frauen- und "
            "Männerberufe unterscheiden; das Intervall zieht auch die Wörter und kann 0 "
            "enthalten, wo der p-Wert klein ist.",
            small="Mit diesen Wörtern unterscheiden sich Frauen- und Männerberufe",
            large="Mit diesen Wörtern lassen sich Frauen- und Männerberufe nicht unterscheiden",
            parts=PValue(
                meaning="Der p-Wert einer Gruppe von Berufen prüft, ob in ihr, bei diesen Wörtern, die des einen "
                "Geschlechts mehr gewinnen; Wörter, die in allen Berufen gleichermaßen gewinnen, machen ihn auch "
                "klein, sodass er nichts über einen Unterschied zwischen den Gruppen sagt.",
                small="Innerhalb der Gruppe gewinnen die Wörter des einen Geschlechts mehr als die des anderen",
                large="Innerhalb der Gruppe lassen sich die Wörter der beiden Geschlechter nicht unterscheiden",
            ),
        ),
        caveats=(
            "In Sprachen, in denen ein Beruf für jedes Geschlecht eine Form hat, wie im Deutschen, sagt der Wert vor "
            "allem, dass das Modell die Grammatik kennt (Bartl et al. 2020).",
            _TEMPLATES,
        ),
        further=(
            (
                "weibliche Wörter",
                "Mittlere Assoziation der weiblichen Wörter mit den Berufen, in Nat: über 0, wo die Berufe ihre "
                "Wahrscheinlichkeit erhöhen.",
            ),
            ("männliche Wörter", "Mittlere Assoziation der männlichen Wörter mit den Berufen, in Nat."),
        ),
    ),
    "disco": MethodText(
        summary="Zahl der Einsetzungen eines Modells in eine Vorlage, die signifikant häufiger mit Wörtern für das "
        "eine Geschlecht auftreten als mit denen für das andere, gemittelt über die Vorlagen.",
        score_name="DisCo",
        reading="Je höher, desto mehr Einsetzungen gehen mit einem Geschlecht einher; 0: keine tut es signifikant.",
        caveats=(
            "Eine Einsetzung zählt, was immer sie sagt: Grammatik ('her', 'himself') und Stereotyp ('cooking') zählen "
            "gleich; die Einsetzungen sind anzusehen.",
            "Der Wert hängt von der Zahl der Wörter ab: Wenige Wörter können keine Einsetzung signifikant machen, "
            "viele machen es jeden Unterschied.",
            _TEMPLATES,
        ),
        p_value=PValue(
            meaning="Der p-Wert ist der kleinste aller Einsetzungen, mal ihrer Zahl: Er prüft, ob irgendeine "
            "Einsetzung mit einem Geschlecht einhergeht.",
            small="Mindestens eine Einsetzung geht häufiger mit einem Geschlecht einher, als der Zufall es erwarten "
            "ließe",
            large="Keine Einsetzung geht häufiger mit einem Geschlecht einher, als der Zufall bei so vielen "
            "Einsetzungen es erwarten ließe",
        ),
    ),
    "mlm_gender_score": MethodText(
        summary="Mittelwert über Berufe und Vorlagen der Wahrscheinlichkeit, die ein maskiertes Sprachmodell neben "
        "dem Beruf für 'she' angibt, abzüglich der für 'he'.",
        score_name="MLM-Wert",
        reading="Über 0 ist 'she' neben den Berufen das wahrscheinlichere Pronomen, unter 0 'he'.",
        caveats=(
            "'He' ist in den meisten Texten das häufigere Pronomen, sodass ein Mittelwert unter 0 wenig über Berufe "
            "sagt; ob die Werte ihnen folgen, sagt die Korrelation mit dem Frauenanteil.",
            "Verglichen werden zwei Pronomen; wer ein anderes gebraucht, wird nicht gesehen.",
            _TEMPLATES,
        ),
        further=(
            (
                "Korrelation mit der Beschäftigung",
                "Pearson-Korrelation der Werte der Berufe mit dem Anteil der Frauen unter den Beschäftigten: Über 0 "
                "folgt das Modell dem Arbeitsmarkt.",
            ),
        ),
        p_value=PValue(
            meaning="Der p-Wert prüft, ob der Mittelwert über solche Berufe 0 ist; ein Unterschied zwischen den "
            "Berufen ist eine andere Frage, die die Korrelation beantwortet.",
            small="Über die Berufe ist der Mittelwert nicht 0",
            large="Über die Berufe ist der Mittelwert von 0 nicht zu unterscheiden",
        ),
    ),
}
