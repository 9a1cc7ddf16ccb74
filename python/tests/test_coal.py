"""`carom.coal` beside Coal's own answers, and beside closed forms."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import carom.coal as shim

KINDS = ["Box", "Sphere", "Capsule", "Cylinder", "Cone", "Ellipsoid", "Convex", "BVHModelOBBRSS"]


def shape(module: Any, kind: str, sizes: np.ndarray[Any, Any]) -> Any:
    """A shape of the real Coal or of the shim, from three sizes between 0.2 and 1."""
    a, b, c = sizes.tolist()
    if kind in ("Box", "Ellipsoid"):
        return getattr(module, kind)(a, b, c)
    if kind == "Sphere":
        return module.Sphere(a)
    if kind in ("Convex", "BVHModelOBBRSS"):
        points, triangles = module.StdVec_Vec3s(), module.StdVec_Triangle()
        for row in ([0, 0, 0], [2 * a, 0, 0], [0, 2 * b, 0], [0, 0, 2 * c]):
            points.append(np.array(row, dtype=float))
        for face in ([0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]):
            triangles.append(module.Triangle(*face))
        if kind == "Convex":
            return module.Convex(points, triangles)
        model = module.BVHModelOBBRSS()
        model.beginModel(4, 4)
        model.addSubModel(points, triangles)
        model.endModel()
        return model
    return getattr(module, kind)(a, 2 * b)


def place(module: Any, rotation: Any, translation: Any) -> Any:
    return module.Transform3s(rotation, translation)


def test_random_pairs_as_coal_answers() -> None:
    real = pytest.importorskip("coal", reason="the package coal is not installed")
    rng = np.random.default_rng(1)
    n_apart, n_deep, n_margin = 0, 0, 0
    for i in range(1000):
        kinds = [KINDS[int(k)] for k in rng.integers(0, len(KINDS), 2)]
        sizes = rng.uniform(0.2, 1.0, (2, 3))
        rotation = shim.Transform3s.Random().getRotation() if i else np.eye(3)
        translation = rng.uniform(-1.3, 1.3, 3)
        answers = []
        for module in (real, shim):
            a, b = (shape(module, kind, size) for kind, size in zip(kinds, sizes))
            poses = place(module, np.eye(3), np.zeros(3)), place(module, rotation, translation)
            request, result = module.DistanceRequest(), module.DistanceResult()
            request.gjk_tolerance, request.epa_tolerance = 1e-9, 1e-9
            d = module.distance(a, poses[0], b, poses[1], request, result)
            hit, margin = module.CollisionResult(), module.CollisionResult()
            module.collide(a, poses[0], b, poses[1], module.CollisionRequest(), hit)
            near = module.CollisionRequest()
            near.security_margin = 0.3
            module.collide(a, poses[0], b, poses[1], near, margin)
            answers.append((d, result, hit, margin))
        (d, result, hit, margin), (own, own_result, own_hit, own_margin) = answers
        what = f"{i}: {kinds} {d} {own}"
        if 1e-4 < own:
            n_apart += 1
            assert d == pytest.approx(own, abs=2e-4), what
            assert not hit.isCollision() and not own_hit.isCollision(), what
            points = own_result.getNearestPoint1(), own_result.getNearestPoint2()
            assert np.linalg.norm(points[1] - points[0]) == pytest.approx(own, abs=1e-9)
            assert float(np.dot(points[1] - points[0], own_result.normal)) == pytest.approx(own)
            if abs(own - 0.3) > 1e-3:
                n_margin += 1
                assert margin.isCollision() == own_margin.isCollision() == (own < 0.3), what
        elif own < -1e-4 and "BVHModelOBBRSS" not in kinds:
            n_deep += 1
            assert hit.isCollision() and own_hit.isCollision(), what
            # Coal's way out is as long, or longer if its search stopped early.
            assert d <= own + 2e-3, what
            contact = own_hit.getContact(0)
            assert contact.penetration_depth == own and contact.b1 == shim.Contact.NONE
            apart = contact.nearest_points[1] - contact.nearest_points[0]
            assert float(np.dot(apart, contact.normal)) == pytest.approx(own, abs=1e-6)
    assert 300 < n_apart and 150 < n_deep and 200 < n_margin


def test_depths_are_those_of_coal_nearly_always() -> None:
    real = pytest.importorskip("coal", reason="the package coal is not installed")
    rng = np.random.default_rng(2)
    ratios = []
    for _ in range(400):
        kinds = [KINDS[int(k)] for k in rng.integers(0, 7, 2)]
        sizes, translation = rng.uniform(0.2, 1.0, (2, 3)), rng.uniform(-0.6, 0.6, 3)
        rotation = shim.Transform3s.Random().getRotation()
        depths = []
        for module in (real, shim):
            a, b = (shape(module, kind, size) for kind, size in zip(kinds, sizes))
            poses = place(module, np.eye(3), np.zeros(3)), place(module, rotation, translation)
            result = module.DistanceResult()
            depths.append(
                module.distance(a, poses[0], b, poses[1], module.DistanceRequest(), result)
            )
        if depths[1] < -1e-3:
            ratios.append(depths[0] / depths[1])
    assert 200 < len(ratios)
    assert np.mean(np.abs(np.array(ratios) - 1) < 1e-2) > 0.95


def test_planes_half_spaces_and_sweeps() -> None:
    ball, identity = shim.Sphere(1.0), shim.Transform3s()
    at = shim.Transform3s(np.array([0, 0, 1.5]))
    request = shim.DistanceRequest()
    for flat, wanted in [
        (shim.Halfspace(np.array([0, 0, 2.0]), 0.0), 0.5),
        (shim.Plane(np.array([0, 0, 1.0]), 0.0), 0.5),
        (shim.Plane(np.array([0, 0, 1.0]), 1.0), -0.5),
        (shim.Plane(np.array([0, 0, 1.0]), 4.0), 1.5),
    ]:
        found = shim.distance(ball, at, flat, identity, request, shim.DistanceResult())
        assert found == pytest.approx(wanted), flat.d
    ball.setSweptSphereRadius(0.25)
    flat = shim.Halfspace(np.array([0, 0, 1.0]), 0.0)
    result = shim.DistanceResult()
    assert shim.distance(ball, at, flat, identity, request, result) == pytest.approx(0.25)
    np.testing.assert_allclose(result.normal, [0, 0, -1])
    with pytest.raises(ValueError, match="Swept-sphere"):
        ball.setSweptSphereRadius(-1.0)


def test_meshes_have_a_contact_for_each_pair_of_triangles() -> None:
    mesh = shape(shim, "BVHModelOBBRSS", np.array([0.5, 0.5, 0.5]))
    other = shim.Transform3s(np.array([0.2, 0.1, 0.1]))
    one, many = shim.CollisionResult(), shim.CollisionResult()
    shim.collide(mesh, shim.Transform3s(), mesh, other, shim.CollisionRequest(), one)
    request = shim.CollisionRequest(shim.CollisionRequestFlag.CONTACT, 100)
    n = shim.collide(mesh, shim.Transform3s(), mesh, other, request, many)
    assert one.numContacts() == 1 and n == many.numContacts() == 3
    pairs = {(contact.b1, contact.b2) for contact in many.getContacts()}
    assert len(pairs) == n and all(0 <= i < 4 and 0 <= k < 4 for i, k in pairs)


def test_transforms_are_a_group() -> None:
    a, b = shim.Transform3s.Random(), shim.Transform3s.Random()
    v = np.array([1.0, -2.0, 0.5])
    np.testing.assert_allclose((a * b).transform(v), a.transform(b.transform(v)))
    np.testing.assert_allclose((a * a.inverse())._matrix, np.eye(4), atol=1e-12)
    np.testing.assert_allclose(a.inverseTimes(b)._matrix, (a.inverse() * b)._matrix)
    again = shim.Transform3s(a.getQuatRotation(), a.getTranslation())
    np.testing.assert_allclose(again._matrix, a._matrix, atol=1e-12)
    assert pickle.loads(pickle.dumps(a)) == a and shim.Transform3s.Identity().isIdentity()


def test_managers_call_back() -> None:
    manager = shim.SaPCollisionManager()
    balls = [
        shim.CollisionObject(shim.Sphere(0.6), shim.Transform3s(np.array([float(i), 0, 0])))
        for i in range(5)
    ]
    manager.registerObjects(balls)
    collect = shim.CollisionCallBackCollect(100)
    manager.collide(collect)
    assert collect.numCollisionPairs() == 4 and collect.exist(balls[1], balls[0])
    least = shim.DistanceCallBackDefault()
    probe = shim.CollisionObject(shim.Sphere(0.1), shim.Transform3s(np.array([2.0, 0, 3.0])))
    manager.distance(probe, least)
    assert least.data.result.min_distance == pytest.approx(2.3)
    manager.unregisterObject(balls[2])
    assert manager.size() == 4 and not manager.empty()
