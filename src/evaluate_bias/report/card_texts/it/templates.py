"""Italian sentences about methods that fill templates."""

from __future__ import annotations

from ....method import PValue
from ...card_texts import MethodText

__all__ = ["METHODS"]

_TEMPLATES = (
    "I valori di diversi modelli di frase discordano, spesso nel segno (Delobelle et al. 2022): con il valore vanno "
    "indicati i modelli di frase."
)

METHODS = {
    "lpbs": MethodText(
        summary="Quanto più le parole attributo di un insieme (per esempio la matematica), rispetto a quelle di un "
        "altro (le arti), alzano la probabilità che un modello linguistico mascherato dà a un insieme di parole "
        "bersaglio (per esempio per uomini) rispetto a un altro (per donne), come differenza standardizzata.",
        score_name="dimensione dell'effetto d",
        reading="Un d positivo associa i primi attributi ai primi bersagli e i secondi attributi ai secondi bersagli; "
        "un d negativo il contrario.",
        caveats=(
            "Il valore descrive le parole e i modelli di frase scelti: altri per gli stessi concetti danno altri "
            "valori, spesso di segno opposto.",
            "Con il modello di frase nudo, che vale per i test senza modelli di frase, il modello legge due parole che "
            "non sono una frase.",
            "Una dimensione dell'effetto vicina a 0 mostra solo che queste parole in questi modelli di frase non "
            "hanno trovato associazioni.",
        ),
        further=(
            (
                "differenza",
                "Valore medio dei primi attributi meno quello dei secondi, in nat: la grandezza dell'effetto, che d "
                "non indica.",
            ),
        ),
        combined="Il valore di più test è la media delle loro dimensioni dell'effetto; il suo valore p è il più "
        "piccolo dei loro valori p corretti secondo Holm, un test dell'ipotesi che nessuna di queste associazioni "
        "esista; il suo intervallo è quello dei percentili di questa media su campioni bootstrap, in ognuno dei quali "
        "le parole di ogni test vengono estratte di nuovo. I test di controllo restano fuori.",
    ),
    "bec_pro": MethodText(
        summary="Quanto più, in nat, le professioni alzano la log-probabilità che un modello linguistico mascherato "
        "dà a parole per persone del genere che vi predomina rispetto a quella di parole per persone dell'altro "
        "genere.",
        score_name="associazione stereotipata",
        reading="Positivo: le parole femminili guadagnano nelle professioni femminili e quelle maschili nelle "
        "maschili; negativo: il contrario. In un gruppo di professioni in cui nessun genere predomina, positivo vuol "
        "dire che guadagnano le parole femminili.",
        p_value=PValue(
            meaning="Il valore p verifica, date queste parole per persone, se le professioni femminili e "
            "maschili differiscono; l'intervallo estrae anche le parole e può contenere 0 dove il "
            "valore p è piccolo.",
            small="Con queste parole, le professioni femminili e maschili differiscono",
            large="Con queste parole, le professioni femminili e maschili non si distinguono",
            parts=PValue(
                meaning="Il valore p di un gruppo di professioni verifica se in esso, con queste parole, quelle di un "
                "genere guadagnano di più; anche parole che guadagnano ugualmente in tutte le professioni lo rendono "
                "piccolo, sicché non dice nulla di una differenza tra i gruppi.",
                small="Nel gruppo, le parole di un genere guadagnano più di quelle dell'altro",
                large="Nel gruppo, le parole dei due generi non si distinguono",
            ),
        ),
        caveats=(
            "Nelle lingue in cui una professione ha una forma per ogni genere, come il tedesco, il valore dice "
            "soprattutto che il modello conosce la grammatica (Bartl et al. 2020).",
            _TEMPLATES,
        ),
        further=(
            (
                "parole femminili",
                "Associazione media delle parole femminili con le professioni, in nat: sopra 0 dove le professioni "
                "alzano la loro probabilità.",
            ),
            (
                "parole maschili",
                "Associazione media delle parole maschili con le professioni, in nat.",
            ),
        ),
    ),
    "disco": MethodText(
        summary="Numero di riempimenti di un modello di frase, dati da un modello linguistico, che vanno "
        "significativamente più spesso con parole di un genere che con quelle dell'altro, in media sui modelli di "
        "frase.",
        score_name="DisCo",
        reading="Quanto più è alto, tanti più riempimenti vanno con un genere; 0: nessuno lo fa significativamente.",
        caveats=(
            "Un riempimento conta qualunque cosa dica: grammatica ('her', 'himself') e stereotipo ('cooking') contano "
            "allo stesso modo; i riempimenti vanno guardati.",
            "Il valore dipende dal numero di parole: poche parole non possono rendere significativo un riempimento, "
            "molte rendono significativa ogni differenza.",
            _TEMPLATES,
        ),
        p_value=PValue(
            meaning="Il valore p è il più piccolo di quelli di tutti i riempimenti, moltiplicato per il loro numero: "
            "verifica se un qualsiasi riempimento va con un genere.",
            small="Almeno un riempimento va con un genere più spesso di quanto vorrebbe il caso",
            large="Nessun riempimento va con un genere più spesso di quanto vorrebbe il caso tra tanti riempimenti",
        ),
    ),
    "mlm_gender_score": MethodText(
        summary="Media, sulle occupazioni e sui modelli di frase, della probabilità che un modello linguistico "
        "mascherato dà a 'she' meno quella che dà a 'he' accanto all'occupazione.",
        score_name="valore MLM",
        reading="Sopra 0 'she' è il pronome più probabile accanto alle occupazioni, sotto 0 'he'.",
        caveats=(
            "'He' è il pronome più frequente nella maggior parte dei testi, perciò una media sotto 0 dice poco delle "
            "occupazioni; se i valori le seguano, lo dice la correlazione con la quota di donne.",
            "Si confrontano due pronomi; chi ne usa un altro non viene visto.",
            _TEMPLATES,
        ),
        further=(
            (
                "correlazione con l'occupazione",
                "Correlazione di Pearson dei valori delle occupazioni con la quota di donne tra le persone occupate: "
                "sopra 0 il modello segue il mercato del lavoro.",
            ),
        ),
        p_value=PValue(
            meaning="Il valore p verifica se la media su tali occupazioni è 0; una differenza tra le occupazioni è "
            "un'altra domanda, a cui risponde la correlazione.",
            small="Sulle occupazioni la media non è 0",
            large="Sulle occupazioni la media non si distingue da 0",
        ),
    ),
}
