"""Spanish sentences about methods on embeddings."""

from __future__ import annotations

from ...card_texts import MethodText

__all__ = ["METHODS"]

METHODS = {
    "weat": MethodText(
        summary="Cuánto más asociado está un conjunto de palabras objetivo con un conjunto de palabras atributo "
        "que con otro, en comparación con un segundo conjunto de palabras objetivo, como diferencia "
        "estandarizada de similitudes de coseno medias.",
        score_name="tamaño del efecto d",
        reading="Un d positivo asocia los primeros objetivos con los primeros atributos y los segundos "
        "objetivos con los segundos atributos; un d negativo, al revés.",
        caveats=(
            "El valor describe las palabras elegidas: otras palabras para los mismos conceptos dan otros valores.",
            "Un valor p cercano a 0 indica que la asociación no es una división al azar de estas palabras; no "
            "indica su magnitud ni que un sistema construido sobre los vectores vaya a discriminar.",
            "Un tamaño del efecto cercano a 0 muestra solo que estas listas no encontraron asociación.",
        ),
        combined="El valor de varias pruebas es la media de los valores absolutos de sus tamaños del efecto, para "
        "que los signos opuestos no se anulen; por azar no es 0, así que su valor ideal es su media sobre "
        "repartos al azar de las palabras objetivo, y su valor p la proporción de repartos con una media "
        "igual de grande. Su intervalo es el intervalo de percentiles de esa media sobre muestras "
        "bootstrap, en cada una de las cuales se vuelven a extraer las palabras de cada prueba, objetivos "
        "y atributos, centrado en el valor. Las pruebas de control quedan fuera.",
        further=(
            (
                "media de d con signo",
                "Media de los tamaños del efecto de varias pruebas con sus signos; los opuestos se anulan "
                "en ella.",
            ),
        ),
    ),
}
