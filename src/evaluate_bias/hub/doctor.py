"""Versions, extras and caches of this environment, and what a given model or server can do."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from importlib import metadata
from typing import Any, Literal, TypeAlias

from huggingface_hub import CacheNotFound, scan_cache_dir
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from ..assets import CATALOGUE, cache_root, get_asset, is_cached
from ..errors import BiasError, install_extra
from ..models.base import capabilities_of
from ..models.endpoint.address import printable_spec
from ..models.endpoint.model import ServedModel
from ..models.load import load_model
from ..registry import METHODS

DISTRIBUTION = "evaluate-bias"

Status: TypeAlias = Literal["ok", "note", "problem"]


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """One finding.

    Attributes:
        subject: what it is about.
        status: ``"ok"``, ``"note"`` (it works, but not fully or not as one may expect), or ``"problem"`` (something
            will fail).
        text: what was found.
        fix: what to do about it, or empty if there is nothing to do.
    """

    subject: str
    status: Status
    text: str
    fix: str = ""


def diagnose() -> list[Diagnosis]:
    """Check the versions of Python and of the required packages, the extras and the caches, without changing anything.

    Examples:
        >>> [finding.subject for finding in diagnose()][:2]
        ['Python', 'required packages']
    """
    python = f"{platform.python_version()} on {platform.system()} {platform.machine()}"
    return [Diagnosis("Python", "ok", python), *check_packages(), *check_caches()]


def check_packages(distribution: str = DISTRIBUTION) -> Iterator[Diagnosis]:
    """Compare the installed packages with what a distribution and each of its extras require."""
    try:
        extras = metadata.metadata(distribution).get_all("Provides-Extra") or []
    except metadata.PackageNotFoundError:
        text = f"{distribution} runs from a folder and is not installed, so its requirements are unknown"
        yield Diagnosis(distribution, "problem", text, f"pip install {distribution}")
        return
    installed = {canonicalize_name(package.name): package.version for package in metadata.distributions()}
    for extra in ("", *extras):
        right, missing, subject = [], [], f"extra {extra}" if extra else "required packages"
        for required in _requirements(distribution, extra):
            version = installed.get(canonicalize_name(required.name))
            if version is None:
                missing.append(required.name)
            elif required.specifier.contains(version, prereleases=True):
                right.append(f"{required.name} {version}")
            else:
                text = f"version {version} is installed, supported is {required.specifier}"
                fix = f"pip install '{required.name}{required.specifier}'"
                yield Diagnosis(required.name, "problem", text, fix)
        if missing:
            text, fix = (
                f"not installed: {', '.join(missing)}",
                install_extra(extra) if extra else f"pip install {distribution}",
            )
            yield Diagnosis(subject, "note" if extra else "problem", text, fix)
        else:
            yield Diagnosis(subject, "ok", ", ".join(dict.fromkeys(right)))


def _requirements(distribution: str, extra: str) -> Iterator[Requirement]:
    """Yield what an extra of a distribution requires, also through extras such as ``transformers[serving]``."""
    for required in map(Requirement, metadata.requires(distribution) or []):
        applies = [required.marker is None or required.marker.evaluate({"extra": e}) for e in ("", extra)]
        if applies == [not extra, True]:
            yield required
            for nested in required.extras:
                with suppress(metadata.PackageNotFoundError):
                    yield from _requirements(required.name, nested)


def check_caches() -> Iterator[Diagnosis]:
    """Say what the caches of this library and of the Hub contain."""
    cached = [name for name in CATALOGUE if is_cached(get_asset(name))]
    yield Diagnosis("assets", "ok", f"{cache_root()}: {', '.join(cached) or 'none'}")
    with suppress(CacheNotFound):
        hub = scan_cache_dir()
        yield Diagnosis("Hub cache", "ok", f"repositories: {len(hub.repos)}, {hub.size_on_disk_str}")


def check_model(spec: str, **options: Any) -> Iterator[Diagnosis]:
    """Load a model, or ask its server a few short questions, and say what it can do and which methods support it."""
    try:
        model = load_model(spec, **options)
    except BiasError as error:
        yield Diagnosis(printable_spec(spec), "problem", str(error))
        return
    able, only_text = capabilities_of(model), False
    yield Diagnosis(model.name, "ok" if able else "note", ", ".join(sorted(able)) or "supports no method")
    if isinstance(model, ServedModel):
        abilities = model.abilities
        facts, only_text = abilities.facts(), not abilities.alternatives
        yield Diagnosis("served as", "ok", f"{facts['served_model']}: {', '.join(facts['can'])}")
        text = "none: replies are read as text" if only_text else f"of {abilities.alternatives} tokens"
        yield Diagnosis("log-probabilities in chats", "note" if only_text else "ok", text)
        if facts["refused"]:
            yield Diagnosis("options", "note", f"not supported by the server: {', '.join(facts['refused'])}")
    fit = [
        record.name
        for record in METHODS.values()
        if able.intersection(record.needs)
        - ({"chats"} if only_text and record.reads_log_probabilities else set())
    ]
    yield Diagnosis("methods", "ok" if fit else "note", ", ".join(sorted(fit)) or "none")
