"""What the records of the methods of Bolukbasi et al. (2016) share."""

from __future__ import annotations

from ...method import Secondary

__all__ = ["EXPLAINED_VARIANCE"]

EXPLAINED_VARIANCE = Secondary(
    key="explained_variance",
    title="explained variance",
    meaning=(
        "Share of the variance of the pairs that the direction explains; "
        "a low one means that there is no single direction."
    ),
)
