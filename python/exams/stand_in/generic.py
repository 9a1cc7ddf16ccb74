"""In the place of the module `generic` of trimesh's tests, which its source package lacks.

It has the names that the tests of collisions, rays, nearest points and bounds use. Models that are
simple solids are made here; tests that need another one are skipped.
"""

from __future__ import annotations

import logging
import time
import timeit
import unittest
from collections import deque
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import trimesh
from shapely.geometry import Point, Polygon
from trimesh import Trimesh
from trimesh.constants import tol

__all__ = ["Point", "Polygon", "Trimesh", "deque", "np", "time", "timeit", "tol", "unittest"]

log = logging.getLogger("trimesh")
PY3 = True
_RANDOM = np.random.default_rng(1)


def random(*arguments: Any) -> Any:
    """Returns random numbers from 0 to 1."""
    return _RANDOM.random(*arguments)


class RandomSeed:
    """Within it the numbers of numpy are those of a seed."""

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def __enter__(self) -> None:
        self.state = np.random.get_state()
        np.random.seed(self.seed)

    def __exit__(self, *_: object) -> None:
        np.random.set_state(self.state)


def random_transforms(count: int, translate: float = 1000) -> Iterator[Any]:
    """Returns random rigid transforms."""
    for _ in range(count):
        matrix = trimesh.transformations.random_rotation_matrix(random(3))
        matrix[:3, 3] = (random(3) - 0.5) * translate
        yield matrix


transforms = [np.eye(4), *random_transforms(20)]


MAKERS: dict[str, Any] = {
    "unit_cube.STL": lambda: trimesh.creation.box(),
    "unit_sphere.STL": lambda: trimesh.creation.icosphere(subdivisions=2),
}


def get_mesh(name: str, **options: Any) -> Any:
    """Returns a model, or skips the test if it is not made here."""
    if name not in MAKERS:
        pytest.skip("the model is not in the source package")
    made = MAKERS[name]()
    return trimesh.Trimesh(made.vertices, made.faces, **options)


def get_meshes(count: int = 5, **_: Any) -> Iterator[Any]:
    """Returns some meshes of different kinds."""
    yield from [
        trimesh.creation.box([1, 2, 3]),
        trimesh.creation.icosphere(),
        trimesh.creation.cylinder(1, 3),
        trimesh.creation.torus(3, 1),
        trimesh.creation.capsule(),
    ][:count]


class _Missing(dict[str, Any]):
    """The recorded data of the project, which the package lacks."""

    def __missing__(self, key: str) -> Any:
        pytest.skip("the recorded data is not in the source package")


data: dict[str, Any] = _Missing()
