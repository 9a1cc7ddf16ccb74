"""Times carom beside python-fcl, trimesh and embreex, on the same work in one run.

    python benches/peers.py

Answers are compared before anything is timed; a row says how many differ. A time is the least of
several rounds. Threads: one, for all.
"""

from __future__ import annotations

import platform
import time
from collections.abc import Callable
from importlib import metadata
from typing import Any

import fcl
import numpy as np
import trimesh
from trimesh.ray.ray_pyembree import RayMeshIntersector as Embree
from trimesh.ray.ray_triangle import RayMeshIntersector as PlainRays

import carom
import carom.fcl
import carom.trimesh

ROUNDS = 5
N_POSES = 2000
N_RAYS = 40_962
N_POINTS = 5000


def seconds(work: Callable[[], Any]) -> float:
    """Returns the least time of several rounds."""
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def row(task: str, n: int, ours: Callable[[], Any], peer: str, theirs: Callable[[], Any]) -> None:
    """Compares and times two ways to do a task of n parts, and prints a line."""
    a, b = np.asarray(ours(), float), np.asarray(theirs(), float)
    n_different = int((~np.isclose(a, b, rtol=1e-4, atol=1e-4)).sum())
    fast, slow = seconds(ours), seconds(theirs)
    each = 1e6 / n
    print(
        f"| {task} | {fast * each:.2f} | {peer} | {slow * each:.2f} | {slow / fast:.1f} "
        f"| {n_different} of {n} |"
    )


def random_poses(n: int, spread: float) -> np.ndarray:
    """Returns n matrices, (n, 4, 4)."""
    rng = np.random.default_rng(1)
    q = rng.normal(size=(n, 4))
    poses = np.array([trimesh.transformations.quaternion_matrix(row) for row in q])
    poses[:, :3, 3] = rng.uniform(-spread, spread, (n, 3))
    return poses


def fcl_mesh(mesh: Any) -> Any:
    """Returns the mesh for python-fcl."""
    model = fcl.BVHModel()
    model.beginModel(len(mesh.faces), len(mesh.vertices))
    model.addSubModel(mesh.vertices, mesh.faces)
    model.endModel()
    return model


def pairs() -> None:
    """Pairs of shapes at many poses, one call each, and in a batch."""
    knot = trimesh.creation.torus(1.0, 0.3, major_sections=48, minor_sections=24)
    kinds: list[tuple[str, carom.Shape, Any, float]] = [
        ("boxes", carom.Shape.box([1, 2, 3]), fcl.Box(1, 2, 3), 2.5),
        ("cylinders", carom.Shape.cylinder(0.5, 2), fcl.Cylinder(0.5, 2), 1.5),
        ("meshes of 2304 triangles", carom.trimesh.shape_of(knot), fcl_mesh(knot), 2.5),
    ]
    for name, shape, geometry, spread in kinds:
        poses = random_poses(N_POSES, spread)
        still = fcl.CollisionObject(geometry)
        moved = [fcl.CollisionObject(geometry, fcl.Transform(p[:3, :3], p[:3, 3])) for p in poses]

        def touch_one_by_one(shape: carom.Shape = shape, poses: Any = poses) -> Any:
            return [carom.intersects(shape, shape, None, pose) for pose in poses]

        def touch_batch(shape: carom.Shape = shape, poses: Any = poses) -> Any:
            return carom.intersects_batch(shape, shape, None, poses, threads=1)

        def touch_fcl(still: Any = still, moved: Any = moved) -> Any:
            return [0 < fcl.collide(still, other) for other in moved]

        def distance_one_by_one(shape: carom.Shape = shape, poses: Any = poses) -> Any:
            return [carom.distance(shape, shape, None, pose).distance for pose in poses]

        def distance_batch(shape: carom.Shape = shape, poses: Any = poses) -> Any:
            return carom.distance_batch(shape, shape, None, poses, threads=1).distance

        def distance_fcl(still: Any = still, moved: Any = moved) -> Any:
            request = fcl.DistanceRequest(enable_nearest_points=True)
            found = [fcl.distance(still, other, request, fcl.DistanceResult()) for other in moved]
            return np.maximum(found, 0)

        row(f"touch, {name}", N_POSES, touch_one_by_one, "python-fcl", touch_fcl)
        row(f"touch, {name}, batch", N_POSES, touch_batch, "python-fcl", touch_fcl)
        row(f"distance, {name}", N_POSES, distance_one_by_one, "python-fcl", distance_fcl)
        row(f"distance, {name}, batch", N_POSES, distance_batch, "python-fcl", distance_fcl)


def rays_and_points() -> None:
    """Rays from inside to every corner, random rays, and nearest points."""
    ball = trimesh.creation.icosphere(subdivisions=6)
    assert len(ball.vertices) == N_RAYS
    shape = carom.trimesh.shape_of(ball)
    embree, ours = Embree(ball), carom.trimesh.RayMeshIntersector(ball)
    origins = np.zeros_like(ball.vertices)
    corners = np.array(ball.vertices)
    row(
        "rays to every corner of 81,920 triangles",
        N_RAYS,
        lambda: carom.cast_ray(shape, origins, corners, threads=1).hit,
        "embreex",
        lambda: embree.intersects_any(origins, corners),
    )
    rng = np.random.default_rng(2)
    starts, ways = rng.uniform(-2, 2, (N_RAYS, 3)), rng.normal(size=(N_RAYS, 3))
    row(
        "random rays, names of trimesh",
        N_RAYS,
        lambda: ours.intersects_any(starts, ways),
        "embreex",
        lambda: embree.intersects_any(starts, ways),
    )
    small = trimesh.creation.icosphere(subdivisions=4)
    points = rng.uniform(-2, 2, (N_POINTS, 3))
    # trimesh has positive distances inside.
    row(
        "signed distance to 5120 triangles",
        N_POINTS,
        lambda: (
            -carom.nearest_points(carom.trimesh.shape_of(small), points, threads=1).signed_distance
        ),
        "trimesh",
        lambda: trimesh.proximity.signed_distance(small, points),
    )
    some, there = starts[:2000], ways[:2000]
    plain = PlainRays(small)
    row(
        "random rays on 5120 triangles",
        2000,
        lambda: carom.cast_ray(carom.trimesh.shape_of(small), some, there, threads=1).hit,
        "trimesh",
        lambda: plain.intersects_any(some, there),
    )


def managers() -> None:
    """All clashes of many parts, and again after a few moves."""
    n = 500
    rng = np.random.default_rng(3)
    mesh = trimesh.creation.torus(0.5, 0.2, major_sections=16, minor_sections=12)
    poses = np.tile(np.eye(4), (n, 1, 1))
    poses[:, :3, 3] = rng.uniform(0, 9, (n, 3))
    ours = carom.trimesh.CollisionManager(solid=False)
    theirs = trimesh.collision.CollisionManager()
    for manager in (ours, theirs):
        for i, pose in enumerate(poses):
            manager.add_object(str(i), mesh, pose)

    def clashes(manager: Any) -> Any:
        for i in range(10):
            manager.set_transform(str(i), poses[i])
        return len(manager.in_collision_internal(return_names=True)[1])

    row(
        "clashes of 500 meshes, 10 moved",
        1,
        lambda: clashes(ours),
        "trimesh and python-fcl",
        lambda: clashes(theirs),
    )


def main() -> None:
    packages = ["python-fcl", "trimesh", "embreex", "numpy"]
    versions = ", ".join(f"{name} {metadata.version(name)}" for name in packages)
    print(f"Python {platform.python_version()}, {versions}; one thread; least of {ROUNDS} rounds\n")
    print("| task | carom, us each | peer | us each | times | answers that differ |")
    print("|---|---|---|---|---|---|")
    pairs()
    rays_and_points()
    managers()


if __name__ == "__main__":
    main()
