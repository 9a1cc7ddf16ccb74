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


def clusters() -> list[tuple[Shape, np.ndarray, np.ndarray | float]]:
    """A cloud, voxels and an octree: the shape, the centres of its parts, their half sizes or
    their radius.
    """
    rng = np.random.default_rng(3)
    points = rng.normal(size=(200, 3))
    cells = np.unique(rng.integers(0, 12, (150, 3)), axis=0)
    voxels = Shape.voxel_boxes(np.concatenate([cells, cells], 1), 0.25, [-1.5, -1.5, -1.5])
    tree = Shape.octree_data(octree_bytes(), 1.0)
    two = np.array([[0.5, 0.5, 0.5], [1.5, 0.5, 0.5]])
    return [
        (Shape.point_cloud(points, 0.05), points, 0.05),
        (voxels, -1.5 + 0.25 * (cells + 0.5), np.full(3, 0.125)),
        (tree, two, np.full(3, 0.5)),
    ]


@pytest.mark.parametrize("number", [0, 1, 2])
def test_batches_take_clusters(number: int) -> None:
    shape, centers, size = clusters()[number]
    rng = np.random.default_rng(number)
    n, radius = 400, 0.2
    at = rng.uniform(-3, 3, (n, 3))
    apart = np.abs(at[:, None] - centers)
    if isinstance(size, float):
        gap = np.linalg.norm(apart, axis=-1) - size
    else:
        gap = np.linalg.norm(np.maximum(apart - size, 0), axis=-1)
    gap = gap.min(1)
    ball = Shape.sphere(radius)
    found = carom.distance_batch(shape, ball, None, at)
    np.testing.assert_allclose(found.distance, np.maximum(gap - radius, 0), atol=1e-9)
    # The same in another frame, the other way round, and on other threads.
    frames = np.concatenate([rng.uniform(-1, 1, (n, 3)), rng.normal(size=(n, 4))], 1)
    frames[:, 3:] /= np.linalg.norm(frames[:, 3:], axis=1)[:, None]
    x, y, z, w = frames[:, 3:].T
    turn = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )
    moved = frames[:, :3] + np.einsum("ijn,nj->ni", turn, at)
    again = carom.distance_batch(ball, shape, moved, frames, threads=1)
    np.testing.assert_allclose(again.distance, found.distance, atol=1e-9)
    is_touching = gap <= radius
    assert 5 < is_touching.sum() < n - 10
    np.testing.assert_array_equal(carom.intersects_batch(shape, ball, None, at), is_touching)
    near = carom.contact_batch(shape, ball, None, at, prediction=0.5)
    np.testing.assert_array_equal(np.isnan(near.distance), gap > radius + 0.5)
    is_near = (gap > radius) & (gap <= radius + 0.5)
    np.testing.assert_allclose(near.distance[is_near], (gap - radius)[is_near], atol=1e-9)
    assert (near.distance[is_touching] <= 0).all()
    # Points: outside by the closed form, inside by the parts.
    points = carom.nearest_points(shape, at)
    outside = gap > 0
    np.testing.assert_allclose(points.signed_distance[outside], gap[outside], atol=1e-9)
    np.testing.assert_array_equal(carom.contains(shape, at), gap <= 0)
    np.testing.assert_array_equal(points.is_inside, gap <= 0)
    # Rays that begin outside: the first hit of all parts one by one.
    origins = at[outside]
    directions = rng.normal(size=origins.shape)
    hits = carom.cast_ray(shape, origins, directions)
    if isinstance(size, float):
        part = Shape.sphere(size)
    else:
        part = Shape.box(2 * size)
    t = np.full(len(origins), np.inf)
    for center in centers:
        t = np.minimum(t, carom.cast_ray(part, origins, directions, center).t)
    np.testing.assert_allclose(hits.t, t, rtol=1e-9, atol=1e-9)
    assert 3 < np.isfinite(t).sum() < len(t)
    # Empty batches, and one against another.
    assert carom.distance_batch(shape, shape, None, np.zeros((0, 3))).distance.shape == (0,)
    both = carom.distance_batch(shape, shape, None, [[0, 0, 0], [50, 0, 0]])
    assert both.distance[0] == 0 and 30 < both.distance[1] < 50
