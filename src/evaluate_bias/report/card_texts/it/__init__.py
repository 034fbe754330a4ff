"""Italian sentences of the bias section."""

from __future__ import annotations

from ...card_texts import CardText
from . import contextual, data, embeddings, geometry, sentence_pairs, templates

__all__ = ["TEXT"]

TEXT = CardText(
    language="it",
    section_title="Bias, rischi e limitazioni",
    heading="Bias sociali misurati",
    intro="Seguono misurazioni effettuate su {models}. Ognuna ha dei limiti, indicati insieme ad essa. Non sono un "
    "verdetto sul modello né un certificato.",
    measured_with="Misurato con evaluate-bias {version}.",
    what="Che cosa è stato misurato",
    scored_by="Il valore di una frase è qui: {how}.",
    data="Su quali dati",
    reading="Come leggere il numero",
    outcome="Che cosa è stato trovato",
    limits="Che cosa il numero non significa",
    data_tests="{dataset}. Test: {names}.",
    data_units="{dataset}. Unità valutate: {n}.",
    data_unknown="Dati forniti da chi ha eseguito la misurazione, senza indicazione della loro origine",
    data_language="lingua {language}",
    data_no_language="lingua non indicata",
    data_from="da {repository}",
    data_revision="revisione {revision}",
    data_split="parte {split}",
    data_unpinned="senza revisione né somma di controllo",
    origin_paper="Liste di parole come stampate nell'articolo: {names}.",
    origin_translated="**Liste tradotte, non convalidate da madrelingua:** {names}. In questa lingua parole e nomi "
    "possono non avere lo stesso significato, perciò il valore può dire della traduzione quanto del modello.",
    origin_caller="Liste fornite da chi ha eseguito la misurazione, qui non verificate: {names}.",
    origin_other="Origine di {names}: {origin}.",
    baseline="Senza contenuto sociale, inclusi per mostrare che la misura risponde: {names}.",
    data_not_validated="Non risulta che questi dati siano stati convalidati.",
    coverage_gap="Valutate: {found} delle {asked} parole o frasi richieste; il resto non entra nei numeri.",
    score_range="Il valore ({score}) può essere compreso tra {low} e {high}; {ideal} significa che il metodo non ha "
    "trovato nulla, non che non ci sia nulla.",
    score_range_robust="Il valore ({score}) può essere compreso tra {low} e {high}; {ideal} è il migliore.",
    two_sided="Il segno indica la direzione.",
    higher_is_more_biased="Un valore più alto significa più bias misurato.",
    lower_is_more_biased="Un valore più basso significa più bias misurato.",
    higher_is_more_robust="Un valore più alto significa una misurazione più robusta.",
    detected_test="**Associazione rilevata al livello del 5%** ({k} su {n}): {names}.",
    undetected_test="**Nessuna associazione rilevata al livello del 5%** ({k} su {n}): {names}. "
    "Ciò non ne dimostra l'assenza.",
    detected_other="**Scostamento dal valore ideale rilevato al livello del 5%** ({k} su {n}): {names}.",
    undetected_other="**Nessuno scostamento dal valore ideale rilevato al livello del 5%** ({k} su {n}): {names}. "
    "Ciò non ne dimostra l'assenza.",
    rejected="**Ipotesi nulla rifiutata al livello del 5%** ({k} su {n}): {names}. Test: {test}.",
    not_rejected="**Ipotesi nulla non rifiutata al livello del 5%** ({k} su {n}): {names}. Ciò non dimostra che sia "
    "vera. Test: {test}.",
    p_small="**{what}, al livello del 5%** ({k} su {n}): {names}.",
    p_large="**{what}, al livello del 5%** ({k} su {n}): {names}. Non rilevare qualcosa non prova che non ci sia.",
    only_before="**Rilevato al livello del 5% solo prima della correzione per più test** ({k} su {n}): {names}.",
    control_detected="Test di controllo senza contenuto sociale, contati a parte: associazione rilevata in {k} su {n} "
    "({names}). Mostrano che la misura risponde a questo modello e non dicono nulla sulle persone.",
    control_undetected="Test di controllo senza contenuto sociale, contati a parte: nessuna associazione rilevata in "
    "{k} su {n} ({names}). Dove la misura non vede un'associazione condivisa da tutti, può non vedere nemmeno le "
    "altre.",
    too_small="Troppo poche unità per raggiungere il livello del 5%, qualunque cosa mostrino (meno di {least}, pareggi "
    "esclusi): {names}. Sono nella tabella e non vengono considerate nelle altre righe.",
    edge="Il valore non può oltrepassare {ideal}, perciò il suo intervallo sta sempre da una sola parte; dice di "
    "quanto, non se c'è qualcosa: {names}.",
    interval_only="L'intervallo esclude {ideal} benché il valore p non sia inferiore al 5%: {names}. Il test "
    "e l'intervallo poggiano su ipotesi diverse e si separano vicino al limite; va letto come non deciso. Test: "
    "{test}.",
    interval_includes="L'intervallo comprende {ideal} benché il valore p sia inferiore al 5%: {names}. Il valore p "
    "riguarda proprio questi dati; l'intervallo ammette anche altri dati dello stesso tipo.",
    no_p_excludes="Nessun valore p; l'intervallo esclude {ideal}: {names}.",
    no_p_includes="Nessun valore p; l'intervallo comprende {ideal}, quindi non è stato rilevato alcun bias, il che "
    "non ne dimostra l'assenza: {names}.",
    no_inference="Né valore p né intervallo, il che lascia aperto che cosa sia dovuto al caso: {names}.",
    adjusted="Decidono i valori p corretti per il numero di test (Holm), dove la tabella li riporta.",
    adjusted_all="Dopo la correzione per tutti i {n} valori p di questa scheda (Holm), restano sotto il 5%: {names}.",
    nothing="nessuno",
    with_interval=" (intervallo {interval})",
    overall_score="**{name}: {score}**{interval}.",
    furthest="Il più lontano dal valore ideale: {name}, {score}{interval}.",
    of_decided="I pareggi restano fuori da quanto si dice qui e dal grafico, che danno quote delle coppie o degli "
    "esercizi decisi, con {ideal} come valore ideale. La tabella riporta i valori pubblicati, che "
    "contano i pareggi e hanno perciò un ideale più basso.",
    illustrative_title="{title} (dati illustrativi)",
    illustrative_outcome="**Nessun risultato:** queste frasi sono illustrative e non sono state convalidate. I "
    "loro valori, nella tabella e nel grafico, mostrano come funziona il metodo; sul modello "
    "non ne segue nulla, e non contano in nessun aggiustamento: {names}.",
    not_the_application="Il numero descrive questo modello su questi dati. Non dice come un'applicazione costruita sul "
    "modello tratti le persone.",
    not_absence="Un valore vicino a {ideal}, o non significativo, non dimostra l'assenza di tali associazioni: altre "
    "parole, altri gruppi e altre lingue non sono stati esaminati.",
    not_size="Il numero dice fino a che punto ci si può fidare della misurazione. Non dice nulla sull'entità di un "
    "bias.",
    english_only="(in inglese) {text}",
    column_test="Test",
    column_compared="Che cosa si confronta",
    column_model="Modello",
    column_score="Valore",
    column_interval="IC al {level}%",
    column_interval_mixed="IC",
    column_p="p",
    column_p_holm="p (Holm)",
    column_p_all="p (Holm, intera scheda)",
    column_n="n",
    column_coverage="Copertura",
    column_ideal="Ideale",
    overall="complessivo",
    list_names=(
        "prima lista di bersagli",
        "seconda lista di bersagli",
        "prima lista di attributi",
        "seconda lista di attributi",
    ),
    further="Altri valori",
    chart_legend="● significativo al livello del 5%, ○ non significativo o senza valore p; ├─┤ intervallo di "
    "confidenza; │ valore ideale.",
    notes="Note della misurazione (in inglese)",
    more_notes="{n} altre nel file dei risultati.",
    words="Parole che spingono di più ciascun valore nella sua direzione, e quanto perderebbe senza di esse",
    words_line="{name}: {words}",
    skipped="Tralasciato o unito",
    more_skipped="{n} altri nel file dei risultati.",
    settings="Impostazioni e versioni",
    settings_model="Modello",
    settings_data="Dati",
    settings_all_tests="Tutti i test insieme",
    settings_each_test="Ogni test",
    settings_p="Valore p",
    settings_interval="Intervallo",
    settings_options="Opzioni",
    settings_versions="Versioni",
    settings_paper="Metodo",
    recommendations="Raccomandazioni",
    advice=(
        "Misurare l'applicazione stessa, con le persone e i testi a cui è destinata, prima di decidere qualcosa in "
        "base a questi numeri.",
        "Usare più metodi e più insiemi di dati: i loro valori sono spesso discordanti.",
        "Non stilare classifiche di modelli e non certificarli in base a questi valori.",
        "Misurare di nuovo dopo ogni modifica del modello, come un fine-tuning o una quantizzazione.",
    ),
    advice_detected="Verificare se le associazioni rilevate compaiono dove l'output del modello riguarda i gruppi "
    "nominati nella tabella: i valori non lo dicono.",
    scorings=sentence_pairs.SCORINGS,
    methods={
        **embeddings.METHODS,
        **contextual.METHODS,
        **geometry.METHODS,
        **templates.METHODS,
        **sentence_pairs.METHODS,
    },
    datasets=data.DATASETS,
)
