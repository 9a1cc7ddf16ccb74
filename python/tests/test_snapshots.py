"""The state of a world as bytes: the same bits go on from there, in any process."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from test_pairs import cube

import carom
from carom import Filter, Material, Motor, Sdf, Shape, World

DT = 1 / 60


def scene() -> World:
    """Bodies of all shapes, with colliders and joints, on a mesh and a height field."""
    world = World()
    rng = np.random.default_rng(3)
    world.add(Shape.half_space([0, 0, 1], -3.0), mobility="fixed")
    bumps = 0.2 * rng.random((12, 12))
    world.add(Shape.height_field(bumps, (1.0, 1.0)), mobility="fixed", material=Material(0.7))
    world.add(Shape.mesh(*cube(2.0)), [2, 2, 0.5], mobility="fixed")
    shapes = [
        Shape.sphere(0.3),
        Shape.box([0.5, 0.6, 0.7]),
        Shape.capsule(0.2, 0.5, axis="x"),
        Shape.tapered_capsule(0.3, 0.2, 0.4),
        Shape.cylinder(0.3, 0.5),
        Shape.cone(0.3, 0.6, axis="y"),
        Shape.ellipsoid([0.2, 0.3, 0.4]),
        Shape.torus(0.4, 0.1),
        Shape.hull(rng.normal(0, 0.3, (20, 3))),
        Shape.rounded(Shape.box([0.4, 0.4, 0.4]), 0.1),
        Shape.compound([(Shape.sphere(0.2), [0.3, 0, 0]), (Shape.box([0.3, 0.3, 0.3]), None)]),
        Shape.mesh(*cube(0.6)),
        Shape.rounded(Shape.hull(rng.normal(0, 0.2, (9, 3))), 0.05),
        Shape.compound([(Shape.hull(rng.normal(0, 0.2, (9, 3))), None), (Shape.sphere(0.2), None)]),
    ]
    bodies = []
    for i in range(30):
        at = [*rng.uniform(-3, 3, 2), 1.5 + 0.4 * i]
        family = Filter(family=i % 3)
        body = world.add(shapes[i % 14], at, density=1.0, filter=family, impulse_threshold=0.1)
        bodies.append(body)
        if i % 4 == 1:
            world.add_collider(body, shapes[(i + 7) % 14], [0.2, 0.1, 0.4], density=2.0)
    extra = world.add_collider(bodies[2], Shape.sphere(0.4), [0, 0, 0.5], density=1.0)
    world.remove_collider(extra)
    hinge = world.add_joint("revolute", bodies[0], bodies[1], limits=(-1.0, 1.0))
    world.set_motor(hinge, Motor.velocity(2.0, max_force=0.5))
    world.add_joint("rope", bodies[4], bodies[5], length=2.0, break_force=50.0)
    world.remove(bodies[9])
    world.step(DT, 40)
    return world


def test_the_same_bits_go_on() -> None:
    world = scene()
    past = world.snapshot()
    world.step(DT, 60)
    wanted, poses = world.state_hash(), world.poses()
    assert world.contacts().bodies.shape[0] > 10
    # In place, in a new world, as a pickle, and from a snapshot of a restored world.
    world.restore(past)
    assert world.snapshot() == past
    fresh = World.from_snapshot(past)
    copy = pickle.loads(pickle.dumps(fresh))
    assert isinstance(copy, World)
    for one in (world, fresh, copy, World.from_snapshot(fresh.snapshot())):
        one.step(DT, 60, threads=2)
        assert one.state_hash() == wanted
        np.testing.assert_array_equal(one.poses(), poses)


def test_another_process_goes_on(tmp_path: Path) -> None:
    world = scene()
    file = tmp_path / "world.bin"
    file.write_bytes(world.snapshot())
    program = (
        "import sys, carom, pathlib\n"
        "world = carom.World.from_snapshot(pathlib.Path(sys.argv[1]).read_bytes())\n"
        "world.step(1 / 60, 30)\n"
        "print(world.state_hash())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(file)], capture_output=True, text=True, check=True
    )
    world.step(DT, 30)
    assert int(done.stdout) == world.state_hash()


def test_numbers_stay() -> None:
    world = World((0, 0, 0))
    a, b = world.add(Shape.sphere(1.0)), world.add(Shape.sphere(1.0), [3, 0, 0])
    more = world.add_collider(b, Shape.sphere(0.5), [0, 0, 1])
    joint = world.add_joint("rope", a, b, length=5.0)
    world.remove(a)
    past = world.snapshot()
    c = world.add(Shape.sphere(1.0), [9, 0, 0])
    world.remove(b)
    world.restore(past)
    assert world.bodies().tolist() == [b] and world.colliders(b).tolist() == [1, more]
    # Numbers go on where they were at the snapshot.
    assert world.add(Shape.sphere(1.0), [9, 0, 0]) == c and world.joints().tolist() == []
    with pytest.raises(carom.WorldError, match=f"joint {joint} does not exist"):
        world.joint(joint)
    world.remove_collider(more)
    world.remove_collider(1)
    again = World.from_snapshot(world.snapshot())
    assert again.colliders(b).tolist() == [] and again.bodies().tolist() == [b, c]


def test_bytes_that_are_no_world() -> None:
    world = scene()
    good = world.snapshot()
    before = world.state_hash()
    for bad in (b"", b"carom", good[:-1], good[: len(good) // 2], b"\xc1" * 100):
        with pytest.raises(carom.WorldError, match="snapshot"):
            world.restore(bad)
    assert world.state_hash() == before
    rng = np.random.default_rng(5)
    n_refused = 0
    for _ in range(300):
        broken = bytearray(good)
        for at in rng.integers(0, len(good), 3):
            broken[at] = int(rng.integers(0, 256))
        try:
            other = World.from_snapshot(bytes(broken))
            other.step(DT)
        except ValueError:
            n_refused += 1
    assert n_refused > 30


def test_a_field_cannot_be_stored() -> None:
    world = World()
    field = Sdf.from_mesh(Shape.mesh(*cube()), resolution=8).shape()
    body = world.add(field, mobility="fixed")
    with pytest.raises(carom.WorldError, match=f"body {body}: a field cannot be stored"):
        world.snapshot()


def test_other_versions_are_refused() -> None:
    world = scene()
    before = world.snapshot()
    # A map of one entry, as MessagePack.
    with pytest.raises(carom.WorldError, match="snapshot: version 2 is not 3"):
        world.restore(b"\x81\xa7version\x02")
    assert world.snapshot() == before


def test_events_of_a_restored_world_name_removed_bodies() -> None:
    world = World()
    floor = world.add(Shape.half_space([0, 0, 1], 0.0), mobility="fixed")
    ball = world.add(Shape.sphere(0.5), [0, 0, 0.5])
    world.step(DT, 5)
    world.remove(ball)
    for _ in range(2):
        # Removed before the step that reports it, then before the snapshot.
        world = World.from_snapshot(world.snapshot())
        world.step(DT)
        if world.events()[1].size:
            break
    past = world.snapshot()
    assert world.events()[1].tolist() == [[floor, ball]]
    other = World.from_snapshot(past)
    assert other.events()[1].tolist() == [[floor, ball]]
    assert other.contact_events().bodies.tolist() == [[floor, ball]]
    other.step(DT, 3)
    assert other.events()[1].tolist() == []
