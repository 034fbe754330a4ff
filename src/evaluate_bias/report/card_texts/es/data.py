"""Spanish sentences about data sets."""

from __future__ import annotations

from ...card_texts import DataText

__all__ = ["DATASETS"]

_BLODGETT = (
    "Blodgett et al. (2021) constataron que muchos pares de CrowS-Pairs y StereoSet no aíslan un estereotipo: "
    "contrastes poco claros, grupos equivocados, varios cambios a la vez. Un valor medido con ellos hereda estos "
    "defectos."
)
_ILLUSTRATIVE = (
    "Estas frases son ilustrativas: se escribieron para este proyecto y no las validaron ni hablantes nativos ni "
    "miembros de los grupos de los que hablan. Un valor medido con ellas no es un hallazgo sobre un modelo."
)

DATASETS = {
    "weat_word_lists": DataText(
        title="Listas de palabras de WEAT",
        caveats=(
            "Las listas inglesas proceden de estudios hechos en los Estados Unidos y publicados entre 1998 y 2011: sus "
            "nombres y palabras representan los grupos tal como se veían allí y entonces.",
        ),
    ),
    "crows_pairs": DataText(
        title="CrowS-Pairs",
        caveats=(
            _BLODGETT,
            "Los pares publicados describen estereotipos de los Estados Unidos, en inglés de 2020; los de otros "
            "idiomas son traducciones o adaptaciones de ellos.",
        ),
    ),
    "stereoset": DataText(
        title="StereoSet",
        caveats=(
            _BLODGETT,
            "Los ejercicios publicados describen estereotipos de los Estados Unidos, en inglés de 2020.",
        ),
    ),
    "bec_pro": DataText(
        title="BEC-Pro",
        caveats=(
            "El género es binario en estas oraciones, y los grupos de profesiones siguen el empleo en los Estados "
            "Unidos, también en alemán.",
        ),
    ),
    "winogender_occupations": DataText(
        title="Ocupaciones de Winogender",
        caveats=(
            "Las proporciones de mujeres en las ocupaciones son las de los Estados Unidos en 2015 y 2016, asignadas a "
            "mano a las palabras; varias palabras comparten un número.",
        ),
    ),
    "professions": DataText(
        title="Profesiones",
        caveats=(
            "Las formas en idiomas distintos del inglés, salvo las alemanas de BEC-Pro, se escribieron para este "
            "proyecto y no las validaron hablantes nativos; algunas formas femeninas son discutidas o raras.",
            "Qué profesiones cuentan como de mujeres y de hombres sigue el empleo en Estados Unidos; en la lista de "
            "Delobelle et al. (2022), según los datos de 2015, algunas son la primera palabra de un título más largo "
            "(server, model, helper) y más amplias que este.",
        ),
    ),
    "gendered_words": DataText(
        title="Palabras con género",
        caveats=(
            "Los pares en idiomas distintos del inglés se escribieron para este proyecto y no los validaron hablantes "
            "nativos.",
            "El género es binario en estos pares, y las dos palabras de un par difieren en frecuencia y en otros "
            "significados.",
        ),
    ),
    "bias_templates": DataText(
        title="Plantillas de oraciones de medidas de sesgo",
        caveats=(
            "Una oración despojada de contenido no está libre de significado (Delobelle et al. 2022): los valores "
            "dependen de la plantilla.",
            "Las plantillas en idiomas distintos del inglés, salvo las de BEC-Pro en alemán, las de RobBERT en "
            "neerlandés y las de la palabra sola, son traducciones que ningún hablante nativo ha validado.",
        ),
    ),
    "context_sentences": DataText(
        title="Oraciones de contexto",
        caveats=(
            "Los contextos son textos antiguos y formales, novelas de 1796 a 1918 y discursos de presidentes de los "
            "Estados Unidos de 1790 a 2021: lo que se mide en ellos puede no valer para el uso actual.",
        ),
    ),
    "minimal_pairs": DataText(title="Pares mínimos incluidos en evaluate-bias", caveats=(_ILLUSTRATIVE,)),
    "stereoset_style": DataText(
        title="Ejercicios con la forma de StereoSet incluidos en evaluate-bias", caveats=(_ILLUSTRATIVE,)
    ),
}
