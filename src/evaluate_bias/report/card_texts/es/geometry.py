"""Spanish sentences about WSV and about how far templates and representations agree."""

from __future__ import annotations

from ....method import PValue
from ...card_texts import MethodText

__all__ = ["METHODS"]

_SUBSETS = (
    "Los subconjuntos de una lista de palabras se solapan: los valores p ordinarios de estas correlaciones son "
    "demasiado pequeños. Los valores p por permutación son válidos; los ordinarios figuran solo para comparar."
)
_FEW = (
    "Veinte subconjuntos son una muestra pequeña: otros subconjuntos (otra semilla) dan correlaciones algo "
    "distintas."
)

METHODS = {
    "wsv": MethodText(
        summary="Correlación de las posiciones de las palabras a lo largo del eje principal de los rasgos de la "
        "representación que revelan una propiedad protegida, como el género, con una estadística de las palabras, "
        "como la proporción de mujeres en una ocupación.",
        score_name="correlación r",
        reading="Un r positivo coloca las palabras con mayor estadística más cerca de la clase positiva (con los "
        "datos por defecto: las ocupaciones de mujeres más cerca de las palabras para mujeres); un r negativo, al "
        "revés.",
        caveats=(
            "El número de rasgos es una elección: debe fijarse antes de ver los resultados de todos los números, o "
            "tomarse el valor p propio de ese barrido, que paga por la elección.",
            "El primer eje es el de mayor varianza entre las palabras protegidas, que no tiene por qué ser la "
            "propiedad protegida; lo dice la parte de su varianza entre las clases.",
            "Una correlación con el mundo dice que el modelo conoce la desigualdad del mundo; no dice que un sistema "
            "construido sobre él vaya a tratar a las personas de forma desigual.",
        ),
    ),
    "template_compatibility": MethodText(
        summary="Correlación media de los valores de asociación que distintas plantillas dan a los mismos "
        "subconjuntos de palabras.",
        score_name="correlación media",
        reading="Cerca de 1, todas las plantillas ordenan igual los subconjuntos de palabras; cerca de 0, un valor "
        "depende de la plantilla con la que se midió.",
        caveats=(
            "Mide la medición: las plantillas pueden coincidir en un sesgo que no existe y discrepar sobre uno que "
            "existe.",
            _SUBSETS,
            _FEW,
        ),
        p_value=PValue(
            meaning="El valor p comprueba si no hay dos plantillas que tengan algo en común, no si concuerdan bien: "
            "cualquier concordancia lo hace pequeño.",
            small="Algunas plantillas concuerdan más de lo que lo harían unas sin relación",
            large="Las plantillas no se distinguen de unas sin relación",
        ),
    ),
    "representation_compatibility": MethodText(
        summary="Correlación media de los valores de asociación que distintas representaciones de palabras dan a los "
        "mismos subconjuntos de palabras.",
        score_name="correlación media",
        reading="Cerca de 1, todas las representaciones ordenan igual los subconjuntos de palabras; cerca de 0, un "
        "valor depende de la representación con la que se midió.",
        caveats=(
            "Mide la medición: las representaciones pueden coincidir en un sesgo que no existe y discrepar sobre uno "
            "que existe.",
            _SUBSETS,
            _FEW,
        ),
        p_value=PValue(
            meaning="El valor p comprueba si no hay dos representaciones que tengan algo en común, no si concuerdan "
            "bien: cualquier concordancia lo hace pequeño.",
            small="Algunas representaciones concuerdan más de lo que lo harían unas sin relación",
            large="Las representaciones no se distinguen de unas sin relación",
        ),
    ),
}
