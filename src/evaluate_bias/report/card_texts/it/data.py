"""Italian sentences about data sets."""

from __future__ import annotations

from ...card_texts import DataText

__all__ = ["DATASETS"]

_BLODGETT = (
    "Blodgett et al. (2021) hanno constatato che molte coppie di CrowS-Pairs e StereoSet non isolano uno stereotipo: "
    "contrasti poco chiari, gruppi sbagliati, più modifiche insieme. Un valore misurato con esse eredita questi "
    "difetti."
)
_ILLUSTRATIVE = (
    "Queste frasi sono illustrative: sono state scritte per questo progetto e non sono state convalidate né da "
    "madrelingua né da membri dei gruppi di cui parlano. Un valore misurato con esse non è un risultato su un modello."
)

DATASETS = {
    "weat_word_lists": DataText(
        title="Liste di parole di WEAT",
        caveats=(
            "Le liste inglesi provengono da studi fatti negli Stati Uniti e pubblicati dal 1998 al 2011: i loro nomi "
            "e le loro parole rappresentano i gruppi come erano visti lì e allora.",
        ),
    ),
    "crows_pairs": DataText(
        title="CrowS-Pairs",
        caveats=(
            _BLODGETT,
            "Le coppie pubblicate descrivono stereotipi degli Stati Uniti, in inglese del 2020; quelle in altre "
            "lingue ne sono traduzioni o adattamenti.",
        ),
    ),
    "stereoset": DataText(
        title="StereoSet",
        caveats=(
            _BLODGETT,
            "Gli esercizi pubblicati descrivono stereotipi degli Stati Uniti, in inglese del 2020.",
        ),
    ),
    "bec_pro": DataText(
        title="BEC-Pro",
        caveats=(
            "Il genere è binario in queste frasi, e i gruppi di professioni seguono l'occupazione negli Stati Uniti, "
            "anche in tedesco.",
        ),
    ),
    "winogender_occupations": DataText(
        title="Occupazioni di Winogender",
        caveats=(
            "Le quote di donne nelle occupazioni sono quelle degli Stati Uniti nel 2015 e 2016, assegnate alle parole "
            "a mano; più parole condividono un numero.",
        ),
    ),
    "professions": DataText(
        title="Professioni",
        caveats=(
            "Le forme in lingue diverse dall'inglese, tranne quelle tedesche di BEC-Pro, sono state scritte per "
            "questo progetto e non convalidate da madrelingua; alcune forme femminili sono discusse o rare.",
            "Quali professioni valgano come di donne e di uomini segue l'occupazione negli Stati Uniti; nell'elenco di "
            "Delobelle et al. (2022), secondo i dati del 2015, alcune sono la prima parola di un titolo più lungo "
            "(server, model, helper) e più ampie di questo.",
        ),
    ),
    "gendered_words": DataText(
        title="Parole con genere",
        caveats=(
            "Le coppie in lingue diverse dall'inglese sono state scritte per questo progetto e non convalidate da "
            "madrelingua.",
            "Il genere è binario in queste coppie, e le due parole di una coppia differiscono per frequenza e per "
            "altri significati.",
        ),
    ),
    "bias_templates": DataText(
        title="Modelli di frase di misure del bias",
        caveats=(
            "Una frase resa neutra non è priva di significato (Delobelle et al. 2022): i valori dipendono dal modello "
            "di frase.",
            "I modelli di frase in lingue diverse dall'inglese, tranne quelli di BEC-Pro in tedesco, di RobBERT in "
            "nederlandese e quelli della sola parola, sono traduzioni che nessun madrelingua ha convalidato.",
        ),
    ),
    "context_sentences": DataText(
        title="Frasi di contesto",
        caveats=(
            "I contesti sono testi antichi e formali, romanzi dal 1796 al 1918 e discorsi di presidenti degli Stati "
            "Uniti dal 1790 al 2021: ciò che vi si misura può non valere per l'uso di oggi.",
        ),
    ),
    "minimal_pairs": DataText(title="Coppie minime fornite con evaluate-bias", caveats=(_ILLUSTRATIVE,)),
    "stereoset_style": DataText(
        title="Esercizi nella forma di StereoSet forniti con evaluate-bias", caveats=(_ILLUSTRATIVE,)
    ),
}
