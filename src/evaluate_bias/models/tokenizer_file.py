"""Check a model's tokens against its ``tokenizer.json``, and keep space tokens from preceding masks.

transformers 5 rebuilds normaliser and pre-tokenizer from the class that ``tokenizer_config.json`` names and takes only
vocabulary, merges or scores from the file.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ..errors import quoted

MOST_TEXTS = 200
"""How many different texts are compared with the file."""
_TRIAL = "Anna's 12 nurses SAID: it's late."


class TokenizerFile:
    """The ``tokenizer.json`` that belongs to a tokenizer."""

    def __init__(self, path: Path, tokenizer: Any) -> None:
        from tokenizers import Tokenizer

        self._file, self._tokenizer = Tokenizer.from_file(str(path)), tokenizer
        self._file.no_padding()
        self._file.no_truncation()
        self._texts: set[str] = set()
        self.difference = ""
        self.compare([_TRIAL])

    def compare(self, texts: Iterable[str]) -> None:
        """Compare texts with the file until one differs or enough agree. ``difference`` then says how it differs."""
        for text in texts:
            if self.difference or len(self._texts) >= MOST_TEXTS:
                return
            # Whether a mask includes the space before it may differ from the file: see with_stripped_mask.
            if text not in self._texts and str(self._tokenizer.mask_token) not in text:
                self._texts.add(text)
                used = self._tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"]
                filed = self._file.encode(text, add_special_tokens=False)
                if used != filed.ids:
                    self.difference = self._explain(text, used, filed.ids)

    def _explain(self, text: str, used: list[int], filed: list[int]) -> str:
        import transformers

        start = next((k for k, (a, b) in enumerate(zip(used, filed, strict=False)) if a != b), 0)
        pieces = [
            " ".join(self._tokenizer.convert_ids_to_tokens(ids[start : start + 4])) or "nothing"
            for ids in (used, filed)
        ]
        return (
            f"transformers {transformers.__version__} reads texts with {type(self._tokenizer).__name__} and not as "
            f"tokenizer.json has it: in {quoted(text)} it finds {quoted(pieces[0])} where the file has "
            f"{quoted(pieces[1])}. To obey the file, set the loading option `tokenizer` to 'file'"
        )


def find_tokenizer_file(location: str, **options: Any) -> Path | None:
    """Return the ``tokenizer.json`` of a folder or repository, or ``None`` without one.

    Args:
        location: the folder, or the Hub id.
        options: ``revision``, ``token`` and ``subfolder`` of the repository. Others are not read.
    """
    from transformers.utils import cached_file

    path = cached_file(
        location,
        "tokenizer.json",
        _raise_exceptions_for_missing_entries=False,
        _raise_exceptions_for_gated_repo=False,
        _raise_exceptions_for_connection_errors=False,
        **{name: value for name, value in options.items() if name in ("revision", "token", "subfolder")},
    )
    return None if path is None else Path(path)


def with_stripped_mask(tokenizer: Any) -> tuple[Any, str]:
    """Return the tokenizer, or a copy whose mask includes the space before it, and a remark about that.

    Models are trained with masks instead of tokens, and a token includes the space before it.
    """
    mask = tokenizer.mask_token
    if mask is None or not getattr(tokenizer, "is_fast", False):
        return tokenizer, ""
    joined, spaced_ids = (
        tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"]
        for text in (f"x{mask}", f"x {mask}")
    )
    if len(spaced_ids) != len(joined) + 1 or spaced_ids[:-2] + spaced_ids[-1:] != joined:
        return tokenizer, ""
    piece = tokenizer.convert_ids_to_tokens(spaced_ids[-2])
    stripped = copy.deepcopy(tokenizer)
    state = json.loads(stripped.backend_tokenizer.to_str())
    for token in state["added_tokens"]:
        token["lstrip"] |= token["content"] == str(mask)
    stripped._tokenizer = type(stripped.backend_tokenizer).from_str(json.dumps(state))
    return stripped, (
        f"the tokenizer ({type(tokenizer).__name__}) puts a blank piece, {quoted(piece)}, between a word and the mask "
        "after it, which the model has not seen in training. Here the mask includes the blank before it"
    )
