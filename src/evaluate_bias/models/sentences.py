"""SentenceTransformers: what is in a folder or repository of one, the model itself, and its own embeddings of texts."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError, quoted
from ..result import Skipped
from .pooling import Representation
from .source import SentenceFolder, first_sentence, memory_sum

MODULES = "modules.json"
"""The file by which a folder or repository is known to contain a SentenceTransformer."""

_PACKAGE = "sentence_transformers"
_TORCH = "torch.nn.modules."
_KNOWN = ("Transformer", "Pooling", "Dense", "LayerNorm", "Normalize", "Dropout")
"""Modules of the package that are made only of their settings and weights."""


def sentence_folder(
    modules: Path, folder: Callable[[], Path] | None = None, subfolder: str | None = None
) -> SentenceFolder | None:
    """Return the SentenceTransformer that a ``modules.json`` lists, or ``None`` without one.

    Args:
        modules: the file.
        folder: returns the folder of the repository it is from, by default the folder of the file.
        subfolder: the folder in it.
    """
    try:
        names = tuple(str(module["type"]).rpartition(".")[2] for module in _json(modules))
    except (OSError, ValueError, TypeError, KeyError):
        return None
    place = (lambda: modules.parent) if folder is None else (lambda: folder() / (subfolder or ""))
    return SentenceFolder(names, place) if names else None


def module_names(model: Any) -> tuple[str, ...]:
    """Return the names of the modules of a SentenceTransformer, in order. The pooling is named with its mode."""
    names = []
    for module in model:
        mode = getattr(module, "get_pooling_mode_str", None) or getattr(module, "pooling_mode", "")
        mode = mode() if callable(mode) else mode
        names.append(f"{type(module).__name__} ({mode})" if mode else type(module).__name__)
    return tuple(names)


def sentence_facts(model: Any, transformer: Mapping[str, Any]) -> dict[str, Any]:
    """Return what identifies a SentenceTransformer besides its transformer: modules, weights, default prompt."""
    from torch import nn

    facts: dict[str, Any] = {"modules": list(module_names(model)), "prompt": _default_prompt(model)}
    further = nn.ModuleList(list(model)[1:])
    if "weights_sha256" in transformer and further.state_dict():
        facts["weights_sha256"] = {**transformer["weights_sha256"], "modules": memory_sum(further)}
    return facts


def own_embeddings(model: Any, texts: Sequence[str]) -> list[NDArray[np.float32] | Skipped]:
    """Return what a SentenceTransformer's ``encode`` gives for each text, uncut, as an array (1, dimension)."""
    limit, prompt = getattr(model, "max_seq_length", None), _default_prompt(model)
    # The prompt is read with the text, and a text that is too long with it would be cut.
    prompted_texts = [prompt + text for text in texts]
    lengths = [len(ids) for ids in model.tokenizer(prompted_texts)["input_ids"]] if texts else []
    fits = [i for i, n in enumerate(lengths) if texts[i].strip() and (limit is None or n <= limit)]
    vectors = model.encode([texts[i] for i in fits], show_progress_bar=False, convert_to_numpy=True)
    embedded = dict(zip(fits, np.asarray(vectors, np.float32), strict=True))
    too_long = f"longer than the {limit} tokens that the model reads"
    return [
        embedded[i][None, :]
        if i in embedded
        else Skipped(text, too_long if text.strip() else "an empty text")
        for i, text in enumerate(texts)
    ]


def _default_prompt(model: Any) -> str:
    prompts = getattr(model, "prompts", None) or {}
    return str(prompts.get(getattr(model, "default_prompt_name", None) or "") or "")


def warn_of_other_than_own(
    name: str, modules: Sequence[str], representations: Sequence[Representation], warnings: list[str]
) -> None:
    """Warn if a text is embedded differently than by the SentenceTransformer, which does not embed single words."""
    for representation in dict.fromkeys(str(r) for r in representations if not r.needs_span):
        warning = (
            f"{name} is a SentenceTransformer ({', '.join(modules)}), and its transformer alone was measured, with the "
            f"representation {representation!r}. What it makes of a text itself, with its pooling and prompt, is 'own'"
        )
        if warning not in warnings:
            warnings.append(warning)


def load_sentence_transformer(folder: Path, *, device: str, dtype: Any, attention: str | None) -> Any:
    """Load the SentenceTransformer of a folder, its transformer as it has been loaded without the package.

    Raises:
        ModelError: the package is not installed, the folder names code of its own or pickled weights, or the package
            cannot load it.
    """
    _refuse_what_could_run(folder)
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError as error:
        raise ModelError(
            f"the representation 'own' of {quoted(folder.name)} is computed by the package sentence-transformers: pip "
            f"install sentence-transformers ({error}). 'sentence_mean' and 'cls' do not need it"
        ) from error
    from .pretrained import quiet_transformers

    try:
        with quiet_transformers():
            return SentenceTransformer(
                str(folder),
                device=device,
                trust_remote_code=False,
                local_files_only=True,
                model_kwargs={"dtype": dtype, "attn_implementation": attention},
            )
    except Exception as error:  # what a damaged file makes the packages raise has no common type
        raise ModelError(
            f"sentence-transformers cannot load {quoted(str(folder))}: {first_sentence(error)}"
        ) from error


def _refuse_what_could_run(folder: Path) -> None:
    """Refuse code and pickled weights: the package runs what lies in a local folder without asking."""
    try:
        modules = [(str(m["path"]), str(m["type"])) for m in _json(folder / MODULES)]
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise ModelError(
            f"{MODULES} of {quoted(folder.name)} does not list the modules of a SentenceTransformer"
        ) from error
    if not modules or any(Path(path).is_absolute() or ".." in Path(path).parts for path, _ in modules):
        raise ModelError(f"{MODULES} of {quoted(folder.name)} names no module, or one outside the folder")
    for path, kind in modules:
        if reason := _find_danger(folder / path, kind):
            raise ModelError(
                f"the module {quoted(kind)} of {quoted(folder.name)} {reason}",
                hint="if you trust it, load the SentenceTransformer yourself and pass the object",
            )


def _find_danger(place: Path, kind: str) -> str:
    """Return what could run in the folder of a module, or an empty string for nothing."""
    package, _, name = kind.rpartition(".")
    if package.partition(".")[0] != _PACKAGE or name not in _KNOWN:
        return "has code of its own, which is not run from here"
    settings: dict[str, Any] = {}
    for file in place.glob("sentence_*_config.json" if name == "Transformer" else "config.json"):
        try:
            content = _json(file)
        except (OSError, ValueError) as error:
            raise ModelError(f"{quoted(str(file))} cannot be read: {first_sentence(error)}") from error
        settings |= content if isinstance(content, dict) else {}
    further = [key for key, value in settings.items() if key.endswith(("_args", "_kwargs")) and value]
    if name == "Dense" and not str(settings.get("activation_function") or _TORCH).startswith(_TORCH):
        further.append("activation_function")
    if further:
        return f"sets {further[0]}, which may run code"
    if name in ("Dense", "LayerNorm") and not (place / "model.safetensors").is_file():
        return "has no model.safetensors, and pickled weights can run code, so they are not read"
    return ""


def _json(file: Path) -> Any:
    return json.loads(file.read_text(encoding="utf-8"))
