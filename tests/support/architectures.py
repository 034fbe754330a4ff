"""Every kind of language model that transformers has, tiny and random, as one table of what its configuration needs.

``CAUSAL["qwen3_next"]`` holds what differs from :data:`SIZES`, which is given wherever the configuration has the name.
``random_model("causal", "qwen3_next")`` is a pair ``(model, tokenizer)``.
"""

from __future__ import annotations

from typing import Any

import torch
import transformers

from tests.support.tiny_models import byte_tokenizer

LAYERS = 2
SIZES: dict[str, Any] = {
    "hidden_size": 32, "d_model": 32, "n_embd": 32, "dim": 32, "emb_dim": 32, "embedding_size": 32,
    "num_hidden_layers": LAYERS, "n_layer": LAYERS, "n_layers": LAYERS, "num_layers": LAYERS,
    "encoder_layers": LAYERS, "decoder_layers": LAYERS,
    "num_attention_heads": 4, "n_head": 4, "n_heads": 4, "num_heads": 4,
    "encoder_attention_heads": 4, "decoder_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 8,
    "intermediate_size": 48, "n_inner": 48, "hidden_dim": 48, "ffn_dim": 48,
    "encoder_ffn_dim": 48, "decoder_ffn_dim": 48, "moe_intermediate_size": 16, "shared_expert_intermediate_size": 16,
    "num_experts": 4, "n_routed_experts": 4, "num_local_experts": 4, "num_experts_per_tok": 2,
    "kv_lora_rank": 8, "q_lora_rank": 8, "qk_nope_head_dim": 8, "qk_rope_head_dim": 8, "v_head_dim": 8,
    "linear_num_value_heads": 4, "linear_num_key_heads": 2, "linear_key_head_dim": 8, "linear_value_head_dim": 8,
    "sliding_window": 8, "rotary_dim": 8, "state_size": 8, "n_groups": 1,
    "max_position_embeddings": 128, "n_positions": 128, "n_ctx": 128,
    "initializer_range": 0.25, "init_std": 0.25, "embed_init_std": 0.25,
}  # fmt: skip
"""Wide weights: a wrong mask, position or state then shows in the third digit, not the sixth."""

LATENT = {"num_key_value_heads": 4, "n_group": 1, "topk_group": 1, "first_k_dense_replace": 1}
MIXED = ["linear_attention", "full_attention"] * 2
MAMBA2 = {"mamba_n_heads": 4, "mamba_d_head": 16, "mamba_d_state": 8, "mamba_chunk_size": 8}

_PLAIN_CAUSAL = """
gpt2 gpt_bigcode gpt_neox gptj codegen bloom mpt biogpt xglm openai-gpt persimmon llama mistral mixtral
qwen2 qwen2_moe qwen3 qwen3_moe gemma gemma2 gemma3_text phi phi3 phimoe olmo olmo2 olmo3 olmoe cohere
cohere2 stablelm starcoder2 granite granitemoe glm glm4 exaone4 smollm3 gpt_oss modernbert-decoder bart
marian trocr mamba falcon_mamba
"""
CAUSAL: dict[str, dict[str, Any]] = {name: {} for name in _PLAIN_CAUSAL.split()} | {
    "gpt_neo": {"attention_types": [[["global", "local"], 1]], "window_size": 8},
    "opt": {"word_embed_proj_dim": 32},
    "ctrl": {"dff": 48},
    "falcon": {"head_dim": None},
    "ministral": {"head_dim": 8},
    "nemotron": {"head_dim": 8, "num_key_value_heads": 2},
    "dbrx": {
        "attn_config": {"kv_n_heads": 2, "rope_theta": 10000.0, "clip_qkv": 8},
        "ffn_config": {"ffn_hidden_size": 48, "moe_num_experts": 4, "moe_top_k": 2},
    },
    "deepseek_v2": LATENT | {"topk_method": "greedy", "num_experts_per_tok": 2},
    "deepseek_v3": LATENT,
    "minicpm3": LATENT | {"initializer_range": 0.1},
    "bert": {"is_decoder": True},
    "roberta": {"is_decoder": True},
    "electra": {"is_decoder": True},
    "reformer": {
        "is_decoder": True,
        "axial_pos_embds_dim": [16, 16],
        "axial_pos_shape": [16, 8],
        "attention_head_size": 8,
        "attn_layers": ["local", "lsh"],
        "feed_forward_size": 48,
        "num_buckets": 2,
        "local_attn_chunk_length": 16,
        "lsh_attn_chunk_length": 16,
    },
    "mamba2": {"num_heads": 4, "head_dim": 16, "chunk_size": 8},
    "rwkv": {"attention_hidden_size": 32},
    "xlstm": {"hidden_size": 128, "num_heads": 2, "chunk_size": 8, "head_dim": None, "v_head_dim": None},
    "recurrent_gemma": {"num_hidden_layers": 3, "lru_width": 32, "attention_window_size": 8},
    "bamba": MAMBA2 | {"attn_layer_indices": [1]},
    "falcon_h1": MAMBA2 | {"mamba_d_ssm": 64},
    "granitemoehybrid": MAMBA2 | {"layer_types": ["mamba", "attention"], "shared_intermediate_size": 16},
    "jamba": {"attn_layer_period": 2, "attn_layer_offset": 1, "mamba_d_state": 8},
    "lfm2": {"layer_types": ["conv", "full_attention"]},
    "minimax": {"initializer_range": 0.1, "num_hidden_layers": 4, "block_size": 8},
    "nemotron_h": {
        "layers_block_type": ["mamba", "attention"],
        "mamba_num_heads": 4,
        "mamba_head_dim": 16,
        "chunk_size": 8,
        "ssm_state_size": 8,
    },
    "olmo_hybrid": {"num_hidden_layers": 4, "layer_types": MIXED},
    "qwen3_next": {"num_hidden_layers": 4, "layer_types": MIXED},
    "qwen3_5_text": {"num_hidden_layers": 4, "layer_types": MIXED},
    "kimi_linear": LATENT
    | {
        "layer_types": ["linear_attention", "full_attention"],
        "linear_num_heads": 4,
        "linear_head_dim": 8,
        "q_lora_rank": None,
    },
    "zamba": {
        "num_hidden_layers": 4,
        "layers_block_type": ["mamba", "hybrid", "mamba", "hybrid"],
        "attention_head_dim": 16,
        "attention_hidden_size": 64,
        "mamba_d_state": 8,
    },
    "zamba2": {
        "num_hidden_layers": 4,
        "layers_block_type": ["mamba", "hybrid", "mamba", "hybrid"],
        "attention_head_dim": 16,
        "mamba_d_state": 8,
        "n_mamba_heads": 4,
        "mamba_headdim": 16,
        "chunk_size": 8,
    },
}

_PLAIN_MASKED = """
albert bart bert camembert convbert data2vec-text deberta deberta-v2 distilbert electra ernie eurobert
flaubert fnet gte ibert jina_embeddings_v3 mbart megatron-bert mobilebert modernbert mpnet mra
nomic_bert nystromformer roberta roberta-prelayernorm roformer squeezebert xlm xlm-roberta
"""
MASKED: dict[str, dict[str, Any]] = {name: {} for name in _PLAIN_MASKED.split()} | {
    "big_bird": {"attention_type": "original_full"},
    "funnel": {"block_sizes": [1, 1], "d_inner": 48, "num_hidden_layers": None},
    "longformer": {"attention_window": 4},
    "perceiver": {
        "num_latents": 8,
        "d_latents": 16,
        "num_blocks": 1,
        "num_self_attends_per_block": 1,
        "num_self_attention_heads": 2,
        "num_cross_attention_heads": 2,
        "qk_channels": 16,
        "v_channels": 16,
        "d_model": 16,
    },
    "rembert": {"input_embedding_size": 32, "output_embedding_size": 32},
    "xmod": {"languages": ["en_XX"], "default_language": "en_XX"},
}


def random_model(head: str, model_type: str, seed: int = 0) -> tuple[Any, Any]:
    """``(model, tokenizer)`` with random weights; ``head`` is ``"causal"`` or ``"masked"``."""
    table, auto = {
        "causal": (CAUSAL, transformers.AutoModelForCausalLM),
        "masked": (MASKED, transformers.AutoModelForMaskedLM),
    }[head]
    tokenizer = byte_tokenizer(causal=head == "causal")
    torch.manual_seed(seed)
    return auto.from_config(tiny_config(model_type, tokenizer, **table[model_type])).eval(), tokenizer


def tiny_config(model_type: str, tokenizer: Any, **changes: Any) -> Any:
    """The smallest configuration of a type that still has all its parts."""
    kind = transformers.CONFIG_MAPPING[model_type]
    default = kind()
    sizes = {}
    for name, value in SIZES.items():
        try:
            if (getattr(default, name, None) or 0) > 0:
                sizes[name] = value
        except (AttributeError, NotImplementedError, ValueError):
            pass
    marks = {f"{mark}_token_id": getattr(tokenizer, f"{mark}_token_id") for mark in ("bos", "eos", "pad")}
    marks["pad_token_id"] = marks["pad_token_id"] or 0
    settings = sizes | marks | {"vocab_size": len(tokenizer)} | changes
    return kind(**{name: value for name, value in settings.items() if value is not None})
