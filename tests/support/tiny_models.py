"""Tiny, randomly initialised transformers of every family, with small tokenizers trained here: nothing is
downloaded, and every process makes the same ones.

``tiny_masked("bert")`` and ``tiny_causal("llama")`` return ``(model, tokenizer)``. Weights are drawn wide, so
that a wrong mask, a wrong position or a wrong head shows in the third digit, not the sixth.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from typing import Any

import torch
import transformers
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

CORPUS = [
    "The nurse said that she would help the doctor with the unfriendly patient.",
    "The engineer told everyone he was not able to fix the bridge, so he left.",
    "My neighbour's grandmother plays football; nobody believed it at first!",
    "Was the unkindness of the old man noticed by his daughters? Perhaps not.",
    "People from the north are often described as hardworking and uncommunicative.",
    "Die Krankenschwester half dem Arzt, und der Ingenieur reparierte die Brücke.",
    "L'infirmière a aidé le médecin; l'ingénieur n'a pas réparé le pont.",
]
SENTENCES = [
    "The nurse said she left.",
    "The engineer said he left.",
    "Nobody believed the grandmother plays football, perhaps!",
    "The unfriendly daughters are hardworking and uncommunicative people from the north.",
    "he",
    "The nurse said she left.",
]
"""For scoring: different lengths, words of several pieces, a one-word text, a duplicate."""

SIZES: dict[str, Any] = {
    "hidden_size": 32,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "intermediate_size": 48,
    "max_position_embeddings": 64,
    "initializer_range": 0.25,
}


_BERT_MARKS = {"cls": "[CLS]", "sep": "[SEP]", "pad": "[PAD]", "unk": "[UNK]", "mask": "[MASK]"}
_OTHER_MARKS = {"cls": "<s>", "sep": "</s>", "pad": "<pad>", "unk": "<unk>", "mask": "<mask>"}


def _wrapped(backend: Tokenizer, **marks: str) -> Any:
    named = {f"{name}_token": mark for name, mark in marks.items()}
    return transformers.PreTrainedTokenizerFast(tokenizer_object=backend, **named)


def _template(backend: Tokenizer, start: str, end: str) -> None:
    ids = [(token, backend.token_to_id(token)) for token in (start, end)]
    backend.post_processor = processors.TemplateProcessing(
        single=f"{start} $A {end}", pair=f"{start} $A {end} $B:1 {end}:1", special_tokens=ids
    )


def _trained(
    backend: Tokenizer, size: int, prefix: str = ""
) -> tuple[list[str], list[tuple[str, str]], Counter[str]]:
    """``size`` pieces of ``CORPUS``, the merges that made them, and how often each stands in the merged words.

    Byte-pair encoding, of equally frequent pairs the shortest and then the first: the library's own trainers choose
    among them anew in every process, so that one run in a hundred would test another model. A piece within a word
    begins with ``prefix``.
    """
    normal = backend.normalizer.normalize_str if backend.normalizer else str
    texts = [w for line in CORPUS for w, _ in backend.pre_tokenizer.pre_tokenize_str(normal(line))]
    words = {text: [text[0], *(prefix + letter for letter in text[1:])] for text in texts}
    times = Counter(texts)
    pieces = sorted({piece for text in texts for letter in text for piece in (letter, prefix + letter)})
    merges: list[tuple[str, str]] = []
    while len(pieces) < size:
        pairs: Counter[tuple[str, str]] = Counter()
        for text, word in words.items():
            for pair in pairwise(word):
                pairs[pair] += times[text]
        left, right = best = max(pairs, key=lambda pair: (pairs[pair], -len("".join(pair))))
        merges.append(best)
        joined = left + right.removeprefix(prefix)
        pieces += [joined] if joined not in pieces else []
        for word in words.values():
            for i in range(len(word) - 1, 0, -1):
                if (word[i - 1], word[i]) == best:
                    word[i - 1 : i + 1] = [joined]
    found: Counter[str] = Counter()
    for text, word in words.items():
        found.update({piece: times[text] * word.count(piece) for piece in set(word)})
    return pieces, merges, found


@cache
def wordpiece_tokenizer(lowercase: bool = True) -> Any:
    """BERT's, DistilBERT's and ELECTRA's kind."""
    backend = Tokenizer(models.WordPiece({"[UNK]": 0}, unk_token="[UNK]"))
    backend.normalizer = normalizers.BertNormalizer(lowercase=lowercase)
    backend.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    backend.decoder = decoders.WordPiece()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    pieces, _, _ = _trained(backend, 215, "##")
    vocabulary = {piece: i for i, piece in enumerate(special + pieces)}
    backend.model = models.WordPiece(vocabulary, unk_token="[UNK]")
    backend.add_special_tokens(special)
    _template(backend, "[CLS]", "[SEP]")
    return _wrapped(backend, **_BERT_MARKS)


@cache
def byte_tokenizer(bert_marks: bool = False, causal: bool = False) -> Any:
    """RoBERTa's kind; with ``bert_marks`` DeBERTa's and ModernBERT's; with ``causal`` GPT-2's."""
    marks = _BERT_MARKS if bert_marks else _OTHER_MARKS
    cls, sep, pad, unk, mask = marks.values()
    backend = Tokenizer(models.BPE())
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = decoders.ByteLevel()
    special = ["<|endoftext|>"] if causal else [cls, pad, sep, unk, mask]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    pieces, merges, _ = _trained(backend, 180)
    kinds = dict.fromkeys(special + sorted(alphabet) + pieces)
    backend.model = models.BPE({piece: i for i, piece in enumerate(kinds)}, merges)
    backend.add_special_tokens(special)
    if causal:
        return _wrapped(backend, bos="<|endoftext|>", eos="<|endoftext|>")
    _template(backend, cls, sep)
    return _wrapped(backend, bos=cls, eos=sep, **marks)


@cache
def unigram_tokenizer(bert_marks: bool = False, causal: bool = False) -> Any:
    """XLM-R's kind; with ``bert_marks`` ALBERT's and DeBERTa-v3's; with ``causal`` Llama's (adds ``<s>``)."""
    marks = _BERT_MARKS if bert_marks else _OTHER_MARKS
    cls, sep, pad, unk, mask = marks.values()
    backend = Tokenizer(models.Unigram())
    backend.normalizer = normalizers.NFKC()
    backend.pre_tokenizer = pre_tokenizers.Metaspace()
    backend.decoder = decoders.Metaspace()
    special = [cls, pad, sep, unk, mask]
    pieces, _, found = _trained(backend, 215)
    total = sum(found.values()) + len(pieces)
    scored = [(piece, math.log((found[piece] + 1) / total)) for piece in pieces]
    backend.model = models.Unigram([(token, 0.0) for token in special] + scored, special.index(unk))
    backend.add_special_tokens(special)
    if causal:
        start = (cls, backend.token_to_id(cls))
        backend.post_processor = processors.TemplateProcessing(single=f"{cls} $A", special_tokens=[start])
        return _wrapped(backend, bos=cls, eos=sep, unk=unk)
    _template(backend, cls, sep)
    return _wrapped(backend, **marks)


def _config(kind: type, tokenizer: Any, **changes: Any) -> Any:
    marks = {"pad_token_id": tokenizer.pad_token_id} if tokenizer.pad_token_id is not None else {}
    return kind(vocab_size=len(tokenizer), **{**SIZES, **marks, **changes})


def _bert() -> tuple[Any, Any]:
    tokenizer = wordpiece_tokenizer()
    return transformers.BertForMaskedLM(_config(transformers.BertConfig, tokenizer)), tokenizer


def _roberta() -> tuple[Any, Any]:
    tokenizer = byte_tokenizer()
    config = _config(transformers.RobertaConfig, tokenizer, type_vocab_size=1)
    return transformers.RobertaForMaskedLM(config), tokenizer


def _albert() -> tuple[Any, Any]:
    tokenizer = unigram_tokenizer(bert_marks=True)
    config = _config(transformers.AlbertConfig, tokenizer, embedding_size=16, inner_group_num=1)
    return transformers.AlbertForMaskedLM(config), tokenizer


def _distilbert() -> tuple[Any, Any]:
    tokenizer = wordpiece_tokenizer(lowercase=False)
    config = transformers.DistilBertConfig(
        vocab_size=len(tokenizer),
        dim=32,
        n_layers=3,
        n_heads=4,
        hidden_dim=48,
        max_position_embeddings=64,
        initializer_range=0.25,
    )
    return transformers.DistilBertForMaskedLM(config), tokenizer


def _electra() -> tuple[Any, Any]:
    tokenizer = wordpiece_tokenizer()
    config = _config(transformers.ElectraConfig, tokenizer, embedding_size=16)
    return transformers.ElectraForMaskedLM(config), tokenizer


def _xlm_roberta() -> tuple[Any, Any]:
    tokenizer = unigram_tokenizer()
    config = _config(transformers.XLMRobertaConfig, tokenizer, type_vocab_size=1)
    return transformers.XLMRobertaForMaskedLM(config), tokenizer


def _deberta(**changes: Any) -> tuple[Any, Any]:
    tokenizer = byte_tokenizer(bert_marks=True)
    config = _config(
        transformers.DebertaConfig,
        tokenizer,
        relative_attention=True,
        pos_att_type=["c2p", "p2c"],
        type_vocab_size=0,
        **changes,
    )
    return transformers.DebertaForMaskedLM(config), tokenizer


def _deberta_v2(**changes: Any) -> tuple[Any, Any]:
    tokenizer = unigram_tokenizer(bert_marks=True)
    config = _config(
        transformers.DebertaV2Config,
        tokenizer,
        relative_attention=True,
        position_buckets=16,
        norm_rel_ebd="layer_norm",
        share_att_key=True,
        pos_att_type=["p2c", "c2p"],
        position_biased_input=False,
        type_vocab_size=0,
        **changes,
    )
    return transformers.DebertaV2ForMaskedLM(config), tokenizer


def _modernbert() -> tuple[Any, Any]:
    tokenizer = byte_tokenizer(bert_marks=True)
    config = _config(
        transformers.ModernBertConfig,
        tokenizer,
        local_attention=16,
        global_attn_every_n_layers=2,
        initializer_cutoff_factor=4.0,
        cls_token_id=tokenizer.cls_token_id,
        sep_token_id=tokenizer.sep_token_id,
        bos_token_id=tokenizer.cls_token_id,
        eos_token_id=tokenizer.sep_token_id,
    )
    return transformers.ModernBertForMaskedLM(config), tokenizer


MASKED: dict[str, Callable[[], tuple[Any, Any]]] = {
    "bert": _bert,
    "roberta": _roberta,
    "albert": _albert,
    "distilbert": _distilbert,
    "electra": _electra,
    "xlm-roberta": _xlm_roberta,
    "deberta": _deberta,
    "deberta-v2": _deberta_v2,
    "deberta-v3-head": lambda: _deberta_v2(legacy=False),
    "modernbert": _modernbert,
}


def _gpt2() -> tuple[Any, Any]:
    tokenizer = byte_tokenizer(causal=True)
    config = transformers.GPT2Config(
        vocab_size=len(tokenizer), n_embd=32, n_layer=3, n_head=4, n_positions=64, initializer_range=0.25
    )
    return transformers.GPT2LMHeadModel(config), tokenizer


def _llama() -> tuple[Any, Any]:
    tokenizer = unigram_tokenizer(causal=True)
    config = _config(transformers.LlamaConfig, tokenizer, num_key_value_heads=2)
    return transformers.LlamaForCausalLM(config), tokenizer


def _gemma2() -> tuple[Any, Any]:
    """Soft-capped logits and attention, sliding windows."""
    tokenizer = unigram_tokenizer(causal=True)
    config = _config(
        transformers.Gemma2Config,
        tokenizer,
        num_key_value_heads=2,
        head_dim=8,
        sliding_window=8,
        final_logit_softcapping=5.0,
    )
    return transformers.Gemma2ForCausalLM(config), tokenizer


CAUSAL: dict[str, Callable[[], tuple[Any, Any]]] = {"gpt2": _gpt2, "llama": _llama, "gemma2": _gemma2}


@cache
def tiny_masked(family: str = "bert", seed: int = 0) -> tuple[Any, Any]:
    """``(model, tokenizer)`` of a masked-LM family, a key of ``MASKED``."""
    torch.manual_seed(seed)
    model, tokenizer = MASKED[family]()
    return model.eval(), tokenizer


@cache
def tiny_causal(family: str = "gpt2", seed: int = 0) -> tuple[Any, Any]:
    """``(model, tokenizer)`` of a causal family, a key of ``CAUSAL``."""
    torch.manual_seed(seed)
    model, tokenizer = CAUSAL[family]()
    return model.eval(), tokenizer


@cache
def loaded_bert() -> Any:
    """The tiny BERT as a model of this library."""
    from evaluate_bias.models.load import load_model

    return load_model(tiny_masked("bert"), progress=False)


def with_both_preferences(make: Any, *samples: Any, **options: Any) -> Any:
    """A tiny model with preferences for either side of the pairs in each sample, which a random one may lack."""
    import evaluate_bias as eb
    from evaluate_bias.errors import UndefinedScoreError

    for seed in range(50):
        model = eb.load_model(make(seed=seed))
        try:
            for rows in samples:
                eb.measure("pll_robustness", model, data=rows, **options)
        except UndefinedScoreError:
            continue
        return model
    raise AssertionError("no seed gives preferences on both sides")
