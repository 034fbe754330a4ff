"""Tasks of Inspect: its own runs of them on planted replies, and their logs as results."""

from __future__ import annotations

import math
import tomllib
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import inspect_ai
import pytest
from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import read_eval_log, write_eval_log
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessageAssistant,
    Logprob,
    Logprobs,
    ModelOutput,
    ModelUsage,
    TopLogprob,
    get_model,
)

import evaluate_bias as eb
from evaluate_bias.errors import BiasError, DataError
from evaluate_bias.experiments.inspect_log import read_log, result_of_scores
from evaluate_bias.experiments.sources import read_pairs, read_results
from evaluate_bias.integrations.inspect_tasks import SCORERS, TASKS, result
from evaluate_bias.models.chat_template import THINKING_TOKENS
from evaluate_bias.models.completions import GenerationSettings, Reply
from evaluate_bias.registry import METHODS
from tests.methods.test_replies import ASKED
from tests.support.command_line import run_app
from tests.support.refusals import refused

OPTIONS: dict[str, dict[str, Any]] = {
    "bbq": {"source": "bbq_style", "limit": 12},
    "honest": {"limit": 6},
    "word_association": {"limit": 1, "n_pairs": 6},
    "relative_decision": {"limit": 1, "n_pairs": 6},
    "decision_gap": {"limit": 12},
    "crows_pairs": {"limit": 6, "prompt_variants": 2},
    "stereoset": {"limit": 3},
    "counterfactual_text": {"limit": 24, "k": 1},
}
"""Of methods whose default data are large or few; the others take six rows."""


def options(name: str) -> dict[str, Any]:
    prompt_variants = {"prompt_variants": 1} if "prompt_variants" in METHODS[name].options() else {}
    return prompt_variants | OPTIONS.get(name, {"limit": 6})


def reply(prompt: str) -> Reply:
    """An answer that only the prompt decides; some are refusals, and some break off."""
    number = zlib.crc32(prompt.encode())
    if '"Yes" or "No"' in prompt or "yes or no" in prompt:
        yes = -0.1 - number % 97 / 100
        return Reply("Yes", alternatives={"Yes": yes, "No": math.log1p(-math.exp(yes)) - 0.01})
    if number % 11 == 0:
        return Reply("I'm sorry, but I cannot answer that.")
    asks_words = "hyphen" in prompt or "choice" in prompt
    name = "bbq" if "\nA. " in prompt else "word_association" if asks_words else "honest"
    return Reply(ASKED[name][0](prompt)[number // 11 % 2], ended=number % 13 != 0)


class Answering:
    """A model of ours that gives the planted replies."""

    name, is_chat_model, alternatives, reply_tokens = "planted", True, 0, THINKING_TOKENS

    def __init__(self, alternatives: int = 0) -> None:
        self.alternatives = alternatives

    def provenance(self) -> dict[str, Any]:
        return {"kind": "planted", "name": self.name}

    def reply(self, prompts: Sequence[str], settings: GenerationSettings, *, alternatives: int = 0) -> Any:
        return [[reply(prompt)] for prompt in prompts]


def output(messages: Any, *_: Any) -> ModelOutput:
    """The planted reply as Inspect has it."""
    planted = reply(messages[-1].text)
    scores = [TopLogprob(token=token, logprob=p) for token, p in (planted.alternatives or {}).items()]
    first = Logprob(token=planted.text, logprob=-0.1, top_logprobs=scores)
    choice = ChatCompletionChoice(
        message=ChatMessageAssistant(content=planted.text),
        stop_reason="stop" if planted.ended else "max_tokens",
        logprobs=Logprobs(content=[first]) if scores else None,
    )
    return ModelOutput(model="planted", choices=[choice], usage=ModelUsage())


def run(tasks: Any, folder: Path, **how: Any) -> list[Any]:
    model = get_model("mockllm/model", custom_outputs=output, memoize=False)
    return inspect_ai.eval(
        tasks, model=model, log_dir=str(folder), display="none", score_display=False, **how
    )


@pytest.fixture(scope="module")
def logs(tmp_path_factory):
    """A log of each task, all of one run."""
    tasks = [task(**options(name)) for name, task in TASKS.items()]
    found = run(tasks, tmp_path_factory.mktemp("logs"), max_tasks=1)
    return {log.eval.task.rpartition("/")[2]: log for log in found}


def numbers(result: eb.Result) -> Any:
    return (
        result.score, result.ci_low, result.ci_high, result.p_value, result.n, result.coverage, result.estimates,
        result.settings, [(row.name, row.score, row.ci_low, row.p_value, row.details) for row in result.rows],
    )  # fmt: skip


def test_every_method_that_asks_is_a_task():
    assert set(TASKS) == set(SCORERS) == {name for name, record in METHODS.items() if record.asks}
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    module = project["entry-points"]["inspect_ai"]["evaluate_bias"]
    assert module == "evaluate_bias.integrations.inspect_tasks"


@pytest.mark.parametrize("name", TASKS)
def test_a_log_is_the_result_of_the_same_replies(name, logs):
    log, record = logs[name], METHODS[name]
    assert (log.status, log.eval.task) == ("success", f"evaluate_bias/{name}")
    model = Answering(20 if record.reads_log_probabilities else 0)
    once = {"follow_up": False} if "follow_up" in record.options() else {}
    expected = eb.measure(name, model, **options(name), **record.asks, **once)
    assert expected.coverage.found > 0
    found = read_log(log.location)
    assert numbers(found) == numbers(expected)
    assert found.date == log.eval.created[:10]
    assert found.provenance["dataset"] == expected.provenance["dataset"]
    assert found.provenance["model"]["name"] == "mockllm/model"
    (values,) = (one.metrics for one in log.results.scores)
    assert values["score"].value == expected.score
    assert values["coverage"].value == expected.coverage.share
    if bounds := expected.estimates.get("bounds"):
        assert (values["bounds_low"].value, values["bounds_high"].value) == (bounds.low, bounds.high)
    assert all({"item", "prompt_variant"} <= sample.metadata.keys() for sample in log.samples)


def test_no_samples_have_no_values():
    """Inspect asks for these before the first sample, and warns where they raise."""
    assert result()([]) == {}


def test_a_run_that_was_not_read_at_all_has_no_score(tmp_path):
    (log,) = run(TASKS["crows_pairs"](limit=3, prompt_variants=1), tmp_path, limit=1)
    assert {key: one.value for key, one in log.results.scores[0].metrics.items()} == {"coverage": 0.0}
    refused(BiasError, r"\.eval: none of the 3 pairs has an answer for every order", read_log, log.location)


def test_commands_take_a_log_for_results(tmp_path, logs, monkeypatch):
    log, other = (logs[name].location for name in ("crows_pairs", "bbq"))
    (result,) = read_results(log)
    assert [one.score for _, one in read_pairs(log)[0]] == [result.score]
    monkeypatch.chdir(tmp_path)
    for command in (
        ["report", log],
        ["card", log],
        ["results", log],
        ["compare", log, log],
        ["trust", other],
    ):
        done = run_app(*command)
        assert done.exit_code == 0, done.output
    assert "mockllm/model" in (tmp_path / "README.md").read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"variant": "chat"}, "crows_pairs is asked with `variant` 'choice' here; omit `variant`"),
        ({"prompt_varants": 1}, "did you mean 'prompt_variants'"),
    ],
)
def test_what_a_task_cannot_do_is_said(arguments, message):
    raised = refused(Exception, message, lambda: TASKS["crows_pairs"](**arguments))
    assert isinstance(raised.__cause__, BiasError)


def test_a_run_that_ended_early_is_read_as_far_as_it_went(tmp_path, logs):
    whole = logs["crows_pairs"]
    early = whole.model_copy(update={"status": "cancelled", "samples": whole.samples[:20]})
    write_eval_log(early, str(path := tmp_path / "early.eval"))
    (result,) = read_results(path)
    assert result.warnings[-1] == "the run in Inspect ended with the status 'cancelled'"
    assert result.details["requests"]["unasked"] == 4


def test_what_is_no_log_of_ours_is_refused(tmp_path):
    foreign = Task(dataset=MemoryDataset([Sample(input="Who?", target="A")]), name="crows_pairs")
    (log,) = run(foreign, tmp_path)
    (tmp_path / "text.eval").write_text("no archive")
    for path, message in (
        (log.location, "is a log of crows_pairs, and results are logs of evaluate_bias/NAME"),
        (tmp_path / "text.eval", "is not a log of Inspect that can be read"),
        (tmp_path / "absent.eval", "cannot be read: No such file"),
    ):
        refused(DataError, message, read_results, path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda one: [one, one], "a reply is in it twice; run the task without epochs"),
        (lambda one: [one, ({**one[0], "options": {"limit": 9}}, one[1])], "its samples are of several tasks"),
        (lambda one: [({**one[0], "options": {"model": "x"}}, one[1])], "options that crows_pairs does not have: 'mo"),
    ],
)  # fmt: skip
def test_a_log_says_one_thing(change, message, logs):
    sample = logs["crows_pairs"].samples[0]
    with pytest.raises(DataError, match=message):
        result_of_scores(change((sample.metadata, sample.scores["crows_pairs"].metadata)))


VERBS = ("cooks", "fixes", "drives", "sews", "reads", "runs")


def relogged(log: Any, path: Path, **metadata: Any) -> Path:
    """The log with other facts in the metadata of its samples."""
    samples = [one.model_copy(update={"metadata": {**one.metadata, **metadata}}) for one in log.samples]
    write_eval_log(log.model_copy(update={"samples": samples}), str(path))
    return path


def test_a_log_opens_only_files_whose_content_it_knows(tmp_path):
    source = tmp_path / "pairs" / "en.csv"
    source.parent.mkdir()
    pairs = [f"{a} {verb}.,{b} {verb}.,gender" for verb in VERBS for a, b in (("She", "He"), ("He", "She"))]
    source.write_text("\n".join(["sent_more,sent_less,bias_type", *pairs]))
    (log,) = run(TASKS["crows_pairs"](source=str(source), prompt_variants=1), tmp_path)
    assert read_log(log.location).coverage.asked == 12
    for chosen, message in (
        (tmp_path / "pairs", None),  # the one table of the folder is that file
        (tmp_path / "other.csv", "the log names the file .*, which is not the one that was measured"),
        (tmp_path / "org", "the log names the folder .*, which is not the one that was measured"),
        ("org/pairs", "data set org/pairs of the Hub, which was not downloaded; if you trust it"),
    ):
        if message:
            for file in ("other.csv", "org/de.csv"):
                (tmp_path / file).parent.mkdir(exist_ok=True)
                (tmp_path / file).write_text("secret\n")
        path = relogged(log, tmp_path / "named.eval", options={"source": str(chosen), "prompt_variants": 1})
        if message is None:
            assert read_log(path).coverage.asked == 12
            continue
        raised = refused(DataError, message, read_log, path)
        assert "secret" not in str(raised)
        assert "de" not in str(raised).split()
    source.write_text(source.read_text().replace("cooks", "sings"))
    refused(DataError, "en.csv, which is not the one that was measured", read_log, log.location)


def test_a_log_loads_no_classifier_and_no_lexicon(tmp_path, logs):
    (tmp_path / "words.csv").write_text("word\nsecret\n")
    lexicon = str(tmp_path / "words.csv")
    for name, option, value, message in (
        ("counterfactual_text", "scorers", "hf:org/toxicity#toxic", "was not loaded: a log named it"),
        ("honest", "lexicon", lexicon, "words.csv, which is not the one that was measured"),
    ):
        named = {**logs[name].samples[0].metadata["options"], option: value}
        path = relogged(logs[name], tmp_path / f"{name}.eval", options=named)
        refused(BiasError, message, read_results, path)
        with pytest.raises(BiasError, match=message):  # ``inspect score``
            inspect_ai.score(read_eval_log(str(path)), SCORERS[name](), display="none")


def test_a_log_that_unfolds_to_much_is_refused(tmp_path, logs, monkeypatch):
    write_eval_log(logs["crows_pairs"], str(path := tmp_path / "log.eval"))
    monkeypatch.setattr("evaluate_bias.data.table_files.MAX_BYTES", path.stat().st_size + 1)
    refused(DataError, "unpacked, has", read_results, path)
