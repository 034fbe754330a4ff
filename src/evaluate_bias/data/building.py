"""Builds a data set into a folder: Parquet files, a card, its licences, and a manifest that says what was done."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..assets.cache import scratch_folder
from ..errors import DataError, InputError, OutputError
from ..result import Skipped
from .dataset_record import Config, DatasetRecord, read_card
from .origins import Origin
from .references import bibtex_of_addresses

if TYPE_CHECKING:
    import pyarrow as pa


MANIFEST = "build.json"
"""Name of the manifest in a built folder."""

MANIFEST_VERSION = 1

IN_THE_MAKING = ".build-"
"""How the names of folders begin in which data sets are built before they are moved to their place."""


def build(
    record: DatasetRecord,
    out: Path,
    *,
    configs: Iterable[str] | None = None,
    split: str | None = None,
    source: Path | None = None,
    verify: bool = True,
) -> Path:
    """Build a data set into a folder that ``datasets.load_dataset(folder, config)`` reads offline.

    Args:
        record: the data set.
        out: the folder to make. One that this function made before is replaced.
        configs: names of the configurations. ``None``: all that may be published.
        split: the only split to build. ``None``: all of them.
        source: folder laid out like the upstream repository. ``None``: the network or the packaged files.
        verify: refuse a file of ``source`` that is not the pinned one.

    Returns:
        ``out``.

    Raises:
        AssetError: a file is missing, could not be downloaded, or is not the pinned one.
        DataError: a file does not have the expected form.
        OutputError: ``out`` cannot be written, or contains something else.
        UnknownNameError: no configuration or split has this name.
        InputError: no configuration was named, or none may be published.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    chosen = record.select(configs, split)
    if not chosen:
        raise InputError(
            f"nothing of {record.name} may be published again",
            hint=f"name the configurations wanted, of {', '.join(c.name for c in record.configs)}",
        )
    parsed: dict[tuple[Origin, Any], Any] = {}
    built: dict[str, dict[str, tuple[list[Any], list[Skipped]]]] = {}
    for config in chosen:
        built[config.name] = {}
        for split, origin in config.splits.items():
            key, path = (origin, config.parse), origin.facts()["path"]
            if key not in parsed:
                parsed[key] = config.read(origin.read(source, verify), path)
            built[config.name][split] = config.convert_rows(parsed[key], path)
    # Written whole or not at all, and replaces an earlier build.
    if out.exists() and (not out.is_dir() or (not (out / MANIFEST).is_file() and any(out.iterdir()))):
        raise OutputError(
            f"{out} contains something that is not a built data set", hint="choose another folder"
        )
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with scratch_folder(out.parent, IN_THE_MAKING) as scratch:
            staged = scratch / "new"
            staged.mkdir()
            for config in chosen:
                (staged / config.name).mkdir()
                for split, (rows, _) in built[config.name].items():
                    table = pa.Table.from_pylist(rows, schema=config.columns())
                    pq.write_table(table, staged / config.file(split))
            texts = {"README.md": render_card(record, chosen), **licence_files(record.pretty_name, chosen)}
            for name, text in texts.items():
                (staged / name).write_text(text, encoding="utf-8")
            manifest = {
                "version": MANIFEST_VERSION,
                "dataset": record.name,
                "publishable": all(c.publishable for c in chosen),
                "verified": verify,
                "configs": {
                    c.name: {
                        "language": c.language,
                        "licence": ", ".join(c.licences),
                        "publishable": c.publishable,
                        "refusal": c.refusal,
                        "splits": {
                            split: {
                                "file": c.file(split),
                                "rows": len(rows),
                                "left_out": [one.to_dict() for one in left_out],
                                "made_from": dict(c.splits[split].facts()),
                            }
                            for split, (rows, left_out) in built[c.name].items()
                        },
                    }
                    for c in chosen
                },
            }
            written = json.dumps(manifest, ensure_ascii=False, indent=1)
            (staged / MANIFEST).write_text(f"{written}\n", encoding="utf-8")
            if out.exists():
                shutil.move(out, scratch / "old")
            staged.rename(out)
    except OSError as error:
        raise OutputError(f"the data set cannot be written to {out}: {error}") from error
    return out


def read_manifest(folder: Path) -> dict[str, Any]:
    """Return the manifest of a built folder.

    Raises:
        DataError: the folder has none, or one that this version cannot read.
    """
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        version = manifest["version"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DataError(
            f"{folder} has no readable {MANIFEST}, so it is not a built data set: {error}"
        ) from None
    if version != MANIFEST_VERSION:
        raise DataError(f"{folder} was built with another version of this library", hint="build it again")
    return dict(manifest)


_OF_RECORD = ("title", "categories", "papers", "caveats")
"""Front matter that is for the data set's record, and not for its card on the Hub."""


def render_card(record: DatasetRecord, configs: Sequence[Config]) -> str:
    """Return the data-set card: front matter for these configurations, then the text of the data set's card."""
    import yaml

    own_front, body = read_card(record.name)
    licences = sorted({licence for c in configs for licence in c.licences})
    default = next((c for c in configs if c.name == "en"), configs[0])
    if default.publishable:
        call = f'load_dataset("{record.hub_id}", "{default.name}", split="{next(iter(default.splits))}")'
        code = f"```python\nfrom datasets import load_dataset\n\nrows = {call}\n```\n\n"
        heading = "## How to use\n\n"
        body = body.replace(
            heading,
            f'{heading}From the Hub:\n\n{code}With `pip install "evaluate-bias"`, on this machine:\n\n',
        )
    front: dict[str, Any] = {
        "pretty_name": record.pretty_name,
        "language": sorted({c.language for c in configs}),
        "license": licences[0] if len(licences) == 1 else licences,
        **{key: value for key, value in own_front.items() if key not in _OF_RECORD},
        "configs": [
            {
                "config_name": c.name,
                "data_files": [{"split": split, "path": c.file(split)} for split in c.splits],
                **({"default": True} if c is default else {}),
            }
            for c in configs
        ],
        "dataset_info": [
            {"config_name": c.name, "features": [{"name": f.name, **_feature(f.type)} for f in c.columns()]}
            for c in configs
        ],
    }
    notices = "".join(
        f"> **The configuration `{c.name}` must not be published again:** {c.refusal}\n\n"
        for c in configs
        if not c.publishable
    )
    yaml_text = yaml.safe_dump(front, sort_keys=False, allow_unicode=True, width=1000)
    links = "".join(f"- <{url}>\n" for url in record.papers)
    papers = f"\n## Papers\n\n{links}" if links else ""
    if bibtex := bibtex_of_addresses(record.papers):
        papers += f"\n```bibtex\n{bibtex}\n```\n"
    return f"---\n{yaml_text}---\n\n{notices}{body}{papers}"


def _feature(kind: pa.DataType) -> dict[str, Any]:
    """Describe an Arrow type in the notation of data-set cards."""
    import pyarrow as pa

    if pa.types.is_struct(kind):
        return {"struct": [{"name": field.name, **_feature(field.type)} for field in kind]}
    if pa.types.is_list(kind):
        inner = _feature(kind.value_type)
        return {"list": inner.get("dtype") or inner.get("struct") or inner}
    return {"dtype": str(kind)}


OURS = "Copyright the evaluate-bias authors"
_NAMES = {
    "apache-2.0": "Apache-2.0",
    "cc-by-4.0": "CC-BY-4.0",
    "cc-by-sa-4.0": "CC-BY-SA-4.0",
    "cc0-1.0": "CC0-1.0",
    "mit": "MIT",
}
"""Licences whose texts are here, as the Hub and as SPDX write them."""
_CHANGED = "changed: brought into the columns that its card describes, with the omissions and corrections that it lists"


def spdx(licence: str) -> str:
    """Return a licence as SPDX writes it, if its text is stored here."""
    return _NAMES.get(licence, licence)


def licence_files(title: str, configs: Iterable[Config] = ()) -> dict[str, str]:
    """Return LICENSE and NOTICE of something published, by file name.

    Args:
        title: what it is called.
        configs: the configurations of a data set, none for what belongs wholly to this project.

    Returns:
        The texts, without LICENSE if no licence text is stored here. Such data are only built on the user's own
        machine.

    Examples:
        >>> print(licence_files("Bias Explorer")["NOTICE"].strip())
        Bias Explorer
        <BLANKLINE>
        Apache-2.0
          Copyright the evaluate-bias authors
    """
    groups = _groups(configs) or {("apache-2.0", OURS): []}
    notice = f"{title}\n" + "".join(_entry(*key, group) for key, group in groups.items())
    texts = dict.fromkeys(_text(*key) for key in groups if key[0] in _NAMES)
    licence = {"LICENSE": f"\n{'=' * 80}\n\n".join(texts)} if texts else {}
    return {**licence, "NOTICE": notice}


def packaged_notice(packaged: Mapping[str, Iterable[Config]]) -> str:
    """Return the NOTICE of the library. It names the data of others that come with it, which are given by title."""
    notice = licence_files("evaluate-bias")["NOTICE"]
    for title, configs in packaged.items():
        others = {key: group for key, group in _groups(configs).items() if key[1] != OURS}
        notice += f"\n{title}\n" * bool(others) + "".join(_entry(*k, group) for k, group in others.items())
    return notice


def _groups(configs: Iterable[Config]) -> dict[tuple[str, str], list[Config]]:
    """Return the configurations by licence and rights holder, of their parts too."""
    groups: dict[tuple[str, str], list[Config]] = {}
    for config in configs:
        for licence, rights in ((config.licence, config.rights), *config.parts):
            groups.setdefault((licence, rights or OURS), []).append(config)
    return groups


def _entry(licence: str, rights: str, configs: list[Config]) -> str:
    names = f"{', '.join(c.name for c in configs)}: " if configs else ""
    lines = [f"{names}{spdx(licence)}", rights]
    if rights != OURS:
        origins = [origin.facts() for config in configs for origin in config.splits.values()]
        sources = (" ".join(filter(None, (o["repository"], o.get("revision")))) for o in origins)
        lines += [f"from {source}" for source in dict.fromkeys(sources) if source != "evaluate-bias"]
        lines.append(_CHANGED)
    return "\n" + "\n  ".join(lines) + "\n"


def _text(licence: str, rights: str) -> str:
    text = (resources.files("evaluate_bias") / "data" / "licences" / f"{licence}.txt").read_text("utf-8")
    return f"MIT License\n\n{rights}\n\n{text}" if licence == "mit" else text
