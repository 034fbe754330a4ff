"""Reads one split of one configuration of a Hub data set."""

from __future__ import annotations

import re
from collections.abc import Collection

from ..errors import DataError, HubError, UnknownNameError, network_errors
from .named_sources import require_download
from .table_files import Row

HUB_ID = re.compile(r"(?P<id>\w[\w.-]*/\w[\w.-]*)(@(?P<revision>[\w./-]+))?")
"""A Hub id, ``owner/name`` or, pinned, ``owner/name@revision``."""


def read_hub(
    address: str,
    config: str,
    split: str,
    columns: Collection[str] | None = None,
) -> tuple[list[Row], dict[str, str]]:
    """Read a Hub data set.

    Args:
        address: what :data:`HUB_ID` matches.
        config: configuration; capitals do not matter.
        split: split.
        columns: columns to read, those that are there; ``None`` for all.

    Returns:
        The rows, and their identity: ``source``, ``language`` (the configuration), ``split`` and ``revision``
        (the commit).

    Raises:
        UnknownNameError: there is no such configuration.
        DataError: ``address`` is no Hub id, the split has no rows, or it is not to be read here.
        HubError: the Hub could not be reached, or does not have the data set or the split.
    """
    import datasets

    parts = HUB_ID.fullmatch(address)
    if not parts:
        raise DataError(f"{address!r} is not a Hub id such as 'bias/crows-pairs'")
    repo_id, revision = parts["id"], parts["revision"]
    require_download(repo_id)
    try:
        names = {c.lower(): c for c in datasets.get_dataset_config_names(repo_id, revision=revision)}
        if config.lower() not in names:
            raise UnknownNameError("configuration", config, names.values(), option="config")
        name = names[config.lower()]
        builder = datasets.load_dataset_builder(repo_id, name, revision=revision)
        builder.download_and_prepare()
        loaded = builder.as_dataset(split=split)
    except (*network_errors(), datasets.exceptions.DatasetsError) as error:
        raise HubError(f"the data set {repo_id!r} could not be read from the Hub: {error}") from None
    except ValueError as error:
        raise HubError(
            f"the data set {repo_id!r} has no split {split!r} that can be read: {error}", option="split"
        ) from None
    if columns is not None:
        loaded = loaded.select_columns([c for c in loaded.column_names if c in columns])
    if not len(loaded):
        raise DataError(f"the split {split!r} of {repo_id!r} has no rows", option="split")
    # For a data set of the Hub, the builder's hash is the commit it was read from.
    return loaded.to_list(), {
        "source": repo_id,
        "language": name,
        "split": split,
        "revision": str(builder.hash),
    }
