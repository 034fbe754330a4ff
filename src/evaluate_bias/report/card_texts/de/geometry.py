"""German sentences about WSV and about how far templates and representations agree."""

from __future__ import annotations

from ....method import PValue
from ...card_texts import MethodText

__all__ = ["METHODS"]

_SUBSETS = (
    "Teilmengen einer Wortliste überlappen sich: Gewöhnliche p-Werte dieser Korrelationen sind zu klein. Die p-Werte "
    "aus Permutationen gelten; die gewöhnlichen stehen nur zum Vergleich da."
)
_FEW = (
    "Zwanzig Teilmengen sind eine kleine Stichprobe: Andere Teilmengen (ein anderer Startwert) ergeben etwas "
    "andere Korrelationen."
)

METHODS = {
    "wsv": MethodText(
        summary="Korrelation der Lage von Wörtern entlang der Hauptachse derjenigen Merkmale der Einbettung, die eine "
        "geschützte Eigenschaft wie das Geschlecht verraten, mit einer Statistik der Wörter, etwa dem Frauenanteil "
        "eines Berufs.",
        score_name="Korrelation r",
        reading="Ein positives r rückt Wörter mit größerer Statistik näher an die positive Klasse (mit den "
        "voreingestellten Daten: Berufe von Frauen näher an Wörter für Frauen); ein negatives r umgekehrt.",
        caveats=(
            "Die Zahl der Merkmale ist eine Wahl: Sie ist festzulegen, bevor man die Ergebnisse aller Zahlen sieht, "
            "oder es gilt deren eigener p-Wert, der für die Wahl bezahlt.",
            "Die erste Achse ist die der größten Varianz unter den geschützten Wörtern, was nicht die geschützte "
            "Eigenschaft sein muss; der Anteil ihrer Varianz zwischen den Klassen zeigt es.",
            "Eine Korrelation mit der Welt besagt, dass das Modell die Ungleichheit der Welt kennt; sie besagt nicht, "
            "dass ein darauf aufbauendes System Menschen ungleich behandeln wird.",
        ),
    ),
    "template_compatibility": MethodText(
        summary="Mittlere Korrelation der Assoziationswerte, die verschiedene Satzvorlagen denselben Teilmengen von "
        "Wörtern geben.",
        score_name="mittlere Korrelation",
        reading="Nahe 1 ordnen alle Vorlagen die Teilmengen gleich; nahe 0 hängt ein Wert von der Vorlage ab, mit der "
        "er gemessen wurde.",
        caveats=(
            "Gemessen wird die Messung: Vorlagen können über eine Verzerrung einig sein, die es nicht gibt, und "
            "uneins über eine, die es gibt.",
            _SUBSETS,
            _FEW,
        ),
        p_value=PValue(
            meaning="Der p-Wert prüft, ob keine zwei Vorlagen etwas gemeinsam haben, nicht, ob sie gut "
            "übereinstimmen: Jede Übereinstimmung macht ihn klein.",
            small="Einige Vorlagen stimmen mehr überein, als es unverbundene täten",
            large="Die Vorlagen sind von unverbundenen nicht zu unterscheiden",
        ),
    ),
    "representation_compatibility": MethodText(
        summary="Mittlere Korrelation der Assoziationswerte, die verschiedene Repräsentationen von Wörtern denselben "
        "Teilmengen von Wörtern geben.",
        score_name="mittlere Korrelation",
        reading="Nahe 1 ordnen alle Repräsentationen die Teilmengen gleich; nahe 0 hängt ein Wert von der "
        "Repräsentation ab, mit der er gemessen wurde.",
        caveats=(
            "Gemessen wird die Messung: Repräsentationen können über eine Verzerrung einig sein, die es nicht gibt, "
            "und uneins über eine, die es gibt.",
            _SUBSETS,
            _FEW,
        ),
        p_value=PValue(
            meaning="Der p-Wert prüft, ob keine zwei Repräsentationen etwas gemeinsam haben, nicht, ob sie gut "
            "übereinstimmen: Jede Übereinstimmung macht ihn klein.",
            small="Einige Repräsentationen stimmen mehr überein, als es unverbundene täten",
            large="Die Repräsentationen sind von unverbundenen nicht zu unterscheiden",
        ),
    ),
}
