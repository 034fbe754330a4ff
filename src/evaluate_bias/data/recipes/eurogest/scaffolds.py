"""What EuroGEST (Rowe et al. 2025) puts around a sentence that has no gender, in every language."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from ....errors import DataError
from ...origins import RepositoryTexts, checksums

LANGUAGES: Final = {
    "bg": "Bulgarian", "ca": "Catalan", "cs": "Czech", "da": "Danish", "de": "German", "el": "Greek", "en": "English",
    "es": "Spanish", "et": "Estonian", "fi": "Finnish", "fr": "French", "ga": "Irish", "gl": "Galician",
    "hr": "Croatian", "hu": "Hungarian", "it": "Italian", "lt": "Lithuanian", "lv": "Latvian", "mt": "Maltese",
    "nl": "Dutch", "no": "Norwegian", "pl": "Polish", "pt": "Portuguese", "ro": "Romanian", "ru": "Russian",
    "sk": "Slovak", "sl": "Slovenian", "sv": "Swedish", "tr": "Turkish", "uk": "Ukrainian",
}  # fmt: skip
"""What EuroGEST calls its languages."""

SCAFFOLD_FILES = RepositoryTexts.pinned(
    "JacquelineRowe/EuroGEST",
    "b54359247d6a0cfab3247cc02be152e809004cbe",
    {path: sha256 for path, sha256 in checksums("eurogest").items() if not path.startswith("data/")},
)
"""What EuroGEST puts around a sentence that has no gender, in every language."""


@dataclass(frozen=True, slots=True)
class Scaffold:
    """What stands around a sentence that has no gender: marks before and after it, and who says it."""

    opening: str
    closing: str
    masculine: str
    feminine: str

    def forms(self, sentence: str) -> dict[str, str]:
        """Both forms of a sentence, whose own marks at its ends are left out as in the published code."""
        bare = re.sub(r"^[^\w\s]+|[^\w\s]+\Z", "", sentence.strip())
        quoted = f"{self.opening}{bare}{self.closing}"
        return {name: f"{quoted} {getattr(self, name).strip()}" for name in ("masculine", "feminine")}


ENGLISH = Scaffold('"', ',"', "he said", "she said")


def scaffolds_of(texts: Mapping[str, str]) -> dict[str, Scaffold]:
    """Read the scaffold of every language from the published files: of a noun where pronouns have no gender.

    Raises:
        DataError: they do not have the published form.
    """
    try:
        verbs, marks, kinds = (json.loads(texts[Path(file.path).stem]) for file in SCAFFOLD_FILES.files)
        of_nouns = kinds["language_types"]["no_gendered_pronouns"]
        scaffolds = {"en": ENGLISH}
        for tag, language in LANGUAGES.items():
            if tag not in scaffolds:
                speakers = ("the man", "the woman") if language in of_nouns else ("he", "she")
                scaffolds[tag] = Scaffold(
                    *marks[language], *(verbs[f"{who} said"][language] for who in speakers)
                )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise DataError(f"the scaffolds do not have the form of EuroGEST's files: {error!r}"[:300]) from error
    return scaffolds


@cache
def published_scaffolds() -> dict[str, Scaffold]:
    """Return the scaffolds of the published files, which are obtained on first use.

    Raises:
        AssetError: they could not be obtained.
    """
    return scaffolds_of(json.loads(SCAFFOLD_FILES.read(None, verify=True)))
