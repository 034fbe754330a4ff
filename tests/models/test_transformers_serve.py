"""A model behind ``transformers serve``, which ignores what it cannot do in silence."""

import pytest

import evaluate_bias as eb
from evaluate_bias.errors import CapabilityError
from evaluate_bias.methods.choosing.parsing import parse_choice
from evaluate_bias.models.completions import GenerationSettings
from tests.support.tiny_models import tiny_causal
from tests.support.transformers_server import saved_chat_model, served_by_transformers

pytestmark = [pytest.mark.nightly]

pytest.importorskip("uvicorn")


@pytest.fixture(scope="module", params=["llama", "smollm2-135m"])
def both(request, tmp_path_factory):
    """A model loaded here, and the same one served."""
    local = eb.load_model("smollm2-135m" if request.param == "smollm2-135m" else tiny_causal(request.param))
    folder = saved_chat_model(local.model, local.tokenizer, tmp_path_factory.mktemp("served") / request.param)
    with served_by_transformers(folder) as spec:
        yield local, spec


def test_what_it_leaves_out_in_silence_is_found(both):
    """It answers 200 to ``logprobs`` and ``echo`` and gives neither, 500 to ``max_tokens=0``, 422 to most cuts."""
    _, spec = both
    model = eb.load_model(spec)
    for form in (model.abilities.chat, model.abilities.completions):
        assert (form.limit, form.options, form.draws) == ("max_tokens", {"temperature": 0}, {"top_p": 1})
    refused = ["logprobs", "top_logprobs", "top_k", "min_p", "cache_prompt"]
    assert model.abilities.facts()["refused"] == refused
    assert model.abilities.alternatives == 0
    assert model.abilities.echo is None
    assert model.reply_tokens == 64
    assert model.provenance()["can"] == ["chat", "completions"]
    pairs = [{"sent_more": "She is a nurse.", "sent_less": "He is a nurse.", "bias_type": "gender"}]
    with pytest.raises(CapabilityError, match="only answers questions; use crows_pairs with"):
        eb.measure("crows_pairs", model, variant="causal", data=pairs)


def test_it_completes_as_the_model_that_is_loaded(both):
    """Without a start token that its tokenizer does not add itself, which a model loaded here would get."""
    local, spec = both
    texts = ["The nurse said", "The engineer from the north is"]
    settings = GenerationSettings(n=1, max_new_tokens=4, unit="text")
    served = eb.load_model(spec).complete([f"{text} [M]." for text in texts], settings)
    for text, (written,) in zip(texts, served, strict=True):
        asked = local.tokenizer(text, return_tensors="pt")
        ids = local.model.generate(asked.input_ids, max_new_tokens=4, do_sample=False)[
            0, asked.input_ids.shape[1] :
        ]
        # Its decoding may leave out the space before a first word.
        assert written.strip() == local.tokenizer.decode(ids, skip_special_tokens=True).strip()


@pytest.mark.nightly
def test_it_chooses_as_the_model_that_is_loaded(both):
    """Read by its text on both sides, as it gives no log-probabilities, greedily and in float32."""
    local, spec = both
    loaded = eb.load_model((local.model, local.tokenizer))
    loaded.alternatives = 0
    model = eb.load_model(spec)
    prompts = ["Say A.", "A. an ant\nB. a house\nA or B?"]
    settings = GenerationSettings(max_new_tokens=8)
    ours, theirs = ([one[0] for one in m.reply(prompts, settings)] for m in (loaded, model))
    assert [(r.text.strip(), r.ended) for r in theirs] == [(r.text.strip(), r.ended) for r in ours]
    labels, options = ["A", "B"], ["an ant", "a house"]
    read = [
        [str(parse_choice(r, options, labels)).partition(":")[0] for r in replies]
        for replies in (theirs, ours)
    ]
    assert read[0] == read[1]
