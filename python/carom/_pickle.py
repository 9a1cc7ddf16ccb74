"""Shapes as pickles: the name of a constructor and its arguments."""

from __future__ import annotations

import copyreg
from typing import Any

from ._carom import Shape


def make(constructor: str, arguments: tuple[Any, ...]) -> Shape:
    """Makes a shape again."""
    shape = getattr(Shape, constructor)(*arguments)
    assert isinstance(shape, Shape)
    return shape


def _reduce(shape: Shape) -> tuple[Any, tuple[Any, ...]]:
    return make, shape._recipe()


copyreg.pickle(Shape, _reduce)
