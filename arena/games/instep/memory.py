"""Arrays that share memory, in copies: a copy of two arrays of which one is a part of the other would be two
arrays that have nothing to do with each other. Knows arrays, and no batch.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

Bases: TypeAlias = dict[int, npt.NDArray[Any]]
"""By a number of its own, an array that owns its memory."""


class SharedArray(NamedTuple):
    """An array in the memory of another one, whose number is `base`. `offset` and `strides` in bytes."""

    base: int
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: np.dtype[Any]

    def within(self, bases: Bases) -> npt.NDArray[Any]:
        """The array again."""
        base = bases[self.base]
        memory = base if base.flags.c_contiguous else base.T
        return np.ndarray(self.shape, self.dtype, memory, self.offset, self.strides)


def in_parts(attributes: Mapping[str, Any]) -> tuple[dict[str, Any], Bases]:
    """The attributes of an object, with a Part in place of each array that does not own its memory; and the
    arrays that do."""
    bases: Bases = {}

    def part(value: Any) -> Any:
        if not isinstance(value, np.ndarray) or not isinstance(value.base, np.ndarray):
            return value
        base = value
        while isinstance(base.base, np.ndarray):
            base = base.base
        bases[id(base)] = base
        offset = value.__array_interface__["data"][0] - base.__array_interface__["data"][0]
        return SharedArray(id(base), offset, value.shape, value.strides, value.dtype)

    return {name: part(value) for name, value in attributes.items()}, bases


def joined(attributes: Mapping[str, Any], bases: Bases) -> dict[str, Any]:
    """The attributes again, of what `in_parts` gave or a copy of it."""
    return {
        name: value.within(bases) if isinstance(value, SharedArray) else value
        for name, value in attributes.items()
    }
