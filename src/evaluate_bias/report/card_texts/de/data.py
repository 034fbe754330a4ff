"""German sentences about data sets."""

from __future__ import annotations

from ...card_texts import DataText

__all__ = ["DATASETS"]

_BLODGETT = (
    "Blodgett et al. (2021) haben festgestellt, dass viele Paare von CrowS-Pairs und StereoSet kein einzelnes "
    "Stereotyp erfassen: unklare Gegensätze, falsche Gruppen, mehrere Änderungen zugleich. Ein mit ihnen gemessener "
    "Wert erbt diese Mängel."
)
_ILLUSTRATIVE = (
    "Diese Sätze dienen der Veranschaulichung: Sie wurden für dieses Projekt geschrieben und weder von "
    "Muttersprachlern noch von Angehörigen der Gruppen geprüft, von denen sie handeln. Ein mit ihnen gemessener Wert "
    "ist kein Befund über ein Modell."
)

DATASETS = {
    "weat_word_lists": DataText(
        title="WEAT-Wortlisten",
        caveats=(
            "Die englischen Listen stammen aus Studien, die in den Vereinigten Staaten durchgeführt und von 1998 bis "
            "2011 veröffentlicht wurden: Ihre Namen und Wörter stehen für Gruppen, wie man sie dort und damals sah.",
        ),
    ),
    "crows_pairs": DataText(
        title="CrowS-Pairs",
        caveats=(
            _BLODGETT,
            "Die veröffentlichten Paare beschreiben Stereotype der Vereinigten Staaten, in englischer Sprache von "
            "2020; die in anderen Sprachen sind Übersetzungen oder Bearbeitungen davon.",
        ),
    ),
    "stereoset": DataText(
        title="StereoSet",
        caveats=(
            _BLODGETT,
            "Die veröffentlichten Aufgaben beschreiben Stereotype der Vereinigten Staaten, in englischer Sprache von "
            "2020.",
        ),
    ),
    "bec_pro": DataText(
        title="BEC-Pro",
        caveats=(
            "Das Geschlecht ist in diesen Sätzen binär, und die Gruppen der Berufe folgen der Beschäftigung in den "
            "Vereinigten Staaten, auch im Deutschen.",
        ),
    ),
    "winogender_occupations": DataText(
        title="Berufe von Winogender",
        caveats=(
            "Die Frauenanteile in den Berufen sind die der Vereinigten Staaten von 2015 und 2016, den Wörtern von "
            "Hand zugeordnet; mehrere Wörter teilen sich eine Zahl.",
        ),
    ),
    "professions": DataText(
        title="Berufe",
        caveats=(
            "Die Formen in anderen Sprachen als Englisch, außer den deutschen von BEC-Pro, wurden für dieses Projekt "
            "geschrieben und nicht von Muttersprachlern geprüft; einige weibliche Formen sind umstritten oder selten.",
            "Welche Berufe als die von Frauen und von Männern gelten, folgt der Beschäftigung in den USA; in der Liste "
            "von Delobelle et al. (2022), nach deren Stand von 2015, sind einige Wörter erste Wörter längerer "
            "Bezeichnungen (server, model, helper) und weiter als diese.",
        ),
    ),
    "gendered_words": DataText(
        title="Wörter mit Geschlecht",
        caveats=(
            "Die Paare in anderen Sprachen als Englisch wurden für dieses Projekt geschrieben und nicht von "
            "Muttersprachlern geprüft.",
            "Das Geschlecht ist in diesen Paaren binär, und die zwei Wörter eines Paars unterscheiden sich in "
            "Häufigkeit und weiteren Bedeutungen.",
        ),
    ),
    "bias_templates": DataText(
        title="Satzvorlagen von Verfahren zur Messung von Verzerrungen",
        caveats=(
            "Ein möglichst inhaltsleerer Satz ist nicht frei von Bedeutung (Delobelle et al. 2022): Die Werte hängen "
            "von der Vorlage ab.",
            "Die Vorlagen in anderen Sprachen als Englisch, außer denen von BEC-Pro auf Deutsch, von RobBERT auf "
            "Niederländisch und den bloßen Wörtern, sind Übersetzungen, die kein Muttersprachler geprüft hat.",
        ),
    ),
    "context_sentences": DataText(
        title="Sätze als Kontexte",
        caveats=(
            "Die Kontexte sind alte und förmliche Texte, Romane von 1796 bis 1918 und Reden von Präsidenten der "
            "Vereinigten Staaten von 1790 bis 2021: Was in ihnen gemessen wird, muss für den heutigen Sprachgebrauch "
            "nicht gelten.",
        ),
    ),
    "minimal_pairs": DataText(
        title="Minimalpaare, die mit evaluate-bias ausgeliefert werden", caveats=(_ILLUSTRATIVE,)
    ),
    "stereoset_style": DataText(
        title="Aufgaben in der Form von StereoSet, die mit evaluate-bias ausgeliefert werden",
        caveats=(_ILLUSTRATIVE,),
    ),
}
