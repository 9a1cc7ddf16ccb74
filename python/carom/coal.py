"""The names of Coal (the former hpp-fcl), answered by carom.

`import carom.coal as coal` takes the place of `import coal` for `collide` and `distance`, shapes,
requests, results and managers. Signs are those of Coal: `penetration_depth` and `min_distance` are
negative if the shapes overlap, and normals go from the first to the second. Differences:

- Depths of convex shapes are those of the shapes; no tolerance of GJK or EPA has an effect.
- The depth of a mesh is that of its deepest pair of parts.
- Octrees, height fields, contact patches and serialization are missing.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable
from enum import IntEnum
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from . import _carom
from ._carom import Assembly, Shape
from ._coal_geometry import (
    AABB,
    NODE_TYPE,
    OBJECT_TYPE,
    Box,
    BVHModel,
    BVHModelBase,
    BVHModelOBB,
    BVHModelOBBRSS,
    BVHModelType,
    Capsule,
    CollisionGeometry,
    Cone,
    Convex,
    ConvexBase,
    Cylinder,
    Ellipsoid,
    Halfspace,
    Plane,
    Quaternion,
    ShapeBase,
    Sphere,
    StdVec_Triangle,
    StdVec_Vec3s,
    Transform3s,
    Triangle,
    TriangleP,
    _vector,
)
from ._coal_geometry import NONE as _NONE

__all__ = [
    "AABB",
    "NODE_TYPE",
    "OBJECT_TYPE",
    "BVHModel",
    "BVHModelBase",
    "BVHModelOBB",
    "BVHModelOBBRSS",
    "BVHModelType",
    "Box",
    "BroadPhaseCollisionManager",
    "Capsule",
    "CollisionCallBackBase",
    "CollisionCallBackCollect",
    "CollisionCallBackDefault",
    "CollisionData",
    "CollisionGeometry",
    "CollisionObject",
    "CollisionRequest",
    "CollisionRequestFlag",
    "CollisionResult",
    "ComputeCollision",
    "ComputeDistance",
    "Cone",
    "Contact",
    "Convex",
    "ConvexBase",
    "Cylinder",
    "DistanceCallBackBase",
    "DistanceCallBackDefault",
    "DistanceData",
    "DistanceRequest",
    "DistanceResult",
    "DynamicAABBTreeArrayCollisionManager",
    "DynamicAABBTreeCollisionManager",
    "Ellipsoid",
    "Halfspace",
    "IntervalTreeCollisionManager",
    "NaiveCollisionManager",
    "Plane",
    "Quaternion",
    "QueryRequest",
    "SSaPCollisionManager",
    "SaPCollisionManager",
    "ShapeBase",
    "SpatialHashingCollisionManager",
    "Sphere",
    "StdVec_Triangle",
    "StdVec_Vec3s",
    "Transform3s",
    "Triangle",
    "TriangleP",
    "collide",
    "distance",
]

_Array = npt.NDArray[np.float64]
_MAX = sys.float_info.max


class CollisionRequestFlag(IntEnum):
    """What a collision request wants."""

    CONTACT = 1
    DISTANCE_LOWER_BOUND = 2
    NO_REQUEST = 0x1000


for _kind in (OBJECT_TYPE, NODE_TYPE, BVHModelType, CollisionRequestFlag):
    globals().update(_kind.__members__)


class CollisionObject:
    """A shape at a pose."""

    def __init__(self, cgeom: CollisionGeometry, *args: Any) -> None:
        args = args[:-1] if args and isinstance(args[-1], bool) else args
        self._geometry = cgeom
        self._tf = Transform3s(*args)

    def collisionGeometry(self) -> CollisionGeometry:
        """The shape."""
        return self._geometry

    def getCollisionGeometry(self) -> CollisionGeometry:
        """The shape."""
        return self._geometry

    def setCollisionGeometry(self, cgeom: CollisionGeometry, compute: bool = True) -> None:
        """Sets the shape."""
        self._geometry = cgeom

    def getNodeType(self) -> NODE_TYPE:
        """The kind of the shape."""
        return self._geometry.getNodeType()

    def getObjectType(self) -> OBJECT_TYPE:
        """The kind of the geometry."""
        return self._geometry.getObjectType()

    def computeAABB(self) -> None:
        """Does nothing: the box is computed when it is read."""

    def getAABB(self) -> AABB:
        """The box in the world."""
        return AABB(*self._geometry._shape().bounds(self._tf._matrix))

    def getTransform(self) -> Transform3s:
        """The pose."""
        return Transform3s(self._tf)

    def setTransform(self, *args: Any) -> None:
        """Sets the pose."""
        self._tf = Transform3s(*args)

    def getTranslation(self) -> _Array:
        """The translation, (3,)."""
        return self._tf.getTranslation()

    def setTranslation(self, T: Any) -> None:
        """Sets the translation."""
        self._tf.setTranslation(T)

    def getRotation(self) -> _Array:
        """The rotation, (3, 3)."""
        return self._tf.getRotation()

    def setRotation(self, R: Any) -> None:
        """Sets the rotation."""
        self._tf.setRotation(R)

    def isIdentityTransform(self) -> bool:
        """Whether it is at the origin."""
        return self._tf.isIdentity()

    def setIdentityTransform(self) -> None:
        """Puts it at the origin."""
        self._tf.setIdentity()


class QueryRequest:
    """Settings of Coal's solvers. They have no effect."""

    def __init__(self) -> None:
        self.gjk_initial_guess: Any = 0
        self.enable_cached_gjk_guess = False
        self.cached_gjk_guess: _Array = np.array([1.0, 0.0, 0.0])
        self.cached_support_func_guess: Any = np.zeros(2, dtype=np.int32)
        self.gjk_max_iterations = 128
        self.gjk_tolerance = 1e-6
        self.gjk_variant: Any = 0
        self.gjk_convergence_criterion: Any = 0
        self.gjk_convergence_criterion_type: Any = 0
        self.epa_max_iterations = 64
        self.epa_tolerance = 1e-6
        self.enable_timings = False

    def updateGuess(self, result: Any) -> None:
        """Does nothing."""


class CollisionRequest(QueryRequest):
    """What `collide` looks for."""

    def __init__(self, flag: int = CollisionRequestFlag.CONTACT, num_max_contacts: int = 1) -> None:
        super().__init__()
        self.num_max_contacts = num_max_contacts
        self.enable_contact = bool(flag & CollisionRequestFlag.CONTACT)
        self.enable_distance_lower_bound = bool(flag & CollisionRequestFlag.DISTANCE_LOWER_BOUND)
        #: Shapes at most this far apart count as colliding.
        self.security_margin = 0.0
        self.break_distance = 1e-3
        self.distance_upper_bound = _MAX

    def isSatisfied(self, result: CollisionResult) -> bool:
        """Whether the result has as many contacts as are wanted."""
        return result.isCollision() and self.num_max_contacts <= result.numContacts()


class DistanceRequest(QueryRequest):
    """What `distance` computes."""

    def __init__(
        self, enable_nearest_points: bool = True, rel_err: float = 0.0, abs_err: float = 0.0
    ) -> None:
        super().__init__()
        self.enable_nearest_points = enable_nearest_points
        #: Whether a depth is computed for shapes that overlap. It is negative.
        self.enable_signed_distance = True
        self.rel_err, self.abs_err = rel_err, abs_err


class Contact:
    """A contact. The normal goes from o1 to o2; b1 and b2 are triangles of meshes, or NONE."""

    NONE: ClassVar[int] = _NONE

    def __init__(self, *args: Any) -> None:
        self.o1: CollisionGeometry | None = None
        self.o2: CollisionGeometry | None = None
        self.b1 = self.b2 = Contact.NONE
        self.normal: _Array = np.full(3, math.nan)
        self.pos: _Array = np.full(3, math.nan)
        self.nearest_points: list[_Array] = [np.full(3, math.nan), np.full(3, math.nan)]
        #: The signed distance: negative if the shapes overlap.
        self.penetration_depth = _MAX
        if args:
            self.o1, self.o2, self.b1, self.b2 = args[:4]
        if 4 < len(args):
            self.pos, self.normal = _vector(args[4]), _vector(args[5])
            self.penetration_depth = float(args[6])
            half = 0.5 * self.penetration_depth * self.normal
            self.nearest_points = [self.pos - half, self.pos + half]

    def getNearestPoint1(self) -> _Array:
        """The point of o1, (3,)."""
        return self.nearest_points[0]

    def getNearestPoint2(self) -> _Array:
        """The point of o2, (3,)."""
        return self.nearest_points[1]

    def getDistanceToCollision(self, request: CollisionRequest) -> float:
        """The signed distance less the security margin."""
        return self.penetration_depth - request.security_margin


class CollisionResult:
    """The contacts that were found, and a bound of the distance."""

    def __init__(self) -> None:
        self.cached_gjk_guess: _Array = np.array([1.0, 0.0, 0.0])
        self.cached_support_func_guess: Any = np.zeros(2, dtype=np.int32)
        self.clear()

    def clear(self) -> None:
        """Forgets all."""
        self._contacts: list[Contact] = []
        self.distance_lower_bound = _MAX
        self.normal: _Array = np.full(3, math.nan)
        self.nearest_points: list[_Array] = [np.full(3, math.nan), np.full(3, math.nan)]

    def isCollision(self) -> bool:
        """Whether there is a contact."""
        return bool(self._contacts)

    def numContacts(self) -> int:
        """The number of contacts."""
        return len(self._contacts)

    def addContact(self, c: Contact) -> None:
        """Adds a contact."""
        self._contacts.append(c)

    def getContact(self, i: int) -> Contact:
        """The contact i, or the last one."""
        if not self._contacts:
            raise ValueError("The number of contacts is zero. No Contact can be returned.")
        return self._contacts[min(i, len(self._contacts) - 1)]

    def getContacts(self) -> list[Contact]:
        """All contacts."""
        return self._contacts


class DistanceResult:
    """The distance that was found, with its points."""

    def __init__(self, min_distance: float = _MAX) -> None:
        self.cached_gjk_guess: _Array = np.array([1.0, 0.0, 0.0])
        self.cached_support_func_guess: Any = np.zeros(2, dtype=np.int32)
        self.clear()
        self.min_distance = min_distance

    def clear(self) -> None:
        """Forgets all."""
        self.min_distance = _MAX
        self.normal: _Array = np.full(3, math.nan)
        self.nearest_points: list[_Array] = [np.full(3, math.nan), np.full(3, math.nan)]
        self.o1: CollisionGeometry | None = None
        self.o2: CollisionGeometry | None = None
        self.b1 = self.b2 = Contact.NONE

    def getNearestPoint1(self) -> _Array:
        """The point of o1, (3,)."""
        return self.nearest_points[0]

    def getNearestPoint2(self) -> _Array:
        """The point of o2, (3,)."""
        return self.nearest_points[1]


_Found = tuple[float, _Array, _Array, _Array, int, int]


def _signed(a: Shape, b: Shape, pose_a: _Array, pose_b: _Array) -> _Found:
    """Signed distance, normal, two points, and two parts."""
    near = _carom.distance(a, b, pose_a, pose_b)
    if 0 < near.distance:
        points = near.point_a, near.point_b
        return (near.distance, near.normal, *points, near.part_a, near.part_b)
    deep = _carom.contact(a, b, pose_a, pose_b)
    if deep is None:
        # They touch in a point that no contact has.
        return 0.0, near.normal, near.point_a, near.point_b, near.part_a, near.part_b
    return (-deep.depth, deep.normal, deep.point_a, deep.point_b, deep.part_a, deep.part_b)


def _nearest(
    o1: CollisionGeometry, tf1: Transform3s, o2: CollisionGeometry, tf2: Transform3s
) -> _Found:
    """As `_signed`; a plane is as far as the farther one of its sides."""
    pairs = [(a, b) for a in o1._sides() for b in o2._sides()]
    found = [_signed(a, b, tf1._matrix, tf2._matrix) for a, b in pairs]
    return max(found, key=lambda row: row[0])


def _contact(o1: CollisionGeometry, o2: CollisionGeometry, found: _Found) -> Contact:
    distance, normal, point_1, point_2, part_1, part_2 = found
    contact = Contact()
    contact.o1, contact.o2 = o1, o2
    contact.b1 = part_1 if o1._parts() == 0 else Contact.NONE
    contact.b2 = part_2 if o2._parts() == 0 else Contact.NONE
    contact.normal, contact.penetration_depth = normal, distance
    contact.nearest_points = [point_1, point_2]
    contact.pos = 0.5 * (point_1 + point_2)
    return contact


def _unpack(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Geometries with poses, from those or from two objects."""
    if isinstance(args[0], CollisionObject):
        o1, o2, *rest = args
        return (o1._geometry, o1._tf, o2._geometry, o2._tf, *rest)
    return args


def collide(*args: Any) -> int:
    """Adds the contacts of two objects to a result, and returns how many it has.

    `collide(o1, o2, request, result)` or `collide(geometry1, pose1, geometry2, pose2, request,
    result)`. Primitives have one contact at most, meshes one for each pair of parts.
    """
    o1, tf1, o2, tf2, request, result = _unpack(args)
    margin = request.security_margin
    if margin == -math.inf or request.isSatisfied(result):
        return int(result.numContacts())
    found = _nearest(o1, tf1, o2, tf2)
    result.distance_lower_bound = min(result.distance_lower_bound, found[0] - margin)
    result.normal, result.nearest_points = found[1], [found[2], found[3]]
    if margin < found[0]:
        return int(result.numContacts())
    wanted = request.num_max_contacts - result.numContacts()
    contacts = [_contact(o1, o2, found)]
    if 1 < wanted and len(o1._sides()) == len(o2._sides()) == 1:
        contacts += _more_contacts(o1, tf1, o2, tf2, margin, contacts[0], wanted - 1)
    for contact in contacts:
        result.addContact(contact)
    return int(result.numContacts())


def _more_contacts(
    o1: CollisionGeometry,
    tf1: Transform3s,
    o2: CollisionGeometry,
    tf2: Transform3s,
    margin: float,
    first: Contact,
    most: int,
) -> list[Contact]:
    """The contacts of meshes beside the first: one for each pair of parts."""
    poses = tf1._matrix, tf2._matrix
    found: list[Contact] = []
    seen = {(first.b1, first.b2)}
    if isinstance(o1, BVHModelBase) and isinstance(o2, BVHModelBase):
        for i, k in _carom.triangle_pairs(o1._shape(), o2._shape(), *poses).tolist():
            if (i, k) not in seen and len(found) < most:
                seen.add((i, k))
                row = _signed(o1._triangle(i), o2._triangle(k), *poses)
                found.append(_contact(o1, o2, (*row[:4], i, k)))
    elif isinstance(o1, BVHModelBase) or isinstance(o2, BVHModelBase):
        reach = max(margin, 0.0)
        for more in _carom.contacts(o1._shape(), o2._shape(), *poses, prediction=reach):
            row = (-more.depth, more.normal, more.point_a, more.point_b, more.part_a, more.part_b)
            contact = _contact(o1, o2, row)
            is_new = (contact.b1, contact.b2) not in seen
            if is_new and contact.penetration_depth <= margin and len(found) < most:
                seen.add((contact.b1, contact.b2))
                found.append(contact)
    return found


def distance(*args: Any) -> float:
    """The distance of two objects, negative if they overlap and the request wants that.

    `distance(o1, o2, request, result)` or `distance(geometry1, pose1, geometry2, pose2, request,
    result)`.
    """
    o1, tf1, o2, tf2, request, result = _unpack(args)
    found = _nearest(o1, tf1, o2, tf2)
    least = found[0] if request.enable_signed_distance else max(found[0], 0.0)
    if least < result.min_distance:
        contact = _contact(o1, o2, found)
        result.min_distance, result.normal = least, contact.normal
        result.nearest_points = contact.nearest_points
        result.o1, result.o2, result.b1, result.b2 = o1, o2, contact.b1, contact.b2
    return least


class ComputeCollision:
    """`collide` of two geometries, at poses that are given later."""

    def __init__(self, o1: CollisionGeometry, o2: CollisionGeometry) -> None:
        self._geometries = o1, o2

    def __call__(
        self, tf1: Transform3s, tf2: Transform3s, request: CollisionRequest, result: CollisionResult
    ) -> int:
        return collide(self._geometries[0], tf1, self._geometries[1], tf2, request, result)


class ComputeDistance:
    """`distance` of two geometries, at poses that are given later."""

    def __init__(self, o1: CollisionGeometry, o2: CollisionGeometry) -> None:
        self._geometries = o1, o2

    def __call__(
        self, tf1: Transform3s, tf2: Transform3s, request: DistanceRequest, result: DistanceResult
    ) -> float:
        return distance(self._geometries[0], tf1, self._geometries[1], tf2, request, result)


class CollisionData:
    """The request and the result of a callback."""

    def __init__(self) -> None:
        self.request = CollisionRequest()
        self.result = CollisionResult()
        self.done = False

    def clear(self) -> None:
        """Forgets the result."""
        self.result.clear()
        self.done = False


class DistanceData:
    """The request and the result of a callback."""

    def __init__(self) -> None:
        self.request = DistanceRequest()
        self.result = DistanceResult()
        self.done = False

    def clear(self) -> None:
        """Forgets the result."""
        self.result.clear()
        self.done = False


class CollisionCallBackBase:
    """Called for pairs whose boxes overlap; true stops."""

    def init(self) -> None:
        """Called before the first pair."""

    def collide(self, o1: CollisionObject, o2: CollisionObject) -> bool:
        """Called for each pair."""
        raise NotImplementedError

    def __call__(self, o1: CollisionObject, o2: CollisionObject) -> bool:
        return self.collide(o1, o2)


class DistanceCallBackBase:
    """Called for pairs; true stops."""

    def init(self) -> None:
        """Called before the first pair."""

    def distance(self, o1: CollisionObject, o2: CollisionObject, dist: Any) -> bool:
        """Called for each pair."""
        raise NotImplementedError

    def __call__(self, o1: CollisionObject, o2: CollisionObject, dist: Any) -> bool:
        return self.distance(o1, o2, dist)


class CollisionCallBackDefault(CollisionCallBackBase):
    """Collects contacts in `data.result`, as many as `data.request` wants."""

    def __init__(self) -> None:
        self.data = CollisionData()

    def init(self) -> None:
        self.data.clear()

    def collide(self, o1: CollisionObject, o2: CollisionObject) -> bool:
        collide(o1, o2, self.data.request, self.data.result)
        self.data.done = self.data.request.isSatisfied(self.data.result)
        return self.data.done


class DistanceCallBackDefault(DistanceCallBackBase):
    """Keeps the least distance in `data.result`."""

    def __init__(self) -> None:
        self.data = DistanceData()

    def init(self) -> None:
        self.data.clear()

    def distance(self, o1: CollisionObject, o2: CollisionObject, dist: Any) -> bool:
        distance(o1, o2, self.data.request, self.data.result)
        return self.data.done


class CollisionCallBackCollect(CollisionCallBackBase):
    """Collects the pairs whose boxes overlap."""

    def __init__(self, max_size: int) -> None:
        self._max_size = max_size
        self._pairs: list[tuple[CollisionObject, CollisionObject]] = []

    def init(self) -> None:
        self._pairs = []

    def collide(self, o1: CollisionObject, o2: CollisionObject) -> bool:
        self._pairs.append((o1, o2))
        return self._max_size <= len(self._pairs)

    def numCollisionPairs(self) -> int:
        """The number of pairs."""
        return len(self._pairs)

    def getCollisionPairs(self) -> list[tuple[CollisionObject, CollisionObject]]:
        """The pairs."""
        return self._pairs

    def exist(self, *pair: Any) -> bool:
        """Whether a pair was found, in any order."""
        a, b = pair if len(pair) == 2 else pair[0]
        return any((a is o and b is p) or (a is p and b is o) for o, p in self._pairs)


class BroadPhaseCollisionManager:
    """Objects, and the pairs whose boxes overlap. All managers of Coal are this one."""

    def __init__(self, *args: Any) -> None:
        self._objects: dict[int, CollisionObject] = {}

    def registerObject(self, obj: CollisionObject) -> None:
        """Adds an object, once."""
        self._objects[id(obj)] = obj

    def registerObjects(self, objs: Iterable[CollisionObject]) -> None:
        """Adds objects."""
        for obj in objs:
            self.registerObject(obj)

    def unregisterObject(self, obj: CollisionObject) -> None:
        """Removes an object."""
        self._objects.pop(id(obj), None)

    def setup(self) -> None:
        """Does nothing: poses are read by each query."""

    def update(self, objs: Any = None) -> None:
        """Does nothing: poses are read by each query."""

    def clear(self) -> None:
        """Removes all objects."""
        self._objects.clear()

    def getObjects(self) -> list[CollisionObject]:
        """The objects."""
        return list(self._objects.values())

    def empty(self) -> bool:
        """Whether there is no object."""
        return not self._objects

    def size(self) -> int:
        """The number of objects."""
        return len(self._objects)

    def _built(self) -> Assembly:
        assembly = Assembly()
        for obj in self._objects.values():
            assembly.add(obj._geometry._shape(), obj._tf._matrix)
        return assembly

    def _pairs(self, other: Any, margin: float) -> list[tuple[CollisionObject, CollisionObject]]:
        own = self.getObjects()
        if other is None:
            rows = self._built().candidates(margin).tolist()
            return [(own[i], own[k]) for i, k in rows]
        if isinstance(other, CollisionObject):
            shape, pose = other._geometry._shape(), other._tf._matrix
            near = self._built().candidates_near(shape, pose, margin).tolist()
            return [(own[i], other) for i in near if own[i] is not other]
        rows = self._built().candidates_with(other._built(), margin).tolist()
        others = other.getObjects()
        return [(own[i], others[k]) for i, k in rows]

    def collide(self, *args: Any) -> None:
        """Calls a callback for pairs: `collide(callback)`, `collide(object, callback)` or
        `collide(manager, callback)`.
        """
        *other, callback = args
        callback.init()
        data = getattr(callback, "data", None)
        margin = max(data.request.security_margin, 0.0) if data is not None else 0.0
        for o1, o2 in self._pairs(other[0] if other else None, margin):
            if callback(o1, o2):
                return

    def distance(self, *args: Any) -> None:
        """Calls a callback for all pairs: `distance(callback)`, `distance(object, callback)` or
        `distance(manager, callback)`.
        """
        *other, callback = args
        callback.init()
        own = self.getObjects()
        if not other:
            pairs = [(o1, o2) for i, o1 in enumerate(own) for o2 in own[:i]]
        elif isinstance(other[0], CollisionObject):
            pairs = [(o1, other[0]) for o1 in own if o1 is not other[0]]
        else:
            pairs = [(o1, o2) for o1 in own for o2 in other[0].getObjects()]
        for o1, o2 in pairs:
            if callback(o1, o2, _MAX):
                return


class DynamicAABBTreeCollisionManager(BroadPhaseCollisionManager):
    """A manager."""


class DynamicAABBTreeArrayCollisionManager(BroadPhaseCollisionManager):
    """A manager."""


class IntervalTreeCollisionManager(BroadPhaseCollisionManager):
    """A manager."""


class SaPCollisionManager(BroadPhaseCollisionManager):
    """A manager."""


class SSaPCollisionManager(BroadPhaseCollisionManager):
    """A manager."""


class NaiveCollisionManager(BroadPhaseCollisionManager):
    """A manager."""


class SpatialHashingCollisionManager(BroadPhaseCollisionManager):
    """A manager."""
