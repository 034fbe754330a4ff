"""Italian sentences about WSV and about how far templates and representations agree."""

from __future__ import annotations

from ....method import PValue
from ...card_texts import MethodText

__all__ = ["METHODS"]

_SUBSETS = (
    "I sottoinsiemi di una lista di parole si sovrappongono: i valori p ordinari di queste correlazioni sono troppo "
    "piccoli. I valori p per permutazione sono validi; quelli ordinari sono riportati solo per confronto."
)
_FEW = (
    "Venti sottoinsiemi sono un campione piccolo: altri sottoinsiemi (un altro seme) danno correlazioni un po' "
    "diverse."
)

METHODS = {
    "wsv": MethodText(
        summary="Correlazione delle posizioni delle parole lungo l'asse principale dei tratti della rappresentazione "
        "che rivelano una proprietà protetta, come il genere, con una statistica delle parole, come la quota di donne "
        "in un'occupazione.",
        score_name="correlazione r",
        reading="Un r positivo colloca le parole con statistica maggiore più vicino alla classe positiva (con i dati "
        "predefiniti: le occupazioni di donne più vicino alle parole per donne); un r negativo il contrario.",
        caveats=(
            "Il numero di tratti è una scelta: va fissato prima di vedere i risultati di tutti i numeri, oppure vale "
            "il valore p proprio di quella scansione, che paga per la scelta.",
            "Il primo asse è quello della varianza maggiore tra le parole protette, che non è detto sia la proprietà "
            "protetta; lo dice la quota della sua varianza tra le classi.",
            "Una correlazione con il mondo dice che il modello conosce la disuguaglianza del mondo; non dice che un "
            "sistema costruito su di esso tratterà le persone in modo disuguale.",
        ),
    ),
    "template_compatibility": MethodText(
        summary="Correlazione media dei valori di associazione che diversi modelli di frase danno agli stessi "
        "sottoinsiemi di parole.",
        score_name="correlazione media",
        reading="Vicino a 1 tutti i modelli di frase ordinano i sottoinsiemi di parole allo stesso modo; vicino a 0 "
        "un valore dipende dal modello di frase con cui è stato misurato.",
        caveats=(
            "Misura la misurazione: i modelli di frase possono concordare su un bias che non c'è e discordare su uno "
            "che c'è.",
            _SUBSETS,
            _FEW,
        ),
        p_value=PValue(
            meaning="Il valore p verifica se non ci sono due modelli di frase che abbiano qualcosa in comune, non se "
            "concordano bene: ogni concordanza lo rende piccolo.",
            small="Alcuni modelli di frase concordano più di quanto farebbero modelli senza relazione",
            large="I modelli di frase non si distinguono da modelli senza relazione",
        ),
    ),
    "representation_compatibility": MethodText(
        summary="Correlazione media dei valori di associazione che diverse rappresentazioni di parole danno agli "
        "stessi sottoinsiemi di parole.",
        score_name="correlazione media",
        reading="Vicino a 1 tutte le rappresentazioni ordinano i sottoinsiemi di parole allo stesso modo; vicino a 0 "
        "un valore dipende dalla rappresentazione con cui è stato misurato.",
        caveats=(
            "Misura la misurazione: le rappresentazioni possono concordare su un bias che non c'è e discordare su uno "
            "che c'è.",
            _SUBSETS,
            _FEW,
        ),
        p_value=PValue(
            meaning="Il valore p verifica se non ci sono due rappresentazioni che abbiano qualcosa in comune, non se "
            "concordano bene: ogni concordanza lo rende piccolo.",
            small="Alcune rappresentazioni concordano più di quanto farebbero rappresentazioni senza relazione",
            large="Le rappresentazioni non si distinguono da rappresentazioni senza relazione",
        ),
    ),
}
