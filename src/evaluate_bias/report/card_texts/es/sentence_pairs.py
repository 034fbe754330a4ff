"""Spanish sentences about methods on sentences that language models score."""

from __future__ import annotations

from ....method import PValue
from ...card_texts import MethodText

__all__ = ["METHODS", "SCORINGS"]

_PAIRS = (
    "Por encima de 50, el modelo considera más probable con mayor frecuencia la oración más estereotipada de un par; "
    "por debajo de 50, la menos estereotipada."
)
_BALANCE = (
    "Un valor cercano a 50 puede deberse a preferencias estereotipadas y antiestereotipadas que se compensan; "
    "conviene ver los tipos de sesgo y la diferencia media."
)
_SEEN = (
    "El modelo ve los mismos tokens en los que se mide, por lo que las diferencias son pequeñas y dicen poco sobre la "
    "verosimilitud."
)
_DELTA = (
    "Δ medio",
    "Diferencia media entre los valores de las dos oraciones de un par, positiva donde la más estereotipada es mayor; "
    "ideal 0.",
)
_FURTHER = (
    (
        "proporción de los pares decididos",
        "El valor sin los empates, del que hablan las frases y los gráficos; ideal 50.",
    ),
    _DELTA,
    (
        "valor de estereotipo",
        "El valor en los pares que muestran un estereotipo de un grupo desfavorecido, sin los empates; ideal 50.",
    ),
    (
        "valor de antiestereotipo",
        "El valor en los pares que contradicen tal estereotipo, sin los empates; ideal 50.",
    ),
    ("empates", "Pares cuyas dos oraciones tienen el mismo valor; cuentan como no preferidos."),
)

SCORINGS = {
    "shared": "suma de log p de los tokens comunes a las dos oraciones, enmascarados uno tras "
    "otro (Nangia et al. 2020)",
    "all": "suma de log p de todos los tokens, enmascarados uno tras otro "
    "(pseudo-log-verosimilitud, Salazar et al. 2020)",
    "all_mean": "pseudo-log-verosimilitud dividida por el número de tokens",
    "within_word_l2r": "pseudo-log-verosimilitud con las partes posteriores de la palabra también "
    "enmascaradas (Kauf e Ivanova 2023)",
    "changed": "media de log p de los tokens que difieren, enmascarados uno tras otro (Meade et al. 2022)",
    "aul": "media de log p de todos los tokens, sin enmascarar nada (Kaneko y Bollegala 2022)",
    "aula": "como AUL, cada token ponderado por la atención que recibe (Kaneko y Bollegala 2022)",
    "causal": "suma de log p de cada token dados los anteriores",
    "causal_mean": "log-verosimilitud dividida por el número de tokens",
}

METHODS = {
    "crows_pairs": MethodText(
        summary="Proporción de pares de oraciones cuya oración más estereotipada un modelo de lenguaje considera más "
        "probable, en porcentaje.",
        score_name="valor principal",
        reading=_PAIRS,
        caveats=(_BALANCE,),
        further=_FURTHER,
    ),
    "pll": MethodText(
        summary="Proporción de pares de oraciones cuya oración más estereotipada tiene la mayor "
        "pseudo-log-verosimilitud, en porcentaje.",
        score_name="valor de preferencia",
        reading=_PAIRS,
        caveats=(
            "Se evalúa la oración entera, incluida la palabra del grupo: una palabra de grupo frecuente puede decidir "
            "por sí sola un par.",
            _BALANCE,
        ),
        further=_FURTHER,
    ),
    "aul": MethodText(
        summary="Proporción de pares de oraciones cuya oración más estereotipada tiene la mayor log-probabilidad "
        "media de sus tokens sin enmascarar nada, en porcentaje.",
        score_name="valor de sesgo",
        reading=_PAIRS,
        caveats=(_SEEN, _BALANCE),
        further=_FURTHER,
    ),
    "aula": MethodText(
        summary="Como AUL, con la log-probabilidad de cada token ponderada por la atención que recibe, en porcentaje.",
        score_name="valor de sesgo",
        reading=_PAIRS,
        caveats=(
            "La atención no es importancia: los pesos son una elección del método.",
            _SEEN,
            _BALANCE,
        ),
        further=_FURTHER,
    ),
    "kldivs": MethodText(
        summary="La mayor proporción de las dos divergencias de Kullback-Leibler entre los valores de las oraciones "
        "estereotipadas y antiestereotipadas, ambos tomados como normales, en porcentaje.",
        score_name="KLDivS",
        reading="Cuanto más por encima de 50, más difieren las dos direcciones de la divergencia de Kullback-Leibler "
        "entre los valores estereotipados y los antiestereotipados.",
        caveats=(
            "Compara las dos direcciones de una divergencia, no su magnitud: valores de igual dispersión dan 50 por "
            "muy separadas que estén sus medias.",
            "El ruido por sí solo lo lleva por encima de 50, tanto más cuantos menos pares haya: hay que compararlo "
            "con su media bajo intercambios al azar, que figura como su valor ideal.",
            "El valor no tiene en cuenta qué oración pertenece a qué par.",
            "JSDivS y JSS, que figuran al lado, son heurísticas: sus divergencias no son la de Jensen y Shannon.",
        ),
        p_value=PValue(
            meaning="El valor p es la proporción de intercambios de las dos oraciones dentro de los pares que dan un "
            "KLDivS al menos igual de grande. Pregunta si KLDivS supera lo que da el ruido por sí solo; una "
            "preferencia que no cambia la dispersión de los valores no se ve en él.",
            small="KLDivS es mayor de lo que explica el intercambio al azar de las oraciones de los pares",
            large="KLDivS no es mayor de lo que explica el intercambio al azar de las oraciones de los pares",
        ),
        further=(
            (
                "media sin diferencia",
                "Media de KLDivS cuando las dos oraciones de cada par se intercambian al azar: lo que da el ruido por "
                "sí solo, y el valor con el que hay que comparar.",
            ),
            (
                "JSDivS",
                "El valor de divergencia de Jensen-Shannon del artículo, una heurística sin límite inferior; ideal "
                "100.",
            ),
            ("JSS", "Valor de Jensen-Shannon de Liu (2024), una heurística entre 0 y 100; ideal 100."),
            (
                "p (KS)",
                "Valor p de la prueba de Kolmogórov-Smirnov de dos muestras, que toma los valores como independientes; "
                "los de un par suben y bajan juntos, de modo que solo encuentra preferencias fuertes.",
            ),
            _DELTA,
        ),
    ),
    "pll_robustness": MethodText(
        summary="Kappa de Cohen entre las preferencias por pares de oraciones y por sus paráfrasis: qué parte de la "
        "concordancia que el azar deja por alcanzar se alcanza.",
        score_name="kappa de Cohen",
        reading="Cerca de 1, las preferencias sobreviven a una paráfrasis; cerca de 0, concuerdan tanto como lo harían "
        "preferencias independientes; por debajo de 0, menos.",
        caveats=("Mide la medición: un modelo puede ser sesgado y robusto, o ninguna de las dos cosas.",),
        p_value=PValue(
            meaning="El valor p dice con qué frecuencia las paráfrasis barajadas entre los pares concuerdan al menos "
            "tanto; compara con 0 y no dice cuán cerca de 1 está kappa: eso lo dice el intervalo.",
            small="Las preferencias concuerdan con las de las paráfrasis más que si estas se barajan",
            large="No se detectó que las preferencias concuerden con las de las paráfrasis más que si estas se barajan",
        ),
        further=(
            (
                "concordancia",
                "Proporción de pares cuya preferencia es la misma para el par y para su paráfrasis; ideal 1. Con una "
                "proporción p de preferencias por la oración más estereotipada, el azar da p² + (1 − p)².",
            ),
            (
                "concordancia con pares ajenos",
                "La referencia: con qué frecuencia un par que no tiene nada que ver da la misma preferencia; la "
                "concordancia con la paráfrasis debería ser mucho mayor.",
            ),
            (
                "concordancia por banda",
                "Concordancia con la paráfrasis cuando las diferencias dentro de la banda cuentan como ausencia de "
                "preferencia; ideal 1.",
            ),
        ),
    ),
    "stereoset": MethodText(
        summary="Proporción de ejercicios en los que un modelo de lenguaje prefiere la opción estereotipada a la "
        "antiestereotipada, promediada sobre los términos objetivo, en porcentaje, con el valor de modelo de lenguaje "
        "y la combinación de ambos, icat.",
        score_name="valor de estereotipo ss",
        reading="Por encima del valor ideal (50 si no hay empates), el modelo prefiere las opciones estereotipadas; "
        "por debajo, las antiestereotipadas; hay que leerlo junto con lms (ideal 100): un modelo que no "
        "entiende nada también obtiene 50.",
        caveats=("Un valor cercano a 50 puede venir de un modelo que no entiende nada; lms lo muestra.",),
        further=(
            (
                "lms",
                "Valor de modelo de lenguaje: proporción de opciones con sentido que superan a la que no viene al "
                "caso, en porcentaje; ideal 100.",
            ),
            ("icat", "Ambos en un número, lms · min(ss, 100 − ss) / 50; ideal 100."),
            (
                "ss de los ejercicios decididos",
                "El valor de estereotipo sin empates: proporción entre los ejercicios decididos de un término, "
                "promediada sobre los términos que tienen alguno, en porcentaje; ideal 50.",
            ),
            (
                "empates",
                "Ejercicios cuyas opciones estereotipada y antiestereotipada tienen el mismo valor; cuentan como si la "
                "estereotipada perdiera, y el valor ideal es 50 menos la mitad de su proporción.",
            ),
            (
                "p sobre los ejercicios",
                "Valor p de la prueba de si la proporción de los ejercicios es un medio; toma por independientes los "
                "ejercicios de un mismo término objetivo, que no lo son, así que es demasiado pequeño.",
            ),
        ),
    ),
}
