"""The names of trimesh's collision, ray and proximity queries, answered by carom.

Meshes are `trimesh.Trimesh` objects. trimesh itself is not imported. Differences from trimesh:

- A mesh inside a closed mesh is in collision with it, unless the manager has `solid=False`.
- The depth of two closed meshes is that of the solids. A contact names triangles that touch.
- No ray is lost at an edge or a corner, and none hits one place twice.
- `install` puts these classes in the place of trimesh's own.
"""

from __future__ import annotations

import importlib
from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _carom
from ._carom import Assembly, Shape

_Array = npt.NDArray[np.float64]
_Ints = npt.NDArray[np.int64]

# trimesh's tolerance for equal points and distances, a length.
_MERGE = 1e-8


def shape_of(mesh: Any) -> Shape:
    """The shape of a `trimesh.Trimesh`. It is kept in the cache of the mesh until that changes."""
    cache = mesh._cache
    shape = cache["carom_shape"]
    if shape is None:
        shape = Shape.mesh(np.asarray(mesh.vertices), np.asarray(mesh.faces))
        cache["carom_shape"] = shape
    assert isinstance(shape, Shape)
    return shape


def _pose(transform: Any) -> _Array:
    pose = np.eye(4) if transform is None else np.array(transform, dtype=np.float64)
    if pose.shape != (4, 4):
        raise ValueError("transform must be (4,4)!")
    return pose


class ContactData:
    """A contact of two named objects."""

    def __init__(self, names: tuple[Hashable, Hashable], contact: _carom.Contact) -> None:
        self.names = set(names)
        self._index = {names[0]: contact.part_a, names[1]: contact.part_b}
        self.normal: _Array = contact.normal
        self.point: _Array = 0.5 * (contact.point_a + contact.point_b)
        self.depth: float = contact.depth

    def index(self, name: Hashable) -> int:
        """The triangle of the named mesh."""
        return self._index[name]


class DistanceData:
    """The nearest points of two named objects."""

    def __init__(
        self, names: tuple[Hashable, Hashable], nearest: _carom.Distance, distance: float
    ) -> None:
        self.names = set(names)
        self.distance = distance
        self._index = {names[0]: nearest.part_a, names[1]: nearest.part_b}
        self._point = {names[0]: nearest.point_a, names[1]: nearest.point_b}

    def index(self, name: Hashable) -> int:
        """The nearest triangle of the named mesh."""
        return self._index[name]

    def point(self, name: Hashable) -> _Array:
        """The nearest point of the named mesh."""
        return self._point[name]


class CollisionManager:
    """A set of named meshes.

    With `solid` closed meshes are solids; otherwise every mesh is a surface. A pair that
    `Assembly.undecided` would list, because one mesh may lie in an open one, is not in collision.
    """

    def __init__(self, solid: bool = True) -> None:
        self.solid = solid
        self._assembly = Assembly()
        self._number: dict[Hashable, int] = {}
        self._name: dict[int, Hashable] = {}

    def add_object(self, name: Hashable, mesh: Any, transform: Any = None) -> int:
        """Adds a mesh, or replaces the one of this name. Returns its number."""
        pose, shape = _pose(transform), shape_of(mesh)
        if name in self._number:
            self.remove_object(name)
        number = self._assembly.add(shape, pose)
        self._number[name], self._name[number] = number, name
        return number

    def _of(self, name: Hashable) -> int:
        if name not in self._number:
            raise ValueError(f"{name} not in collision manager!")
        return self._number[name]

    def remove_object(self, name: Hashable) -> None:
        """Removes a mesh."""
        number = self._of(name)
        self._assembly.remove(number)
        del self._number[name], self._name[number]

    def set_transform(self, name: Hashable, transform: Any) -> None:
        """Puts a mesh at another pose."""
        self._assembly.move(self._of(name), _pose(transform))

    def ignore(self, name: Hashable, other: Hashable) -> None:
        """Leaves a pair out of the internal collisions and distances."""
        self._assembly.ignore(self._of(name), self._of(other))

    def _contacts(
        self, names: tuple[Hashable, Hashable], a: tuple[Shape, Any], b: tuple[Shape, Any]
    ) -> list[ContactData]:
        found = _carom.contacts(a[0], b[0], a[1], b[1])
        if not found:
            # One is inside the other, or they touch in a point.
            one = _carom.contact(a[0], b[0], a[1], b[1], prediction=np.inf)
            found = [] if one is None else [one]
        return [ContactData(names, contact) for contact in found]

    def in_collision_single(
        self,
        mesh: Any,
        transform: Any = None,
        return_names: bool = False,
        return_data: bool = False,
    ) -> Any:
        """Whether a mesh is in collision with any object. On demand the set of their names, and a
        list of `ContactData`, whose other name is "__external"."""
        shape, pose = shape_of(mesh), _pose(transform)
        hits = self._assembly.touching(shape, pose, solid=self.solid).tolist()
        data: list[ContactData] = []
        if return_data:
            for hit in hits:
                own = (self._assembly.shape(hit), self._assembly.pose(hit))
                data += self._contacts((self._name[hit], "__external"), own, (shape, pose))
        return _answer(
            bool(hits), return_names, {self._name[hit] for hit in hits}, return_data, data
        )

    def in_collision_batch(self, mesh: Any, transforms: Any) -> npt.NDArray[np.bool_]:
        """Whether a mesh is in collision with any object, at each of n poses: (n,)."""
        shape = shape_of(mesh)
        hits = np.zeros(len(transforms), dtype=bool)
        for number in self._assembly.parts().tolist():
            other, pose = self._assembly.shape(number), self._assembly.pose(number)
            open_rows = np.flatnonzero(~hits)
            poses = np.ascontiguousarray(np.asarray(transforms, dtype=np.float64)[open_rows])
            hits[open_rows] = _carom.intersects_batch(shape, other, poses, pose, solid=self.solid)
        return hits

    def first_contact(
        self, mesh: Any, transforms: Any, times: Any = None
    ) -> tuple[float, Hashable] | None:
        """When, and with which object, a mesh that goes along poses first collides. Nothing touches
        before that time. `None` if the way is free."""
        first: tuple[float, Hashable] | None = None
        for number, name in self._name.items():
            other, pose = self._assembly.shape(number), self._assembly.pose(number)
            cast = _carom.cast_along(shape_of(mesh), other, transforms, pose, times)
            if cast.status != "clear" and (first is None or cast.safe_until < first[0]):
                first = cast.safe_until, name
        return first

    def in_collision_internal(self, return_names: bool = False, return_data: bool = False) -> Any:
        """Whether any two objects are in collision. On demand the set of pairs of names, each
        sorted, and a list of `ContactData`."""
        pairs = self._assembly.clashes(solid=self.solid).tolist()
        assembly = self._assembly
        data: list[ContactData] = []
        if return_data:
            for a, b in pairs:
                sides = (assembly.shape(a), assembly.pose(a)), (assembly.shape(b), assembly.pose(b))
                data += self._contacts((self._name[a], self._name[b]), *sides)
        names = {_sorted(self._name[a], self._name[b]) for a, b in pairs}
        return _answer(bool(pairs), return_names, names, return_data, data)

    def in_collision_other(
        self, other_manager: CollisionManager, return_names: bool = False, return_data: bool = False
    ) -> Any:
        """Whether any object is in collision with one of another manager. On demand the set of
        pairs of names, the own one first, and a list of `ContactData`."""
        own, others = self._assembly, other_manager._assembly
        pairs = own.clashes_with(others, solid=self.solid).tolist()
        data: list[ContactData] = []
        if return_data:
            for a, b in pairs:
                sides = (own.shape(a), own.pose(a)), (others.shape(b), others.pose(b))
                data += self._contacts((self._name[a], other_manager._name[b]), *sides)
        names = {(self._name[a], other_manager._name[b]) for a, b in pairs}
        return _answer(bool(pairs), return_names, names, return_data, data)

    def _signed(
        self, nearest: _carom.Distance, a: tuple[Shape, Any], b: tuple[Shape, Any]
    ) -> float:
        """The distance, or minus the depth."""
        nested = self.solid and _carom.intersects(a[0], b[0], a[1], b[1], solid=True)
        if 0 < nearest.distance and not nested:
            return nearest.distance
        if self.solid:
            overlap = _carom.overlap(a[0], b[0], a[1], b[1])
            if overlap is not None:
                return -overlap.at_most
        contact = _carom.contact(a[0], b[0], a[1], b[1])
        return 0.0 if contact is None else contact.distance

    def _deepest(
        self, pairs: list[tuple[int, int]], sides: Any
    ) -> tuple[float, tuple[int, int], _carom.Distance]:
        """The deepest of pairs that overlap."""
        best = None
        for pair in pairs:
            a, b = sides(pair)
            nearest = _carom.distance(a[0], b[0], a[1], b[1])
            value = self._signed(nearest, a, b)
            if best is None or value < best[0]:
                best = value, pair, nearest
        assert best is not None
        return best

    def _nearest(
        self, pairs: list[tuple[int, int]], found: _carom.PartDistance | None, sides: Any
    ) -> Any:
        """The deepest of pairs that overlap, else the nearest pair."""
        if pairs:
            return self._deepest(pairs, sides)
        if found is None:
            raise ValueError("no pair of objects to measure")
        return found.distance, (found.a, found.b), found.nearest

    def min_distance_single(
        self, mesh: Any, transform: Any = None, return_name: bool = False, return_data: bool = False
    ) -> Any:
        """The least distance of a mesh from any object; minus the depth if it overlaps one."""
        shape, pose = shape_of(mesh), _pose(transform)
        own = self._assembly
        hits = [(a, 0) for a in own.touching(shape, pose, solid=self.solid).tolist()]
        found = own.nearest_to(shape, pose)
        value, (a, _), nearest = self._nearest(
            hits, found, lambda pair: ((own.shape(pair[0]), own.pose(pair[0])), (shape, pose))
        )
        data = DistanceData((self._name[a], "__external"), nearest, value)
        return _answer(value, return_name, self._name[a], return_data, data)

    def min_distance_internal(
        self, name: Hashable = None, return_names: bool = False, return_data: bool = False
    ) -> Any:
        """The least distance of any two objects, or of the named one from the others; minus the
        depth if they overlap. The names are sorted."""
        own = self._assembly
        one = None if name is None else self._of(name)
        pairs = [(a, b) for a, b in own.clashes(solid=self.solid, of=one).tolist()]
        value, (a, b), nearest = self._nearest(
            pairs,
            own.min_distance(of=one),
            lambda pair: (
                (own.shape(pair[0]), own.pose(pair[0])),
                (own.shape(pair[1]), own.pose(pair[1])),
            ),
        )
        data = DistanceData((self._name[a], self._name[b]), nearest, value)
        names = _sorted(self._name[a], self._name[b])
        return _answer(value, return_names, names, return_data, data)

    def min_distance_other(
        self, other_manager: CollisionManager, return_names: bool = False, return_data: bool = False
    ) -> Any:
        """The least distance of an object from one of another manager; minus the depth if they
        overlap. The own name comes first."""
        own, others = self._assembly, other_manager._assembly
        pairs = [(a, b) for a, b in own.clashes_with(others, solid=self.solid).tolist()]
        found = own.min_distance_to(others)
        value, (a, b), nearest = self._nearest(
            pairs,
            found,
            lambda pair: (
                (own.shape(pair[0]), own.pose(pair[0])),
                (others.shape(pair[1]), others.pose(pair[1])),
            ),
        )
        names = (self._name[a], other_manager._name[b])
        return _answer(value, return_names, names, return_data, DistanceData(names, nearest, value))


def _sorted(a: Any, b: Any) -> tuple[Hashable, Hashable]:
    return (b, a) if b < a else (a, b)


def _answer(first: Any, wants_names: bool, names: Any, wants_data: bool, data: Any) -> Any:
    rest = [names] * wants_names + [data] * wants_data
    return (first, *rest) if rest else first


def scene_to_collision(scene: Any) -> tuple[CollisionManager, dict[Hashable, int]]:
    """A manager with the meshes of a `trimesh.Scene`, and the number of each node."""
    manager = CollisionManager()
    objects: dict[Hashable, int] = {}
    for node in scene.graph.nodes_geometry:
        transform, geometry = scene.graph[node]
        objects[node] = manager.add_object(node, scene.geometry[geometry], transform)
    return manager, objects


class RayMeshIntersector:
    """Rays against one mesh. `scale_to_box` has no effect: answers do not depend on the scale."""

    def __init__(self, geometry: Any, scale_to_box: bool = True) -> None:
        self.mesh = geometry

    @property
    def _shape(self) -> Shape:
        return shape_of(self.mesh)

    @staticmethod
    def _rays(origins: Any, directions: Any) -> tuple[_Array, _Array, _Ints]:
        """The rays with a direction, of unit length, and their numbers."""
        origins = np.ascontiguousarray(origins, dtype=np.float64)
        directions = np.ascontiguousarray(directions, dtype=np.float64)
        if origins.shape != directions.shape:
            raise ValueError("Ray origin and direction don't match!")
        lengths = np.linalg.norm(directions, axis=1)
        good = np.flatnonzero(
            (0 < lengths) & np.isfinite(lengths) & np.isfinite(origins).all(axis=1)
        )
        unit = directions[good] / lengths[good, None]
        return np.ascontiguousarray(origins[good]), unit, good.astype(np.int64)

    def intersects_id(
        self,
        ray_origins: Any,
        ray_directions: Any,
        multiple_hits: bool = True,
        max_hits: int = 100,
        return_locations: bool = False,
    ) -> Any:
        """The triangles and the rays of all hits, or of the first of each ray: (m,) and (m,), and
        on demand the points, (m, 3). Hits are sorted by ray, then along it."""
        origins, directions, numbers = self._rays(ray_origins, ray_directions)
        if multiple_hits:
            found = _carom.cast_ray_all(self._shape, origins, directions)
            rays, t, faces, points = found.ray, found.t, found.part, found.point
            kept = _one_for_each_place(rays, t, found.is_back_face) & _first_of_each(rays, max_hits)
            rays, faces, points = rays[kept], faces[kept], points[kept]
        else:
            first = _carom.cast_ray(self._shape, origins, directions)
            rays = np.flatnonzero(first.hit).astype(np.int64)
            faces, points = first.part[rays], first.point[rays]
        rays = numbers[rays]
        return (faces, rays, points) if return_locations else (faces, rays)

    def intersects_location(
        self, ray_origins: Any, ray_directions: Any, multiple_hits: bool = True
    ) -> tuple[_Array, _Ints, _Ints]:
        """The points, the rays and the triangles of hits: (m, 3), (m,) and (m,)."""
        faces, rays, points = self.intersects_id(
            ray_origins, ray_directions, multiple_hits, return_locations=True
        )
        return points, rays, faces

    def intersects_first(self, ray_origins: Any, ray_directions: Any) -> _Ints:
        """The first triangle of each ray, or -1: (n,)."""
        origins, directions, numbers = self._rays(ray_origins, ray_directions)
        out = np.full(len(ray_origins), -1, dtype=np.int64)
        out[numbers] = _carom.cast_ray(self._shape, origins, directions).part
        return out

    def intersects_any(self, ray_origins: Any, ray_directions: Any) -> npt.NDArray[np.bool_]:
        """Whether each ray hits: (n,)."""
        return np.asarray(self.intersects_first(ray_origins, ray_directions) != -1)

    def contains_points(self, points: Any) -> npt.NDArray[np.bool_]:
        """Whether each point is inside, surface included: (n,). Of an open mesh inside is where the
        winding number is above one half."""
        return contains_points(self.mesh, points)


def contains_points(mesh: Any, points: Any) -> npt.NDArray[np.bool_]:
    """Whether each point is inside a mesh: see `RayMeshIntersector.contains_points`."""
    points = np.ascontiguousarray(points, dtype=np.float64)
    shape = shape_of(mesh)
    if shape.is_solid:
        return _carom.contains(shape, points)
    return np.asarray(0.5 < np.abs(_carom.winding_number(shape, points)))


def _one_for_each_place(
    rays: _Ints, t: _Array, is_back: npt.NDArray[np.bool_]
) -> npt.NDArray[np.bool_]:
    """Marks the first of the hits of one ray at one place from one side: those of an edge."""
    kept = np.ones(len(rays), dtype=bool)
    # Hits at one place differ by roundings, a few units of 1e-16.
    place = np.concatenate(
        [[True], (rays[1:] != rays[:-1]) | (1e-12 * (1 + np.abs(t[1:])) < np.diff(t))]
    )
    groups = np.cumsum(place[: len(rays)])
    for side in (False, True):
        rows = np.flatnonzero(is_back == side)
        kept[rows[1:]] = groups[rows[1:]] != groups[rows[:-1]]
    return kept


def _first_of_each(rays: _Ints, count: int) -> npt.NDArray[np.bool_]:
    """Marks the first `count` entries of each ray."""
    if len(rays) == 0:
        return np.ones(0, dtype=bool)
    starts = np.flatnonzero(np.concatenate([[True], rays[1:] != rays[:-1]]))
    rank = np.arange(len(rays)) - np.repeat(starts, np.diff(np.append(starts, len(rays))))
    return rank < count


def closest_point(mesh: Any, points: Any) -> tuple[_Array, _Array, _Ints]:
    """The nearest points of a mesh, their distances, and their triangles: (n, 3), (n,), (n,).

    At an edge or a corner the triangle is the one that faces the point most.
    """
    points = np.ascontiguousarray(points, dtype=np.float64)
    if points.ndim != 2 or points.shape[1] != 3:
        raise ValueError("points must be (n,3)!")
    near = _carom.nearest_points(shape_of(mesh), points)
    closest, faces = near.point, near.part.copy()
    distance = np.abs(near.signed_distance)
    # At an edge or a corner several triangles are nearest.
    vertices, triangles = np.asarray(mesh.vertices), np.asarray(mesh.faces)
    for row in np.flatnonzero(
        _is_on_border(vertices[triangles[faces]], closest) & (_MERGE < distance)
    ):
        around = np.asarray(mesh.vertex_faces)[triangles[faces[row]]]
        around = np.unique(around[0 <= around])
        on = around[_distance_to_triangles(closest[row], vertices[triangles[around]]) < _MERGE]
        way = (points[row] - closest[row]) / distance[row]
        faces[row] = (
            on[np.argmax(np.asarray(mesh.face_normals)[on] @ way)] if len(on) else faces[row]
        )
    return closest, distance, faces


def _is_on_border(corners: _Array, points: _Array) -> npt.NDArray[np.bool_]:
    """Whether each point is near an edge of its triangle: within the tolerance of trimesh."""
    out = np.zeros(len(points), dtype=bool)
    for i in range(3):
        start, edge = corners[:, i], corners[:, (i + 1) % 3] - corners[:, i]
        length = np.linalg.norm(edge, axis=1)
        out |= np.linalg.norm(np.cross(points - start, edge), axis=1) <= _MERGE * np.maximum(
            length, 1e-300
        )
    return out


def _distance_to_triangles(point: _Array, corners: _Array) -> _Array:
    """The distances of a point from the nearest edges of triangles."""
    best = np.full(len(corners), np.inf)
    for i in range(3):
        start, edge = corners[:, i], corners[:, (i + 1) % 3] - corners[:, i]
        length_sq = np.maximum((edge * edge).sum(axis=1), 1e-300)
        along = np.clip(((point - start) * edge).sum(axis=1) / length_sq, 0, 1)
        best = np.minimum(best, np.linalg.norm(point - start - along[:, None] * edge, axis=1))
    return best


def signed_distance(mesh: Any, points: Any) -> _Array:
    """The distance of each point from the surface: positive inside, as in trimesh. (n,)."""
    points = np.ascontiguousarray(points, dtype=np.float64)
    near = _carom.nearest_points(shape_of(mesh), points)
    if shape_of(mesh).is_solid:
        return -near.signed_distance
    return np.where(contains_points(mesh, points), 1.0, -1.0) * np.abs(near.signed_distance)


def nearby_faces(mesh: Any, points: Any) -> list[list[int]]:
    """For each point the faces whose boxes meet the cube around it that reaches to the nearest
    point of the surface. The nearest face is one of them."""
    points = np.asarray(points, dtype=np.float64)
    if len(points) == 0:
        return []
    reach = np.abs(_carom.nearest_points(shape_of(mesh), points).signed_distance) + _MERGE
    corners = np.asarray(mesh.vertices)[np.asarray(mesh.faces)]
    low, high = corners.min(axis=1), corners.max(axis=1)
    cubes = zip(points - reach[:, None], points + reach[:, None])
    return [
        np.flatnonzero(((low <= end) & (start <= high)).all(axis=1)).tolist()
        for start, end in cubes
    ]


class BoundsTree:
    """Boxes of any dimension, with the queries of `rtree.index.Index` that trimesh uses. Every box
    is compared, by numpy."""

    def __init__(self, bounds: Any) -> None:
        bounds = np.array(bounds, dtype=np.float64)
        if bounds.ndim == 3:
            bounds = bounds.reshape(len(bounds), -1)
        if bounds.ndim != 2 or bounds.shape[1] % 2 != 0:
            raise ValueError("Bounds must be (n, dimension * 2)!")
        self._low, self._high = np.hsplit(bounds, 2)

    def intersection(self, coordinates: Any) -> list[int]:
        """The numbers of the boxes that touch a box: least coordinates, then greatest."""
        low, high = np.hsplit(np.asarray(coordinates, dtype=np.float64).ravel(), 2)
        meets = ((self._low <= high) & (low <= self._high)).all(axis=1)
        return [int(i) for i in np.flatnonzero(meets)]

    def intersection_v(self, mins: Any, maxs: Any) -> tuple[_Ints, _Ints]:
        """`intersection` of many boxes: all numbers, and how many each box has."""
        found = [self.intersection(np.concatenate(box)) for box in zip(mins, maxs, strict=True)]
        numbers = [number for numbers in found for number in numbers]
        return np.array(numbers, np.int64), np.array([len(some) for some in found], np.int64)


class ProximityQuery:
    """Nearest points of one mesh."""

    def __init__(self, mesh: Any) -> None:
        self._mesh = mesh

    def on_surface(self, points: Any) -> tuple[_Array, _Array, _Ints]:
        """`closest_point` of the mesh."""
        return closest_point(self._mesh, points)

    def vertex(self, points: Any) -> tuple[_Array, _Ints]:
        """The distance to the nearest vertex, and its index: (n,), (n,)."""
        points = np.asarray(points, dtype=np.float64)
        vertices = np.asarray(self._mesh.vertices)
        index = np.empty(len(points), dtype=np.int64)
        # As many rows at a time as make a table of some megabytes.
        rows = max(1, 1_000_000 // max(1, len(vertices)))
        for first in range(0, len(points), rows):
            some = points[first : first + rows]
            index[first : first + rows] = (
                ((some[:, None] - vertices[None]) ** 2).sum(axis=2).argmin(axis=1)
            )
        return np.linalg.norm(points - vertices[index], axis=1), index

    def signed_distance(self, points: Any) -> _Array:
        """`signed_distance` of the mesh."""
        return signed_distance(self._mesh, points)


def install(names: Iterable[str] = ("collision", "ray", "proximity", "bounds")) -> None:
    """Puts these classes and functions in the place of trimesh's own, for meshes made later."""
    names = set(names)
    wanted: list[tuple[str, str, Any]] = []
    if "collision" in names:
        items = (CollisionManager, ContactData, DistanceData, scene_to_collision)
        wanted += [("collision", item.__name__, item) for item in items]
    if "ray" in names:
        wanted.append(("ray.ray_triangle", "RayMeshIntersector", RayMeshIntersector))
        if importlib.import_module("trimesh.ray").has_embree:
            wanted.append(("ray.ray_pyembree", "RayMeshIntersector", RayMeshIntersector))
        wanted.append(("ray.ray_util", "contains_points", _contains_of))
    if "proximity" in names:
        functions = (closest_point, signed_distance, nearby_faces, ProximityQuery)
        wanted += [("proximity", function.__name__, function) for function in functions]
    if "bounds" in names:
        wanted.append(("util", "bounds_tree", BoundsTree))
    for module, name, item in wanted:
        setattr(importlib.import_module(f"trimesh.{module}"), name, item)


def _contains_of(intersector: Any, points: Any, check_direction: Any = None) -> Any:
    """trimesh's `contains_points` takes the intersector of a mesh."""
    return contains_points(intersector.mesh, points)
