"""The tasks of our data sets on the Hub, under which evaluation results are entered: what ``eval.yaml`` declares.

The Hub ranks the models of a task by value, highest first. Few scores can be read so: the ideal value of most lies in
the middle of the range. So every task has a companion, its nearness, which can.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from ...data.dataset_record import Config, DatasetRecord, is_control
from ...data.kinds import WORD_LISTS
from ...data.recipes import dataset_record
from ...errors import BiasError
from ...method import MethodRecord
from ...registry import METHODS

EVAL_YAML = "eval.yaml"
"""Name of the file that declares the tasks of a data set."""

FRAMEWORK = "evaluate-bias"
"""What ``eval.yaml`` names as the software that runs the tasks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HubTask:
    """One task of a data set.

    Attributes:
        id: its name, see :func:`task_id`.
        config: the configuration it is on; empty for all of them together.
        split: the split.
    """

    id: str
    config: str
    split: str


def task_id(method: str, config: str, split: str = "", test: str = "", *, near: bool = False) -> str:
    """Return the name of a task; whoever enters a result and whoever declares the task asks here.

    Args:
        method: name of the method.
        config: configuration of the data; empty for all of them together.
        split: its split, where the configuration has several.
        test: the test, for a score of one.
        near: whether the task is the companion of the one of that name, ranked by :func:`nearness`.

    Examples:
        >>> task_id("weat", "en", test="weat7"), task_id("crows_pairs", "en", near=True)
        ('weat-en-weat7', 'crows_pairs-en-nearness')
    """
    return "-".join(filter(None, (method, config, split, test, "nearness" if near else "")))


def nearness(score: float, ideal: float) -> float:
    """Return minus the distance of a score from its ideal value, in the unit of the score: 0 is best, higher is nearer.

    Not one minus the share of the range: several methods have an open range, and then there is no such share.

    Examples:
        >>> nearness(60.5, 50.0), nearness(-0.25, 0.0), nearness(1.0, 1.0)
        (-10.5, -0.25, 0.0)
    """
    return 0.0 - abs(score - ideal)


@cache
def declared_tasks(name: str) -> tuple[HubTask, ...]:
    """Return the tasks of a data set: of the methods whose usual data it is, on what of it may be published.

    Each score has two: its own and the companion, but for controls, which say nothing about people. Illustrative data
    have none, because scores on them are entered nowhere.

    Args:
        name: the data set.

    Examples:
        >>> [t.id for t in declared_tasks("winogender_occupations")][:2]
        ['wefat-en', 'wefat-en-nearness']
        >>> declared_tasks("minimal_pairs")
        ()
    """
    data = dataset_record(name)
    methods = [m for m in METHODS.values() if m.dataset == data.hub_id and not data.illustrative]
    return tuple(task for method in methods for task in _tasks(method, data))


def _tasks(method: MethodRecord, data: DatasetRecord) -> Iterator[HubTask]:
    configs = [c for c in data.configs if c.publishable]
    places = [(c.name, c) for c in configs]
    # Where the loader chooses among them by another option than the language, they are parts of one whole.
    places += [("", configs[0])] if {"task", "categories"} & {*method.data.options} else []
    for name, config in places:
        for split in config.splits:
            several = split if len(config.splits) > 1 else ""
            for test, control in _scores(method, config):
                for near in (False,) if control else (False, True):
                    task = task_id(method.name, name, several, test, near=near)
                    yield HubTask(id=task, config=name, split=split)


def _scores(method: MethodRecord, config: Config) -> list[tuple[str, bool]]:
    """The tests of a configuration, each with whether it is a control, and ``""`` for its score as a whole."""
    if not method.aggregation:
        return [("", False)]
    tests = list(_tests(method, config).items())
    return [*([("", False)] if len(overall_tests(method.name, config)) > 1 else []), *tests]


def overall_tests(method: str, config: Config) -> frozenset[str]:
    """Return the tests that make up a method's score of a configuration; no other choice is entered as that."""
    record = METHODS[method]
    tests = _tests(record, config).keys()
    return frozenset(record.data_defaults.get("tests", tests)) & tests


def _tests(method: MethodRecord, config: Config) -> Mapping[str, bool]:
    """The tests that a method has on a configuration, each with whether it is a control; none where it has none."""
    if config.tests:
        return dict.fromkeys(config.tests if method.data == WORD_LISTS else (), False)
    return _loaded_tests(method.data.load(), method.data_defaults.get("source"), config.name)


@cache
def _loaded_tests(load: Callable[..., Any], source: str | None, language: str) -> Mapping[str, bool]:
    try:
        return {test.name: is_control(test.bias_type) for test in load(source=source, language=language)}
    except BiasError:  # the method has no tests in this language
        return {}


def eval_yaml(name: str) -> str:
    """Return the text of a data set's ``eval.yaml``; empty for one without tasks.

    Args:
        name: the data set.
    """
    import yaml

    tasks, data = declared_tasks(name), dataset_record(name)
    if not tasks:
        return ""
    about = (
        f"Social bias as measured on {data.title}. The score of a task is read by its ideal value, which need be "
        "neither its highest nor its lowest; the task whose name ends in -nearness has minus the distance from that "
        f"value, so that higher is nearer to it. {data.caveats[0]}"
    )
    content = {
        "name": data.pretty_name,
        "description": about,
        "evaluation_framework": FRAMEWORK,
        "tasks": [
            {"id": t.id} | ({"config": t.config} if t.config else {}) | {"split": t.split} for t in tasks
        ],
    }
    return yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=1000)
