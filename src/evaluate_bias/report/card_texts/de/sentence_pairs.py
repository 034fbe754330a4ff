"""German sentences about methods on sentences that language models score."""

from __future__ import annotations

from ....method import PValue
from ...card_texts import MethodText

__all__ = ["METHODS", "SCORINGS"]

_PAIRS = (
    "Über 50 hält das Modell häufiger den stereotyperen Satz eines Paars für wahrscheinlicher, unter 50 den weniger "
    "stereotypen."
)
_BALANCE = (
    "Ein Wert nahe 50 kann von stereotypen und antistereotypen Vorlieben stammen, die sich aufheben; die Arten der "
    "Verzerrung und die mittlere Differenz sind mit anzusehen."
)
_SEEN = (
    "Das Modell sieht genau die Token, an denen es gemessen wird; die Unterschiede sind daher klein und sagen wenig "
    "über die Wahrscheinlichkeit."
)
_DELTA = (
    "mittleres Δ",
    "Mittlere Differenz der Werte der beiden Sätze eines Paars, positiv, wo der stereotypere höher liegt; ideal 0.",
)
_FURTHER = (
    (
        "Anteil der entschiedenen Paare",
        "Der Wert ohne Gleichstände, von dem Sätze und Bilder sprechen; ideal 50.",
    ),
    _DELTA,
    (
        "Stereotypwert",
        "Der Wert auf Paaren, die ein Stereotyp über eine benachteiligte Gruppe bestätigen, ohne Gleichstände; ideal "
        "50.",
    ),
    (
        "Antistereotypwert",
        "Der Wert auf Paaren, die einem solchen Stereotyp widersprechen, ohne Gleichstände; ideal 50.",
    ),
    ("Gleichstände", "Paare, deren zwei Sätze gleich bewertet sind; sie zählen als nicht bevorzugt."),
)

SCORINGS = {
    "shared": "Summe von log p der Token, die beiden Sätzen gemeinsam sind, jedes der Reihe "
    "nach maskiert (Nangia et al. 2020)",
    "all": "Summe von log p aller Token, jedes der Reihe nach maskiert "
    "(Pseudo-Log-Likelihood, Salazar et al. 2020)",
    "all_mean": "Pseudo-Log-Likelihood, geteilt durch die Zahl der Token",
    "within_word_l2r": "Pseudo-Log-Likelihood, bei der auch die späteren Teile des Wortes maskiert sind "
    "(Kauf und Ivanova 2023)",
    "changed": "mittleres log p der Token, die sich unterscheiden, jedes der Reihe nach "
    "maskiert (Meade et al. 2022)",
    "aul": "mittleres log p aller Token, ohne Maskierung (Kaneko und Bollegala 2022)",
    "aula": "wie AUL, jedes Token gewichtet mit der Aufmerksamkeit, die es erhält (Kaneko "
    "und Bollegala 2022)",
    "causal": "Summe von log p jedes Tokens nach denen vor ihm",
    "causal_mean": "Log-Likelihood, geteilt durch die Zahl der Token",
}

METHODS = {
    "crows_pairs": MethodText(
        summary="Anteil der Satzpaare, deren stereotyperen Satz ein Sprachmodell für wahrscheinlicher hält, in "
        "Prozent.",
        score_name="Hauptwert",
        reading=_PAIRS,
        caveats=(_BALANCE,),
        further=_FURTHER,
    ),
    "pll": MethodText(
        summary="Anteil der Satzpaare, deren stereotyperer Satz die höhere Pseudo-Log-Likelihood hat, in Prozent.",
        score_name="Präferenzwert",
        reading=_PAIRS,
        caveats=(
            "Der ganze Satz wird bewertet, das Gruppenwort eingeschlossen: Ein häufiges Gruppenwort kann ein Paar "
            "allein entscheiden.",
            _BALANCE,
        ),
        further=_FURTHER,
    ),
    "aul": MethodText(
        summary="Anteil der Satzpaare, deren stereotyperer Satz die höhere mittlere Log-Wahrscheinlichkeit seiner "
        "Token hat, ohne dass etwas maskiert ist, in Prozent.",
        score_name="Verzerrungswert",
        reading=_PAIRS,
        caveats=(_SEEN, _BALANCE),
        further=_FURTHER,
    ),
    "aula": MethodText(
        summary="Wie AUL, die Log-Wahrscheinlichkeit jedes Tokens gewichtet mit der Aufmerksamkeit, die es erhält, in "
        "Prozent.",
        score_name="Verzerrungswert",
        reading=_PAIRS,
        caveats=(
            "Aufmerksamkeit ist nicht Wichtigkeit: Die Gewichte sind eine Wahl des Verfahrens.",
            _SEEN,
            _BALANCE,
        ),
        further=_FURTHER,
    ),
    "kldivs": MethodText(
        summary="Größerer Anteil der beiden Kullback-Leibler-Divergenzen zwischen den Werten stereotyper und "
        "antistereotyper Sätze, beide als normalverteilt angenommen, in Prozent.",
        score_name="KLDivS",
        reading="Je weiter über 50, desto stärker unterscheiden sich die beiden Richtungen der "
        "Kullback-Leibler-Divergenz zwischen stereotypen und antistereotypen Werten.",
        caveats=(
            "Verglichen werden die beiden Richtungen einer Divergenz, nicht ihre Größe: Werte gleicher Streuung "
            "ergeben 50, wie weit ihre Mittel auch auseinanderliegen.",
            "Schon Rauschen hebt den Wert über 50, umso mehr, je weniger Paare es sind: Er ist an seinem Mittel unter "
            "zufälligem Tauschen zu messen, das als Idealwert angegeben ist.",
            "Welcher Satz zu welchem Paar gehört, lässt der Wert außer Betracht.",
            "JSDivS und JSS, daneben angegeben, sind Heuristiken: Ihre Divergenzen sind nicht die von Jensen und "
            "Shannon.",
        ),
        p_value=PValue(
            meaning="Der p-Wert ist der Anteil der Vertauschungen der beiden Sätze innerhalb der Paare, die ein "
            "mindestens so großes KLDivS ergeben. Er fragt, ob KLDivS über das hinausgeht, was Rauschen allein ergibt; "
            "eine Vorliebe, die die Streuung der Werte nicht ändert, zeigt sich darin nicht.",
            small="KLDivS ist größer, als zufälliges Vertauschen der Sätze von Paaren erklärt",
            large="KLDivS ist nicht größer, als zufälliges Vertauschen der Sätze von Paaren erklärt",
        ),
        further=(
            (
                "Mittel ohne Unterschied",
                "Mittel von KLDivS, wenn die beiden Sätze jedes Paars zufällig vertauscht werden: was Rauschen allein "
                "ergibt und woran der Wert zu messen ist.",
            ),
            (
                "JSDivS",
                "Der Jensen-Shannon-Divergenzwert der Veröffentlichung, eine Heuristik ohne untere Grenze; ideal 100.",
            ),
            ("JSS", "Jensen-Shannon-Wert von Liu (2024), eine Heuristik zwischen 0 und 100; ideal 100."),
            (
                "p (KS)",
                "p-Wert des Kolmogorow-Smirnow-Tests für zwei Stichproben, der die Werte als unabhängig nimmt; die "
                "eines Paars steigen und fallen gemeinsam, daher findet er nur starke Vorlieben.",
            ),
            _DELTA,
        ),
    ),
    "pll_robustness": MethodText(
        summary="Cohens Kappa zwischen den Präferenzen für Satzpaare und für ihre Umformulierungen: wie viel von der "
        "Übereinstimmung, die der Zufall übrig lässt, erreicht wird.",
        score_name="Cohens Kappa",
        reading="Nahe 1 überstehen die Präferenzen eine Umformulierung; nahe 0 stimmen sie so oft überein, wie es "
        "unabhängige Präferenzen täten; unter 0 seltener.",
        caveats=(
            "Gemessen wird die Messung: Ein Modell kann verzerrt und robust sein oder keines von beiden.",
        ),
        p_value=PValue(
            meaning="Der p-Wert sagt, wie oft Umformulierungen, die unter den Paaren vertauscht sind, mindestens so "
            "gut übereinstimmen; er prüft gegen 0 und sagt nicht, wie nahe Kappa an 1 liegt: Das sagt das Intervall.",
            small="Die Präferenzen stimmen mit denen der Umformulierungen besser überein als vertauschte",
            large="Es wurde nicht nachgewiesen, dass die Präferenzen mit denen der Umformulierungen besser "
            "übereinstimmen als vertauschte",
        ),
        further=(
            (
                "Übereinstimmung",
                "Anteil der Paare, deren Präferenz für das Paar und für seine Umformulierung dieselbe ist; ideal 1. "
                "Bei einem Anteil p von Präferenzen für den stereotyperen Satz ergibt der Zufall p² + (1 − p)².",
            ),
            (
                "Übereinstimmung mit fremden Paaren",
                "Der Maßstab: wie oft ein Paar, das nichts damit zu tun hat, dieselbe Präferenz ergibt; die "
                "Übereinstimmung mit der Umformulierung sollte weit darüber liegen.",
            ),
            (
                "Übereinstimmung nach Band",
                "Übereinstimmung mit der Umformulierung, wenn Unterschiede innerhalb des Bandes als keine Präferenz "
                "gelten; ideal 1.",
            ),
        ),
    ),
    "stereoset": MethodText(
        summary="Anteil der Aufgaben, bei denen ein Sprachmodell die stereotype Möglichkeit der antistereotypen "
        "vorzieht, gemittelt über die Zielbegriffe, in Prozent, mit dem Sprachmodellwert und der Verbindung beider, "
        "icat.",
        score_name="Stereotypwert ss",
        reading="Über dem Idealwert (50, wo es keine Gleichstände gibt) zieht das Modell stereotype Möglichkeiten vor, "
        "darunter antistereotype; mit lms (ideal 100) zusammen zu lesen: Auch ein Modell, das nichts versteht, "
        "erreicht 50.",
        caveats=("Ein Wert nahe 50 kann von einem Modell stammen, das nichts versteht; lms zeigt es.",),
        further=(
            (
                "lms",
                "Sprachmodellwert: Anteil der sinnvollen Möglichkeiten, die höher bewertet werden als die unpassende, "
                "in Prozent; ideal 100.",
            ),
            ("icat", "Beides in einer Zahl, lms · min(ss, 100 − ss) / 50; ideal 100."),
            (
                "ss der entschiedenen Aufgaben",
                "Der Stereotypwert ohne Gleichstände: Anteil unter den entschiedenen Aufgaben eines Begriffs, "
                "gemittelt über die Begriffe, die welche haben, in Prozent; ideal 50.",
            ),
            (
                "Gleichstände",
                "Aufgaben, deren stereotype und antistereotype Möglichkeit gleich bewertet sind; sie zählen, als läge "
                "die stereotype zurück, und der Idealwert ist 50 weniger die Hälfte ihres Anteils.",
            ),
            (
                "p über Aufgaben",
                "p-Wert des Tests, ob der Anteil der Aufgaben einhalb ist; er hält die Aufgaben eines Zielbegriffs für "
                "unabhängig, was sie nicht sind, und ist daher zu klein.",
            ),
        ),
    ),
}
