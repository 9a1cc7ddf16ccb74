"""The names of python-fcl, answered by carom.

`import carom.fcl as fcl` takes the place of `import fcl`. Differences:

- Answers are certain: signs that decide are exact, and depths are those of the shapes.
- Solver types and cost sources have no effect. Unknown cells of an `OcTree` are free.
- A continuous collision goes along the true rigid motion between both poses. The time of contact
  is the start of its bracket, so that nothing touches before.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _carom
from ._carom import Assembly, Shape
from ._quaternion import from_matrix, to_matrix

_Array = npt.NDArray[np.float64]


class OBJECT_TYPE:
    OT_UNKNOWN, OT_BVH, OT_GEOM, OT_OCTREE, OT_COUNT = range(5)


class NODE_TYPE:
    BV_UNKNOWN, BV_AABB, BV_OBB, BV_RSS, BV_kIOS, BV_OBBRSS, BV_KDOP16, BV_KDOP18, BV_KDOP24 = (
        range(9)
    )
    GEOM_BOX, GEOM_SPHERE, GEOM_ELLIPSOID, GEOM_CAPSULE, GEOM_CONE, GEOM_CYLINDER = range(9, 15)
    GEOM_CONVEX, GEOM_PLANE, GEOM_HALFSPACE, GEOM_TRIANGLE, GEOM_OCTREE, NODE_COUNT = range(15, 21)


class CCDMotionType:
    CCDM_TRANS, CCDM_LINEAR, CCDM_SCREW, CCDM_SPLINE = range(4)


class CCDSolverType:
    CCDC_NAIVE, CCDC_CONSERVATIVE_ADVANCEMENT, CCDC_RAY_SHOOTING, CCDC_POLYNOMIAL_SOLVER = range(4)


class GJKSolverType:
    GST_LIBCCD, GST_INDEP = range(2)


def _vector(numbers: Any) -> _Array:
    vector = np.array(numbers, dtype=np.float64).squeeze()
    if vector.shape != (3,):
        raise ValueError(f"three numbers are needed, not an array of the shape {vector.shape}")
    return vector


class Transform:
    """A pose: `Transform()`, of a translation, a 3x3 rotation, a quaternion (w, x, y, z), or two."""

    def __init__(self, *args: Any) -> None:
        self._matrix: _Array = np.eye(4)
        if len(args) == 1 and isinstance(args[0], Transform):
            self._matrix = args[0]._matrix.copy()
        elif len(args) == 1:
            numbers = np.asarray(args[0], dtype=np.float64)
            if numbers.shape == (3, 3):
                self.setRotation(numbers)
            elif numbers.shape == (4,):
                self.setQuatRotation(numbers)
            elif numbers.shape == (3,):
                self.setTranslation(numbers)
            else:
                raise ValueError("Invalid input to Transform().")
        elif len(args) == 2:
            rotation = np.asarray(args[0], dtype=np.float64)
            if rotation.shape == (3, 3):
                self.setRotation(rotation)
            elif rotation.shape == (4,):
                self.setQuatRotation(rotation)
            else:
                raise ValueError("Invalid input to Transform().")
            self.setTranslation(args[1])
        elif args:
            raise ValueError("Too many arguments to Transform().")

    def getRotation(self) -> _Array:
        return self._matrix[:3, :3].copy()

    def getTranslation(self) -> _Array:
        return self._matrix[:3, 3].copy()

    def getQuatRotation(self) -> _Array:
        return from_matrix(self._matrix[:3, :3])

    def setRotation(self, R: Any) -> None:
        self._matrix[:3, :3] = R

    def setTranslation(self, T: Any) -> None:
        self._matrix[:3, 3] = _vector(T)

    def setQuatRotation(self, q: Any) -> None:
        self._matrix[:3, :3] = to_matrix(q)


class CollisionGeometry:
    """A shape. It is built when it is first used, and again after its sizes were set."""

    _node_type: int | None = None
    _shape_made: Shape | None = None

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, "_shape_made", None)
        object.__setattr__(self, name, value)

    def _make(self) -> Shape:
        raise ValueError("a CollisionGeometry without a shape")

    def _shape(self) -> Shape:
        if self._shape_made is None:
            object.__setattr__(self, "_shape_made", self._make())
        assert self._shape_made is not None
        return self._shape_made

    def getNodeType(self) -> int | None:
        return self._node_type

    def computeLocalAABB(self) -> None:
        return None

    @property
    def aabb_center(self) -> _Array | None:
        if self._node_type is None:
            return None
        return np.asarray(self._shape().bounds().mean(axis=0))


class Box(CollisionGeometry):
    _node_type = NODE_TYPE.GEOM_BOX

    def __init__(self, x: float, y: float, z: float) -> None:
        self.side: _Array = _vector([x, y, z])

    def _make(self) -> Shape:
        return Shape.box(self.side)


class Sphere(CollisionGeometry):
    _node_type = NODE_TYPE.GEOM_SPHERE

    def __init__(self, radius: float) -> None:
        self.radius = float(radius)

    def _make(self) -> Shape:
        return Shape.sphere(self.radius)


class Ellipsoid(CollisionGeometry):
    _node_type = NODE_TYPE.GEOM_ELLIPSOID

    def __init__(self, a: float, b: float, c: float) -> None:
        self.radii: _Array = _vector([a, b, c])

    def _make(self) -> Shape:
        return Shape.ellipsoid(self.radii)


class _Round(CollisionGeometry):
    def __init__(self, radius: float, lz: float) -> None:
        self.radius = float(radius)
        self.lz = float(lz)


class Capsule(_Round):
    _node_type = NODE_TYPE.GEOM_CAPSULE

    def _make(self) -> Shape:
        return Shape.capsule(self.radius, self.lz)


class Cone(_Round):
    _node_type = NODE_TYPE.GEOM_CONE

    def _make(self) -> Shape:
        return Shape.cone(self.radius, self.lz)


class Cylinder(_Round):
    _node_type = NODE_TYPE.GEOM_CYLINDER

    def _make(self) -> Shape:
        return Shape.cylinder(self.radius, self.lz)


class Convex(CollisionGeometry):
    """The hull of the vertices. The list of faces is only counted."""

    _node_type = NODE_TYPE.GEOM_CONVEX

    def __init__(self, vertices: Any, num_faces: int, faces: Any) -> None:
        self._vertices: _Array = np.array(vertices, dtype=np.float64)
        self.num_faces = int(num_faces)

    def _make(self) -> Shape:
        return Shape.hull(self._vertices)


class Halfspace(CollisionGeometry):
    """All points x with n . x <= d."""

    _node_type = NODE_TYPE.GEOM_HALFSPACE

    def __init__(self, n: Any, d: float) -> None:
        self.n: _Array = _vector(n)
        self.d = float(d)

    def _make(self) -> Shape:
        return Shape.half_space(self.n, self.d / float(np.linalg.norm(self.n)))


class Plane(Halfspace):
    """All points x with n . x == d: the common points of two half-spaces."""

    _node_type = NODE_TYPE.GEOM_PLANE

    def _other_side(self) -> Shape:
        return Shape.half_space(-self.n, -self.d / float(np.linalg.norm(self.n)))


class TriangleP(CollisionGeometry):
    _node_type = NODE_TYPE.GEOM_TRIANGLE

    def __init__(self, a: Any, b: Any, c: Any) -> None:
        self.a, self.b, self.c = _vector(a), _vector(b), _vector(c)

    def _make(self) -> Shape:
        return Shape.mesh(np.stack([self.a, self.b, self.c]), np.array([[0, 1, 2]]))


class OcTree(CollisionGeometry):
    """The occupied cells of the bytes that OctoMap writes behind the header of a .bt file."""

    _node_type = NODE_TYPE.GEOM_OCTREE

    def __init__(self, r: float, data: bytes) -> None:
        self._resolution, self._data = float(r), bytes(data)

    def _make(self) -> Shape:
        return Shape.octree_data(self._data, self._resolution)


class BVHModel(CollisionGeometry):
    """The surface of triangles."""

    _node_type = NODE_TYPE.BV_OBBRSS

    def __init__(self) -> None:
        self._vertices: list[_Array] = []
        self._triangles: list[npt.NDArray[np.int64]] = []
        self._n_vertices = 0
        self._state = 0

    def num_tries_(self) -> int:
        return sum(len(triangles) for triangles in self._triangles)

    def buildState(self) -> int:
        return self._state

    def beginModel(self, num_tris_: int = 0, num_vertices_: int = 0) -> int:
        self.__init__()  # type: ignore[misc]
        self._state = 1
        return 0

    def endModel(self) -> int:
        self._state = 2
        self._shape()
        return 0

    def addVertex(self, x: float, y: float, z: float) -> int:
        self._vertices.append(np.array([[x, y, z]], dtype=np.float64))
        self._n_vertices += 1
        return 0

    def addTriangle(self, v1: Any, v2: Any, v3: Any) -> int:
        return self.addSubModel(
            np.stack([_vector(v1), _vector(v2), _vector(v3)]), np.array([[0, 1, 2]])
        )

    def addSubModel(self, verts: Any, triangles: Any) -> int:
        vertices = np.ascontiguousarray(verts, dtype=np.float64)
        self._triangles.append(np.asarray(triangles).astype(np.int64) + self._n_vertices)
        self._vertices.append(vertices)
        self._n_vertices += len(vertices)
        object.__setattr__(self, "_shape_made", None)
        return 0

    def _make(self) -> Shape:
        return Shape.mesh(np.concatenate(self._vertices), np.concatenate(self._triangles))


class CollisionObject:
    """A shape at a pose."""

    def __init__(self, geom: CollisionGeometry | None = None, tf: Transform | None = None) -> None:
        if geom is None or geom.getNodeType() is None:
            raise ValueError("a CollisionObject needs a geometry")
        self._geometry = geom
        self._tf = Transform() if tf is None else Transform(tf)
        geom._shape()

    @property
    def collision_geometry(self) -> CollisionGeometry:
        return self._geometry

    def getObjectType(self) -> int:
        return OBJECT_TYPE.OT_BVH if isinstance(self._geometry, BVHModel) else OBJECT_TYPE.OT_GEOM

    def getNodeType(self) -> int | None:
        return self._geometry.getNodeType()

    def getTranslation(self) -> _Array:
        return self._tf.getTranslation()

    def setTranslation(self, vec: Any) -> None:
        self._tf.setTranslation(vec)

    def getRotation(self) -> _Array:
        return self._tf.getRotation()

    def setRotation(self, mat: Any) -> None:
        self._tf.setRotation(mat)

    def getQuatRotation(self) -> _Array:
        return self._tf.getQuatRotation()

    def setQuatRotation(self, q: Any) -> None:
        self._tf.setQuatRotation(q)

    def getTransform(self) -> Transform:
        return Transform(self._tf)

    def setTransform(self, tf: Transform) -> None:
        self._tf = Transform(tf)

    def isOccupied(self) -> bool:
        return True

    def isFree(self) -> bool:
        return False

    def isUncertain(self) -> bool:
        return False


class Contact:
    """A contact. The normal goes from o1 to o2; b1 and b2 are triangles of meshes."""

    def __init__(self) -> None:
        self.o1: CollisionGeometry | None = None
        self.o2: CollisionGeometry | None = None
        self.b1 = 0
        self.b2 = 0
        self.normal: _Array = np.zeros(3)
        self.pos: _Array = np.zeros(3)
        self.penetration_depth = 0.0


class CostSource:
    def __init__(self) -> None:
        self.aabb_min: _Array = np.zeros(3)
        self.aabb_max: _Array = np.zeros(3)
        self.cost_density = 0.0
        self.total_cost = 0.0


class CollisionRequest:
    def __init__(
        self,
        num_max_contacts: int = 1,
        enable_contact: bool = False,
        num_max_cost_sources: int = 1,
        enable_cost: bool = False,
        use_approximate_cost: bool = True,
        gjk_solver_type: int = GJKSolverType.GST_LIBCCD,
    ) -> None:
        self.num_max_contacts = num_max_contacts
        self.enable_contact = enable_contact
        self.num_max_cost_sources = num_max_cost_sources
        self.enable_cost = enable_cost
        self.use_approximate_cost = use_approximate_cost
        self.gjk_solver_type = gjk_solver_type


class CollisionResult:
    def __init__(self, is_collision: bool = False) -> None:
        self.is_collision = is_collision
        self.contacts: list[Contact] = []
        self.cost_sources: list[CostSource] = []


class ContinuousCollisionRequest:
    def __init__(
        self,
        num_max_iterations: int = 10,
        toc_err: float = 0.0001,
        ccd_motion_type: int = CCDMotionType.CCDM_TRANS,
        gjk_solver_type: int = GJKSolverType.GST_LIBCCD,
        ccd_solver_type: int = CCDSolverType.CCDC_CONSERVATIVE_ADVANCEMENT,
    ) -> None:
        self.num_max_iterations = num_max_iterations
        self.toc_err = toc_err
        self.ccd_motion_type = ccd_motion_type
        self.gjk_solver_type = gjk_solver_type
        self.ccd_solver_type = ccd_solver_type


class ContinuousCollisionResult:
    def __init__(self, is_collide: bool = False, time_of_contact: float = 1.0) -> None:
        self.is_collide = is_collide
        self.time_of_contact = time_of_contact


class DistanceRequest:
    def __init__(
        self,
        enable_nearest_points: bool = False,
        enable_signed_distance: bool = False,
        gjk_solver_type: int = GJKSolverType.GST_LIBCCD,
    ) -> None:
        self.enable_nearest_points = enable_nearest_points
        self.enable_signed_distance = enable_signed_distance
        self.gjk_solver_type = gjk_solver_type


class DistanceResult:
    def __init__(self, min_distance_: float = sys.float_info.max) -> None:
        self.min_distance = min_distance_
        self.nearest_points: list[_Array | None] = [None, None]
        self.o1: CollisionGeometry | None = None
        self.o2: CollisionGeometry | None = None
        self.b1 = -1
        self.b2 = -1


class CollisionData:
    def __init__(
        self, request: CollisionRequest | None = None, result: CollisionResult | None = None
    ) -> None:
        self.request = CollisionRequest() if request is None else request
        self.result = CollisionResult() if result is None else result
        self.done = False


class DistanceData:
    def __init__(
        self, request: DistanceRequest | None = None, result: DistanceResult | None = None
    ) -> None:
        self.request = DistanceRequest() if request is None else request
        self.result = DistanceResult() if result is None else result
        self.done = False


def _variants(o: CollisionObject) -> list[Shape]:
    """The shapes that an object is the common part of."""
    geometry = o._geometry
    if isinstance(geometry, Plane):
        return [geometry._shape(), geometry._other_side()]
    return [geometry._shape()]


def _contact(o1: CollisionObject, o2: CollisionObject, found: _carom.Contact | None) -> Contact:
    contact = Contact()
    contact.o1, contact.o2 = o1._geometry, o2._geometry
    if found is not None:
        contact.b1, contact.b2 = found.part_a, found.part_b
        contact.normal = found.normal
        contact.pos = 0.5 * (found.point_a + found.point_b)
        contact.penetration_depth = found.depth
    return contact


def collide(
    o1: CollisionObject,
    o2: CollisionObject,
    request: CollisionRequest | None = None,
    result: CollisionResult | None = None,
) -> int:
    """Adds the contacts of two objects to the result, and returns how many there are."""
    request = CollisionRequest() if request is None else request
    result = CollisionResult() if result is None else result
    a, b = o1._tf._matrix, o2._tf._matrix
    pairs = [(s, t) for s in _variants(o1) for t in _variants(o2)]
    if not all(_carom.intersects(s, t, a, b) for s, t in pairs):
        return 0
    result.is_collision = True
    most = request.num_max_contacts
    if most == 0:
        return 1
    if not request.enable_contact:
        result.contacts.append(_contact(o1, o2, None))
        return 1
    if 1 < len(pairs):
        # A plane: out of the side from which the way is shorter.
        ways = [_carom.contact(s, t, a, b) for s, t in pairs]
        found = [min((way for way in ways if way is not None), key=lambda way: way.depth)]
    elif most == 1:
        deepest = _carom.contact(*pairs[0], a, b)
        found = [] if deepest is None else [deepest]
    else:
        found = sorted(_carom.contacts(*pairs[0], a, b), key=lambda contact: contact.distance)
    # A touch too thin for a manifold is a contact all the same.
    contacts = [_contact(o1, o2, contact) for contact in found[:most]] or [_contact(o1, o2, None)]
    result.contacts.extend(contacts)
    return len(contacts)


def continuousCollide(
    o1: CollisionObject,
    tf1_end: Transform,
    o2: CollisionObject,
    tf2_end: Transform,
    request: ContinuousCollisionRequest | None = None,
    result: ContinuousCollisionResult | None = None,
) -> float:
    """Moves both objects to their end poses in a unit of time. Returns when they meet, or 1.

    If it is not decided whether they meet, as for boxes that slide on each other, it counts as a
    collision.
    """
    result = ContinuousCollisionResult() if result is None else result
    if isinstance(o1._geometry, Plane) or isinstance(o2._geometry, Plane):
        raise NotImplementedError("carom.fcl casts no Plane: use a Halfspace")
    paths = [np.stack([o._tf._matrix, end._matrix]) for o, end in ((o1, tf1_end), (o2, tf2_end))]
    answer = _carom.cast_along(o1._geometry._shape(), o2._geometry._shape(), paths[0], paths[1])
    meets = answer.status != "clear"
    time = answer.safe_until if meets else 1.0
    result.is_collide = result.is_collide or meets
    result.time_of_contact = min(result.time_of_contact, time)
    return time


def distance(
    o1: CollisionObject,
    o2: CollisionObject,
    request: DistanceRequest | None = None,
    result: DistanceResult | None = None,
) -> float:
    """The distance of two objects. If they overlap: minus the depth if a signed one is requested,
    else -1."""
    request = DistanceRequest() if request is None else request
    result = DistanceResult() if result is None else result
    a, b = o1._tf._matrix, o2._tf._matrix
    pairs = [(s, t) for s in _variants(o1) for t in _variants(o2)]
    farthest = max((_carom.distance(s, t, a, b) for s, t in pairs), key=lambda d: d.distance)
    value = farthest.distance
    nearest: _carom.Distance | _carom.Contact = farthest
    if value <= 0:
        value = -1.0
        if request.enable_signed_distance:
            ways = [_carom.contact(s, t, a, b) for s, t in pairs]
            shallow = max(
                (w for w in ways if w is not None), key=lambda w: w.distance, default=None
            )
            value, nearest = (0.0, farthest) if shallow is None else (shallow.distance, shallow)
    if value < result.min_distance:
        result.min_distance = value
        result.nearest_points = [nearest.point_a, nearest.point_b]
        result.o1, result.o2 = o1._geometry, o2._geometry
        result.b1, result.b2 = nearest.part_a, nearest.part_b
    return value


def defaultCollisionCallback(
    o1: CollisionObject, o2: CollisionObject, cdata: CollisionData
) -> bool:
    """Collides a pair; true as soon as there are more contacts than requested."""
    if cdata.done:
        return True
    collide(o1, o2, cdata.request, cdata.result)
    result = cdata.result
    if (
        not cdata.request.enable_cost
        and result.is_collision
        and cdata.request.num_max_contacts < len(result.contacts)
    ):
        cdata.done = True
    return cdata.done


def defaultDistanceCallback(
    o1: CollisionObject, o2: CollisionObject, cdata: DistanceData
) -> tuple[bool, float]:
    """Takes the distance of a pair; true as soon as one overlaps."""
    if cdata.done:
        return True, cdata.result.min_distance
    distance(o1, o2, cdata.request, cdata.result)
    return cdata.result.min_distance <= 0 or cdata.done, cdata.result.min_distance


class DynamicAABBTreeCollisionManager:
    """A set of objects. Objects that were moved or changed need `update`."""

    max_tree_nonbalanced_level = 10
    tree_incremental_balance_pass = 10
    tree_topdown_balance_threshold = 2
    tree_topdown_level = 0
    tree_init_level = 0
    octree_as_geometry_collide = True
    octree_as_geometry_distance = False

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        self._assembly = Assembly()
        self._objects: dict[int, CollisionObject] = {}
        self._shapes: dict[int, Shape] = {}
        self._number: dict[int, int] = {}

    def registerObject(self, obj: CollisionObject) -> None:
        if id(obj) in self._number:
            return self.update(obj)
        # The box of a plane is that of the half-space below it.
        number = self._assembly.add(obj._geometry._shape(), obj._tf._matrix)
        self._objects[number] = obj
        self._shapes[number] = obj._geometry._shape()
        self._number[id(obj)] = number
        return None

    def registerObjects(self, other_objs: Sequence[CollisionObject]) -> None:
        for obj in other_objs:
            self.registerObject(obj)

    def unregisterObject(self, obj: CollisionObject) -> None:
        number = self._number.pop(id(obj), None)
        if number is not None:
            self._assembly.remove(number)
            del self._objects[number], self._shapes[number]

    def setup(self) -> None:
        return None

    def update(self, arg: CollisionObject | Sequence[CollisionObject] | None = None) -> None:
        if arg is None:
            arg = list(self._objects.values())
        for obj in arg if isinstance(arg, Sequence) else [arg]:
            number = self._number.get(id(obj))
            if number is not None:
                if self._shapes[number] is obj._geometry._shape():
                    self._assembly.move(number, obj._tf._matrix)
                else:
                    self.unregisterObject(obj)
                    self.registerObject(obj)

    def getObjects(self) -> list[CollisionObject]:
        return list(self._objects.values())

    def empty(self) -> bool:
        return not self._objects

    def size(self) -> int:
        return len(self._objects)

    def _pairs(
        self, other: DynamicAABBTreeCollisionManager | CollisionObject | None
    ) -> list[tuple[CollisionObject, CollisionObject]]:
        """The pairs whose boxes overlap."""
        if other is None:
            return [
                (self._objects[a], self._objects[b])
                for a, b in self._assembly.candidates().tolist()
            ]
        if isinstance(other, CollisionObject):
            near = self._assembly.candidates_near(other._geometry._shape(), other._tf._matrix)
            return [(self._objects[a], other) for a in near.tolist()]
        pairs = self._assembly.candidates_with(other._assembly).tolist()
        return [(self._objects[a], other._objects[b]) for a, b in pairs]

    def collide(self, *args: Any) -> None:
        """`collide(cdata, callback)`, `collide(object, cdata, callback)` or
        `collide(manager, cdata, callback)`: calls back for each pair whose boxes overlap, until the
        callback returns true."""
        *other, cdata, callback = args
        for o1, o2 in self._pairs(other[0] if other else None):
            if callback(o1, o2, cdata):
                break

    def distance(self, *args: Any) -> None:
        """Takes what `collide` takes. The default callback is called for the nearest pair alone;
        another one for every pair, until it returns true."""
        *others, cdata, callback = args
        other = others[0] if others else None
        if callback is defaultDistanceCallback and not any(
            self._has_plane(o) for o in (self, other)
        ):
            pair = self._nearest(other)
            if pair is not None and not cdata.done:
                distance(*pair, cdata.request, cdata.result)
            return
        for o1, o2 in self._all_pairs(other):
            is_done, _ = callback(o1, o2, cdata)
            if is_done:
                break

    def _has_plane(self, other: DynamicAABBTreeCollisionManager | CollisionObject | None) -> bool:
        objects = (
            [other] if isinstance(other, CollisionObject) else other.getObjects() if other else []
        )
        return any(isinstance(obj._geometry, Plane) for obj in objects)

    def _nearest(
        self, other: DynamicAABBTreeCollisionManager | CollisionObject | None
    ) -> tuple[CollisionObject, CollisionObject] | None:
        if other is None:
            found = self._assembly.min_distance(threads=1)
        elif isinstance(other, CollisionObject):
            found = self._assembly.nearest_to(
                other._geometry._shape(), other._tf._matrix, threads=1
            )
        else:
            found = self._assembly.min_distance_to(other._assembly, threads=1)
        if found is None:
            return None
        if other is None:
            return self._objects[found.a], self._objects[found.b]
        if isinstance(other, CollisionObject):
            return self._objects[found.a], other
        return self._objects[found.a], other._objects[found.b]

    def _all_pairs(
        self, other: DynamicAABBTreeCollisionManager | CollisionObject | None
    ) -> list[tuple[CollisionObject, CollisionObject]]:
        own = self.getObjects()
        if other is None:
            return [(a, b) for i, a in enumerate(own) for b in own[i + 1 :]]
        others = [other] if isinstance(other, CollisionObject) else other.getObjects()
        return [(a, b) for a in own for b in others]


CollisionCallback = Callable[[CollisionObject, CollisionObject, CollisionData], bool]
DistanceCallback = Callable[[CollisionObject, CollisionObject, DistanceData], tuple[bool, float]]
