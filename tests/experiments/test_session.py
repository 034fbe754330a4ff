"""Several methods on one model in memory: shared passes, order, and nothing lost to one that fails."""

import numpy as np
import pytest

import evaluate_bias as eb
from evaluate_bias.errors import BiasError, CapabilityError, InputError
from evaluate_bias.experiments.session import PartlyMeasuredError
from evaluate_bias.models.batching import BatchRunner
from tests.experiments.toy_grid import PAIRS
from tests.support.refusals import refused
from tests.support.tiny_models import tiny_masked

METHODS = ("crows_pairs", "pll", "aul", "aula")


@pytest.fixture
def passes(monkeypatch):
    """Sequences that went through a model."""
    counts = [0]
    run = BatchRunner.run

    def counted(self, lengths, *args, **kwargs):
        counts[0] += len(lengths)
        return run(self, lengths, *args, **kwargs)

    monkeypatch.setattr(BatchRunner, "run", counted)
    return counts


def test_methods_share_their_passes_and_come_in_order(passes):
    model = eb.load_model(tiny_masked("bert"))
    alone, costs = [], []
    for name in METHODS:
        before = passes[0]
        alone.append(eb.measure(name, model, data=PAIRS))
        costs.append(passes[0] - before)
    before = passes[0]
    together = eb.measure_all(model, METHODS, data=PAIRS)
    assert [r.method for r in together] == list(METHODS)
    assert passes[0] - before < 0.8 * sum(costs)
    assert max(costs) <= passes[0] - before
    assert np.allclose([r.score for r in together], [r.score for r in alone], atol=1e-4)
    assert model.memo is None  # whoever trains the model on must not be answered from memory


def test_what_fails_stops_no_other_and_loses_none():
    model = eb.load_model(tiny_masked("bert"))
    asked = {"pll": {"data": PAIRS}, "weat": {}, "aul": {"data": PAIRS}}
    caught = refused(PartlyMeasuredError, r"^weat could not be measured", eb.measure_all, model, asked)
    assert [r.method for r in caught.results] == ["pll", "aul"]
    assert list(caught.errors) == ["weat"]
    heard = []
    results = eb.measure_all(model, asked, on_error=lambda name, error: heard.append((name, type(error))))
    assert results == caught.results
    assert heard == [("weat", type(caught.errors["weat"]))]
    assert issubclass(heard[0][1], BiasError)


def test_every_reason_is_named_and_no_results_that_are_not_there():
    vectors = {"she": [1.0, 0.0], "he": [0.0, 1.0]}
    with pytest.raises(PartlyMeasuredError) as caught:
        eb.measure_all(vectors, {"pll": {"data": PAIRS}, "aul": {"data": PAIRS}, "weat": {"tests": "waet7"}})
    assert caught.value.results == []
    assert ".results" not in str(caught.value)
    assert "pll could not be measured: " in str(caught.value)
    assert "weat could not be measured: unknown test" in str(caught.value)


def test_one_method_alone_fails_with_its_own_error():
    refused(CapabilityError, "", lambda: eb.measure_all(tiny_masked("bert"), "weat"))


def test_wrong_names_are_refused_before_anything_is_measured():
    refused(BiasError, "unknown method 'waet'", eb.measure_all, None, ["pll", "waet"])
    refused(InputError, "must be a dict", eb.measure_all, None, {"pll": 3})
    for none in (None, 5):
        refused(InputError, r"^`methods` must be a list of names", eb.measure_all, "demo-mlm-en", none)
    for nothing in ([], {}):
        refused(InputError, r"`methods` is empty; name at least one", eb.measure_all, "demo-mlm-en", nothing)
    with pytest.raises(InputError, match="pll is given twice"):
        eb.measure_all("demo-mlm-en", {"pll": {"limit": 1}, "PLL": {"limit": 2}})
