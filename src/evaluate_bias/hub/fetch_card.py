"""What a model's repository holds to be verified: its card, results and recorded scores."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from .client import find_token, hub_errors

_FILES = (
    "README.md",
    "*evaluate-bias.svg",
    "results.jsonl",
    *(f"report.{end}" for end in ("md", "csv", "tex", "html")),
    "report-full.tex",
    "report-items/*.csv",
    *(f"{name}*.{end}" for name in ("effect_sizes", "words/") for end in ("svg", "png")),
    "scores.parquet",
    ".eval_results/*",
)


@contextmanager
def fetched_card(repo_id: str, *, revision: str | None = None) -> Iterator[Path]:
    """Download the card of a model and what belongs to it, without the model, to a folder that is removed afterwards.

    Raises:
        HubError: no such repository, not allowed to see it, or the Hub unreachable.
    """
    from huggingface_hub import snapshot_download

    token = find_token()
    with TemporaryDirectory() as folder:
        with hub_errors(f"{repo_id} was not verified", token=token):
            snapshot_download(
                repo_id,
                revision=revision,
                allow_patterns=list(_FILES),
                token=token or False,
                local_dir=folder,
            )
        yield Path(folder)
