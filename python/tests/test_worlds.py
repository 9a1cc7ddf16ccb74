"""Worlds, fields, coarser meshes and files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from test_pairs import cube, pose

import carom
from carom import Sdf, Shape, World


def test_a_body_falls_and_rests() -> None:
    world = World()
    ground = world.add(Shape.half_space([0, 0, 1], 1.0), mobility="fixed")
    block = world.add(Shape.box([1, 1, 0.5]), [0, 0, 3], friction=0.8)
    rod = world.add(Shape.cylinder(0.2, 2.0), [5, 0, 3])
    world.step(1 / 60)
    height = 3 - 9.81 / 3600
    assert world.poses()[block, 2] == pytest.approx(height, abs=2e-3)
    world.step(1 / 60, 300)
    poses = world.poses()
    assert poses.shape == (3, 7) and world.velocities().shape == (3, 6)
    assert poses[block, 2] == pytest.approx(1.25, abs=0.02)
    # The rod stands upright, along z.
    assert poses[rod, 2] == pytest.approx(2.0, abs=0.02)
    assert world.sleeping()[block]
    contacts = world.contacts()
    assert contacts.bodies.shape[1] == 2 and [ground, block] in contacts.bodies.tolist()
    hits = world.cast_ray([[0, 0, 9], [50, 0, 9], [0, 0, 9]], [[0, 0, -1], [0, 0, -1], [0, 0, 1]])
    assert hits.body.tolist() == [block, ground, -1]
    np.testing.assert_allclose(hits.t[:2], [7.5, 8.0], atol=0.02)
    assert world.touching(Shape.sphere(0.1), [5, 0, 2]).tolist() == [rod]


def test_steps_do_not_depend_on_threads() -> None:
    def run(threads: int) -> int:
        world = World()
        world.add(Shape.half_space([0, 0, 1]), mobility="fixed")
        rng = np.random.default_rng(1)
        for i in range(200):
            shape = [Shape.sphere(0.3), Shape.box([0.4, 0.5, 0.6]), Shape.capsule(0.2, 0.5)][i % 3]
            world.add(shape, rng.uniform([-2, -2, 1], [2, 2, 9]))
        world.step(1 / 60, 90, threads=threads)
        return world.state_hash()

    assert run(1) == run(2) == run(5)


def test_bodies_are_numbered_and_moved() -> None:
    world = World((0, 0, 0))
    a = world.add(Shape.sphere(0.5), [0, 0, 0])
    b = world.add(Shape.sphere(0.5), [5, 0, 0], linear_velocity=[1, 0, 0])
    world.remove(a)
    c = world.add(Shape.sphere(0.5))
    assert (a, b, c) == (0, 1, 2) and world.bodies().tolist() == [1, 2] and len(world) == 2
    with pytest.raises(carom.WorldError, match="body 0 does not exist"):
        world.set_pose(0, [0, 0, 0])
    world.step(0.5)
    np.testing.assert_allclose(world.poses()[0, :3], [5.5, 0, 0], atol=1e-6)
    world.set_velocity(b, angular=[0, 0, 1])
    world.apply_impulse(c, [0, 2000, 0])
    # Of the density of water, if none is given.
    mass = 1000 * 4 / 3 * np.pi * 0.125
    assert world.masses()[1] == pytest.approx(mass, rel=1e-6)
    np.testing.assert_allclose(world.velocities()[0], [0, 0, 0, 0, 0, 1], atol=1e-6)
    np.testing.assert_allclose(world.velocities()[1, :3], [0, 2000 / mass, 0], atol=1e-5)
    world.set_pose(b, [0.8, 0, 0])
    world.set_pose(c, pose([0, 0, 0]))
    world.detect()
    began, ended = world.events()
    assert began.tolist() == [[b, c]] or began.tolist() == [[c, b]]
    assert ended.shape == (0, 2)
    with pytest.raises(ValueError, match="mobility"):
        world.add(Shape.sphere(1.0), mobility="heavy")
    with pytest.raises(carom.WorldError):
        world.step(-1.0)


def test_numbers_need_no_memory() -> None:
    """A loop that inserts and removes needs the memory of what lives."""

    def cycle(world: World, steps: int) -> None:
        ball = world.add(Shape.sphere(0.5), [0, 0, 0.5])
        hull = world.add(Shape.hull(cube()[0]), [3, 0, 0.5])
        more = world.add_collider(ball, Shape.sphere(0.2), [0, 0, 0.5])
        world.add_joint("rope", ball, hull, length=5.0)
        weak = world.add_joint("weld", ball, 0, break_force=1e-6)
        if steps:
            world.step(1 / 60, steps)
        assert (weak in world.joints().tolist()) == (steps == 0)
        world.remove_collider(more)
        world.remove(ball)
        world.remove(hull)

    for steps in (0, 2):
        world = World()
        world.add(Shape.half_space([0, 0, 1], 0.0), mobility="fixed")
        sizes, n_bodies = [], 1
        for n in (60, 400):
            for _ in range(n):
                cycle(world, steps)
            sizes.append(len(world.snapshot()))
            # Numbers are not used again.
            extra = world.add(Shape.sphere(1.0))
            assert extra == n_bodies + 2 * n
            world.remove(extra)
            n_bodies = extra + 1
        # Counters of more digits, and no list of what was: that took a byte or more for each.
        assert abs(sizes[1] - sizes[0]) < 150, sizes


def test_events_name_what_was_removed() -> None:
    world = World()
    floor = world.add(Shape.half_space([0, 0, 1], 0.0), mobility="fixed")
    balls = [world.add(Shape.sphere(0.5), [2 * k, 0, 0.5]) for k in range(4)]
    more = world.add_collider(balls[3], Shape.sphere(0.3), [0, 0, -0.2])
    world.step(1 / 60)
    touching = sorted(world.events()[0].tolist())
    assert [pair for pair in touching if pair[1] != balls[3]] == [[floor, b] for b in balls[:3]]
    world.remove(balls[0])
    world.remove(balls[1])
    # The events of the last step name them still.
    assert sorted(world.events()[0].tolist()) == touching
    world.step(1 / 60)
    assert sorted(world.events()[1].tolist()) == [[floor, ball] for ball in balls[:2]]
    world.remove(balls[3])
    assert sorted(world.events()[1].tolist()) == [[floor, ball] for ball in balls[:2]]
    world.detect()
    ended = world.contact_events()
    assert {tuple(pair) for pair in ended.bodies[~ended.began].tolist()} == {(floor, balls[3])}
    assert set(ended.colliders[~ended.began][:, 1].tolist()) <= {balls[3], more}
    world.step(1 / 60, 2)
    assert world.events()[1].tolist() == []
    with pytest.raises(carom.WorldError, match=f"body {balls[0]} does not exist"):
        world.remove(balls[0])


def height(world: World, above: float = 20.0) -> float:
    """The height of what a ray straight down meets first."""
    return above - float(world.cast_ray([[0, 0, above]], [[0, 0, -1]]).t[0])


@pytest.mark.parametrize("offset", [1.0, -2.0])
def test_a_half_space_keeps_its_offset_wherever_it_is_put(offset: float) -> None:
    world = World()
    ground = world.add(Shape.half_space([0, 0, 2], offset), mobility="fixed")
    assert world.poses()[ground, :3].tolist() == [0, 0, 0] and height(world) == offset
    world.set_pose(ground, [0, 0, 3])
    assert world.poses()[ground, 2] == 3 and height(world) == offset + 3
    again = World.from_snapshot(world.snapshot())
    again.set_pose(ground, [0, 0, 0])
    assert height(again) == offset
    # All kinds of things rest on it.
    ball = world.add(Shape.sphere(0.5), [5, 0, offset + 4])
    grains = world.add_particles([[0, 5, offset + 4]], 0.1)
    world.step(1 / 60, 180)
    assert world.poses()[1, 2] == pytest.approx(offset + 3.5, abs=0.02) and ball == 1
    assert world.soft_positions(grains)[0, 2] == pytest.approx(offset + 3.1, abs=0.02)
    lift = World()
    plane = lift.add(Shape.half_space([0, 0, 1], offset), [0, 0, 1], mobility="kinematic")
    lift.move_to(plane, [0, 0, 1.5])
    lift.step(1 / 60)
    assert lift.poses()[plane, 2] == pytest.approx(1.5)
    assert height(lift) == pytest.approx(offset + 1.5)


def test_sdf_of_a_cube() -> None:
    field = Sdf.from_mesh(Shape.mesh(*cube(2.0)), resolution=32)
    assert field.is_certain and field.values.ndim == 3
    points = np.array([[0, 0, 0], [1.05, 0, 0], [0.5, 0.2, 0.1]])
    distance, gradient = field.sample(points)
    np.testing.assert_allclose(distance, [-1, 0.05, -0.5], atol=0.01)
    np.testing.assert_allclose(gradient[1:], [[1, 0, 0], [1, 0, 0]], atol=0.01)
    bounds = field.bounds(points)
    assert np.all(bounds[:, 0] <= [-1, 0.05, -0.5]) and np.all([-1, 0.05, -0.5] <= bounds[:, 1])
    # A node is where its index says.
    node = np.array([3, 7, 11])
    at = field.origin + field.cell * node
    exact = carom.nearest_points(Shape.mesh(*cube(2.0)), at[None]).signed_distance[0]
    assert field.values[tuple(node)] == pytest.approx(exact, abs=1e-6)
    gap = carom.distance(field.shape(), Shape.sphere(0.5), None, [3, 0, 0])
    assert (
        gap.distance == pytest.approx(1.5, abs=field.error_bound)
        and gap.error <= 2 * field.error_bound
    )


def sphere_mesh(n: int) -> Shape:
    i = np.arange(n)
    z = 1 - (2 * i + 1) / n
    r, phi = np.sqrt(1 - z * z), i * np.pi * (3 - np.sqrt(5))
    hull = Shape.hull(np.stack([r * np.cos(phi), r * np.sin(phi), z], 1))
    return Shape.mesh(hull.vertices, hull.faces)


def test_simplify_keeps_its_bounds() -> None:
    fine = sphere_mesh(800)
    coarse = carom.simplify(fine, max_faces=150, side="outside")
    assert coarse.shape.n_faces == 150 and 0 < coarse.error < 0.2
    assert np.all(carom.contains(coarse.shape, fine.vertices))
    near = np.abs(carom.nearest_points(coarse.shape, fine.vertices).signed_distance)
    assert near.max() <= coarse.old_to_new
    with pytest.raises(ValueError, match="side"):
        carom.simplify(fine, side="left")
    with pytest.raises(carom.ShapeError, match="simplify"):
        carom.simplify(Shape.mesh(cube()[0], cube()[1][1:]), max_faces=4, side="outside")


def test_progress_is_reported_and_may_end_the_work() -> None:
    fine = sphere_mesh(3000)
    seen: list[tuple[str, int]] = []
    coarse = carom.simplify(fine, max_faces=100, progress=lambda *now: seen.append(now))
    assert coarse.shape.n_faces == 100
    stages = [stage for stage, _ in seen]
    assert set(stages) == {"collapsing", "measuring"} and stages == sorted(stages)
    counts = [count for stage, count in seen if stage == "collapsing"]
    assert counts == sorted(counts, reverse=True) and counts[0] <= fine.n_faces
    seen.clear()
    parts = carom.decompose(sphere_mesh(300), max_hulls=6, progress=lambda *now: seen.append(now))
    assert 1 <= len(parts.hulls) <= 6
    assert {stage for stage, _ in seen} <= {"cutting", "merging", "measuring"} and seen

    class Enough(Exception):
        pass

    def stop(stage: str, count: int) -> None:
        raise Enough(stage)

    for work in (carom.simplify, carom.decompose):
        with pytest.raises(Enough):
            work(fine, progress=stop)

    def nothing() -> None:
        pass

    with pytest.raises(TypeError):
        carom.simplify(fine, max_faces=100, progress=nothing)  # type: ignore[arg-type]


def test_decompose_covers() -> None:
    corner, arm = cube()[0], cube()[1]
    # An L of two boxes as one closed surface: the hull of each is found.
    outline = np.array([[0, 0], [3, 0], [3, 1], [1, 1], [1, 3], [0, 3]], float)
    vertices = np.concatenate([np.c_[outline, np.zeros(6)], np.c_[outline, np.ones(6)]])
    flat = [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]]
    faces = [[a, c, b] for a, b, c in flat] + [[a + 6, b + 6, c + 6] for a, b, c in flat]
    for i in range(6):
        j = (i + 1) % 6
        faces += [[i, j, j + 6], [i, j + 6, i + 6]]
    shape = Shape.mesh(vertices, faces)
    assert shape.is_solid and len(corner) == 8 and len(arm) == 12
    parts = carom.decompose(shape, max_hulls=4)
    assert parts.is_solid and 2 <= len(parts.hulls) <= 4
    points = np.random.default_rng(1).uniform([0, 0, 0], [3, 3, 1], (2000, 3))
    inside = carom.contains(shape, points)
    covered = np.any([carom.contains(hull, points) for hull in parts.hulls], axis=0)
    assert np.all(covered[inside])


def test_files(tmp_path: Path) -> None:
    file = tmp_path / "corner.obj"
    file.write_text("o one\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\no two\nv 0 0 1\nf 1 2 4\n")
    model = carom.read(file)
    assert [part.name for part in model.parts] == ["corner"] and model.unread == []
    part = model.parts[0]
    assert part.vertices.shape == (4, 3) and part.faces.tolist() == [[0, 1, 2], [0, 1, 3]]
    assert part.shape().n_faces == 2
    assert len(carom.read(str(file), split_objects=True).parts) == 2
    file.write_text("v 0 0 0\nf 1 2 3\n")
    with pytest.raises(carom.ReadError, match="corner.obj: line 2: vertex 2 is out of range"):
        carom.read(file)
    with pytest.raises(carom.ReadError, match="none.stl"):
        carom.read(tmp_path / "none.stl")


def test_mesh_report() -> None:
    vertices, faces = cube()
    report = carom.mesh_report(Shape.mesh(vertices, faces))
    assert report.is_watertight and report.is_solid and report.n_components == 1
    assert report.signed_volume == pytest.approx(1.0) and report.inwards is not None
    faces[3] = faces[3][::-1]
    report = carom.mesh_report(Shape.mesh(vertices, faces))
    assert report.is_watertight and not report.is_solid and report.n_flipped_edges == 3
    assert report.inwards is not None and report.inwards.tolist() == [3]
    report = carom.mesh_report(Shape.mesh(vertices, faces[1:]))
    assert report.n_boundary_edges == 3 and report.inwards is None


def test_check_of_a_file(tmp_path: Path) -> None:
    lines, n = [], 0
    for name, x in [("left", 0.0), ("right", 0.75), ("touching", 1.75), ("far", 2.875)]:
        vertices, faces = cube()
        lines.append(f"o {name}")
        lines += [f"v {v[0] + x} {v[1]} {v[2]}" for v in vertices.tolist()]
        lines += [f"f {a + n} {b + n} {c + n}" for a, b, c in (faces + 1).tolist()]
        n += 8
    shapes = []
    file = tmp_path / "row.obj"
    file.write_text("\n".join(lines))
    for part in carom.read(file, split_objects=True).parts:
        shapes.append((part.name, part.shape()))
    found = carom.check(shapes, clearance=0.25)
    pairs = [(clash.a, clash.b, clash.relation) for clash in found.clashes]
    assert pairs == [
        ("left", "right", "overlapping"),
        ("right", "touching", "touching"),
        ("touching", "far", "close"),
    ]
    assert found.clear is False and found.unread == []
    depth = found.clashes[0].depth
    assert depth is not None and depth == pytest.approx((0.25, 0.25))
    assert found.clashes[2].distance == 0.125
    ignored = carom.check(shapes, ignore=[("left", "right"), ("touching", "right")])
    assert ignored.clear is True
    assert carom.check(file).clear is True, "one part"
    with pytest.raises(carom.WorldError, match="no part has the name"):
        carom.check(shapes, ignore=[("left", "up")])
    with pytest.raises(carom.WorldError, match="two parts have the name 'left'"):
        carom.check([shapes[0], shapes[0]])


def test_what_may_lie_in_an_open_mesh_is_undecided() -> None:
    vertices, faces = cube(20.0)
    ajar = ("ajar", Shape.mesh(vertices, faces[1:]))
    assert (
        carom.check([("box", Shape.mesh(vertices, faces)), ("in", Shape.sphere(1))]).clear is False
    )
    inside = {
        "mesh": Shape.mesh(*cube(1.0)),
        "ball": Shape.sphere(0.5),
        "cloud": Shape.point_cloud([[1, 2, 3], [60, 0, 0]], 0.1),
        "several": Shape.compound([(Shape.sphere(0.5), [60, 0, 0]), (Shape.sphere(0.5), None)]),
    }
    for name, shape in inside.items():
        found = carom.check([ajar, (name, shape)])
        assert found.clear is None and found.clashes == [], name
        assert found.undecided == [("ajar", name)]
        assert not carom.intersects(ajar[1], shape, solid=True), "an open mesh is a surface"
    # What is not in its box, and what reaches out of it, is outside.
    beside = Shape.sphere(0.5)
    moved = Shape.compound([(beside, [70, 0, 0])])
    assert carom.check([ajar, ("ball", moved)]).clear is True
    sheet = Shape.mesh([[0.0, 0, 0], [1.0, 0, 0], [0.0, 1, 0], [0.0, 0, 1]], [[0, 1, 2], [0, 1, 3]])
    tall = Shape.compound([(Shape.box([0.1, 0.1, 9]), [0.3, 0.3, 4.7])])
    assert carom.check([("sheet", sheet), ("tall", tall)]).undecided == []
    near = carom.check([ajar, ("ball", beside)], clearance=10.0)
    assert near.clear is False and near.clashes[0].relation == "close" and near.undecided == []
    ignored = carom.check([ajar, ("ball", beside)], ignore=[("ball", "ajar")])
    assert ignored.clear is True


def test_a_part_that_is_no_shape_is_unread(tmp_path: Path) -> None:
    far = tmp_path / "far.obj"
    far.write_text("v 0 0 0\nv 1e60 0 0\nv 0 1 0\nf 1 2 3\n")
    found = carom.check(far)
    assert found.clear is None and len(found.unread) == 1 and "far" in found.unread[0]
    vertices, faces = cube()
    lines = [f"v {x} {y} {z}" for x, y, z in vertices.tolist()]
    lines += [f"f {a} {b} {c}" for a, b, c in (faces + 1).tolist()]
    (tmp_path / "good.obj").write_text("\n".join(lines))
    files = ", ".join(
        f'{{"name": "{name}", "file": "{file}.obj"}}'
        for name, file in [("a", "good"), ("bad", "far"), ("b", "good")]
    )
    scene = tmp_path / "scene.json"
    scene.write_text(f'{{"parts": [{files}]}}')
    found = carom.check(scene)
    assert [(clash.a, clash.b) for clash in found.clashes] == [("a", "b")]
    assert len(found.unread) == 1 and found.clear is False
    # Its name may be in `ignore`.
    found = carom.check(scene, ignore=[("bad", "a")])
    assert [(clash.a, clash.b) for clash in found.clashes] == [("a", "b")]
    assert found.notes == ["ignore: no part has the name 'bad'"]
