"""What a model's repository holds to be verified: its card, results and recorded scores."""

from __future__ import annotations

from pathlib import Path

from .client import find_token, hub_errors

_FILES = (
    "README.md",
    "evaluate-bias.svg",
    "results.jsonl",
    "report*",
    "report-full.tex",
    "effect_sizes*",
    "words/*",
    "scores.parquet",
    ".eval_results/evaluate-bias-*.yaml",
)


def fetch_card(repo_id: str, *, revision: str | None = None) -> Path:
    """Download the card of a model and what belongs to it, without the model.

    Returns:
        The folder that they are in.

    Raises:
        HubError: no such repository, not allowed to see it, or the Hub unreachable.
    """
    from huggingface_hub import snapshot_download

    token = find_token()
    with hub_errors(f"{repo_id} was not verified", token=token):
        return Path(
            snapshot_download(repo_id, revision=revision, allow_patterns=list(_FILES), token=token or False)
        )
