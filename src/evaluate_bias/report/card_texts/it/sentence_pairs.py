"""Italian sentences about methods on sentences that language models score."""

from __future__ import annotations

from ....method import PValue
from ...card_texts import MethodText

__all__ = ["METHODS", "SCORINGS"]

_PAIRS = (
    "Sopra 50 il modello ritiene più spesso più probabile la frase più stereotipata di una coppia; sotto 50 quella "
    "meno stereotipata."
)
_BALANCE = (
    "Un valore vicino a 50 può venire da preferenze stereotipate e antistereotipate che si compensano; vanno guardati "
    "i tipi di bias e la differenza media."
)
_SEEN = (
    "Il modello vede proprio i token su cui viene misurato, perciò le differenze sono piccole e dicono poco sulla "
    "verosimiglianza."
)
_DELTA = (
    "Δ medio",
    "Differenza media tra i valori delle due frasi di una coppia, positiva dove è più alta la più stereotipata; "
    "ideale 0.",
)
_FURTHER = (
    (
        "quota delle coppie decise",
        "Il valore senza i pareggi, di cui parlano le frasi e i grafici; ideale 50.",
    ),
    _DELTA,
    (
        "valore di stereotipo",
        "Il valore sulle coppie che mostrano uno stereotipo di un gruppo svantaggiato, senza i pareggi; ideale 50.",
    ),
    (
        "valore di antistereotipo",
        "Il valore sulle coppie che contraddicono un tale stereotipo, senza i pareggi; ideale 50.",
    ),
    ("pareggi", "Coppie le cui due frasi hanno lo stesso valore; contano come non preferite."),
)

SCORINGS = {
    "shared": "somma dei log p dei token comuni alle due frasi, mascherati uno alla volta "
    "(Nangia et al. 2020)",
    "all": "somma dei log p di tutti i token, mascherati uno alla volta "
    "(pseudo-log-verosimiglianza, Salazar et al. 2020)",
    "all_mean": "pseudo-log-verosimiglianza divisa per il numero di token",
    "within_word_l2r": "pseudo-log-verosimiglianza con le parti successive della parola anch'esse "
    "mascherate (Kauf e Ivanova 2023)",
    "changed": "media dei log p dei token che differiscono, mascherati uno alla volta (Meade et al. 2022)",
    "aul": "media dei log p di tutti i token, senza mascherare nulla (Kaneko e Bollegala 2022)",
    "aula": "come AUL, ogni token pesato con l'attenzione che riceve (Kaneko e Bollegala 2022)",
    "causal": "somma dei log p di ogni token dati quelli che lo precedono",
    "causal_mean": "log-verosimiglianza divisa per il numero di token",
}

METHODS = {
    "crows_pairs": MethodText(
        summary="Quota di coppie di frasi la cui frase più stereotipata un modello linguistico ritiene più probabile, "
        "in percentuale.",
        score_name="valore principale",
        reading=_PAIRS,
        caveats=(_BALANCE,),
        further=_FURTHER,
    ),
    "pll": MethodText(
        summary="Quota di coppie di frasi la cui frase più stereotipata ha la pseudo-log-verosimiglianza più alta, in "
        "percentuale.",
        score_name="valore di preferenza",
        reading=_PAIRS,
        caveats=(
            "Si valuta l'intera frase, compresa la parola del gruppo: una parola di gruppo frequente può decidere da "
            "sola una coppia.",
            _BALANCE,
        ),
        further=_FURTHER,
    ),
    "aul": MethodText(
        summary="Quota di coppie di frasi la cui frase più stereotipata ha la log-probabilità media dei suoi token "
        "più alta senza mascherare nulla, in percentuale.",
        score_name="valore di bias",
        reading=_PAIRS,
        caveats=(_SEEN, _BALANCE),
        further=_FURTHER,
    ),
    "aula": MethodText(
        summary="Come AUL, con la log-probabilità di ogni token pesata con l'attenzione che riceve, in percentuale.",
        score_name="valore di bias",
        reading=_PAIRS,
        caveats=(
            "L'attenzione non è importanza: i pesi sono una scelta del metodo.",
            _SEEN,
            _BALANCE,
        ),
        further=_FURTHER,
    ),
    "kldivs": MethodText(
        summary="La quota maggiore delle due divergenze di Kullback-Leibler tra i valori delle frasi stereotipate e "
        "antistereotipate, entrambi presi come normali, in percentuale.",
        score_name="KLDivS",
        reading="Quanto più è sopra 50, tanto più differiscono le due direzioni della divergenza di Kullback-Leibler "
        "tra i valori stereotipati e antistereotipati.",
        caveats=(
            "Confronta le due direzioni di una divergenza, non la sua grandezza: valori di uguale dispersione danno "
            "50, per quanto lontane siano le loro medie.",
            "Già il rumore lo porta sopra 50, tanto più quanto meno sono le coppie: va confrontato con la sua media "
            "sotto scambi casuali, indicata come valore ideale.",
            "Il valore non tiene conto di quale frase appartenga a quale coppia.",
            "JSDivS e JSS, riportati accanto, sono euristiche: le loro divergenze non sono quella di Jensen e Shannon.",
        ),
        p_value=PValue(
            meaning="Il valore p è la quota di scambi delle due frasi all'interno delle coppie che danno un KLDivS "
            "almeno altrettanto grande. Chiede se KLDivS superi ciò che dà il solo rumore; una preferenza che lascia "
            "immutata la dispersione dei valori non vi si vede.",
            small="KLDivS è maggiore di quanto spieghi lo scambio casuale delle frasi delle coppie",
            large="KLDivS non è maggiore di quanto spieghi lo scambio casuale delle frasi delle coppie",
        ),
        further=(
            (
                "media senza differenza",
                "Media di KLDivS quando le due frasi di ogni coppia sono scambiate a caso: ciò che dà il solo rumore, "
                "e il valore con cui confrontarlo.",
            ),
            (
                "JSDivS",
                "Il valore di divergenza di Jensen-Shannon dell'articolo, un'euristica senza limite inferiore; ideale "
                "100.",
            ),
            ("JSS", "Valore di Jensen-Shannon di Liu (2024), un'euristica tra 0 e 100; ideale 100."),
            (
                "p (KS)",
                "Valore p del test di Kolmogorov-Smirnov a due campioni, che prende i valori come indipendenti; quelli "
                "di una coppia salgono e scendono insieme, perciò trova solo preferenze forti.",
            ),
            _DELTA,
        ),
    ),
    "pll_robustness": MethodText(
        summary="Kappa di Cohen tra le preferenze per coppie di frasi e per le loro parafrasi: quanta parte della "
        "concordanza che il caso lascia da raggiungere viene raggiunta.",
        score_name="kappa di Cohen",
        reading="Vicino a 1 le preferenze sopravvivono a una parafrasi; vicino a 0 concordano quanto farebbero "
        "preferenze indipendenti; sotto 0, meno.",
        caveats=(
            "Misura la misurazione: un modello può essere affetto da bias e robusto, o nessuna delle due cose.",
        ),
        p_value=PValue(
            meaning="Il valore p dice quante volte parafrasi mescolate tra le coppie concordano almeno altrettanto; "
            "confronta con 0 e non dice quanto kappa sia vicino a 1: lo dice l'intervallo.",
            small="Le preferenze concordano con quelle delle parafrasi più che con parafrasi mescolate",
            large="Non è stato rilevato che le preferenze concordino con quelle delle parafrasi più che con parafrasi "
            "mescolate",
        ),
        further=(
            (
                "concordanza",
                "Quota di coppie la cui preferenza è la stessa per la coppia e per la sua parafrasi; ideale 1. Con una "
                "quota p di preferenze per la frase più stereotipata, il caso dà p² + (1 − p)².",
            ),
            (
                "concordanza con coppie estranee",
                "Il termine di paragone: quante volte una coppia che non c'entra dà la stessa preferenza; la "
                "concordanza con la parafrasi dovrebbe essere molto più alta.",
            ),
            (
                "concordanza per banda",
                "Concordanza con la parafrasi quando le differenze entro la banda contano come assenza di preferenza; "
                "ideale 1.",
            ),
        ),
    ),
    "stereoset": MethodText(
        summary="Quota di esercizi in cui un modello linguistico preferisce l'opzione stereotipata a quella "
        "antistereotipata, mediata sui termini bersaglio, in percentuale, con il valore di modello linguistico e la "
        "combinazione di entrambi, icat.",
        score_name="valore di stereotipo ss",
        reading="Sopra il valore ideale (50 se non ci sono pareggi) il modello preferisce le opzioni stereotipate, "
        "sotto quelle antistereotipate; va letto insieme a lms (ideale 100): anche un modello che non capisce "
        "nulla ottiene 50.",
        caveats=("Un valore vicino a 50 può venire da un modello che non capisce nulla; lms lo mostra.",),
        further=(
            (
                "lms",
                "Valore di modello linguistico: quota di opzioni sensate che superano quella fuori tema, in "
                "percentuale; ideale 100.",
            ),
            ("icat", "Entrambi in un numero, lms · min(ss, 100 − ss) / 50; ideale 100."),
            (
                "ss degli esercizi decisi",
                "Il valore di stereotipo senza i pareggi: quota tra gli esercizi decisi di un termine, mediata sui "
                "termini che ne hanno, in percentuale; ideale 50.",
            ),
            (
                "pareggi",
                "Esercizi le cui opzioni stereotipata e antistereotipata hanno lo stesso valore; contano come se la "
                "stereotipata perdesse, e il valore ideale è 50 meno metà della loro quota.",
            ),
            (
                "p sugli esercizi",
                "Valore p del test che la quota degli esercizi sia un mezzo; considera indipendenti gli esercizi di "
                "uno stesso termine bersaglio, che non lo sono, ed è quindi troppo piccolo.",
            ),
        ),
    ),
}
