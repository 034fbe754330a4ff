"""Italian sentences about methods on embeddings."""

from __future__ import annotations

from ...card_texts import MethodText

__all__ = ["METHODS"]

METHODS = {
    "weat": MethodText(
        summary="Quanto più un insieme di parole bersaglio è associato a un insieme di parole attributo anziché "
        "a un altro, rispetto a un secondo insieme di parole bersaglio, come differenza standardizzata di "
        "similarità del coseno medie.",
        score_name="dimensione dell'effetto d",
        reading="Un d positivo associa i primi bersagli ai primi attributi e i secondi bersagli ai secondi "
        "attributi; un d negativo il contrario.",
        caveats=(
            "Il valore descrive le parole scelte: altre parole per gli stessi concetti danno altri valori.",
            "Un valore p vicino a 0 indica che l'associazione non è una suddivisione casuale di queste parole; non "
            "indica quanto sia grande, né che un sistema costruito sui vettori discriminerà.",
            "Una dimensione dell'effetto vicina a 0 mostra solo che queste liste non hanno trovato associazioni.",
        ),
        combined="Il valore di più test è la media dei valori assoluti delle loro dimensioni dell'effetto, perché "
        "segni opposti non si annullino; per caso non è 0, perciò il suo valore ideale è la sua media su "
        "ripartizioni casuali delle parole bersaglio, e il suo valore p la quota di ripartizioni con una "
        "media altrettanto grande. Il suo intervallo è quello dei percentili di questa media su campioni "
        "bootstrap, in ognuno dei quali le parole di ogni test, bersagli e attributi, vengono estratte di "
        "nuovo, centrato sul valore. I test di controllo restano fuori.",
        further=(
            (
                "media di d con segno",
                "Media delle dimensioni dell'effetto di più test con i loro segni; quelli opposti vi si "
                "annullano.",
            ),
        ),
    ),
}
