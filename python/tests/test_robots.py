"""Robots: forward kinematics, self-collision, trajectories, allowed pairs."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from test_pairs import cube

import carom
from carom import Robot, Shape

BOX = '<collision><origin xyz="{}"/><geometry><box size="{}"/></geometry></collision>'
ARM = f"""<robot name="arm">
<link name="base">{BOX.format("0 0 0", "0.1 0.1 0.1")}{BOX.format("0 1.5 0", "1 1 1")}</link>
<link name="upper">{BOX.format("1 0 0", "2 0.2 0.2")}</link>
<link name="wrist"/>
<link name="hand">{BOX.format("0.5 0 0", "1 0.1 0.1")}</link>
<link name="tip">{BOX.format("0 0 0", "0.1 0.1 0.1")}</link>
<joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/>
  <axis xyz="0 0 1"/><limit lower="-1.5" upper="3"/></joint>
<joint name="lift" type="prismatic"><parent link="upper"/><child link="wrist"/>
  <origin xyz="2 0 0"/><axis xyz="0 0 1"/><limit lower="0" upper="1"/></joint>
<joint name="elbow" type="continuous"><parent link="wrist"/><child link="hand"/>
  <axis xyz="0 0 1"/></joint>
<joint name="finger" type="prismatic"><parent link="hand"/><child link="tip"/>
  <origin xyz="1.2 0 0"/><axis xyz="0 0 1"/><mimic joint="lift" multiplier="-2" offset="0.5"/>
  <limit lower="-5" upper="5"/></joint></robot>"""


@pytest.fixture
def arm(tmp_path: Path) -> Robot:
    file = tmp_path / "arm.urdf"
    file.write_text(ARM)
    return Robot(file)


def test_what_the_file_says(arm: Robot) -> None:
    assert arm.name == "arm"
    assert arm.links == ["base", "upper", "wrist", "hand", "tip"]
    assert arm.parts == ["base", "upper", "hand", "tip"]
    assert arm.free_joints == ["shoulder", "lift", "elbow"]
    np.testing.assert_array_equal(arm.limits, [[-1.5, 3], [0, 1], [-np.inf, np.inf]])
    finger = arm.joints[3]
    assert (finger.name, finger.kind, finger.parent, finger.child) == (
        "finger",
        "prismatic",
        "hand",
        "tip",
    )
    assert finger.mimic == ("lift", -2.0, 0.5) and finger.limits == (-5.0, 5.0)
    assert arm.joints[2].limits is None and arm.joints[2].axis == (0.0, 0.0, 1.0)
    assert arm.unread == [] and arm.notes == []
    assert arm.shape("hand").kind == "mesh"
    assert "arm" in repr(arm) and "finger" in repr(finger)


def test_links_are_where_the_closed_form_says(arm: Robot) -> None:
    rng = np.random.default_rng(1)
    q = np.stack([rng.uniform(-1.5, 3, 500), rng.uniform(0, 1, 500), rng.uniform(-9, 9, 500)], 1)
    a, s, b = q.T
    matrices, poses = arm.link_matrices(q), arm.link_poses(q)
    assert matrices.shape == (500, 5, 4, 4) and poses.shape == (500, 5, 7)
    zero = np.zeros_like(a)
    elbow = np.stack([2 * np.cos(a), 2 * np.sin(a), s], -1)
    tip = elbow + np.stack([1.2 * np.cos(a + b), 1.2 * np.sin(a + b), 0.5 - 2 * s], -1)
    np.testing.assert_allclose(matrices[:, 3, :3, 3], elbow, atol=1e-12)
    np.testing.assert_allclose(matrices[:, 4, :3, 3], tip, atol=1e-12)
    np.testing.assert_allclose(
        matrices[:, 4, :3, 0].T, [np.cos(a + b), np.sin(a + b), zero], atol=1e-12
    )
    # The seven numbers say the same.
    np.testing.assert_allclose(poses[:, :, :3], matrices[:, :, :3, 3], atol=1e-15)
    x, y, z, w = np.moveaxis(poses[:, :, 3:], -1, 0)
    np.testing.assert_allclose(1 - 2 * (y * y + z * z), matrices[:, :, 0, 0], atol=1e-12)
    np.testing.assert_allclose(2 * (x * y + z * w), matrices[:, :, 1, 0], atol=1e-12)
    # One row, and joints that were set.
    np.testing.assert_array_equal(arm.link_poses(q[7]), poses[7])
    np.testing.assert_array_equal(arm.link_poses(q.astype(np.float32)[:2]).shape, (2, 5, 7))
    arm.set_joints({"shoulder": a[7], "lift": s[7], "elbow": b[7]})
    np.testing.assert_array_equal(arm.link_matrices(), matrices[7])
    assert arm.joint_values["finger"] == 0.5 - 2 * s[7]
    # Others stay.
    arm.set_joints({"elbow": 0.0})
    assert arm.joint_values["shoulder"] == a[7]
    np.testing.assert_array_equal(arm.link_poses(q, threads=1), arm.link_poses(q, threads=2))


def test_self_collision_agrees_with_pairs_of_shapes(arm: Robot) -> None:
    rng = np.random.default_rng(2)
    q = np.stack([rng.uniform(-1.5, 3, 300), rng.uniform(0, 1, 300), rng.uniform(-3, 3, 300)], 1)
    poses = arm.link_poses(q)
    at = [arm.links.index(part) for part in arm.parts]
    shapes = [arm.shape(part) for part in arm.parts]
    # Solids: the tip may be all inside of the block.
    expected = [
        [row, a, b]
        for row in range(300)
        for a in range(4)
        for b in range(a + 1, 4)
        if carom.intersects(shapes[a], shapes[b], poses[row, at[a]], poses[row, at[b]], solid=True)
    ]
    found = arm.collisions(q)
    assert found.tolist() == expected
    np.testing.assert_array_equal(found, arm.collisions(q, threads=1))
    # The arm stands in its base and touches the block beside it in some poses alone.
    arm.allow(arm.adjacent())
    assert ("base", "upper", "Adjacent") in arm.allowed
    assert ("upper", "hand", "Adjacent") in arm.allowed, "a link without geometry is no obstacle"
    touching = arm.collides(q)
    assert isinstance(touching, np.ndarray) and 0 < touching.sum() < 300
    touched: set[int] = {row for row, a, b in expected if (a, b) not in [(0, 1), (1, 2), (2, 3)]}
    np.testing.assert_array_equal(np.flatnonzero(touching), sorted(touched))
    for row in (0, 1, 2):
        assert arm.collides(q[row]) is bool(touching[row])
    assert arm.collides() is False
    arm.set_joints({"shoulder": 1.5})
    assert arm.collisions().tolist() == [[0, 0, 2]], "base and upper are neighbours"
    arm.clear_allowed()
    assert [0, 0, 1] in arm.collisions().tolist()


def test_first_contacts_are_at_the_time_in_closed_form(arm: Robot) -> None:
    arm.allow(arm.adjacent())
    # The shoulder turns the hand, bent back by the elbow, into the block of the base: the tip
    # meets it first.
    path = np.array([[0.0, 0.0, 2.0], [1.0, 0.0, 2.0], [1.0, 0.0, -2.0]])
    times = [3.0, 4.0, 6.0]
    met = arm.first_contacts(path, times)
    sampled = np.linspace(0, 1, 20_001)
    rows = path[0] + (path[1] - path[0]) * sampled[:, None]
    found = arm.collisions(rows)
    assert [(one.a, one.b, one.row) for one in met] == [("base", "tip", 0), ("base", "hand", 0)]
    for one in met:
        pair = [arm.parts.index(one.a), arm.parts.index(one.b)]
        # The first sample in contact is not before the time, and the sample before it is not after.
        first = 3.0 + sampled[found[(found[:, 1:] == pair).all(1)][0, 0]]
        assert first - 1.0 / 20_000 - 1e-5 <= one.time <= first
    near = arm.first_contacts(path, times, clearance=0.1)
    assert near[0].time < met[0].time and near[0].distance == pytest.approx(0.1, abs=1e-5)
    assert "base" in repr(near[0])
    assert arm.first_contacts(path[:1]) == []
    with pytest.raises(ValueError, match=r"row 3: times must be finite and increase"):
        arm.first_contacts(path, [0.0, 1.0, 1.0])
    with pytest.raises(ValueError, match="2 times for 3 rows"):
        arm.first_contacts(path, [0.0, 1.0])
    with pytest.raises(ValueError, match="clearance"):
        arm.first_contacts(path, clearance=-1.0)


def test_obstacles_agree_with_pairs_of_shapes(arm: Robot) -> None:
    rng = np.random.default_rng(4)
    q = np.stack([rng.uniform(-1.5, 3, 200), rng.uniform(0, 1, 200), rng.uniform(-3, 3, 200)], 1)
    vertices = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], float)
    faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
    flags = np.zeros((4, 4, 4), bool)
    flags[1:3, 1:, 0] = True
    still = {
        "floor": (Shape.half_space([0, 0, 1]), np.array([0, 0, -1.8, 0, 0, 0, 1])),
        "scan": (
            Shape.point_cloud(rng.uniform(-3, 3, (60, 3)), 0.05),
            np.array([0, 0, 0.2, 0, 0, 0, 1]),
        ),
        "map": (Shape.voxels(flags, 0.3), np.array([1, -2, 0, 0, 0, 0.6, 0.8])),
        "wedge": (Shape.mesh(vertices, faces), np.array([2.2, 1.4, -0.5, 0, 0, 0, 1])),
        "rod": (Shape.cylinder(0.1, 2, "x"), np.array([-1, 2.2, 0.3, 0, 0, 0, 1])),
    }
    held = {
        "load": (Shape.sphere(0.1), np.array([1.3, 0, 0.1, 0, 0, 0, 1]), "hand"),
        "swarm": (
            Shape.point_cloud(rng.normal(size=(20, 3)) * 0.1, 0.02),
            np.array([2, 0, 0.3, 0, 0, 0, 1]),
            "upper",
        ),
    }
    for name, (shape, pose) in still.items():
        arm.add_obstacle(name, shape, pose)
    for name, (shape, pose, link) in held.items():
        arm.add_obstacle(name, shape, pose, link=link)
    assert arm.obstacles == [*still, *held]
    assert arm.parts == ["base", "upper", "hand", "tip", *still, *held]
    assert arm.shape("map").kind == "voxels"
    assert ("hand", "load", "Adjacent") in arm.allowed and (
        "upper",
        "swarm",
        "Adjacent",
    ) in arm.allowed
    names = arm.parts
    link_of = {name: name for name in names[:4]} | {
        name: link for name, (_, _, link) in held.items()
    }
    poses, matrices = arm.link_poses(q), arm.link_matrices(q)

    def place(name: str, row: int) -> np.ndarray:
        if name in still:
            return still[name][1]
        link = arm.links.index(link_of[name])
        if name not in held:
            return np.asarray(poses[row, link])
        local = np.eye(4)
        local[:3, 3] = held[name][1][:3]
        return np.asarray(matrices[row, link] @ local)

    allowed = {frozenset(pair[:2]) for pair in arm.allowed}
    expected, least = [], np.full(len(q), np.inf)
    for row in range(len(q)):
        for a in range(len(names)):
            for b in range(a + 1, len(names)):
                pair = (names[a], names[b])
                if frozenset(pair) in allowed or (
                    a >= 4 and names[a] in still and names[b] in still
                ):
                    continue
                (x, y), (here, there) = map(arm.shape, pair), (place(name, row) for name in pair)
                is_touching = carom.intersects(x, y, here, there, solid=True)
                if is_touching:
                    expected.append([row, a, b])
                if b >= 4:
                    gap = 0.0 if is_touching else float(carom.distance(x, y, here, there))
                    least[row] = min(least[row], gap)
    found = arm.collisions(q)
    assert found.tolist() == expected
    touched = {name: int((found == names.index(name)).any(1).sum()) for name in names[4:]}
    assert all(0 < n < 1500 for n in touched.values()), touched
    near = arm.distances(q)
    np.testing.assert_allclose(near.distance, least, atol=1e-12)
    assert 20 < (least == 0).sum() < 180 and (near.parts[:, 1] >= 4).all()
    apart = least > 0
    lengths = np.linalg.norm(near.points[:, 0] - near.points[:, 1], axis=1)
    np.testing.assert_allclose(lengths[apart], least[apart], atol=1e-9)
    assert (arm.distances(q, links=True, threads=1).distance <= near.distance).all()
    # Without them, and with a pair allowed.
    arm.allow([("floor", "hand")])
    arm.remove_obstacle("scan")
    assert ("hand", "floor", "") in arm.allowed and ("hand", "load", "Adjacent") in arm.allowed
    left = [name for name in names if name != "scan"]
    kept = [
        [row, left.index(names[a]), left.index(names[b])]
        for row, a, b in expected
        if "scan" not in (names[a], names[b]) and (names[a], names[b]) != ("hand", "floor")
    ]
    assert arm.parts == left and arm.collisions(q).tolist() == kept
    for name in arm.obstacles:
        arm.remove_obstacle(name)
    assert arm.allowed == []
    none = arm.distances(q[:2])
    assert (
        np.isinf(none.distance).all() and (none.parts == -1).all() and np.isnan(none.points).all()
    )


def test_first_contacts_with_obstacles(arm: Robot) -> None:
    # The upper arm, 2 long and 0.2 wide, turns from 0 to 1 radians in 2 seconds towards a point.
    arm.allow([(a, b) for a in arm.parts for b in arm.parts if a < b])
    arm.add_obstacle("dot", Shape.point_cloud(np.array([[1.2, 0.6, 0], [9, 9, 9]]), 0.05))
    arm.add_obstacle("floor", Shape.half_space([0, 0, 1]), [0, 0, -5])
    path = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]
    met = arm.first_contacts(path, [0.0, 2.0])
    assert [(one.a, one.b) for one in met] == [("upper", "dot")]
    time = 2 * (math.atan2(0.6, 1.2) - math.asin(0.15 / math.hypot(0.6, 1.2)))
    assert time - 1e-5 < met[0].time <= time
    # A ball on the hand turns on with it, and meets a post that the hand does not reach.
    arm.add_obstacle("load", Shape.sphere(0.1), [1.5, 0, 0], link="hand")
    arm.add_obstacle("post", Shape.sphere(0.1), [0, 3.5, 0])
    met = arm.first_contacts([[0.0, 0.0, 0.0], [1.55, 0.0, 0.0]], [0.0, 1.55])
    # The centres are 0.2 apart on a circle of the radius 3.5.
    time = math.pi / 2 - 2 * math.asin(0.1 / 3.5)
    assert (met[-1].a, met[-1].b) == ("load", "post") and time - 1e-5 < met[-1].time <= time
    ball = Shape.sphere(1)
    with pytest.raises(ValueError, match="dot is there already"):
        arm.add_obstacle("dot", ball)
    with pytest.raises(ValueError, match="hand is there already"):
        arm.add_obstacle("hand", ball)
    with pytest.raises(ValueError, match="there is no link toe"):
        arm.add_obstacle("x", ball, link="toe")
    with pytest.raises(ValueError, match="half-space"):
        arm.add_obstacle("x", Shape.half_space([1, 0, 0]), link="hand")
    with pytest.raises(ValueError, match="there is no obstacle hand"):
        arm.remove_obstacle("hand")
    assert arm.obstacles == ["dot", "floor", "load", "post"]


def test_allowed_pairs_go_to_a_file_and_back(arm: Robot, tmp_path: Path) -> None:
    found = arm.compute_allowed(500, seed=3)
    assert found == arm.compute_allowed(500, seed=3, threads=1)
    assert ("base", "upper", "Adjacent") in found and ("upper", "hand", "Adjacent") in found
    # The tip is 0.5 above the upper arm, or below it by 1.5: in between it touches.
    assert not any({a, b} == {"upper", "tip"} for a, b, _ in found)
    file = tmp_path / "arm.srdf"
    arm.write_srdf(file, found)
    assert carom.read_srdf(file) == found
    arm.allow(carom.read_srdf(file))
    assert arm.allowed == found
    arm.clear_allowed()
    arm.allow([("hand", "base"), ("wrist", "tip")])
    assert arm.allowed == [("base", "hand", "")]
    arm.write_srdf(file)
    assert carom.read_srdf(file) == [("base", "hand", "")]
    with pytest.raises(ValueError, match="no link elbow"):
        arm.allow([("hand", "elbow")])
    with pytest.raises(ValueError, match="a pair is"):
        arm.allow([("hand",)])
    with pytest.raises(ValueError, match="share"):
        arm.compute_allowed(10, always_share=0.0)
    with pytest.raises(carom.ReadError, match="arm.urdf"):
        carom.read_srdf(tmp_path / "arm.urdf.gone")


def test_values_that_cannot_be_are_refused_by_name(arm: Robot, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"q: must have the shape \(3,\) or \(n, 3\)"):
        arm.link_poses(np.zeros((2, 4)))
    with pytest.raises(
        ValueError, match=r"q\[1\]: joint lift: 2 is not between its limits 0 and 1"
    ):
        arm.collides([[0, 0, 0], [0, 2, 0]])
    with pytest.raises(ValueError, match="q: joint elbow: NaN is not finite"):
        arm.link_matrices([0, 0, np.nan])
    for values, why in [
        ({"finger": 1.0}, "finger follows joint lift"),
        ({"lift": 0.5, "knee": 1.0}, "no joint knee"),
        ({"lift": 0.5, "shoulder": 9.0}, "shoulder: 9 is not between"),
    ]:
        with pytest.raises(ValueError, match=why):
            arm.set_joints(values)
    assert set(arm.joint_values.values()) == {0.0, 0.5}, "nothing has changed"
    with pytest.raises(ValueError, match="wrist has no geometry"):
        arm.shape("wrist")
    cube = tmp_path / "face.obj"
    cube.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    with pytest.raises(carom.ReadError, match="face.obj: not a robot"):
        Robot(cube)
    assert len(arm.link_poses(np.zeros((0, 3)))) == 0


CELL = """<robot name="cell"><link name="world"/>
<link name="base"><collision><geometry><box size="1 1 1"/></geometry></collision></link>
<link name="table"><collision><origin xyz="3 0 0"/><geometry><box size="1 1 1"/></geometry>
</collision></link>
<link name="arm"><collision><origin xyz="1.5 0 0"/><geometry><box size="3 .2 .2"/></geometry>
</collision></link>
<joint name="b" type="fixed"><parent link="world"/><child link="base"/></joint>
<joint name="t" type="fixed"><parent link="world"/><child link="table"/></joint>
<joint name="j" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/></joint>
</robot>"""


def test_a_table_is_not_adjacent_to_the_arm(tmp_path: Path) -> None:
    file = tmp_path / "cell.urdf"
    file.write_text(CELL)
    robot = carom.Robot(file)
    assert robot.adjacent() == [("base", "arm", "Adjacent")]
    robot.allow(robot.adjacent())
    assert np.asarray(robot.collides([[0.0], [1.57]])).tolist() == [True, False]


def test_a_part_that_may_lie_in_an_open_mesh_counts_as_colliding(tmp_path: Path) -> None:
    file = tmp_path / "cell.urdf"
    file.write_text(CELL)
    robot = carom.Robot(file)
    robot.allow([("base", "arm"), ("base", "table"), ("table", "arm")])
    vertices, faces = cube(20.0)
    assert robot.collides() is False
    robot.add_obstacle("ajar", Shape.mesh(vertices, faces[1:]))
    assert robot.collides() is True
    nearest = robot.distances(links=True)
    assert nearest.distance.tolist() == [0.0] and nearest.is_decided.tolist() == [False]
    # A sure contact comes first.
    robot.add_obstacle("lamp", Shape.sphere(0.5), link="arm")
    robot.clear_allowed()
    robot.allow([("base", "arm"), ("base", "table"), ("table", "arm")])
    nearest = robot.distances(links=True)
    assert nearest.distance.tolist() == [0.0] and nearest.is_decided.tolist() == [True]
    robot.remove_obstacle("lamp")
    met = robot.first_contacts([[0.0], [0.1]])
    links = ("base", "table", "arm")
    assert {(pair.a, pair.b, pair.time) for pair in met} == {(a, "ajar", 0.0) for a in links}
    assert all(pair.distance is None and pair.undecided_from is None for pair in met)
    assert "time=0.0, row=0, distance=None" in repr(met[0])
    # The arm, 3 long and 0.2 wide, turns into the wall at y = 2. That is certain.
    robot.remove_obstacle("ajar")
    robot.add_obstacle("ajar", Shape.mesh(vertices, faces[1:]), [0, -8, 0])
    (hit,) = [
        pair for pair in robot.first_contacts([[0.0], [1.57]], [1.0, 2.57]) if pair.a == "arm"
    ]
    time = 1.0 + math.asin(2 / math.hypot(3, 0.1)) - math.atan2(0.1, 3)
    assert hit.undecided_from == 1.0 and hit.distance is not None
    assert time - 1e-5 < hit.time <= time
    assert "undecided_from=1.0" in repr(hit)
    # Outside of its box.
    robot.remove_obstacle("ajar")
    robot.add_obstacle("ajar", Shape.mesh(vertices, faces[1:]), [40, 0, 0])
    assert robot.collides() is False


def test_a_link_is_the_union_of_its_elements(tmp_path: Path) -> None:
    file = tmp_path / "union.urdf"
    elements = {
        "nested": '<collision><geometry><box size="1 1 1"/></geometry></collision>'
        '<collision><geometry><sphere radius="0.3"/></geometry></collision>',
        "flush": '<collision><geometry><box size="1 1 1"/></geometry></collision>'
        '<collision><origin xyz="1 1 0"/><geometry><box size="1 1 1"/></geometry></collision>',
    }
    for name, place, expected in [("nested", "0 0 0", True), ("flush", "1 0 0", False)]:
        file.write_text(
            f"""<robot name="r"><link name="base">{elements[name]}</link>
<link name="p"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
<joint name="j" type="fixed"><parent link="base"/><child link="p"/><origin xyz="{place}"/></joint>
</robot>"""
        )
        assert carom.Robot(file).collides() is expected, name
