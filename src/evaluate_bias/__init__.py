"""Published social-bias measures for word vectors and language models.

Everything is one import away and loaded on first use, so that ``import evaluate_bias`` stays fast:

- :func:`measure`: a method and its default data set in one call.
- :func:`measure_all`: several methods on one model, which share its forward passes.
- :func:`load`: the method as a Hugging Face ``evaluate`` module.
- :func:`load_model`: a model from a Hub id, a folder, a vector file, a mapping, or your own object.
- :func:`compare`: what changed between two models or two sets of results.
- :func:`gate`: whether a build may pass: conditions on scores, and no score worse than a base by a margin.
- :func:`flag_effects`: the score of sentence pairs with and without those that rules flag.
- :func:`card`: the bias section of a model card.
- :func:`trust`: how far each score of a set of results can be relied on.
- :func:`verify`: write card, report and page of a folder again from its results, and list each line that
  differs.
- :class:`Result`: what every method returns, with its breakdown in :class:`Row` and :class:`Estimate`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from . import result as _result

if TYPE_CHECKING:
    from . import data as data
    from . import errors as errors
    from . import methods as methods
    from . import models as models
    from . import registry as registry
    from . import stats as stats
    from .api import measure as measure
    from .corpora.corpus import load_corpus as load_corpus
    from .errors import BiasError as BiasError
    from .experiments.groups import intersect as intersect
    from .experiments.groups import pairwise as pairwise
    from .experiments.session import measure_all as measure_all
    from .hub.modules import load as load
    from .models.load import load_model as load_model
    from .report.card import card as card
    from .report.compare import compare as compare
    from .report.compare.gate import gate as gate
    from .report.flag_effects import flag_effects as flag_effects
    from .report.trust import trust as trust
    from .report.verify import verify as verify
    from .result import Coverage as Coverage
    from .result import Estimate as Estimate
    from .result import Result as Result
    from .result import Row as Row
    from .result import Skipped as Skipped

__version__ = "0.9.0"

_MODULES = ("data", "errors", "methods", "models", "registry", "stats")
_HOME = {
    name: module
    for module, names in {
        "api": "measure",
        "corpora.corpus": "load_corpus",
        "errors": "BiasError",
        "experiments.session": "measure_all",
        "experiments.groups": "intersect pairwise",
        "hub.modules": "load",
        "models.load": "load_model",
        "report.card": "card",
        "report.compare": "compare",
        "report.compare.gate": "gate",
        "report.flag_effects": "flag_effects",
        "report.trust": "trust",
        "report.verify": "verify",
        "result": "Coverage Estimate Result Row Skipped",
    }.items()
    for name in names.split()
}

__all__ = ["__version__", *_MODULES, *_HOME]


def _from(module: str, name: str) -> Callable[[], Callable[..., Any]]:
    return lambda: getattr(importlib.import_module(f".{module}", __name__), name)


_result.set_presenters(
    {
        "notebook": _from("report.row_tables", "result_html"),
        "to_latex": _from("report.latex", "to_latex"),
        "plot": _from("report.plots.kinds", "plot_result"),
        "push_to_hub": _from("hub.push_card", "push_result"),
    }
)


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = importlib.import_module(f".{_HOME.get(name, name)}", __name__)
    value = getattr(module, name) if name in _HOME else module
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
