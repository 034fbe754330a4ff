"""Embeddings in context, computed the same way for encoders, masked and causal language models.

All representations and layers of a text come from one forward pass, and equal texts share it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import FloatArray
from ..errors import CapabilityError, ModelError, quoted
from ..result import Skipped
from .alignment import Encoded, check_texts, encode_batch
from .base import Capability
from .engine import SequenceInput, TransformerModel, trial_ids
from .pooling import Representation, Span, check_spans, parse_representations, token_positions
from .pretrained import INFERENCES
from .sentences import load_sentence_transformer, own_embeddings, sentence_facts, warn_of_other_than_own
from .source import device_of

Places = tuple[tuple[int, ...], ...]
"""For each representation, the positions of the tokens to average."""
Job = tuple[SequenceInput, Places]


class ContextualModel(TransformerModel):
    """A transformer whose hidden states are embeddings of texts, and of words in them."""

    _reads_both_ways: bool = True

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
            spans: for each text the characters ``(start, end)`` of the word, or ``None`` for the whole text.
                ``None`` instead of the list if only texts are embedded.
            representations: what to return, or how it is written (``"target_mean@-2"``).

        Returns:
            One item per text, in order: an array of shape (representations, hidden size), or a
            :class:`~evaluate_bias.Skipped` with the reason (empty, too long, the word has no token of its own
            or only unknown ones). Nothing is ever truncated.

        Raises:
            InputError: no representation, no such layer, a span outside its text, or a word's representation
                without a span.
            CapabilityError: ``"cls"`` with a model that opens no text with a special token, or reads only from left
                to right. Also ``"own"`` together with others, whose vectors may have another size.
        """
        kinds = parse_representations(representations)
        if self.source.sentences and any(r.pooling == "own" for r in kinds):
            return self._own_embeddings(check_texts(texts), len(kinds))
        layers = [r.layers(self.layer_count) for r in kinds]
        texts = check_texts(texts)
        places = check_spans(texts, spans)
        # Not self.encode(): what a causal model can score is not what it can embed.
        items = TransformerModel.encode(self, texts)
        jobs_of_texts = [
            item if isinstance(item, Skipped) else self._job(item, span, kinds)
            for item, span in zip(items, places, strict=True)
        ]
        distinct = dict.fromkeys(job for job in jobs_of_texts if not isinstance(job, Skipped))
        jobs = sorted(distinct, key=lambda job: job[0].place)
        arrays = self._remembered(
            "embedding",
            [(unit.ids, sets, layers) for unit, sets in jobs],
            lambda chosen: self._fresh_embeddings([jobs[k] for k in chosen], layers),
        )
        by_job = dict(zip(jobs, arrays, strict=True))
        if self.source.sentences is not None:
            warn_of_other_than_own(self.name, self.source.sentences.modules, kinds, self.warnings)
        return [job if isinstance(job, Skipped) else by_job[job] for job in jobs_of_texts]

    @cached_property
    def sentence_transformer(self) -> Any:
        """The SentenceTransformer whose transformer this is, loaded when it is first needed."""
        assert self.source.sentences is not None
        assert self.source.sentences.folder is not None
        return load_sentence_transformer(
            self.source.sentences.folder(),
            device=str(device_of(self.model)),
            dtype=self.model.dtype,
            attention=self.model.config._attn_implementation,
        )

    def _own_embeddings(self, texts: Sequence[str], n_kinds: int) -> list[NDArray[np.float32] | Skipped]:
        if n_kinds > 1:
            raise CapabilityError(
                "'own' is measured by itself: its vectors may have another size than the others"
            )
        TransformerModel.encode(self, texts)  # which watches the share of unknown tokens
        out = own_embeddings(self.sentence_transformer, texts)
        for item in out:
            if not isinstance(item, Skipped):
                self._finite(item)
        return out

    def provenance(self) -> Mapping[str, Any]:
        """Return what identifies the model, with the modules of the SentenceTransformer if it comes from one."""
        facts = super().provenance()
        if "sentence_transformer" in vars(self):
            return {**facts, **sentence_facts(self.sentence_transformer, facts)}
        sentences = self.source.sentences
        return facts if sentences is None else {**facts, "modules": list(sentences.modules)}

    def _fresh_embeddings(
        self, jobs: Sequence[Job], layers: Sequence[tuple[int, ...]]
    ) -> list[NDArray[np.float32]]:
        """Return the vectors of places in texts. Places in one text share a pass."""
        requests: dict[SequenceInput, list[Places]] = {}
        for unit, places in jobs:
            requests.setdefault(unit, []).append(places)
        vectors = self._run_units(
            list(requests),
            lambda batch: self._pool(batch, [requests[unit] for unit in batch], layers),
            "embeddings",
        )
        return [array for of_unit in vectors for array in of_unit]

    def _job(
        self, item: Encoded, span: Span | None, representations: Sequence[Representation]
    ) -> Job | Skipped:
        """Return the sequence to run and the places to read, or a skip if a word has no token of its own."""
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
                raise CapabilityError(
                    f"{self.name} opens no text with a special token that sees it, so it has no 'cls'",
                    hint="use 'sentence_mean', 'target_mean' or 'last_token'",
                )
            places.append(positions)
        return SequenceInput(item.ids), tuple(places)

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
            mean = torch.from_numpy(weights).to(device_of(self.model))
            # Padding may contain anything, NaN too, which a weight of zero would not silence.
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
        """Return hidden states of the layers needed, each of shape (units, tokens, hidden size)."""
        last = self.layer_count
        only_last = list(needed) == [last]
        inputs = self._inputs(units)
        if self.model.config.is_encoder_decoder and hasattr(self.model.base_model, "decoder"):
            raise CapabilityError(
                f"{self._class} reads a text with one half and writes with the other. Methods on embeddings use "
                "its encoder",
                hint="pass the pair (model.get_encoder(), tokenizer)",
            )
        out = self.model.base_model(**inputs, output_hidden_states=not only_last)
        whole = out[0]
        if whole.shape[1] != inputs["input_ids"].shape[1]:
            raise CapabilityError(
                f"{self._class} gives no state for each token, so it embeds neither words nor texts"
            )
        states = {}
        if not only_last:
            # ALBERT gives the states within a layer too, if its layers have several parts.
            parts, rest = divmod(len(out.hidden_states) - 1, last)
            if rest or not parts:
                raise CapabilityError(
                    f"{self._class} gives {len(out.hidden_states)} states for its {last} layers, so only the last can "
                    "be named"
                )
            states = {layer: out.hidden_states[layer * parts] for layer in needed}
        # The last layer's own normalisation, if a model has one, belongs to its output.
        return {**states, last: whole} if last in needed else states


class Encoder(ContextualModel):
    """A transformer without a language-model head: it embeds, and scores nothing."""

    capabilities = frozenset({Capability.EMBEDS_IN_CONTEXT})
    label = "an encoder"
    kind = "encoder"
    asset_kind = "sentence encoder"

    @cached_property
    def _reads_both_ways(self) -> bool:  # type: ignore[override]
        """True if the first token sees what follows it, tried on two texts that differ in their last token."""
        import torch

        last, ids = self.layer_count, trial_ids(self, 8)
        with self._external_errors(), torch.inference_mode():
            texts = [SequenceInput(ids[:7]), SequenceInput((*ids[:6], ids[7]))]
            first_states = self._states(texts, [last])[last][:, 0].float()
        return not torch.allclose(
            first_states[0], first_states[1], rtol=0.0, atol=1e-3 * float(first_states.abs().max())
        )


class InferenceModel(Encoder):
    """A transformer with a head that classifies pairs of texts. Texts and words are embedded by its body."""

    capabilities = Encoder.capabilities | {Capability.CLASSIFIES_INFERENCES}
    kind = "classifier"
    asset_kind = ""

    def inference_probabilities(self, pairs: Sequence[tuple[str, str]]) -> list[FloatArray | Skipped]:
        """Return the probabilities of entailment, neutral and contradiction, in this order.

        Args:
            pairs: premise and hypothesis of each.

        Returns:
            For each pair an array of shape (3,) that adds up to 1, or a :class:`~evaluate_bias.Skipped` with the
            reason. Nothing is ever truncated.

        Raises:
            ModelError: the labels of the head do not say which is which, or its outputs are not numbers.
        """
        columns = self._columns()
        premises, hypotheses = ([pair[side] for pair in pairs] for side in (0, 1))
        items = self._checked(encode_batch(self.tokenizer, premises, hypotheses))
        # Segments go to the model if its tokenizer gives them to it, as in the pipelines of transformers.
        segments = "token_type_ids" in self.tokenizer.model_input_names
        units = [
            SequenceInput(item.ids, item.type_ids if segments else None)
            for item in items
            if isinstance(item, Encoded)
        ]
        arrays = iter(
            self._remembered(
                "inference",
                [(unit.ids, unit.type_ids) for unit in units],
                lambda chosen: self._probabilities([units[k] for k in chosen], columns),
            )
        )
        return [item if isinstance(item, Skipped) else next(arrays) for item in items]

    def _columns(self) -> list[int]:
        """Return the columns of the logits for entailment, neutral and contradiction, by the names of the labels."""
        labels: dict[int, Any] = dict(self.model.config.id2label)
        by_name = {str(label).strip().lower(): int(column) for column, label in labels.items()}
        if set(by_name) != set(INFERENCES):
            raise ModelError(
                f"the labels of {self.name} are {', '.join(quoted(str(v), 40) for v in labels.values())}, which do "
                f"not say which is {', '.join(INFERENCES[:2])} and {INFERENCES[2]}",
                hint="write these names into id2label of its config.json, in the order in which it was trained",
            )
        return [by_name[name] for name in INFERENCES]

    def _probabilities(self, units: Sequence[SequenceInput], columns: Sequence[int]) -> list[FloatArray]:
        import torch

        def score(batch: list[SequenceInput]) -> list[FloatArray]:
            with torch.inference_mode():
                logits = self.model(**self._inputs(batch)).logits.double()
            # shape (batch, 3)
            return list(self._finite(torch.softmax(logits, dim=-1)[:, columns].cpu().numpy()))

        return [np.asarray(row) for row in self._run_units(units, score, "inferences")]
