"""What of tokenizer.json each tokenizer class of the installed transformers obeys, on a small made file: a table.

    python benchmarks/tokenizer_classes.py

One part of the file is changed at a time, and the tokens of a text are held against those of the file by itself.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import transformers
from tokenizers import Regex, Tokenizer, normalizers, pre_tokenizers, processors

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.support.tiny_models import byte_tokenizer, unigram_tokenizer, wordpiece_tokenizer

MAKERS: dict[str, Callable[[], Any]] = {
    "BertTokenizer": wordpiece_tokenizer,
    "RobertaTokenizer": byte_tokenizer,
    "GPT2Tokenizer": byte_tokenizer,
    "Qwen2Tokenizer": byte_tokenizer,
    "XLMRobertaTokenizer": unigram_tokenizer,
    "CamembertTokenizer": unigram_tokenizer,
    "AlbertTokenizer": lambda: unigram_tokenizer(bert_marks=True),
    "DebertaV2Tokenizer": lambda: unigram_tokenizer(bert_marks=True),
    "PreTrainedTokenizerFast": byte_tokenizer,
}
TEXT = "She helped the Doctor."
PARTS = ("normaliser", "pre-tokenizer", "post-processor", "a mask that takes the blank before it")
HEAD = f"| class | {' | '.join(PARTS)} |\n|---|{'---|' * len(PARTS)}"


def changed(tokenizer: Any, part: str) -> Tokenizer:
    """The tokenizer's file with one part that no class has by itself."""
    file = Tokenizer.from_str(tokenizer.backend_tokenizer.to_str())
    if part == "normaliser":
        own = [file.normalizer] if file.normalizer else []
        file.normalizer = normalizers.Sequence([normalizers.Replace("She", "He"), *own])
    elif part == "pre-tokenizer":
        at_e = pre_tokenizers.Split(Regex("e"), "isolated")
        file.pre_tokenizer = pre_tokenizers.Sequence([at_e, file.pre_tokenizer])
    elif part == "post-processor":
        mark = str(tokenizer.sep_token)
        ids = [(mark, file.token_to_id(mark))]
        file.post_processor = processors.TemplateProcessing(
            single=f"{mark} $A {mark} {mark}", special_tokens=ids
        )
    else:
        state = json.loads(file.to_str())
        for token in state["added_tokens"]:
            token["lstrip"] |= token["content"] == tokenizer.mask_token
        file = Tokenizer.from_str(json.dumps(state))
    return file


def obeys(name: str, part: str) -> bool:
    """Whether a class that ``tokenizer_config.json`` names reads a file as it is, in one of its parts."""
    tokenizer = MAKERS[name]()
    file = changed(tokenizer, part)
    marks = {
        f"{kind}_token": getattr(tokenizer, f"{kind}_token") for kind in ("unk", "pad", "cls", "sep", "mask")
    }
    with tempfile.TemporaryDirectory() as folder:
        file.save(str(Path(folder, "tokenizer.json")))
        Path(folder, "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": name, **marks}))
        Path(folder, "config.json").write_text(json.dumps({"model_type": "bert"}))
        read = transformers.AutoTokenizer.from_pretrained(folder)
    text = f"She {tokenizer.mask_token}" if part == PARTS[-1] else TEXT
    special = part == "post-processor"
    return bool(
        read(text, add_special_tokens=special)["input_ids"]
        == file.encode(text, add_special_tokens=special).ids
    )


def rows() -> list[str]:
    """The lines of the table for the installed version."""
    return [
        f"| `{name}` | {' | '.join('yes' if obeys(name, part) else 'no' for part in PARTS)} |"
        for name in MAKERS
    ]


if __name__ == "__main__":
    transformers.utils.logging.set_verbosity_error()
    print("\n".join([HEAD, *rows()]))
