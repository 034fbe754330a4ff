"""What the library knows of a data set: what its readers must know, its configurations and where they come from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, get_args, get_origin

from ..errors import InputError, UnknownNameError, expected_form
from ..paths import hub_id, recipe_file
from ..result import Skipped
from .kinds import DataKind
from .table_files import read_rows

if TYPE_CHECKING:
    import pyarrow as pa
    from pydantic import BaseModel

    from .origins import Origin


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """One configuration of a data set.

    Attributes:
        name: its name.
        language: language of its text, by default the language with which its name begins.
        splits: the file each split is made from.
        parse: reads what the origin gives, once for all configurations that have the same function here. The
            second argument is the file's name. By default, a table is read as rows, and several files are passed on as
            they are.
        convert: turns what ``parse`` gives into rows with the columns of the configuration, and :class:`Skipped` for
            columns of the file that cannot be used.
        schema: what its rows are, or a function that makes their Arrow schema.
        as_is: write rows as they are, unchecked: harnesses score the white space that a checked row drops.
        without: columns of that schema that are not written.
        licence: licence as the Hub writes it.
        rights: the copyright line of its source, or who made it if the source has no such line, empty for ours.
        parts: licence and rights of parts of it that come from others.
        refusal: why it may not be published again, empty when it may.
        tests: names of the tests that are its rows, if these are tests and do not come with the library.
    """

    name: str
    language: str = ""
    splits: Mapping[str, Origin]
    convert: Callable[[Any], Iterable[Mapping[str, Any] | Skipped]] = lambda rows: rows
    parse: Callable[[Any, str], Any] = lambda content, path: (
        read_rows(content, path) if isinstance(content, bytes) else content
    )
    schema: DataKind | type[BaseModel] | Callable[[], pa.Schema]
    as_is: bool = False
    without: tuple[str, ...] = ()
    licence: str
    rights: str = ""
    parts: tuple[tuple[str, str], ...] = ()
    refusal: str = ""
    tests: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "language", self.language or self.name.partition("-")[0])

    @property
    def publishable(self) -> bool:
        """True if it may be published again."""
        return not self.refusal

    @property
    def licences(self) -> list[str]:
        """Every licence in it, its own first."""
        return list(dict.fromkeys([self.licence, *(licence for licence, _ in self.parts)]))

    @property
    def model(self) -> type[BaseModel] | None:
        """What a row must look like, if it is checked."""
        if isinstance(self.schema, DataKind):
            return self.schema.schema
        return self.schema if isinstance(self.schema, type) else None

    def read(self, content: Any, path: str) -> Any:
        """Return what :attr:`parse` makes of the content of a file.

        Raises:
            DataError: the file does not have the published form.
        """
        with expected_form(path):
            return self.parse(content, path)

    def convert_rows(self, parsed: Any, path: str) -> tuple[list[Mapping[str, Any]], list[Skipped]]:
        """Return the rows made of a parsed file, checked, and what of it cannot be used.

        Raises:
            DataError: the file does not have the published form, or a row is not what it must be.
        """
        from .schemas import parse_row

        with expected_form(path):
            made = list(self.convert(parsed))
        left_out = [
            one if one.where else replace(one, where=path) for one in made if isinstance(one, Skipped)
        ]
        rows = [one for one in made if not isinstance(one, Skipped)]
        if (model := self.model) is None or self.as_is:
            return rows, left_out
        checked = (parse_row(model, row, f"{path}, row {i}") for i, row in enumerate(rows, 1))
        return [row.model_dump() for row in checked], left_out

    def columns(self) -> pa.Schema:
        """Return the Arrow schema of its rows. Pyarrow is imported only here, when a table is written."""
        if (model := self.model) is None:
            return self.schema()  # type: ignore[operator]
        return arrow_schema(model, self.without)

    def file(self, split: str) -> str:
        """Path of a split's file in the built folder."""
        return f"{self.name}/{split}.parquet"


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetRecord:
    """A data set this library knows. The caveats of a method hold on any data and appear in its own record.

    Attributes:
        name: its name, with underscores, and the name of its folder ``recipes/<name>``. Its ``card.md`` begins with
            title, papers and caveats, then what the Hub asks of a card: size, tasks, sources (``original``,
            ``extended`` from data of others, or both), who made the labels and judgements in it (``other``: this
            project, which had nobody check them), and tags. One without a card is packaged and neither built nor
            published.
        title: what people call it.
        caveats: what to know before quoting a score on it, one sentence or two each. The gravest comes first.
        illustrative: whether its items were written for this project and never validated. Scores on such data are
            shown with that remark, and are entered in no ``model-index``.
        packaged: whether its rows come with the library, one file per language.
        categories: what all its rows are about, such as ``"gender"``, empty if its rows or tests say that
            themselves.
        pretty_name: title of its card.
        papers: addresses of the papers that its rows come from. An arXiv address makes the Hub link the
            paper.
        configs: its configurations.
        revision: raised whenever its rows change although the files that they are made from do not.
    """

    name: str
    title: str
    caveats: tuple[str, ...]
    illustrative: bool = False
    packaged: bool = False
    categories: tuple[str, ...] = ()
    pretty_name: str = ""
    papers: tuple[str, ...] = ()
    configs: tuple[Config, ...] = ()
    revision: int = 1

    @property
    def hub_id(self) -> str:
        """Its id on the Hub, empty for one that is not published there."""
        return hub_id(self.name.replace("_", "-")) if self.configs else ""

    def select(self, names: Iterable[str] | None, split: str | None = None) -> tuple[Config, ...]:
        """Return the named configurations. ``None``: all that may be published.

        Args:
            names: names of configurations.
            split: the only split that the configurations returned have. ``None``: all of them.

        Raises:
            UnknownNameError: no configuration or split has this name.
            InputError: no name was given.
        """
        by_name = {c.name: c for c in self.configs}
        chosen = dict.fromkeys((c.name for c in self.configs if c.publishable) if names is None else names)
        for name in chosen:
            if name not in by_name:
                raise UnknownNameError(f"configuration of {self.name}", name, by_name)
            if split is not None and split not in by_name[name].splits:
                raise UnknownNameError("split", split, by_name[name].splits, option="split")
        if not chosen and names is not None:
            raise InputError(f"no configuration was named; {self.name} has {', '.join(by_name)}")
        configs = (by_name[name] for name in chosen)
        if split is None:
            return tuple(configs)
        return tuple(replace(c, splits={split: c.splits[split]}) for c in configs)


def describe_dataset(
    name: str, *, above: tuple[str, ...] = (), below: tuple[str, ...] = (), **facts: Any
) -> DatasetRecord:
    """Make the record of a data set that has a card, which says what it is called, its papers and its caveats.

    Args:
        name: its name.
        above: caveats that several data sets share, which go before its own.
        below: the same after its own.
        **facts: what else its record says.
    """
    front, _ = read_card(name)
    return DatasetRecord(
        name=name,
        title=front["title"],
        caveats=(*above, *front.get("caveats", ()), *below),
        categories=tuple(front.get("categories", ())),
        pretty_name=front["pretty_name"],
        papers=tuple(front.get("papers", ())),
        **facts,
    )


def read_card(name: str) -> tuple[dict[str, Any], str]:
    """Return the front matter and the text of a data set's card."""
    import yaml

    _, front, text = recipe_file(name, "card.md").read_text("utf-8").split("---\n", 2)
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return yaml.load(front, Loader=loader), text


def is_control(bias_type: str) -> bool:
    """True if a test of this bias type has no social content and only shows that a measure responds.

    Examples:
        >>> is_control("none (baseline)"), is_control("gender"), is_control("")
        (True, False, False)
    """
    return bias_type.startswith("none")


def arrow_schema(model: type[BaseModel], without: tuple[str, ...] = ()) -> pa.Schema:
    """Return the columns of a model's rows but for ready answers: texts, whole and real numbers, and lists of these.

    Examples:
        >>> from evaluate_bias.data.words import Occupation
        >>> [str(arrow_schema(Occupation).field(name).type) for name in ("bls_year", "women_bergsma")]
        ['int64', 'double']
    """
    import pyarrow as pa

    from .schemas import Schema

    hidden = {*without, *(model.ready() if issubclass(model, Schema) else ())}
    return pa.schema(
        [(name, _kind(field.annotation)) for name, field in model.model_fields.items() if name not in hidden]
    )


def columns_schema(*names: str, lists: tuple[str, ...] = (), nested: tuple[str, ...] = ()) -> pa.Schema:
    """Return columns of text, but for those that are lists of texts and those that are lists of such lists."""
    import pyarrow as pa

    text = pa.string()
    kinds = dict.fromkeys(lists, pa.list_(text)) | dict.fromkeys(nested, pa.list_(pa.list_(text)))
    return pa.schema([(name, kinds.get(name, text)) for name in names])


def _kind(annotation: Any) -> pa.DataType:
    import pyarrow as pa

    from .schemas import types_in

    if get_origin(annotation) is tuple:
        return pa.list_(_kind(get_args(annotation)[0]))
    types = set(types_in(annotation))
    if float in types:
        return pa.float64()
    return pa.int64() if int in types else pa.string()
