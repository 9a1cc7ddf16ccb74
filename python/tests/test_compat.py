"""`carom.fcl` and `carom.trimesh`, and the proofs for exams that fail."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np
import pytest
from test_pairs import cube, pose

import carom
import carom.trimesh
from carom import fcl

UNIT = np.vstack([np.eye(3), -np.eye(3)])


def objects() -> dict[str, fcl.CollisionObject]:
    mesh = fcl.BVHModel()
    mesh.beginModel(4, 4)
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], float)
    mesh.addSubModel(corners, np.array([[0, 2, 1], [0, 3, 2], [0, 1, 3], [1, 2, 3]]))
    mesh.endModel()
    shapes: dict[str, fcl.CollisionGeometry] = {
        "box": fcl.Box(1, 1, 1),
        "ball": fcl.Sphere(0.5),
        "rod": fcl.Capsule(0.1, 2.0),
        "mesh": mesh,
        "ground": fcl.Halfspace(np.array([0.0, 0, 1]), -2.0),
        "wall": fcl.Plane(np.array([2.0, 0, 0]), 6.0),
        "triangle": fcl.TriangleP(*(np.eye(3) + 7)),
    }
    return {name: fcl.CollisionObject(shape) for name, shape in shapes.items()}


def test_fcl_pairs() -> None:
    o = objects()
    result = fcl.CollisionResult()
    request = fcl.CollisionRequest(num_max_contacts=100, enable_contact=True)
    o["ball"].setTranslation(np.array([0.9, 0, 0]))
    assert fcl.collide(o["box"], o["ball"], request, result) == 1 and result.is_collision
    contact = result.contacts[0]
    assert contact.o1 is o["box"].collision_geometry and contact.penetration_depth == pytest.approx(
        0.1
    )
    np.testing.assert_allclose(contact.normal, [1, 0, 0], atol=1e-12)
    found = fcl.DistanceResult()
    o["ball"].setTranslation(np.array([2, 0, 0]))
    assert fcl.distance(o["box"], o["ball"], None, found) == pytest.approx(1.0)
    assert found.nearest_points[0] is not None
    np.testing.assert_allclose(found.nearest_points[0], [0.5, 0, 0], atol=1e-12)
    assert fcl.distance(o["box"], o["rod"]) == -1.0
    signed = fcl.DistanceRequest(enable_signed_distance=True)
    assert fcl.distance(o["box"], o["rod"], signed) == pytest.approx(-0.6)
    assert fcl.distance(o["ground"], o["box"]) == pytest.approx(1.5)
    # The plane x = 3 is thin.
    assert fcl.distance(o["wall"], o["ball"]) == pytest.approx(0.5)
    o["ball"].setTranslation(np.array([3.4, 0, 0]))
    assert fcl.collide(o["wall"], o["ball"]) == 1
    assert fcl.distance(o["wall"], o["ball"], signed) == pytest.approx(-0.1)
    o["ball"].setTranslation(np.array([4.0, 0, 0]))
    assert fcl.collide(o["wall"], o["ball"]) == 0
    assert fcl.distance(o["triangle"], o["box"]) > 5


def test_fcl_transforms() -> None:
    turned = fcl.Transform(np.array([np.sqrt(0.5), 0, 0, np.sqrt(0.5)]), np.array([1.0, 2, 3]))
    np.testing.assert_allclose(turned.getRotation(), [[0, -1, 0], [1, 0, 0], [0, 0, 1]], atol=1e-15)
    rng = np.random.default_rng(1)
    for _ in range(50):
        q = rng.normal(size=4)
        q /= np.linalg.norm(q) * np.sign(q[0])
        np.testing.assert_allclose(fcl.Transform(q).getQuatRotation(), q, atol=1e-14)
    for axis in range(3):
        half_turn = np.eye(4)[1 + axis]
        np.testing.assert_allclose(np.abs(fcl.Transform(half_turn).getQuatRotation()), half_turn)
    rod = fcl.CollisionObject(fcl.Capsule(0.1, 4.0), turned)
    rod.setQuatRotation(np.array([np.sqrt(0.5), np.sqrt(0.5), 0, 0]))
    probe = fcl.CollisionObject(fcl.Sphere(0.1), fcl.Transform(np.array([1.0, 5, 3])))
    assert fcl.distance(rod, probe) == pytest.approx(0.8)


def test_fcl_continuous() -> None:
    wall = fcl.CollisionObject(fcl.Box(0.2, 4, 4))
    ball = fcl.CollisionObject(fcl.Sphere(0.5), fcl.Transform(np.array([-5.0, 0, 0])))
    result = fcl.ContinuousCollisionResult()
    end = fcl.Transform(np.array([5.0, 0, 0]))
    time = fcl.continuousCollide(wall, fcl.Transform(), ball, end, None, result)
    assert result.is_collide and time == pytest.approx(0.44, abs=1e-3) and time <= 0.44 + 1e-12


def test_fcl_counts_what_is_undecided_as_a_collision() -> None:
    resting = fcl.CollisionObject(fcl.Box(2, 2, 2), fcl.Transform(np.array([0.0, 2, 0])))
    box = fcl.CollisionObject(fcl.Box(2, 2, 2))
    grazing = fcl.CollisionObject(fcl.Sphere(1.0), fcl.Transform(np.array([-5.0, 2, 0])))
    ball = fcl.CollisionObject(fcl.Sphere(1.0))
    for a, b, end in [(resting, box, [1.0, 2, 0]), (grazing, ball, [5.0, 2, 0])]:
        result = fcl.ContinuousCollisionResult()
        moved = fcl.Transform(np.array(end))
        time = fcl.continuousCollide(a, moved, b, fcl.Transform(), None, result)
        assert result.is_collide and time == result.time_of_contact < 1
    # Past each other: surely no collision.
    result = fcl.ContinuousCollisionResult()
    grazing.setTranslation(np.array([-5.0, 2.1, 0]))
    moved = fcl.Transform(np.array([5.0, 2.1, 0]))
    time = fcl.continuousCollide(grazing, moved, ball, fcl.Transform(), None, result)
    assert not result.is_collide and time == 1


def test_fcl_managers() -> None:
    manager = fcl.DynamicAABBTreeCollisionManager()
    balls = [
        fcl.CollisionObject(fcl.Sphere(0.6), fcl.Transform(np.array([x, 0, 0.0]))) for x in range(4)
    ]
    manager.registerObjects(balls)
    data = fcl.CollisionData(fcl.CollisionRequest(num_max_contacts=100))
    manager.collide(data, fcl.defaultCollisionCallback)
    assert len(data.result.contacts) == 3
    manager.unregisterObject(balls[1])
    balls[2].setTranslation(np.array([9.0, 0, 0]))
    manager.update(balls[2])
    distance = fcl.DistanceData()
    manager.distance(distance, fcl.defaultDistanceCallback)
    assert distance.result.min_distance == pytest.approx(3 - 1.2) and manager.size() == 3
    calls: list[Any] = []

    def callback(a: fcl.CollisionObject, b: fcl.CollisionObject, data: Any) -> tuple[bool, float]:
        calls.append((a, b))
        return False, 1.0

    manager.distance(distance, callback)
    assert len(calls) == 3
    sphere = balls[0].collision_geometry
    assert isinstance(sphere, fcl.Sphere)
    sphere.radius = 5.0
    manager.update(balls[0])
    probe = fcl.CollisionObject(fcl.Box(1, 1, 1), fcl.Transform(np.array([0, 5.4, 0])))
    touched = fcl.CollisionData()
    manager.collide(probe, touched, fcl.defaultCollisionCallback)
    assert touched.result.is_collision


def test_coincident_cubes_have_six_ways_out() -> None:
    """trimesh's test wants one of them, -x, and its point."""
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)]) - 0.5
    cube = carom.Shape.hull(corners)
    mesh = carom.Shape.mesh(cube.vertices, cube.faces)
    for way in UNIT:
        assert carom.relation(mesh, mesh, None, way) == "touching"
        assert carom.relation(mesh, mesh, None, 0.999 * way) == "overlapping"
    deepest = carom.contact(cube, cube)
    assert deepest is not None and deepest.depth == 1.0
    assert deepest.normal.tolist() in UNIT.tolist()


def test_the_nearest_triangle_is_the_one_returned() -> None:
    """trimesh's test wants triangle 1, which is farther by 1e-9."""
    points = np.array([[0, 0, 0], [0, 1, 0], [-1, 0, 0], [0, 0, -1]], float)
    query = np.array([[-0.25 - 1e-9, 0.0, -0.25]])
    apart = [
        np.abs(carom.nearest_points(carom.Shape.mesh(points, [face]), query).signed_distance[0])
        for face in ([0, 1, 2], [0, 1, 3])
    ]
    assert apart[0] < apart[1]
    both = carom.nearest_points(carom.Shape.mesh(points, [[0, 1, 2], [0, 1, 3]]), query)
    assert both.part[0] == 0 and np.abs(both.signed_distance[0]) == apart[0]


class Box:
    """A cube with what `carom.trimesh` needs of a `trimesh.Trimesh`."""

    def __init__(self, size: float = 1.0) -> None:
        self.vertices, self.faces = cube(size)
        self._cache: dict[str, Any] = defaultdict(lambda: None)


def test_distances_of_a_named_object_leave_out_ignored_pairs() -> None:
    def at(x: float) -> np.ndarray:
        return pose([x, 0, 0])

    manager = carom.trimesh.CollisionManager()
    for name, x in [("a", 0.0), ("b", 0.75), ("c", 4.0)]:
        manager.add_object(name, Box(), at(x))
    assert manager.min_distance_internal("a") == pytest.approx(-0.25)
    manager.ignore("a", "b")
    assert manager.min_distance_internal("a", return_names=True) == (3.0, ("a", "c"))
    assert manager.min_distance_internal("b", return_names=True) == (2.25, ("b", "c"))
    assert manager.min_distance_internal(return_names=True) == (2.25, ("b", "c"))
    manager.ignore("c", "a")
    with pytest.raises(ValueError, match="no pair"):
        manager.min_distance_internal("a")
    # An ignored pair is forgotten with its part.
    manager.add_object("c", Box(), at(4.0))
    assert manager.min_distance_internal("a") == 3.0
    with pytest.raises(ValueError, match="not in collision manager"):
        manager.min_distance_internal("d")


def test_trimesh_classes() -> None:
    trimesh = pytest.importorskip("trimesh")
    import carom.trimesh as ct

    box, ball = trimesh.creation.box([2, 2, 2]), trimesh.creation.icosphere(radius=0.5)
    manager = ct.CollisionManager()
    manager.add_object("box", box)
    far = np.eye(4)
    far[0, 3] = 5
    manager.add_object("ball", ball, far)
    assert manager.in_collision_internal() is False
    assert manager.min_distance_internal() == pytest.approx(3.5, abs=1e-2)
    assert manager.in_collision_single(ball, return_names=True) == (True, {"box"})
    assert manager.min_distance_single(ball) == pytest.approx(-1.5, abs=1e-2), "inside"
    surfaces = ct.CollisionManager(solid=False)
    surfaces.add_object("box", box)
    assert surfaces.in_collision_single(ball) is False
    poses = np.tile(np.eye(4), (50, 1, 1))
    poses[:, 0, 3] = np.linspace(9, 0, 50)
    hits = manager.in_collision_batch(ball, poses)
    assert hits.tolist() == [manager.in_collision_single(ball, pose) for pose in poses]
    first = manager.first_contact(ball, poses, np.linspace(0, 9, 50))
    assert first is not None and first[1] == "ball" and first[0] == pytest.approx(3.0, abs=0.02)
    manager.set_transform("ball", np.eye(4))
    names, data = manager.in_collision_internal(return_names=True, return_data=True)[1:]
    assert names == {("ball", "box")} and data[0].names == {"ball", "box"}
    manager.ignore("ball", "box")
    assert manager.in_collision_internal() is False


def test_trimesh_rays_and_points() -> None:
    trimesh = pytest.importorskip("trimesh")
    pytest.importorskip("scipy")  # trimesh needs it for rays and points.
    import carom.trimesh as ct

    box = trimesh.creation.box([2, 2, 2])
    rays = ct.RayMeshIntersector(box)
    # Through a corner, through an edge, through a face, beside it, and without a direction.
    origins = np.array([[-5, -5, -5], [-5, -5, 0], [-5, 0.1, 0.2], [-5, 3, 0], [0, 0, 0.0]])
    ways = np.array([[1, 1, 1], [1, 1, 0], [2, 0, 0], [1, 0, 0], [0, 0, 0.0]])
    points, index_ray, index_tri = rays.intersects_location(origins, ways)
    assert index_ray.tolist() == [0, 0, 1, 1, 2, 2] and len(index_tri) == 6
    np.testing.assert_allclose(
        points[[0, 3, 4]], np.array([[-1, -1, -1], [1, 1, 0], [-1, 0.1, 0.2]]), atol=1e-9
    )
    assert rays.intersects_any(origins, ways).tolist() == [True, True, True, False, False]
    assert rays.contains_points([[0, 0, 0], [2, 0, 0]]).tolist() == [True, False]
    near = ct.ProximityQuery(box)
    closest, distance, face = near.on_surface([[3, 0.1, 0.2], [3, 3, 0.3]])
    np.testing.assert_allclose(closest, [[1, 0.1, 0.2], [1, 1, 0.3]], atol=1e-12)
    np.testing.assert_allclose(distance, [2, np.sqrt(8)])
    assert box.face_normals[face[0]].tolist() == [1, 0, 0]
    np.testing.assert_allclose(near.signed_distance([[0, 0, 0.75], [0, 0, 2]]), [0.25, -1])
    assert near.vertex([[9, 9, 9]])[0][0] == pytest.approx(8 * np.sqrt(3))
    tree = ct.BoundsTree([[[0, 0], [1, 1]], [[1, 1], [2, 2]], [[3, 0], [4, 1]]])
    assert tree.intersection([1, 1, 1, 1]) == [0, 1] and tree.intersection([5, 5, 6, 6]) == []
