"""Point clouds, voxels and octrees."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import carom
from carom import Shape, fcl


def octree_bytes() -> bytes:
    """The cell of size 1 at the origin, and the next one along x."""
    words = [0b11 << 14, *[0b11] * 14, 0b1010]
    return np.array(words, dtype="<u2").tobytes()


def test_point_cloud() -> None:
    points = np.random.default_rng(1).normal(size=(500, 3))
    cloud, ball = Shape.point_cloud(points, 0.05), Shape.sphere(0.25)
    gap = carom.distance(cloud, ball, None, [4, 0, 0])
    truth = np.linalg.norm(points - [4, 0, 0], axis=1) - 0.3
    assert float(gap) == pytest.approx(truth.min(), abs=1e-12)
    assert cloud.kind == "point cloud" and repr(cloud) == "<carom.Shape point cloud, 500 points>"
    assert carom.intersects(cloud, ball, None, points[7])
    with pytest.raises(carom.ShapeError, match="radius"):
        Shape.point_cloud(points, 0.0)


def test_voxels() -> None:
    flags = np.zeros((4, 3, 2), bool)
    flags[:2, :, 0] = True
    grid = Shape.voxels(flags, 0.5, [1, 0, 0])
    np.testing.assert_allclose(grid.bounds(), np.array([[1, 0, 0], [2, 1.5, 0.5]]), atol=1e-6)
    assert grid.volume == pytest.approx(0.75)
    assert repr(grid) == "<carom.Shape voxels, 1 boxes>"
    with pytest.raises(carom.ShapeError, match="no cell is occupied"):
        Shape.voxels(np.zeros((2, 2, 2)), 1.0)
    with pytest.raises(ValueError, match="occupancy"):
        Shape.voxels(np.zeros((2, 2)), 1.0)
    with pytest.raises(ValueError, match="row 0"):
        Shape.voxel_boxes([[0, 0, 0, 0.5, 0, 0]], 1.0)


def test_octree(tmp_path: Path) -> None:
    head = b"# Octomap OcTree binary file\nid OcTree\nsize 18\nres 1\ndata\n"
    path = tmp_path / "map.bt"
    path.write_bytes(head + octree_bytes())
    ball = Shape.sphere(0.5)
    for tree in (Shape.octree(path), Shape.octree_data(octree_bytes(), 1.0)):
        assert float(carom.distance(tree, ball, None, [4, 0.5, 0.5])) == pytest.approx(1.5)
    geometry = fcl.CollisionObject(fcl.OcTree(1.0, octree_bytes()))
    other = fcl.CollisionObject(fcl.Sphere(0.5), fcl.Transform(np.array([2.25, 0.5, 0.5])))
    assert fcl.collide(geometry, other) == 1
    with pytest.raises(carom.ShapeError, match="truncated"):
        Shape.octree_data(octree_bytes()[:-1], 1.0)
