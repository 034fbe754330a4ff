"""Static word vectors: one vector per word, looked up under a stated policy and never guessed."""

from __future__ import annotations

import hashlib
import os
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Literal, NamedTuple

import numpy as np

from ..arrays import RealArray
from ..assets import file_sha256
from ..errors import CapabilityError, InputError, ModelError, quoted
from ..options import checked_options, options_of
from ..result import Skipped
from ..text import has_dotless_i, lower_case, name_list, upper_case
from ._vectors.files import open_path
from ._vectors.matrices import MatrixTable, Vocabulary, open_object
from ._vectors.streams import TextTable
from .alignment import check_texts
from .base import Capability, ModelKind
from .pooling import Representation, Span, check_spans, parse_representations
from .source import existing_path, loading_errors

Case = Literal["as_is", "lower", "first_found"]
Accents = Literal["keep", "strip", "first_found"]
Multiword = Literal["mean", "refuse"]

_JOINTS = (" ", "_", "-")


def spellings(word: str, case: Case, accents: Accents, language: str = "") -> list[str]:
    """Return the spellings to try, in order and without repetition. The composed form (NFC) of each is tried too.

    Examples:
        >>> spellings("Zoë", "first_found", "first_found")
        ['Zoë', 'zoë', 'ZOË', 'Zoe', 'zoe', 'ZOE']
        >>> spellings("ILIK", "first_found", "keep", "tr")
        ['ILIK', 'ılık', 'Ilık']
    """
    bases = {"keep": [word], "strip": [strip_accents(word)], "first_found": [word, strip_accents(word)]}[
        accents
    ]
    tried: dict[str, None] = {}
    for base in bases:
        low = lower_case(base, language)
        title = upper_case(low[:1], language) + low[1:] if has_dotless_i(language) else base.capitalize()
        cases = {
            "as_is": [base],
            "lower": [low],
            "first_found": [base, low, title, upper_case(base, language)],
        }[case]
        for form in cases:
            tried[form] = None
            tried[unicodedata.normalize("NFC", form)] = None
    return list(tried)


def strip_accents(word: str) -> str:
    """Remove combining marks. Letters of their own, such as ø, ß and ı, stay.

    Examples:
        >>> strip_accents("garçon"), strip_accents("Ærøskøbing")
        ('garcon', 'Ærøskøbing')
    """
    marked = unicodedata.normalize("NFD", word)
    return unicodedata.normalize("NFC", "".join(c for c in marked if not unicodedata.combining(c)))


def joined_forms(item: str, case: Case, accents: Accents, language: str = "") -> list[str]:
    """Return the spellings under which an item of several words may be a single entry of a vocabulary.

    Examples:
        >>> joined_forms("New York", "as_is", "keep")
        ['New York', 'New_York', 'New-York']
    """
    entries = dict.fromkeys([item, *(joint.join(item.split()) for joint in _JOINTS)])
    return [form for entry in entries for form in spellings(entry, case, accents, language)]


_SHOWN, _BLOCK = 5, 8_192
_WORD = re.compile(r"[^\W_]+(?:['’‑-][^\W_]+)*")
"""A run of letters and digits, with apostrophes and hyphens inside."""


class _Match(NamedTuple):
    """How an item was found: the spelling(s) used, and the vector."""

    form: str
    vector: RealArray


class StaticVectors(ModelKind):
    """Word vectors from a file, a mapping, a ``DataFrame``, gensim's ``KeyedVectors`` or a pipeline of spaCy.

    The format of a file is detected from its content: word2vec text and binary, GloVe text, fastText ``.vec`` and
    ``.bin``, ``.npy``, ``.npz`` and safetensors with a vocabulary, the folder of a spaCy pipeline, gensim's saved
    files. Text and word2vec binary files may be compressed with gzip, bzip2 or xz. ``.npy`` arrays are
    memory-mapped. Text and word2vec binary files are scanned once, which also checks that they are complete, and
    then read only where a word is. If a word occurs twice in a file, its first vector counts, and the provenance
    tells how many there are.

    Args:
        source: path of a file or folder, a mapping word -> vector, a ``DataFrame`` whose index is the words,
            ``KeyedVectors``, or a ``Language`` of spaCy.
        case: ``"as_is"`` looks words up as they are written, ``"lower"`` in lower case. ``"first_found"`` uses the
            first that exists of as written, lower, Capitalised, UPPER.
        language: language of the words, which says what their small letters are: in Turkish (``"tr"``) and Azeri
            (``"az"``) those of I and İ are ı and i.
        accents: ``"keep"`` leaves accents, ``"strip"`` removes them (ø, ß and ı are letters and stay), and
            ``"first_found"`` tries with accents, then without.
        multiword: an item with whitespace is first looked up as one entry, joined by a space, ``_`` or
            ``-``. If that is missing, ``"mean"`` uses the mean of the vectors of its words, all of which must
            exist, and ``"refuse"`` reports it missing.
        subwords: compose vectors of unknown words from their parts if the model (fastText binary) can.
        vocabulary: the words of the rows of ``.npy``, ``.npz`` or safetensors, or a file of them (text with a
            word a line, JSON, Parquet), by default a file of a usual name next to it.
        allow_pickle: load pickled files (gensim's own format). A pickle can run any code.
        name: name for tables, by default the file's.
        identity: further facts for the provenance, such as the repository and revision a file came from.

    Raises:
        ModelError: the source is not word vectors, or is damaged.
        InputError: an option has an unknown value.

    Examples:
        >>> vectors = StaticVectors({"king": [1.0, 0.0], "Queen": [0.0, 1.0]}, case="first_found")
        >>> matrix, missing = vectors.embed_words(["King", "queen", "jester"])
        >>> matrix.shape, missing
        ((2, 2), [2])
        >>> vectors.resolve(["King", "queen king", "jester"])
        ['king', 'Queen + king', None]
    """

    capabilities = frozenset({Capability.EMBEDS_WORDS, Capability.EMBEDS_IN_CONTEXT})
    label = asset_kind = "word vectors"
    kind = "static"
    checks_outputs = True

    def __init__(
        self,
        source: str | os.PathLike[str] | Mapping[str, Any] | Any,
        *,
        case: Case = "as_is",
        language: str = "",
        accents: Accents = "keep",
        multiword: Multiword = "mean",
        subwords: bool = True,
        vocabulary: Vocabulary | None = None,
        allow_pickle: bool = False,
        name: str | None = None,
        identity: Mapping[str, Any] | None = None,
    ) -> None:
        options = {k: v for k, v in locals().items() if k not in ("self", "source", "identity")}
        options = checked_options(options, options_of(StaticVectors.__init__), "load_model of word vectors")
        self._spelling = case, accents, language
        self._multiword, self._subwords = multiword, subwords
        self._identity = dict(identity or {})
        self._found: dict[str, _Match] = {}
        if not isinstance(source, (str, os.PathLike)):
            if vocabulary is not None:
                raise InputError(
                    "`vocabulary` names the words of an array file, and this source has words of its own",
                    option="vocabulary",
                    hint="omit `vocabulary`",
                )
            self._table: MatrixTable | TextTable = open_object(source)
            self.name = name or self._table.format
            return
        path = existing_path(source)
        if path is None:
            raise ModelError(f"no file {quoted(os.fspath(source))}")
        with loading_errors(source):
            self._table = open_path(path, vocabulary=options["vocabulary"], allow_pickle=allow_pickle)
        self.name = name or path.name

    @property
    def dimension(self) -> int:
        """Length of every vector."""
        return self._table.dimension

    @property
    def format(self) -> str:
        """Format of the source, such as ``"word2vec text, gzip"``."""
        return self._table.format

    @property
    def warnings(self) -> list[str]:
        """Caveats about the file, which methods copy into their results."""
        rows = self._table.facts().get("rows_not_finite")
        if not rows:
            return []
        return [f"{self.name}: {rows} of its rows contain NaN or infinity, and none of them was measured"]

    def __len__(self) -> int:
        """Number of distinct words."""
        return len(self._table)

    def __contains__(self, word: object) -> bool:
        """True if ``word`` has a vector under this object's policy."""
        return isinstance(word, str) and self.resolve([word])[0] is not None

    def __repr__(self) -> str:
        return (
            f"StaticVectors({self.name!r}, {self._table.format}, {len(self._table):,} words, "
            f"dimension {self.dimension})"
        )

    @property
    def words(self) -> Iterator[str]:
        """The words as the source spells them, in its own order, without keeping them."""
        return self._table.words()

    def word_blocks(self, limit: int | None = None) -> Iterator[tuple[list[str], RealArray]]:
        """Yield all distinct words with their vectors, in the source's own order, without keeping the vectors.

        Args:
            limit: yield only this many words, from the first on. ``None`` yields all.

        Examples:
            >>> vectors = StaticVectors({"a": [0.0, 2.0], "nurse": [1.0, 0.0]})
            >>> [(words, block.shape) for words, block in vectors.word_blocks()]
            [(['a', 'nurse'], (2, 2))]
        """
        words = islice(dict.fromkeys(self.words), limit)
        while block := list(islice(words, _BLOCK)):
            rows = self._table.rows(block)
            # Bytes that are not UTF-8 are shown as another word, which has no row.
            have = [word for word in block if word in rows]
            if have:
                yield have, np.stack([rows[word] for word in have])

    def vector(self, word: str) -> RealArray:
        """Return the vector of one word. It is a ``KeyError`` if the word has none."""
        vectors, missing = self.embed_words([word])
        if missing:
            raise KeyError(word)
        vector: RealArray = vectors[0]
        return vector

    def embed_words(self, words: Sequence[str]) -> tuple[RealArray, list[int]]:
        """Look up words, or items of several words.

        Returns:
            ``(vectors, missing)``: an array of shape (number found, dimension) in the order of the found words, of
            type float32 or float64 as stored, and the positions in ``words`` that have no vector.

        Raises:
            ModelError: a vector contains NaN or infinity (the words are named), or the source turns out to be
                damaged.
        """
        matches = self._match(words)
        missing = [position for position, match in enumerate(matches) if match is None]
        resolved = [match for match in matches if match is not None]
        if not resolved:
            return np.empty((0, self.dimension), dtype=np.float32), missing
        if bad := dict.fromkeys(match.form for match in resolved if not np.isfinite(match.vector).all()):
            raise ModelError(
                f"{self.name}: NaN or infinity in the vector of {name_list(map(quoted, bad), _SHOWN)}. Such vectors "
                "cannot be compared"
            )
        return np.stack([match.vector for match in resolved]), missing

    def embed_in_context(
        self,
        texts: Sequence[str],
        spans: Sequence[Span | None] | None,
        representations: Sequence[Representation | str],
    ) -> list[RealArray | Skipped]:
        """Embed texts as the means of their words' vectors, or a word in each by its own vector.

        Args:
            texts: the texts. Words are runs of letters and digits, so scripts without spaces are not split.
            spans: for each text the characters ``(start, end)`` of the word, or ``None``.
            representations: ``"sentence_mean"`` (words without a vector are excluded from the mean, as May et
                al. 2019 do) or ``"target_mean"``.

        Returns:
            One item per text: an array of shape (representations, dimension), or a :class:`~evaluate_bias.Skipped`
            if the word at the span, or every word, has no vector.

        Raises:
            CapabilityError: another representation or a layer, which static vectors do not have.

        Examples:
            >>> vectors = StaticVectors({"a": [0.0, 2.0], "nurse": [1.0, 0.0]})
            >>> vectors.embed_in_context(["a nurse!"], [(2, 7)], ["sentence_mean", "target_mean"])[0].tolist()
            [[0.5, 1.0], [1.0, 0.0]]
        """
        kinds = parse_representations(representations)
        for kind in kinds:
            if kind.pooling not in ("sentence_mean", "target_mean") or kind.layer != -1:
                raise CapabilityError(
                    f"{self.name} has one vector per word, so it has no {str(kind)!r}",
                    hint="use 'sentence_mean' or 'target_mean', or a transformer",
                )
        texts = check_texts(texts)
        places = list(zip(texts, check_spans(texts, spans), strict=True))
        needed = [text[slice(*span)] for text, span in places if span is not None]
        if any(kind.pooling == "sentence_mean" for kind in kinds):
            needed += [word for text in texts for word in _WORD.findall(text)]
        self.embed_words(needed)  # all at once: a compressed file is read from its beginning each time
        return [self._embed_text(text, span, [kind.pooling for kind in kinds]) for text, span in places]

    def _embed_text(self, text: str, span: Span | None, poolings: Sequence[str]) -> RealArray | Skipped:
        if not text.strip():
            return Skipped(text, "the text is empty")
        vectors: dict[str, RealArray] = {}
        if span is not None:
            word = text[slice(*span)]
            rows, missing = self.embed_words([word])
            if missing:
                return Skipped(text, f"{self.name} has no vector for {word!r}")
            vectors["target_mean"] = rows[0]
        elif "target_mean" in poolings:
            raise InputError("target_mean is the vector of a word", hint=f"give its span in {quoted(text)}")
        if "sentence_mean" in poolings:
            rows, _ = self.embed_words(_WORD.findall(text))
            if not len(rows):
                return Skipped(text, f"{self.name} has no vector for any word of the text")
            vectors["sentence_mean"] = rows.mean(axis=0)
        return np.stack([vectors[pooling] for pooling in poolings])

    def resolve(self, words: Sequence[str]) -> list[str | None]:
        """Return each word's spelling in the source, or ``None`` for a missing word.

        ``"New + York"`` is the mean of several, ``"zyzzyva (subwords)"`` a vector composed of parts of a word.
        """
        return [None if match is None else match.form for match in self._match(words)]

    def provenance(self) -> Mapping[str, Any]:
        """Return JSON-safe facts: format, size, look-up policy, checksum of every file (in memory: of the content)."""
        table = self._table
        facts: dict[str, Any] = {"kind": "static", "name": self.name, **self._identity}
        facts |= {"format": table.format, "words": len(table), "dimension": table.dimension, **table.facts()}
        case, accents, language = self._spelling
        facts |= {"case": case, **({"language": language} if language else {})}
        facts |= {"accents": accents, "multiword": self._multiword}
        if self._table.compose:
            facts["subwords"] = self._subwords
        if table.files:
            facts["sha256"] = {file.name: file_sha256(file) for file in table.files}
        else:
            digest = hashlib.sha256()
            for word in table.words():
                digest.update(word.encode("utf-8", "surrogatepass") + b"\0")
                digest.update(np.ascontiguousarray(table.rows([word])[word]).tobytes())
            facts["sha256"] = digest.hexdigest()
        return facts

    def _match(self, words: Sequence[str]) -> list[_Match | None]:
        """Find all words with one look at the table."""
        if isinstance(words, str):
            raise InputError(f"a list of words is needed, not the one string {quoted(words)}")
        for word in words:
            if not isinstance(word, str):
                raise InputError(f"words must be strings, and {quoted(word)} is {type(word).__name__}")
        distinct_words = dict.fromkeys(words)
        new = [word for word in distinct_words if word not in self._found]
        forms = {form for word in new for form in self._candidates(word)}
        rows = self._table.rows(forms) if forms else {}
        for word in new:
            match = self._choose(word, rows)
            if match is not None:
                self._found[word] = match
        return [self._found.get(word) for word in words]

    def _candidates(self, word: str) -> list[str]:
        """Return every spelling that could determine the result for ``word``."""
        forms = joined_forms(word, *self._spelling)
        parts = word.split()
        if self._multiword == "mean" and len(parts) > 1:
            forms += [form for part in parts for form in spellings(part, *self._spelling)]
        return forms

    def _choose(self, word: str, rows: Mapping[str, RealArray]) -> _Match | None:
        for form in joined_forms(word, *self._spelling):
            if form in rows:
                return _Match(form, rows[form])
        parts = word.split()
        if len(parts) < 2:
            return self._composed(word)
        if self._multiword == "refuse":
            return None
        matches = [match for match in (self._choose(part, rows) for part in parts) if match is not None]
        if len(matches) < len(parts):
            return None
        mean = np.mean([match.vector for match in matches], axis=0)
        return _Match(" + ".join(match.form for match in matches), mean)

    def _composed(self, word: str) -> _Match | None:
        """Make a vector of the word's parts, when that is wanted and the model can."""
        if not (self._subwords and self._table.compose and word):
            return None
        form = spellings(word, *self._spelling)[0]
        vector = self._table.compose(form)
        return None if vector is None else _Match(f"{form} (subwords)", vector)
