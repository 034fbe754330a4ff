"""The page served on 127.0.0.1 with small stand-ins for its models, and a real browser where there is one."""

from __future__ import annotations

import functools
import os
import shutil
from typing import Any

import numpy as np
import pytest
import torch

from evaluate_bias.data.word_lists import WORD_LISTS, load_word_lists
from evaluate_bias.models.completions import FunctionGenerator
from evaluate_bias.models.load import load_model
from evaluate_bias.registry import METHODS
from evaluate_bias.ui import explorer_page, launch, pages, sentence_pairs
from evaluate_bias.ui.form import Tab
from evaluate_bias.ui.pool import ModelPool, load_for_visitor
from tests.support.tiny_models import tiny_causal, tiny_masked

PATIENCE = 600.0
"""Seconds that a request may take, on a machine that others use."""


@functools.cache
def stand_in_vectors() -> dict[str, np.ndarray]:
    """Vectors of every English test's words in which X leans to A and Y to B."""
    rng = np.random.default_rng(0)
    vectors: dict[str, np.ndarray] = {}
    for test in load_word_lists():
        for column in WORD_LISTS:
            side = 1.0 if column in ("targets_x", "attributes_a") else -1.0
            for word in getattr(test, column):
                lean = np.zeros(8)
                lean[0] = 0.35 * side
                vectors.setdefault(word.lower(), lean + 0.3 * rng.normal(size=8))
    for record in METHODS.values():
        if "embeds words" in record.needs:
            for word in sorted(words_of(record.load_data())):
                vectors.setdefault(word.lower(), rng.normal(size=8))
    return vectors


def words_of(rows: Any) -> set[str]:
    """Every word in rows of any kind of data."""
    found: set[str] = set()
    for row in rows:
        for value in (
            getattr(row, c) for c in ("a", "b", "c", "word", "expected", *WORD_LISTS) if hasattr(row, c)
        ):
            found |= {value} if isinstance(value, str) else {*value}
    return found


def six_layers(model: Any, tokenizer: Any) -> tuple[Any, Any]:
    """A model as deep as the one that it stands in for."""
    torch.manual_seed(0)
    deeper = type(model.config)(**{**model.config.to_dict(), "num_hidden_layers": 6})
    return type(model)(deeper).eval(), tokenizer


def load_stand_in(name: str) -> Any:
    """Small models under the names that visitors choose; everything else as on the real page."""
    if name in ("glove-6b-50d", "spacy-en-md"):
        return load_model(stand_in_vectors(), case="lower", name=name)
    if name == "chats/first-label":
        return FunctionGenerator(lambda prompts: ["A"] * len(prompts), name="first-label")
    if name in ("demo-mlm-en", "smollm2-135m"):
        return load_model(tiny_masked() if name == "demo-mlm-en" else tiny_causal(), name=name)
    if name == "minilm-l6":
        return load_model(six_layers(*tiny_masked()), name=name)
    return load_for_visitor(name)


def stand_in_page() -> Any:
    """The page with small stand-ins for its models, and time for a machine that others use."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pages, "Tab", functools.partial(Tab, seconds=PATIENCE))
        patch.setattr(sentence_pairs, "is_built", lambda *names: False)  # whatever this machine has
        return explorer_page(ModelPool(load=load_stand_in, wait=PATIENCE))


@pytest.fixture(scope="session")
def address():
    """Address of the running page, without a slash at its end."""
    page = stand_in_page()
    _, url, _ = launch(page, prevent_thread_lock=True, quiet=True, server_name="127.0.0.1")
    yield url.rstrip("/")
    page.close()


def find_chromium() -> str | None:
    """Path of a Chromium that the system has."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


def no_browser(reason: str) -> None:
    """Skip, but not in continuous integration, where a missing browser is a failure."""
    text = f"no browser test: {reason}"
    if os.environ.get("CI", "").lower() == "true":
        pytest.fail(text, pytrace=False)
    pytest.skip(text)


@pytest.fixture(scope="module")
def browser():
    """A headless Chromium."""
    chromium = find_chromium()
    if chromium is None:
        no_browser("Chromium is not installed (Debian: apt-get install chromium)")
    try:
        from playwright.sync_api import sync_playwright
    except ModuleNotFoundError:
        no_browser("the package playwright is not installed (pip install playwright)")
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox"], timeout=1000 * PATIENCE
        )
        yield opened
        opened.close()
