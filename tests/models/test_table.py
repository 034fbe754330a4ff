"""A masked language model given by a table: what it reads, and what it refuses."""

import numpy as np
import pytest

from evaluate_bias.errors import CapabilityError, InputError
from evaluate_bias.models.base import Capability, can
from evaluate_bias.models.masked import MaskedRequest
from evaluate_bias.models.table import TableMLM
from evaluate_bias.result import Skipped
from tests.support.refusals import refused

SPEC = {
    "table": {
        "[MASK] is nur ##se": {"0": {"she": 0.6, "he": 0.2}},
        "she is [MASK] [MASK]": {"2": {"nur": 0.5}},
    },
    "pieces": {"nurse": ["nur", "##se"], "nobody": []},
}


def test_probabilities_are_those_of_the_table():
    model = TableMLM(**SPEC)
    assert can(model, Capability.SCORES_MASKED_TOKENS)
    assert can(model, Capability.FILLS_MASK)
    (text,) = model.encode(["she is nurse"])
    assert not isinstance(text, Skipped)
    assert text.span_positions(7, 12) == (3, 4)
    asked = [MaskedRequest(text, (1,), ((1, text.ids[1]),)), MaskedRequest(text, (3, 4), ((3, text.ids[3]),))]
    assert np.exp(np.concatenate(model.masked_logprobs(asked))) == pytest.approx([0.6, 0.5])
    (row,) = model.mask_distributions(asked[:1])
    assert row.shape == (1, len(model.tokenizer))
    named = {model.vocabulary[i]: p for i, p in enumerate(np.exp(row[0]).tolist()) if p > 1e-9}
    assert named == pytest.approx({"she": 0.6, "he": 0.2})


def test_what_the_table_does_not_have_is_said():
    model = TableMLM(**SPEC)
    assert isinstance(model.encode(["nobody"])[0], Skipped)
    (text,) = model.encode(["he is nurse"])
    assert not isinstance(text, Skipped)
    with pytest.raises(InputError, match=r"no probabilities at token 1 of 'he \[MASK\] nur ##se'"):
        model.masked_logprobs([MaskedRequest(text, (2,), ((2, text.ids[2]),))])
    refused(CapabilityError, "reads masked tokens only", model.token_logprobs, [text])
