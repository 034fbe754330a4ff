"""The tasks of our data sets on the Hub, under which evaluation results are entered: what ``eval.yaml`` declares.

The Hub accepts tasks of frameworks that it knows, of which Inspect is one. So tasks are declared for data whose rows
contain choices, for the methods that ask a chat model to choose. The Hub ranks the models of a task by value, highest
first. Few scores can be read this way, since the ideal value of most lies in the middle of the range. So every task has
a companion that can: its nearness to the ideal value.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Any

from ...data.dataset_record import Config, DatasetRecord
from ...data.instructions import load_instructions
from ...data.kinds import WORD_LISTS
from ...data.recipes import dataset_record
from ...errors import BiasError
from ...method_record import MethodRecord
from ...registry import METHODS

EVAL_YAML = "eval.yaml"
"""Name of the file that declares the tasks of a data set."""

FRAMEWORK = "inspect-ai"
"""What ``eval.yaml`` names as the software that runs the tasks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HubTask:
    """One task of a data set.

    Attributes:
        method: name of the method.
        id: its name, see :func:`task_id`.
        config: the configuration it is on, empty for all configurations together.
        split: the split.
        language: language of the data, in which the model is asked.
    """

    method: str
    id: str
    config: str
    split: str
    language: str


def task_id(method: str, config: str, split: str = "", test: str = "", *, near: bool = False) -> str:
    """Return the name of a task, both for entering a result and for declaring the task.

    Args:
        method: name of the method.
        config: configuration of the data, empty for all configurations together.
        split: its split, if the configuration has several.
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
    """Return the tasks of a data set: of the methods that put its choices to a chat model, on what may be published.

    Each score has two: its own and the companion. Illustrative data have none, because scores on them are entered
    nowhere.

    Args:
        name: the data set.

    Examples:
        >>> [task.id for task in declared_tasks("crows_pairs")][:2]
        ['crows_pairs-en', 'crows_pairs-en-nearness']
        >>> declared_tasks("weat_word_lists")
        ()
    """
    data = dataset_record(name)
    methods = [m for m in METHODS.values() if m.dataset == data.hub_id and choice_columns(m)]
    return () if data.illustrative else tuple(task for method in methods for task in _tasks(method, data))


def choice_columns(method: MethodRecord) -> list[str]:
    """Return the columns with the options of an item, if the method asks a chat model to choose. Else return none."""
    holds = ("sentence", "options") if "choice" in method.asks.values() else ()
    return [column for column in method.columns if method.data.columns[column].holds in holds]


def _tasks(method: MethodRecord, data: DatasetRecord) -> Iterator[HubTask]:
    configs = [c for c in data.configs if c.publishable]
    places = [(c.name, c) for c in configs]
    # If the loader selects configurations by an option other than the language, they are subsets of one data set.
    places += [("", configs[0])] if {"task", "categories"} & {*method.data.options} else []
    for name, config in places:
        for split in config.splits:
            several = split if len(config.splits) > 1 else ""
            for near in (False, True):
                task = task_id(method.name, name, several, near=near)
                yield HubTask(method=method.name, id=task, config=name, split=split, language=config.language)


def overall_tests(method: str, config: Config) -> frozenset[str]:
    """Return the tests that make up a method's score of a configuration. No other selection is entered as it."""
    record = METHODS[method]
    tests = frozenset(config.tests if record.data == WORD_LISTS else ())
    if not config.tests:
        with suppress(BiasError):  # the method has no tests in this language
            source = record.data_defaults.get("source")
            loaded = record.data.load()(source=source, language=config.name)
            tests = frozenset(test.name for test in loaded)
    return frozenset(record.data_defaults.get("tests", tests)) & tests


def eval_yaml(name: str) -> str:
    """Return the text of a data set's ``eval.yaml``, empty for one without tasks.

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
        "tasks": [_declare_task(task) for task in tasks],
    }
    return yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=1000)


def _declare_task(task: HubTask) -> dict[str, Any]:
    """Return a task in the format of the Hub and Inspect, with the first variant of the prompt and our scorer."""
    method = METHODS[task.method]
    choices, texts = choice_columns(method), load_instructions(method.package, task.language, 1).texts
    question = texts.get(task.config, next(iter(texts.values())))[0].partition("{options}")[0].strip()
    fields = [column for column in method.columns if f"{{{column}}}" in question]
    return {
        "id": task.id,
        **({"config": task.config} if task.config else {}),
        "split": task.split,
        "field_spec": {
            "input": fields[-1] if fields else choices[0],  # which the question repeats or omits
            "target": "label" if "label" in method.columns else "literal:",  # no option is right
            "choices": choices if len(choices) > 1 else choices[0],
            "metadata": fields,
        },
        "shuffle_choices": True,
        "solvers": [{"name": "prompt_template", "args": {"template": question}}, {"name": "multiple_choice"}],
        "scorers": [{"name": f"evaluate_bias/{method.name}"}],
    }
