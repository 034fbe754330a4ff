"""Several methods as one ``evaluate.EvaluationSuite``."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar

import evaluate
from evaluate.evaluation_suite import SubTask

from ..api import measure
from ..errors import InputError, quoted
from ..experiments.session import Methods, named_methods
from ..files import atomic_write
from ..models.load import load_model
from ..options import checked_options
from ..registry import get_method
from ..result import Result


class BiasSuite(evaluate.EvaluationSuite):  # type: ignore[misc]  # evaluate is untyped here
    """A suite that runs methods of this library on one model, each on its default data set or what its options choose.

    ``evaluate``'s own suites go through its evaluators, which know tasks such as text classification and no measure of
    bias; this one goes through :func:`evaluate_bias.measure` and otherwise is one of them.

    Args:
        name: name of the suite.
        methods: names of methods, or mappings from a name to the options of :func:`evaluate_bias.measure`; by default
            what the class says in ``METHODS``.

    Attributes:
        suite: one ``SubTask`` a method, as ``evaluate`` has them.
        results: the results of the last run.

    Raises:
        UnknownNameError: no such method.
        InputError: there is no method, or an option that the method does not have.

    Examples:
        >>> suite = BiasSuite("social bias", {"weat": {"language": "en", "tests": ["weat7"]}, "mac": {}})
        >>> [(task.task_type, task.data, task.args_for_task) for task in suite.suite]
        [('weat', 'bias/weat-word-lists', {'language': 'en', 'tests': ['weat7']}), ('mac', 'bias/weat-word-lists', {})]
    """

    METHODS: ClassVar[Methods] = ()

    def __init__(self, name: str = "bias", methods: Methods | None = None) -> None:
        super().__init__(name)
        chosen = self.METHODS if methods is None else methods
        if not chosen:
            raise InputError("a suite needs at least one method")
        self.suite = [_task(method, options) for method, options in named_methods(chosen).items()]
        self.results: list[Result] = []

    def run(self, model_or_pipeline: Any) -> list[dict[str, Any]]:
        """Measure a model.

        Args:
            model_or_pipeline: anything :func:`evaluate_bias.load_model` takes: a Hub id, a model with its tokenizer, a
                pipeline, word vectors and so on. It is loaded once.

        Returns:
            One dictionary a method, as its evaluate module returns it, with ``task_name`` and ``data_preprocessor`` as
            ``evaluate`` adds them.

        Raises:
            BiasError: what a method raises, such as a model that cannot do what it needs.
        """
        model = load_model(model_or_pipeline)
        self.results = [measure(task.task_type, model, **task.args_for_task) for task in self.suite]
        return [
            {**result.to_flat_dict(), "task_name": task.task_type, "data_preprocessor": None}
            for task, result in zip(self.suite, self.results, strict=True)
        ]


def write_suite(methods: Methods, path: str | Path) -> Path:
    """Write a script that ``evaluate.EvaluationSuite.load(path)`` loads, locally or as a Space of the Hub.

    Args:
        methods: as of :class:`BiasSuite`; the options must be plain values.
        path: of the script, such as ``"bias_suite/bias_suite.py"``.

    Raises:
        UnknownNameError: no such method.
        InputError: there is no method, an unknown option, an option that is no plain value, or a path without ``.py``.
        OutputError: the file cannot be written.
    """
    path = Path(path)
    if path.suffix != ".py":
        raise InputError(f"a suite is a Python script: {quoted(path.name)} must end in .py")
    chosen = {task.task_type: task.args_for_task for task in BiasSuite(methods=methods).suite}
    with suppress(ValueError, SyntaxError):  # of what is no plain value
        if ast.literal_eval(repr(chosen)) == chosen:
            return atomic_write(path, _SCRIPT.format(chosen=chosen))
    raise InputError("options of a suite that is written must be texts, numbers, lists or mappings of these")


_SCRIPT = '''"""Measures of social bias as an evaluation suite: evaluate.EvaluationSuite.load(this file).run(model)."""

import evaluate_bias  # From: evaluate-bias
from evaluate_bias.integrations.suite import BiasSuite


class Suite(BiasSuite):
    METHODS = {chosen!r}
'''


def _task(method: str, options: Mapping[str, Any]) -> SubTask:
    record = get_method(method)
    checked = checked_options(dict(options), {**record.options(), **record.data_choices()}, record.name)
    return SubTask(task_type=record.name, data=record.dataset or record.data.dataset, args_for_task=checked)
