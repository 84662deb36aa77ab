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
    """How rows are formatted for people."""

    cells: Callable[[Any], Mapping[str, str]]
    """Returns the text under each heading."""
    words: Collection[str]
    """The headings of columns without numbers."""


PANDAS: Final[Mapping[str, str]] = {
    "int": "int64",
    "int?": "Int64",
    "float": "float64",
    "float?": "float64",
    "bool": "bool",
    "bool?": "boolean",
}
"""The dtype of a column by the kind of its values, with `?` for values that may be None. Other columns
contain the values themselves."""
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
    """A frozen sequence of rows. Index it for a row, slice it for fewer rows."""

    title: str
    """What the rows are."""
    kind: type[T]
    """The class of each row, whose fields are the columns."""
    values: tuple[T, ...]
    notes: tuple[str, ...] = ()
    """Remarks below the table; a slice keeps them."""
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
        """Each row as a dictionary of plain values: strings, numbers, lists and dictionaries."""
        return [
            {name: msgspec.to_builtins(getattr(row, name)) for name in self.columns} for row in self.values
        ]

    def to_pandas(self) -> Any:
        """The rows as a pandas.DataFrame. None becomes NaN, or NA in a column of integers; views, lists and
        the like are objects. Raises UserError if pandas is not installed."""
        pandas = _library("pandas")
        kinds, dicts = _kinds(self.kind), self.to_dicts()
        return pandas.DataFrame(
            {
                name: pandas.Series([row[name] for row in dicts], dtype=PANDAS.get(kind, _as_found(kind)))
                for name, kind in kinds.items()
            }
        )

    def to_polars(self) -> Any:
        """The rows as a polars.DataFrame. Lists of strings or numbers stay lists; views and other values
        whose shape differs between rows become JSON. Raises UserError if polars is not installed."""
        polars = _library("polars")
        kinds, dicts = {name: kind.rstrip("?") for name, kind in _kinds(self.kind).items()}, self.to_dicts()

        def dtype(kind: str) -> Any:
            inner = kind.removesuffix("[]")
            element = getattr(polars, POLARS[inner])
            return element if inner == kind else polars.List(element)

        def value(row: Mapping[str, Any], name: str) -> Any:
            plain = row[name]
            return _json(plain) if kinds[name] == "json" and plain is not None else plain

        data = {name: [value(row, name) for row in dicts] for name in kinds}
        return polars.DataFrame(data, schema={name: dtype(kind) for name, kind in kinds.items()})

    def __reduce__(self) -> tuple[Any, ...]:
        """Copying and pickling drop `wording`, which contains functions."""
        return Rows, (self.title, self.kind, self.values, self.notes)

    def __repr__(self) -> str:
        count = "1 row" if len(self) == 1 else f"{len(self)} rows"
        return f"<{self.title}: {count} of {', '.join(self.columns)}>"

    def _repr_html_(self) -> str:
        """The table for a notebook; of a long one the first and last rows."""
        return table(self.title, self._headings(), len(self), self._cells, self.notes)

    def _headings(self) -> Sequence[str]:
        if self.wording is None or not self.values:
            return self.columns
        return list(self.wording.cells(self.values[0]))

    def _cells(self, at: int) -> Cells:
        """The texts of a row for people, each with whether it is a number."""
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
    """Import an optional library. Raises UserError if it is not installed."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        raise UserError(f"{name} is not installed: pip install {name} (to_dicts() works without)") from None


def _kinds(kind: type[msgspec.Struct]) -> dict[str, str]:
    """The kind of values in each column: int, float, bool, str, one of these with [] for a list of them, or
    json for everything else; followed by `?` if a value may be None."""
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
    """The dtype of other columns: pandas' own for strings, object for nested values."""
    return None if kind.startswith("str") and "[]" not in kind else "object"
