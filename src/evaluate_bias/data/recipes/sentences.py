"""Sentences: CrowS-Pairs and its versions, StereoSet, GEST and EuroGEST, and running text to find words in."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ...errors import DataError, expected_form
from ...result import Skipped
from ..dataset_record import Config, columns_schema, describe_dataset
from ..kinds import GENDER_STEREOTYPES
from ..origins import AssetTexts, RepositoryTexts, checksums, pinned_files
from ..other_tools import STEREOSET_TASKS
from ..table_files import Row, literal, read_rows, require_columns
from .shared import BIASHANDLER, BLODGETT, no_licence

if TYPE_CHECKING:
    import pyarrow as pa

_PAIR = ("id", "sent_more", "sent_less", "stereo_antistereo", "bias_type")


def decode_dutch(raw: bytes) -> str:
    """Decode the Dutch file: Mac OS Roman, except for two cells that contain UTF-8.

    Examples:
        >>> decode_dutch(b"carri\\x8fre, \\xc3\\xa9\\xc3\\xa9n")
        'carrière, één'
    """
    return raw.decode("mac_roman").replace("é".encode().decode("mac_roman"), "é")


def _norwegian_table(raw: bytes, name: str) -> list[Row]:
    """Return the Norwegian pairs: the file has English sentences in the columns of a pair, and these in two others."""
    table = read_rows(raw, name)
    require_columns(table, "sent_more_no", "sent_less_no")
    return [{**row, "sent_more": row["sent_more_no"], "sent_less": row["sent_less_no"]} for row in table]


def _german_table(texts: Mapping[str, str], _: str) -> list[Row]:
    """Return each pair of the overlapping samples once, named by its sample and its number there."""
    rows: dict[tuple[str, str], Row] = {}
    for sample, text in texts.items():
        table = read_rows(text.encode(), f"{sample}.csv")
        require_columns(table, "", "sent_more", "sent_less")
        for row in table:
            called = {**row, "id": f"{sample.rpartition('_')[2]}-{row['']}"}
            rows.setdefault((row["sent_more"].strip(), row["sent_less"].strip()), called)
    return list(rows.values())


def _crows_pairs(extra: tuple[str, ...], trimmed: bool, table: Sequence[Row]) -> Iterator[Row | Skipped]:
    """Turn a file into rows.

    Args:
        extra: further columns of the file.
        trimmed: whether white space around sentences is dropped. Harnesses score it in the revised pairs.
        table: the rows of the file.
    """
    require_columns(table, "sent_more", "sent_less", "bias_type", *extra)
    for position, row in enumerate(table):
        # The English file has its numbers in a column without a name, the Spanish one has none.
        pair: Row = {"id": row.get("id") or row.get("") or str(position)}
        pair |= {column: row.get(column) for column in (*_PAIR[1:], *extra)}
        if trimmed:
            pair = {column: value and value.strip() for column, value in pair.items()}
            for column in ("sent_more", "sent_less"):  # one English sentence has a line break within
                pair[column] = pair[column] and re.sub(r"\s*[\r\n]+\s*", " ", pair[column])
        if (label := pair["stereo_antistereo"]) not in ("stereo", "antistereo", None):
            raise DataError(
                f"pair {pair['id']}: stereo_antistereo is {label!r}, not 'stereo' or 'antistereo'"
            )
        for column in {"annotations", "anon_annotators"}.intersection(extra):
            pair[column] = literal(pair[column] or "[]")
            if not isinstance(pair[column], list):
                raise DataError(f"pair {pair['id']}, {column} is not a list: {pair[column]!r}")
        empty = next((c for c in ("sent_more", "sent_less") if not pair[c]), "")
        yield Skipped(pair["id"], f"{empty} is empty") if empty else pair


_CROWS_RIGHTS = "Nikita Nangia, Clara Vania, Rasika Bhalerao and Samuel R. Bowman: CrowS-Pairs"
_ANNOTATIONS = ("annotations", "anon_writer", "anon_annotators")
_DUTCH = ("jerryspan/Dutch-CrowS-Pairs", "7cf51965b4818a717d22068477fba951bca1eb90")
_REVISED = ("shijing001/bayes_factor_bias_detection", "9efa5cb6a9854d4f1407d475d86995a1a75968b3")


def _crows(
    name: str,
    repository: str,
    commit: str,
    *paths: str,
    extra: tuple[str, ...] = (),
    trimmed: bool = True,
    version: str = "",
    copies: str = "",
    **facts: Any,
) -> Config:
    sums = checksums("crows_pairs")
    files = pinned_files(repository, commit, {path: sums[path] for path in paths}, copies)
    return Config(
        name=name,
        splits={"test": files[0] if len(files) == 1 else RepositoryTexts(files)},
        convert=partial(_crows_pairs, extra, trimmed),
        schema=partial(columns_schema, *_PAIR, *extra, lists=("anon_annotators",), nested=("annotations",)),
        rights=_CROWS_RIGHTS if name == "en" else f"{_CROWS_RIGHTS}; this version: {version or repository}",
        **{"licence": "cc-by-sa-4.0", **facts},
    )


def _stereoset_schema() -> pa.Schema:
    import pyarrow as pa

    text = pa.string()
    votes = pa.list_(pa.struct([("label", text), ("human_id", text)]))
    option = pa.struct([("id", text), ("sentence", text), ("gold_label", text)])
    return pa.schema(
        [(c, text) for c in ("id", "target", "bias_type", "context")]
        + [
            ("sentences", pa.list_(option)),
            ("labels", pa.list_(votes)),
            ("harm", pa.struct([("gold_label", text), ("labels", votes)])),
        ]
    )


LANGUAGES: Final = {
    "bg": "Bulgarian", "ca": "Catalan", "cs": "Czech", "da": "Danish", "de": "German", "el": "Greek", "en": "English",
    "es": "Spanish", "et": "Estonian", "fi": "Finnish", "fr": "French", "ga": "Irish", "gl": "Galician",
    "hr": "Croatian", "hu": "Hungarian", "it": "Italian", "lt": "Lithuanian", "lv": "Latvian", "mt": "Maltese",
    "nl": "Dutch", "no": "Norwegian", "pl": "Polish", "pt": "Portuguese", "ro": "Romanian", "ru": "Russian",
    "sk": "Slovak", "sl": "Slovenian", "sv": "Swedish", "tr": "Turkish", "uk": "Ukrainian",
}  # fmt: skip
"""What EuroGEST calls its languages."""

_EUROGEST = checksums("eurogest")
_TRANSLATIONS = pinned_files(
    "JacquelineRowe/EuroGEST",
    "bafca1ed3d155252ad34ac57c6ccee5e2f4226c0",
    {path: sha256 for path, sha256 in _EUROGEST.items() if path.startswith("data/")},
)
SCAFFOLD_FILES = RepositoryTexts(
    pinned_files(
        "JacquelineRowe/EuroGEST",
        "b54359247d6a0cfab3247cc02be152e809004cbe",
        {path: sha256 for path, sha256 in _EUROGEST.items() if not path.startswith("data/")},
    )
)
"""What EuroGEST puts around a sentence that has no gender, in every language."""
_PIKULIAK = "Copyright 2024 Matúš Pikuliak"


@dataclass(frozen=True, slots=True)
class Scaffold:
    """What surrounds a sentence that has no gender: marks before and after it, and who says it."""

    opening: str
    closing: str
    masculine: str
    feminine: str

    def forms(self, sentence: str) -> dict[str, str]:
        """Return both forms of a sentence, whose own marks at its ends are omitted as in the published code."""
        bare = re.sub(r"^[^\w\s]+|[^\w\s]+\Z", "", sentence.strip())
        quoted = f"{self.opening}{bare}{self.closing}"
        return {name: f"{quoted} {getattr(self, name).strip()}" for name in ("masculine", "feminine")}


ENGLISH = Scaffold('"', ',"', "he said", "she said")


def scaffolds_of(texts: Mapping[str, str]) -> dict[str, Scaffold]:
    """Read the scaffold of every language from the published files: of a noun where pronouns have no gender.

    Raises:
        DataError: they do not have the published form.
    """
    with expected_form("the scaffolds of EuroGEST"):
        verbs, marks, kinds = (json.loads(texts[Path(file.path).stem]) for file in SCAFFOLD_FILES.files)
        of_nouns = kinds["language_types"]["no_gendered_pronouns"]
        scaffolds = {"en": ENGLISH}
        for tag, language in LANGUAGES.items():
            if tag not in scaffolds:
                speakers = ("the man", "the woman") if language in of_nouns else ("he", "she")
                scaffolds[tag] = Scaffold(
                    *marks[language], *(verbs[f"{who} said"][language] for who in speakers)
                )
    return scaffolds


@cache
def published_scaffolds() -> dict[str, Scaffold]:
    """Return the scaffolds of the published files, which are obtained on first use.

    Raises:
        AssetError: they could not be obtained.
    """
    return scaffolds_of(SCAFFOLD_FILES.read(None, verify=True))


def _gest_row(number: object, stereotype: object, language: str, forms: Mapping[str, str]) -> Row:
    return {"id": str(number), "stereotype": stereotype, "language": language, "origin": "paper", **forms}


def _english_gest(table: list[Row]) -> Iterator[Row]:
    require_columns(table, "sentence", "stereotype")
    for number, row in enumerate(table):
        yield _gest_row(number, row["stereotype"], "en", ENGLISH.forms(row["sentence"]))


def parse_eurogest(texts: Mapping[str, str], _: str) -> dict[str, list[Row]]:
    """Read the published tables: for each language, the sentences with a form for each gender and the others.

    Args:
        texts: the tables' and scaffolds' texts by name without ending.
    """
    scaffolds = scaffolds_of(texts)
    tables = (
        list(csv.reader(io.StringIO(texts[f"gest_translations_gender_{name}"], newline="")))
        for name in ("sensitive", "insensitive")
    )
    # Two columns bear the name of a language if there is a form for each gender, the masculine one first.
    (head, _prompts, *gendered), (columns, *neutral) = tables
    rows_of: dict[str, list[Row]] = {}
    for tag, language in LANGUAGES.items():
        if tag == "en":
            continue
        pair = [i for i, column in enumerate(head) if column == language]
        place = columns.index(language)
        forms = [(c, {"masculine": c[pair[0]], "feminine": c[pair[1]]}) for c in gendered if pair]
        forms += [(c, scaffolds[tag].forms(c[place])) for c in neutral if c[place].strip()]
        rows_of[tag] = [
            _gest_row(c[0], c[-1], tag, both)
            for c, both in forms
            if all(text.strip() for text in both.values())
        ]
    return rows_of


# Prose only: verse, plays in old spelling and the King James Bible give contexts that no model reads well.
_PROSE = (
    "austen-emma",
    "austen-persuasion",
    "austen-sense",
    "bryant-stories",
    "burgess-busterbrown",
    "carroll-alice",
    "chesterton-ball",
    "chesterton-brown",
    "chesterton-thursday",
    "edgeworth-parents",
    "melville-moby_dick",
)
_NO_SOURCE = (
    "the package nlptoolkit-wordtovec (ISC) names no source of the text, which reads like Wikipedia. "
    "It was built on this machine for measuring only."
)
FEWEST_WORDS, MOST_WORDS = 3, 80

_NO_LETTER = re.compile(r"[A-Z\d]|[^\w\s]")
_PLAIN = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "–": " - ", "—": " - ", "`": "'", "_": " "})
_PARAGRAPH = re.compile(r"\n\s*\n|(?<=\S)\n(?= {2,}\S)")
_WHOLE = re.compile(r"""[.!?]["')\]]*$""")
_END = re.compile(r"""([.!?]["')\]]*)\s+(?=["'(\[]*[A-Z])""")
_ABBREVIATED = re.compile(
    r"(?:\b(?:Mr|Mrs|Ms|Dr|St|Jr|Sr|Messrs|Prof|Rev|Hon|Gen|Col|Capt|Lt|No|Vol|Esq|viz|i\.e|e\.g)|\b[A-Z])\.$"
)


def prose_sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a book or an address.

    Headings, verse (paragraphs of indented lines), notes in brackets, and what is mostly capitals or digits are
    omitted, and so are sentences of fewer than 3 or more than 80 words.

    Examples:
        >>> list(prose_sentences("CHAPTER I\\n\\nMr. Brown said no. He was\\nright.\\n\\n  A line of verse."))
        ['Mr. Brown said no.', 'He was right.']
    """
    for paragraph in _PARAGRAPH.split(text.replace("\r", "").translate(_PLAIN)):
        lines = [line for line in paragraph.split("\n") if line.strip()]
        if not lines or paragraph.lstrip().startswith("[") or all(line.startswith("  ") for line in lines):
            continue
        joined = " ".join(re.sub(r"-{2,}", " - ", paragraph).split())
        if _WHOLE.search(joined):
            yield from filter(_is_usable, _split(joined))


def line_sentences(lines: Iterable[str]) -> Iterator[str]:
    """Yield the sentences of a text with one sentence per line and no punctuation. A full stop is added.

    Examples:
        >>> list(line_sentences(["the cat sat down", "hm"]))
        ['the cat sat down.']
    """
    for line in lines:
        sentence = " ".join(line.translate(_PLAIN).split()) + "."
        if _is_usable(sentence):
            yield sentence


def _split(paragraph: str) -> Iterator[str]:
    """Split after a full stop and its like before a capital, but not after an abbreviation or an initial."""
    start = 0
    for match in _END.finditer(paragraph):
        if not _ABBREVIATED.search(paragraph[start : match.end(1)]):
            yield paragraph[start : match.end(1)]
            start = match.end()
    yield paragraph[start:]


def _is_usable(sentence: str) -> bool:
    if not FEWEST_WORDS <= sentence.count(" ") + 1 <= MOST_WORDS:
        return False
    return len(_NO_LETTER.findall(sentence)) <= 0.4 * len(sentence)


def _text_sentences(prose: bool, config: str, texts: Mapping[str, str]) -> Iterable[Row]:
    """Turn texts into sentences. Each sentence is kept once."""
    rows: dict[str, Row] = {}
    for document, text in texts.items():
        for sentence in prose_sentences(text) if prose else line_sentences(text.split("\n")):
            known = {"sentence": sentence, "document": document, "language": config.partition("-")[0]}
            rows.setdefault(sentence.casefold(), {"id": f"{config}-{len(rows):06d}", **known})
    return rows.values()


def _text(name: str, asset: str, *patterns: str, prose: bool) -> Config:
    return Config(
        name=name,
        splits={"train": AssetTexts(asset=asset, patterns=patterns)},
        convert=partial(_text_sentences, prose, name),
        schema=partial(columns_schema, "id", "sentence", "document", "language"),
        licence="cc0-1.0" if prose else "unknown",
        rights="Dedicated to the public domain by the makers of the package. The card says whose texts it contains"
        if prose
        else "The card says what is known of whose texts these are",
        refusal="" if prose else _NO_SOURCE,
    )


def _of_task(task: str, rows: Iterable[Row]) -> Iterator[Row]:
    return (row for row in rows if row["task"] == task)


_STEREOSET = pinned_files(
    "moinnadeem/StereoSet",
    "ead7d086a64a192a1eca88e0dd2fd163de375218",
    {
        "data/dev.json": "73a0f31b711688112602e4c3ac6ab1e1a7cadcdd67df6c6fd55501c889676c90",
        "data/test.json": "f3f70d1880b443388744958d192c25364d68c2b8ae7aeb9174903bcf415c394e",
    },
    "StereoSet/data/{name}",
)
_gest = partial(Config, schema=GENDER_STEREOTYPES, licence="apache-2.0")
RECORDS = (
    # Nine versions, of which "es", "de" and "no" are built only when asked for.
    describe_dataset(
        "crows_pairs",
        above=(BLODGETT,),
        configs=(
            _crows(
                "en",
                "nyu-mll/crows-pairs",
                "8aaac11c485473159ec9328a65253a5be9a479dc",
                "data/crows_pairs_anonymized.csv",
                extra=_ANNOTATIONS,
                copies="CrowS-Pairs/data/{name}",
            ),
            _crows(
                "nl",
                *_DUTCH,
                "datasets/crows_dutch.csv",
                parse=lambda raw, path: read_rows(decode_dutch(raw).encode(), path),
            ),
            _crows("fr", *_DUTCH, "datasets/crows_french.csv"),
            _crows("en-1463", *_DUTCH, "datasets/crows_eng.csv"),
            _crows(
                "es",
                *BIASHANDLER,
                "data/crowspairs/es_en.csv",
                extra=("sent_more_par", "sent_less_par", "sent_more_ran", "sent_less_ran"),
                parse=lambda raw, path: read_rows(raw.decode("cp1252").encode(), path),
                licence="unknown",
                refusal=no_licence(BIASHANDLER[0]),
            ),
            _crows(
                "de",
                "manon-reusens/multilingual_bias",
                "50ffcf070cc1cbda5ec622872c63ed5c2559ac2c",
                *(f"data/crows/crows_pairs_anonymized_de_s{i}.csv" for i in range(3)),
                parse=_german_table,
                version="Manon Reusens et al.: samples of CrowS-Pairs in German",
                licence="unknown",
                refusal=no_licence("manon-reusens/multilingual_bias"),
            ),
            _crows(
                "no",
                "Smartmedia-AI/NorGLM",
                "07e0324f6dc582b17adfcda0b3c65864e7dacf32",
                "results/bias/bias/crows_pairs_norwegian.csv",
                parse=_norwegian_table,
                version="NorGLM: NO-CrowS-Pairs, machine-translated",
                licence="cc-by-nc-sa-4.0",
                refusal="its repository Smartmedia-AI/NorGLM states CC BY-NC-SA 4.0, for research only, and its page "
                "on the Hub no licence. It was built on this machine for measuring only.",
            ),
            *(
                _crows(
                    f"{path[12:14].lower()}-revised",
                    *_REVISED,
                    path,
                    trimmed=False,
                    version="Aurélie Névéol, Yoann Dupont, Julien Bezançon and Karën Fort: French CrowS-Pairs",
                )
                for path in (
                    "crows_pairs_EN_revised+210.csv",
                    "crows_pairs_FR_languagearc_contribution+210.csv",
                )
            ),
        ),
    ),
    describe_dataset(
        "stereoset",
        above=(BLODGETT,),
        configs=tuple(
            Config(
                name=task,
                language="en",
                splits=dict(zip(("validation", "test"), _STEREOSET, strict=True)),
                convert=partial(_of_task, task),
                schema=_stereoset_schema,
                licence="cc-by-sa-4.0",
                rights="Moin Nadeem, Anna Bethke and Siva Reddy: StereoSet",
            )
            for task in STEREOSET_TASKS
        ),
    ),
    # GEST 1.1 in English (Pikuliak et al. 2023) and EuroGEST in 29 other languages (Rowe et al. 2025).
    describe_dataset(
        "eurogest",
        configs=(
            _gest(
                name="en",
                splits={
                    "test": pinned_files(
                        "kinit-sk/gest",
                        "7dd908cae11720ee5d95e43a4ab94fb410c8b790",
                        {
                            "data/gest_1.1.csv": "51d14d5dc648d5be867d40bd312c016471c485827f6c28488c7234b9d30fcd9c"
                        },
                    )[0]
                },
                convert=_english_gest,
                rights=_PIKULIAK,
            ),
            *(
                _gest(
                    name=tag,
                    splits={"test": RepositoryTexts((*_TRANSLATIONS, *SCAFFOLD_FILES.files))},
                    parse=parse_eurogest,
                    convert=itemgetter(tag),
                    rights="Jacqueline Rowe, Mateusz Klimaszewski, Liane Guillou, Shannon Vallor and Alexandra Birch: "
                    f"EuroGEST, https://github.com/JacquelineRowe/EuroGEST, after GEST, {_PIKULIAK}",
                )
                for tag in LANGUAGES
                if tag != "en"
            ),
        ),
    ),
    # Two collections of prose that may be published, and lower-cased lines in two languages that may not.
    describe_dataset(
        "context_sentences",
        configs=(
            _text("en-books", "gutenberg-books", *(f"{book}.txt" for book in _PROSE), prose=True),
            _text("en-addresses", "state-of-the-union", "*.txt", prose=True),
            _text("en-encyclopaedia", "encyclopaedia-lines", "english-s.txt", prose=False),
            _text("tr-encyclopaedia", "encyclopaedia-lines", "turkish-s.txt", prose=False),
        ),
    ),
)
