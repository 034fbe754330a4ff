"""``make demo``: measure real models with no Hub and write results, tables, plots and model-card sections.

Run it as ``python -m evaluate_bias.demo [FOLDER]``.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

from .cli import guarded
from .cli_output import escape, result_table
from .files import atomic_write
from .registry import METHODS

__all__ = ["CORPUS", "PLAN", "methods_that_need", "run_demo"]

Methods = tuple[tuple[str, dict[str, Any]], ...]


def methods_that_need(capability: str, **options: dict[str, Any]) -> Methods:
    """Every method of the registry that needs this capability and no other, with its options here where it has any.

    Examples:
        >>> ("mac", {}) in methods_that_need("embeds words", weat={"language": "en"})
        True
    """
    return tuple((name, options.get(name, {})) for name, r in METHODS.items() if r.needs == (capability,))


CORPUS = "corpus:gutenberg-books"
"""The text that is counted."""

PLAN: tuple[tuple[str, str, Methods], ...] = (
    (
        "glove-6b-50d",
        "GloVe 6B 50d, 400,000 real word vectors",
        methods_that_need("embeds words", weat={"language": "en"}),
    ),
    (CORPUS, "18 English books of about 1900", methods_that_need("counts words")),
    (
        "demo-mlm-en",
        "a small English masked language model of this project",
        (
            ("crows_pairs", {}),
            ("aul", {}),
            ("pll_robustness", {}),
            ("stereoset", {"task": "intrasentence"}),
            ("lpbs", {"tests": ["kurita6", "kurita7", "kurita8"]}),
            ("mlm_gender_score", {}),
        ),
    ),
    (
        "minilm-l6",
        "all-MiniLM-L6-v2, a sentence encoder",
        (("seat", {"tests": ["weat6", "weat7", "weat8"]}), ("wsv", {})),
    ),
    (
        "smollm2-135m",
        "SmolLM2 135M, a causal language model",
        (
            ("crows_pairs", {"bias_types": "gender", "variant": "causal"}),
            ("stereoset", {"bias_types": "gender", "task": "intrasentence"}),
        ),
    ),
)
"""Models and what is measured on each, on published data except for the robustness to paraphrase, which needs the
packaged illustrative pairs, and for the words that are counted, which the books must hold. The causal model is the
slowest and takes one bias type of the published data."""

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


def run_demo(folder: Path) -> None:
    """Run the demonstration and write its files to ``folder``."""
    from rich.console import Console

    from .api import measure
    from .assets import get_asset, is_cached
    from .models.load import load_model
    from .report.card import card, preview_html
    from .report.results_io import read_results, write_results
    from .report.write import write_report
    from .ui.texts import offered_words

    console = Console()
    start = time.monotonic()

    def say(text: str) -> None:
        console.print(f"[bold cyan]{time.monotonic() - start:5.1f} s[/]  {text}", highlight=False)

    results, cards = [], []
    for name, description, methods in PLAN:
        fetched = is_cached(get_asset(name.removeprefix("corpus:")))
        say(f"loading {name}: {description}" + ("" if fetched else ", fetched once"))
        model = load_model(name)
        of_texts = {"data": [offered_words()]} if name == CORPUS else {}
        measured = []
        for method, options in methods:
            asked = ", ".join(f"{key} {value}" for key, value in options.items() if value)
            say(f"{method} on {name}" + (f" ({escape(asked)})" if asked else ""))
            measured.append(measure(method, model, seed=0, **options, **of_texts))
            console.print(result_table(measured[-1]))
        results += measured
        if name == CORPUS:
            continue  # a card says what a model does
        path = folder / "model_cards" / name / "README.md"
        atomic_write(path, CARD.format(name=name, description=description))
        update = card(measured, path)
        preview = path.with_name("model_card.html")
        atomic_write(preview, preview_html(update.text, pictures=update.pictures))
        cards += [path, preview]
    say("writing tables and plots")
    write_results(results, folder / "results.jsonl")
    paths = write_report(read_results(folder), folder)
    pictures = [p for p in paths if p.suffix in (".png", ".svg")]
    say(f"done: {len(pictures)} pictures in {folder}. Look at:")
    for path in [folder / "results.jsonl", *(p for p in paths if p not in pictures), *cards]:
        console.print(f"         {path}", highlight=False)


if __name__ == "__main__":
    guarded(lambda: run_demo(Path(sys.argv[1] if len(sys.argv) > 1 else "out")))
