"""A table of values: a sequence for Python, a table for notebooks, a data frame for pandas and polars."""

import importlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Generic, NamedTuple, TypeVar, overload

import msgspec
from msgspec import inspect

from arena.library.markup import Cells, table
from arena.system.errors import UserError

T = TypeVar("T", bound=msgspec.Struct, covariant=True)


class Wording(NamedTuple):
    """How people read rows: `cells` gives the text for each heading; `words` are the headings of the
    columns that hold no numbers."""

    cells: Callable[[Any], Mapping[str, str]]
    words: Collection[str]


PANDAS: Final[Mapping[str, str]] = {
    "int": "int64",
    "int?": "Int64",
    "float": "float64",
    "float?": "float64",
    "bool": "bool",
    "bool?": "boolean",
}
"""The dtype of a column by the kind of its values; `?` stands for those that may be None. The other columns
hold the values themselves."""
POLARS: Final[Mapping[str, str]] = {
    "int": "Int64",
    "float": "Float64",
    "bool": "Boolean",
    "str": "String",
    "json": "String",
}


# Not a Struct, since a Struct cannot be a Sequence.
@dataclass(frozen=True, slots=True, repr=False)
class Rows(Sequence[T], Generic[T]):
    """A frozen sequence of rows. Index it for a row, slice it for fewer rows. `title` says what they are,
    `kind` is the class of each row, and its fields are the columns. `notes` are sentences about the whole
    table; a slice keeps them."""

    title: str
    kind: type[T]
    values: tuple[T, ...]
    notes: tuple[str, ...] = ()
    wording: Wording | None = field(default=None, compare=False)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns, in order."""
        return self.kind.__struct_fields__

    @overload
    def __getitem__(self, at: int) -> T: ...
    @overload
    def __getitem__(self, at: slice) -> "Rows[T]": ...
    def __getitem__(self, at: int | slice) -> "T | Rows[T]":
        return replace(self, values=self.values[at]) if isinstance(at, slice) else self.values[at]

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Iterator[T]:
        return iter(self.values)

    def to_dicts(self) -> list[dict[str, Any]]:
        """Each row as a dictionary of plain values: texts, numbers, lists and dictionaries."""
        return [
            {name: msgspec.to_builtins(getattr(row, name)) for name in self.columns} for row in self.values
        ]

    def to_pandas(self) -> Any:
        """The rows as a pandas.DataFrame. None is NaN, or NA in a column of whole numbers; views, lists and
        the like are objects. Raises UserError where pandas is not installed."""
        pandas = _library("pandas")
        kinds, dicts = _kinds(self.kind), self.to_dicts()
        return pandas.DataFrame(
            {
                name: pandas.Series([row[name] for row in dicts], dtype=PANDAS.get(kind, _as_found(kind)))
                for name, kind in kinds.items()
            }
        )

    def to_polars(self) -> Any:
        """The rows as a polars.DataFrame. Lists of texts or numbers stay lists; views and other values whose
        shape differs from row to row become JSON. Raises UserError where polars is not installed."""
        polars = _library("polars")
        kinds, dicts = {name: kind.rstrip("?") for name, kind in _kinds(self.kind).items()}, self.to_dicts()

        def dtype(kind: str) -> Any:
            inner = kind.removesuffix("[]")
            found = getattr(polars, POLARS[inner])
            return found if inner == kind else polars.List(found)

        def value(row: Mapping[str, Any], name: str) -> Any:
            held = row[name]
            return _json(held) if kinds[name] == "json" and held is not None else held

        data = {name: [value(row, name) for row in dicts] for name in kinds}
        return polars.DataFrame(data, schema={name: dtype(kind) for name, kind in kinds.items()})

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy, also one that was pickled, has no words of its own for people."""
        return Rows, (self.title, self.kind, self.values, self.notes)

    def __repr__(self) -> str:
        count = "1 row" if len(self) == 1 else f"{len(self)} rows"
        return f"<{self.title}: {count} of {', '.join(self.columns)}>"

    def _repr_html_(self) -> str:
        """The table as a notebook shows it: the first and last rows of a long one."""
        return table(self.title, self._headings(), len(self), self._cells, self.notes)

    def _headings(self) -> Sequence[str]:
        if self.wording is None or not self.values:
            return self.columns
        return list(self.wording.cells(self.values[0]))

    def _cells(self, at: int) -> Cells:
        """The texts of a row, as people read them, each with whether it is a number."""
        row = self.values[at]
        if self.wording is None:
            return [_shown(getattr(row, name)) for name in self.columns]
        words = self.wording.words
        return [(text, heading not in words) for heading, text in self.wording.cells(row).items()]


def _shown(value: Any) -> tuple[str, bool]:
    if value is None:
        return "–", True
    if isinstance(value, bool):
        return str(value), False
    if isinstance(value, float):
        return f"{value:.6g}", True
    if isinstance(value, int | str):
        return str(value), isinstance(value, int)
    return _json(value), False


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _library(name: str) -> Any:
    """Imported where it is used, since the arena needs none of them. Raises UserError."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        raise UserError(f"{name} is not installed: pip install {name} (to_dicts() works without)") from None


def _kinds(kind: type[msgspec.Struct]) -> dict[str, str]:
    """The kind of the values of each column: int, float, bool, str, one of these with [] for a list of them,
    or json for everything else; each with a `?` where a value may be None."""
    found = inspect.type_info(kind)
    assert isinstance(found, inspect.StructType)
    return {field.name: _kind(field.type) for field in found.fields}


def _kind(found: inspect.Type) -> str:
    match found:
        case inspect.IntType():
            return "int"
        case inspect.FloatType():
            return "float"
        case inspect.BoolType():
            return "bool"
        case inspect.StrType() | inspect.EnumType():
            return "str"
        case inspect.Metadata(type=inner):
            return _kind(inner)
        case inspect.ListType(item_type=inner) | inspect.VarTupleType(item_type=inner):
            return f"{kind}[]" if (kind := _kind(inner)) in ("int", "float", "bool", "str") else "json"
        case (
            inspect.UnionType(types=(inner, inspect.NoneType()))
            | inspect.UnionType(types=(inspect.NoneType(), inner))
        ):
            return f"{_kind(inner)}?"
    return "json"


def _as_found(kind: str) -> str | None:
    """The dtype of texts is pandas' own; whatever is nested stays an object."""
    return None if kind.startswith("str") and "[]" not in kind else "object"
