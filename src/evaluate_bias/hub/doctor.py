"""What this environment can and cannot do, with the fix for each problem."""

from __future__ import annotations

import ast
import filecmp
import importlib
import json
import os
import platform
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ..errors import HubError
from .client import LOG_IN, find_token, hub_errors
from .modules import module_names, module_path

if TYPE_CHECKING:
    from packaging.requirements import Requirement

__all__ = ["Finding", "diagnose"]

DISTRIBUTION = "evaluate-bias"
INSTALL = "evaluate-bias install"
NEEDS_EXTRA = {
    "models": "masked and causal language models",
    "vectors": "fastText .bin files and gensim objects",
    "gguf": "GGUF files",
    "space": "the browser pages",
}
# Packages whose import runs compiled code of other packages, where an installation that pip calls fine can fail.
IMPORTED = ("numpy", "scipy", "pandas", "pyarrow", "datasets", "evaluate", "torch", "transformers")
NVIDIA_DRIVER = Path("/proc/driver/nvidia/version")
FEW_BYTES, TOO_FEW_BYTES = 5e9, 2e8
HASH_LENGTH = 64
SWITCHES = {
    "HF_HUB_OFFLINE": "the Hub's client makes no request",
    "HF_EVALUATE_OFFLINE": "evaluate makes no request of its own",
    "HF_DATASETS_OFFLINE": "datasets makes no request",
    "TRANSFORMERS_OFFLINE": "the Hub's client makes no request",
    "EVALUATE_BIAS_OFFLINE": "no asset of this library is downloaded",
}
PLACES = [
    "HF_ENDPOINT",
    "HF_HOME",
    "HF_HUB_CACHE",
    "HF_MODULES_CACHE",
    "HF_EVALUATE_CACHE",
    "EVALUATE_BIAS_CACHE",
]
PROXIES = ("HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "https_proxy", "http_proxy", "all_proxy")
TRUE = ("1", "true", "yes", "on")


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing the doctor has to say about this environment.

    Attributes:
        topic: ``"packages"``, ``"torch"``, ``"modules"``, ``"caches"``, ``"network"`` or ``"settings"``.
        subject: what it is about, for people.
        status: ``"ok"``; ``"note"``: works, but not everything or not as one may expect; ``"problem"``:
            something will fail.
        text: what was found.
        fix: what to do about it; empty when there is nothing to do.

    Examples:
        >>> Finding("network", "Hub", "ok", "https://huggingface.co answers").to_dict()["status"]
        'ok'
    """

    topic: str
    subject: str
    status: Literal["ok", "note", "problem"]
    text: str
    fix: str = ""

    def to_dict(self) -> dict[str, str]:
        """Return plain values."""
        return asdict(self)


def diagnose(*, timeout: float = 5.0) -> list[Finding]:
    """Examine Python, packages, caches, cached modules, network and login of this environment.

    Nothing is changed. The token of the Hub is used for one request and never part of a finding.

    Args:
        timeout: seconds to wait for each answer of the Hub.

    Returns:
        The findings, problems not first but by topic. :attr:`Finding.status` tells what is wrong.

    Examples:
        >>> findings = diagnose()  # this process is offline, so the Hub is not asked
        >>> [f.subject for f in findings if f.topic == "network"], findings[0].subject
        (['Hub'], 'Python')
    """
    return [
        *check_packages(),
        *check_imports(),
        *check_torch(),
        *check_evaluate_caches(),
        *check_folders(),
        *check_settings(),
        *check_hub(timeout=timeout),
    ]


# --- packages ---------------------------------------------------------------------------------------------------------


def check_packages(
    required: Iterable[str] | None = None, installed: Callable[[str], str | None] | None = None
) -> list[Finding]:
    """Compare the packages with what this distribution requires, or with the given requirement lines."""
    from packaging.requirements import Requirement

    installed = installed or _installed_version
    python = f"{platform.python_version()} on {platform.system()} {platform.machine()}"
    findings = [Finding("packages", "Python", "ok", python)]
    if required is None:
        try:
            required = metadata.requires(DISTRIBUTION) or []
        except metadata.PackageNotFoundError:
            text = "evaluate-bias runs from a folder and is not installed, so its requirements are unknown"
            fix = f"pip install {DISTRIBUTION}"
            return [*findings, Finding("packages", DISTRIBUTION, "problem", text, fix)]
    requirements = [Requirement(line) for line in required]
    base = [r for r in requirements if r.marker is None or r.marker.evaluate({"extra": ""})]
    findings += _compare("required packages", base, installed)
    for extra, feature in NEEDS_EXTRA.items():
        own = [r for r in requirements if r not in base and r.marker and r.marker.evaluate({"extra": extra})]
        if missing := [r.name for r in own if installed(r.name) is None]:
            text = f"{', '.join(missing)} missing, needed for {feature}"
            fix = f"pip install '{DISTRIBUTION}[{extra}]'"
            findings.append(Finding("packages", f"extra {extra!r}", "note", text, fix))
        findings += _compare(f"extra {extra!r}", [r for r in own if r.name not in missing], installed)
    return findings


def _installed_version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _compare(
    subject: str, requirements: Iterable[Requirement], installed: Callable[[str], str | None]
) -> list[Finding]:
    right, wrong = [], []
    for requirement in requirements:
        name, version, supported = requirement.name, installed(requirement.name), requirement.specifier
        if version is not None and supported.contains(version, prereleases=True):
            right.append(f"{name} {version}")
        else:
            text = "not installed" if version is None else f"{version} is installed, supported is {supported}"
            wrong.append(Finding("packages", name, "problem", text, f"pip install '{name}{supported}'"))
    return [*([Finding("packages", subject, "ok", ", ".join(right))] if right else []), *wrong]


def check_imports(names: Iterable[str] = IMPORTED) -> list[Finding]:
    """Import the packages that are installed; one finding for those that work, one for each that does not."""
    works, findings = [], []
    for name in names:
        if _installed_version(name) is None:
            continue
        try:
            importlib.import_module(name)
        except Exception as error:  # an import can raise anything: wrong binaries, missing system libraries
            reason = next(iter(str(error).splitlines()), "")
            text = f"installed, but cannot be imported: {type(error).__name__}: {reason}"
            fix = f"pip install --force-reinstall {name}"
            findings.append(Finding("packages", name, "problem", text, fix))
        else:
            works.append(name)
    return [*([Finding("packages", "imports", "ok", ", ".join(works))] if works else []), *findings]


def check_torch() -> list[Finding]:
    """Report what torch can compute on; nothing where it is not there or cannot be imported."""
    try:
        import torch
    except Exception:  # check_imports has said why
        return []
    has_driver = NVIDIA_DRIVER.exists() or shutil.which("nvidia-smi") is not None
    return [_torch_finding(f"torch {torch.__version__}", torch, has_driver)]


def _torch_finding(build: str, torch: Any, has_driver: bool) -> Finding:
    if torch.cuda.is_available():
        devices = ", ".join(torch.cuda.get_device_name(i) for i in range(torch.cuda.device_count()))
        return Finding("torch", "torch", "ok", f"{build}, on {devices}")
    gpu_build = torch.version.cuda or torch.version.hip
    has_mps = torch.backends.mps.is_available()
    if has_driver and not has_mps and not gpu_build:
        text = f"{build} computes on the CPU only, though there is an NVIDIA driver"
        fix = "install a CUDA build of torch: https://pytorch.org/get-started/locally/"
        return Finding("torch", "torch", "note", text, fix)
    if has_driver and not has_mps:
        text = f"{build} is built for GPUs ({gpu_build}) but sees none; it computes on the CPU"
        fix = "compare the driver's version with the build's ('nvidia-smi') and see CUDA_VISIBLE_DEVICES"
        return Finding("torch", "torch", "note", text, fix)
    count = torch.get_num_threads()
    device = "Apple's GPU (mps) or the CPU" if has_mps else "the CPU"
    return Finding("torch", "torch", "ok", f"{build}, on {device}, {count} thread{'s' * (count != 1)}")


# --- the caches -------------------------------------------------------------------------------------------------------


def check_evaluate_caches() -> list[Finding]:
    """Examine the modules and downloads of ``evaluate``; nothing where it cannot be imported."""
    try:
        from evaluate import config
    except Exception:  # check_imports says why
        return []
    modules = Path(config.HF_MODULES_CACHE) / config.MODULE_NAME_FOR_DYNAMIC_MODULES / "metrics"
    return [*check_modules(modules), *check_downloads(Path(config.DOWNLOADED_EVALUATE_PATH))]


def check_modules(
    modules: Path, org: str = "bias", *, root: Path | None = None, cwd: Path | None = None
) -> list[Finding]:
    """Compare the modules in evaluate's cache with those of this library (or of the folder ``root``).

    ``evaluate`` looks into the working directory (``cwd``) before the Hub and its cache.
    """
    findings, current, absent = [], [], []
    for name in module_names(root):
        # evaluate takes the newest script, whatever its version.
        copies = [p for p in modules.glob(f"{org}--{name}/*/{name}.py") if len(p.parent.name) == HASH_LENGTH]
        copy = max(copies, key=lambda path: path.stat().st_mtime, default=None)
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
    findings += _broken_copies(modules)
    for name in module_names(root):
        local = Path(cwd or Path.cwd(), org, name, f"{name}.py")
        if local.is_file():
            text = f'evaluate.load("{org}/{name}") takes {local} before the Hub and the cache, as long as you are here'
            fix = "change the folder if that is not meant"
            findings.append(Finding("modules", f"{org}/{name}", "note", text, fix))
    return findings


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
        try:
            url = str(json.loads(record.read_text(encoding="utf-8"))["url"])
        except (OSError, ValueError, KeyError, TypeError):
            continue  # not a record of a download
        if url.endswith(".py") and script.is_file() and not _is_code(script):
            text = f"the saved answer for {url} is no Python code, so evaluate.load fails with a TypeError every time"
            fix = f"delete {script} and {record}"
            findings.append(Finding("modules", "download cache", "problem", text, fix))
    return findings or [Finding("modules", "download cache", "ok", "no error page saved as a script")]


def _is_code(script: Path) -> bool:
    """Whether a file holds Python statements; JSON, as in an error answer, parses but is one expression."""
    try:
        tree = ast.parse(script.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return False
    return any(not isinstance(statement, ast.Expr) for statement in tree.body)


def check_folders(folders: Mapping[str, Path] | None = None) -> list[Finding]:
    """Report whether the caches (of this library and the Hub; by the variable that moves each) have room and rights."""
    from huggingface_hub import constants

    from ..assets import cache_root

    own = {"EVALUATE_BIAS_CACHE": cache_root(), "HF_HOME": Path(constants.HF_HOME)}
    return [_check_folder(variable, path) for variable, path in (folders or own).items()]


def _check_folder(variable: str, path: Path) -> Finding:
    there = next((p for p in (path, *path.parents) if p.exists()), path)
    try:
        with tempfile.NamedTemporaryFile(dir=there):
            free = shutil.disk_usage(there).free
    except OSError as error:
        fix = f"set {variable} to a folder that can be written"
        return Finding("caches", variable, "problem", f"{path} cannot be written: {error.strerror}", fix)
    text = f"{path}, {free / 1e9:.1f} GB free"
    if free >= FEW_BYTES:
        return Finding("caches", variable, "ok", text)
    fix = f"free some space, or set {variable} to a folder with more"
    return Finding("caches", variable, "problem" if free < TOO_FEW_BYTES else "note", text, fix)


# --- settings and network ---------------------------------------------------------------------------------------------


def check_settings(environment: Mapping[str, str] | None = None) -> list[Finding]:
    """Name the environment variables that change what is reached and where files lie; a proxy's may hold a password."""
    given = os.environ if environment is None else environment
    on = [name for name in SWITCHES if given.get(name, "").strip().lower() in TRUE]
    findings = [Finding("settings", n, "note", f"set: {SWITCHES[n]}", f"unset {n} to go online") for n in on]
    half = {"HF_HUB_OFFLINE", "HF_EVALUATE_OFFLINE"} & set(on)
    if len(half) == 1:
        text = f"only {half.pop()} is set, so evaluate.load still makes requests and waits for them to fail"
        fix = "set both HF_HUB_OFFLINE=1 and HF_EVALUATE_OFFLINE=1 to make none, or neither"
        findings.append(Finding("settings", "half offline", "note", text, fix))
    places = [f"{name}={given[name]}" for name in PLACES if given.get(name)]
    if proxies := sorted({name.upper() for name in PROXIES if given.get(name)}):
        places.append(f"through a proxy ({', '.join(proxies)})")
    return [*findings, *([Finding("settings", "environment", "ok", "; ".join(places))] if places else [])]


def check_hub(org: str = "bias", *, timeout: float = 5.0) -> list[Finding]:
    """Ask the Hub, through its own client, for one module of this library, and who the token belongs to."""
    from huggingface_hub import constants

    if constants.HF_HUB_OFFLINE:
        text = "not asked, because HF_HUB_OFFLINE or TRANSFORMERS_OFFLINE is set"
        return [Finding("network", "Hub", "note", text, "unset both to load from the Hub")]
    fix = f"what is cached and installed works without it; '{INSTALL}' puts the modules there"
    try:
        status = _get(f"/api/spaces/{org}/weat", None, timeout).status_code
    except HubError as error:
        return [Finding("network", "Hub", "note", str(error), fix)]
    if status >= 500:
        text = f"{constants.ENDPOINT} answers with an error of its own ({status})"
        return [Finding("network", "Hub", "note", text, fix)]
    findings = [Finding("network", "Hub", "ok", f"{constants.ENDPOINT} answers")]
    if status != 200:
        text = (
            f"it shows no Space {org}/weat (status {status}), so evaluate.load needs the modules in the cache"
        )
        findings.append(Finding("network", f"{org} on the Hub", "note", text, INSTALL))
    return [*findings, _check_login(timeout)]


def _check_login(timeout: float) -> Finding:
    try:
        token = find_token()
    except HubError as error:
        return Finding("network", "login", "problem", str(error), LOG_IN)
    if token is None:
        text = "nobody is logged in: enough for public models and data sets, not for publishing"
        return Finding("network", "login", "note", text, LOG_IN)
    try:
        answer = _get("/api/whoami-v2", token, timeout)
    except HubError as error:
        return Finding("network", "login", "note", str(error), "try again later")
    if answer.status_code == 401:
        text = "the Hub does not accept the token of this machine, and so refuses every request that sends it"
        fix = "log in again with 'hf auth login', or unset HF_TOKEN"
        return Finding("network", "login", "problem", text, fix)
    if answer.status_code != 200:
        text = f"the Hub did not report who the token belongs to (status {answer.status_code})"
        return Finding("network", "login", "note", text, "try again later")
    account = answer.json()
    text = f"logged in as {account.get('name')}"
    if role := account.get("auth", {}).get("accessToken", {}).get("role"):
        text += f", token with the role {role!r}"
    if orgs := [str(org.get("name")) for org in account.get("orgs", [])]:
        text += f", member of {', '.join(orgs)}"
    return Finding("network", "login", "ok", text)


def _get(path: str, token: str | None, timeout: float) -> Any:
    from huggingface_hub import constants
    from huggingface_hub.utils import build_hf_headers, get_session  # type: ignore[attr-defined]

    with hub_errors("no answer", token=token):
        headers = build_hf_headers(token=token or False)
        return get_session().get(f"{constants.ENDPOINT}{path}", headers=headers, timeout=timeout)
