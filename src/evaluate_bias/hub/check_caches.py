"""The doctor on the folders: modules in evaluate's cache, broken downloads, room and rights in the caches."""

from __future__ import annotations

import ast
import filecmp
import json
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from .finding import Finding
from .modules import module_names, module_path

__all__ = ["check_downloads", "check_folders", "check_modules", "evaluate_folders"]

FEW_BYTES = 5e9
TOO_FEW_BYTES = 2e8
HASH_LENGTH = 64
INSTALL = "evaluate-bias install"


def evaluate_folders() -> tuple[Path, Path] | None:
    """Return where ``evaluate`` keeps modules and downloads; ``None`` when it cannot be imported."""
    try:
        from evaluate import config
    except Exception:  # check_imports says why
        return None
    modules = Path(config.HF_MODULES_CACHE) / config.MODULE_NAME_FOR_DYNAMIC_MODULES / "metrics"
    return modules, Path(config.DOWNLOADED_EVALUATE_PATH)


def check_modules(
    modules: Path, org: str = "bias", *, root: Path | None = None, cwd: Path | None = None
) -> list[Finding]:
    """Compare the modules in evaluate's cache with those of this library.

    Args:
        modules: folder of evaluate's cache with one folder a module.
        org: organisation the modules are loaded from.
        root: folder with the modules; default the ones of this library.
        cwd: folder whose own modules would be taken first; default the working directory.
    """
    findings, current, absent = [], [], []
    for name in module_names(root):
        copy = _newest_copy(modules / f"{org}--{name}", f"{name}.py")
        if copy is None:
            absent.append(name)
        elif filecmp.cmp(copy, module_path(name, root) / f"{name}.py", shallow=False):
            current.append(name)
        elif _is_code(copy):
            text = (
                "the cached copy is not the version of this library; without the Hub evaluate takes that copy"
            )
            findings.append(Finding("modules", f"{org}/{name}", "note", text, f"{INSTALL} {name}"))
    if current:
        findings.insert(0, Finding("modules", "cached modules", "ok", f"current: {', '.join(current)}"))
    if absent:
        text = f'not in the cache, so evaluate.load("{org}/…") needs the Hub for them: {", ".join(absent)}'
        findings.append(Finding("modules", "cached modules", "note", text, INSTALL))
    findings.extend(_broken_copies(modules))
    for name in module_names(root):
        local = Path(cwd or Path.cwd(), org, name, f"{name}.py")
        if local.is_file():
            text = f'evaluate.load("{org}/{name}") takes {local} before the Hub and the cache, as long as you are here'
            findings.append(
                Finding("modules", f"{org}/{name}", "note", text, "change the folder if that is not meant")
            )
    return findings


def _newest_copy(folder: Path, script: str) -> Path | None:
    """Return the copy evaluate would take: the newest script, whatever its version."""
    copies = [path for path in folder.glob(f"*/{script}") if len(path.parent.name) == HASH_LENGTH]
    return max(copies, key=lambda path: path.stat().st_mtime, default=None)


def _broken_copies(modules: Path) -> Iterator[Finding]:
    """Find module scripts of any organisation that hold no code: error pages that evaluate took for a script."""
    for folder in sorted(p for p in modules.glob("*") if p.is_dir()):
        name = folder.name.replace("--", "/", 1)
        for script in sorted(folder.glob(f"*/{name.rsplit('/', 1)[-1]}.py")):
            if not _is_code(script):
                text = f"{script} holds no Python code, most likely an error page of the Hub; loading {name} fails"
                yield Finding("modules", name, "problem", text, f"delete the folder {script.parent}")


def check_downloads(downloads: Path) -> list[Finding]:
    """Find scripts in evaluate's download cache that are error pages.

    When the Hub answers a request for the headers but fails on the one for the content, evaluate keeps the
    error page as if it were the script, and every later load of that version fails.
    """
    findings = []
    for record in sorted(downloads.glob("*.json")):
        script = record.with_suffix("")
        url = _downloaded_from(record)
        if url.endswith(".py") and script.is_file() and not _is_code(script):
            text = f"the saved answer for {url} is no Python code, so evaluate.load fails with a TypeError every time"
            findings.append(
                Finding("modules", "download cache", "problem", text, f"delete {script} and {record}")
            )
    return findings or [Finding("modules", "download cache", "ok", "no error page saved as a script")]


def _downloaded_from(record: Path) -> str:
    try:
        return str(json.loads(record.read_text(encoding="utf-8"))["url"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""  # not a record of a download


def _is_code(script: Path) -> bool:
    """Tell whether a file holds Python statements; JSON, as in an error answer, parses but is one expression."""
    try:
        tree = ast.parse(script.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return False
    return any(not isinstance(statement, ast.Expr) for statement in tree.body)


def check_folders(folders: dict[str, Path] | None = None) -> list[Finding]:
    """Tell whether the caches can be written and have room.

    Args:
        folders: by the variable that moves it, each folder; ``None``: those of this library and the Hub.
    """
    return [_check_folder(variable, path) for variable, path in (folders or _cache_folders()).items()]


def _cache_folders() -> dict[str, Path]:
    from huggingface_hub import constants

    from ..assets import cache_root

    return {"EVALUATE_BIAS_CACHE": cache_root(), "HF_HOME": Path(constants.HF_HOME)}


def _check_folder(variable: str, path: Path) -> Finding:
    there = next((p for p in (path, *path.parents) if p.exists()), path)
    fix = f"set {variable} to a folder that can be written"
    try:
        with tempfile.NamedTemporaryFile(dir=there):
            free = shutil.disk_usage(there).free
    except OSError as error:
        return Finding("caches", variable, "problem", f"{path} cannot be written: {error.strerror}", fix)
    text = f"{path}, {free / 1e9:.1f} GB free"
    if free >= FEW_BYTES:
        return Finding("caches", variable, "ok", text)
    fix = f"free some space, or set {variable} to a folder with more"
    return Finding("caches", variable, "problem" if free < TOO_FEW_BYTES else "note", text, fix)
