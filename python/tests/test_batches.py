"""Rays and points in batches, against closed forms and brute force in numpy."""

from __future__ import annotations

import math

import numpy as np
import pytest

import carom
from carom import Shape


def soup(n: int, seed: int) -> tuple[np.ndarray, Shape]:
    """Returns n triangles, (n, 3, 3), and their mesh."""
    rng = np.random.default_rng(seed)
    triangles = rng.uniform(-1, 1, (n, 1, 3)) + rng.uniform(-0.4, 0.4, (n, 3, 3))
    return triangles, Shape.mesh(triangles.reshape(-1, 3), np.arange(3 * n).reshape(-1, 3))


def ball_mesh(n: int) -> Shape:
    """Returns a convex closed mesh with corners on the unit sphere."""
    i = np.arange(n)
    z, phi = 1 - (2 * i + 1) / n, i * math.pi * (3 - math.sqrt(5))
    r = np.sqrt(1 - z * z)
    hull = Shape.hull(np.stack([r * np.cos(phi), r * np.sin(phi), z], 1))
    return Shape.mesh(hull.vertices, hull.faces)


def hits_by_brute_force(triangles: np.ndarray, o: np.ndarray, d: np.ndarray) -> np.ndarray:
    """Moeller and Trumbore for all rays and triangles: t, infinite without a hit. (n, m)."""
    a, e, f = triangles[:, 0], triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]
    p = np.cross(d[:, None], f[None])
    det = np.einsum("nmk,mk->nm", p, e)
    s = o[:, None] - a[None]
    u = np.einsum("nmk,nmk->nm", s, p) / det
    q = np.cross(s, e[None])
    v = np.einsum("nk,nmk->nm", d, q) / det
    t = np.einsum("nmk,mk->nm", q, f) / det
    return np.where((u >= 0) & (v >= 0) & (u + v <= 1) & (t >= 0), t, np.inf)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_first_hits_against_brute_force(dtype: type) -> None:
    triangles, mesh = soup(200, 1)
    rng = np.random.default_rng(2)
    origins: np.ndarray = rng.uniform(-2, 2, (3000, 3)).astype(dtype)
    directions: np.ndarray = rng.normal(size=(3000, 3)).astype(dtype)
    hits = carom.cast_ray(mesh, origins, directions)
    t = hits_by_brute_force(triangles, origins.astype(float), directions.astype(float))
    np.testing.assert_allclose(hits.t, t.min(1), rtol=1e-9)
    met = hits.hit
    assert 500 < met.sum() < 2900
    np.testing.assert_array_equal(hits.part[met], t.argmin(1)[met])
    assert np.all(hits.part[~met] == -1) and np.all(np.isnan(hits.point[~met]))
    np.testing.assert_allclose(
        hits.point[met], (origins + hits.t[:, None] * directions)[met], atol=1e-6
    )
    # Every hit, too.
    found = carom.cast_ray_all(mesh, origins, directions)
    assert len(found.ray) == np.isfinite(t).sum()
    np.testing.assert_allclose(found.t, t[found.ray, found.part], rtol=1e-9)
    assert np.all(np.diff(found.ray) >= 0)


def test_rays_do_not_depend_on_threads_or_layout() -> None:
    _, mesh = soup(300, 3)
    rng = np.random.default_rng(4)
    rays = rng.normal(size=(5000, 6))
    first = carom.cast_ray(
        mesh, np.ascontiguousarray(rays[:, :3]), np.ascontiguousarray(rays[:, 3:])
    )
    for threads in (1, 2, 7):
        again = carom.cast_ray(mesh, rays[:, :3], rays[:, 3:], threads=threads)
        for name in ("t", "point", "normal", "part", "is_back_face"):
            np.testing.assert_array_equal(getattr(first, name), getattr(again, name))


def test_no_ray_is_lost_at_edges() -> None:
    mesh = ball_mesh(400)
    # From the middle to every corner and every middle of an edge.
    corners = mesh.vertices
    edges = np.concatenate([mesh.faces[:, [0, 1]], mesh.faces[:, [1, 2]], mesh.faces[:, [2, 0]]])
    targets = np.concatenate([corners, corners[edges].mean(1)])
    hits = carom.cast_ray(mesh, np.zeros_like(targets), targets)
    assert hits.hit.all() and hits.is_back_face.all()
    np.testing.assert_allclose(hits.t, 1.0, atol=1e-12)
    crossings = carom.cast_ray_all(mesh, np.zeros_like(targets), targets, crossings=True)
    np.testing.assert_array_equal(crossings.ray, np.arange(len(targets)))


def test_rays_on_shapes() -> None:
    x = [[-5.0, 0, 0]]
    for shape, t in [
        (Shape.sphere(1.0), 4.0),
        (Shape.box([1, 1, 1]), 4.5),
        (Shape.cylinder(1.0, 2.0), 4.0),
        (Shape.capsule(0.5, 3.0, "x"), 3.0),
        (Shape.torus(2.0, 0.5), 2.5),
        (Shape.half_space([-1, 0, 0], 2.0), 3.0),
    ]:
        hits = carom.cast_ray(shape, x, [[2.0, 0, 0]])
        assert hits.t[0] == pytest.approx(t / 2, abs=1e-9)
        np.testing.assert_allclose(hits.normal[0], [-1, 0, 0], atol=1e-9)
    assert not carom.cast_ray(Shape.sphere(1.0), x, [[1.0, 0, 0]], max_t=3.9).hit[0]
    assert carom.cast_ray(Shape.sphere(1.0), x, [[1.0, 0, 0]], [0, 5, 0]).hit.tolist() == [False]
    found = carom.cast_ray_all(Shape.torus(2.0, 0.5), x, [[1.0, 0, 0]])
    np.testing.assert_allclose(found.t, [2.5, 3.5, 6.5, 7.5], atol=1e-9)


def test_nearest_points_against_brute_force() -> None:
    mesh = ball_mesh(60)
    triangles = mesh.vertices[mesh.faces]
    points = np.random.default_rng(5).uniform(-1.5, 1.5, (400, 3))
    near = carom.nearest_points(mesh, points)
    distance = distances_to_triangles(points, triangles)
    np.testing.assert_allclose(np.abs(near.signed_distance), distance.min(1), atol=1e-12)
    rows = np.arange(len(points))
    np.testing.assert_allclose(distance[rows, near.part], distance.min(1), atol=1e-12)
    # A convex mesh: inside is below all planes.
    n = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    inside = np.all(np.einsum("nmk,mk->nm", points[:, None] - triangles[None, :, 0], n) < 0, axis=1)
    assert 20 < inside.sum() < 380
    np.testing.assert_array_equal(near.is_inside, inside)
    np.testing.assert_array_equal(near.signed_distance < 0, inside)
    np.testing.assert_array_equal(carom.contains(mesh, points), inside)
    np.testing.assert_allclose(carom.winding_number(mesh, points), inside, atol=1e-12)


def distances_to_triangles(points: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """The distances by the planes and the three edges, (n, m)."""
    best = np.full((len(points), len(triangles)), np.inf)
    p = points[:, None]
    n = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])[None]
    is_above = np.ones_like(best, dtype=bool)
    for i in range(3):
        start, edge = triangles[None, :, i], (np.roll(triangles, -1, 1) - triangles)[None, :, i]
        is_above &= (np.cross(edge, p - start) * n).sum(-1) >= 0
        along = np.clip(((p - start) * edge).sum(-1) / (edge * edge).sum(-1), 0, 1)
        best = np.minimum(best, np.linalg.norm(p - start - along[..., None] * edge, axis=-1))
    height = np.abs(((p - triangles[None, :, 0]) * n).sum(-1)) / np.linalg.norm(n, axis=-1)
    return np.where(is_above, height, best)


def test_points_in_a_pose() -> None:
    box = Shape.box([2, 2, 2])
    near = carom.nearest_points(box, [[10.0, 0.0, 3.0], [10.5, 0.0, 0.0]], [10, 0, 0])
    np.testing.assert_allclose(near.signed_distance, [2, -0.5], atol=1e-12)
    np.testing.assert_allclose(near.point, [[10, 0, 1], [11, 0, 0]], atol=1e-12)
    np.testing.assert_array_equal(
        carom.contains(Shape.torus(2, 0.5), [[0, 0, 0], [2, 0, 0]]), [False, True]
    )


def test_empty_batches() -> None:
    none = np.zeros((0, 3))
    assert carom.cast_ray(Shape.sphere(1), none, none).t.shape == (0,)
    assert carom.cast_ray_all(Shape.sphere(1), none, none).point.shape == (0, 3)
    assert carom.nearest_points(Shape.sphere(1), none).point.shape == (0, 3)
    assert carom.distance_batch(Shape.sphere(1), Shape.sphere(1), None, none).distance.shape == (0,)
