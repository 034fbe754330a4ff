"""Models that visitors share: what they may name, one load for many, no mixing of visitors, limits of time."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from evaluate_bias.errors import InputError, ModelError
from evaluate_bias.models.chat_template import render_here
from evaluate_bias.models.limited_template import LimitedRenderer
from evaluate_bias.models.load import load_model
from evaluate_bias.ui import pool as pool_module
from evaluate_bias.ui.guard import Busy, Deadline, OutOfTime, allowed_model, hub_id, with_deadline
from evaluate_bias.ui.pool import MAX_REPLY_TOKENS, ModelPool, load_for_visitor
from tests.models.test_chat import with_template
from tests.support.hub_client import use_hub
from tests.support.loopback_hub import LoopbackHub
from tests.support.refusals import refused
from tests.support.tiny_models import SENTENCES, tiny_causal, tiny_masked
from tests.ui.conftest import PATIENCE


@pytest.mark.parametrize(
    "text",
    [
        "", "../../etc/passwd", "/etc/passwd", "~/model", "./model", "C:\\model", "http://127.0.0.1/x", "file:///etc/passwd",
        "user/../x", "user/model/more", "user/model@main", "user/mo del", "glove\n-6b", "user/модель", "-user/x", "..",
        "ｕser/model", "user/model.git", "benchmarks", "<img src=x onerror=alert(1)>",
    ],
)  # fmt: skip
def test_a_visitor_names_no_path_and_no_address(text):
    refused(InputError, "neither a named model nor a Hub id|is not a Hub id", load_for_visitor, text)


@pytest.mark.parametrize(
    "spec",
    ["glove-6b-50d", " smollm2-135m ", "user/model\n", "org-1/My.Model_2", "gpt2", "bert-base-uncased"],
)
def test_models_a_visitor_may_name(spec):
    assert allowed_model(spec) == spec.strip()


def test_a_folder_that_looks_like_a_hub_id_is_not_opened(tmp_path, monkeypatch):
    (tmp_path / "user" / "model").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gpt2").touch()
    for name in ("user/model", "gpt2"):
        refused(InputError, "neither a named model nor a Hub id", load_for_visitor, name)
    assert hub_id("user/other") == "user/other"


def test_a_hub_model_without_the_hub_is_told_with_what_works():
    refused(ModelError, "Hub cannot be reached.*glove-6b-50d", load_for_visitor, "nobody/no-such-model")


LIMIT = 1_000


@pytest.fixture
def hub(monkeypatch):
    """A Hub, a limit of 1,000 bytes instead of 2 GiB, and a loader that only says what it was asked for."""
    assert pool_module.MAX_HUB_BYTES == 2 * 2**30
    monkeypatch.setattr(pool_module, "MAX_HUB_BYTES", LIMIT)
    monkeypatch.setattr("evaluate_bias.models.load.load_model", lambda name: f"loaded {name}")
    with LoopbackHub() as hub:
        use_hub(hub, monkeypatch)
        yield hub


@pytest.mark.parametrize(
    ("sizes", "told"),
    [
        ({"model.safetensors": LIMIT}, None),
        ({"model.safetensors": LIMIT + 1}, LIMIT + 1),
        ({"model-00001-of-2.safetensors": 600, "model-00002-of-2.safetensors": 600}, 1_200),
        (
            {"model.safetensors": 600, "onnx/model.safetensors": 600, "other/model.safetensors": 10 * LIMIT},
            None,
        ),
        ({"model.safetensors": 600, "pytorch_model.bin": 10 * LIMIT, "README.md": 10 * LIMIT}, None),
        ({"vectors.vec": LIMIT + 1, "other.txt": 3}, LIMIT + 1),
        ({"a.gguf": 900, "b.gguf": 900}, None),
        ({"sub/model.gguf": 2 * LIMIT}, 2 * LIMIT),
        ({"README.md": 10}, None),
    ],
    ids=lambda v: "-".join(v) if isinstance(v, dict) else str(v),
)
def test_models_of_the_hub_beyond_the_limit_are_refused_before_a_byte_of_them_is_loaded(hub, sizes, told):
    hub.add_repo("model", "user/model", {name: b"x" * size for name, size in sizes.items()})
    if told is None:
        assert load_for_visitor("user/model") == "loaded user/model"
    else:
        said = rf"user/model has weights of {told / 1e9:.1f} GB, and this page loads up to .* on your own machine"
        refused(InputError, said, load_for_visitor, "user/model")
    assert hub.requests
    assert not [r.path for r in hub.requests if "/resolve/" in r.path]
    assert hub.outside == []


@pytest.fixture(scope="module")
def chat():
    return load_model(with_template())


def test_the_chat_template_of_a_visitor_s_model_is_rendered_within_limits(chat, hub, monkeypatch):
    hub.add_repo("model", "user/model", {"model.safetensors": b"x"})
    monkeypatch.setattr("evaluate_bias.models.load.load_model", lambda name: chat)
    template = load_for_visitor("smollm2-135m").template  # an asset of this library
    assert (template.renderer, template.options.reply_tokens) == (render_here, MAX_REPLY_TOKENS)
    assert isinstance(load_for_visitor("user/model").template.renderer, LimitedRenderer)


def test_many_visitors_load_a_model_once():
    loads: list[str] = []

    def load(name):
        loads.append(name)
        time.sleep(0.05)
        return {name: 1}

    pool = ModelPool(load=load)

    def visit(_):
        with pool.borrow("a", Deadline(PATIENCE)) as model:
            return model

    with ThreadPoolExecutor(20) as visitors:
        models = list(visitors.map(visit, range(40)))
    assert loads == ["a"]
    assert models == [{"a": 1}] * 40


def test_the_least_recently_used_model_makes_room():
    loads: list[str] = []
    pool = ModelPool(2, load=lambda name: loads.append(name) or {name: 1})
    for name in ("a", "b", "a", "c", "a", "b"):
        with pool.borrow(name, Deadline(PATIENCE)):
            pass
    assert loads == ["a", "b", "c", "b"]


def test_a_model_serves_one_visitor_at_a_time_and_the_others_are_told():
    pool = ModelPool(load=lambda name: {name: 1}, wait=0.05)
    inside = threading.Event()
    leave = threading.Event()

    def hold():
        with pool.borrow("a", Deadline(PATIENCE)):
            inside.set()
            leave.wait(PATIENCE)

    thread = threading.Thread(target=hold)
    thread.start()
    assert inside.wait(PATIENCE)
    with pytest.raises(Busy, match="the model is in use"), pool.borrow("a", Deadline(PATIENCE)):
        pass
    with pool.borrow("b", Deadline(PATIENCE)) as other:
        assert other == {"b": 1}
    leave.set()
    thread.join()
    with pool.borrow("a", Deadline(PATIENCE)) as model:
        assert model == {"a": 1}


def test_a_slow_model_holds_up_nobody_who_uses_another():
    """Neither while it is loaded nor while it measures, however many wait for it."""
    gate = threading.Event()

    def load(name):
        if name == "slow":
            gate.wait(PATIENCE)
        return {name: 1}

    pool = ModelPool(2, load=load)
    done: list[str] = []

    def visit(name):
        with pool.borrow(name, Deadline(PATIENCE)):
            done.append(name)

    slow = [threading.Thread(target=visit, args=("slow",)) for _ in range(20)]
    for thread in slow:
        thread.start()
    for name in ("quick", "other", "quick"):  # with the one place that is left
        visit(name)
    assert done == ["quick", "other", "quick"]
    gate.set()
    for thread in slow:
        thread.join()
    assert done[3:] == ["slow"] * 20


def test_requests_for_a_model_are_served_in_the_order_in_which_they_came():
    pool = ModelPool(load=lambda name: {name: 1}, wait=PATIENCE)
    served: list[int] = []

    def visit(number):
        with pool.borrow("a", Deadline(PATIENCE)):
            served.append(number)

    visitors = [threading.Thread(target=visit, args=(number,)) for number in range(8)]
    with pool.borrow("a", Deadline(PATIENCE)):
        for number, visitor in enumerate(visitors, 1):
            visitor.start()
            while len(pool._waiting) < number:
                time.sleep(0.001)
    for visitor in visitors:
        visitor.join()
    assert served == [*range(8)]


def test_models_in_use_are_never_more_than_the_pool_has_places():
    inside: list[str] = []
    seen: list[list[str]] = []
    all_three = threading.Barrier(3, timeout=PATIENCE)

    def visit(name):
        with pool.borrow(name, Deadline(PATIENCE)):
            inside.append(name)
            seen.append(list(inside))
            time.sleep(0.002)
            inside.remove(name)

    def meet(name):
        with pool.borrow(name, Deadline(PATIENCE)):
            all_three.wait()

    pool = ModelPool(3, load=lambda name: {name: 1})
    with ThreadPoolExecutor(30) as visitors:
        list(visitors.map(visit, [f"model {i % 7}" for i in range(100)]))
        list(visitors.map(meet, "abc"))
    assert max(map(len, seen)) <= 3
    assert all(len(set(names)) == len(names) for names in seen)


def test_an_upload_takes_a_place_and_is_not_kept():
    reads: list[str] = []
    pool = ModelPool(1, load=lambda name: {name: 1}, wait=0.05)

    def read(path):
        reads.append(path)
        return {path: 2}

    for _ in range(2):
        with pool.borrow_upload("a", read, Deadline(PATIENCE)) as model:
            assert model == {"a": 2}
            with pytest.raises(Busy), pool.borrow("a", Deadline(PATIENCE)):
                pass
    assert reads == ["a", "a"]
    with pool.borrow("a", Deadline(PATIENCE)) as model:
        assert model == {"a": 1}


def test_too_many_that_wait_are_told_at_once(monkeypatch):
    monkeypatch.setattr(pool_module, "QUEUE_LENGTH", 0)
    pool = ModelPool(load=lambda name: {name: 1})
    with pytest.raises(Busy, match="too many requests are waiting"), pool.borrow("a", Deadline(PATIENCE)):
        pass


def test_a_request_stops_when_its_time_is_used():
    model = load_model(tiny_masked(), progress=False)
    encoded = [e for e in model.encode(SENTENCES * 4) if hasattr(e, "ids")]
    refused(OutOfTime, "choose fewer", lambda: with_deadline(model, Deadline(0)).pseudo_logprobs(encoded))


def test_supervision_changes_no_number():
    masked, causal = load_model(tiny_masked(), progress=False), load_model(tiny_causal(), progress=False)
    for model, names in (
        (masked, ("pseudo_logprobs", "token_logprobs", "attended_logprobs")),
        (causal, ("sequence_logprobs",)),
    ):
        encoded = [e for e in model.encode(SENTENCES * 8) if hasattr(e, "ids")]
        watched = with_deadline(model, Deadline(PATIENCE))
        calls = [(name, (encoded,)) for name in names]
        if model is masked:
            calls.append(("pseudo_logprobs", (encoded, [e.positions[:1] for e in encoded])))
        for name, arguments in calls:
            ours, theirs = (getattr(one, name)(*arguments) for one in (watched, model))
            for a, b in zip(ours, theirs, strict=True):
                np.testing.assert_allclose(a, b, rtol=0, atol=1e-4)


def test_what_one_visitors_text_makes_a_model_warn_about_is_not_told_to_another():
    model = load_model(tiny_masked(), progress=False)
    first = with_deadline(model, Deadline(PATIENCE))
    with pytest.warns(UserWarning, match="unknown"):
        first.encode(["漢 字 漢 字 漢 字 漢 字 漢 字 漢 字"])
    second = with_deadline(model, Deadline(PATIENCE))
    second.encode(SENTENCES)
    assert first.warnings
    assert second.warnings == []
