"""The rules of nine languages: articles, plurals, agreement and capitals."""

import json
from importlib import resources

import pytest

from evaluate_bias.data.grammar import GENDERS, KINDS, Word, grammar_languages, grammar_of
from evaluate_bias.data.templates import load_templates
from evaluate_bias.errors import DataError
from tests.support.refusals import refusals, refused

LANGUAGES = grammar_languages()
assert LANGUAGES == ["de", "en", "es", "fr", "is", "it", "nl", "no", "tr"]


ENGLISH_ARTICLES = {
    "an": "hour, honest man, heir, honor, usher, uncle, unimportant man, uninhabited place, unidentified man, unironed "
    "shirt, umbrella, urban planner, utter failure, onerous task, actor, Engineer, MBA, MP",
    "a": "house, hospital, university, unicorn, uniform, union, unit, user, used car, utensil, European, ewe, one-off, "
    "once-over, nurse, yellow car, [MASK]",
}


@pytest.mark.parametrize("article", ENGLISH_ARTICLES)
def test_english_indefinite_article(article):
    words = ENGLISH_ARTICLES[article].split(", ")
    assert {w: grammar_of("en").agreeing("a", Word(w), "singular", w) for w in words} == dict.fromkeys(
        words, article
    )


PLURALS = {
    "en": "nurse nurses, family families, boy boys, boss bosses, witch witches, box boxes, man men, woman women, "
    "policewoman policewomen, human humans, German Germans, child children, grandchild grandchildren, wife wives, "
    "housewife housewives, knife knives, salesperson salespeople, hero heroes, mosquito mosquitoes, piano pianos, "
    "patriarch patriarchs, crisis crises, virus viruses, mother-in-law mothers-in-law",
    "tr": "ev evler, kız kızlar, büyükanne büyükanneler, oğul oğullar, gökkuşağı gökkuşakları",
    "es": "luz luces, canción canciones, inglés ingleses, mujer mujeres",
    "fr": "bateau bateaux, cheval chevaux, avis avis",
    "it": "libro libri, amica amiche, città città, figlio figli",
    "de": "Ingenieurin Ingenieurinnen, Zeitung Zeitungen",
    "nl": "mogelijkheid mogelijkheden, schrijver schrijvers",
}


@pytest.mark.parametrize("language", PLURALS)
def test_plurals(language):
    grammar = grammar_of(language)
    expected = dict(pair.split() for pair in PLURALS[language].split(", "))
    assert {word: grammar.form(grammar.word(word), "plural") for word in expected} == expected


def test_english_plurals_of_several_words():
    grammar = grammar_of("en")
    for word in ("director~ of religious activities", "medical records technician~"):
        assert grammar.form(grammar.word(word.replace("~", "")), "plural") == word.replace("~", "s")


ARTICLES = {
    ("it", "the"): "amore l', zio lo, psicologo lo, padre il, amica l', donna la",
    ("it", "a"): "zio uno, scienziato uno, uomo un, amica un', ragazza una",
    ("es", "the"): "álgebra el, amistad la",
    ("es", "a"): "hombre un",
    ("fr", "the"): "haine la, honneur l', héros le, héroïne l'",
    ("fr", "of"): "école d'",
    ("fr", "a"): "femme une",
    ("de", "the"): "Mädchen das",
    ("de", "a"): "Frau eine",
    ("nl", "the"): "meisje het, vrouw de",
    ("no", "a"): "barn et, kvinne en",
    ("tr", "a"): "kadın bir",
}
PLURAL_ARTICLES = {
    "it": "amica le, zio gli, uomo gli, padre i",
    "es": "álgebra las, hombre los",
    "fr": "haine les",
    "de": "Mann die",
    "nl": "meisje de",
}


@pytest.mark.parametrize(("language", "name"), ARTICLES)
def test_articles(language, name):
    grammar = grammar_of(language)
    for word, article in (pair.split() for pair in ARTICLES[language, name].split(", ")):
        assert grammar.agreeing(name, grammar.word(word), "singular", word) == article, word


def test_articles_of_unknown_words_and_in_the_plural():
    assert grammar_of("it").agreeing("the", Word("studente", gender="m"), "singular", "studente") == "lo"
    for language, pairs in PLURAL_ARTICLES.items():
        grammar = grammar_of(language)
        for word, article in (pair.split() for pair in pairs.split(", ")):
            known = grammar.word(word)
            assert grammar.agreeing("the", known, "plural", known.forms.get("plural", word)) == article, word


GENDERS_BY_RULE = {
    "de": "Bäckerin f, Benzin ?, Hoffnung f, Häuschen n", "es": "nación f, mano ?, libro m", "it": "stazione f, mano ?",
    "fr": "nation f, livre ?", "nl": "vrijgevigheid c, boek ?", "is": "góðvild ?",
}  # fmt: skip


@pytest.mark.parametrize("language", GENDERS_BY_RULE)
def test_genders_by_rule_and_what_is_not_known(language):
    grammar = grammar_of(language)
    for word, gender in (pair.split() for pair in GENDERS_BY_RULE[language].split(", ")):
        if gender != "?":
            assert grammar.gender(grammar.word(word)) == gender, word
            continue
        with pytest.raises(DataError, match=rf"gender of '{word}' is not known in '{language}'; give Word\("):
            grammar.gender(grammar.word(word))


def test_a_form_that_is_not_known_is_asked_for():
    german = grammar_of("de")
    refused(DataError, r"the form 'plural' of 'Tisch'", lambda: german.form(german.word("Tisch"), "plural"))
    assert german.form(Word("Tisch", forms={"plural": "Tische"}), "plural_definite") == "Tische"
    assert german.form(Word("Tisch"), "definite") == "Tisch"
    refused(DataError, "the form 'definite'", lambda: grammar_of("no").form(Word("bord"), "definite"))


def test_agreement_with_the_gender_of_another_word():
    german, french = grammar_of("de"), grammar_of("fr")
    nurse = german.word("Krankenpflegerin")
    assert german.agreed(nurse, german.word("er")).text == "Krankenpfleger"
    assert german.agreed(nurse, german.word("er")).gender == "m"
    assert french.agreed(french.word("féminin"), french.word("elle")).text == "féminine"
    assert german.agreed(german.word("Mathematik"), german.word("er")).text == "Mathematik"
    assert german.agreed(nurse, german.word("Mädchen")).text == "Krankenpflegerin"
    given = Word("Pfleger", kind="person", forms={"m": "Pfleger", "f": "Pflegerin"})
    made = german.agreed(given, german.word("sie"))
    assert (made.text, made.gender) == ("Pflegerin", "f")
    with pytest.raises(DataError, match=r"the form 'f' of 'Bäuerchen'"):
        german.agreed(Word("Bäuerchen"), german.word("sie"))
    refused(DataError, "the gender of 'Kim'", lambda: german.agreed(nurse, Word("Kim", kind="name")))


@pytest.mark.parametrize(
    ("language", "person", "profession", "sentence"),
    [
        ("it", "lei", "contabile", "Lei, la contabile, ha avuto una buona giornata di lavoro."),
        ("it", "lui", "contabile", "Lui, il contabile, ha avuto una buona giornata di lavoro."),
        ("it", "lei", "ingegnere", "Lei, l'ingegnera, ha avuto una buona giornata di lavoro."),
        ("es", "ella", "terapeuta", "Ella, la terapeuta, tuvo un buen día en el trabajo."),
        ("fr", "elle", "psychologue", "Elle, la psychologue, a passé une bonne journée au travail."),
        ("fr", "il", "infirmière", "Il, l'infirmier, a passé une bonne journée au travail."),
        ("no", "hun", "lege", "Hun, legen, hadde en god dag på jobben."),
        ("is", "hún", "læknir", "Hún, læknirinn, átti góðan dag í vinnunni."),
    ],
)
def test_one_form_for_all_takes_the_article_of_the_person(language, person, profession, sentence):
    template = load_templates("bec-pro", language)["bec-pro-04"]
    assert template.fill(person=person, profession=profession).text == sentence


def test_what_the_language_does_not_have():
    with pytest.raises(
        DataError, match=r"'is' has no rule 'the' for agreement; write the word without a rule"
    ):
        grammar_of("is").agreeing("the", Word("kona"), "singular", "kona")
    with pytest.raises(DataError, match=r"no 'a' of the language 'de' fits 'Frau' \(plural\)"):
        grammar_of("de").agreeing("a", grammar_of("de").word("Frau"), "plural", "Frauen")
    assert grammar_of("sw").words == {}
    assert grammar_of("pt-BR").language == "pt"


def test_capitals():
    capitals = {
        "en": {"he": "He", "iris": "Iris", "[MASK] is": "[MASK] is", "": ""}, "tr": {"iyi": "İyi", "ırmak": "Irmak"},
        "nl": {"ijs": "IJs", "iets": "Iets"}, "is": {"þetta": "Þetta"}, "fr": {"à": "À"},
    }  # fmt: skip
    for language, texts in capitals.items():
        assert {text: grammar_of(language).capitalised(text) for text in texts} == texts


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_packaged_words_are_well_formed(language):
    file = resources.files("evaluate_bias.data") / "packaged" / "word_forms" / f"{language}.jsonl"
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").split("\n") if line]
    assert len({row["word"] for row in rows}) == len(rows)
    for row in rows:
        assert row["kind"] in KINDS, row
        assert row.get("gender", "m") in GENDERS, row
        assert row.get("agrees_as", "m") in GENDERS
        assert all(isinstance(v, str) and v == " ".join(v.split()) and v for v in row.values()), row
        for form in ("m", "f"):
            if form in row:
                assert row["m"]
                assert row["f"]
                assert grammar_of(language).word(row[form]).text == row[form]


def test_words_are_found_in_other_capitals():
    english = grammar_of("en")
    assert english.word("john").kind == "name"
    assert english.word("Nurse").kind == "person"
    given = Word("Nurse", kind="name")
    assert english.word(given) is given


test_words_that_are_none = refusals(
    lambda arguments: Word(**arguments),
    ({"text": " "}, None, "a word is blank"),
    ({"text": "x", "kind": "thing"}, None, "the kind of 'x' must be one of name, person"),
    ({"text": "x", "gender": "female"}, None, "the gender of 'x' must be one of m, f, n, c"),
    error=DataError,
)
