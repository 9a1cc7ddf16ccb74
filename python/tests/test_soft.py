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


def test_vertices_are_pinned_attached_and_released() -> None:
    world = World()
    line = np.c_[0.1 * np.arange(6), np.zeros(6), np.full(6, 3.0)]
    rope = world.add_rope(line, thickness=0.05)
    world.pin_soft(rope, [0, 5], line[[0, 5]])
    world.step(1 / 60, 60)
    np.testing.assert_allclose(world.soft_positions(rope)[[0, 5]], line[[0, 5]], atol=1e-5)
    # One end is led away; the other is pinned where it is.
    world.pin_soft(rope, [5], [[0.2, 0, 3.3]])
    world.step(1 / 60)
    np.testing.assert_allclose(world.soft_positions(rope)[5], [0.2, 0, 3.3], atol=1e-5)
    world.pin_soft(rope, [5])
    world.step(1 / 60, 30)
    np.testing.assert_allclose(world.soft_positions(rope)[5], [0.2, 0, 3.3], atol=1e-5)
    # A ball hangs on it, and falls when it is released.
    end = world.soft_positions(rope)[5]
    ball = world.add(Shape.sphere(0.1), end - [0, 0, 0.2], mass=0.05)
    world.release_soft(rope, [5])
    world.attach_soft(rope, [5], ball)
    world.step(1 / 60, 240)
    hung = world.poses()[0, 2]
    assert 2.0 < hung < 2.6
    world.release_soft(rope, [5])
    world.step(1 / 60, 60)
    assert world.poses()[0, 2] < hung - 3
    with pytest.raises(ValueError, match=r"vertices\[1\]: vertex 6 of 6 does not exist"):
        world.release_soft(rope, [0, 6])
    with pytest.raises(ValueError, match="positions: 1 rows for 2 vertices"):
        world.pin_soft(rope, [0, 1], [[0, 0, 0]])
    with pytest.raises(carom.WorldError, match="body 9 does not exist"):
        world.attach_soft(rope, [0], 9)
    grains = world.add_particles([[9, 9, 9]], 0.05)
    with pytest.raises(carom.WorldError, match="particles have no vertices"):
        world.pin_soft(grains, [0])
    # An error changes nothing.
    np.testing.assert_allclose(world.soft_positions(rope)[0], line[0], atol=1e-5)


def test_events_of_soft_things() -> None:
    world = World()
    floor = world.add(Shape.half_space([0, 0, 1]), mobility="fixed")
    grains = world.add_particles([[0, 0, 0.3]], 0.1)
    rope = world.add_rope([[5, 0, 0.6], [5.1, 0, 0.6]], thickness=0.1)
    seen: list[tuple[int, int, bool]] = []
    for _ in range(60):
        world.step(1 / 60)
        events = world.soft_events()
        seen += zip(events.things.tolist(), events.bodies.tolist(), events.began.tolist())
    assert [first for first in seen if first[2]][:2] == [(grains, floor, True), (rope, floor, True)]
    # Numbers go into a snapshot. A removal ends the contact.
    world = World.from_snapshot(world.snapshot())
    world.remove_soft(rope)
    world.step(1 / 60)
    events = world.soft_events()
    assert (events.things.tolist(), events.bodies.tolist()) == ([rope], [floor])
    assert events.began.tolist() == [False]


def test_settings_of_soft_things() -> None:
    def sag(**settings: int) -> float:
        world = World()
        world.set_soft_settings(**settings)
        line = np.c_[0.05 * np.arange(40), np.zeros(40), np.zeros(40)]
        rope = world.add_rope(line, pinned=[0, 39], thickness=0.04)
        past = world.snapshot()
        world.step(1 / 60, 90)
        again = World.from_snapshot(past)
        again.step(1 / 60, 90)
        np.testing.assert_array_equal(world.soft_positions(rope), again.soft_positions(rope))
        return float(world.soft_positions(rope)[:, 2].min())

    # A rope is stiffer with more substeps.
    assert sag(substeps=1) < 2 * sag(substeps=16) < 0
    world = World()
    for bad in ({"substeps": 0}, {"iterations": 257}, {"rest_speed": -1.0}):
        with pytest.raises(carom.WorldError):
            world.set_soft_settings(**bad)


def test_a_gas_rises() -> None:
    places = np.random.default_rng(2).uniform(0, 0.5, (100, 3))
    heights = []
    for lift in (0.2, 2.0):
        world = World()
        gas = world.add_particles(places, 0.05, kind="gas", lift=lift, drag=0.1)
        again = World.from_snapshot(world.snapshot())
        for each in (world, again):
            each.step(1 / 60, 40)
        heights.append(world.soft_positions(gas)[:, 2].mean())
        np.testing.assert_array_equal(world.soft_positions(gas), again.soft_positions(gas))
    assert places[:, 2].mean() < heights[0] < heights[1] - 0.5
    with pytest.raises(ValueError, match="lift: is not for the kind"):
        world.add_particles(places, 0.05, kind="liquid", lift=1.0)
