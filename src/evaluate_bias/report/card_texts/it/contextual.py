"""Italian sentences about methods on embeddings in context."""

from __future__ import annotations

from ...card_texts import MethodText

__all__ = ["METHODS"]

_READING = (
    "Un valore positivo associa i primi bersagli ai primi attributi e i secondi bersagli ai secondi attributi; uno "
    "negativo il contrario."
)
_WORDS = "Il valore descrive le parole scelte: altre parole per gli stessi concetti danno altri valori."
_REPRESENTATION = (
    "I valori di diversi modelli di frase, rappresentazioni e strati di uno stesso modello discordano, spesso nel "
    "segno (Delobelle et al. 2022): con il valore vanno indicati tutti e tre."
)
_LAYERS = (
    "I valori di diverse rappresentazioni e strati di uno stesso modello discordano, spesso nel segno: con il valore "
    "vanno indicati entrambi."
)
_HOLM = "un test dell'ipotesi che nessuna di queste associazioni esista"

METHODS = {
    "seat": MethodText(
        summary="Quanto più le frasi su un insieme di parole bersaglio sono associate alle frasi su un insieme di "
        "parole attributo rispetto alle frasi su un altro insieme di parole bersaglio, come differenza standardizzata "
        "di similarità del coseno medie.",
        score_name="dimensione dell'effetto d",
        reading=_READING
        + " I limiti sono ±2 dove entrambi gli insiemi di bersagli hanno lo stesso numero di frasi, e un po' più "
        "ampi altrove.",
        caveats=(
            "Il valore p ripartisce le parole. Quello dell'articolo, riportato accanto, prende le frasi come "
            "indipendenti, e quelle fatte di una stessa parola non lo sono: è troppo piccolo, spesso di molto.",
            _REPRESENTATION,
            _WORDS,
            "Una dimensione dell'effetto vicina a 0 mostra solo che queste frasi non hanno trovato associazioni.",
        ),
        further=(
            (
                "p sulle frasi",
                "Il valore p dell'articolo, del test di permutazione che ripartisce le "
                "frasi come se quelle di una stessa parola fossero indipendenti.",
            ),
            (
                "media di d con segno",
                "Media delle dimensioni dell'effetto di più test con i loro segni; "
                "quelli opposti vi si annullano.",
            ),
        ),
        combined="Il valore di più test è la media dei valori assoluti delle loro dimensioni dell'effetto, perché "
        "segni opposti non si annullino; per caso non è 0, perciò il suo valore ideale è la sua media su ripartizioni "
        "casuali delle parole bersaglio, e il suo valore p la quota di ripartizioni con una media altrettanto "
        "grande. Il suo intervallo è quello dei percentili di questa media su campioni bootstrap, in ognuno dei "
        "quali le parole di ogni test con tutte le loro frasi vengono estratte di nuovo, centrato sul valore. I "
        "test di controllo restano fuori.",
    ),
    "ceat": MethodText(
        summary="Media delle dimensioni dell'effetto di test di associazione su parole in contesti estratti a caso da "
        "un corpus, combinate con un modello a effetti casuali.",
        score_name="dimensione dell'effetto combinata (CES)",
        reading=_READING,
        caveats=(
            "L'intervallo parla di contesti casuali di queste stesse parole e si riduce per costruzione con il "
            "numero di campioni, come il valore p dell'articolo sui contesti, riportato accanto: con 10 000 "
            "campioni ogni differenza tra queste parole è significativa. Il valore p ripartisce le parole e non si "
            "riduce.",
            "Il valore descrive le parole scelte e il corpus da cui vengono i loro contesti.",
            _LAYERS,
        ),
        further=(
            (
                "τ²",
                "Varianza stimata delle dimensioni dell'effetto sui contesti, oltre quanto spiega la varianza scelta "
                "di un campione.",
            ),
            (
                "I²",
                "Quota della variazione tra campioni che la varianza scelta di un campione non spiega.",
            ),
            (
                "p sui contesti",
                "Il valore p dell'articolo, del modello a effetti casuali: prende le parole come date e chiede se "
                "la media su estrazioni casuali di contesti è 0.",
            ),
        ),
        combined="Il valore di più test è la media delle loro dimensioni dell'effetto combinate; il suo valore p è il "
        "più piccolo dei loro valori p corretti secondo Holm, "
        + _HOLM
        + "; il suo intervallo prende i test come indipendenti. "
        "I test di controllo restano fuori.",
    ),
}
