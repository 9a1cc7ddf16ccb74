"""Assemblies, against all pairs one by one."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest

import carom
from carom import Assembly, Shape


def scene(n: int, seed: int) -> tuple[list[Shape], np.ndarray]:
    rng = np.random.default_rng(seed)
    hull = Shape.hull(rng.normal(size=(20, 3)) * 0.4)
    kinds = [
        Shape.sphere(0.4),
        Shape.box([0.5, 1.0, 0.7]),
        Shape.capsule(0.2, 1.0),
        Shape.torus(0.6, 0.15),
        hull,
        Shape.mesh(hull.vertices, hull.faces),
    ]
    shapes = [kinds[i % len(kinds)] for i in range(n)]
    q = rng.normal(size=(n, 4))
    poses = np.hstack([rng.uniform(-3, 3, (n, 3)), q / np.linalg.norm(q, axis=1, keepdims=True)])
    return shapes, poses


def brute_force(shapes: list[Shape], poses: np.ndarray, clearance: float = 0.0) -> list[list[int]]:
    return [
        [i, j]
        for i in range(len(shapes))
        for j in range(i + 1, len(shapes))
        if carom.intersects(shapes[i], shapes[j], poses[i], poses[j], solid=True)
        or carom.distance(shapes[i], shapes[j], poses[i], poses[j]).distance < clearance
    ]


def test_clashes_against_all_pairs() -> None:
    shapes, poses = scene(60, 1)
    assembly = Assembly()
    np.testing.assert_array_equal(assembly.add_all(shapes, poses), np.arange(60))
    expected = brute_force(shapes, poses)
    assert 20 < len(expected) < 400
    assert assembly.clashes().tolist() == expected
    assert assembly.clashes(threads=1).tolist() == expected
    near = brute_force(shapes, poses, 0.2)
    assert len(expected) < len(near) and assembly.clashes(clearance=0.2).tolist() == near
    candidates = {tuple(pair) for pair in assembly.candidates().tolist()}
    assert {tuple(pair) for pair in expected} <= candidates


def test_incremental_moves_are_like_a_new_assembly() -> None:
    shapes, poses = scene(50, 2)
    assembly = Assembly()
    assembly.add_all(shapes, poses)
    rng = np.random.default_rng(3)
    for step in range(12):
        moved = rng.choice(50, 4, replace=False)
        poses[moved, :3] += rng.normal(size=(4, 3)) * 0.5
        if step % 2:
            assembly.move_all(moved.tolist(), poses[moved])
        else:
            for part in moved.tolist():
                assembly.move(part, poses[part])
        fresh = Assembly()
        fresh.add_all(shapes, poses)
        assert assembly.clashes().tolist() == fresh.clashes().tolist()
        np.testing.assert_allclose(assembly.pose(int(moved[0])), poses[moved[0]], atol=1e-15)
    assembly.remove(7)
    assert len(assembly) == 49 and 7 not in assembly.parts()
    assert assembly.clashes().tolist() == [
        pair for pair in fresh.clashes().tolist() if 7 not in pair
    ]
    assert assembly.add(shapes[7], poses[7]) == 50, "numbers are not used again"
    with pytest.raises(carom.WorldError, match="part 7 does not exist"):
        assembly.move(7, [0, 0, 0])


def test_least_distances() -> None:
    shapes, poses = scene(24, 4)
    poses[:, :3] *= 12
    assembly, other = Assembly(), Assembly()
    assembly.add_all(shapes[:14], poses[:14])
    other.add_all(shapes[14:], poses[14:])

    def distance(i: int, j: int) -> float:
        return float(carom.distance(shapes[i], shapes[j], poses[i], poses[j]))

    inner = min((distance(i, j), i, j) for i in range(14) for j in range(i + 1, 14))
    for threads in (1, 4):
        found = assembly.min_distance(threads=threads)
        assert found is not None and (found.distance, found.a, found.b) == inner
    assert found is not None
    assert np.linalg.norm(found.nearest.point_b - found.nearest.point_a) == pytest.approx(inner[0])
    outer = min((distance(i, j), i, j - 14) for i in range(14) for j in range(14, 24))
    found = assembly.min_distance_to(other)
    assert found is not None and (found.distance, found.a, found.b) == outer
    ball = Shape.sphere(0.1)
    near = min((float(carom.distance(shapes[i], ball, poses[i], [9, 9, 9])), i) for i in range(14))
    found = assembly.nearest_to(ball, [9, 9, 9])
    assert found is not None and (found.distance, found.a) == near
    assert Assembly().min_distance() is None and Assembly().nearest_to(ball) is None
    assert assembly.min_distance_to(Assembly()) is None


def test_the_pairs_of_one_part() -> None:
    shapes, poses = scene(60, 8)
    assembly = Assembly()
    assembly.add_all(shapes, poses)
    assembly.add(Shape.half_space([0, 0, 1], -2.5))
    pairs = assembly.clashes().tolist()
    for part in (0, 17, 60):
        own = [pair for pair in pairs if part in pair]
        assert own and assembly.clashes(of=part).tolist() == own
    for other in [a + b - 17 for a, b in pairs if 17 in (a, b)]:
        assembly.ignore(other, 17)
    assert assembly.clashes(of=17).tolist() == []
    found = assembly.min_distance(of=17)
    apart = [
        (float(carom.distance(shapes[i], shapes[17], poses[i], poses[17])), i)
        for i in range(60)
        if i != 17 and [min(i, 17), max(i, 17)] not in pairs
    ]
    assert found is not None and 17 in (found.a, found.b)
    assert (found.distance, found.a + found.b - 17) == min(apart)
    with pytest.raises(carom.WorldError, match="part 99 does not exist"):
        assembly.clashes(of=99)


def test_two_assemblies() -> None:
    shapes, poses = scene(60, 5)
    a, b = Assembly(), Assembly()
    a.add_all(shapes[:30], poses[:30])
    b.add_all(shapes[30:], poses[30:])
    pairs = brute_force(shapes, poses)
    expected = [[i, j - 30] for i, j in pairs if i < 30 <= j]
    assert 5 < len(expected) and a.clashes_with(b).tolist() == expected
    touching = a.touching(shapes[40], poses[40]).tolist()
    assert touching == [i for i in range(30) if [i, 40] in pairs]


def test_ignored_pairs_and_unbounded_parts() -> None:
    assembly = Assembly()
    ground = assembly.add(Shape.half_space([0, 0, 1]))
    balls = [assembly.add(Shape.sphere(0.6), [x, 0, 0.5]) for x in range(3)]
    high = assembly.add(Shape.sphere(1.0), [0, 0, 7])
    expected = [[ground, ball] for ball in balls] + [[1, 2], [2, 3]]
    assert assembly.clashes().tolist() == expected
    assembly.ignore(2, 1)
    assembly.ignore(ground, balls[0])
    assert assembly.clashes().tolist() == [[0, 2], [0, 3], [2, 3]]
    found = assembly.nearest_to(Shape.sphere(1.0), [50, 0, 9])
    assert found is not None and found.a == ground and found.distance == pytest.approx(8.0)
    assembly.move(high, [0, 0, 0])
    assert [ground, high] in assembly.clashes().tolist()


def test_a_part_inside_a_closed_mesh() -> None:
    ball = Shape.hull(np.random.default_rng(6).normal(size=(60, 3)) * 3)
    assembly = Assembly()
    assembly.add(Shape.mesh(ball.vertices, ball.faces))
    assembly.add(Shape.box([0.1, 0.1, 0.1]))
    assert assembly.clashes().tolist() == [[0, 1]]
    assert assembly.clashes(solid=False).tolist() == []


def test_undecided_pairs_are_listed() -> None:
    ball = Shape.hull(np.random.default_rng(6).normal(size=(60, 3)) * 3)
    open_ball = Shape.mesh(ball.vertices, ball.faces[2:])
    small = Shape.box([0.1, 0.1, 0.1])
    meshes, boxes = Assembly(), Assembly()
    for shape, x in [(open_ball, 0), (Shape.mesh(ball.vertices, ball.faces), 40), (small, 80)]:
        meshes.add(shape, [x, 0, 0])
    for x in (0, 40, 80, 120):
        boxes.add(small, [x, 0, 0])
    for clearance in (0.0, 0.01):
        assert meshes.clashes_with(boxes, clearance=clearance).tolist() == [[1, 1], [2, 2]]
        assert meshes.undecided_with(boxes, clearance=clearance).tolist() == [[0, 0]]
        for part, x in enumerate((0, 40, 80)):
            hits = meshes.touching(small, [x, 0, 0], clearance=clearance).tolist()
            assert hits == ([part] if 0 < part else [])
            doubts = meshes.undecided_near(small, [x, 0, 0], clearance=clearance).tolist()
            assert doubts == ([] if 0 < part else [part])
    # The box is nearer to the surface than the clearance: a clash for sure.
    assert meshes.undecided_with(boxes, clearance=10.0).tolist() == []
    assert [0, 0] in meshes.clashes_with(boxes, clearance=10.0).tolist()
    meshes.add(small)
    assert meshes.undecided(of=0).tolist() == meshes.undecided().tolist() == [[0, 3]]
    assert meshes.undecided(of=1).tolist() == []


def test_many_parts_are_quick() -> None:
    n = 20_000
    rng = np.random.default_rng(7)
    shape = Shape.sphere(0.4)
    assembly = Assembly()
    places = rng.uniform(0, 40, (n, 3))
    assembly.add_all([shape] * n, places)
    pairs = assembly.clashes()
    apart = np.linalg.norm(places[pairs[:, 0]] - places[pairs[:, 1]], axis=1)
    assert np.all(apart <= 0.8) and len(pairs) == pytest.approx(
        n * n / 2 * 4 / 3 * math.pi * 0.512 / 64_000, rel=0.1
    )
    # Removal takes time in proportion to the pairs of a part.
    start = time.perf_counter()
    for part in range(0, n, 2):
        assembly.remove(part)
    assert time.perf_counter() - start < 5
    odd = pairs[np.all(pairs % 2 == 1, axis=1)]
    assert 1000 < len(odd) and assembly.clashes().tolist() == odd.tolist()
