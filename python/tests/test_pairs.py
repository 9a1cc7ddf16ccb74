"""Two shapes, against closed forms and brute force."""

from __future__ import annotations

import math

import numpy as np
import pytest

import carom
from carom import Shape


def rotation(axis: list[float], angle: float) -> np.ndarray:
    """Rodrigues' formula."""
    x, y, z = np.asarray(axis, float) / np.linalg.norm(axis)
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.asarray(np.eye(3) + math.sin(angle) * k + (1 - math.cos(angle)) * (k @ k))


def pose(
    translation: list[float], axis: list[float] | None = None, angle: float = 0.0
) -> np.ndarray:
    out = np.eye(4)
    out[:3, 3] = translation
    if axis is not None:
        out[:3, :3] = rotation(axis, angle)
    return out


def test_ball_and_box() -> None:
    box, ball = Shape.box([2, 1, 1]), Shape.sphere(0.5)
    gap = carom.distance(box, ball, None, [0, 1.25, 0])
    assert gap.distance == pytest.approx(0.25, abs=1e-15)
    assert float(gap) == gap.distance and gap.error == 0.0
    np.testing.assert_allclose(gap.point_a, [0, 0.5, 0], atol=1e-15)
    np.testing.assert_allclose(gap.point_b, [0, 0.75, 0], atol=1e-15)
    np.testing.assert_allclose(gap.normal, [0, 1, 0], atol=1e-15)
    # The corner of the box.
    away = carom.distance(box, ball, None, [2, 1.5, 1.5]).distance
    assert away == pytest.approx(math.sqrt(3) - 0.5, rel=1e-14)
    assert not carom.intersects(box, ball, None, [0, 1.25, 0])
    assert carom.intersects(box, ball, None, [0, 1.0, 0]), "touching counts"


def test_contact_is_depth_and_way_out() -> None:
    box, ball = Shape.box([2, 1, 1]), Shape.sphere(0.5)
    deep = carom.contact(box, ball, None, [0, 0.9, 0])
    assert deep is not None
    assert deep.depth == pytest.approx(0.1, abs=1e-12) and deep.distance == -deep.depth
    np.testing.assert_allclose(deep.normal, [0, 1, 0], atol=1e-12)
    assert carom.contact(box, ball, None, [0, 1.25, 0]) is None
    near = carom.contact(box, ball, None, [0, 1.25, 0], prediction=0.3)
    assert near is not None and near.distance == pytest.approx(0.25)


def test_box_on_box_has_four_contacts() -> None:
    found = carom.contacts(Shape.box([1, 1, 1]), Shape.box([2, 2, 1]), [0, 0, 0.95], None)
    assert len(found) == 4
    corners = sorted((round(c.point_a[0], 9), round(c.point_a[1], 9)) for c in found)
    assert corners == [(-0.5, -0.5), (-0.5, 0.5), (0.5, -0.5), (0.5, 0.5)]
    assert all(c.depth == pytest.approx(0.05) and not c.is_local for c in found)


@pytest.mark.parametrize("axis", ["x", "y", "z"])
def test_axes(axis: str) -> None:
    unit = np.eye(3)["xyz".index(axis)]
    across = np.roll(unit, 1)
    probe = Shape.sphere(0.25)
    for shape, along, side in [
        (Shape.capsule(0.5, 2.0, axis), 1.5, 0.5),
        (Shape.cylinder(0.5, 2.0, axis), 1.0, 0.5),
        (Shape.tapered_capsule(0.5, 0.5, 2.0, axis), 1.5, 0.5),
    ]:
        for sign in (1, -1):
            assert float(carom.distance(shape, probe, None, sign * 5 * unit)) == pytest.approx(
                5 - 0.25 - along
            )
        assert float(carom.distance(shape, probe, None, 5 * across)) == pytest.approx(
            5 - 0.25 - side
        )
    cone = Shape.cone(0.5, 2.0, axis)
    # A ball above the apex, and one beside it that is far from the slope.
    assert float(carom.distance(cone, probe, None, 3 * unit)) == pytest.approx(3 - 0.25 - 1)
    below = 0.6 * across - unit
    assert float(carom.distance(cone, probe, None, below + 0.5 * across)) == pytest.approx(
        0.6 - 0.25
    )
    ring = Shape.torus(2.0, 0.5, axis)
    assert not carom.intersects(ring, probe), "the hole"
    assert float(carom.distance(ring, probe, None, 2 * unit)) == pytest.approx(
        math.sqrt(8) - 0.75, abs=1e-6
    )


def test_tapered_capsule_is_wide_at_the_bottom() -> None:
    shape = Shape.tapered_capsule(1.0, 0.25, 4.0)
    low, high = shape.bounds()
    assert low[2] == pytest.approx(-3.0, abs=1e-6) and high[2] == pytest.approx(2.25, abs=1e-6)


def test_half_space() -> None:
    ground, ball = Shape.half_space([0, 0, 2], 1.0), Shape.sphere(1.0)
    # All points with 2 z <= 1 * 2.
    assert float(carom.distance(ground, ball, None, [7, -3, 5])) == pytest.approx(3.0)
    deep = carom.contact(ground, ball, None, [0, 0, 1.5])
    assert deep is not None and deep.depth == pytest.approx(0.5)
    up = ground.scaled([1, 1, 2])
    assert float(carom.distance(up, ball, None, [0, 0, 5])) == pytest.approx(2.0)


def test_poses_in_all_forms() -> None:
    bar, ball = Shape.box([4, 1, 1]), Shape.sphere(0.5)
    turned = pose([1, 2, 3], [0, 0, 1], math.pi / 2)
    seven = np.array([1, 2, 3, 0, 0, math.sqrt(0.5), math.sqrt(0.5)])
    place = np.array([1.0, 6.0, 3.0])
    for form in (
        turned,
        turned.tolist(),
        turned.astype(np.float32),
        np.asfortranarray(turned),
        seven,
        list(seven),
    ):
        gap = carom.distance(bar, ball, form, place)
        assert gap.distance == pytest.approx(1.5, abs=1e-6)
        np.testing.assert_allclose(gap.point_a, [1, 4, 3], atol=1e-6)


def test_distance_of_hulls_against_brute_force() -> None:
    rng = np.random.default_rng(1)
    for _ in range(20):
        a, b = rng.normal(size=(12, 3)), rng.normal(size=(12, 3)) + [6, 0, 0]
        gap = carom.distance(Shape.hull(a), Shape.hull(b))
        assert np.linalg.norm(gap.point_b - gap.point_a) == pytest.approx(gap.distance)
        # The nearest points are in the hulls, and the planes through them separate the corners.
        assert np.all(a @ gap.normal <= gap.point_a @ gap.normal + 1e-12)
        assert np.all(b @ gap.normal >= gap.point_b @ gap.normal - 1e-12)


def test_batches_are_like_single_queries() -> None:
    rng = np.random.default_rng(2)
    a, b = Shape.box([1, 2, 3]), Shape.cone(0.7, 2)
    n = 700
    q = rng.normal(size=(n, 4))
    poses = np.hstack([rng.uniform(-3, 3, (n, 3)), q / np.linalg.norm(q, axis=1, keepdims=True)])
    here = pose([0.1, 0.2, 0.3], [1, 2, 3], 0.7)
    touching = carom.intersects_batch(a, b, here, poses)
    distances = carom.distance_batch(a, b, here, poses, threads=2)
    contacts = carom.contact_batch(a, b, here, poses, prediction=0.5)
    assert touching.shape == (n,) and 50 < touching.sum() < n - 50
    for i in range(n):
        assert touching[i] == carom.intersects(a, b, here, poses[i])
        gap = carom.distance(a, b, here, poses[i])
        assert distances.distance[i] == gap.distance
        np.testing.assert_array_equal(distances.point_a[i], gap.point_a)
        single = carom.contact(a, b, here, poses[i], prediction=0.5)
        assert np.isnan(contacts.distance[i]) == (single is None)
        if single is not None:
            assert contacts.distance[i] == single.distance
            np.testing.assert_array_equal(contacts.normal[i], single.normal)
    for threads in (1, 3, 7):
        again = carom.distance_batch(a, b, here, poses, threads=threads)
        np.testing.assert_array_equal(again.point_b, distances.point_b)
    matrices = np.tile(np.eye(4), (n, 1, 1))
    matrices[:, :3, 3] = poses[:, :3]
    np.testing.assert_array_equal(
        carom.intersects_batch(a, b, None, matrices),
        carom.intersects_batch(a, b, None, poses[:, :3].copy()),
    )


def cube(size: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], float) - 0.5
    faces = [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1]]
    faces += [[2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]]
    return corners * size, np.array(faces)


def test_meshes_as_surfaces_and_as_solids() -> None:
    box, peg = Shape.mesh(*cube(2.0)), Shape.mesh(*cube(0.5))
    assert box.is_solid and box.volume == pytest.approx(8.0)
    assert not carom.intersects(box, peg) and carom.intersects(box, peg, solid=True)
    assert carom.intersects(box, Shape.sphere(0.25), solid=True)
    assert not carom.intersects(box, Shape.sphere(0.25))
    assert not carom.intersects(box, peg, None, [2, 0, 0], solid=True)
    assert carom.relation(box, peg) == "overlapping"
    assert carom.relation(box, peg, None, [1.25, 0, 0]) == "touching"
    assert carom.relation(box, peg, None, [1.3, 0, 0]) == "clear"
    overlap = carom.overlap(box, peg, None, [1.15, 0, 0])
    assert overlap is not None and overlap.is_exact
    assert overlap.at_least == pytest.approx(0.1) and overlap.at_most == pytest.approx(0.1)
    np.testing.assert_allclose(overlap.separation, [0.1, 0, 0], atol=1e-9)
    assert carom.overlap(box, peg, None, [3, 0, 0]) is None
    open_box = Shape.mesh(cube()[0], cube()[1][:-1])
    assert not open_box.is_solid and carom.relation(open_box, peg) is None


def test_triangle_pairs_against_separating_axes() -> None:
    rng = np.random.default_rng(3)
    a, b = rng.uniform(-1, 1, (40, 3, 3)), rng.uniform(-1, 1, (40, 3, 3))
    mesh_a, mesh_b = (Shape.mesh(t.reshape(-1, 3), np.arange(120).reshape(-1, 3)) for t in (a, b))
    found = {tuple(pair) for pair in carom.triangle_pairs(mesh_a, mesh_b)}
    expected = {(i, j) for i in range(40) for j in range(40) if triangles_meet(a[i], b[j])}
    assert 20 < len(expected) and found == expected


def triangles_meet(a: np.ndarray, b: np.ndarray) -> bool:
    """Separating axes of two triangles in general position."""
    edges_a, edges_b = np.roll(a, -1, 0) - a, np.roll(b, -1, 0) - b
    axes = [np.cross(edges_a[0], edges_a[1]), np.cross(edges_b[0], edges_b[1])]
    axes += [np.cross(e, f) for e in edges_a for f in edges_b]
    for axis in axes:
        p, q = a @ axis, b @ axis
        if p.max() < q.min() or q.max() < p.min():
            return False
    return True


def test_compound_and_rounded() -> None:
    dumbbell = Shape.compound(
        [(Shape.sphere(0.5), [-2, 0, 0]), (Shape.cylinder(0.5, 1.0), [2, 0, 0])]
    )
    gap = carom.distance(dumbbell, Shape.sphere(0.25), None, [2, 0, 3])
    assert gap.distance == pytest.approx(2.25) and gap.part_a == 1
    assert not carom.intersects(dumbbell, Shape.sphere(0.25))
    soft = Shape.rounded(Shape.cylinder(1.0, 2.0), 0.5)
    assert float(carom.distance(soft, Shape.sphere(1.0), None, [0, 0, 5])) == pytest.approx(2.5)
    assert float(carom.distance(soft, Shape.sphere(1.0), None, [5, 0, 0])) == pytest.approx(2.5)


def test_height_field() -> None:
    x, y = np.meshgrid(np.arange(5), np.arange(4), indexing="ij")
    field = Shape.height_field(x + 10.0 * y, (1.0, 2.0))
    assert field.n_faces == 2 * 4 * 3 and not field.is_solid
    # Sample (i, j) is at x = i - 2, y = 2 j - 3.
    hits = carom.cast_ray(field, [[-2, -3, 99], [2, 3, 99], [0, -3, 99]], [[0, 0, -1.0]] * 3)
    np.testing.assert_allclose(hits.point[:, 2], [0, 4 + 30, 2], atol=1e-9)


def test_mass_properties() -> None:
    mass, center, inertia = Shape.cylinder(0.5, 2.0).mass_properties(3.0)
    assert mass == pytest.approx(3 * math.pi * 0.25 * 2)
    np.testing.assert_allclose(center, 0, atol=1e-15)
    across = mass * (3 * 0.25 + 4) / 12
    np.testing.assert_allclose(inertia, np.diag([across, across, mass * 0.25 / 2]), atol=1e-12)


def test_scaled() -> None:
    tall = Shape.cylinder(0.5, 1.0).scaled([2, 2, 3])
    low, high = tall.bounds()
    np.testing.assert_allclose(high - low, [2, 2, 3], atol=1e-5)
    assert Shape.sphere(1.0).scaled(2.0).volume == pytest.approx(8 * 4 / 3 * math.pi)
    with pytest.raises(carom.ShapeError):
        Shape.cylinder(0.5, 1.0).scaled([2, 1, 1])
    sideways = Shape.cylinder(0.5, 1.0, "x").scaled([5, 1, 1])
    np.testing.assert_allclose(sideways.bounds()[1], [2.5, 0.5, 0.5], atol=1e-5)


def test_hull_faces_are_closed() -> None:
    hull = Shape.hull(np.random.default_rng(4).normal(size=(40, 3)))
    mesh = Shape.mesh(hull.vertices, hull.faces)
    assert mesh.is_solid and mesh.volume == pytest.approx(hull.volume)


def test_arrays_that_begin_anywhere_in_memory() -> None:
    """The bytes of a message or a file, from the second on: numpy calls them not aligned."""

    def shifted(array: np.ndarray) -> np.ndarray:
        data = b"x" + array.tobytes()
        view = np.frombuffer(data, array.dtype, offset=1).reshape(array.shape)
        assert not view.flags.aligned
        return np.asarray(view)

    rng = np.random.default_rng(4)
    points, heights = rng.normal(size=(40, 3)), rng.normal(size=(5, 6))
    place = np.array([3.0, 1.0, 0.5])
    corners, faces = cube(0.5)
    pairs = [
        (Shape.hull(points), Shape.hull(shifted(points))),
        (Shape.hull(points.astype("f4")), Shape.hull(shifted(points.astype("f4")))),
        (Shape.point_cloud(points, 0.1), Shape.point_cloud(shifted(points), 0.1)),
        (Shape.height_field(heights, (1, 1)), Shape.height_field(shifted(heights), (1, 1))),
        (Shape.mesh(corners, faces), Shape.mesh(shifted(corners), shifted(faces))),
    ]
    ball = Shape.sphere(0.5)
    for a, b in pairs:
        wanted = float(carom.distance(a, ball, None, place))
        assert float(carom.distance(b, ball, None, shifted(place))) == wanted
