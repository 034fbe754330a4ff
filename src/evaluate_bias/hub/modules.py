"""The evaluate modules that come with the library: where they are, and how to load one without a network.

``evaluate`` looks for a community module in this order: a folder ``bias/<name>`` in the working directory,
the Space of that name on the Hub, and last the newest copy in its cache,
``$HF_MODULES_CACHE/evaluate_modules/metrics/bias--<name>/``. The installation writes that copy. Afterwards:

- Without a network the request to the Hub fails and the copy is used. No environment variable is needed. How
  long the failure takes depends on the machine: refused at once, or after the time limit of a silent network.
- ``HF_EVALUATE_OFFLINE=1`` together with ``HF_HUB_OFFLINE=1`` makes no request at all.
- With a network a Space of the same name wins, and evaluate's own copy of it becomes the newest one.
"""

from __future__ import annotations

import filecmp
import importlib
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import BiasError, InputError, OutputError, UnknownNameError
from ..paths import ORGANISATION, bundled_folder
from .client import check_organisation

if TYPE_CHECKING:
    import evaluate

LOAD_OPTIONS = {
    *("cache_dir", "config_name", "experiment_id", "keep_in_memory"),
    *("num_process", "process_id", "seed", "timeout"),
}


def modules_dir() -> Path:
    """Return the folder of all modules: inside the installed package, or ``metrics/`` of a checkout.

    Examples:
        >>> (modules_dir() / "weat" / "weat.py").is_file()
        True
    """
    return bundled_folder("metrics")


def module_names(root: Path | None = None) -> list[str]:
    """Return the names of all modules, sorted.

    Args:
        root: the folder to look in, by default :func:`modules_dir`.

    Examples:
        >>> "weat" in module_names()
        True
    """
    root = root or modules_dir()
    return sorted(script.stem for script in root.glob("*/*.py") if script.stem == script.parent.name)


def module_path(name: str, root: Path | None = None) -> Path:
    """Return the folder of a module. Hyphens and capitals in its name do not matter.

    Raises:
        UnknownNameError: no such module. The text offers near matches.

    Examples:
        >>> module_path("WEAT").name
        'weat'
    """
    root = root or modules_dir()
    key, known = str(name).strip().lower().replace("-", "_"), module_names(root)
    if key not in known:
        raise UnknownNameError("evaluate module", name, known)
    return root / key


def load(name: str, *, root: Path | None = None, **options: Any) -> evaluate.EvaluationModule:
    """Load one of the library's evaluate modules, without a network.

    The module is the one ``evaluate.load("bias/<name>")`` gives once it is published or installed.
    ``evaluate`` copies its script into ``$HF_MODULES_CACHE`` (default: ``~/.cache/huggingface/modules``) and
    imports the copy.

    Args:
        name: such as ``"weat"``. :func:`module_names` lists them.
        root: the folder with the modules, by default :func:`modules_dir`.
        options: options of ``evaluate.load``: ``cache_dir``, ``config_name``, ``experiment_id``,
            ``keep_in_memory``, ``num_process``, ``process_id``, ``seed``, ``timeout``.

    Returns:
        A new ``evaluate.EvaluationModule``. Rows added to one instance stay in it: use one for each computation.

    Raises:
        UnknownNameError: no such module. The text offers near matches.
        InputError: an option that ``evaluate.load`` does not have (it would ignore it).
        OutputError: evaluate's cache is not writable.

    Examples:
        >>> weat = load("weat", keep_in_memory=True)
        >>> weat.name, sorted(weat.features)
        ('weat', ['attributes_a', 'attributes_b', 'name', 'targets_x', 'targets_y'])
    """
    path = module_path(name, root)
    unknown = sorted(options.keys() - LOAD_OPTIONS)
    if unknown:
        raise InputError(
            f"load() has no option {unknown[0]!r}",
            option=str(unknown[0]),
            hint=f"give options of the method to compute(), or choose from {', '.join(sorted(LOAD_OPTIONS))}",
        )
    import evaluate

    with evaluate_cache_errors():
        return evaluate.load(str(path), **options)


@contextmanager
def evaluate_cache_errors() -> Iterator[None]:
    """Turn a failed write into evaluate's cache into an error that says what would work.

    Raises:
        OutputError: the cache is not writable.
    """
    from evaluate import config

    try:
        yield
    except BiasError:  # some are OSErrors as well
        raise
    except OSError as error:
        raise OutputError(
            f"evaluate's cache cannot be written: {error}. It lies in {config.HF_MODULES_CACHE} and "
            f"{config.HF_METRICS_CACHE}",
            hint="set HF_HOME to a folder that can be written",
        ) from None


def install(
    names: Iterable[str] | None = None, org: str = ORGANISATION, *, root: Path | None = None
) -> dict[str, Path]:
    """Put modules into evaluate's cache, so that ``evaluate.load("bias/weat")`` works without a network.

    Other copies of the same modules in the cache are removed, because evaluate uses the newest file whatever its
    version. Every module is loaded from the cache once before it is reported.

    Args:
        names: names of modules. ``None`` installs all.
        org: the organisation in the name with which they are loaded.
        root: the folder with the modules, by default the ones of this library.

    Returns:
        The script in the cache of each module, by the name that ``evaluate.load`` takes. The script's folder bears
        evaluate's hash of the code.

    Raises:
        UnknownNameError: no such module. In this case nothing is installed.
        InputError: ``org`` is not the name of a Hub organisation.
        OutputError: the cache cannot be written, or the copy cannot be loaded.
    """
    check_organisation(org)
    paths = [module_path(name, root) for name in (module_names(root) if names is None else names)]
    with evaluate_cache_errors():
        return {f"{org}/{path.name}": _install_one(path, f"{org}/{path.name}") for path in paths}


def _install_one(folder: Path, name: str) -> Path:
    from evaluate.loading import import_main_class, init_dynamic_modules

    script = folder / f"{folder.name}.py"
    cache = Path(init_dynamic_modules())
    copy = _copy(script, name, cache)
    if not filecmp.cmp(script, copy, shallow=False):
        # The hash ignores comments, and evaluate never repairs an interrupted copy, so copy it again.
        shutil.rmtree(copy.parent)
        copy = _copy(script, name, cache)
    for other in copy.parents[1].iterdir():
        if len(other.name) == 64 and other != copy.parent:
            shutil.rmtree(other)
    importlib.invalidate_caches()  # evaluate imports the newest copy, and no other is left
    try:
        main_class = import_main_class(".".join(copy.relative_to(cache.parent).with_suffix("").parts))
    except Exception as error:  # whatever the script raises when it is imported
        raise OutputError(f"{name} was copied to {copy} but cannot be loaded: {error}") from error
    if main_class is None:
        raise OutputError(f"{name} was copied to {copy} but evaluate finds no metric in it")
    return copy


def _copy(script: Path, name: str, cache: Path) -> Path:
    """Copy a script, and the files it imports by a relative import, the way evaluate itself does."""
    from datasets import DownloadConfig, DownloadMode
    from evaluate.loading import _create_importable_file, _download_additional_modules, get_imports

    try:
        imported = _download_additional_modules(
            name=script.stem,
            base_path=str(script.parent),
            imports=get_imports(str(script)),
            download_config=DownloadConfig(),
        )
    except ImportError as error:
        raise OutputError(f"{name} was not installed: {error}") from None
    _, code_hash = _create_importable_file(
        local_path=str(script),
        local_imports=imported,
        additional_files=[],
        dynamic_modules_path=str(cache),
        module_namespace="metrics",
        name=name,
        download_mode=DownloadMode.REUSE_DATASET_IF_EXISTS,
    )
    return cache.joinpath("metrics", name.replace("/", "--"), code_hash, script.name)
