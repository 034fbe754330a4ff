"""What this environment, or the server of a model, can and cannot do, with the fix for each problem."""

from __future__ import annotations

import filecmp
import importlib
import platform
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from ..errors import BiasError, HubError, install_extra
from ..method_record import MethodRecord
from ..models.base import can
from ..models.endpoint.address import SERVED, printable_spec
from ..models.endpoint.model import ChattingModel, ServedModel
from ..models.endpoint.probe import WHOLE_DISTRIBUTION
from ..models.load import load_model
from ..paths import ORGANISATION
from ..registry import METHODS
from .client import LOG_IN, find_token, hub_errors
from .modules import module_names, module_path, modules_cache

if TYPE_CHECKING:
    from packaging.requirements import Requirement

DISTRIBUTION = "evaluate-bias"
INSTALL = "evaluate-bias install"
NEEDS_EXTRA = {
    "models": "masked and causal language models",
    "vectors": "fastText .bin files and gensim objects",
    "gguf": "GGUF files",
    "space": "the browser pages",
    "mcp": "the browser pages as tools for agents",
    "ray": "batches and corpora on more than one machine",
    "endpoint": "models behind an address",
    "inspect": "models of the providers that Inspect knows",
    "excel": "Excel files",
    "vader": "the sentiment of English texts",
    "serving": "a server of one's own for them",
}
# Packages whose import runs compiled code of other packages, where an installation that pip calls fine can fail. The
# imports of evaluate and datasets take seconds, and that of transformers runs none.
IMPORTED = ("numpy", "scipy", "pandas", "pyarrow", "torch")
NVIDIA_DRIVER = Path("/proc/driver/nvidia/version")

Status: TypeAlias = Literal["ok", "note", "problem"]


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """One thing the doctor has to say about this environment.

    Attributes:
        topic: ``"packages"``, ``"torch"``, ``"modules"``, ``"network"`` or ``"model"``.
        subject: what it is about, for people.
        status: ``"ok"``; ``"note"``: works, but not everything or not as one may expect; ``"problem"``:
            something will fail.
        text: what was found.
        fix: what to do about it; empty when there is nothing to do.

    Examples:
        >>> Diagnosis("network", "Hub", "ok", "https://huggingface.co answers").to_dict()["status"]
        'ok'
    """

    topic: str
    subject: str
    status: Status
    text: str
    fix: str = ""

    def to_dict(self) -> dict[str, str]:
        """Return plain values."""
        return asdict(self)


def diagnose(*, timeout: float = 5.0) -> list[Diagnosis]:
    """Examine Python, packages, torch, cached modules, network and login of this environment.

    Nothing is changed. The token of the Hub is used for one request and never part of a finding.

    Args:
        timeout: seconds to wait for each answer of the Hub.

    Returns:
        The findings, problems not first but by topic. :attr:`Diagnosis.status` says what is wrong.

    Examples:
        >>> findings = diagnose()  # this process is offline, so the Hub is not asked
        >>> [f.subject for f in findings if f.topic == "network"], findings[0].subject
        (['Hub'], 'Python')
    """
    return [
        *check_packages(),
        *check_imports(),
        *check_torch(),
        *check_modules(),
        *check_hub(timeout=timeout),
    ]


def check_packages(
    required: Iterable[str] | None = None, installed: Callable[[str], str | None] | None = None
) -> Iterator[Diagnosis]:
    """Compare the packages with what this distribution requires, or with the given requirement lines."""
    from packaging.requirements import Requirement

    installed = installed or _installed_version
    python = f"{platform.python_version()} on {platform.system()} {platform.machine()}"
    yield Diagnosis("packages", "Python", "ok", python)
    if required is None:
        try:
            required = metadata.requires(DISTRIBUTION) or []
        except metadata.PackageNotFoundError:
            text = "evaluate-bias runs from a folder and is not installed, so its requirements are unknown"
            yield Diagnosis("packages", DISTRIBUTION, "problem", text, f"pip install {DISTRIBUTION}")
            return
    requirements = [r for r in map(Requirement, required) if r.name != DISTRIBUTION]
    base = [r for r in requirements if _is_needed(r, "")]
    yield from _compare("required packages", base, installed)
    for extra, feature in NEEDS_EXTRA.items():
        direct = [r for r in requirements if r not in base and _is_needed(r, extra)]
        of_extra = {r.name: r for r in (*direct, *_extra_requirements(direct))}.values()
        subject, missing = f"extra {extra!r}", [r.name for r in of_extra if installed(r.name) is None]
        compared = _compare(subject, [r for r in of_extra if r.name not in missing], installed)
        if missing:
            text = f"{', '.join(missing)} missing, needed for {feature}"
            yield Diagnosis("packages", subject, "note", text, install_extra(extra))
        yield from (diagnosis for diagnosis in compared if diagnosis.status != "ok" or not missing)


def _is_needed(requirement: Requirement, extra: str) -> bool:
    """Whether an installation with this extra, or with none, takes a requirement."""
    return requirement.marker is None or requirement.marker.evaluate({"extra": extra})


def _extra_requirements(requirements: Iterable[Requirement]) -> Iterator[Requirement]:
    """The requirements of extras of other packages, such as ``transformers[serving]``."""
    from packaging.requirements import Requirement

    for requirement in requirements:
        if requirement.extras and _installed_version(requirement.name) is not None:
            for line in map(Requirement, metadata.requires(requirement.name) or []):
                if not _is_needed(line, "") and any(_is_needed(line, extra) for extra in requirement.extras):
                    yield line


def _installed_version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _compare(
    subject: str, requirements: Iterable[Requirement], installed: Callable[[str], str | None]
) -> list[Diagnosis]:
    right, wrong = [], []
    for requirement in requirements:
        name, version, supported = requirement.name, installed(requirement.name), requirement.specifier
        if version is not None and supported.contains(version, prereleases=True):
            right.append(f"{name} {version}")
        else:
            text = "not installed" if version is None else f"{version} is installed, supported is {supported}"
            wrong.append(Diagnosis("packages", name, "problem", text, f"pip install '{name}{supported}'"))
    return [*([Diagnosis("packages", subject, "ok", ", ".join(right))] if right else []), *wrong]


def check_imports(names: Iterable[str] = IMPORTED) -> Iterator[Diagnosis]:
    """Import the packages that are installed; a finding for each that does not work, and one for those that do."""
    works = []
    for name in names:
        if _installed_version(name) is None:
            continue
        try:
            importlib.import_module(name)
            works.append(name)
        except Exception as error:  # an import can raise anything: wrong binaries, missing system libraries
            reason = next(iter(str(error).splitlines()), "")
            text = f"installed, but cannot be imported: {type(error).__name__}: {reason}"
            yield Diagnosis("packages", name, "problem", text, f"pip install --force-reinstall {name}")
    if works:
        yield Diagnosis("packages", "imports", "ok", ", ".join(works))


def check_torch() -> Iterator[Diagnosis]:
    """Report what torch can compute on; nothing where it is not there or cannot be imported."""
    try:
        import torch
    except Exception:  # check_imports has said why
        return
    build, gpu_build = f"torch {torch.__version__}", torch.version.cuda or torch.version.hip
    if torch.cuda.is_available():
        device = ", ".join(torch.cuda.get_device_name(i) for i in range(torch.cuda.device_count()))
    elif torch.backends.mps.is_available():
        device = "Apple's GPU (mps)"
    elif not NVIDIA_DRIVER.exists():
        device = f"the CPU, threads: {torch.get_num_threads()}"
    else:
        text = (
            f"{build} computes on the CPU only, though there is an NVIDIA driver; it is built for {gpu_build}"
        )
        fix = "see CUDA_VISIBLE_DEVICES and install a build for the driver: https://pytorch.org/get-started/locally/"
        yield Diagnosis("torch", "torch", "note", text, fix)
        return
    yield Diagnosis("torch", "torch", "ok", f"{build}, on {device}")


def check_modules(
    modules: Path | None = None, *, root: Path | None = None, cwd: Path | None = None
) -> Iterator[Diagnosis]:
    """Compare the modules in evaluate's cache with those of this library (or of the folder ``root``).

    ``evaluate`` looks into the working directory (``cwd``) before the Hub and its cache.
    """
    if modules is None:
        if _installed_version("evaluate") is None:
            return
        modules = modules_cache()
    current, absent = [], []
    for name in module_names(root):
        called = f"{ORGANISATION}/{name}"
        # evaluate takes the newest script, whatever its version; it makes folders named by a hash.
        copies = [p for p in modules.glob(f"{ORGANISATION}--{name}/*/{name}.py") if len(p.parent.name) == 64]
        copy = max(copies, key=lambda path: path.stat().st_mtime, default=None)
        if copy is None:
            absent.append(name)
        elif filecmp.cmp(copy, module_path(name, root) / f"{name}.py", shallow=False):
            current.append(name)
        else:
            text = "the cached copy differs from this library, and evaluate uses the copy when the Hub is not reached"
            yield Diagnosis("modules", called, "note", text, f"{INSTALL} {name}")
        local = Path(cwd or Path.cwd(), ORGANISATION, name, f"{name}.py")
        if local.is_file():
            text = f'evaluate.load("{called}") takes {local} before the Hub and the cache in this folder'
            yield Diagnosis("modules", called, "note", text, "work in another folder if you do not want this")
    if absent:
        text = f'not in the cache, so evaluate.load("{ORGANISATION}/…") needs the Hub for them: {", ".join(absent)}'
        yield Diagnosis("modules", "cached modules", "note", text, INSTALL)
    if current:
        yield Diagnosis("modules", "cached modules", "ok", f"current: {', '.join(current)}")


def check_hub(*, timeout: float = 5.0) -> Iterator[Diagnosis]:
    """Ask the Hub, through its own client, whose the organisation is, who is logged in, and for one of our modules."""
    from huggingface_hub import constants

    unknown = f"so nothing is known about who owns {ORGANISATION!r} there"
    if constants.HF_HUB_OFFLINE:
        text = f"not asked, because HF_HUB_OFFLINE or TRANSFORMERS_OFFLINE is set, {unknown}"
        yield Diagnosis("network", "Hub", "note", text, "unset both to load from the Hub")
        return
    module = f"{ORGANISATION}/{module_names()[-1]}"
    try:
        status = _get(f"/api/spaces/{module}", None, timeout).status_code
        failure = f"{constants.ENDPOINT} answers with an error of its own ({status})" if status >= 500 else ""
    except HubError as error:
        failure = str(error)
    if failure:
        fix = f"cached models and installed modules work without the Hub; '{INSTALL}' installs the modules"
        yield Diagnosis("network", "Hub", "note", f"{failure}, {unknown}", fix)
        return
    yield Diagnosis("network", "Hub", "ok", f"{constants.ENDPOINT} answers")
    login, orgs = _check_login(timeout)
    yield _owner(ORGANISATION, ORGANISATION in orgs, timeout)
    if status != 200:
        text = (
            f"there is no Space {module} (status {status}), so evaluate.load needs the modules in the cache"
        )
        yield Diagnosis("network", f"{ORGANISATION} on the Hub", "note", text, INSTALL)
    yield login


def _owner(org: str, is_ours: bool, timeout: float) -> Diagnosis:
    """Say whose the organisation is. ``evaluate.load`` runs the code of its Spaces, whoever wrote it."""

    def finding(text: str, status: Status = "note") -> Diagnosis:
        fix = (
            ""
            if status == "ok"
            else f"use evaluate_bias.load(name), or '{INSTALL}' and HF_EVALUATE_OFFLINE=1"
        )
        return Diagnosis("network", f"owner of {org!r}", status, text, fix)

    for kind, path in (("an organisation", "organizations"), ("a user", "users")):
        try:
            answer = _get(f"/api/{path}/{org}/overview", None, timeout)
            facts = answer.json() if answer.status_code == 200 else None
        except (HubError, ValueError) as error:
            return finding(f"unknown: {error}")
        if answer.status_code >= 500 or not isinstance(facts, dict | None):
            return finding(f"unknown: the Hub did not say (status {answer.status_code})")
        if facts is not None:
            called = f"{kind} on the Hub, {facts.get('fullname') or org}"
            if is_ours:
                return finding(f"{called}, and yours", "ok")
            return finding(f'{called}, and not yours: evaluate.load("{org}/…") runs their code')
    return finding(
        f'nobody has this name on the Hub; whoever takes it decides which code evaluate.load("{org}/…") runs'
    )


def _check_login(timeout: float) -> tuple[Diagnosis, list[str]]:
    """Who is logged in, and the names of the organisations, and of the account, that may write as themselves."""

    def finding(status: Status, text: str, fix: str = "") -> Diagnosis:
        return Diagnosis("network", "login", status, text, fix)

    try:
        token = find_token()
    except HubError as error:
        return finding("problem", str(error), LOG_IN), []
    if token is None:
        text = "nobody is logged in; this is enough for public models, but not for publishing"
        return finding("note", text, LOG_IN), []
    try:
        answer = _get("/api/whoami-v2", token, timeout)
    except HubError as error:
        return finding("note", str(error), "try again later"), []
    if answer.status_code == 401:
        text = "the Hub rejects the token of this machine, and refuses every request that sends it"
        return finding("problem", text, "log in again with 'hf auth login', or unset HF_TOKEN"), []
    if answer.status_code != 200:
        text = f"the Hub did not say who owns the token (status {answer.status_code})"
        return finding("note", text, "try again later"), []
    account = answer.json()
    role = account.get("auth", {}).get("accessToken", {}).get("role")
    orgs = [str(org.get("name")) for org in account.get("orgs", [])]
    text = f"logged in as {account.get('name')}{f', token with the role {role!r}' if role else ''}"
    text = f"{text}, member of {', '.join(orgs)}" if orgs else text
    return finding("ok", text), [*orgs, str(account.get("name"))]


def _get(path: str, token: str | None, timeout: float) -> Any:
    from huggingface_hub import constants
    from huggingface_hub.utils import build_hf_headers, get_session  # type: ignore[attr-defined]

    with hub_errors("no answer", token=token):
        headers = build_hf_headers(token=token or False)
        return get_session().get(f"{constants.ENDPOINT}{path}", headers=headers, timeout=timeout)


def check_model(spec: str, **options: Any) -> Iterator[Diagnosis]:
    """Probe the server of a model, loaded with these options, and name the methods that its abilities allow."""
    if not spec.startswith(SERVED):
        text = (
            "is no address: write endpoint:URL#NAME or inspect:PROVIDER/NAME; what fits a model that is loaded here "
            "says 'evaluate-bias methods --model …'"
        )
        yield Diagnosis("model", printable_spec(spec), "problem", text)
        return
    try:
        model = load_model(spec, **options)
    except BiasError as error:
        yield Diagnosis("model", printable_spec(spec), "problem", str(error))
        return
    assert isinstance(model, ServedModel)
    abilities, systems = model.abilities, ", ".join(map(repr, model.client.fingerprints))
    called = f"answers as {abilities.served!r}, {f'system {systems}' if systems else 'and names no system'}"
    yield Diagnosis("model", model.name, "ok", called)
    for subject, answer in (
        ("chats", _chats(model)),
        ("completes texts", "no" if abilities.completions is None else "yes"),
        ("scores prompts", "no" if abilities.echo is None else f"yes, by {next(iter(abilities.echo))}"),
    ):
        yield Diagnosis("model", subject, "note" if answer == "no" else "ok", answer)
    forms = [form for form in (abilities.chat, abilities.completions) if form is not None]
    if cuts := [name for name in WHOLE_DISTRIBUTION if name in forms[0].refused_options]:
        text = f"cut as the server does by itself: it takes no {', '.join(cuts)}"
        yield Diagnosis("model", "draws", "note", text)
    fit = sorted(record.name for record in METHODS.values() if _can_measure(model, record))
    text = ", ".join(fit) or "none"
    yield Diagnosis("model", "methods", "ok" if fit else "note", text)


def _chats(model: ServedModel) -> str:
    """Whether a model is asked in chats, and how its answers are read."""
    if not isinstance(model, ChattingModel):
        return "no"
    answers = "without log-probabilities: answers are read as text"
    if model.alternatives:
        answers = f"with the log-probabilities of the {model.alternatives} likeliest tokens"
    thoughts = f"; it thinks first, so replies get {model.reply_tokens:,} tokens" * model.abilities.thinks
    return f"yes, {answers}{thoughts}; servers also do so with models that were not tuned for it"


def _can_measure(model: ServedModel, record: MethodRecord) -> bool:
    """Whether a method can measure a model with some of its options."""
    needs = [need for need in record.needs if can(type(model), need)]
    if record.reads_log_probabilities and not getattr(model, "alternatives", 0):
        needs = [need for need in needs if need != "chats"]
    return bool(needs)
