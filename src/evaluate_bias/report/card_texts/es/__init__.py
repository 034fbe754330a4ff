"""Spanish sentences of the bias section."""

from __future__ import annotations

from ...card_texts import CardText
from . import contextual, data, embeddings, geometry, sentence_pairs, templates

__all__ = ["TEXT"]

TEXT = CardText(
    language="es",
    section_title="Sesgos, riesgos y limitaciones",
    heading="Sesgos sociales medidos",
    intro="Lo que sigue son mediciones hechas en {models}. Cada una tiene límites, que se indican con ella. No son un "
    "veredicto sobre el modelo ni un certificado.",
    measured_with="Medido con evaluate-bias {version}.",
    what="Qué se midió",
    scored_by="El valor de una oración es aquí: {how}.",
    data="Con qué datos",
    reading="Cómo leer el número",
    outcome="Qué se encontró",
    limits="Qué no significa el número",
    data_tests="{dataset}. Pruebas: {names}.",
    data_units="{dataset}. Unidades evaluadas: {n}.",
    data_unknown="Datos aportados por quien hizo la medición, sin indicación de su origen",
    data_language="idioma {language}",
    data_no_language="idioma no indicado",
    data_from="de {repository}",
    data_revision="revisión {revision}",
    data_split="parte {split}",
    data_unpinned="sin revisión ni suma de comprobación",
    origin_paper="Listas de palabras tal como figuran en el artículo: {names}.",
    origin_translated="**Listas traducidas, no validadas por hablantes nativos:** {names}. Es posible que las "
    "palabras y los nombres no tengan el mismo significado en este idioma, de modo que el valor puede decir tanto "
    "de la traducción como del modelo.",
    origin_caller="Listas aportadas por quien hizo la medición, no revisadas aquí: {names}.",
    origin_other="Origen de {names}: {origin}.",
    baseline="Sin contenido social, incluidas para mostrar que la medida responde: {names}.",
    data_not_validated="No consta que estos datos hayan sido validados.",
    coverage_gap="Evaluadas: {found} de {asked} palabras u oraciones solicitadas; el resto no entra en los números.",
    score_range="El valor ({score}) puede estar entre {low} y {high}; {ideal} significa que el método no encontró "
    "nada, no que no haya nada.",
    score_range_robust="El valor ({score}) puede estar entre {low} y {high}; {ideal} es lo mejor.",
    two_sided="El signo indica la dirección.",
    higher_is_more_biased="Un valor más alto significa más sesgo medido.",
    lower_is_more_biased="Un valor más bajo significa más sesgo medido.",
    higher_is_more_robust="Un valor más alto significa una medición más robusta.",
    detected_test="**Asociación detectada al nivel del 5 %** ({k} de {n}): {names}.",
    undetected_test="**No se detectó asociación al nivel del 5 %** ({k} de {n}): {names}. "
    "Esto no demuestra su ausencia.",
    detected_other="**Desviación del valor ideal detectada al nivel del 5 %** ({k} de {n}): {names}.",
    undetected_other="**No se detectó desviación del valor ideal al nivel del 5 %** ({k} de {n}): {names}. "
    "Esto no demuestra su ausencia.",
    rejected="**Hipótesis nula rechazada al nivel del 5 %** ({k} de {n}): {names}. Prueba: {test}.",
    not_rejected="**Hipótesis nula no rechazada al nivel del 5 %** ({k} de {n}): {names}. Esto no demuestra que sea "
    "cierta. Prueba: {test}.",
    p_small="**{what}, al nivel del 5 %** ({k} de {n}): {names}.",
    p_large="**{what}, al nivel del 5 %** ({k} de {n}): {names}. No detectar algo no prueba que no exista.",
    only_before="**Detectado al nivel del 5 % solo antes del ajuste por varias pruebas** ({k} de {n}): {names}.",
    control_detected="Pruebas de control sin contenido social, contadas aparte: asociación detectada en {k} de {n} "
    "({names}). Muestran que la medida responde a este modelo y no dicen nada sobre las personas.",
    control_undetected="Pruebas de control sin contenido social, contadas aparte: ninguna asociación detectada en {k} "
    "de {n} ({names}). Donde la medida no ve una asociación que todo el mundo comparte, puede que tampoco vea las "
    "demás.",
    too_small="Demasiado pocas unidades para alcanzar el nivel del 5 %, muestren lo que muestren (menos de {least}, "
    "sin contar los empates): {names}. Figuran en la tabla y no se consideran en las demás líneas.",
    edge="El valor no puede pasar de {ideal}, de modo que su intervalo queda siempre a un lado; dice cuánto, no si hay "
    "algo: {names}.",
    interval_only="El intervalo excluye {ideal} aunque el valor p no está por debajo del 5 %: {names}. La prueba "
    "y el intervalo parten de supuestos distintos y se separan cerca del límite; léase como no decidido. Prueba: "
    "{test}.",
    interval_includes="El intervalo incluye {ideal} aunque el valor p está por debajo del 5 %: {names}. El valor p "
    "se refiere exactamente a estos datos; el intervalo admite también otros datos del mismo tipo.",
    no_p_excludes="Sin valor p; el intervalo excluye {ideal}: {names}.",
    no_p_includes="Sin valor p; el intervalo incluye {ideal}, por lo que no se detectó sesgo, lo que no demuestra su "
    "ausencia: {names}.",
    no_inference="Sin valor p ni intervalo, por lo que queda abierto qué es azar: {names}.",
    adjusted="Deciden los valores p ajustados por el número de pruebas (Holm), donde la tabla los tiene.",
    adjusted_all="Tras el ajuste por los {n} valores p de esta ficha (Holm), siguen por debajo del 5 %: {names}.",
    nothing="ninguno",
    with_interval=" (intervalo {interval})",
    overall_score="**{name}: {score}**{interval}.",
    furthest="Lo más alejado del valor ideal: {name}, {score}{interval}.",
    of_decided="Los empates quedan fuera de lo que se dice aquí y del gráfico, que dan proporciones de los pares o"
    " ejercicios decididos, con {ideal} como valor ideal. La tabla tiene los valores publicados, que "
    "cuentan los empates y por eso tienen un ideal más bajo.",
    illustrative_title="{title} (datos ilustrativos)",
    illustrative_outcome="**Ningún hallazgo:** estas frases son ilustrativas y no fueron validadas. Sus valores, "
    "en la tabla y el gráfico, muestran cómo funciona el método; de ellos no se sigue nada "
    "sobre el modelo, y no cuentan en ningún ajuste: {names}.",
    not_the_application="El número describe este modelo con estos datos. No dice cómo trata a las personas una "
    "aplicación construida sobre el modelo.",
    not_absence="Un valor cercano a {ideal}, o uno no significativo, no demuestra que falten tales asociaciones: no se "
    "examinaron otras palabras, otros grupos ni otros idiomas.",
    not_size="El número trata de cuánto se puede confiar en la medición. No dice nada sobre la magnitud de un sesgo.",
    english_only="(en inglés) {text}",
    column_test="Prueba",
    column_compared="Qué se compara",
    column_model="Modelo",
    column_score="Valor",
    column_interval="IC del {level} %",
    column_interval_mixed="IC",
    column_p="p",
    column_p_holm="p (Holm)",
    column_p_all="p (Holm, toda la ficha)",
    column_n="n",
    column_coverage="Cobertura",
    column_ideal="Ideal",
    overall="global",
    list_names=(
        "primera lista de palabras objetivo",
        "segunda lista de palabras objetivo",
        "primera lista de atributos",
        "segunda lista de atributos",
    ),
    further="Otros valores",
    chart_legend="● significativo al nivel del 5 %, ○ no significativo o sin valor p; ├─┤ intervalo de confianza; "
    "│ valor ideal.",
    notes="Notas de la medición (en inglés)",
    more_notes="{n} más en el archivo de resultados.",
    words="Palabras que más empujan cada valor en su propia dirección, y lo que este perdería sin ellas",
    words_line="{name}: {words}",
    skipped="Omitido o fusionado",
    more_skipped="{n} más en el archivo de resultados.",
    settings="Ajustes y versiones",
    settings_model="Modelo",
    settings_data="Datos",
    settings_all_tests="Todas las pruebas juntas",
    settings_each_test="Cada prueba",
    settings_p="Valor p",
    settings_interval="Intervalo",
    settings_options="Opciones",
    settings_versions="Versiones",
    settings_paper="Método",
    recommendations="Recomendaciones",
    advice=(
        "Medir la aplicación misma, con las personas y los textos a los que se destina, antes de decidir algo a "
        "partir de estos números.",
        "Usar varios métodos y conjuntos de datos: sus valores discrepan a menudo.",
        "No clasificar ni certificar modelos por estos valores.",
        "Medir de nuevo tras cada cambio del modelo, como un ajuste fino o una cuantización.",
    ),
    advice_detected="Comprobar si las asociaciones detectadas aparecen donde la salida del modelo se refiere a los "
    "grupos nombrados en la tabla: los valores no lo dicen.",
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
