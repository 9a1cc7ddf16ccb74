"""Errors name the first offender."""

from __future__ import annotations

import numpy as np
import pytest

import carom
from carom import Shape

BALL = Shape.sphere(1.0)


def test_all_errors_are_value_errors() -> None:
    for error in (carom.ShapeError, carom.PoseError, carom.ReadError, carom.WorldError):
        assert issubclass(error, ValueError)


def test_shapes() -> None:
    with pytest.raises(carom.ShapeError, match="sphere: .*radius"):
        Shape.sphere(-1.0)
    with pytest.raises(carom.ShapeError, match="sphere"):
        Shape.sphere(float("nan"))
    with pytest.raises(carom.ShapeError, match="torus"):
        Shape.torus(1.0, 2.0)
    with pytest.raises(carom.ShapeError, match="half_space"):
        Shape.half_space([0, 0, 0])
    with pytest.raises(ValueError, match="axis: .*'?w"):
        Shape.capsule(1.0, 1.0, "w")
    with pytest.raises(
        ValueError, match="extents: must be three numbers, not of the shape \\(2,\\)"
    ):
        Shape.box([1, 2])


def test_meshes() -> None:
    points = np.zeros((4, 3))
    points[1, 0] = points[2, 1] = points[3, 2] = 1
    with pytest.raises(carom.ShapeError, match="faces\\[1\\]: vertex 7 of 4 does not exist"):
        Shape.mesh(points, [[0, 1, 2], [0, 1, 7], [0, 9, 9]])
    with pytest.raises(carom.ShapeError, match="faces\\[0\\]: vertex -1 of 4"):
        Shape.mesh(points, [[0, 1, -1]])
    with pytest.raises(ValueError, match="faces: must be of an integer type"):
        Shape.mesh(points, [[0.0, 1.0, 2.0]])
    with pytest.raises(ValueError, match="faces: must have the shape \\(n, 3\\), not \\(1, 4\\)"):
        Shape.mesh(points, [[0, 1, 2, 3]])
    bad = points.copy()
    bad[2, 1] = np.inf
    with pytest.raises(ValueError, match="vertices\\[2\\]: not finite"):
        Shape.mesh(bad, [[0, 1, 2]])
    with pytest.raises(carom.ShapeError, match="mesh: .*triangle"):
        Shape.mesh(points, np.zeros((0, 3), int))


def test_poses() -> None:
    with pytest.raises(carom.PoseError, match="pose_b: .*R\\^T R differs from 1 by .*Shape.scaled"):
        carom.intersects(BALL, BALL, None, np.diag([2.0, 1, 1, 1]))
    with pytest.raises(carom.PoseError, match="pose_a: .*mirror"):
        carom.intersects(BALL, BALL, np.diag([-1.0, 1, 1, 1]))
    with pytest.raises(
        carom.PoseError, match="pose_a: nan is not finite|pose_a: NaN is not finite"
    ):
        carom.distance(BALL, BALL, [0, np.nan, 0])
    with pytest.raises(carom.PoseError, match="pose_a"):
        carom.distance(BALL, BALL, [0, 0, 0, 0, 0, 0, 2])
    with pytest.raises(ValueError, match="pose_a: must have the shape .*, not \\(5,\\)"):
        carom.distance(BALL, BALL, np.zeros(5))
    with pytest.raises(ValueError, match="pose_a"):
        carom.distance(BALL, BALL, "here")
    poses = np.tile(np.eye(4), (5, 1, 1))
    poses[3, 0, 0] = 1.1
    with pytest.raises(carom.PoseError, match="poses_b\\[3\\]"):
        carom.intersects_batch(BALL, BALL, None, poses)
    with pytest.raises(ValueError, match="poses_b: 4 poses, but poses_a has 5"):
        carom.intersects_batch(BALL, BALL, np.zeros((5, 3)), np.zeros((4, 3)))


def test_arrays() -> None:
    origins, directions = np.zeros((4, 3)), np.ones((4, 3))
    directions[2] = 0
    with pytest.raises(ValueError, match="directions\\[2\\]: zero"):
        carom.cast_ray(BALL, origins, directions)
    with pytest.raises(ValueError, match="directions: 3 rows, but origins has 4"):
        carom.cast_ray(BALL, origins, np.ones((3, 3)))
    with pytest.raises(ValueError, match="points: must have the shape \\(n, 3\\), not \\(3,\\)"):
        carom.nearest_points(BALL, np.zeros(3))
    with pytest.raises(ValueError, match="points\\[1\\]: not finite"):
        carom.nearest_points(BALL, np.array([[0, 0, 0], [0, np.nan, 0]], np.float32))
    with pytest.raises(ValueError, match="threads: must be at least 1"):
        carom.nearest_points(BALL, np.zeros((1, 3)), threads=0)
    with pytest.raises(ValueError, match="prediction: must not be negative"):
        carom.contact(BALL, BALL, prediction=-1.0)
    with pytest.raises(ValueError, match="a: must be a mesh, not a ball"):
        carom.relation(BALL, BALL)
    with pytest.raises(carom.ShapeError, match="inside and outside"):
        carom.contains(Shape.mesh(np.eye(3), [[0, 1, 2]]), np.zeros((1, 3)))
