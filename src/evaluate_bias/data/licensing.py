"""LICENSE and NOTICE of what is published, made from records; the texts of the licences are stored once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import resources

from .dataset_record import Config

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
    """A licence as SPDX writes it, where its text is stored here."""
    return _NAMES.get(licence, licence)


def licence_files(title: str, configs: Iterable[Config] = ()) -> dict[str, str]:
    """LICENSE and NOTICE of something published, by name.

    Args:
        title: what it is called.
        configs: the configurations of a data set; none for what is wholly of this project.

    Returns:
        No LICENSE where no text of the licences is stored here: such data are only built on one's own machine.

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
    """The NOTICE of the library, which names the data of others that come with it; data by their title."""
    notice = licence_files("evaluate-bias")["NOTICE"]
    for title, configs in packaged.items():
        others = {key: group for key, group in _groups(configs).items() if key[1] != OURS}
        notice += f"\n{title}\n" * bool(others) + "".join(_entry(*k, group) for k, group in others.items())
    return notice


def _groups(configs: Iterable[Config]) -> dict[tuple[str, str], list[Config]]:
    """Configurations by licence and by whose they, or parts of them, are."""
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
