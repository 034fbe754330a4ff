"""One door to every kind of model."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ..errors import InputError, ModelError, quoted
from ..options import Option, checked_options, options_of
from ..text import joined
from .base import CAPABILITIES, Model, capability_endpoints
from .loaded_objects import ADAPTER, is_pipeline, is_sentence_transformer, is_transformers_model
from .sentences import MODULES, sentence_folder
from .source import Dtype, existing_path, holds_gguf_only, loading_errors, looks_like_path, plain_torch

if TYPE_CHECKING:
    from ._hub import HubRepo
    from .engine import TransformerModel

Kind = Literal["auto", "static", "masked", "causal", "encoder"]

_WHAT_WORKS = (
    "use a Hub id, a local folder or file, a named asset, gensim KeyedVectors, a spaCy pipeline, a dict from words "
    "to vectors or a DataFrame indexed by word, a pair (model, tokenizer), a function from prompts to completions, or "
    "an object with one of the capabilities in evaluate_bias.models.base"
)


def load_model(
    spec: Any,
    *,
    kind: Kind = "auto",
    device: str = "auto",
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
              cached);
            - the path of a word-vector file, a GGUF file, or a folder with either, with a transformer, or
              with a spaCy pipeline. What a file is, its content tells;
            - the Hub id of a transformer or of word vectors (only the files that are needed are downloaded);
            - a mapping word -> vector, a ``DataFrame`` whose index is words, gensim's ``KeyedVectors``, a pipeline
              of spaCy; a model, a pipeline or a pair ``(model, tokenizer)`` of transformers; an adapter of PEFT or
              its folder; a ``SentenceTransformer``;
            - ``corpus:`` and what :func:`evaluate_bias.load_corpus` takes: a text file, a folder of them, or the
              Hub id of a data set;
            - ``endpoint:URL#NAME``, a model behind an address, or ``inspect:PROVIDER/NAME``, a model of a provider
              that Inspect knows, see :func:`~evaluate_bias.models.endpoint.load_endpoint`;
            - a function from a list of prompts to their completions, see
              :class:`~evaluate_bias.models.completions.FunctionGenerator`;
            - an object that has a capability already, which is returned as it is.

            A string that is both the name of an asset and a path means the asset (write ``./name`` for the
            path); one that is both a path and a Hub id means the path.
        kind: ``"auto"``, or what to load it as: ``"static"``, ``"masked"``, ``"causal"`` or ``"encoder"``.
        device: for transformers, ``"auto"`` or a torch device.
        dtype: for transformers, ``"auto"``, ``"float32"``, ``"bfloat16"`` or ``"float16"``, or torch's own.
        revision: Hub revision.
        allow_pickle: also load pickled files. They can run any code; only for files you trust.
        file: the file to take where a folder or repository holds several.
        token: Hub token for private and gated models; by default that of the Hub's own login. It is not recorded.
        options: for word vectors, the options of :class:`~evaluate_bias.models.static.StaticVectors`
            (``case``, ``accents``, ``multiword``, ``subwords``, ``vocabulary``, ``name``); for transformers,
            those of :func:`~evaluate_bias.models.transformer.load_transformer` (``batch_tokens``,
            ``progress``, ``subfolder``, ``attn_implementation``, ``device_map``); for an endpoint, those of
            :func:`~evaluate_bias.models.endpoint.load_endpoint` (``served_model``, ``concurrency``, ``timeout``,
            ``ready_timeout``, ``max_requests``, ``max_tokens``); for models that chat, those of
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
    device, dtype = plain_torch(device), plain_torch(dtype)
    fixed = {name: value for name, value in locals().items() if name not in ("spec", "options")}
    with loading_errors(spec):
        checked_options({**fixed, **options}, loading_options(), "load_model")
        return _ModelLoader(options=options, **fixed).load(spec)


def loading_options() -> dict[str, Option]:
    """Return all options of loading a model, of whatever kind."""
    from .endpoint import load_endpoint
    from .static import StaticVectors
    from .transformer import load_transformer

    functions = (load_transformer, StaticVectors.__init__, load_endpoint, load_model)
    return {name: option for function in functions for name, option in _options_of(function).items()}


def _options_of(function: Callable[..., Any]) -> dict[str, Option]:
    """The options of a loader but for those that only this library gives."""
    return {name: o for name, o in options_of(function).items() if name not in ("cache", "identity")}


@dataclasses.dataclass
class _ModelLoader:
    """The options of one call, and the way from a spec to a model."""

    kind: Kind
    device: str
    dtype: Dtype
    revision: str | None
    allow_pickle: bool
    file: str | None
    token: str | None
    options: Mapping[str, Any]

    def load(self, spec: Any) -> Model:
        if isinstance(spec, str) and spec.startswith("corpus:"):
            from ..corpora.corpus import load_corpus

            spec = load_corpus(spec.removeprefix("corpus:"))
        if isinstance(spec, str) and spec.startswith(("endpoint:", "inspect:")):
            return self._served(spec)
        if isinstance(spec, (str, os.PathLike)):
            return self._from_name(spec)
        self._refuse_options(f"a {type(spec).__name__}", "revision", "file", "token")
        return self._from_object(spec)

    def _from_object(self, spec: Any) -> Model:
        from ._vectors.open import are_vectors

        # A model without any capability (an encoder without a head) is a model too: the method says what it lacks.
        if isinstance(spec, (Model, *CAPABILITIES)):
            return self._ready(spec)
        if isinstance(spec, tuple):
            return self._transformer(spec)
        if is_sentence_transformer(spec):
            return self._sentences(spec)
        if are_vectors(spec):
            return self._static(spec)
        if inspect.isroutine(spec) or isinstance(spec, functools.partial):
            from .completions import FunctionGenerator

            return self._ready(FunctionGenerator(spec))
        what = type(spec).__name__
        if hasattr(spec, "convert_ids_to_tokens"):
            raise ModelError(f"a {what} is a tokenizer", hint="pass the pair (model, tokenizer)")
        if any(hasattr(spec, method) for method in capability_endpoints()):
            raise ModelError(
                f"a {what} has a capability but not the name and the provenance() that every model has"
            )
        if is_pipeline(spec) or is_transformers_model(spec):
            return self._transformer(spec)
        several = "; give one model at a time" if isinstance(spec, list | set) else ""
        raise ModelError(
            f"{'None' if spec is None else f'a {what}'} is not a model", hint=f"{_WHAT_WORKS}{several}"
        )

    def _from_name(self, spec: str | os.PathLike[str]) -> Model:
        """Load an asset, a path or a Hub id, in this order."""
        from ..assets import get_asset, list_assets

        if isinstance(spec, str) and spec in {asset.name for asset in list_assets()}:
            return self._from_asset(get_asset(spec))
        path = existing_path(spec)
        if path is not None:
            return self._from_path(path)
        if not isinstance(spec, str) or looks_like_path(spec):
            raise ModelError(
                f"no file or folder {quoted(os.fspath(spec))}; a model of the Hub is given by its id, "
                "org/name, and one that a server runs as endpoint:URL#NAME"
            )
        return self._from_hub(spec)

    def _static(self, source: Any, **fixed: Any) -> Model:
        """Make word vectors, with the user's options over the fixed ones."""
        from .static import StaticVectors

        kind = () if self.kind == "static" else ("kind",)
        self._refuse_options(f"{_what(source)}, which is word vectors,", *kind, "device", "dtype")
        self._check_options(StaticVectors.__init__, "word vectors")
        return StaticVectors(source, **{**fixed, "allow_pickle": self.allow_pickle, **self.options})

    def _transformer(self, spec: Any) -> TransformerModel:
        """Load a transformer from a Hub id, a folder, a GGUF file or a pair."""
        from .transformer import load_transformer

        if self.kind == "static":
            raise InputError(
                f"{_what(spec)} is a transformer and cannot be loaded with `kind` 'static'",
                option="kind",
                hint="omit `kind`",
            )
        self._check_options(load_transformer, "transformers")
        options: dict[str, Any] = {**self.options, **({"token": self.token} if self.token else {})}
        return load_transformer(
            spec, kind=self.kind, device=self.device, dtype=self.dtype, revision=self.revision,
            allow_pickle=self.allow_pickle, **options,
        )  # fmt: skip

    def _served(self, spec: str) -> Model:
        """A model behind an address, which is neither loaded here nor looked for as a file."""
        from .endpoint import load_endpoint

        self._refuse_options(
            "a model behind an address", "kind", "device", "dtype", "revision", "file", "token"
        )
        self._check_options(load_endpoint, "an endpoint")
        return load_endpoint(spec, **self.options)

    def _sentences(self, spec: Any) -> Model:
        """Wrap a SentenceTransformer, whose own device and dtype stay."""
        from .transformer import load_sentences

        kind = () if self.kind == "encoder" else ("kind",)
        self._refuse_options("a SentenceTransformer, which is loaded already,", *kind, "device", "dtype")
        self._check_options(load_sentences, "a SentenceTransformer")
        return load_sentences(spec, **self.options)

    def _ready(self, model: Any) -> Model:
        self._refuse_options(
            f"{model.name}, which is a model already,", *self.options, "kind", "device", "dtype"
        )
        return model  # type: ignore[no-any-return]

    def _from_asset(self, asset: Any) -> Model:
        from ..assets import fetch

        if not asset.is_model:
            raise ModelError(f"{asset.name} is {asset.kind}, not a model")
        self._refuse_options(f"the asset {asset.name}", "revision", "file")
        path = fetch(asset) / asset.entry
        if asset.kind != "word vectors":
            model = self._transformer(path)
            name = self.options.get("name") or asset.name
            model.source = dataclasses.replace(model.source, name=name, facts=asset.provenance())
            return model
        return self._static(path, name=asset.name, identity=asset.provenance(), **asset.options)

    def _from_path(self, path: Path) -> Model:
        from ._vectors.libraries import is_spacy_folder
        from ._vectors.open import choose_vector_file, model_type, naming_config, sniff

        here = ("revision", "file") if path.is_file() else ("revision",)
        self._refuse_options(f"the {'file' if path.is_file() else 'folder'} {quoted(str(path))}", *here)
        if path.is_file():
            return self._transformer(path) if sniff(path).kind == "GGUF" else self._static(path)
        if self.file is not None:
            return self._from_chosen(path, self.file)
        if self.kind != "static" and ((path / ADAPTER).is_file() or self.options.get("subfolder")):
            return self._transformer(path)
        config = path / "config.json"
        type_ = model_type(config.read_bytes()) if config.is_file() else None
        _refuse_word_pieces(path, type_, path / MODULES)
        if self.kind != "static" and (type_ is not None or any(path.glob("*.gguf"))):
            return self._transformer(path)
        if is_spacy_folder(path):
            return self._static(path)
        names = [p.name for p in path.iterdir() if p.is_file()]
        with naming_config(config.read_bytes() if config.is_file() else None, str(path)):
            return self._static(path / choose_vector_file(names, str(path)))

    def _from_chosen(self, folder: Path, file: str) -> Model:
        # By its words, not by where it lies: the files of a Hub cache are links to another folder.
        if Path(file).is_absolute() or ".." in Path(file).parts:
            raise InputError(
                f"`file` must be the name of a file within {folder}, got {quoted(file)}", option="file"
            )
        if not (folder / file).is_file():
            raise ModelError(f"{folder} has no file {quoted(file)}", option="file")
        self.file = None
        return self._from_path(folder / file)

    def _from_hub(self, repo_id: str) -> Model:
        from ._hub import find_repo
        from ._vectors.open import choose_vector_file, model_type, sidecars, sniff

        repo = find_repo(repo_id, self.revision, self.token)
        subfolder = self.options.get("subfolder")
        if self.file is None and (ADAPTER in repo.files or subfolder):
            is_adapter = (f"{subfolder}/{ADAPTER}" if subfolder else ADAPTER) in repo.files
            if not is_adapter:
                return self._of_repo(repo)
            # By its id and commit instead of where it was downloaded to.
            adapted = self._transformer(repo.folder())
            name = self.options.get("name") or repo.repo_id
            adapted.source = dataclasses.replace(adapted.source, name=name)
            return self._with_commit(adapted, repo)
        type_ = model_type(repo.file("config.json").read_bytes()) if "config.json" in repo.files else None
        if self.file is None:
            _refuse_word_pieces(repo_id, type_, repo.file(MODULES) if MODULES in repo.files else None)
        chosen = self.file
        if chosen is None and self.kind != "static" and holds_gguf_only(repo.files):
            chosen, *more = sorted(name for name in repo.files if name.endswith(".gguf"))
            if more:
                raise ModelError(
                    f"{repo_id} contains {1 + len(more)} GGUF files",
                    option="file",
                    hint=f"set `file` to one of {', '.join([chosen, *more])}",
                )
        elif chosen is None and self.kind != "static" and type_ is not None:
            return self._of_repo(repo)
        chosen = chosen or choose_vector_file(repo.files, repo_id)
        path = repo.file(chosen)
        if sniff(path).kind == "GGUF":
            return self._with_commit(self._transformer(path), repo, file=chosen)
        for name in sidecars(repo.files, chosen):
            repo.file(name)
        identity = {"source": repo_id, "revision": repo.commit, "file": chosen}
        return self._static(path, name=repo_id, identity=identity)

    def _with_commit(self, model: TransformerModel, repo: HubRepo, **facts: str) -> Model:
        """The model, recorded by the commit it is from instead of the file or folder it was downloaded to."""
        known = {**model.source.facts, "source": repo.repo_id, **facts}
        model.source = dataclasses.replace(model.source, facts=known, revision=repo.commit)
        return model

    def _of_repo(self, repo: HubRepo) -> Model:
        """A transformer of the Hub, and whether it is that of a SentenceTransformer."""
        self.revision = repo.commit
        model = self._transformer(repo.repo_id)
        subfolder = self.options.get("subfolder")
        name = f"{subfolder}/{MODULES}" if subfolder else MODULES
        if name in repo.files:
            sentences = sentence_folder(repo.file(name), repo.folder, subfolder)
            model.source = dataclasses.replace(model.source, sentences=sentences)
        return model

    def _refuse_options(self, what: str, *names: str) -> None:
        """Refuse those of these options that were given."""
        unsuitable = [
            name for name in names if name in self.options or getattr(self, name) not in ("auto", None)
        ]
        if unsuitable:
            raise InputError(
                f"{what} does not support {joined(unsuitable)}", option=unsuitable[0], hint="omit it"
            )

    def _check_options(self, loader: Callable[..., Any], what: str) -> None:
        known = {name: o for name, o in _options_of(loader).items() if name not in options_of(load_model)}
        checked_options(self.options, known, f"load_model of {what}")


def _refuse_word_pieces(place: Any, model_type: str | None, modules: Path | None) -> None:
    """Refuse a table of pieces of words: older folders of model2vec name their type, newer ones a module alone."""
    folder = None if modules is None else sentence_folder(modules)
    if model_type == "model2vec" or (folder is not None and folder.modules[0] == "StaticEmbedding"):
        raise ModelError(
            f"{place} is a model2vec or StaticEmbedding model, whose vectors belong to pieces of words",
            hint="load it with model2vec or sentence-transformers and pass the mapping {word: model.encode(word)} "
            "of your words",
        )


def _what(spec: Any) -> str:
    return os.fspath(spec) if isinstance(spec, (str, os.PathLike)) else f"a {type(spec).__name__}"
