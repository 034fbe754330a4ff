"""``make demo``: one grid over models and methods without the Hub, then tables, plots, a page and model cards about it.

Run it as ``python -m evaluate_bias.cli.demo [FOLDER]``. Results stay there: the next run measures what is missing.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import MeasurementError
from ..files import atomic_write
from ..registry import METHODS, get_method
from .main import guarded
from .output import escape, print_error

if TYPE_CHECKING:
    from ..experiments.config import GridConfig
    from ..experiments.worker import Outcome
    from ..result import Result

VECTORS, CORPUS, MASKED, ENCODER, CAUSAL = (
    "glove-6b-50d", "corpus:gutenberg-books", "demo-mlm-en", "minilm-l6", "smollm2-135m",
)  # fmt: skip
CLASSIFIER = "naive-bayes-of-bios"

DESCRIPTIONS: Mapping[str, str] = {
    VECTORS: "GloVe 6B 50d, 400,000 real word vectors",
    CORPUS: "18 English books of about 1900",
    MASKED: "a small English masked language model of this project",
    ENCODER: "all-MiniLM-L6-v2, a sentence encoder",
    CAUSAL: "SmolLM2 135M, a causal language model that chats",
    CLASSIFIER: "the predictions of a word-count classifier on short biographies",
}
"""What is measured. A card is written for each except the books and the predictions."""

PARTS: Mapping[str, tuple[str, Mapping[str, Any], int, int]] = {
    "crows-pairs-200-of-1508": ("crows_pairs", {}, 200, 1),
    "crows-pairs-gender-60-of-262": ("crows_pairs", {"bias_types": "gender"}, 60, 1),
    "stereoset-400-of-2106": ("stereoset", {"task": "intrasentence"}, 400, 1),
    "stereoset-gender-80-of-255": ("stereoset", {"task": "intrasentence", "bias_types": "gender"}, 80, 1),
    "winobias-type2-60-of-396": ("winobias", {"types": ["type2"]}, 60, 2),
    "bbq-gender-40-of-5672": ("bbq", {"categories": ["Gender_identity"]}, 40, 1),
    "bbq-gender-8-of-5672": ("bbq", {"categories": ["Gender_identity"]}, 8, 1),
    "honest-style-40-of-120": ("honest", {}, 40, 10),
    "minimal-pairs-60-of-180": ("pll_robustness", {}, 60, 1),
}
"""Parts of large data sets, for slow models: method, what it is taken from, number of rows, and how many of them in a
row stay together. Names say the size, since tables, cards and reports name data by them."""


def part(name: str) -> str:
    """Return the file of a part in the folder of the demonstration.

    Examples:
        >>> part("crows-pairs-200-of-1508")
        'parts/crows-pairs-200-of-1508.jsonl'
    """
    return f"parts/{name}.jsonl"


Methods = dict[str, dict[str, Any]]


def methods_that_need(capability: str, **options: dict[str, Any]) -> Methods:
    """Return every method that needs this capability and no other, with its options from here if it has any.

    Examples:
        >>> methods_that_need("embeds words", weat={"language": "en"})["mac"]
        {}
    """
    return {name: options.get(name, {}) for name, r in METHODS.items() if r.needs == (capability,)}


_PAIRS, _GENDER_PAIRS = part("crows-pairs-200-of-1508"), part("crows-pairs-gender-60-of-262")
PLAN: Mapping[str, Methods] = {
    VECTORS: {
        **methods_that_need("embeds words", weat={"language": "en"}),
        "direct_bias": {},
        "frequency_sensitivity": {"tests": ["weat6", "weat7", "weat8"]},
        "seed_sensitivity": {"tests": ["weat6", "weat7", "weat8"]},
    },
    CAUSAL: {
        "crows_pairs": {"source": _GENDER_PAIRS, "variant": "causal"},
        "stereoset": {"source": part("stereoset-gender-80-of-255")},
        "winobias": {"source": part("winobias-type2-60-of-396")},
        "matched_guise": {},
        "gest": {},
        "decision_gap": {"prompt_variants": 1},
        "bbq": {**METHODS["bbq"].asks, "source": part("bbq-gender-8-of-5672"), "prompt_variants": 2},
        "honest": {**METHODS["honest"].asks, "source": part("honest-style-40-of-120"), "prompt_variants": 1},
    },
    MASKED: {
        **methods_that_need(
            "scores masked tokens",
            lpbs={"tests": ["kurita6", "kurita7", "kurita8"]},
            aul={"source": _PAIRS},
            aula={"source": _PAIRS},
            pll={"source": _PAIRS},
        ),
        **methods_that_need("fills a mask"),
        "crows_pairs": {"source": _PAIRS},
        "kldivs": {"source": _PAIRS},
        "stereoset": {"source": part("stereoset-400-of-2106")},
        "winobias": {},
        "bbq": {"source": part("bbq-gender-40-of-5672")},
        "honest": {},
        "pll_robustness": {"source": part("minimal-pairs-60-of-180")},
    },
    ENCODER: {
        **methods_that_need(
            "embeds words in context",
            seat={"tests": ["weat6", "weat7", "weat8"]},
            ceat={"tests": ["weat6"], "max_contexts": 20},
        ),
        "direct_bias": {},
    },
    CORPUS: methods_that_need("counts words"),
    CLASSIFIER: {name: {} for name, r in METHODS.items() if not r.needs and r.data.name == "predictions"},
}
"""Models and what is measured on each: published data if there are some, in parts if a model is slow."""

WORKERS = 2
"""Processes of one thread each, in which models are measured. What one model's methods share stays in one of them."""

OF_TEXTS = "parts/words-of-novels.jsonl"
"""Words in the books, for what is counted in them."""

CARD = """---
language: en
---

# {name}

{description}.

## Bias, Risks, and Limitations

The model carries the associations of the text it was trained on.

### Recommendations

Look at the measured bias before building on this model.
"""


def demo_grid(folder: Path) -> GridConfig:
    """Return the grid of :data:`PLAN`, with the parts of data sets that it names written to ``folder``."""
    from ..experiments.config import GridConfig
    from ..experiments.identity import NO_MODEL
    from ..ui.word_lists import offered_words

    for name, (method, options, n, together) in PARTS.items():
        rows = get_method(method).load_data(**options)
        places = [i * (len(rows) // together) // (n // together) * together for i in range(n // together)]
        lines = [row.model_dump_json(exclude_none=True) for i in places for row in rows[i : i + together]]
        atomic_write(folder / part(name), "".join(f"{line}\n" for line in lines))
    atomic_write(folder / OF_TEXTS, json.dumps(offered_words()) + "\n")
    methods = [
        {
            "method": name,
            "models": [model],
            "options": {**options, **({"source": OF_TEXTS} if model == CORPUS else {})},
        }
        for model, chosen in PLAN.items()
        for name, options in chosen.items()
    ]
    models = [{"model": NO_MODEL if m == CLASSIFIER else m, "name": m} for m in PLAN]
    return GridConfig(models=models, methods=methods).at(folder)


def run_demo(folder: Path) -> None:
    """Measure the grid as far as it is missing and write results, report, page and cards to ``folder``.

    Raises:
        MeasurementError: a unit failed. The others are kept.
    """
    from rich.console import Console

    from ..assets import CATALOGUE, get_asset, is_cached
    from ..experiments.executors import InProcess
    from ..experiments.executors.processes import Processes
    from ..experiments.plan import make_plan
    from ..experiments.run import run_grid
    from ..experiments.sources import read_results
    from ..experiments.store import Store
    from ..report.card import card, preview_html
    from ..report.html import write_html
    from ..report.reading import read
    from ..report.write import write_report
    from ..text import name_list

    console = Console()
    start = time.monotonic()

    def say(text: str) -> None:
        line = f"[bold cyan]{time.monotonic() - start:5.1f} s[/]  {escape(text)}"
        console.print(line, highlight=False, soft_wrap=True)

    for model in PLAN:
        name = model.removeprefix("corpus:")
        if name in CATALOGUE and not is_cached(get_asset(name)):
            say(f"{name} is fetched once: {DESCRIPTIONS[model]}")
    plan = make_plan(demo_grid(folder))
    say(f"one grid: {len(plan.units)} measurements on {len(plan.tasks)} models")
    for task in plan.tasks:
        console.print(f"  {escape(task.name)}: {escape(DESCRIPTIONS[task.name])}", highlight=False)
    executor = Processes(WORKERS, threads=1) if WORKERS > 1 else InProcess()
    summary = run_grid(plan, folder, executor=executor, on_unit=lambda outcome: say(_describe_unit(outcome)))
    say(f"{summary.measured} measured, {summary.already_stored} already stored, now writing what is reported")
    with Store(folder, read_only=True) as store:
        result_of_key = {unit.key: result for unit, result in store.results()}
    measured: dict[str, list[Result]] = {model: [] for model in PLAN}
    for unit in plan.units:
        if unit.key in result_of_key:
            measured[unit.model].append(result_of_key[unit.key])
    results = read_results(folder)
    paths = write_report(results, folder)
    pages = [p for p in paths if p.suffix not in (".png", ".svg", ".json")]
    pages = [*write_html(results, folder / "report.html")[:1], *pages]
    for model, of_model in measured.items():
        if model in (CORPUS, CLASSIFIER) or not of_model:
            continue  # a card says what a model does
        path = folder / "model_cards" / model / "README.md"
        atomic_write(path, CARD.format(name=model, description=DESCRIPTIONS[model]))
        update = card(of_model, path)
        atomic_write(path.with_name("model_card.html"), preview_html(update.text, pictures=update.files))
    console.print("\n[bold]Conclusions[/]")
    for model, of_model in measured.items():
        findings = sorted((r for r in map(read, of_model) if r.significant), key=lambda r: r.decisive_p)
        methods = name_list([r.short for r in findings], 6)
        line = f"[bold]{escape(model)}[/]: significant in {len(findings)} of {len(of_model)} methods"
        console.print(f"{line}{': ' if findings else ''}{escape(methods)}", highlight=False)
        for reading in findings[:1]:
            console.print(f"  {escape(f'{reading.short}: {reading.finding}')}", highlight=False)
    console.print()
    say(f"done, with {sum(p.suffix == '.svg' for p in paths)} pictures. In {folder}, look at:")
    names = ", ".join(p.name for p in pages)
    console.print(f"  {names}, results.jsonl", highlight=False, soft_wrap=True)
    console.print("  model_cards/MODEL/README.md and model_card.html", highlight=False)
    for failure in (*summary.failed, *summary.unsuitable):
        print_error(MeasurementError(failure.reason), str(failure.unit))
    if summary.failed or summary.unsuitable:
        raise MeasurementError(f"not everything could be measured: the log is {summary.log}")


def _describe_unit(outcome: Outcome) -> str:
    """Describe a unit in a line: its score and interval, the data if only a part is measured, and its options."""
    from ..result import Result

    unit = outcome.unit
    what = f"{unit.model}: {unit.method}"
    if (name := unit.data.removesuffix(".jsonl")) in PARTS:
        what += f" on {name}"
    if unit.settings:
        what += f" ({unit.settings})"
    if outcome.kind != "measured":
        return f"{what}: {outcome.kind}"
    result = Result.from_json(outcome.result)
    text = f"{what} {result.score:.3g}"
    low, high = result.ci_low, result.ci_high
    if low is not None and high is not None:
        digits = next((d for d in range(2, 6) if f"{low:.{d}g}" != f"{high:.{d}g}"), 6)
        text += f" ({low:.{digits}g} to {high:.{digits}g})"
    return text


if __name__ == "__main__":
    guarded(lambda: run_demo(Path(sys.argv[1] if len(sys.argv) > 1 else "out")))
