"""Several colliders on a body, materials, filters, sensors, and events with impulses."""

from __future__ import annotations

import math

import numpy as np
import pytest

import carom
from carom import Filter, Material, Shape, World

DT = 1 / 120
G = 9.81


def slope_normal(angle: float) -> list[float]:
    return [math.sin(angle), 0, math.cos(angle)]


def block_on_slope(world: World, angle: float, material: Material) -> int:
    half = angle / 2
    turn = [0, math.sin(half), 0, math.cos(half)]
    at = (np.array(slope_normal(angle)) * 0.25).tolist()
    return world.add(Shape.box([1, 1, 0.5]), at + turn, material=material)


@pytest.mark.parametrize("friction", [0.0, 0.1, 0.3])
def test_a_block_slides_down_a_slope(friction: float) -> None:
    world, angle = World(), 0.5
    material = Material(friction)
    world.add(Shape.half_space(slope_normal(angle)), mobility="fixed", material=material)
    block = block_on_slope(world, angle, material)
    world.step(DT, 120)
    speed = np.linalg.norm(world.velocities()[block, :3])
    assert speed == pytest.approx(G * (math.sin(angle) - friction * math.cos(angle)), rel=0.02)


def test_a_block_stays_when_friction_is_above_the_slope() -> None:
    world, angle = World(), 0.5
    rough = Material(1.2 * math.tan(angle))
    slope = world.add(Shape.half_space(slope_normal(angle)), mobility="fixed", material=rough)
    block = block_on_slope(world, angle, rough)
    world.step(DT, 240)
    assert np.linalg.norm(world.velocities()[block, :3]) < 1e-3
    # The rule decides: the smaller friction of the two counts.
    smooth = Material(0.0, friction_rule="min")
    world.set_material(int(world.colliders(slope)[0]), smooth)
    world.set_material(int(world.colliders(block)[0]), Material(1.0, friction_rule="min"))
    world.step(DT, 120)
    speed = np.linalg.norm(world.velocities()[block, :3])
    assert speed == pytest.approx(G * math.sin(angle), rel=0.02)


def test_a_bounce_and_its_impulse() -> None:
    world = World()
    ground = world.add(Shape.half_space([0, 0, 1]), mobility="fixed")
    bouncy = Material(restitution=0.5)
    ball = world.add(
        Shape.sphere(0.5), [0, 0, 2.5], mass=2.0, material=bouncy, impulse_threshold=5.0
    )
    began, ended, total, speeds = [], [], 0.0, []
    for _ in range(100):
        world.step(DT)
        events = world.contact_events()
        began += events.bodies[events.began].tolist()
        ended += events.bodies[~events.began].tolist()
        hits = world.impulse_events()
        total += float(hits.total.sum())
        speeds += hits.approach_speed.tolist()
        if len(hits.total):
            assert hits.bodies.tolist() == [[ground, ball]]
            np.testing.assert_allclose(hits.normal, [[0, 0, 1]], atol=1e-6)
            np.testing.assert_allclose(hits.point, [[0, 0, 0]], atol=0.05)
    speed = math.sqrt(2 * G * 2.0)
    assert began == [[ground, ball]] and ended == [[ground, ball]]
    assert max(speeds) == pytest.approx(speed, rel=0.02)
    # It comes with m v and goes with half of it.
    assert total == pytest.approx(1.5 * 2.0 * speed, rel=0.05)
    # It rose to a quarter of the height, and falls again.
    rest = [world.velocities()[ball, 2]]
    world.step(DT, 600)
    contacts = world.contacts()
    assert rest and contacts.bodies.tolist() == [[ground, ball]]
    world.set_velocity(ball)
    world.step(DT, 2)
    # The weight in a step is held by the impulse.
    assert world.contacts().impulse.sum() == pytest.approx(2.0 * G * DT, rel=0.1)
    assert world.contacts().colliders.shape == (1, 2)


def test_a_hammer_of_two_colliders() -> None:
    world = World((0, 0, 0))
    handle, head = Shape.cylinder(0.02, 0.6), Shape.box([0.3, 0.1, 0.1])
    hammer = world.add(handle, density=700.0)
    wood = world.masses()[hammer]
    assert wood == pytest.approx(700 * math.pi * 0.02**2 * 0.6, rel=1e-4)
    steel = world.add_collider(hammer, head, [0, 0, 0.3], density=7800.0)
    assert world.masses()[hammer] == pytest.approx(wood + 7800 * 0.003, rel=1e-4)
    assert world.colliders(hammer).tolist() == [0, steel]
    hit = world.cast_ray([[0.1, 5, 0.3], [0, 5, -0.2], [0.1, 5, 0]], [[0, -1, 0]] * 3)
    assert hit.body.tolist() == [hammer, hammer, -1]
    assert hit.collider.tolist() == [steel, 0, -1]
    # A push at the centre of mass turns nothing.
    center = 7800 * 0.003 * 0.3 / (wood + 7800 * 0.003)
    world.apply_impulse(hammer, [0, 1, 0], [0, 0, center])
    assert np.abs(world.velocities()[hammer, 3:]).max() < 1e-3
    world.remove_collider(steel)
    assert world.masses()[hammer] == pytest.approx(wood, rel=1e-4)
    with pytest.raises(carom.WorldError, match=f"collider {steel} does not exist"):
        world.remove_collider(steel)
    # Along another axis: the frame of the shape is in the pose.
    arm = world.add_collider(hammer, Shape.capsule(0.05, 0.5, axis="x"), [0, 0, -0.3])
    assert world.cast_ray([[0.25, 5, -0.3]], [[0, -1, 0]]).collider.tolist() == [arm]


def test_filters_and_families() -> None:
    world = World()
    ground = world.add(Shape.half_space([0, 0, 1]), mobility="fixed")
    ghost = world.add(Shape.sphere(0.5), [0, 0, 1], filter=Filter(groups=2, mask=2))
    limbs = [
        world.add(Shape.sphere(0.5), [5, 0, 0.5 + 0.5 * i], filter=Filter(family=7)) for i in (0, 1)
    ]
    assert (Filter().groups, Filter().mask, Filter(family=7).family) == (1, 0xFFFFFFFF, 7)
    world.step(DT, 240)
    heights = world.poses()[:, 2]
    assert heights[ghost] < -1
    np.testing.assert_allclose(heights[limbs], 0.5, atol=0.02)
    rays = ([[5, 0, 9], [5, 0, 9]], [[0, 0, -1], [0, 0, -1]])
    assert world.cast_ray(*rays).body.tolist() != [-1, -1]
    assert world.cast_ray(*rays, filter=Filter(groups=2, mask=2)).body.tolist() == [-1, -1]
    probe = Shape.sphere(0.2)
    assert world.touching(probe, [5, 0, 0.1]).tolist() == [ground, *limbs]
    assert world.touching(probe, [5, 0, 0.1], filter=Filter(family=7)).tolist() == [ground]
    world.set_filter(int(world.colliders(limbs[1])[0]), Filter())
    world.step(DT, 240)
    apart = np.linalg.norm(np.diff(world.poses()[limbs, :3], axis=0))
    assert apart > 0.95


def test_a_sensor_reports_and_holds_nothing() -> None:
    world = World((0, 0, 0))
    gate = world.add(Shape.box([0.1, 4, 4]), mobility="fixed", sensor=True)
    shot = world.add(Shape.sphere(0.1), [-2, 0, 0], linear_velocity=[4, 0, 0])
    seen = []
    for _ in range(120):
        world.step(DT)
        events = world.contact_events()
        seen += list(zip(events.bodies.tolist(), events.began.tolist(), events.sensor.tolist()))
    assert seen == [([gate, shot], True, True), ([gate, shot], False, True)]
    assert world.velocities()[shot, 0] == pytest.approx(4.0)
    world.set_sensor(int(world.colliders(gate)[0]), False)
    world.set_velocity(shot, [-4, 0, 0])
    world.step(DT, 240)
    assert world.poses()[shot, 0] > 0.1
    # A removed body is still named by the event that ends its contact.
    world.set_pose(shot, [0.15, 0, 0])
    world.set_velocity(shot)
    world.detect()
    world.remove(shot)
    world.detect()
    events = world.contact_events()
    assert events.bodies.tolist() == [[gate, shot]] and not events.began.any()


def test_spinning_friction_stops_a_spin() -> None:
    world = World()
    rough = Material(0.5, spinning_friction=0.02)
    assert rough.spinning_friction == pytest.approx(0.02) and rough.rolling_friction == 0
    world.add(Shape.half_space([0, 0, 1]), mobility="fixed", material=rough)
    ball = world.add(Shape.sphere(0.5), [0, 0, 0.5])
    world.set_velocity(ball, [0, 0, 0], [0, 0, 4])
    world.step(DT, 60)
    # I = 0.4 r^2 for each unit of mass, and the torque is 0.02 g.
    assert world.velocities()[ball, 5] == pytest.approx(4 - 0.02 * G * 60 * DT / 0.1, abs=0.05)
    with pytest.raises(ValueError, match="spinning_friction"):
        Material(spinning_friction=-1.0)


def test_a_belt_and_a_locked_body() -> None:
    world = World()
    belt = Material(0.8, surface_velocity=[1.5, 0, 0])
    assert belt.surface_velocity.tolist() == [1.5, 0, 0] and belt.friction == pytest.approx(0.8)
    world.add(Shape.box([40, 2, 0.2]), mobility="fixed", material=belt)
    load = world.add(Shape.box([0.4, 0.4, 0.4]), [0, 0, 0.3], friction=0.8)
    flat = world.add(Shape.sphere(0.5), [0, 9, 3], locked_axes=["z", "ang_x"], gravity_scale=2.0)
    world.step(DT, 240)
    assert world.velocities()[load, 0] == pytest.approx(1.5, rel=0.01)
    assert world.poses()[flat, 2] == 3.0
    slow = world.add(Shape.sphere(0.5), [0, 20, 0], linear_damping=1.0, gravity_scale=0.0)
    world.set_velocity(slow, [1, 0, 0])
    world.step(DT, 120)
    assert world.velocities()[slow, 0] == pytest.approx(math.exp(-1), rel=0.01)
    world.apply_force(slow, [0, 0, 120.0 * world.masses()[slow]])
    world.step(DT)
    assert world.velocities()[slow, 2] == pytest.approx(1.0, rel=0.02)
    world.set_mobility(slow, "fixed")
    world.step(DT)
    assert np.all(world.velocities()[slow] == 0) and world.masses()[slow] == 0


def test_errors_name_the_offender() -> None:
    world = World()
    with pytest.raises(ValueError, match="friction: must be finite and not negative, not -1"):
        Material(-1.0)
    with pytest.raises(ValueError, match="friction_rule: must be one of"):
        Material(friction_rule="median")
    with pytest.raises(ValueError, match="friction: is that of the material"):
        world.add(Shape.sphere(1.0), material=Material(), friction=0.2)
    with pytest.raises(ValueError, match="locked_axes"):
        world.add(Shape.sphere(1.0), locked_axes=["w"])
    body = world.add(Shape.sphere(1.0))
    with pytest.raises(carom.WorldError, match=f"body {body}"):
        world.add_collider(body, Shape.half_space([0, 0, 1]))
    with pytest.raises(carom.WorldError, match="body 5 does not exist"):
        world.add_collider(5, Shape.sphere(1.0))
    with pytest.raises(carom.WorldError, match="collider 9 does not exist"):
        world.set_sensor(9, True)
    with pytest.raises(carom.WorldError, match="density"):
        world.add_collider(body, Shape.sphere(1.0), density=-2.0)
    assert len(world) == 1 and world.colliders(body).tolist() == [0]
