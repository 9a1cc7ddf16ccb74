"""Compares carom with python-fcl on every pair of links of real robots in random poses.

    python benches/robots_truth.py [--poses 1000] [--distances 1000] [FOLDER]

FOLDER has the robots, by default `robots` in the data folder at CAROM_DATA, else in
`shared/data` beside the workspace. Without python-fcl, trimesh or the data a line says what is
skipped.

If the two differ on touching, integers decide: all triangle pairs whose boxes are near are
tested by separating axes without rounding. Corners are moved to the world exactly, by the entries
of the links' matrices. If distances differ, the least distance whose two points lie on the
triangles is right, because no distance is less than the least one.

Links that lie on each other, such as two discs of a joint, are flush: which of them touch is decided
by the rounding of their poses. carom takes quaternions, python-fcl matrices. Such differences are
counted apart, as `carom right/fcl right/open` for the matrices.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import numpy as np

import carom

#: Distances that differ by less than this part of the robot's size agree.
MAX_RELATIVE_DIFFERENCE = 1e-9
#: Surfaces whose distance is less than this part of the size are flush.
MAX_FLUSH_GAP = 1e-12
#: Candidate pairs of triangles that are tested without rounding, for each case.
MAX_EXACT_PAIRS = 20_000


def exact_corners(points: np.ndarray, matrix: np.ndarray) -> list[list[Fraction]]:
    """Returns corners in the world, without rounding."""
    rows = [[Fraction(float(x)) for x in row] for row in matrix[:3]]
    corners = []
    for point in points:
        x, y, z = (Fraction(float(c)) for c in point)
        corners.append([r[0] * x + r[1] * y + r[2] * z + r[3] for r in rows])
    return corners


def minus(a: list[int], b: list[int]) -> list[int]:
    return [a[0] - b[0], a[1] - b[1], a[2] - b[2]]


def cross(a: list[int], b: list[int]) -> list[int]:
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def dot(a: list[int], b: list[int]) -> int:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def is_touching(p: list[list[Fraction]], q: list[list[Fraction]]) -> bool:
    """Whether two triangles share a point, by all axes that can separate them, in integers."""
    scale = max(c.denominator for corner in p + q for c in corner)
    a, b = ([[int(c * scale) for c in corner] for corner in corners] for corners in (p, q))
    edges_a = [minus(a[i], a[i - 1]) for i in range(3)]
    edges_b = [minus(b[i], b[i - 1]) for i in range(3)]
    normal_a, normal_b = cross(edges_a[0], edges_a[1]), cross(edges_b[0], edges_b[1])
    axes = [normal_a, normal_b, *edges_a, *edges_b]
    axes += [cross(e, f) for e in edges_a for f in edges_b]
    # For triangles in one plane.
    axes += [cross(normal_a, e) for e in edges_a] + [cross(normal_b, e) for e in edges_b]
    for axis in axes:
        on_a, on_b = [dot(axis, c) for c in a], [dot(axis, c) for c in b]
        if max(on_a) < min(on_b) or max(on_b) < min(on_a):
            return False
    return True


class Part:
    """A link with its mesh, for both libraries."""

    def __init__(self, robot: carom.Robot, name: str) -> None:
        import fcl

        self.shape = robot.shape(name)
        self.link = robot.links.index(name)
        self.vertices, self.faces = self.shape.vertices, self.shape.faces
        model = fcl.BVHModel()
        model.beginModel(len(self.faces), len(self.vertices))
        model.addSubModel(self.vertices, self.faces)
        model.endModel()
        self.object = fcl.CollisionObject(model)

    def triangles(self, matrix: np.ndarray) -> np.ndarray:
        """Returns the triangles in the world, rounded, (m, 3, 3)."""
        world = self.vertices @ matrix[:3, :3].T + matrix[:3, 3]
        return world[self.faces]


def near_pairs(p: np.ndarray, q: np.ndarray, margin: float) -> np.ndarray:
    """Returns the pairs of triangles whose boxes come within a margin, (k, 2)."""
    low_p, high_p = p.min(1) - margin, p.max(1) + margin
    low_q, high_q = q.min(1), q.max(1)
    some_p = np.flatnonzero(((low_p <= high_q.max(0)) & (low_q.min(0) <= high_p)).all(1))
    some_q = np.flatnonzero(((low_q <= high_p.max(0)) & (low_p.min(0) <= high_q)).all(1))
    found = []
    for i in some_p:
        meets = ((low_p[i] <= high_q[some_q]) & (low_q[some_q] <= high_p[i])).all(1)
        found += [(i, j) for j in some_q[meets]]
    return np.array(found, int).reshape(-1, 2)


def truly_touching(a: Part, b: Part, of_a: np.ndarray, of_b: np.ndarray) -> bool | None:
    """Whether two meshes share a point; None if there are too many candidates."""
    size = float(np.ptp(a.vertices, axis=0).max() + np.abs(of_a[:3, 3]).max())
    pairs = near_pairs(a.triangles(of_a), b.triangles(of_b), 1e-12 * size)
    for i, j in pairs[:MAX_EXACT_PAIRS]:
        p = exact_corners(a.vertices[a.faces[i]], of_a)
        q = exact_corners(b.vertices[b.faces[j]], of_b)
        if is_touching(p, q):
            return True
    return None if MAX_EXACT_PAIRS < len(pairs) else False


def distance_to(part: Part, matrix: np.ndarray, point: np.ndarray) -> float:
    """Returns the distance of a point from a mesh, by trimesh over all triangles."""
    import trimesh

    triangles = part.triangles(matrix)
    nearest = trimesh.triangles.closest_point(triangles, np.tile(point, (len(triangles), 1)))
    return float(np.linalg.norm(nearest - point, axis=1).min())


def compare(file: Path, n_poses: int, n_distances: int) -> list[str]:
    """Returns the row of the table for one robot."""
    import fcl

    robot = carom.Robot(file)
    parts = [Part(robot, name) for name in robot.parts]
    limits = np.clip(robot.limits, -np.pi, np.pi)
    shares = np.random.default_rng(1).random((n_poses, len(limits)))
    q = limits[:, 0] + (limits[:, 1] - limits[:, 0]) * shares
    poses, matrices = robot.link_poses(q), robot.link_matrices(q)
    size = float(np.linalg.norm(np.ptp(poses[:, :, :3].reshape(-1, 3), axis=0)))
    tolerance = MAX_RELATIVE_DIFFERENCE * size
    pairs = list(combinations(range(len(parts)), 2))
    touch = {"same": 0, "carom": 0, "fcl": 0, "open": 0}
    apart = {"same": 0, "carom": 0, "fcl": 0, "open": 0}
    seconds = {"carom": 0.0, "fcl": 0.0}
    # Surfaces that lie on each other up to rounding: the last bit of a pose decides.
    flush = {"carom": 0, "fcl": 0, "open": 0}
    n_touching, worst = 0, 0.0
    for i, j in pairs:
        a, b = parts[i], parts[j]
        poses_a, poses_b = poses[:, a.link], poses[:, b.link]
        start = time.perf_counter()
        ours = carom.intersects_batch(a.shape, b.shape, poses_a, poses_b, threads=1)
        seconds["carom"] += time.perf_counter() - start
        n_touching += int(ours.sum())
        for row in range(n_poses):
            of_a, of_b = matrices[row, a.link], matrices[row, b.link]
            for part, matrix in ((a, of_a), (b, of_b)):
                part.object.setTransform(fcl.Transform(matrix[:3, :3], matrix[:3, 3]))
            start = time.perf_counter()
            result = fcl.CollisionResult()
            theirs = 0 < fcl.collide(a.object, b.object, fcl.CollisionRequest(), result)
            seconds["fcl"] += time.perf_counter() - start
            if bool(ours[row]) == theirs:
                touch["same"] += 1
            else:
                truth = truly_touching(a, b, of_a, of_b)
                right = "open" if truth is None else "carom" if truth == bool(ours[row]) else "fcl"
                near = carom.distance(a.shape, b.shape, poses_a[row], poses_b[row]).distance
                if theirs:
                    gap = near
                else:
                    gap = fcl.distance(
                        a.object, b.object, fcl.DistanceRequest(), fcl.DistanceResult()
                    )
                kind = flush if gap <= MAX_FLUSH_GAP * size else touch
                kind[right] += 1
                if kind is touch and right != "carom":
                    names = f"{robot.parts[i]} and {robot.parts[j]}, pose {row}"
                    print(f"  {file.stem}: {names}: carom says {near}, fcl {theirs}")
            if n_distances <= row or ours[row] or theirs:
                continue
            near = carom.distance(a.shape, b.shape, poses_a[row], poses_b[row])
            request = fcl.DistanceRequest(enable_nearest_points=True)
            answer = fcl.DistanceResult()
            far = fcl.distance(a.object, b.object, request, answer)
            worst = max(worst, abs(near.distance - far))
            if abs(near.distance - far) <= tolerance:
                apart["same"] += 1
                continue
            errors = [
                max(distance_to(a, of_a, p), distance_to(b, of_b, r))
                for p, r in ((near.point_a, near.point_b), answer.nearest_points)
            ]
            lengths = [near.distance, far]
            good = [k for k in range(2) if errors[k] <= tolerance]
            # Points on both surfaces bound the distance from above.
            least = min(good, key=lambda k: lengths[k], default=None)
            apart["open" if least is None else ("carom", "fcl")[least]] += 1
    speed = seconds["fcl"] / max(seconds["carom"], 1e-9)
    columns = [file.stem, n_poses, len(pairs), n_touching, touch["same"]]
    columns += [touch["carom"], touch["fcl"], touch["open"]]
    columns += ["/".join(map(str, flush.values()))]
    columns += [apart["same"], apart["carom"], apart["fcl"], apart["open"]]
    return [*map(str, columns), f"{worst:.1e}", f"{speed:.1f}"]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--poses", type=int, default=1000)
    parser.add_argument("--distances", type=int, default=1000)
    arguments = parser.parse_args()
    for needed in ("fcl", "trimesh"):
        try:
            __import__(needed)
        except ImportError:
            print(f"skipped: no module {needed}")
            return
    beside = Path(__file__).resolve().parents[2].parent / "shared" / "data"
    data = Path(os.environ.get("CAROM_DATA", beside))
    folder = arguments.folder or data / "robots"
    files = sorted(folder.glob("*/*.urdf"))
    if not files:
        print(f"skipped: no robots in {folder}")
        return
    names = ["robot", "poses", "pairs", "touching", "touch: same", "carom right", "fcl right"]
    names += ["open", "flush", "distance: same", "carom right", "fcl right", "open"]
    names += ["largest difference", "fcl/carom, time of touch"]
    print("|", " | ".join(names), "|")
    print("|" + "---|" * len(names))
    for file in files:
        try:
            row = compare(file, arguments.poses, arguments.distances)
        except carom.ReadError as error:
            print(f"skipped: {error}", file=sys.stderr)
            continue
        print("|", " | ".join(row), "|", flush=True)


if __name__ == "__main__":
    main()
