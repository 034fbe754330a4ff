"""The function that loads every kind of model."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from ..assets import get_asset, list_assets
from ..errors import InputError, ModelError, quoted
from ..options import Option, checked_options, options_of
from ..text import joined
from ._hub import HubRepo, find_repo
from ._vectors.files import choose_vector_file, model_type, sidecars, sniff
from ._vectors.matrices import is_spacy_folder
from .base import Capability, Model
from .engine import TransformerModel
from .kinds import LOADERS, TRANSFORMERS, VECTORS, Loader
from .sentences import MODULES, sentence_folder
from .source import (
    Dtype,
    device_name,
    existing_path,
    holds_gguf_only,
    loading_errors,
    looks_like_path,
    plain_torch,
)
from .transformer import ADAPTER

Kind = Literal["auto", "static", "masked", "causal", "encoder"]
Options = dict[str, Any]
"""The options that were given, by name."""

_WHAT_WORKS = (
    "use a Hub id, a local folder or file, a named asset, gensim KeyedVectors, a spaCy pipeline, a dict from words "
    "to vectors or a DataFrame indexed by word, a pair (model, tokenizer), a function from prompts to completions, or "
    "an object with one of the capabilities in evaluate_bias.models.base"
)
_OF_TRANSFORMERS = frozenset(
    (
        "cache_dir",
        "config",
        "load_in_4bit",
        "load_in_8bit",
        "local_files_only",
        "low_cpu_mem_usage",
        "max_memory",
        "quantization_config",
        "torch_dtype",
        "trust_remote_code",
        "use_safetensors",
        "variant",
    )
)
"""Options of ``from_pretrained`` that people try here."""


def load_model(
    spec: Any,
    *,
    kind: Kind = "auto",
    device: str | int = "auto",
    dtype: Dtype = "auto",
    revision: str | None = None,
    allow_pickle: bool = False,
    file: str | None = None,
    token: str | None = None,
    **options: Any,
) -> Model:
    """Load a model of any kind.

    Args:
        spec: what to load:

            - the name of an asset, see ``evaluate_bias.assets.list_assets()`` (fetched when it is not
              cached).
            - the path of a word-vector file, a GGUF file, or a folder with either, with a transformer, or
              with a spaCy pipeline. The content of a file determines what it is.
            - the Hub id of a transformer or of word vectors (only the files that are needed are downloaded).
            - a mapping word -> vector, a ``DataFrame`` whose index is words, gensim's ``KeyedVectors``, or a pipeline
              of spaCy.
            - a model, a pipeline or a pair ``(model, tokenizer)`` of transformers, an adapter of PEFT or its
              folder, or a ``SentenceTransformer``.
            - ``corpus:`` and what :func:`evaluate_bias.load_corpus` accepts: a text file, a folder of them, or the
              Hub id of a data set.
            - ``endpoint:URL#NAME``, a model served over an API, or ``inspect:PROVIDER/NAME``, a model of a provider
              that Inspect knows, see :func:`~evaluate_bias.models.endpoint.load_endpoint`.
            - a function from a list of prompts to their completions, see
              :class:`~evaluate_bias.models.completions.FunctionGenerator`.
            - an object that has a capability already, which is returned as it is.

            A string that is both the name of an asset and a path means the asset (write ``./name`` for the
            path). One that is both a path and a Hub id means the path.
        kind: ``"auto"``, or what to load it as: ``"static"``, ``"masked"``, ``"causal"`` or ``"encoder"``.
        device: for transformers, ``"auto"``, a torch device, or the number of a GPU.
        dtype: for transformers, ``"auto"``, ``"float32"``, ``"bfloat16"`` or ``"float16"``, or torch's own.
        revision: Hub revision.
        allow_pickle: also load pickled files. They can run any code, so use it only for files you trust.
        file: the file to take if a folder or repository contains several.
        token: Hub token for private and gated models, by default the token of the Hub's own login. It is not
            recorded.
        options: for word vectors, the options of :class:`~evaluate_bias.models.static.StaticVectors`
            (``case``, ``accents``, ``multiword``, ``subwords``, ``vocabulary``, ``name``). For transformers, the
            options of :func:`~evaluate_bias.models.transformer.load_transformer` (``batch_tokens``, ``progress``,
            ``subfolder``, ``attn_implementation``, ``device_map``). For an endpoint, the options of
            :func:`~evaluate_bias.models.endpoint.load_endpoint` (``served_model``, ``concurrency``, ``timeout``,
            ``ready_timeout``, ``max_requests``, ``max_tokens``). For models that chat, the options of
            :class:`~evaluate_bias.models.chat_template.ChatOptions`.

    Returns:
        A model with the capabilities its kind has.

    Raises:
        ModelError: it cannot be found or read, or is not a model.
        AssetError: a named asset cannot be fetched.
        InputError: an option is unknown, has an unknown value, or does not go with this kind of model.

    Examples:
        >>> vectors = load_model({"she": [1.0, 0.0], "he": [0.0, 1.0]}, case="lower")
        >>> vectors.embed_words(["She", "they"])
        (array([[1., 0.]]), [1])
    """
    device, dtype = device_name(device), plain_torch(dtype)
    values = {name: value for name, value in locals().items() if name not in ("spec", "options")} | options
    with loading_errors(spec):
        values = check_loading(values, "load_model")
        given_options = {k: v for k, v in values.items() if k not in _COMMON or v != _COMMON[k].default}
        if isinstance(spec, Model):
            if unsuitable := [name for name in given_options if name != "allow_pickle"]:
                raise _unsupported(f"{spec.name}, which is a model already,", unsuitable)
            return spec
        loader = next((one for one in LOADERS if one.claims(spec)), None)
        if loader is not None or isinstance(spec, (str, os.PathLike)):
            model: Model = (
                _from_name(spec, given_options) if loader is None else _load(loader, spec, given_options)
            )
            return model
    what = type(spec).__name__
    if hasattr(spec, "convert_ids_to_tokens"):
        raise ModelError(f"a {what} is a tokenizer", hint="pass the pair (model, tokenizer)")
    if any(hasattr(spec, method) for capability in Capability for method in capability.methods):
        raise ModelError(
            f"a {what} has a capability but not the name and the provenance() that every model has"
        )
    several = "; give one model at a time" if isinstance(spec, list | set) else ""
    raise ModelError(
        f"{'None' if spec is None else f'a {what}'} is not a model", hint=f"{_WHAT_WORKS}{several}"
    )


_COMMON = options_of(load_model)


def loading_options() -> dict[str, Option]:
    """Return all options of loading a model, of whatever kind."""
    options = {name: option for loader in LOADERS for name, option in loader.options().items()}
    return options | _COMMON


def check_loading(options: Mapping[str, Any], owner: str, *, without: Sequence[str] = ()) -> dict[str, Any]:
    """Return options of loading a model, of whatever kind, as :func:`~evaluate_bias.options.checked_options` does.

    Args:
        options: the options by name.
        owner: whose they are, for the error.
        without: options that cannot be given here.

    Raises:
        InputError: one is unknown, has a value that does not fit, or is an option of transformers.

    Examples:
        >>> check_loading({"cache_dir": "here"}, "load_model")
        Traceback (most recent call last):
        evaluate_bias.errors.InputError: load_model has no option 'cache_dir', which is one of transformers; load the
        model with transformers and pass the pair (model, tokenizer)
    """
    if foreign := sorted(_OF_TRANSFORMERS.intersection(options)):
        raise InputError(
            f"{owner} has no option {foreign[0]!r}, which is one of transformers",
            option=foreign[0],
            hint="load the model with transformers and pass the pair (model, tokenizer)",
        )
    known = {name: option for name, option in loading_options().items() if name not in without}
    return checked_options(options, known, owner)


def _load(loader: Loader, spec: Any, options: Options, **fixed: Any) -> Any:
    """Load a spec with the options given, which come before the fixed ones."""
    known_options = loader.options()
    # A kind that the loader has no choice of may still be named.
    supported = known_options.keys() | (
        {"kind"} if options.get("kind") in {c.kind for c in loader.classes} else set()
    )
    what = (
        f"{_describe_spec(spec)}, which is {loader.what},"
        if loader is not TRANSFORMERS
        else _describe_spec(spec)
    )
    if unsuitable := [n for n in options if n in _COMMON and n not in supported and n != "allow_pickle"]:
        raise _unsupported(what, unsuitable)
    checked_options(
        {name: value for name, value in options.items() if name not in _COMMON},
        {name: option for name, option in known_options.items() if name not in _COMMON},
        f"load_model of {loader.what}",
    )
    return loader.load(spec, **{**fixed, **{n: v for n, v in options.items() if n in known_options}})


def _from_name(spec: str | os.PathLike[str], options: Options) -> Any:
    """Load an asset, a path or a Hub id, in this order."""
    if isinstance(spec, str) and spec in {asset.name for asset in list_assets()}:
        return _from_asset(get_asset(spec), options)
    path = existing_path(spec)
    if path is not None:
        return _from_path(path, options)
    if not isinstance(spec, str) or looks_like_path(spec):
        raise ModelError(
            f"no file or folder {quoted(os.fspath(spec))}. A model of the Hub is given by its id, "
            "org/name, and one that a server runs as endpoint:URL#NAME"
        )
    return _from_hub(spec, options)


def _from_asset(asset: Any, options: Options) -> Any:
    from ..assets import fetch

    if not asset.is_model:
        raise ModelError(f"{asset.name} is {asset.kind}, not a model")
    _refuse(f"the asset {asset.name}", options, "revision", "file")
    path = fetch(asset) / asset.entry
    if asset.kind in {c.asset_kind for c in VECTORS.classes}:
        facts = {"name": asset.name, "identity": asset.provenance()}
        return _load(VECTORS, path, options, **facts, **asset.options)
    model = _load(TRANSFORMERS, path, options)
    name = options.get("name") or asset.name
    model.source = dataclasses.replace(model.source, name=name, facts=asset.provenance())
    return model


def _from_path(path: Path, options: Options) -> Any:
    place = f"the {'file' if path.is_file() else 'folder'} {quoted(str(path))}"
    _refuse(place, options, *(("revision", "file") if path.is_file() else ("revision",)))
    if path.is_file():
        return _load(TRANSFORMERS if sniff(path)[0] == "GGUF" else VECTORS, path, options)
    if "file" in options:
        file = options.pop("file")
        # By its words, not by where it lies: the files of a Hub cache are links to another folder.
        if Path(file).is_absolute() or ".." in Path(file).parts:
            raise InputError(
                f"`file` must be the name of a file within {path}, got {quoted(file)}", option="file"
            )
        if not (path / file).is_file():
            raise ModelError(f"{path} has no file {quoted(file)}", option="file")
        return _from_path(path / file, options)
    is_static = options.get("kind") == "static"
    if not is_static and ((path / ADAPTER).is_file() or options.get("subfolder")):
        return _load(TRANSFORMERS, path, options)
    config = path / "config.json"
    content = config.read_bytes() if config.is_file() else None
    type_ = None if content is None else model_type(content)
    _refuse_word_pieces(path, type_, path / MODULES)
    if not is_static and (type_ is not None or any(path.glob("*.gguf"))):
        return _load(TRANSFORMERS, path, options)
    if is_spacy_folder(path):
        return _load(VECTORS, path, options)
    names = [p.name for p in path.iterdir() if p.is_file()]
    return _load(VECTORS, path / choose_vector_file(names, str(path)), options)


def _from_hub(repo_id: str, options: Options) -> Any:
    repo = find_repo(repo_id, options.get("revision"), options.get("token"))
    chosen, subfolder = options.pop("file", None), options.get("subfolder")
    is_static, inside = options.get("kind") == "static", f"{subfolder}/" if subfolder else ""
    if chosen is None and f"{inside}{ADAPTER}" in repo.files:
        adapted = _load(TRANSFORMERS, repo.folder(), options)
        # By its id and commit instead of where it was downloaded to.
        name = options.get("name") or repo.repo_id
        adapted.source = dataclasses.replace(adapted.source, name=name)
        return _with_commit(adapted, repo)
    type_ = model_type(repo.file("config.json").read_bytes()) if "config.json" in repo.files else None
    if chosen is None and not subfolder:
        _refuse_word_pieces(repo_id, type_, repo.file(MODULES) if MODULES in repo.files else None)
    if chosen is None and not subfolder and not is_static and holds_gguf_only(repo.files):
        chosen, *more = sorted(name for name in repo.files if name.endswith(".gguf"))
        if more:
            raise ModelError(
                f"{repo_id} contains {1 + len(more)} GGUF files",
                option="file",
                hint=f"set `file` to one of {', '.join([chosen, *more])}",
            )
    elif chosen is None and (subfolder or (type_ is not None and not is_static)):
        model = _load(TRANSFORMERS, repo.repo_id, {**options, "revision": repo.commit})
        if (modules := f"{inside}{MODULES}") in repo.files:
            sentences = sentence_folder(repo.file(modules), repo.folder, subfolder)
            model.source = dataclasses.replace(model.source, sentences=sentences)
        return model
    chosen = chosen or choose_vector_file(repo.files, repo_id)
    path = repo.file(chosen)
    here = {name: value for name, value in options.items() if name not in ("revision", "token")}
    if sniff(path)[0] == "GGUF":
        return _with_commit(_load(TRANSFORMERS, path, here), repo, file=chosen)
    for name in sidecars(repo.files, chosen):
        repo.file(name)
    identity = {"source": repo_id, "revision": repo.commit, "file": chosen}
    return _load(VECTORS, path, here, name=repo_id, identity=identity)


def _with_commit(model: TransformerModel, repo: HubRepo, **facts: str) -> TransformerModel:
    """Return the model, identified by the commit it is from instead of the file or folder it was downloaded to."""
    known = {**model.source.facts, "source": repo.repo_id, **facts}
    model.source = dataclasses.replace(model.source, facts=known, revision=repo.commit)
    return model


def _refuse(what: str, options: Mapping[str, Any], *names: str) -> None:
    """Refuse each of these options that was given."""
    if unsuitable := [name for name in names if name in options]:
        raise _unsupported(what, unsuitable)


def _unsupported(what: str, names: list[str]) -> InputError:
    return InputError(f"{what} does not support {joined(names)}", option=names[0], hint="omit it")


def _refuse_word_pieces(place: Any, model_type: str | None, modules: Path | None) -> None:
    """Refuse a table of subword vectors: older folders of model2vec name their type, newer ones only a module."""
    folder = None if modules is None else sentence_folder(modules)
    if model_type == "model2vec" or (folder is not None and folder.modules[0] == "StaticEmbedding"):
        raise ModelError(
            f"{place} is a model2vec or StaticEmbedding model, whose vectors belong to pieces of words",
            hint="load it with model2vec or sentence-transformers and pass the mapping {word: model.encode(word)} "
            "of your words",
        )


def _describe_spec(spec: Any) -> str:
    return os.fspath(spec) if isinstance(spec, (str, os.PathLike)) else f"a {type(spec).__name__}"
