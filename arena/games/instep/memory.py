"""Pickles arrays that share memory, so that a part of an array is still a part of it in the copy. Knows no
batch.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

Bases: TypeAlias = dict[int, npt.NDArray[Any]]
"""The arrays that own their memory, each by a number."""


class SharedArray(NamedTuple):
    """An array in the memory of another one."""

    base: int
    """The number of the other array."""
    offset: int
    """In bytes, like `strides`."""
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: np.dtype[Any]

    def within(self, bases: Bases) -> npt.NDArray[Any]:
        """The array, as a part of its base."""
        base = bases[self.base]
        memory = base if base.flags.c_contiguous else base.T
        return np.ndarray(self.shape, self.dtype, memory, self.offset, self.strides)


def in_parts(attributes: Mapping[str, Any]) -> tuple[dict[str, Any], Bases]:
    """The attributes, with a SharedArray for each array that does not own its memory; and those that do."""
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
    """The attributes from what `in_parts` returned, or from a copy of it."""
    return {
        name: value.within(bases) if isinstance(value, SharedArray) else value
        for name, value in attributes.items()
    }
