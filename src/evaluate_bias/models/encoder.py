"""Embeddings in context, for encoders, masked and causal language models alike.

All representations and layers of a text come from one forward pass, and equal texts share it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import CapabilityError
from ..result import Skipped
from .alignment import Encoded, check_texts
from .checked_outputs import checked_outputs
from .engine import SequenceInput, TransformerModel
from .pooling import Representation, Span, check_spans, parse_representations, token_positions
from .sentence_folder import warn_of_other_than_own
from .trials import trial_ids

if TYPE_CHECKING:
    from .source import SentenceFolder

Places = tuple[tuple[int, ...], ...]
"""For each representation, the positions of the tokens to average."""


class ContextualModel(TransformerModel):
    """A transformer whose hidden states are embeddings of texts, and of words in them."""

    _reads_both_ways: bool = True
    _own: Any = None
    sentence_model: Any = None
    """What wraps a SentenceTransformer, set by the loader: it builds on this class, which cannot import it."""

    @property
    def layer_count(self) -> int:
        """Number of layers, the embedding layer not counted."""
        layers = getattr(self.model.config.get_text_config(), "num_hidden_layers", None)
        if layers is None:
            raise CapabilityError(f"{self._class} does not say how many layers it has, so none can be named")
        return int(layers)

    @property
    def _class(self) -> str:
        kind = type(self.model).__name__
        return kind if self.name == kind else f"{self.name} ({kind})"

    def embed_in_context(
        self,
        texts: Sequence[str],
        spans: Sequence[Span | None] | None,
        representations: Sequence[Representation | str],
    ) -> list[NDArray[np.float32] | Skipped]:
        """Embed texts, or a word in each.

        Texts are tokenized as the model's tokenizer does it by itself, special tokens included.

        Args:
            texts: the texts.
            spans: for each text the characters ``(start, end)`` of the word, or ``None`` where there is none;
                ``None`` for all texts together where only texts are embedded.
            representations: what to return, or how it is written (``"target_mean@-2"``).

        Returns:
            One item per text, in order: an array of shape (representations, hidden size); or a
            :class:`~evaluate_bias.Skipped` with the reason (empty, too long, the word has no token of its own
            or only unknown ones). Nothing is ever truncated.

        Raises:
            InputError: no representation, no such layer, a span outside its text, or a word's representation
                without a span.
            CapabilityError: ``"cls"`` of a model that opens no text with a special token, or reads from left
                to right only.
        """
        kinds = parse_representations(representations)
        if self.source.sentences and self.sentence_model and any(r.pooling == "own" for r in kinds):
            whole = checked_outputs(self._sentences(self.source.sentences))
            return list(whole.embed_in_context(texts, spans, kinds))
        layers = [r.layers(self.layer_count) for r in kinds]
        texts = check_texts(texts)
        places = check_spans(texts, spans)
        # Not self.encode(): what a causal model can score is not what it can embed.
        items = TransformerModel.encode(self, texts)
        out: list[NDArray[np.float32] | Skipped | None] = [None] * len(texts)
        requests: dict[SequenceInput, dict[Places, list[int]]] = {}
        for i, (item, span) in enumerate(zip(items, places, strict=True)):
            token_places = item if isinstance(item, Skipped) else self._places(item, span, kinds)
            if isinstance(token_places, Skipped):
                out[i] = token_places
            else:
                assert isinstance(item, Encoded)
                requests.setdefault(SequenceInput(item.ids), {}).setdefault(token_places, []).append(i)
        jobs = [
            (unit, sets) for unit in sorted(requests, key=lambda unit: unit.place) for sets in requests[unit]
        ]
        arrays = self._remembered(
            "embedding",
            lambda: [(unit.ids, sets, layers) for unit, sets in jobs],
            lambda chosen: self._fresh_embeddings([jobs[k] for k in chosen], layers),
            len(jobs),
        )
        for (unit, sets), array in zip(jobs, arrays, strict=True):
            for i in requests[unit][sets]:
                out[i] = array
        if self.source.sentences is not None:
            warn_of_other_than_own(self.name, self.source.sentences.modules, kinds, self.warnings)
        return [item for item in out if item is not None]

    def _sentences(self, sentence_folder: SentenceFolder) -> Any:
        """The SentenceTransformer whose transformer this is, loaded when it is first asked for."""
        from .sentence_folder import load_sentence_transformer

        if self._own is None:
            whole = load_sentence_transformer(
                sentence_folder.folder(),
                device=str(self.model.device),
                dtype=self.model.dtype,
                attention=self.model.config._attn_implementation,
            )
            self._own = self.sentence_model(whole, name=self.name)
            self._own.encoder.warnings = self.warnings
        return self._own

    def _watch_afresh(self) -> None:
        super()._watch_afresh()
        if self._own is not None:
            self._own.encoder._watch_afresh()

    def provenance(self) -> Mapping[str, Any]:
        """Return what identifies the model; of the transformer in a SentenceTransformer also the modules of that."""
        facts = super().provenance()
        if self._own is not None:
            return {**facts, **self._own.further_facts(facts)}
        return (
            facts
            if (sentence_folder := self.source.sentences) is None
            else {**facts, "modules": list(sentence_folder.modules)}
        )

    def _fresh_embeddings(
        self, jobs: Sequence[tuple[SequenceInput, Places]], layers: Sequence[tuple[int, ...]]
    ) -> list[NDArray[np.float32]]:
        """The vectors of places in texts; those of one text, which follow each other, share its pass."""
        requests: dict[SequenceInput, list[Places]] = {}
        for unit, places in jobs:
            requests.setdefault(unit, []).append(places)
        units = list(requests)
        vectors = self._run(
            [len(unit.ids) for unit in units],
            lambda batch: self._pool([units[k] for k in batch], [requests[units[k]] for k in batch], layers),
            "embeddings",
        )
        return [array for of_unit in vectors for array in of_unit]

    def _places(
        self, item: Encoded, span: Span | None, representations: Sequence[Representation]
    ) -> Places | Skipped:
        if span is not None:
            pieces = item.span_positions(*span)
            word = item.text[slice(*span)]
            if not pieces:
                return Skipped(item.text, f"the tokenizer finds no token in {word!r}")
            if all(item.ids[p] == self.tokenizer.unk_token_id for p in pieces):
                return Skipped(item.text, f"{word!r} is unknown to the tokenizer of {self.name}")
        places = []
        for representation in representations:
            positions = token_positions(representation.pooling, item, span)
            if representation.pooling == "cls" and not (positions and self._reads_both_ways):
                raise CapabilityError(self._no_cls(bool(positions)))
            places.append(positions)
        return tuple(places)

    def _no_cls(self, has_first: bool) -> str:
        if has_first:
            return (
                f"'cls' is no embedding of a text in {self.name}: a causal model's first token has seen nothing "
                "of it; use 'last_token' or 'sentence_mean'"
            )
        return (
            f"{self.name} opens no text with a special token, so it has no 'cls'; use 'sentence_mean', "
            "'target_mean' or 'last_token'"
        )

    def _pool(
        self,
        units: Sequence[SequenceInput],
        requests: Sequence[Sequence[Places]],
        layers: Sequence[tuple[int, ...]],
    ) -> list[list[NDArray[np.float32]]]:
        """Run a batch and average the states: for each unit one array per request."""
        import torch

        # Every set of positions is averaged once per layer, whichever representations share it.
        rows: list[dict[tuple[int, ...], int]] = []
        for places_of_text in requests:
            sets = dict.fromkeys(positions for places in places_of_text for positions in places)
            rows.append({positions: k for k, positions in enumerate(sets)})
        longest = max(len(unit.ids) for unit in units)
        weights = np.zeros((len(units), max(map(len, rows)), longest), dtype=np.float32)
        for i, sets_of_unit in enumerate(rows):
            for positions, k in sets_of_unit.items():
                weights[i, k, list(positions)] = 1 / len(positions)
        needed = sorted({layer for group in layers for layer in group})
        with torch.inference_mode():
            states = self._states(units, needed)
            mean = torch.from_numpy(weights).to(self.model.device)
            # Padding may hold anything, NaN too, which a weight of zero would not silence.
            is_read = mean.amax(dim=1).unsqueeze(-1) > 0
            pooled = {
                layer: self._finite(torch.bmm(mean, states[layer].float().where(is_read, 0.0)).cpu().numpy())
                for layer in needed
            }

        def mean_of(unit: int, places: Places) -> NDArray[np.float32]:
            states = (
                [pooled[layer][unit, rows[unit][positions]] for layer in group]
                for positions, group in zip(places, layers, strict=True)
            )
            return np.stack([np.mean(of_layers, axis=0) for of_layers in states])

        return [
            [mean_of(i, places) for places in places_of_text] for i, places_of_text in enumerate(requests)
        ]

    def _states(self, units: Sequence[SequenceInput], needed: Sequence[int]) -> dict[int, Any]:
        """Hidden states of the layers needed, each of shape (units, tokens, hidden size)."""
        last = self.layer_count
        only_last = list(needed) == [last]
        inputs = self._inputs(units)
        if self.model.config.is_encoder_decoder and hasattr(self.model.base_model, "decoder"):
            raise CapabilityError(
                f"{self._class} reads a text with one half and writes with the other; methods on embeddings take its "
                "encoder: pass the pair (model.get_encoder(), tokenizer)"
            )
        out = self.model.base_model(**inputs, output_hidden_states=not only_last)
        whole = out[0]
        if whole.shape[1] != inputs["input_ids"].shape[1]:
            raise CapabilityError(
                f"{self._class} gives no state for each token, so it embeds neither words nor texts"
            )
        states = {}
        if not only_last:
            # ALBERT gives the states within a layer too, where its layers have several parts.
            parts, rest = divmod(len(out.hidden_states) - 1, last)
            if rest or not parts:
                raise CapabilityError(
                    f"{self._class} gives {len(out.hidden_states)} states for its {last} layers, so only the last can "
                    "be named"
                )
            states = {layer: out.hidden_states[layer * parts] for layer in needed}
        # The last layer's own normalisation, where a model has one, belongs to its output.
        return {**states, last: whole} if last in needed else states


class Encoder(ContextualModel):
    """A transformer without a language-model head: it embeds, and scores nothing."""

    @cached_property
    def _reads_both_ways(self) -> bool:  # type: ignore[override]
        """Whether the first token sees what follows it, tried on two texts that differ in their last token."""
        import torch

        last, ids = self.layer_count, trial_ids(self, 8)
        with self._external_errors(), torch.inference_mode():
            texts = [SequenceInput(ids[:7]), SequenceInput((*ids[:6], ids[7]))]
            first_states = self._states(texts, [last])[last][:, 0].float()
        return not torch.allclose(
            first_states[0], first_states[1], rtol=0.0, atol=1e-3 * float(first_states.abs().max())
        )
