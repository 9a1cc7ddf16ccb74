"""Cloth, ropes, soft bodies and particles among the bodies of a world."""

from __future__ import annotations

import numpy as np
import pytest

import carom
from carom import Material, Shape, World

GRAVITY = 9.81
THICKNESS = 0.05


def sheet(n: int, size: float) -> tuple[np.ndarray, np.ndarray]:
    """A flat square of n by n cells, each cut into two triangles."""
    along = np.linspace(0, size, n + 1)
    x, y = np.meshgrid(along, along, indexing="ij")
    vertices = np.stack([x.ravel(), y.ravel(), np.zeros(x.size)], 1)
    i, j = np.meshgrid(np.arange(n), np.arange(n), indexing="ij")
    v = (i * (n + 1) + j).ravel()
    lower = np.stack([v, v + n + 1, v + 1], 1)
    upper = np.stack([v + 1, v + n + 1, v + n + 2], 1)
    return vertices, np.concatenate([lower, upper])


def put_each(world: World, material: Material) -> list[int]:
    """Puts a cloth, a rope, a block of six tetrahedra and grains on the plane z = 0."""
    low = 0.5 * THICKNESS
    vertices, faces = sheet(6, 0.4)
    cloth = world.add_cloth(vertices + [0, -3, low], faces, thickness=THICKNESS, material=material)
    line = np.c_[0.07 * np.arange(8), np.full(8, -1.5), np.full(8, low)]
    rope = world.add_rope(line, thickness=THICKNESS, material=material)
    corners = 0.2 * np.array([[i >> 2 & 1, i >> 1 & 1, i & 1] for i in range(8)], float)
    # Around the diagonal from corner 0 to corner 7.
    ring = [4, 6, 2, 3, 1, 5]
    cells = [[0, ring[k], ring[(k + 1) % 6], 7] for k in range(6)]
    block = world.add_soft_body(
        corners + [0, 0, low],
        cells,
        thickness=THICKNESS,
        material=material,
        youngs_modulus=1e6,
    )
    places = np.c_[np.zeros(3), [1.5, 2.0, 2.5], np.full(3, low)]
    grains = world.add_particles(places, low, material=material)
    return [cloth, rope, block, grains]


@pytest.mark.parametrize(
    "rule,floor_rule,friction",
    [
        ("min", "min", 0.1),
        ("max", "max", 0.9),
        ("average", "average", 0.5),
        ("multiply", "multiply", 0.09),
        # The later rule counts.
        ("min", "max", 0.9),
        ("average", "min", 0.1),
    ],
)
def test_combine_rules_decide_whether_a_soft_thing_slides(
    rule: str, floor_rule: str, friction: float
) -> None:
    """On a slope of tangent 0.3 a thing slides by g (0.3 - f), or stays."""
    slope = 0.3
    for own, other in [(0.1, 0.9), (0.9, 0.1)]:
        world = World((GRAVITY * slope, 0, -GRAVITY))
        world.add(
            Shape.half_space([0, 0, 1]),
            mobility="fixed",
            material=Material(other, friction_rule=floor_rule),
        )
        things = put_each(world, Material(own, friction_rule=rule))
        assert things == [0, 1, 2, 3]
        start = [world.soft_positions(thing)[:, 0].mean() for thing in things]
        world.step(1 / 60, 60)
        expected = 0.5 * GRAVITY * max(slope - friction, 0)
        for thing, before in zip(things, start, strict=True):
            way = world.soft_positions(thing)[:, 0].mean() - before
            assert abs(way - expected) < 0.01 + 0.06 * expected, (thing, own, way, expected)


def test_soft_things_hang_fall_and_go_into_a_snapshot() -> None:
    world = World()
    world.add(Shape.half_space([0, 0, 1]), mobility="fixed")
    vertices, faces = sheet(8, 1.0)
    flag = world.add_cloth(vertices + [0, 0, 2], faces, pinned=[0, 8], density=0.3)
    water = world.add_particles(
        np.random.default_rng(1).uniform(0, 0.5, (200, 3)) + [3, 0, 0.3],
        0.05,
        kind="liquid",
        velocity=[0, 0, -1],
    )
    assert np.all(world.soft_velocities(water) == [0, 0, -1])
    world.step(1 / 60, 36)
    hung = world.soft_positions(flag)
    np.testing.assert_allclose(hung[[0, 8]], vertices[[0, 8]] + [0, 0, 2], atol=1e-5)
    assert hung[-1, 2] < 1.4 and world.soft_positions(water)[:, 2].min() > 0
    again = World.from_snapshot(world.snapshot())
    for each in (world, again):
        each.step(1 / 60, 30)
    for thing in (flag, water):
        np.testing.assert_array_equal(world.soft_positions(thing), again.soft_positions(thing))
    again.remove_soft(flag)
    again.step(1 / 60)
    with pytest.raises(carom.WorldError, match="soft thing 0 does not exist"):
        again.soft_positions(flag)
    assert again.soft_positions(water).shape == (200, 3)
    assert again.add_rope([[0, 0, 1], [0, 0, 2]]) == 2


def test_soft_things_that_cannot_be_are_refused() -> None:
    world = World()
    vertices, faces = sheet(2, 1.0)
    with pytest.raises(carom.ShapeError, match="vertex 9 of 9 does not exist"):
        world.add_cloth(vertices, [[0, 1, 9]])
    with pytest.raises(ValueError, match="kind"):
        world.add_particles(vertices, 0.1, kind="jam")
    with pytest.raises(carom.WorldError):
        world.add_cloth(vertices, faces, density=-1.0)
    with pytest.raises(carom.WorldError):
        world.add_cloth(vertices, faces, pinned=[99])
    with pytest.raises(ValueError, match="tetrahedra"):
        world.add_soft_body(vertices, faces)
    with pytest.raises(carom.WorldError, match="soft thing 7 does not exist"):
        world.remove_soft(7)


def test_filters_and_restitution_of_soft_things() -> None:
    world = World()
    level = carom.Filter(groups=2, mask=4)
    world.add(Shape.box([20, 20, 0.5]), [0, 0, -0.25], mobility="fixed", filter=level)
    world.add(Shape.box([20, 20, 0.5]), [0, 0, -2.25], mobility="fixed")
    met = carom.Filter(groups=4, mask=2)
    bouncy = carom.Material(0.5, 0.8)
    points = np.array([[0.0, 0.0, 1.0], [0.1, 0.0, 1.0]])
    rope = world.add_rope(points, thickness=0.1, filter=met, material=bouncy)
    other = world.add_rope(points + [3, 0, 0], thickness=0.1)
    grains = world.add_particles([[6, 0, 1]], 0.05, filter=met)
    highest = 0.0
    for _ in range(80):
        world.step(1 / 60)
        if world.soft_velocities(rope)[0, 2] > 0.1:
            highest = max(highest, float(world.soft_positions(rope)[0, 2]) - 0.05)
    assert highest == pytest.approx(0.95 * 0.8**2, abs=0.06)
    world.step(1 / 60, 200)
    assert world.soft_positions(rope)[0, 2] == pytest.approx(0.05, abs=0.01)
    assert world.soft_positions(grains)[0, 2] == pytest.approx(0.05, abs=0.01)
    assert world.soft_positions(other)[0, 2] == pytest.approx(-1.95, abs=0.01)
    world.set_soft_filter(grains, carom.Filter())
    world.step(1 / 60, 120)
    assert world.soft_positions(grains)[0, 2] == pytest.approx(-1.95, abs=0.01)
