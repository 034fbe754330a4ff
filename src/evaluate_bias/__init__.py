"""Published social-bias measures for word vectors and language models.

Everything is one import away and loaded on first use, so that ``import evaluate_bias`` stays fast:

- :func:`measure` (also called ``evaluate``): a method and its default data set in one call;
- :func:`measure_all`: several methods on one model, which share its forward passes;
- :func:`load`: the method as a Hugging Face ``evaluate`` module;
- :func:`load_model`: a model from a Hub id, a folder, a vector file, a mapping, or your own object;
- :func:`compare`: what changed between two models or two sets of results;
- :func:`gate`: whether a build may pass: conditions on scores, and no score worse than a base by a margin;
- :func:`flag_effects`: the score of sentence pairs with and without those that rules flag;
- :func:`card`: the bias section of a model card;
- :func:`levels`: one association in a model's vectors, likelihoods, word choice and decisions;
- :func:`trust`: how far each score of a set of results can be relied on;
- :func:`record`: measure, and keep the scores behind the result; :func:`verify`: compute every number of a card, report
  or results again from them, without the model;
- :class:`Result`: what every method returns, with its breakdown in :class:`Row` and :class:`Estimate`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from . import result as _result

if TYPE_CHECKING:
    from . import data, errors, methods, models, registry, stats
    from .api import evaluate, measure
    from .corpora.corpus import load_corpus
    from .errors import BiasError
    from .experiments.session import measure_all
    from .groups import intersect, pairwise
    from .hub.modules import load
    from .models.load import load_model
    from .report.card import card
    from .report.compare import compare
    from .report.compare.gate import gate
    from .report.flag_effects import flag_effects
    from .report.levels import levels
    from .report.trust import trust
    from .report.verify import record, verify
    from .result import Coverage, Estimate, Result, Row, Skipped

__version__ = "0.9.0"

__all__ = [
    "BiasError",
    "Coverage",
    "Estimate",
    "Result",
    "Row",
    "Skipped",
    "__version__",
    "card",
    "compare",
    "data",
    "errors",
    "evaluate",
    "flag_effects",
    "gate",
    "intersect",
    "levels",
    "load",
    "load_corpus",
    "load_model",
    "measure",
    "measure_all",
    "methods",
    "models",
    "pairwise",
    "record",
    "registry",
    "stats",
    "trust",
    "verify",
]

_LAZY = {
    "BiasError": ("errors", "BiasError"),
    **{name: ("result", name) for name in ("Coverage", "Estimate", "Result", "Row", "Skipped")},
    "card": ("report.card", "card"),
    "flag_effects": ("report.flag_effects", "flag_effects"),
    "compare": ("report.compare", "compare"),
    "gate": ("report.compare.gate", "gate"),
    "levels": ("report.levels", "levels"),
    "record": ("report.verify", "record"),
    "trust": ("report.trust", "trust"),
    "verify": ("report.verify", "verify"),
    "evaluate": ("api", "evaluate"),
    "measure": ("api", "measure"),
    "measure_all": ("experiments.session", "measure_all"),
    "intersect": ("groups", "intersect"),
    "pairwise": ("groups", "pairwise"),
    "load": ("hub.modules", "load"),
    "load_corpus": ("corpora.corpus", "load_corpus"),
    "load_model": ("models.load", "load_model"),
    "data": ("data", None),
    "errors": ("errors", None),
    "methods": ("methods", None),
    "models": ("models", None),
    "registry": ("registry", None),
    "stats": ("stats", None),
}


def _from(module: str, name: str) -> Callable[[], Callable[..., Any]]:
    return lambda: getattr(importlib.import_module(f".{module}", __name__), name)


_result.set_presenters(
    {
        "notebook": _from("report.row_tables", "result_html"),
        "to_latex": _from("report.latex", "to_latex"),
        "plot": _from("report.plots", "result_figure"),
        "push_to_hub": _from("hub.push_card", "push_result"),
    }
)


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module_name, attribute = _LAZY[name]
    module = importlib.import_module(f".{module_name}", __name__)
    value = module if attribute is None else getattr(module, attribute)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
