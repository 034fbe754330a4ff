"""What this library can publish: evaluate modules, data sets and Spaces, and the folders they are made of."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from ..errors import InputError, UnknownNameError
from ..files import atomic_write
from ..paths import ORGANISATION
from .modules import module_names, module_path
from .plan import Folder, Kind


@dataclass(frozen=True, slots=True)
class Publishable:
    """Something that can be published.

    Attributes:
        kind: what it is.
        name: its name here, with underscores.
        source: the folder of a module or Space; ``None`` for a data set, which is built.
    """

    kind: Kind
    name: str
    source: Path | None = None

    def repo_id(self, org: str) -> str:
        """Return its name on the Hub.

        Modules keep their underscores, because ``evaluate.load`` fetches the script of that name; data sets are
        written with hyphens, as the methods' records name them.

        Examples:
            >>> [s.repo_id("bias") for s in sources() if s.name in ("weat", "minimal_pairs")]
            ['bias/weat', 'bias/minimal-pairs']
        """
        return f"{org}/{self.name.replace('_', '-') if self.kind == 'dataset' else self.name}"

    def folder(self, org: str, build_in: Path, upstream: Path | None = None) -> Folder:
        """Make the folder and say where it belongs on the Hub.

        Args:
            org: the organisation.
            build_in: the folder to make it in.
            upstream: a folder with the upstream files of a data set; ``None``: the network.
        """
        from ..data.building import build
        from ..data.licensing import licence_files
        from ..data.recipes import dataset_record
        from ..report.card.hub_tasks import EVAL_YAML, eval_yaml

        path = build_in / self.kind / self.name
        if self.source is None:
            # Again each time, not from the cache: what is published shows today's card, tasks and conversion. Without
            # names, only configurations that may be published are built.
            path = build(dataset_record(self.name), path, source=upstream)
            if tasks := eval_yaml(self.name):
                atomic_write(path / EVAL_YAML, tasks)
        else:
            shutil.rmtree(path, ignore_errors=True)
            ignored = shutil.ignore_patterns(".*", "__pycache__")
            shutil.copytree(self.source, path, symlinks=True, ignore=ignored)  # links are refused later
            for name, text in licence_files(f"{self.source.name}, of evaluate-bias").items():
                atomic_write(path / name, text)
        if org != ORGANISATION:  # card and tasks name what is published beside them
            names = "|".join(s.repo_id("") for s in sources())
            for file in (*path.glob("*.md"), *path.glob("*.yaml")):
                if not file.is_symlink():
                    text = file.read_text(encoding="utf-8")
                    renamed = re.sub(rf"(?<![\w-]){ORGANISATION}({names})(?![\w-])", rf"{org}\1", text)
                    atomic_write(file, renamed)
        return Folder(self.kind, self.repo_id(org), path)


def sources(kinds: Iterable[str] | None = None, only: Iterable[str] | None = None) -> list[Publishable]:
    """Return what can be published.

    Args:
        kinds: ``"modules"``, ``"datasets"``, ``"spaces"``, also in the singular; ``None``: all.
        only: names; hyphens, capitals and an organisation in front do not matter. ``None``: all.

    Raises:
        UnknownNameError: nothing of these kinds has one of these names.
        InputError: it is a data set of which nothing may be published again.

    Examples:
        >>> [s.name for s in sources(["datasets"])][-2:]
        ['winogender_occupations', 'word_association_tests']
        >>> [(s.kind, s.name) for s in sources(only=["bias/StereoSet"])]
        [('module', 'stereoset'), ('dataset', 'stereoset')]
        >>> sources(["moduls"])
        Traceback (most recent call last):
            ...
        evaluate_bias.errors.UnknownNameError: unknown kind 'moduls'; did you mean 'modules'?
    """
    from ..data.recipes import dataset_names, dataset_record

    known = get_args(Kind)
    chosen = {kind.strip().lower().removesuffix("s") for kind in kinds or known}
    if unknown := chosen.difference(known):
        raise UnknownNameError("kind", f"{unknown.pop()}s", [f"{kind}s" for kind in known])
    # An installed package has no Spaces beside it.
    root = Path(__file__).resolve().parents[3]
    is_checkout = (root / "datasets_scripts").is_dir()
    spaces = sorted(card.parent for card in (root / "spaces").glob("*/README.md")) if is_checkout else []
    everything = [
        *(Publishable("module", name, module_path(name)) for name in module_names()),
        *(Publishable("dataset", name) for name in dataset_names() if dataset_record(name).select(None)),
        *(Publishable("space", folder.name, folder) for folder in spaces),
    ]
    publishable = [s for s in everything if s.kind in chosen]
    if only is None:
        return publishable
    names = []
    for name in only:
        names.append(name.strip().lower().rsplit("/", 1)[-1].replace("-", "_"))
        if names[-1] not in (s.name for s in publishable):
            if "dataset" in chosen and names[-1] in dataset_names():
                refusal = dataset_record(names[-1]).configs[0].refusal.rstrip(".")
                raise InputError(f"{names[-1]} must not be published again: {refusal}")
            raise UnknownNameError("name to publish", name, {s.name for s in publishable})
    return [s for s in publishable if s.name in names]
