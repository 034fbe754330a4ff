"""Spanish sentences about methods on embeddings in context."""

from __future__ import annotations

from ...card_texts import MethodText

__all__ = ["METHODS"]

_READING = (
    "Un valor positivo asocia los primeros objetivos con los primeros atributos y los segundos objetivos con los "
    "segundos atributos; uno negativo, al revés."
)
_WORDS = (
    "El valor describe las palabras elegidas: otras palabras para los mismos conceptos dan otros valores."
)
_REPRESENTATION = (
    "Los valores de distintas plantillas, representaciones y capas de un mismo modelo discrepan, a menudo en el signo "
    "(Delobelle et al. 2022): hay que nombrar las tres con el valor."
)
_LAYERS = (
    "Los valores de distintas representaciones y capas de un mismo modelo discrepan, a menudo en el signo: hay que "
    "nombrar ambas con el valor."
)
_HOLM = "una prueba de que no existe ninguna de estas asociaciones"

METHODS = {
    "seat": MethodText(
        summary="Cuánto más asociadas están las oraciones con un conjunto de palabras objetivo a las oraciones con un "
        "conjunto de palabras atributo que las oraciones con otro conjunto de palabras objetivo, como diferencia "
        "estandarizada de similitudes de coseno medias.",
        score_name="tamaño del efecto d",
        reading=_READING
        + " Los límites son ±2 donde ambos conjuntos de objetivos tienen el mismo número de oraciones, y algo más "
        "amplios donde no.",
        caveats=(
            "El valor p reparte palabras. El del artículo, que figura al lado, toma las oraciones como "
            "independientes, y las hechas con una misma palabra no lo son: es demasiado pequeño, a menudo con "
            "mucho.",
            _REPRESENTATION,
            _WORDS,
            "Un tamaño del efecto cercano a 0 muestra solo que estas oraciones no encontraron asociación.",
        ),
        further=(
            (
                "p sobre oraciones",
                "El valor p del artículo, de la prueba de permutación que reparte las "
                "oraciones como si las de una misma palabra fueran independientes.",
            ),
            (
                "media de d con signo",
                "Media de los tamaños del efecto de varias pruebas con sus signos; los "
                "opuestos se anulan en ella.",
            ),
        ),
        combined="El valor de varias pruebas es la media de los valores absolutos de sus tamaños del efecto, para que "
        "los signos opuestos no se anulen; por azar no es 0, así que su valor ideal es su media sobre repartos al azar "
        "de las palabras objetivo, y su valor p la proporción de repartos con una media igual de grande. Su "
        "intervalo es el intervalo de percentiles de esa media sobre muestras bootstrap, en cada una de las cuales "
        "se vuelven a extraer las palabras de cada prueba con todas sus oraciones, centrado en el valor. Las "
        "pruebas de control quedan fuera.",
    ),
    "ceat": MethodText(
        summary="Media de los tamaños del efecto de pruebas de asociación con palabras en contextos extraídos al azar "
        "de un corpus, combinados mediante un modelo de efectos aleatorios.",
        score_name="tamaño del efecto combinado (CES)",
        reading=_READING,
        caveats=(
            "El intervalo habla de contextos al azar de estas mismas palabras y se reduce por construcción con el "
            "número de muestras, igual que el valor p del artículo sobre contextos, que figura al lado: con 10 000 "
            "muestras, cualquier diferencia entre estas palabras es significativa. El valor p reparte palabras y "
            "no se reduce.",
            "El valor describe las palabras elegidas y el corpus del que proceden sus contextos.",
            _LAYERS,
        ),
        further=(
            (
                "τ²",
                "Varianza estimada de los tamaños del efecto sobre los contextos, más allá de lo que explica la "
                "varianza elegida de una muestra.",
            ),
            (
                "I²",
                "Proporción de la variación entre muestras que la varianza elegida de una muestra no explica.",
            ),
            (
                "p sobre contextos",
                "El valor p del artículo, del modelo de efectos aleatorios: toma las palabras como dadas y "
                "pregunta si la media sobre extracciones al azar de contextos es 0.",
            ),
        ),
        combined="El valor de varias pruebas es la media de sus tamaños del efecto combinados; su valor p es el menor "
        "de sus valores p ajustados según Holm, "
        + _HOLM
        + "; su intervalo toma las pruebas como independientes. "
        "Las pruebas de control quedan fuera.",
    ),
}
