"""What this library can publish: evaluate modules, data sets and Spaces, and the folders they are made of."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterable, Sequence
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
        prepare: makes the folder: gets a place to build in, and the folder with upstream files or ``None``.
    """

    kind: Kind
    name: str
    prepare: Callable[[Path, Path | None], Path]

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
        """Make the folder and say where it belongs on the Hub."""
        path = self.prepare(build_in / self.kind / self.name, upstream)
        if org != ORGANISATION:
            _name_organisation(path, org)
        if self.kind == "dataset":
            refuse_unpublishable(path)
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
    chosen = {_kind(kind) for kind in kinds or ()} or set(get_args(Kind))
    publishable = [s for s in (*_modules(), *_datasets(), *_spaces()) if s.kind in chosen]
    if only is None:
        return publishable
    names = {}
    for name in only:
        names[name] = name.strip().lower().rsplit("/", 1)[-1].replace("-", "_")
        if names[name] not in (s.name for s in publishable):
            if "dataset" in chosen:
                _refuse_withheld(names[name])
            raise UnknownNameError("name to publish", name, {s.name for s in publishable})
    return [s for s in publishable if s.name in names.values()]


def _refuse_withheld(name: str) -> None:
    """Refuse a data set that this library knows and that is not its to publish."""
    from ..data.recipes import dataset_names, dataset_record

    if name in dataset_names():
        raise InputError(
            f"{name} must not be published again: {dataset_record(name).configs[0].refusal.rstrip('.')}"
        )


def _name_organisation(folder: Path, org: str) -> None:
    """Let the card and the tasks in a folder name what is published beside it under this organisation."""
    names = "|".join(s.repo_id("") for s in sources())
    for path in (*folder.glob("*.md"), *folder.glob("*.yaml")):
        if not path.is_symlink():
            text = path.read_text(encoding="utf-8")
            atomic_write(path, re.sub(rf"(?<![\w-]){ORGANISATION}({names})(?![\w-])", rf"{org}\1", text))


def _kind(text: str) -> Kind:
    for kind in get_args(Kind):
        if text.strip().lower() in (kind, f"{kind}s"):
            return kind  # type: ignore[no-any-return]
    raise UnknownNameError("kind", text, [f"{kind}s" for kind in get_args(Kind)])


def checkout() -> Path | None:
    """Return the repository this library runs from, ``None`` where it is an installed package."""
    root = Path(__file__).resolve().parents[3]
    return root if (root / "datasets_scripts").is_dir() else None


def refuse_unpublishable(folder: Path) -> None:
    """Refuse a built data set that must not be published again.

    Raises:
        InputError: its manifest says so; the text holds the reason.
    """
    from ..data.building import MANIFEST, read_manifest

    if not (folder / MANIFEST).is_file():
        return
    manifest = read_manifest(folder)
    if manifest["publishable"]:
        return
    reasons = [f"{name}: {c['refusal']}" for name, c in manifest["configs"].items() if not c["publishable"]]
    raise InputError(f"{manifest['dataset']} must not be published again ({'; '.join(reasons)})")


def _modules() -> list[Publishable]:
    return [Publishable("module", name, _with_licence(module_path(name))) for name in module_names()]


def _datasets() -> list[Publishable]:
    from ..data.recipes import dataset_names, dataset_record

    names = (name for name in dataset_names() if dataset_record(name).select(None))
    return [Publishable("dataset", name, _recipe_builder(name)) for name in names]


def _spaces() -> list[Publishable]:
    root = checkout()
    cards: Sequence[Path] = sorted((root / "spaces").glob("*/README.md")) if root else ()
    return [Publishable("space", card.parent.name, _with_licence(card.parent)) for card in cards]


def _with_licence(folder: Path) -> Callable[[Path, Path | None], Path]:
    """Copy a folder, links as links, which are refused later, and add LICENSE and NOTICE."""

    def prepare(place: Path, upstream: Path | None) -> Path:
        from ..data.licensing import licence_files

        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(folder, place, symlinks=True, ignore=shutil.ignore_patterns(".*", "__pycache__"))
        for name, text in licence_files(f"{folder.name}, of evaluate-bias").items():
            atomic_write(place / name, text)
        return place

    return prepare


def _recipe_builder(name: str) -> Callable[[Path, Path | None], Path]:
    """Build anew each time, not from the cache: what is published shows today's card, tasks and conversion."""

    def prepare(place: Path, upstream: Path | None) -> Path:
        from ..data.building import build
        from ..data.recipes import dataset_record
        from ..report.card.hub_tasks import EVAL_YAML, eval_yaml

        folder = build(dataset_record(name), place, source=upstream)
        if tasks := eval_yaml(name):
            atomic_write(folder / EVAL_YAML, tasks)
        return folder

    return prepare
