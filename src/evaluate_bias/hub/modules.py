"""The evaluate modules that come with the library: where they are, and how to load one without a network."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import BiasError, InputError, OutputError, UnknownNameError
from ..paths import bundled_folder

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
        root: the folder to look in; default :func:`modules_dir`.

    Examples:
        >>> "weat" in module_names()
        True
    """
    root = root or modules_dir()
    return sorted(script.stem for script in root.glob("*/*.py") if script.stem == script.parent.name)


def module_path(name: str, root: Path | None = None) -> Path:
    """Return the folder of a module; hyphens and capitals in its name do not matter.

    Raises:
        UnknownNameError: no such module; the text offers near matches.

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
    """Load one of the library's evaluate modules; needs no network.

    The module is the one ``evaluate.load("bias/<name>")`` gives once it is published or installed.
    ``evaluate`` copies its script into ``$HF_MODULES_CACHE`` (default: ``~/.cache/huggingface/modules``) and
    imports the copy.

    Args:
        name: such as ``"weat"``; :func:`module_names` lists them.
        root: the folder with the modules; default :func:`modules_dir`.
        options: those of ``evaluate.load``: ``cache_dir``, ``config_name``, ``experiment_id``,
            ``keep_in_memory``, ``num_process``, ``process_id``, ``seed``, ``timeout``.

    Returns:
        A new ``evaluate.EvaluationModule``. Rows added to one instance stay in it: use one a computation.

    Raises:
        UnknownNameError: no such module; the text offers near matches.
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
            f"load() has no option {unknown[0]!r}; it has {', '.join(sorted(LOAD_OPTIONS))}",
            option=str(unknown[0]),
            hint="give options of the method to compute()",
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
