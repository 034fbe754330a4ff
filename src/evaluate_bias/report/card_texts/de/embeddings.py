"""German sentences about methods on embeddings."""

from __future__ import annotations

from ...card_texts import MethodText

__all__ = ["METHODS"]

METHODS = {
    "weat": MethodText(
        summary="Wie viel stärker eine Menge von Zielwörtern mit einer Menge von Attributwörtern statt mit einer "
        "anderen assoziiert ist als eine zweite Menge von Zielwörtern, als standardisierte Differenz mittlerer "
        "Kosinusähnlichkeiten.",
        score_name="Effektstärke d",
        reading="Ein positives d verbindet die ersten Zielwörter mit den ersten Attributen und die zweiten "
        "Zielwörter mit den zweiten Attributen; ein negatives d umgekehrt.",
        caveats=(
            "Der Wert beschreibt die gewählten Wörter: Andere Wörter für dieselben Begriffe ergeben andere Werte.",
            "Ein p-Wert nahe 0 besagt, dass die Assoziation keine zufällige Aufteilung dieser Wörter ist; er "
            "besagt weder, wie groß sie ist, noch, dass ein auf den Vektoren aufbauendes System diskriminieren "
            "wird.",
            "Eine Effektstärke nahe 0 zeigt nur, dass diese Listen keine Assoziation gefunden haben.",
        ),
        combined="Der Wert mehrerer Tests ist der Mittelwert der Beträge ihrer Effektstärken, damit "
        "entgegengesetzte Vorzeichen sich nicht aufheben; durch Zufall ist er nicht 0, daher ist sein "
        "Idealwert sein Mittelwert über zufällige Aufteilungen der Zielwörter und sein p-Wert der Anteil "
        "der Aufteilungen mit einem ebenso großen Mittelwert. Sein Intervall ist das Perzentilintervall "
        "dieses Mittelwerts über Bootstrap-Stichproben, in denen jeweils die Wörter jedes Tests, Ziele und "
        "Attribute, neu gezogen werden, mit dem Wert als Mitte. Kontrolltests bleiben außer Betracht.",
        further=(
            (
                "Mittelwert von d mit Vorzeichen",
                "Mittelwert der Effektstärken mehrerer Tests mit ihren Vorzeichen; entgegengesetzte heben "
                "sich darin auf.",
            ),
        ),
    ),
}
