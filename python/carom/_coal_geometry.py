"""Poses, boxes and shapes with the names of Coal, for `carom.coal`."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from enum import IntEnum
from typing import Any

import numpy as np
import numpy.typing as npt

from ._carom import Shape
from ._quaternion import from_matrix, to_matrix

_Array = npt.NDArray[np.float64]
_MAX = sys.float_info.max


class OBJECT_TYPE(IntEnum):
    """Kinds of geometry."""

    OT_UNKNOWN, OT_BVH, OT_GEOM, OT_OCTREE, OT_HFIELD = range(5)


class NODE_TYPE(IntEnum):
    """Kinds of shapes."""

    BV_UNKNOWN, BV_AABB, BV_OBB, BV_RSS, BV_kIOS, BV_OBBRSS, BV_KDOP16, BV_KDOP18, BV_KDOP24 = (
        range(9)
    )
    GEOM_BOX, GEOM_SPHERE, GEOM_CAPSULE, GEOM_CONE, GEOM_CYLINDER, GEOM_CONVEX = range(9, 15)
    GEOM_PLANE, GEOM_HALFSPACE, GEOM_TRIANGLE, GEOM_OCTREE, GEOM_ELLIPSOID = range(15, 20)
    HF_AABB, HF_OBBRSS = range(20, 22)


class BVHModelType(IntEnum):
    """What a model is made of."""

    BVH_MODEL_UNKNOWN, BVH_MODEL_TRIANGLES, BVH_MODEL_POINTCLOUD = range(3)


#: The part of a shape without triangles.
NONE = -1


def _vector(numbers: Any) -> _Array:
    vector = np.array(numbers, dtype=np.float64).reshape(-1)
    if vector.shape != (3,):
        raise ValueError(f"three numbers are needed, not an array of the shape {vector.shape}")
    return vector


class StdVec_Vec3s(list[Any]):
    """A list of points."""

    def tolist(self) -> list[Any]:
        """The points as a plain list."""
        return list(self)


class StdVec_Triangle(list[Any]):
    """A list of triangles."""

    def tolist(self) -> list[Any]:
        """The triangles as a plain list."""
        return list(self)


class Triangle:
    """Three indices of vertices."""

    def __init__(self, p1: int = 0, p2: int = 0, p3: int = 0) -> None:
        self.set(p1, p2, p3)

    def set(self, p1: int, p2: int, p3: int) -> None:
        """Sets the indices."""
        self._indices = [int(p1), int(p2), int(p3)]

    def __getitem__(self, i: int) -> int:
        return self._indices[i]

    def __setitem__(self, i: int, vertex: int) -> None:
        self._indices[i] = int(vertex)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Triangle) and self._indices == other._indices

    __hash__ = None  # type: ignore[assignment]

    @staticmethod
    def size() -> int:
        """How many indices there are."""
        return 3


class Quaternion:
    """A rotation, as Eigen has it: w and the vector x, y, z."""

    def __init__(self, w: float = 1.0, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> None:
        self.w, self.x, self.y, self.z = float(w), float(x), float(y), float(z)

    def coeffs(self) -> _Array:
        """x, y, z, w."""
        return np.array([self.x, self.y, self.z, self.w])

    def matrix(self) -> _Array:
        """The rotation as a matrix, (3, 3)."""
        return to_matrix([self.w, self.x, self.y, self.z])


def _quaternion(r: _Array) -> Quaternion:
    return Quaternion(*from_matrix(r))


def _rotation(value: Any) -> _Array:
    if hasattr(value, "coeffs"):
        x, y, z, w = np.asarray(value.coeffs(), dtype=np.float64).reshape(-1)
        return Quaternion(w, x, y, z).matrix()
    matrix = np.array(value, dtype=np.float64)
    if matrix.shape != (3, 3):
        raise ValueError(f"a rotation has the shape (3, 3), not {matrix.shape}")
    return matrix


class Transform3s:
    """A pose: `Transform3s()`, of a rotation, of a translation, of both, or of another one."""

    def __init__(self, *args: Any) -> None:
        self._matrix: _Array = np.eye(4)
        match args:
            case ():
                pass
            case (Transform3s(),):
                self._matrix = args[0]._matrix.copy()
            case (one,) if hasattr(one, "coeffs") or np.asarray(one).shape == (3, 3):
                self.setRotation(one)
            case (one,):
                self.setTranslation(one)
            case (rotation, translation):
                self.setRotation(rotation)
                self.setTranslation(translation)
            case _:
                raise TypeError(f"Transform3s takes at most two arguments, not {len(args)}")

    @staticmethod
    def Identity() -> Transform3s:
        """The pose at the origin."""
        return Transform3s()

    @staticmethod
    def Random() -> Transform3s:
        """A random rotation, and a translation from -1 to 1 along each axis."""
        found = Transform3s()
        found.setRandom()
        return found

    def setRandom(self) -> None:
        """Sets a random rotation, and a translation from -1 to 1 along each axis."""
        self.setRotation(Quaternion(*np.random.normal(size=4)).matrix())
        self.setTranslation(np.random.uniform(-1, 1, 3))

    def setIdentity(self) -> None:
        """Sets the pose at the origin."""
        self._matrix = np.eye(4)

    def isIdentity(self, prec: float = 1e-12) -> bool:
        """Whether this is the pose at the origin."""
        return bool(np.abs(self._matrix - np.eye(4)).max() <= prec)

    def getRotation(self) -> _Array:
        """The rotation, (3, 3)."""
        return self._matrix[:3, :3].copy()

    def getTranslation(self) -> _Array:
        """The translation, (3,)."""
        return self._matrix[:3, 3].copy()

    def getQuatRotation(self) -> Quaternion:
        """The rotation as a quaternion."""
        return _quaternion(self._matrix[:3, :3])

    def setRotation(self, R: Any) -> None:
        """Sets the rotation."""
        self._matrix[:3, :3] = _rotation(R)

    def setQuatRotation(self, q: Any) -> None:
        """Sets the rotation."""
        self.setRotation(q)

    def setTranslation(self, T: Any) -> None:
        """Sets the translation."""
        self._matrix[:3, 3] = _vector(T)

    def setTransform(self, R: Any, T: Any) -> None:
        """Sets both."""
        self.setRotation(R)
        self.setTranslation(T)

    def transform(self, v: Any) -> _Array:
        """A point in the outer frame."""
        return np.asarray(self._matrix[:3, :3] @ _vector(v) + self._matrix[:3, 3])

    def inverse(self) -> Transform3s:
        """The inverse."""
        r = self._matrix[:3, :3].T
        return Transform3s(r, -r @ self._matrix[:3, 3])

    def inverseInPlace(self) -> Transform3s:
        """Inverts this one."""
        self._matrix = self.inverse()._matrix
        return self

    def inverseTimes(self, other: Transform3s) -> Transform3s:
        """The inverse of this one, times another one."""
        return self.inverse() * other

    def __mul__(self, other: Transform3s) -> Transform3s:
        found = Transform3s()
        found._matrix = self._matrix @ other._matrix
        return found

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Transform3s) and np.array_equal(self._matrix, other._matrix)

    __hash__ = None  # type: ignore[assignment]


class AABB:
    """A box along the axes."""

    def __init__(self, *args: Any) -> None:
        self.min_: _Array = np.full(3, _MAX)
        self.max_: _Array = np.full(3, -_MAX)
        match args:
            case ():
                pass
            case (AABB(),):
                self.min_, self.max_ = args[0].min_.copy(), args[0].max_.copy()
            case (AABB(), delta):
                half = _vector(delta)
                self.min_, self.max_ = args[0].min_ - half, args[0].max_ + half
            case _:
                points = np.stack([_vector(point) for point in args])
                self.min_, self.max_ = points.min(axis=0), points.max(axis=0)

    def contain(self, other: Any) -> bool:
        """Whether it contains a point or a box."""
        low, high = (other.min_, other.max_) if isinstance(other, AABB) else (_vector(other),) * 2
        return bool(np.all(self.min_ <= low) and np.all(high <= self.max_))

    def overlap(self, other: AABB) -> bool:
        """Whether both share a point."""
        return bool(np.all(self.min_ <= other.max_) and np.all(other.min_ <= self.max_))

    def distance(self, other: AABB) -> float:
        """The distance of both, a length."""
        gap = np.maximum(0, np.maximum(self.min_ - other.max_, other.min_ - self.max_))
        return float(np.linalg.norm(gap))

    def center(self) -> _Array:
        """The middle, (3,)."""
        return np.asarray(0.5 * (self.min_ + self.max_))

    def width(self) -> float:
        """The size along x."""
        return float(self.max_[0] - self.min_[0])

    def height(self) -> float:
        """The size along y."""
        return float(self.max_[1] - self.min_[1])

    def depth(self) -> float:
        """The size along z."""
        return float(self.max_[2] - self.min_[2])

    def volume(self) -> float:
        """The volume."""
        return float(np.prod(self.max_ - self.min_))

    def size(self) -> float:
        """The volume."""
        return self.volume()

    def __add__(self, other: AABB) -> AABB:
        return AABB(np.minimum(self.min_, other.min_), np.maximum(self.max_, other.max_))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, AABB)
            and np.array_equal(self.min_, other.min_)
            and np.array_equal(self.max_, other.max_)
        )

    __hash__ = None  # type: ignore[assignment]


class CollisionGeometry:
    """A shape. It is built when it is first used, and again after its sizes were set."""

    _node_type: NODE_TYPE = NODE_TYPE.BV_UNKNOWN
    _object_type: OBJECT_TYPE = OBJECT_TYPE.OT_GEOM
    _made: Shape | None = None

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, "_made", None)
        object.__setattr__(self, name, value)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_made"}

    def _make(self) -> Shape:
        raise ValueError(f"a {type(self).__name__} without a shape")

    def _swept(self, shape: Shape) -> Shape:
        return shape

    def _shape(self) -> Shape:
        if self._made is None:
            object.__setattr__(self, "_made", self._swept(self._make()))
        assert self._made is not None
        return self._made

    def _sides(self) -> list[Shape]:
        """The shapes that this one is the common part of."""
        return [self._shape()]

    def _parts(self) -> int:
        """What names a part of a shape without triangles."""
        return NONE

    def _key(self) -> dict[str, Any]:
        plain = {}
        for name, value in self.__getstate__().items():
            plain[name] = np.asarray(value).tolist() if isinstance(value, np.ndarray) else value
        return plain

    def __eq__(self, other: object) -> bool:
        return (
            type(self) is type(other)
            and isinstance(other, CollisionGeometry)
            and self._key() == other._key()
        )

    __hash__ = object.__hash__

    def clone(self) -> Any:
        """A copy."""
        copy = type(self).__new__(type(self))
        vars(copy).update(
            {
                name: value.copy() if hasattr(value, "copy") else value
                for name, value in self.__getstate__().items()
            }
        )
        return copy

    def getNodeType(self) -> NODE_TYPE:
        """The kind of the shape."""
        return self._node_type

    def getObjectType(self) -> OBJECT_TYPE:
        """The kind of the geometry."""
        return self._object_type

    def computeLocalAABB(self) -> None:
        """Does nothing: the box is computed when it is read."""

    @property
    def aabb_local(self) -> AABB:
        """The box of the shape in its frame."""
        return AABB(*self._shape().bounds())

    @property
    def aabb_center(self) -> _Array:
        """The middle of that box, (3,)."""
        return self.aabb_local.center()

    @property
    def aabb_radius(self) -> float:
        """Half the diagonal of that box."""
        box = self.aabb_local
        return float(0.5 * np.linalg.norm(box.max_ - box.min_))

    def computeVolume(self) -> float:
        """The volume."""
        return self._make().mass_properties()[0]

    def computeCOM(self) -> _Array:
        """The centre of mass, (3,)."""
        return self._make().mass_properties()[1]

    def computeMomentofInertiaRelatedToCOM(self) -> _Array:
        """The inertia about the centre of mass for the density 1, (3, 3)."""
        return self._make().mass_properties()[2]

    def computeMomentofInertia(self) -> _Array:
        """The inertia about the origin of the frame for the density 1, (3, 3)."""
        mass, c, about_center = self._make().mass_properties()
        return np.asarray(about_center + mass * (np.dot(c, c) * np.eye(3) - np.outer(c, c)))

    def isOccupied(self) -> bool:
        """Always: the inside is solid."""
        return True

    def isFree(self) -> bool:
        """Never."""
        return False

    def isUncertain(self) -> bool:
        """Never."""
        return False


class ShapeBase(CollisionGeometry):
    """A primitive shape."""

    _sweep: float = 0.0

    def setSweptSphereRadius(self, radius: float) -> None:
        """Rounds the shape: it grows by the radius."""
        if not radius >= 0:
            raise ValueError("Swept-sphere radius must be positive.")
        self._sweep = float(radius)

    def getSweptSphereRadius(self) -> float:
        """The radius by which the shape grows."""
        return self._sweep

    def _swept(self, shape: Shape) -> Shape:
        return Shape.rounded(shape, self._sweep) if 0 < self._sweep else shape


def _is(args: tuple[Any, ...], kind: type) -> bool:
    return len(args) == 1 and isinstance(args[0], kind)


class Box(ShapeBase):
    """A box around the origin, from its sizes."""

    _node_type = NODE_TYPE.GEOM_BOX

    def __init__(self, *args: Any) -> None:
        if _is(args, Box):
            self.halfSide: _Array = args[0].halfSide.copy()
        else:
            sides = args or (np.zeros(3),)
            self.halfSide = 0.5 * _vector(sides[0] if len(sides) == 1 else sides)

    def _make(self) -> Shape:
        return Shape.box(2 * np.asarray(self.halfSide))


class Sphere(ShapeBase):
    """A ball around the origin."""

    _node_type = NODE_TYPE.GEOM_SPHERE
    radius: float

    def __init__(self, radius: Any = 0.0) -> None:
        self.radius = float(radius.radius if isinstance(radius, Sphere) else radius)

    def _make(self) -> Shape:
        return Shape.sphere(self.radius)


class Ellipsoid(ShapeBase):
    """An ellipsoid around the origin, from its radii."""

    _node_type = NODE_TYPE.GEOM_ELLIPSOID

    def __init__(self, *args: Any) -> None:
        if _is(args, Ellipsoid):
            self.radii: _Array = args[0].radii.copy()
        else:
            radii = args or (np.zeros(3),)
            self.radii = _vector(radii[0] if len(radii) == 1 else radii)

    def _make(self) -> Shape:
        return Shape.ellipsoid(self.radii)


class _Round(ShapeBase):
    radius: float
    halfLength: float

    def __init__(self, radius: Any = 0.0, lz: float = 0.0) -> None:
        if isinstance(radius, _Round):
            self.radius, self.halfLength = radius.radius, radius.halfLength
        else:
            self.radius, self.halfLength = float(radius), 0.5 * float(lz)


class Capsule(_Round):
    """A capsule along z, from its radius and the length between the centres of its ends."""

    _node_type = NODE_TYPE.GEOM_CAPSULE

    def _make(self) -> Shape:
        return Shape.capsule(self.radius, 2 * self.halfLength)


class Cone(_Round):
    """A cone along z, from its radius and height, with the apex at +z."""

    _node_type = NODE_TYPE.GEOM_CONE

    def _make(self) -> Shape:
        return Shape.cone(self.radius, 2 * self.halfLength)


class Cylinder(_Round):
    """A cylinder along z, from its radius and height."""

    _node_type = NODE_TYPE.GEOM_CYLINDER

    def _make(self) -> Shape:
        return Shape.cylinder(self.radius, 2 * self.halfLength)


class ConvexBase(ShapeBase):
    """A convex hull."""

    _node_type = NODE_TYPE.GEOM_CONVEX
    _points: _Array

    @property
    def num_points(self) -> int:
        """The number of points."""
        return len(self._points)

    @property
    def center(self) -> _Array:
        """The mean of the points, (3,)."""
        return np.asarray(self._points.mean(axis=0))

    def point(self, index: int) -> _Array:
        """A point, (3,)."""
        return np.asarray(self._points[index])

    def points(self, index: int | None = None) -> _Array:
        """All points, (n, 3), or one."""
        return self._points if index is None else self._points[index]

    def _make(self) -> Shape:
        return Shape.hull(self._points)

    @staticmethod
    def convexHull(points: Any, keepTriangles: bool = True, qhullCommand: Any = None) -> Convex:
        """The hull of points; at least four that are not in a plane."""
        array = np.array(list(points), dtype=np.float64).reshape(-1, 3)
        if len(array) <= 3:
            raise ValueError("You shouldn't use this function with less than 4 points.")
        hull = Shape.hull(array)
        return Convex(hull.vertices, hull.faces)


class Convex(ConvexBase):
    """The hull of points. The list of triangles is kept, and does not matter."""

    _triangles: list[tuple[int, ...]]

    def __init__(self, points: Any, triangles: Iterable[Any] = ()) -> None:
        if isinstance(points, Convex):
            self._points = points._points.copy()
            self._triangles = list(points._triangles)
        else:
            self._points = np.array(list(points), dtype=np.float64).reshape(-1, 3)
            self._triangles = [tuple(int(t[i]) for i in range(3)) for t in triangles]

    @property
    def num_polygons(self) -> int:
        """The number of triangles."""
        return len(self._triangles)

    def polygons(self, index: int) -> Triangle:
        """A triangle."""
        return Triangle(*self._triangles[index])


class Halfspace(ShapeBase):
    """All points x with n . x <= d."""

    _node_type = NODE_TYPE.GEOM_HALFSPACE
    d: float

    def __init__(self, *args: Any) -> None:
        if len(args) == 1 and isinstance(args[0], Halfspace):
            self.n: _Array = args[0].n.copy()
            self.d = float(args[0].d)
            return
        match args:
            case ():
                n, d = np.array([1.0, 0.0, 0.0]), 0.0
            case (normal, distance):
                n, d = _vector(normal), float(distance)
            case (a, b, c, distance):
                n, d = _vector([a, b, c]), float(distance)
            case _:
                raise TypeError(f"{type(self).__name__} takes n and d, or a, b, c and d")
        length = float(np.linalg.norm(n))
        if not 0 < length:
            raise ValueError("the normal has no direction")
        self.n, self.d = n / length, d / length

    def _swept(self, shape: Shape) -> Shape:
        return shape

    def _make(self) -> Shape:
        return Shape.half_space(self.n, self.d + self._sweep)


class Plane(Halfspace):
    """All points x with n . x == d: the common points of two half-spaces."""

    _node_type = NODE_TYPE.GEOM_PLANE

    def _sides(self) -> list[Shape]:
        return [self._shape(), Shape.half_space(-self.n, self._sweep - self.d)]


class TriangleP(ShapeBase):
    """A triangle."""

    _node_type = NODE_TYPE.GEOM_TRIANGLE

    def __init__(self, *args: Any) -> None:
        if _is(args, TriangleP):
            args = (args[0].a, args[0].b, args[0].c)
        corners = args or (np.zeros(3),) * 3
        self.a, self.b, self.c = (_vector(corner) for corner in corners)

    def _make(self) -> Shape:
        return Shape.mesh(np.stack([self.a, self.b, self.c]), np.array([[0, 1, 2]]))


class BVHModelBase(CollisionGeometry):
    """The surface of triangles."""

    _object_type = OBJECT_TYPE.OT_BVH
    build_state: int

    def __init__(self, other: BVHModelBase | None = None) -> None:
        self._points: list[_Array] = list(other._points) if other else []
        self._faces: list[tuple[int, int, int]] = list(other._faces) if other else []
        self.build_state = other.build_state if other else 0

    @property
    def num_vertices(self) -> int:
        """The number of vertices."""
        return len(self._points)

    @property
    def num_tris(self) -> int:
        """The number of triangles."""
        return len(self._faces)

    def vertex(self, index: int) -> _Array:
        """A vertex, (3,)."""
        return self._points[index]

    def vertices(self, index: int | None = None) -> _Array:
        """All vertices, (n, 3), or one."""
        if index is not None:
            return self._points[index]
        return np.array(self._points, dtype=np.float64).reshape(-1, 3)

    def tri_indices(self, index: int) -> Triangle:
        """A triangle."""
        return Triangle(*self._faces[index])

    def getModelType(self) -> BVHModelType:
        """What the model is made of."""
        if self._faces:
            return BVHModelType.BVH_MODEL_TRIANGLES
        kinds = BVHModelType
        return kinds.BVH_MODEL_POINTCLOUD if self._points else kinds.BVH_MODEL_UNKNOWN

    def beginModel(self, num_tris: int = 0, num_vertices: int = 0) -> int:
        """Begins an empty model."""
        self._points, self._faces, self.build_state = [], [], 1
        return 0

    def addVertex(self, p: Any) -> int:
        """Adds a vertex."""
        self._points.append(_vector(p))
        self._made = None
        return 0

    def addVertices(self, points: Any) -> int:
        """Adds vertices, (n, 3)."""
        for point in np.asarray(points, dtype=np.float64).reshape(-1, 3):
            self.addVertex(point)
        return 0

    def addTriangle(self, p1: Any, p2: Any, p3: Any) -> int:
        """Adds a triangle with three vertices of its own."""
        n = len(self._points)
        for point in (p1, p2, p3):
            self.addVertex(point)
        self._faces.append((n, n + 1, n + 2))
        return 0

    def addTriangles(self, triangles: Any) -> int:
        """Adds triangles on the vertices so far."""
        self._faces += [(int(t[0]), int(t[1]), int(t[2])) for t in triangles]
        self._made = None
        return 0

    def addSubModel(self, points: Any, triangles: Any = ()) -> int:
        """Adds vertices, and triangles on them."""
        n = len(self._points)
        for point in points:
            self.addVertex(point)
        self._faces += [(n + int(t[0]), n + int(t[1]), n + int(t[2])) for t in triangles]
        return 0

    def endModel(self) -> int:
        """Ends the model, and builds it."""
        self.build_state = 2
        if self._faces:
            self._shape()
        return 0

    def buildConvexHull(self, keepTriangles: bool = True, qhullCommand: Any = None) -> None:
        """Makes `convex` the hull of the vertices."""
        self.convex = ConvexBase.convexHull(self._points, keepTriangles, qhullCommand)

    def _parts(self) -> int:
        return 0

    def _triangle(self, index: int) -> Shape:
        corners = np.stack([self._points[i] for i in self._faces[index]])
        return Shape.mesh(corners, np.array([[0, 1, 2]]))

    def _make(self) -> Shape:
        if not self._faces:
            raise ValueError("the model has no triangles")
        return Shape.mesh(self.vertices(), np.array(self._faces, dtype=np.int64))


class BVHModelOBB(BVHModelBase):
    """The surface of triangles."""

    _node_type = NODE_TYPE.BV_OBB


class BVHModelOBBRSS(BVHModelBase):
    """The surface of triangles."""

    _node_type = NODE_TYPE.BV_OBBRSS


BVHModel = BVHModelOBBRSS
