"""Classifiers of natural language inference: whether a premise entails a hypothesis, contradicts it, or neither."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..arrays import FloatArray
from ..errors import ModelError, quoted
from ..result import Skipped
from .alignment import encode_batch
from .encoder import Encoder
from .engine import SequenceInput
from .heads import INFERENCES


class InferenceModel(Encoder):
    """A transformer with a head that classifies pairs of texts; texts and words are embedded by its body."""

    def inference_probabilities(self, pairs: Sequence[tuple[str, str]]) -> list[FloatArray | Skipped]:
        """Probabilities of entailment, neutral and contradiction, in this order.

        Args:
            pairs: premise and hypothesis of each.

        Returns:
            For each pair an array of shape (3,) that adds up to 1, or a :class:`~evaluate_bias.Skipped` with the
            reason. Nothing is ever truncated.

        Raises:
            ModelError: the labels of the head do not say which is which, or its outputs are no numbers.
        """
        columns = self._columns()
        premises, hypotheses = ([pair[side] for pair in pairs] for side in (0, 1))
        items = self._checked(encode_batch(self.tokenizer, premises, hypotheses))
        # Segments go to the model where its tokenizer gives them to it, as in the pipelines of transformers.
        segments = "token_type_ids" in self.tokenizer.model_input_names
        units = [
            None
            if isinstance(item, Skipped)
            else SequenceInput(item.ids, item.type_ids if segments else None)
            for item in items
        ]
        inputs = sorted({unit for unit in units if unit is not None}, key=lambda unit: unit.place)
        arrays = self._remembered(
            "inference",
            lambda: [(unit.ids, unit.type_ids) for unit in inputs],
            lambda chosen: self._probabilities([inputs[k] for k in chosen], columns),
            len(inputs),
        )
        by_unit = dict(zip(inputs, arrays, strict=True))
        out: list[FloatArray | Skipped] = []
        for item, unit in zip(items, units, strict=True):
            if unit is not None:
                out.append(by_unit[unit])
            elif isinstance(item, Skipped):
                out.append(item)
        return out

    def _columns(self) -> list[int]:
        """The columns of the logits that are entailment, neutral and contradiction, by the names of the labels."""
        labels: dict[int, Any] = dict(self.model.config.id2label)
        by_name = {str(label).strip().lower(): int(column) for column, label in labels.items()}
        if set(by_name) != set(INFERENCES):
            raise ModelError(
                f"the labels of {self.name} are {', '.join(quoted(str(v), 40) for v in labels.values())}, which do not "
                f"say which is {', '.join(INFERENCES[:2])} and {INFERENCES[2]}: write these names into id2label of its "
                "config.json, in the order in which it was trained"
            )
        return [by_name[name] for name in INFERENCES]

    def _probabilities(self, units: Sequence[SequenceInput], columns: Sequence[int]) -> list[FloatArray]:
        import torch

        def score(batch: list[int]) -> list[FloatArray]:
            with torch.inference_mode():
                logits = self.model(**self._inputs([units[k] for k in batch])).logits.double()
            # shape (batch, 3)
            return list(self._finite(torch.softmax(logits, dim=-1)[:, columns].cpu().numpy()))

        return [np.asarray(row) for row in self._run([len(unit.ids) for unit in units], score, "inferences")]
