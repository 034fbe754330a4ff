"""Which head a class of transformers has: that of a masked or of a causal language model, or none."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

Head = Literal["masked", "causal", "encoder", "next_sentence", "classifier"]

INFERENCES = ("entailment", "neutral", "contradiction")
"""What a classifier of natural language inference tells apart."""


def head_of(architecture: str, labels: Iterable[Any] = ()) -> Head | None:
    """The head of a class of transformers, by its mappings; ``None`` where there is no name or no transformers.

    Of those that classify, only the head that tells inferences apart counts, by the names of its ``labels``; one whose
    three labels have no names may be such a head.

    A class of both kinds is a masked model: XLM's is asked by a mask.

    Examples:
        >>> head_of("FlaubertWithLMHeadModel"), head_of("GPT2LMHeadModel"), head_of("BertModel"), head_of("")
        ('masked', 'causal', 'encoder', None)
        >>> head_of("BertForSequenceClassification", ["NEUTRAL", "ENTAILMENT", "CONTRADICTION"])
        'classifier'
    """
    try:
        import transformers
        from transformers.models.auto import modeling_auto as auto
    except ImportError:
        return None
    if not architecture:
        return None
    if head := _head_by_name([architecture], labels):
        return head
    # Classes with another head beside that of a language model; all others have but the body.
    kind = getattr(transformers, architecture, None)
    model_type = getattr(getattr(kind, "config_class", None), "model_type", None)
    others = auto.MODEL_FOR_PRETRAINING_MAPPING_NAMES, auto.MODEL_FOR_NEXT_SENTENCE_PREDICTION_MAPPING_NAMES
    if any(names.get(model_type) == architecture for names in others):
        return "masked" if model_type in auto.MODEL_FOR_MASKED_LM_MAPPING_NAMES else "encoder"
    writes = model_type in auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES and kind.can_generate()  # type: ignore[union-attr]
    return "causal" if writes else "encoder"


def head_in_memory(model: Any) -> Head:
    """The head of a model, also of a class that is derived from one of transformers or of somebody's own."""
    if head := _head_by_name([kind.__name__ for kind in type(model).__mro__], labels_of(model.config)):
        return head
    if model.get_output_embeddings() is None:
        return "encoder"
    return "causal" if model.can_generate() else "masked"


def _head_by_name(names: Iterable[str], labels: Iterable[Any]) -> Head | None:
    """The head that transformers' mappings give the first of these classes that they know."""
    from transformers.models.auto import modeling_auto as auto

    labels = sorted(str(label).strip().lower() for label in labels)
    tells_inferences = labels in (sorted(INFERENCES), ["label_0", "label_1", "label_2"])
    heads: list[tuple[Head, Any]] = [
        ("masked", auto.MODEL_FOR_MASKED_LM_MAPPING_NAMES),
        ("causal", auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES),
        ("causal", auto.MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES),
    ]
    if tells_inferences:
        heads.append(("classifier", auto.MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING_NAMES))
    known = ((head, name) for name in names for head, mapping in heads if name in mapping.values())
    return next((head for head, _ in known), None)


def reads_masks(model_type: str) -> bool:
    """Whether models of a type of transformers, such as BART, have a head of a masked language model.

    Examples:
        >>> reads_masks("bart"), reads_masks("t5")
        (True, False)
    """
    from transformers.models.auto import modeling_auto as auto

    return model_type in auto.MODEL_FOR_MASKED_LM_MAPPING_NAMES


def labels_of(config: Any) -> Iterable[Any]:
    """The labels in a configuration, or in what is stored of one."""
    labels = config.get("id2label") if isinstance(config, dict) else getattr(config, "id2label", None)
    return labels.values() if isinstance(labels, dict) else ()
