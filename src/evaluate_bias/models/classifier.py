"""Classifiers of texts from the Hub or a folder, as the probability of one label."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from ..errors import InputError, ModelError, quoted
from ._hub import find_repo
from .pretrained import import_transformers, load_config, load_pretrained, load_tokenizer, quiet_transformers
from .source import ModelSource, existing_path, find_checkpoint, loading_errors
from .transformer import ADAPTER

_BATCH = 32
_refusal: ContextVar[str | None] = ContextVar("refusal of classifiers", default=None)
"""Why no classifier is loaded here. ``None`` if classifiers are loaded."""


class TextClassifier:
    """A text-classification pipeline of transformers and one of its labels.

    Attributes:
        name: Hub id or folder.
        label: the label whose probability is given.
        warnings: what was odd about loading it.
    """

    def __init__(self, name: str, label: str, pipeline: Any, warnings: Sequence[str] = ()) -> None:
        self.name, self.label, self.warnings = name, label, tuple(warnings)
        self._pipeline = pipeline

    def probabilities(self, texts: Sequence[str]) -> list[float]:
        """Return the probability of the label for every text. A text is cut off where the model can read no more."""
        outputs = self._pipeline(list(texts), top_k=None, truncation=True, batch_size=_BATCH) if texts else []
        return [next(float(s["score"]) for s in scores if s["label"] == self.label) for scores in outputs]

    def provenance(self) -> Mapping[str, Any]:
        """Return its name, its commit if it is from the Hub, the label, and its warnings."""
        commit = getattr(self._pipeline.model.config, "_commit_hash", None)
        facts = {"revision": commit, "warnings": list(self.warnings)}
        return {"name": self.name, "label": self.label, **{k: v for k, v in facts.items() if v}}


@contextmanager
def no_classifiers(why: str) -> Iterator[None]:
    """Load no classifier within this context, for a reason that the error gives.

    Examples:
        >>> with no_classifiers("this page runs no models of others"):
        ...     load_classifier("toxicity#toxic")
        Traceback (most recent call last):
        ...
        evaluate_bias.errors.ModelError: the classifier toxicity was not loaded: this page runs no models of others
    """
    token = _refusal.set(why)
    try:
        yield
    finally:
        _refusal.reset(token)


def load_classifier(address: str) -> TextClassifier:
    """Load a classifier of texts in float32, only from safetensors and without code from elsewhere.

    Args:
        address: ``NAME#LABEL``, a Hub id or folder and one of the model's labels.

    Raises:
        InputError: no label is named.
        ModelError: it cannot be loaded, gives no probabilities, or has no such label, or classifiers are not loaded
            here, see :func:`no_classifiers`.
        CapabilityError: the checkpoint has no classification head.
    """
    name, mark, label = address.rpartition("#")
    if not (mark and name and label):
        raise InputError(
            f"a classifier is named with the label that is scored, as hf:NAME#LABEL, got {quoted(address)}",
            option="scorers",
        )
    if (why := _refusal.get()) is not None:
        raise ModelError(f"the classifier {name} was not loaded: {why}")
    transformers = import_transformers()
    import torch

    with loading_errors(name):
        checkpoint = _checkpoint(name)
        config = load_config(checkpoint)
        if config.problem_type == "regression":
            raise ModelError(
                f"the classifier {name} is trained for regression: its numbers are not probabilities of a label",
                hint="use one that is trained for labels, or give a function of a text as the scorer",
            )
        labels = list(config.id2label.values())
        if label not in labels:
            raise ModelError(
                f"the classifier {name} has no label {quoted(label)}",
                hint=f"choose from {', '.join(map(str, labels))}",
            )
        model = load_pretrained(checkpoint, "classifier", torch.float32, config).eval()
        tokenizer = load_tokenizer(checkpoint, "auto")
        with quiet_transformers():
            pipeline = transformers.pipeline(
                "text-classification", model=model, tokenizer=tokenizer, device="cpu"
            )
    return TextClassifier(name, label, pipeline, checkpoint.warnings)


def _checkpoint(name: str) -> ModelSource:
    """Return where a classifier is: a folder or a commit of the Hub that has weights of its own with a head in them."""
    path, commit = existing_path(name), None
    if path is None:
        repo = find_repo(name, None)
        commit, is_adapter = repo.commit, ADAPTER in repo.files
    else:
        is_adapter = (path / ADAPTER).is_file()
    if is_adapter:
        raise ModelError(
            f"the classifier {name} is a PEFT adapter",
            hint="merge it into its base model and give the folder of that",
        )
    checkpoint = find_checkpoint(name, commit, allow_pickle=False)
    if checkpoint.is_gguf:
        raise ModelError(f"the classifier {name} is a GGUF file, which contains no classification head")
    return checkpoint
