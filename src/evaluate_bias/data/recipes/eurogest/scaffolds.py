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
from ...origins import RepositoryTexts

LANGUAGES: Final = {
    "bg": "Bulgarian", "ca": "Catalan", "cs": "Czech", "da": "Danish", "de": "German", "el": "Greek", "en": "English",
    "es": "Spanish", "et": "Estonian", "fi": "Finnish", "fr": "French", "ga": "Irish", "gl": "Galician",
    "hr": "Croatian", "hu": "Hungarian", "it": "Italian", "lt": "Lithuanian", "lv": "Latvian", "mt": "Maltese",
    "nl": "Dutch", "no": "Norwegian", "pl": "Polish", "pt": "Portuguese", "ro": "Romanian", "ru": "Russian",
    "sk": "Slovak", "sl": "Slovenian", "sv": "Swedish", "tr": "Turkish", "uk": "Ukrainian",
}  # fmt: skip
"""What EuroGEST calls its languages."""

_CONFIGS = "evaluate_models/configs"
SCAFFOLD_FILES = RepositoryTexts.pinned(
    "JacquelineRowe/EuroGEST",
    "b54359247d6a0cfab3247cc02be152e809004cbe",
    {
        f"{_CONFIGS}/prompt_scaffolds.json": "e6f22133fca8dd2266200774bb63777d94f4327ac1c55d43ce7a852a7102c238",
        f"{_CONFIGS}/punc_map.json": "3bc2b99107a8113a03eb53355b9a3bd5061b7965a2f7c0038c19a168d09b3769",
        f"{_CONFIGS}/language_test_configs.json": "d64e47a726befe3f63a80adcfa058597e5d1961a025a600913e65462e883410f",
    },
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
