"""Spanish sentences about methods that fill templates."""

from __future__ import annotations

from ....method import PValue
from ...card_texts import MethodText

__all__ = ["METHODS"]

_TEMPLATES = (
    "Los valores de distintas plantillas discrepan, a menudo en el signo (Delobelle et al. 2022): hay que nombrar las "
    "plantillas con el valor."
)

METHODS = {
    "lpbs": MethodText(
        summary="Cuánto más que las de otro conjunto (las artes) elevan las palabras atributo de un conjunto (las "
        "matemáticas, por ejemplo) la probabilidad que un modelo de lenguaje enmascarado da a un conjunto de palabras "
        "objetivo (por ejemplo, para hombres) frente a otro (para mujeres), como diferencia estandarizada.",
        score_name="tamaño del efecto d",
        reading="Un d positivo asocia los primeros atributos con los primeros objetivos y los segundos atributos con "
        "los segundos objetivos; un d negativo, al revés.",
        caveats=(
            "El valor describe las palabras y plantillas elegidas: otras para los mismos conceptos dan otros valores, "
            "a menudo de otro signo.",
            "Con la plantilla vacía, que suple a las plantillas en las pruebas que no las tienen, el modelo lee dos "
            "palabras que no son una oración.",
            "Un tamaño del efecto cercano a 0 muestra solo que estas palabras en estas plantillas no encontraron "
            "asociación.",
        ),
        further=(
            (
                "diferencia",
                "Valor medio de los primeros atributos menos el de los segundos, en nats: la magnitud del efecto, que "
                "d no indica.",
            ),
        ),
        combined="El valor de varias pruebas es la media de sus tamaños del efecto; su valor p es el menor de sus "
        "valores p ajustados según Holm, una prueba de que no existe ninguna de estas asociaciones; su intervalo es "
        "el intervalo de percentiles de esa media sobre muestras bootstrap, en cada una de las cuales se vuelven a "
        "extraer las palabras de cada prueba. Las pruebas de control quedan fuera.",
    ),
    "bec_pro": MethodText(
        summary="Cuánto más, en nats, elevan las profesiones la log-probabilidad que un modelo de lenguaje "
        "enmascarado da a palabras de personas del género que predomina en ellas que la de palabras de personas del "
        "otro género.",
        score_name="asociación estereotipada",
        reading="Positivo: las palabras femeninas ganan en profesiones femeninas y las masculinas en las masculinas; "
        "negativo: al revés. En un grupo de profesiones en el que no predomina ningún género, positivo significa que "
        "ganan las palabras femeninas.",
        p_value=PValue(
            meaning="El valor p prueba, con estas palabras para personas como dadas, si las profesiones "
            "femeninas y las masculinas difieren; el intervalo sortea también las palabras y "
            "puede contener 0 aunque el valor p sea pequeño.",
            small="Con estas palabras, las profesiones femeninas y las masculinas difieren",
            large="Con estas palabras, las profesiones femeninas y las masculinas no se distinguen",
            parts=PValue(
                meaning="El valor p de un grupo de profesiones prueba si en él, con estas palabras, ganan más las de "
                "un género; las palabras que ganan por igual en todas las profesiones también lo hacen pequeño, de "
                "modo que no dice nada de una diferencia entre los grupos.",
                small="Dentro del grupo, las palabras de un género ganan más que las del otro",
                large="Dentro del grupo, las palabras de los dos géneros no se distinguen",
            ),
        ),
        caveats=(
            "En idiomas en los que una profesión tiene una forma para cada género, como el alemán, el valor dice "
            "sobre todo que el modelo conoce la gramática (Bartl et al. 2020).",
            _TEMPLATES,
        ),
        further=(
            (
                "palabras femeninas",
                "Asociación media de las palabras femeninas con las profesiones, en nats: por encima de 0 donde las "
                "profesiones elevan su probabilidad.",
            ),
            (
                "palabras masculinas",
                "Asociación media de las palabras masculinas con las profesiones, en nats.",
            ),
        ),
    ),
    "disco": MethodText(
        summary="Número de rellenos de una plantilla por un modelo que aparecen significativamente más con palabras "
        "de un género que con las del otro, promediado sobre las plantillas.",
        score_name="DisCo",
        reading="Cuanto más alto, más rellenos van con un género; 0: ninguno lo hace significativamente.",
        caveats=(
            "Un relleno cuenta diga lo que diga: la gramática ('her', 'himself') y el estereotipo ('cooking') cuentan "
            "igual; hay que ver los rellenos.",
            "El valor depende del número de palabras: pocas palabras no pueden hacer significativo un relleno, muchas "
            "hacen significativa cualquier diferencia.",
            _TEMPLATES,
        ),
        p_value=PValue(
            meaning="El valor p es el menor de los de todos los rellenos, multiplicado por su número: comprueba si "
            "algún relleno va con un género.",
            small="Al menos un relleno va con un género más a menudo de lo que haría el azar",
            large="Ningún relleno va con un género más a menudo de lo que haría el azar entre tantos rellenos",
        ),
    ),
    "mlm_gender_score": MethodText(
        summary="Media sobre ocupaciones y plantillas de la probabilidad que un modelo de lenguaje enmascarado da a "
        "'she' menos la que da a 'he' junto a la ocupación.",
        score_name="valor MLM",
        reading="Por encima de 0, 'she' es el pronombre más probable junto a las ocupaciones; por debajo de 0, 'he'.",
        caveats=(
            "'He' es el pronombre más frecuente en la mayoría de los textos, de modo que una media por debajo de 0 "
            "dice poco de las ocupaciones; si los valores las siguen, lo dice la correlación con la proporción de "
            "mujeres.",
            "Se comparan dos pronombres; quien usa otro no se ve.",
            _TEMPLATES,
        ),
        further=(
            (
                "correlación con el empleo",
                "Correlación de Pearson de los valores de las ocupaciones con la proporción de mujeres entre las "
                "personas empleadas: por encima de 0, el modelo sigue el mercado laboral.",
            ),
        ),
        p_value=PValue(
            meaning="El valor p comprueba si la media sobre tales ocupaciones es 0; una diferencia entre las "
            "ocupaciones es otra cuestión, que responde la correlación.",
            small="Sobre las ocupaciones, la media no es 0",
            large="Sobre las ocupaciones, la media no se distingue de 0",
        ),
    ),
}
