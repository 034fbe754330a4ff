"""German sentences about methods on embeddings in context."""

from __future__ import annotations

from ...card_texts import MethodText

__all__ = ["METHODS"]

_READING = (
    "Ein positiver Wert verbindet die ersten Zielwörter mit den ersten Attributen und die zweiten Zielwörter mit den "
    "zweiten Attributen; ein negativer umgekehrt."
)
_WORDS = (
    "Der Wert beschreibt die gewählten Wörter: Andere Wörter für dieselben Begriffe ergeben andere Werte."
)
_REPRESENTATION = (
    "Werte verschiedener Satzvorlagen, Repräsentationen und Schichten eines Modells widersprechen sich, oft im "
    "Vorzeichen (Delobelle et al. 2022): Alle drei sind mit dem Wert zu nennen."
)
_LAYERS = (
    "Werte verschiedener Repräsentationen und Schichten eines Modells widersprechen sich, oft im Vorzeichen: Beide "
    "sind mit dem Wert zu nennen."
)
_HOLM = "ein Test der Hypothese, dass es keine dieser Assoziationen gibt"

METHODS = {
    "seat": MethodText(
        summary="Wie viel stärker Sätze mit einer Menge von Zielwörtern mit Sätzen mit einer Menge von "
        "Attributwörtern assoziiert sind als Sätze mit einer anderen Menge von Zielwörtern, als standardisierte "
        "Differenz mittlerer Kosinusähnlichkeiten.",
        score_name="Effektstärke d",
        reading=_READING
        + " Die Grenzen sind ±2, wo beide Mengen von Zielen gleich viele Sätze haben, und sonst etwas weiter.",
        caveats=(
            "Der p-Wert teilt Wörter auf. Der der Veröffentlichung, der daneben steht, nimmt Sätze als unabhängig, "
            "und die mit demselben Wort sind es nicht: Er ist zu klein, oft bei weitem.",
            _REPRESENTATION,
            _WORDS,
            "Eine Effektstärke nahe 0 zeigt nur, dass diese Sätze keine Assoziation gefunden haben.",
        ),
        further=(
            (
                "p über Sätze",
                "Der p-Wert der Veröffentlichung, des Permutationstests, der Sätze "
                "aufteilt, als wären die mit demselben Wort unabhängig.",
            ),
            (
                "Mittelwert von d mit Vorzeichen",
                "Mittelwert der Effektstärken mehrerer Tests mit ihren Vorzeichen; "
                "entgegengesetzte heben sich darin auf.",
            ),
        ),
        combined="Der Wert mehrerer Tests ist der Mittelwert der Beträge ihrer Effektstärken, damit entgegengesetzte "
        "Vorzeichen sich nicht aufheben; durch Zufall ist er nicht 0, daher ist sein Idealwert sein Mittelwert "
        "über zufällige Aufteilungen der Zielwörter und sein p-Wert der Anteil der Aufteilungen mit einem ebenso "
        "großen Mittelwert. Sein Intervall ist das Perzentilintervall dieses Mittelwerts über "
        "Bootstrap-Stichproben, in denen jeweils die Wörter jedes Tests mit all ihren Sätzen neu gezogen werden, "
        "mit dem Wert als Mitte. Kontrolltests bleiben außer Betracht.",
    ),
    "ceat": MethodText(
        summary="Mittelwert der Effektstärken von Assoziationstests an Wörtern in Kontexten, die zufällig aus einem "
        "Korpus gezogen wurden, zusammengefasst durch ein Modell mit zufälligen Effekten.",
        score_name="kombinierte Effektstärke (CES)",
        reading=_READING,
        caveats=(
            "Das Intervall spricht von zufälligen Kontexten genau dieser Wörter und schrumpft von Natur aus mit "
            "der Zahl der Stichproben, wie auch der p-Wert der Veröffentlichung über Kontexte, der daneben steht: "
            "Bei 10 000 Stichproben ist jeder Unterschied zwischen diesen Wörtern signifikant. Der p-Wert teilt "
            "Wörter auf und schrumpft nicht.",
            "Der Wert beschreibt die gewählten Wörter und das Korpus, aus dem ihre Kontexte stammen.",
            _LAYERS,
        ),
        further=(
            (
                "τ²",
                "Geschätzte Varianz der Effektstärken über Kontexte, über das hinaus, was die gewählte Varianz einer "
                "Stichprobe erklärt.",
            ),
            (
                "I²",
                "Anteil der Streuung zwischen Stichproben, den die gewählte Varianz einer Stichprobe nicht erklärt.",
            ),
            (
                "p über Kontexte",
                "Der p-Wert der Veröffentlichung, des Modells mit zufälligen Effekten: Er nimmt die Wörter als "
                "gegeben und fragt, ob der Mittelwert über zufällige Ziehungen von Kontexten 0 ist.",
            ),
        ),
        combined="Der Wert mehrerer Tests ist der Mittelwert ihrer kombinierten Effektstärken; sein p-Wert ist der "
        "kleinste ihrer nach Holm korrigierten p-Werte, "
        + _HOLM
        + "; sein Intervall nimmt die Tests als unabhängig. "
        "Kontrolltests bleiben außer Betracht.",
    ),
}
