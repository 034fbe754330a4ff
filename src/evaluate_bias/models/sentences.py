"""A SentenceTransformer: its own embeddings of texts, and the states of the transformer inside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from ..arrays import RealArray
from ..errors import CapabilityError, ModelError
from ..result import Skipped
from .alignment import check_texts
from .pooling import Representation, parse_representations
from .sentence_folder import warn_of_other_than_own
from .source import memory_sum
from .transformer import load_transformer


class SentenceModel:
    """Embeds texts as a ``SentenceTransformer`` does, with its pooling, further layers and prompts.

    The representation ``"own"`` is what ``encode`` of the model returns for a text. All others are those of the
    transformer inside it, as for every encoder, without prompts.

    Args:
        model: the ``SentenceTransformer``. Its device, dtype and default prompt stay.
        progress: show a progress bar for long runs.
        name: its name in results; by default that of the transformer inside it.

    Raises:
        ModelError: its first module is no transformer with a tokenizer.
    """

    def __init__(self, model: Any, *, progress: bool = True, name: str | None = None) -> None:
        inner = getattr(model[0], "auto_model", None)
        if inner is None or getattr(model, "tokenizer", None) is None:
            raise ModelError(
                f"a SentenceTransformer whose first module is a {type(model[0]).__name__} has no transformer to read"
            )
        self.model = model
        self._further: str | None = None
        self.encoder = load_transformer(
            (inner, model.tokenizer), kind="encoder", progress=progress, name=name
        )

    @property
    def name(self) -> str:
        """Short name for tables."""
        return self.encoder.name

    @property
    def warnings(self) -> list[str]:
        """Caveats found while embedding."""
        return self.encoder.warnings

    def separate_warnings(self) -> AbstractContextManager[None]:
        """Inside the block, collect only the warnings that a freshly loaded model would give."""
        return self.encoder.separate_warnings()

    @property
    def layer_count(self) -> int:
        """Number of layers of the transformer inside it."""
        return self.encoder.layer_count

    @property
    def modules(self) -> list[str]:
        """What a text goes through, by the names of the modules; the pooling with its mode."""
        out = []
        for module in self.model:
            mode = getattr(module, "get_pooling_mode_str", None) or getattr(module, "pooling_mode", "")
            mode = mode() if callable(mode) else mode
            out.append(f"{type(module).__name__} ({mode})" if mode else type(module).__name__)
        return out

    def provenance(self) -> Mapping[str, Any]:
        """The transformer's facts, with the modules, their weights and the default prompt."""
        facts = self.encoder.provenance()
        return {**facts, **self.further_facts(facts)}

    @property
    def _prompt(self) -> str:
        prompts = getattr(self.model, "prompts", None) or {}
        return str(prompts.get(getattr(self.model, "default_prompt_name", None) or "") or "")

    def further_facts(self, transformer: Mapping[str, Any]) -> dict[str, Any]:
        """What identifies it beside the facts of its transformer."""
        facts: dict[str, Any] = {"modules": self.modules, "prompt": self._prompt}
        if "weights_sha256" in transformer and (further := self._further_weights()):
            facts["weights_sha256"] = {**transformer["weights_sha256"], "modules": further}
        return facts

    def _further_weights(self) -> str:
        """The sha256 of the weights of the modules behind the transformer; empty where they have none."""
        from torch import nn

        further = nn.ModuleList(list(self.model)[1:])
        if self._further is None:
            self._further = memory_sum(further) if further.state_dict() else ""
        return self._further

    def embed_in_context(
        self,
        texts: Sequence[str],
        spans: Sequence[tuple[int, int] | None] | None,
        representations: Sequence[Representation | str],
    ) -> Sequence[RealArray | Skipped]:
        """Embed texts, or a word in each; see :meth:`~.encoder.ContextualModel.embed_in_context`.

        Raises:
            CapabilityError: ``"own"`` together with others, whose vectors may have another size.
        """
        parsed_representations = parse_representations(representations)
        is_own = [r.pooling == "own" for r in parsed_representations]
        if not any(is_own):
            states = self.encoder.embed_in_context(texts, spans, parsed_representations)
            warn_of_other_than_own(self.name, self.modules, parsed_representations, self.warnings)
            return states
        if len(parsed_representations) > 1:
            raise CapabilityError(
                "'own' is measured by itself: its vectors may have another size than the others"
            )
        texts = check_texts(texts)
        self.encoder.encode(texts)  # which watches the share of unknown tokens
        limit = getattr(self.model, "max_seq_length", None)
        # The prompt is read with the text, and what is too long with it would be cut.
        prompted_texts = [self._prompt + text for text in texts]
        lengths = [len(ids) for ids in self.model.tokenizer(prompted_texts)["input_ids"]] if texts else []
        fits = [i for i, n in enumerate(lengths) if texts[i].strip() and (limit is None or n <= limit)]
        vectors = self.model.encode(
            [texts[i] for i in fits],
            show_progress_bar=False,
            convert_to_numpy=True,
        )
        embedded = dict(zip(fits, np.asarray(vectors, np.float32), strict=True))
        too_long = f"longer than the {limit} tokens that the model reads"
        return [
            embedded[i][None, :]
            if i in embedded
            else Skipped(text, too_long if text.strip() else "an empty text")
            for i, text in enumerate(texts)
        ]
