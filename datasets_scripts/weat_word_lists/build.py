"""Build the folder of the Hub data set ``bias/weat-word-lists``.

    python datasets_scripts/weat_word_lists/build.py --out build/weat_word_lists

writes one JSONL file for each configuration and the data set card, ready for
``datasets.load_dataset("build/weat_word_lists", "de")`` and for an upload. The lists of the paper and the
translations are the ones packaged with the library. The co-created German lists are fetched from their pinned
source, or read with ``--source`` from a copy of that repository; ``--without-cocreated`` leaves them out. The
same input gives the same bytes.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, get_origin

import yaml

from evaluate_bias.data.origins import RepositoryFile
from evaluate_bias.data.schemas import WORD_LISTS, WordListTest, as_word_list_test
from evaluate_bias.data.tables import decoded
from evaluate_bias.data.word_lists import languages, load_word_lists
from evaluate_bias.errors import AssetError, BiasError, DataError, OutputError

HERE = Path(__file__).resolve().parent
LICENCE = HERE.parents[1] / "LICENSE"
REPOSITORY = "BFH-AMI/BIAS"
COMMIT = "504ef79492d77b52f4ed47959b086acbce66ae7f"
FOLDER = "BiasDetection/datasets/de/WEAT"
CO_CREATED = "de-cocreated"
DEFAULT_CONFIG = "en"
LANGUAGE_NAMES = {
    "de": "German",
    "en": "English",
    "es": "Spanish",
    "fr": "French",
    "is": "Icelandic",
    "it": "Italian",
    "nl": "Dutch",
    "no": "Norwegian (Bokmål)",
    "tr": "Turkish",
}


@dataclass(frozen=True, slots=True)
class CoCreated:
    """One co-created test: its file in the pinned repository, and what that file does not say."""

    file: RepositoryFile
    bias_type: str

    @property
    def name(self) -> str:
        return PurePosixPath(self.file.path).stem.lower()


def pinned(name: str, sha256: str, bias_type: str) -> CoCreated:
    return CoCreated(
        RepositoryFile(repository=REPOSITORY, commit=COMMIT, path=f"{FOLDER}/{name}", sha256=sha256),
        bias_type,
    )


CO_CREATED_TESTS = (
    pinned("CW1.txt", "265662cfc105df5ddb4c499e85c6dc19f1313816327993607c389fe6cdeb6971", "parenthood"),
    pinned("CW2.txt", "85d9ed3d9c8a111a69ac5eb864f6ad892c1389eef1f0df14d79f7fe053a53dd7", "age"),
    pinned("CW3.txt", "1623e23c90e374cd2e6ccc694b28d94f438b9394906e26ccae5db7555f9d65e7", "nationality"),
    pinned("CW4.txt", "0a22ce3ef3552a1f0ef0cb6ff3aef196bf28d57aa237c40e3fba9c11a2176a87", "gender"),
    pinned("CW5.txt", "f1e36b0f65a05694f6a189158d80ab706b195e272785c5fdf0137b089432d589", "gender"),
)

CO_CREATED_TEXT = f"""\
- **`{CO_CREATED}`**: German tests based on co-creation, from the BIAS Detection Framework
  ([{REPOSITORY}](https://github.com/{REPOSITORY}/tree/{COMMIT}), Apache-2.0), converted from
  its text files; words and labels are unchanged.
"""


def build(
    out: Path,
    *,
    source: Path | None = None,
    cocreated: Sequence[CoCreated] = CO_CREATED_TESTS,
) -> Path:
    """Write the data set folder.

    Args:
        out: folder to write; an earlier build in it is replaced.
        source: folder laid out as the upstream repository; ``None`` fetches the pinned files.
        cocreated: the co-created tests to include.

    Returns:
        ``out``.

    Raises:
        OutputError: ``out`` holds something else, or cannot be written.
        AssetError, DataError: an upstream file cannot be had, is not the pinned one, or does not have the
            expected format.
    """
    refuse_foreign(out)
    configs = {language: list(load_word_lists(language=language)) for language in languages()}
    if cocreated:
        configs[CO_CREATED] = [convert(c.file.read(source, verify=True), c) for c in cocreated]
    files = {f"{config}.jsonl": "".join(map(row_line, tests)) for config, tests in configs.items()}
    files["README.md"] = card(configs)
    files["LICENSE"] = LICENCE.read_text(encoding="utf-8")
    replace_folder(out, files)
    return out


def row_line(test: WordListTest) -> str:
    return json.dumps(test.model_dump(mode="json"), ensure_ascii=False) + "\n"


def convert(raw: bytes, origin: CoCreated) -> WordListTest:
    """Turn one text file of the BIAS framework into a test.

    Comment lines start with ``#``; they name two targets and two attributes, and a label given again is the
    same one. The other lines that are not blank are the lists X, Y, A and B, separated by commas.

    Raises:
        DataError: there are not two target labels, two attribute labels and four lists.
    """
    where = origin.file.path
    lines = [line.strip() for line in decoded(raw, where, "utf-8").splitlines()]
    labels: dict[str, list[str]] = {"Target": [], "Attribute": []}
    for line in lines:
        role, colon, label = line.lstrip("# ").partition(":")
        if line.startswith("#") and colon and role in labels and label.strip() not in labels[role]:
            labels[role].append(label.strip())
    lists = [[word.strip() for word in line.split(",")] for line in lines if line and line[0] != "#"]
    if [len(labels["Target"]), len(labels["Attribute"]), len(lists)] != [2, 2, 4]:
        raise DataError(
            f"{where} must name 2 targets and 2 attributes and have 4 lists, not "
            f"{len(labels['Target'])}, {len(labels['Attribute'])} and {len(lists)}"
        )
    (x, y), (a, b) = labels["Target"], labels["Attribute"]
    return as_word_list_test(
        {
            "name": origin.name,
            "language": "de",
            "title": f"{x.capitalize()} and {y} with {a} and {b}",
            "x_label": x,
            "y_label": y,
            "a_label": a,
            "b_label": b,
            **dict(zip(WORD_LISTS, lists, strict=True)),
            "bias_type": origin.bias_type,
            "origin": "co-created",
            "source": origin.file.url,
            "licence": "Apache-2.0",
            "notes": "From the BIAS Detection Framework; only title and bias type were added.",
        },
        where,
    )


def card(configs: Mapping[str, Sequence[WordListTest]]) -> str:
    """Fill the numbers and the machine-readable part into the card."""
    _, front, body = (HERE / "README.md").read_text(encoding="utf-8").split("---\n", 2)
    tags = sorted({test.language for tests in configs.values() for test in tests})
    count = sum(len(tests) for tests in configs.values())
    header = {
        "language": tags,
        **yaml.safe_load(front),
        "size_categories": ["n<1K"],
        "configs": [config_entry(config) for config in configs],
        "dataset_info": [{"config_name": config, "features": features()} for config in configs],
    }
    filled = (
        body.replace("{{tests}}", str(count))
        .replace("{{languages}}", str(len(tags)))
        .replace("{{configurations}}", table(configs))
        .replace("{{cocreated}}", f"{CO_CREATED_TEXT if CO_CREATED in configs else ''}\n")
    )
    return f"---\n{yaml.safe_dump(header, sort_keys=False, allow_unicode=True)}---\n{filled}"


def config_entry(config: str) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "config_name": config,
        "data_files": [{"split": "test", "path": f"{config}.jsonl"}],
    }
    return {**entry, "default": True} if config == DEFAULT_CONFIG else entry


def features() -> list[dict[str, str]]:
    """The columns in the notation of data set cards."""
    return [
        {"name": name, "list" if get_origin(field.annotation) is tuple else "dtype": "string"}
        for name, field in WordListTest.model_fields.items()
    ]


def table(configs: Mapping[str, Sequence[WordListTest]]) -> str:
    rows = ["| configuration | language | tests | different words | origin |", "|---|---|---|---|---|"]
    for config, tests in configs.items():
        words = {w for t in tests for w in (*t.targets_x, *t.targets_y, *t.attributes_a, *t.attributes_b)}
        named = ", ".join(dict.fromkeys(LANGUAGE_NAMES[t.language] for t in tests))
        origin = ", ".join(dict.fromkeys(t.origin for t in tests))
        rows.append(f"| `{config}` | {named} | {len(tests)} | {len(words)} | {origin} |")
    return "\n".join(rows)


def refuse_foreign(out: Path) -> None:
    """Raise OutputError when ``out`` is something else than an earlier build."""
    if out.is_file():
        raise OutputError(f"{out} is a file: choose a folder")
    own = {"README.md", "LICENSE"}
    for path in sorted(out.iterdir()) if out.exists() else ():
        if path.name not in own and path.suffix != ".jsonl":
            raise OutputError(
                f"{out} holds {path.name!r}, which is no part of the data set: choose another folder"
            )


def replace_folder(out: Path, files: Mapping[str, str]) -> None:
    """Write the files beside ``out`` and put them in its place."""
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".build-", dir=out.parent) as scratch:
            staged = Path(scratch, "new")
            staged.mkdir()
            for name, text in files.items():
                (staged / name).write_text(text, encoding="utf-8", newline="\n")
            if out.exists():
                out.rename(Path(scratch, "old"))
            staged.rename(out)
    except OSError as error:
        raise OutputError(f"the data set cannot be written to {out}: {error}") from error


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Build the folder of the Hub data set bias/weat-word-lists.")
    parser.add_argument("--out", type=Path, required=True, help="folder to write")
    parser.add_argument(
        "--source", type=Path, help=f"copy of the repository {REPOSITORY}, instead of fetching"
    )
    parser.add_argument(
        "--without-cocreated", action="store_true", help="leave the co-created German lists out"
    )
    options = parser.parse_args(arguments)
    try:
        cocreated = () if options.without_cocreated else CO_CREATED_TESTS
        out = build(options.out, source=options.source, cocreated=cocreated)
    except AssetError as error:
        print(f"error: {error}; or use --source or --without-cocreated", file=sys.stderr)
        return 1
    except BiasError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(f"wrote {len(list(out.glob('*.jsonl')))} configurations to {out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
