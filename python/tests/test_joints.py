"""Joints of worlds against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest

import carom
from carom import Motor, Shape, World

DT = 1 / 240
G = 9.81


def hook_and_ball(world: World, at: list[float], radius: float = 0.1) -> tuple[int, int]:
    hook = world.add(Shape.sphere(0.01), mobility="fixed")
    return hook, world.add(Shape.sphere(radius), at, mass=1.0)


def crossings(world: World, body: int, axis: int, steps: int) -> list[float]:
    """The times at which a coordinate falls through zero."""
    found, last = [], world.poses()[body, axis]
    for i in range(1, steps + 1):
        world.step(DT)
        x = world.poses()[body, axis]
        if x <= 0 < last:
            found.append((i - x / (x - last)) * DT)
        last = x
    return found


@pytest.mark.parametrize("kind", ["revolute", "spherical", "distance", "rope"])
def test_the_period_of_a_pendulum(kind: str) -> None:
    world, angle = World(), 0.1
    hook, ball = hook_and_ball(world, [math.sin(angle), 0, -math.cos(angle)])
    if kind == "revolute":
        world.add_joint(kind, hook, ball, anchor=[0, 0, 0], axis=[0, 1, 0])
    elif kind == "spherical":
        world.add_joint(kind, hook, ball, anchor=[0, 0, 0])
    else:
        world.add_joint(kind, hook, ball, length=1.0)
    times = crossings(world, ball, 0, 1400)
    # A ball that turns with its rod has a larger inertia than one on a string.
    turns = 0.4 * 0.01 if kind in ("revolute", "spherical") else 0.0
    period = 2 * math.pi * math.sqrt((1 + turns) / G) * (1 + angle**2 / 16)
    assert len(times) >= 2 and times[1] - times[0] == pytest.approx(period, rel=5e-3)
    assert np.linalg.norm(world.poses()[ball, :3]) == pytest.approx(1.0, abs=2e-3)


def test_the_force_of_a_joint_carries_the_load() -> None:
    world = World()
    hook, ball = hook_and_ball(world, [0, 0, -2])
    rope = world.add_joint("rope", hook, ball, length=2.0)
    world.step(DT, 240)
    state = world.joint(rope)
    assert (state.kind, state.bodies, state.angle) == ("rope", (hook, ball), None)
    np.testing.assert_allclose(state.force, [0, 0, G], rtol=1e-2)
    assert abs(state.error) < 1e-3
    world.set_length(rope, 3.0)
    world.step(DT, 480)
    assert world.poses()[ball, 2] == pytest.approx(-3.0, abs=0.01)


def test_a_rope_breaks_where_it_should() -> None:
    for force, holds in [(15.0, True), (5.0, False)]:
        world = World()
        hook, ball = hook_and_ball(world, [0, 0, -1])
        rope = world.add_joint("rope", hook, ball, length=1.0, break_force=force)
        broken = []
        for _ in range(240):
            world.step(DT)
            broken += world.broken_joints()
        assert (world.joints().tolist() == [rope]) == holds
        assert [event.joint for event in broken] == ([] if holds else [rope])
        if not holds:
            assert broken[0].bodies == (hook, ball) and broken[0].force > force
            with pytest.raises(carom.WorldError, match=f"joint {rope} does not exist"):
                world.joint(rope)


def test_motors_and_limits_of_a_wheel() -> None:
    world = World((0, 0, 0))
    frame = world.add(Shape.box([1, 1, 1]), mobility="fixed")
    wheel = world.add(Shape.cylinder(0.5, 0.1), mass=2.0)
    motor = Motor.velocity(3.0, max_force=1.0)
    hinge = world.add_joint("revolute", frame, wheel, axis=[0, 0, 2], motor=motor)
    # The torque 1 turns the inertia m r^2 / 2 = 0.25 up to the speed.
    world.step(DT, 60)
    assert world.velocities()[1, 5] == pytest.approx(1.0, rel=0.02)
    world.step(DT, 240)
    state = world.joint(hinge)
    assert state.kind == "revolute" and state.speed == pytest.approx(3.0, rel=1e-3)
    assert state.angle is not None
    world.set_motor(hinge, Motor.position(1.0, 2.0))
    world.step(DT, 960)
    assert world.joint(hinge).angle == pytest.approx(1.0, abs=1e-2)
    world.set_motor(hinge, None)
    world.set_limits(hinge, (-0.5, 0.5))
    world.step(DT, 480)
    angle = world.joint(hinge).angle
    assert angle is not None and angle <= 0.51


def test_a_slider_falls_to_its_limit() -> None:
    world = World()
    rail = world.add(Shape.box([0.1, 0.1, 0.1]), [0, 0, 0], mobility="fixed")
    car = world.add(Shape.box([0.2, 0.2, 0.2]), [1, 0, 0])
    slope = [math.cos(0.5), 0, -math.sin(0.5)]
    slider = world.add_joint("prismatic", rail, car, axis=slope, limits=(-9.0, 3.0))
    world.step(DT, 120)
    way = world.poses()[car, :3] - [1, 0, 0]
    # Half a second down a slope without friction.
    np.testing.assert_allclose(way, 0.5 * G * math.sin(0.5) * 0.25 * np.array(slope), rtol=0.02)
    world.step(DT, 480)
    state = world.joint(slider)
    assert state.translation == pytest.approx(3.0, abs=0.01) and state.speed is not None
    assert abs(state.speed) < 0.01


def test_an_atwood_machine() -> None:
    world = World()
    heavy = world.add(Shape.sphere(0.1), [-1, 0, -2], mass=3.0)
    light = world.add(Shape.sphere(0.1), [1, 0, -2], mass=1.0)
    supports = ([-1, 0, 0], [1, 0, 0])
    world.add_joint("pulley", heavy, light, supports=supports, ratio=1.0, length=4.0)
    world.step(DT, 120)
    # (3 - 1) / (3 + 1) of gravity.
    assert world.velocities()[heavy, 2] == pytest.approx(-G / 4, rel=0.02)
    assert world.velocities()[light, 2] == pytest.approx(G / 4, rel=0.02)


def test_gears_and_racks() -> None:
    world = World((0, 0, 0))
    frame = world.add(Shape.box([0.1, 0.1, 0.1]), [0, 0, 9], mobility="fixed")
    small = world.add(Shape.cylinder(0.5, 0.1), [0, 0, 0])
    large = world.add(Shape.cylinder(1.0, 0.1), [1.6, 0, 0])
    rack = world.add(Shape.box([2, 0.2, 0.1]), [0, -3, 0])
    turns = [world.add_joint("revolute", frame, wheel, axis=[0, 0, 1]) for wheel in (small, large)]
    slides = world.add_joint("prismatic", frame, rack, axis=[1, 0, 0])
    world.add_joint("gear", turns[0], turns[1], ratio=2.0)
    world.add_joint("rack_and_pinion", slides, turns[0], ratio=0.5)
    world.set_motor(turns[0], Motor.velocity(4.0))
    world.step(DT, 240)
    spins = world.velocities()
    assert spins[small, 5] == pytest.approx(4.0, rel=1e-2)
    assert spins[large, 5] == pytest.approx(-2.0, rel=1e-2)
    assert abs(spins[rack, 0]) == pytest.approx(2.0, rel=1e-2)
    with pytest.raises(carom.WorldError, match="joint 77 does not exist"):
        world.add_joint("gear", turns[0], 77, ratio=1.0)


def test_a_door_that_only_turns_and_slides() -> None:
    world = World((0, 0, 0))
    frame = world.add(Shape.box([1, 1, 1]), mobility="fixed")
    door = world.add(Shape.box([0.2, 0.2, 0.2]), [0, 0, 2], density=1.0)
    limits: dict[str, str | tuple[float, float]] = {"x": (-0.5, 0.5), "ang_x": "free"}
    rest: dict[str, str | tuple[float, float]] = {
        name: "locked" for name in ("y", "z", "ang_y", "ang_z")
    }
    motors = {"x": Motor.velocity(1.0, max_force=5.0)}
    joint = world.add_joint("six_dof", frame, door, axis_limits=limits | rest, axis_motors=motors)
    world.set_velocity(door, [0, 3, 3], [2, 3, 3])
    world.step(DT, 480)
    place, spin = world.poses()[door], world.velocities()[door, 3:]
    np.testing.assert_allclose(place[:3], [0.5, 0, 2], atol=0.01)
    assert abs(spin[0]) > 0.5 and np.abs(spin[1:]).max() < 0.01
    world.set_motor(joint, Motor.velocity(-1.0, max_force=5.0), "x")
    world.set_axis_limit(joint, "ang_x", "locked")
    world.step(DT, 480)
    assert world.poses()[door, 0] == pytest.approx(-0.5, abs=0.01)
    assert world.joint(joint).kind == "six_dof"


def test_a_nut_runs_down_its_spindle() -> None:
    world = World()
    spindle = world.add(Shape.box([0.1, 0.1, 0.1]), mobility="fixed")
    nut = world.add(Shape.cylinder(0.5, 0.1), mass=2.0)
    screw = world.add_joint("screw", spindle, nut, axis=[0, 0, 1], lead=0.3)
    world.step(DT, 480)
    # The torque m g lead / 2 pi turns the inertia of the disc and that of the travel.
    radius = 0.3 / (2 * math.pi)
    turned = -0.5 * 2.0**2 * 2.0 * G * radius / (0.5 * 2.0 * 0.25 + 2.0 * radius**2)
    state = world.joint(screw)
    assert state.kind == "screw" and state.error < 1e-3
    assert state.angle == pytest.approx(turned, rel=5e-3)
    assert state.translation == pytest.approx(turned * radius, rel=5e-3)
    assert world.poses()[nut, 2] == pytest.approx(turned * radius, rel=5e-3)
    with pytest.raises(ValueError, match="lead: is needed"):
        world.add_joint("screw", spindle, nut)
    with pytest.raises(ValueError, match="lead: is not for"):
        world.add_joint("weld", spindle, nut, lead=1.0)
    with pytest.raises(carom.WorldError, match="lead"):
        world.add_joint("screw", spindle, nut, lead=0.0)


def test_a_cone_and_a_weld_hold() -> None:
    world = World()
    hook = world.add(Shape.sphere(0.01), mobility="fixed")
    rod = world.add(Shape.capsule(0.05, 1.0), [0, 0, 0.6])
    frames = ([0, 0, 0], [0, 0, -0.6])
    joint = world.add_joint("spherical", hook, rod, frames=frames, cone=0.5)
    world.set_velocity(rod, angular=[3, 1, 0])
    world.step(DT, 960)
    assert world.joint(joint).error < 5e-3
    # The angle of the two x axes is that of the cone at most.
    _, y, z, _ = world.poses()[rod, 3:]
    assert 1 - 2 * (y * y + z * z) >= math.cos(0.52)
    other = world.add(Shape.box([0.2, 0.2, 0.2]), [3, 0, 0])
    world.add_joint("weld", hook, other)
    world.step(DT, 480)
    np.testing.assert_allclose(world.poses()[other], [3, 0, 0, 0, 0, 0, 1], atol=0.02)


def test_joints_name_what_is_wrong() -> None:
    world = World()
    a, b = world.add(Shape.sphere(1.0)), world.add(Shape.sphere(1.0), [3, 0, 0])
    with pytest.raises(
        ValueError, match="kind: there is no joint 'hinges'|kind: there is no joint"
    ):
        world.add_joint("hinges", a, b)
    with pytest.raises(carom.WorldError, match="body 9 does not exist"):
        world.add_joint("weld", a, 9)
    with pytest.raises(ValueError, match="length: is needed"):
        world.add_joint("rope", a, b)
    with pytest.raises(ValueError, match="length: is not for"):
        world.add_joint("weld", a, b, length=1.0)
    with pytest.raises(carom.WorldError, match="limits"):
        world.add_joint("weld", a, b, limits=(0.0, 1.0))
    with pytest.raises(ValueError, match="axis: has no direction"):
        world.add_joint("revolute", a, b, axis=[0, 0, 0])
    with pytest.raises(ValueError, match="frames"):
        world.add_joint("revolute", a, b, anchor=[0, 0, 0], frames=([0, 0, 0], [0, 0, 0]))
    with pytest.raises(ValueError, match="axis_limits"):
        world.add_joint("six_dof", a, b, axis_limits={"up": "free"})
    with pytest.raises(ValueError, match='must be "free"'):
        world.add_joint("six_dof", a, b, axis_limits={"x": "loose"})
    with pytest.raises(ValueError, match="motor"):
        Motor.position(0.0, -1.0)
    assert world.joints().tolist() == []
    hinge = world.add_joint("revolute", a, b)
    with pytest.raises(carom.WorldError, match=f"joint {hinge}"):
        world.set_limits(hinge, (1.0, 0.0))
    world.remove(b)
    assert world.joints().tolist() == []


def test_the_state_of_a_joint_names_its_kind() -> None:
    world = World((0, 0, 0))
    hook = world.add(Shape.sphere(0.1), mobility="fixed")

    def body() -> int:
        return world.add(Shape.sphere(0.1), [3, 0, 0])

    simple = ["weld", "revolute", "prismatic", "spherical", "six_dof"]
    numbers = {kind: world.add_joint(kind, hook, body()) for kind in simple}
    for kind in ("rope", "distance"):
        numbers[kind] = world.add_joint(kind, hook, body(), length=4.0)
    numbers["screw"] = world.add_joint("screw", hook, body(), lead=0.1)
    ends = [0.0, 0, 1], [3.0, 0, 1]
    numbers["pulley"] = world.add_joint("pulley", hook, body(), supports=ends, length=9.0)
    wheel = world.add_joint("revolute", hook, body())
    gear = world.add_joint("gear", numbers["revolute"], wheel, ratio=2.0)
    rack = world.add_joint("rack_and_pinion", numbers["prismatic"], wheel, ratio=2.0)
    numbers |= {"gear": gear, "rack_and_pinion": rack}
    for kind, number in numbers.items():
        assert world.joint(number).kind == kind
    # These are names for sets of axes.
    for kind in ("cylindrical", "universal"):
        assert world.joint(world.add_joint(kind, hook, body())).kind == "six_dof"
