"""The types of the compiled module. `carom` exports all of it."""

from collections.abc import Callable, Iterable, Mapping
from os import PathLike
from typing import Any, TypeAlias, final

import numpy as np
import numpy.typing as npt

_Floats: TypeAlias = npt.NDArray[np.float64]
_Ints: TypeAlias = npt.NDArray[np.int64]
_Bools: TypeAlias = npt.NDArray[np.bool_]
_Path: TypeAlias = str | PathLike[str]

__all__ = [
    "AllRayHits",
    "Assembly",
    "BodyContacts",
    "BodyHits",
    "BrokenJoint",
    "Cast",
    "Contact",
    "ContactEvents",
    "Decomposition",
    "Distance",
    "Filter",
    "ImpulseEvents",
    "JointContact",
    "JointState",
    "Material",
    "MeshReport",
    "Model",
    "Motor",
    "NearestPoints",
    "Overlap",
    "PairBatch",
    "Part",
    "PartDistance",
    "PoseError",
    "RayHits",
    "ReadError",
    "Robot",
    "RobotDistances",
    "RobotJoint",
    "Sdf",
    "Shape",
    "ShapeError",
    "Simplified",
    "SoftEvents",
    "World",
    "WorldError",
    "cast",
    "cast_along",
    "cast_ray",
    "cast_ray_all",
    "contact",
    "contact_batch",
    "contacts",
    "contains",
    "decompose",
    "distance",
    "distance_batch",
    "intersects",
    "intersects_batch",
    "mesh_report",
    "nearest_points",
    "overlap",
    "read",
    "read_srdf",
    "relation",
    "simplify",
    "triangle_pairs",
    "winding_number",
]

class ShapeError(ValueError):
    """A shape that was refused; the message names the first offender."""

class PoseError(ValueError):
    """A pose that is not finite or not rigid."""

class ReadError(ValueError):
    """A file that was not read; the message names file and place."""

class WorldError(ValueError):
    """A world or an assembly that refused a change."""

@final
class Shape:
    """Any shape: a primitive, a hull, a mesh, a compound. It does not change, and may be shared.

    Shapes are centred on the origin. Lengths have no fixed unit. A shape with an axis has it
    along `axis`: "x", "y" or "z".
    """

    @staticmethod
    def sphere(radius: float) -> Shape:
        """A ball around the origin."""
    @staticmethod
    def box(extents: npt.ArrayLike) -> Shape:
        """A box around the origin, from its sizes along the axes."""
    @staticmethod
    def capsule(radius: float, height: float, axis: str = "z") -> Shape:
        """All points within `radius` of a segment of the length `height` along the axis."""
    @staticmethod
    def tapered_capsule(
        radius_bottom: float, radius_top: float, height: float, axis: str = "z"
    ) -> Shape:
        """The hull of two balls whose centres are `height` apart along the axis."""
    @staticmethod
    def cylinder(radius: float, height: float, axis: str = "z") -> Shape:
        """A cylinder along the axis."""
    @staticmethod
    def cone(radius: float, height: float, axis: str = "z") -> Shape:
        """A cone along the axis. Its apex is at + height / 2, its base at - height / 2."""
    @staticmethod
    def ellipsoid(radii: npt.ArrayLike) -> Shape:
        """An ellipsoid around the origin, from its radii along the axes."""
    @staticmethod
    def torus(major_radius: float, minor_radius: float, axis: str = "z") -> Shape:
        """All points within `minor_radius` of a circle of the radius `major_radius` around the
        axis.
        """
    @staticmethod
    def half_space(normal: npt.ArrayLike, offset: float = 0.0) -> Shape:
        """All points x with `normal . x <= offset * |normal|`."""
    @staticmethod
    def hull(points: npt.ArrayLike) -> Shape:
        """The convex hull of points of the shape (n, 3)."""
    @staticmethod
    def mesh(
        vertices: npt.ArrayLike, faces: npt.ArrayLike, keep_orientation: bool = False
    ) -> Shape:
        """The surface of triangles: vertices of the shape (n, 3), and three vertex indices for each
        of m faces, counter-clockwise seen from outside.

        With `keep_orientation` the triangles are taken to face outwards as they are. By default
        those of a closed mesh are oriented from their neighbours and the volume.
        """
    @staticmethod
    def height_field(heights: npt.ArrayLike, spacing: tuple[float, float]) -> Shape:
        """The surface over a grid of heights along z, of the shape (n_x, n_y). It is centred in x
        and y; `spacing` is the distance of neighbours along x and y. It has no inside.
        """
    @staticmethod
    def point_cloud(points: npt.ArrayLike, radius: float) -> Shape:
        """All points within `radius` of n points, (n, 3). A part of an answer is the index of a
        point.
        """
    @staticmethod
    def voxels(
        occupancy: npt.ArrayLike, cell: npt.ArrayLike, origin: npt.ArrayLike | None = None
    ) -> Shape:
        """The occupied cells of a grid: flags of the shape (n_x, n_y, n_z), and the size of a cell,
        one number or one for each axis. The grid begins at `origin`. Cells are merged to larger
        boxes, which are the parts of answers.
        """
    @staticmethod
    def voxel_boxes(
        boxes: npt.ArrayLike, cell: npt.ArrayLike, origin: npt.ArrayLike | None = None
    ) -> Shape:
        """Boxes of whole cells, of the shape (n, 6): the first cell along x, y and z, and the last.
        Cell 0 of an axis begins at `origin`.
        """
    @staticmethod
    def octree(path: _Path, unknown_occupied: bool = False) -> Shape:
        """The occupied cells of an OctoMap file, `.bt`. With `unknown_occupied` the cells that the
        map does not know are occupied, too.
        """
    @staticmethod
    def octree_data(data: bytes, resolution: float, unknown_occupied: bool = False) -> Shape:
        """The same from the bytes behind the header, and the size of the smallest cell."""
    @staticmethod
    def compound(parts: list[tuple[Shape, npt.ArrayLike | None]]) -> Shape:
        """Shapes with fixed relative poses, as one: a list of pairs (shape, pose)."""
    @staticmethod
    def rounded(shape: Shape, radius: float) -> Shape:
        """A convex shape with a radius all around: its edges are rounded, and it grows by the
        radius.
        """
    def scaled(self, factors: npt.ArrayLike) -> Shape:
        """The shape with each coordinate times a factor, one for each axis or one for all. A
        negative factor mirrors.
        """
    @property
    def kind(self) -> str:
        """What the shape is called, such as "box" or "mesh"."""
    @property
    def is_convex(self) -> bool:
        """Whether the shape is convex and bounded."""
    @property
    def is_solid(self) -> bool:
        """Whether the inside is known: false for open meshes and height fields."""
    @property
    def volume(self) -> float:
        """The volume, a length cubed. Infinite for a half-space, 0 for a height field. That of a
        mesh is only valid if it is closed.
        """
    @property
    def n_faces(self) -> int:
        """The number of triangles; 0 if the shape is no mesh."""
    @property
    def vertices(self) -> _Floats:
        """The vertices of a mesh or a hull, a new array of the shape (n, 3)."""
    @property
    def faces(self) -> _Ints:
        """The triangles of a mesh or a hull, a new array of the shape (m, 3). Flat faces of a hull
        are cut into triangles.
        """
    def bounds(self, pose: npt.ArrayLike | None = None) -> _Floats:
        """The box around the shape at a pose: least and greatest coordinates, an array of the shape
        (2, 3). It is rounded outwards to `float32`.
        """
    def _recipe(self) -> tuple[str, tuple[Any, ...]]: ...
    def mass_properties(self, density: float = 1.0) -> tuple[float, _Floats, _Floats]:
        """Mass, centre of mass (3,), and the inertia tensor about it (3, 3), for a density."""

@final
class Distance:
    """The distance of two shapes and their nearest points, in the world frame."""

    @property
    def distance(self) -> float:
        """A length; 0 if the shapes touch or overlap."""
    @property
    def point_a(self) -> _Floats:
        """The point of A nearest to B, (3,); a common point if they overlap."""
    @property
    def point_b(self) -> _Floats:
        """The point of B nearest to A, (3,); a common point if they overlap."""
    @property
    def normal(self) -> _Floats:
        """Unit vector from A to B, (3,); zero if they overlap."""
    @property
    def part_a(self) -> int:
        """The triangle of a mesh or the part of a compound; 0 for a single convex shape."""
    @property
    def part_b(self) -> int:
        """Likewise for B."""
    @property
    def error(self) -> float:
        """The distance differs from the true one by at most this; infinite if that is not known."""
    def __float__(self) -> float: ...

@final
class Contact:
    """A point where two shapes touch, overlap, or are near each other. World frame."""

    @property
    def distance(self) -> float:
        """A length: negative for penetration, positive for a gap."""
    @property
    def depth(self) -> float:
        """The depth, a length; negative if the shapes are apart."""
    @property
    def point_a(self) -> _Floats:
        """The point on the surface of A, (3,)."""
    @property
    def point_b(self) -> _Floats:
        """The point on the surface of B, (3,)."""
    @property
    def normal(self) -> _Floats:
        """Unit vector from A to B, (3,): B moved along it by the depth is free."""
    @property
    def part_a(self) -> int:
        """The triangle of a mesh or the part of a compound; 0 for a single convex shape."""
    @property
    def part_b(self) -> int:
        """Likewise for B."""
    @property
    def is_local(self) -> bool:
        """Whether the depth is that of one pair of parts, so that moving by it may not separate the
        shapes.
        """

@final
class PairBatch:
    """Distances or contacts of many pairs of poses. Every array has one row for each."""

    @property
    def distance(self) -> _Floats:
        """(n,) lengths. Of distances: 0 for an overlap. Of contacts: negative for an overlap, and
        NaN if there is no contact.
        """
    @property
    def point_a(self) -> _Floats:
        """(n, 3) points on A."""
    @property
    def point_b(self) -> _Floats:
        """(n, 3) points on B."""
    @property
    def normal(self) -> _Floats:
        """(n, 3) unit vectors from A to B; zero where there is none."""
    @property
    def parts(self) -> _Ints:
        """(n, 2) triangles of meshes or parts of compounds; -1 if there is no contact."""

def intersects(
    a: Shape,
    b: Shape,
    pose_a: npt.ArrayLike | None = None,
    pose_b: npt.ArrayLike | None = None,
    *,
    solid: bool = False,
) -> bool:
    """Whether two shapes share a point; touching counts.

    A mesh is a surface: what is wholly inside a closed one does not touch it. With `solid` a
    closed mesh is a solid. A mesh without an inside stays a surface.
    """

def distance(
    a: Shape, b: Shape, pose_a: npt.ArrayLike | None = None, pose_b: npt.ArrayLike | None = None
) -> Distance:
    """The distance of two shapes, 0 if they share a point, and their nearest points."""

def contact(
    a: Shape,
    b: Shape,
    pose_a: npt.ArrayLike | None = None,
    pose_b: npt.ArrayLike | None = None,
    *,
    prediction: float = 0.0,
) -> Contact | None:
    """The deepest contact, or the nearest points of shapes that are at most `prediction` apart;
    `None` if they are farther apart.

    The depth of convex shapes is the length of the shortest translation that separates them.
    That of a mesh or a compound is local; `overlap` has bounds for closed meshes.
    """

def contacts(
    a: Shape,
    b: Shape,
    pose_a: npt.ArrayLike | None = None,
    pose_b: npt.ArrayLike | None = None,
    *,
    prediction: float = 0.0,
) -> list[Contact]:
    """The contacts of two shapes that are at most `prediction` apart: up to four for each pair of
    convex parts.
    """

def intersects_batch(
    a: Shape,
    b: Shape,
    poses_a: npt.ArrayLike | None = None,
    poses_b: npt.ArrayLike | None = None,
    *,
    solid: bool = False,
    threads: int | None = None,
) -> _Bools:
    """`intersects` for many poses: one pose for all, or arrays of n. Returns (n,) bool."""

def distance_batch(
    a: Shape,
    b: Shape,
    poses_a: npt.ArrayLike | None = None,
    poses_b: npt.ArrayLike | None = None,
    *,
    threads: int | None = None,
) -> PairBatch:
    """`distance` for many poses: one pose for all, or arrays of n."""

def contact_batch(
    a: Shape,
    b: Shape,
    poses_a: npt.ArrayLike | None = None,
    poses_b: npt.ArrayLike | None = None,
    *,
    prediction: float = 0.0,
    threads: int | None = None,
) -> PairBatch:
    """`contact` for many poses: one pose for all, or arrays of n."""

@final
class Overlap:
    """Bounds of the depth of two closed meshes as solids, in the world frame."""

    @property
    def at_least(self) -> float:
        """Every separating translation is at least this long."""
    @property
    def at_most(self) -> float:
        """The length of `separation`, rounded up."""
    @property
    def is_exact(self) -> bool:
        """Whether both meshes are convex, so that both bounds are one."""
    @property
    def separation(self) -> _Floats:
        """A translation of B after which the solids do not overlap, (3,)."""
    @property
    def point(self) -> _Floats:
        """A point inside both, (3,); on both surfaces if the overlap is too thin."""

def relation(
    a: Shape, b: Shape, pose_a: npt.ArrayLike | None = None, pose_b: npt.ArrayLike | None = None
) -> str | None:
    """The relation of two meshes as solids: "clear", "touching" or "overlapping". `None` if a mesh
    does not define an inside.
    """

def overlap(
    a: Shape, b: Shape, pose_a: npt.ArrayLike | None = None, pose_b: npt.ArrayLike | None = None
) -> Overlap | None:
    """Bounds of the depth of two meshes as solids. `None` if they do not overlap, or if a mesh does
    not define an inside.
    """

def triangle_pairs(
    a: Shape, b: Shape, pose_a: npt.ArrayLike | None = None, pose_b: npt.ArrayLike | None = None
) -> _Ints:
    """Every pair of triangles of two meshes that share a point, exactly: an array of the shape (k,
    2), sorted.
    """

@final
class RayHits:
    """The first hits of n rays, one row for each. World frame."""

    @property
    def hit(self) -> _Bools:
        """(n,) whether the ray hits."""
    @property
    def t(self) -> _Floats:
        """(n,) parameters in lengths of the direction; infinite if there is no hit."""
    @property
    def point(self) -> _Floats:
        """(n, 3) points; NaN if there is no hit."""
    @property
    def normal(self) -> _Floats:
        """(n, 3) outward unit normals; zero if there is no hit."""
    @property
    def part(self) -> _Ints:
        """(n,) triangles of a mesh or parts of a compound, 0 for a single convex shape; -1 if there
        is no hit.
        """
    @property
    def is_back_face(self) -> _Bools:
        """(n,) whether the surface is met from its back."""

@final
class AllRayHits:
    """All hits of n rays, k in all, sorted by ray, then by t. World frame."""

    @property
    def ray(self) -> _Ints:
        """(k,) the number of the ray."""
    @property
    def t(self) -> _Floats:
        """(k,) parameters in lengths of the direction."""
    @property
    def point(self) -> _Floats:
        """(k, 3) points."""
    @property
    def normal(self) -> _Floats:
        """(k, 3) outward unit normals."""
    @property
    def part(self) -> _Ints:
        """(k,) triangles of a mesh or parts of a compound; 0 for a single convex shape."""
    @property
    def is_back_face(self) -> _Bools:
        """(k,) whether the surface is met from its back."""

def cast_ray(
    shape: Shape,
    origins: npt.ArrayLike,
    directions: npt.ArrayLike,
    pose: npt.ArrayLike | None = None,
    *,
    min_t: float = 0.0,
    max_t: float = ...,
    threads: int | None = None,
) -> RayHits:
    """The first hit of each ray: origins and directions of the shape (n, 3), any length but 0.

    Hits have `min_t <= t <= max_t`, in lengths of the direction.
    """

def cast_ray_all(
    shape: Shape,
    origins: npt.ArrayLike,
    directions: npt.ArrayLike,
    pose: npt.ArrayLike | None = None,
    *,
    min_t: float = 0.0,
    max_t: float = ...,
    crossings: bool = False,
    threads: int | None = None,
) -> AllRayHits:
    """All hits of each ray. A ray through an edge of a mesh hits all triangles of the edge.

    With `crossings`, for meshes alone: each crossing of the surface once. A line through a
    closed mesh goes in as often as out, and rays that only graze an edge may have no crossing.
    """

@final
class NearestPoints:
    """The nearest points of a surface to n points, one row for each. World frame."""

    @property
    def signed_distance(self) -> _Floats:
        """(n,) lengths: negative inside, positive outside and where no inside is known."""
    @property
    def point(self) -> _Floats:
        """(n, 3) points of the surface."""
    @property
    def part(self) -> _Ints:
        """(n,) triangles of a mesh or parts of a compound; 0 for a single convex shape."""
    @property
    def is_inside(self) -> _Bools:
        """(n,) whether the point is known to lie inside, surface included."""

def nearest_points(
    shape: Shape,
    points: npt.ArrayLike,
    pose: npt.ArrayLike | None = None,
    *,
    threads: int | None = None,
) -> NearestPoints:
    """The nearest point of the surface to each of n points, (n, 3)."""

def contains(
    shape: Shape,
    points: npt.ArrayLike,
    pose: npt.ArrayLike | None = None,
    *,
    threads: int | None = None,
) -> _Bools:
    """Whether each of n points, (n, 3), lies in the shape, surface included. Exact for meshes.

    Raises ShapeError for a mesh without an inside; `winding_number` takes any mesh.
    """

def winding_number(
    shape: Shape,
    points: npt.ArrayLike,
    pose: npt.ArrayLike | None = None,
    *,
    tolerance: float = 0.001,
    threads: int | None = None,
) -> _Floats:
    """The winding number of a mesh around each of n points, (n, 3): an integer for a closed mesh.
    The error is at most `tolerance`.
    """

@final
class Cast:
    """The first contact of two moving shapes, or the proof that there is none. World frame."""

    @property
    def status(self) -> str:
        """ "hit", "clear" or "undecided"."""
    @property
    def hit(self) -> bool:
        """Whether they surely touch. False for "undecided", too: ask `status` whether they stay
        apart.
        """
    @property
    def safe_until(self) -> float:
        """The time before which nothing touches: of a hit the start of its bracket, and the end of
        the search if they stay apart.
        """
    @property
    def touching_at(self) -> float | None:
        """The time by which they surely touch; `None` if there is no hit."""
    @property
    def clearance(self) -> float | None:
        """A proved lower bound of the distance during a motion without a contact; `None`
        otherwise.
        """
    @property
    def point_a(self) -> _Floats | None:
        """The point on A at the contact, (3,); `None` if there is no hit."""
    @property
    def point_b(self) -> _Floats | None:
        """The point on B at the contact, (3,); `None` if there is no hit."""
    @property
    def normal(self) -> _Floats | None:
        """Unit vector from A to B at the contact, (3,); `None` if there is no hit."""
    @property
    def parts(self) -> tuple[int, int] | None:
        """The triangles or parts that touch; `None` if there is no hit."""

def cast(
    a: Shape,
    b: Shape,
    pose_a: npt.ArrayLike | None = None,
    pose_b: npt.ArrayLike | None = None,
    *,
    linear_a: npt.ArrayLike | None = None,
    angular_a: npt.ArrayLike | None = None,
    center_a: npt.ArrayLike | None = None,
    linear_b: npt.ArrayLike | None = None,
    angular_b: npt.ArrayLike | None = None,
    center_b: npt.ArrayLike | None = None,
    max_time: float = 1.0,
    target_distance: float = 0.0,
) -> Cast:
    """When do two moving shapes come within `target_distance` of each other?

    Each starts at its pose and moves with a linear velocity (length per unit of time) and an
    angular one (an axis times radians per unit of time). It turns about `center`, a point in its
    own frame. The search goes from time 0 to `max_time`.
    """

def cast_along(
    a: Shape,
    b: Shape,
    path_a: npt.ArrayLike | None = None,
    path_b: npt.ArrayLike | None = None,
    times: Any = None,
    *,
    target_distance: float = 0.0,
) -> Cast:
    """When do two shapes that follow paths come within `target_distance` of each other?

    A path is an array of poses, at the given times; one pose stands still. Between two poses the
    origin of the shape moves in a straight line, and the shape turns the short way at a constant
    rate. Times increase; without them the poses are at 0, 1, 2 and so on.
    """

@final
class PartDistance:
    """The least distance of two parts."""

    @property
    def a(self) -> int:
        """The number of the first part."""
    @property
    def b(self) -> int:
        """The number of the second part."""
    @property
    def distance(self) -> float:
        """The distance, a length; 0 if the parts touch."""
    @property
    def nearest(self) -> Distance:
        """The distance, and the nearest points."""

@final
class Assembly:
    """A set of parts that is kept between queries: add, move and remove parts, and find all clashes
    and the least distances. Queries after a few moves test the moved parts alone.

    A part has the number that `add` returns. Numbers of removed parts are not used again.
    """

    def __new__(cls) -> Assembly: ...
    def __len__(self) -> int: ...
    def add(self, shape: Shape, pose: npt.ArrayLike | None = None) -> int:
        """Adds a part and returns its number."""
    def add_all(self, shapes: list[Shape], poses: npt.ArrayLike) -> _Ints:
        """Adds a part for each shape and returns their numbers, (n,). `poses` is an array of n
        poses.
        """
    def move(self, part: int, pose: npt.ArrayLike) -> None:
        """Puts a part at another pose."""
    def move_all(self, parts: Any, poses: npt.ArrayLike) -> None:
        """Puts many parts at other poses: numbers (n,) and an array of n poses."""
    def remove(self, part: int) -> None:
        """Removes a part."""
    def ignore(self, a: int, b: int) -> None:
        """Leaves a pair of parts out of all answers about this assembly alone."""
    def parts(self) -> _Ints:
        """The numbers of the parts, ascending, (n,)."""
    def pose(self, part: int) -> _Floats:
        """The pose of a part as seven numbers: x, y, z, qx, qy, qz, qw."""
    def shape(self, part: int) -> Shape:
        """The shape of a part."""
    def candidates(self, margin: float = 0.0) -> _Ints:
        """The pairs whose boxes come within `margin`: an array of the shape (k, 2), sorted."""
    def candidates_with(self, other: Assembly, margin: float = 0.0) -> _Ints:
        """The pairs of a part of this assembly and a part of another one whose boxes come within
        `margin`: an array of the shape (k, 2), sorted.
        """
    def candidates_near(
        self, shape: Shape, pose: npt.ArrayLike | None = None, margin: float = 0.0
    ) -> _Ints:
        """The parts whose boxes come within `margin` of the box of a shape: numbers, ascending,
        (k,).
        """
    def clashes(
        self,
        *,
        clearance: float = 0.0,
        solid: bool = True,
        of: int | None = None,
        threads: int | None = None,
    ) -> _Ints:
        """The pairs of parts that touch, or are nearer than `clearance`: an array of the shape (k,
        2), sorted. With `of` only the pairs of this part.

        With `solid` a closed mesh is a solid, so that a part inside it clashes. Otherwise a mesh
        is a surface. The pairs of `undecided` are left out.
        """
    def undecided(
        self, *, clearance: float = 0.0, of: int | None = None, threads: int | None = None
    ) -> _Ints:
        """The pairs of parts that are not known to clash or to be clear, as solids: their surfaces
        are apart, and one lies where a mesh does not tell inside from outside. An array of the
        shape (k, 2), sorted. With `of` only the pairs of this part.
        """
    def clashes_with(
        self,
        other: Assembly,
        *,
        clearance: float = 0.0,
        solid: bool = True,
        threads: int | None = None,
    ) -> _Ints:
        """The pairs of a part of this assembly and a part of another one that touch, or are nearer
        than `clearance`: an array of the shape (k, 2), sorted. The pairs of `undecided_with` are
        left out.
        """
    def undecided_with(
        self, other: Assembly, *, clearance: float = 0.0, threads: int | None = None
    ) -> _Ints:
        """The pairs of a part of this assembly and a part of another one that are not known to
        clash or to be clear, as solids: see `undecided`. An array of the shape (k, 2), sorted.
        """
    def touching(
        self,
        shape: Shape,
        pose: npt.ArrayLike | None = None,
        *,
        clearance: float = 0.0,
        solid: bool = True,
        threads: int | None = None,
    ) -> _Ints:
        """The parts that touch a shape, or are nearer to it than `clearance`: ascending numbers,
        (k,). The parts of `undecided_near` are left out.
        """
    def undecided_near(
        self,
        shape: Shape,
        pose: npt.ArrayLike | None = None,
        *,
        clearance: float = 0.0,
        threads: int | None = None,
    ) -> _Ints:
        """The parts that are not known to clash with a shape or to be clear of it, as solids: see
        `undecided`. Ascending numbers, (k,).
        """
    def min_distance(
        self, *, of: int | None = None, threads: int | None = None
    ) -> PartDistance | None:
        """The two parts that are nearest to each other, surface to surface; `None` for less than
        two parts. With `of` this part and the one nearest to it.
        """
    def min_distance_to(
        self, other: Assembly, *, threads: int | None = None
    ) -> PartDistance | None:
        """The nearest pair of a part of this assembly and one of another; `None` if one is
        empty.
        """
    def nearest_to(
        self, shape: Shape, pose: npt.ArrayLike | None = None, *, threads: int | None = None
    ) -> PartDistance | None:
        """The part that is nearest to a shape, as A; the shape is B, with the number 0. `None` for
        an empty assembly.
        """

@final
class BodyHits:
    """The first hits of n rays on bodies, one row for each."""

    @property
    def body(self) -> _Ints:
        """(n,) numbers of bodies; -1 if there is no hit."""
    @property
    def collider(self) -> _Ints:
        """(n,) numbers of colliders; -1 if there is no hit."""
    @property
    def t(self) -> _Floats:
        """(n,) parameters in lengths of the direction; infinite if there is no hit."""
    @property
    def point(self) -> _Floats:
        """(n, 3) points; NaN if there is no hit."""
    @property
    def normal(self) -> _Floats:
        """(n, 3) outward unit normals; zero if there is no hit."""

@final
class BodyContacts:
    """The contacts of a world, k in all, sorted by the bodies."""

    @property
    def bodies(self) -> _Ints:
        """(k, 2) numbers of bodies."""
    @property
    def colliders(self) -> _Ints:
        """(k, 2) numbers of colliders."""
    @property
    def point(self) -> _Floats:
        """(k, 3) points, half way between the surfaces."""
    @property
    def normal(self) -> _Floats:
        """(k, 3) unit vectors from the first body to the second."""
    @property
    def distance(self) -> _Floats:
        """(k,) lengths, negative for an overlap."""
    @property
    def impulse(self) -> _Floats:
        """(k,) normal impulses of the last step, in mass times speed; 0 before the first step, and
        while both bodies sleep.
        """

@final
class Material:
    """The surface of a collider. It does not change."""

    def __new__(
        cls,
        friction: float = 0.5,
        restitution: float = 0.0,
        *,
        rolling_friction: float = 0.0,
        spinning_friction: float = 0.0,
        friction_rule: str = "geometric_mean",
        restitution_rule: str = "max",
        surface_velocity: npt.ArrayLike | None = None,
        surface_spin: npt.ArrayLike | None = None,
    ) -> Material: ...
    @property
    def friction(self) -> float:
        """Coulomb's coefficient."""
    @property
    def restitution(self) -> float:
        """0 does not bounce, 1 keeps the speed."""
    @property
    def rolling_friction(self) -> float:
        """How far the support lies ahead of the point of contact of a body that rolls, a length."""
    @property
    def spinning_friction(self) -> float:
        """The largest torque about the normal against a spin divided by the normal force, a length."""
    @property
    def friction_rule(self) -> str:
        """How two frictions become one: "average", "min", "multiply", "geometric_mean" or "max". Of
        two rules the later in this list counts.
        """
    @property
    def restitution_rule(self) -> str:
        """How two restitutions become one."""
    @property
    def surface_velocity(self) -> _Floats:
        """The velocity of the surface against its body, as of a belt, in the collider's frame,
        (3,): length per time.
        """
    @property
    def surface_spin(self) -> _Floats:
        """The angular velocity of the surface against its body, as of a turntable, in the
        collider's frame, (3,): radians per time.
        """

@final
class Filter:
    """What a collider meets. It does not change.

    Two colliders meet if each is in a group of the other's mask, and their families differ or are
    0.
    """

    def __new__(cls, groups: int = 1, mask: int = ..., family: int = 0) -> Filter: ...
    @property
    def groups(self) -> int:
        """The groups that it is in, 32 bits."""
    @property
    def mask(self) -> int:
        """The groups that it meets, 32 bits."""
    @property
    def family(self) -> int:
        """Colliders of one family do not meet, such as the limbs of one figure. 0 is no family."""

@final
class Motor:
    """A motor along or about an axis of a joint. It does not change."""

    @staticmethod
    def velocity(speed: float, *, max_force: float | None = None) -> Motor:
        """Holds a speed of B against A: length per time along an axis, radians per time about one.
        `max_force` is a force along an axis, a torque about one; without it there is no bound.
        """
    @staticmethod
    def position(
        target: float,
        frequency: float,
        damping_ratio: float = 1.0,
        *,
        max_force: float | None = None,
    ) -> Motor:
        """Pulls to a place along the axis, or to an angle in radians, as a damped spring does:
        oscillations per time, and the damping in parts of the critical one.
        """

@final
class ContactEvents:
    """Pairs of colliders that began or ended to touch, k in all."""

    @property
    def bodies(self) -> _Ints:
        """(k, 2) numbers of bodies, also of removed ones."""
    @property
    def colliders(self) -> _Ints:
        """(k, 2) numbers of colliders, also of removed ones."""
    @property
    def began(self) -> _Bools:
        """(k,) true if they began to touch, false if they ended."""
    @property
    def sensor(self) -> _Bools:
        """(k,) whether one of them is a sensor."""

@final
class SoftEvents:
    """Pairs of a soft thing and a body that began or ended to touch in the last step, k in all."""

    @property
    def things(self) -> _Ints:
        """(k,) numbers of soft things, also of removed ones."""
    @property
    def bodies(self) -> _Ints:
        """(k,) numbers of bodies, also of removed ones."""
    @property
    def began(self) -> _Bools:
        """(k,) true if they began to touch, false if they ended."""

@final
class ImpulseEvents:
    """Pairs of colliders that pushed each other by more than their threshold, k in all."""

    @property
    def bodies(self) -> _Ints:
        """(k, 2) numbers of bodies."""
    @property
    def colliders(self) -> _Ints:
        """(k, 2) numbers of colliders."""
    @property
    def total(self) -> _Floats:
        """(k,) sums of the normal impulses in the step, in mass times speed."""
    @property
    def largest(self) -> _Floats:
        """(k,) the largest normal impulse of one contact."""
    @property
    def point(self) -> _Floats:
        """(k, 3) the place of that contact."""
    @property
    def normal(self) -> _Floats:
        """(k, 3) the unit normal there, from the first body to the second."""
    @property
    def approach_speed(self) -> _Floats:
        """(k,) the largest speed at which they came together before the step; 0 if they did not."""

@final
class JointState:
    """The state of a joint."""

    @property
    def kind(self) -> str:
        """One of the kinds of `World.add_joint`; "six_dof" for all of several axes."""
    @property
    def bodies(self) -> tuple[int, int]:
        """The numbers of the two bodies."""
    @property
    def angle(self) -> float | None:
        """The angle of a revolute joint or a screw, in radians; `None` for other kinds."""
    @property
    def translation(self) -> float | None:
        """The place of a prismatic joint or a screw along its axis, a length; `None` for other
        kinds.
        """
    @property
    def speed(self) -> float | None:
        """The speed of a revolute joint or a screw (radians per time) or of a prismatic joint
        (length per time); `None` for other kinds.
        """
    @property
    def force(self) -> _Floats:
        """(3,) the force on the second body in the last step, in the world."""
    @property
    def torque(self) -> _Floats:
        """(3,) the torque on the second body about its joint point, in the world."""
    @property
    def error(self) -> float:
        """How far the joint points are from where the joint holds them, a length."""

@final
class BrokenJoint:
    """A joint that broke in the last step."""

    @property
    def joint(self) -> int:
        """The number that it had."""
    @property
    def bodies(self) -> tuple[int, int]:
        """The numbers of the two bodies."""
    @property
    def force(self) -> float:
        """The force at which it broke, the mean over the step."""
    @property
    def torque(self) -> float:
        """The torque at which it broke, the mean over the step."""

@final
class World:
    """A world of rigid and soft bodies, in single precision. Gravity is along -z by default.

    The unit of length is a metre: `length_unit` is its length in the unit of the caller. A body
    has the number that `add` returns; colliders, joints and soft things have numbers of their own.
    Numbers of removed ones are not used again. The same calls give the same bits on any number of
    threads.
    """

    def __new__(
        cls,
        gravity: tuple[float, float, float] = ...,
        *,
        length_unit: float = 1.0,
        substeps: int = 4,
    ) -> World: ...
    def __len__(self) -> int: ...
    def add(
        self,
        shape: Shape,
        pose: npt.ArrayLike | None = None,
        *,
        mobility: str = "dynamic",
        density: float = 1000.0,
        mass: float | None = None,
        material: Material | None = None,
        friction: float | None = None,
        restitution: float | None = None,
        filter: Filter | None = None,
        linear_velocity: npt.ArrayLike | None = None,
        angular_velocity: npt.ArrayLike | None = None,
        gravity_scale: float = 1.0,
        linear_damping: float = 0.0,
        angular_damping: float = 0.0,
        locked_axes: list[str] | None = None,
        ccd: bool = False,
        sensor: bool = False,
        impulse_threshold: float | None = None,
        can_sleep: bool = True,
    ) -> int:
        """Adds a body with one collider and returns its number. `mobility` is "dynamic",
        "kinematic" or "fixed". With `ccd` it is swept in each step, so that it passes through
        nothing.

        Without `mass` the density makes it: 1000, that of water in kg/m3, unless another is given.
        `friction` (0.5) and `restitution` (0) are short for a material. Dampings are rates per
        time. `locked_axes` are of "x", "y", "z", "ang_x", "ang_y", "ang_z", of the world. A contact
        with a normal impulse above `impulse_threshold` in a step, in mass times speed, is in
        `impulse_events`.
        """
    def remove(self, body: int) -> None:
        """Removes a body, its colliders and its joints."""
    def step(self, dt: float, count: int = 1, *, threads: int | None = None) -> None:
        """Does `count` steps of `dt` each."""
    def detect(self) -> None:
        """Finds the contacts at the present poses, and moves nothing."""
    def bodies(self) -> _Ints:
        """The numbers of the bodies, ascending, (n,)."""
    def poses(self) -> _Floats:
        """The poses of all bodies, (n, 7): x, y, z, qx, qy, qz, qw, in the order of their
        numbers.
        """
    def velocities(self) -> _Floats:
        """The velocities of all bodies, (n, 6): linear of the centre of mass, then angular."""
    def masses(self) -> _Floats:
        """The masses of all bodies, (n,); 0 for those that are fixed or kinematic."""
    def sleeping(self) -> _Bools:
        """Whether each body sleeps, (n,)."""
    def set_pose(self, body: int, pose: npt.ArrayLike) -> None:
        """Puts a body at a pose, and wakes what it touched."""
    def move_to(self, body: int, pose: npt.ArrayLike) -> None:
        """Moves a kinematic body so that it is at a pose after the next step. It pushes what is in
        its way.
        """
    def set_velocity(
        self, body: int, linear: npt.ArrayLike | None = None, angular: npt.ArrayLike | None = None
    ) -> None:
        """Sets the velocities of a body: linear (length per time) and angular (radians per
        time).
        """
    def set_mobility(self, body: int, mobility: str) -> None:
        """Sets the mobility of a body: "dynamic", "kinematic" or "fixed"."""
    def apply_impulse(
        self, body: int, impulse: npt.ArrayLike, point: npt.ArrayLike | None = None
    ) -> None:
        """Changes the velocity of a dynamic body by an impulse (mass times length per time) at its
        centre of mass, or at a point of the world.
        """
    def apply_force(
        self, body: int, force: npt.ArrayLike, point: npt.ArrayLike | None = None
    ) -> None:
        """Pushes a dynamic body by a force (mass times length per time squared) in the next step,
        at its centre of mass or at a point of the world.
        """
    def add_collider(
        self,
        body: int,
        shape: Shape,
        pose: npt.ArrayLike | None = None,
        *,
        density: float = 1000.0,
        material: Material | None = None,
        filter: Filter | None = None,
        sensor: bool = False,
        impulse_threshold: float | None = None,
    ) -> int:
        """Puts one more collider on a body, at a pose in the frame of the body, and returns its
        number. The mass follows, if it was not given.
        """
    def remove_collider(self, collider: int) -> None:
        """Takes a collider off its body. The mass follows, if it was not given."""
    def colliders(self, body: int) -> _Ints:
        """The numbers of the colliders of a body, in the order of their insertion, (k,)."""
    def set_material(self, collider: int, material: Material) -> None:
        """Sets the material of a collider."""
    def set_filter(self, collider: int, filter: Filter) -> None:
        """Sets the filter of a collider."""
    def set_sensor(self, collider: int, sensor: bool) -> None:
        """Makes a collider a sensor, which reports what it overlaps and pushes nothing, or not."""
    def set_impulse_threshold(self, collider: int, threshold: float | None) -> None:
        """Sets the normal impulse in a step above which a contact of a collider is reported by
        `impulse_events`; `None` reports none.
        """
    def add_joint(
        self,
        kind: str,
        a: int,
        b: int,
        *,
        anchor: npt.ArrayLike | None = None,
        anchors: tuple[npt.ArrayLike, npt.ArrayLike] | None = None,
        axis: npt.ArrayLike | None = None,
        frames: tuple[npt.ArrayLike, npt.ArrayLike] | None = None,
        limits: tuple[float, float] | None = None,
        motor: Motor | None = None,
        cone: float | None = None,
        twist: tuple[float, float] | None = None,
        axis_limits: Mapping[str, str | tuple[float, float]] | None = None,
        axis_motors: Mapping[str, Motor] | None = None,
        length: float | None = None,
        min_length: float | None = None,
        supports: tuple[npt.ArrayLike, npt.ArrayLike] | None = None,
        ratio: float | None = None,
        lead: float | None = None,
        spring: tuple[float, float] | None = None,
        break_force: float | None = None,
        break_torque: float | None = None,
        contacts: bool = False,
    ) -> int:
        """Joins two bodies, and returns the number of the joint. They do not collide, unless
        `contacts` says so.

        Kinds, with what they leave free: "weld" nothing; "revolute" the rotation about the axis;
        "prismatic" the translation along it; "cylindrical" both; "screw" the rotation, which moves
        the second body by `lead` in each turn; "universal" two rotations;
        "spherical" all rotations; "six_dof" all but what `axis_limits` names; "distance" all, with
        the distance of two points from `min_length` to `length`; "rope" all, with a distance of at
        most `length`; "pulley" a rope over two `supports`; "gear" and "rack_and_pinion" couple two
        joints, whose numbers are `a` and `b`.

        `anchor`, `anchors` (on A and on B) and `axis` (y if not given) are in the world, `frames`
        are poses in the frames of A and B. `limits` are radians or lengths, of a screw radians. `cone` and `twist` are
        angles of "spherical". `axis_limits` and `axis_motors` are for "cylindrical", "universal"
        and "six_dof", by "x", "y", "z", "ang_x", "ang_y", "ang_z"; a limit is "free", "locked" or
        two numbers. `spring` is a frequency and a damping ratio. `ratio` is that of the forces or
        angles, of a rack a length per radian.
        """
    def remove_joint(self, joint: int) -> None:
        """Removes a joint."""
    def joints(self) -> _Ints:
        """The numbers of the joints, ascending, (n,). Those that broke, and those of removed
        bodies, are gone.
        """
    def joint(self, joint: int) -> JointState:
        """The state of a joint."""
    def set_motor(self, joint: int, motor: Motor | None, axis: str | None = None) -> None:
        """Sets the motor of the one axis of a revolute or prismatic joint or a screw, or of an axis
        of another kind: "x", "y", "z", "ang_x", "ang_y" or "ang_z". `None` has no motor.
        """
    def set_limits(self, joint: int, limits: tuple[float, float] | None) -> None:
        """Sets the limits of the one axis of a revolute joint or a screw (radians) or of a prismatic
        joint; `None` has none.
        """
    def set_axis_limit(self, joint: int, axis: str, limit: str | tuple[float, float]) -> None:
        """Sets the limit of an axis of a joint of several: "free", "locked", or the least and the
        largest place or angle.
        """
    def set_length(self, joint: int, length: float, min_length: float | None = None) -> None:
        """Sets the length of a rope or pulley; of the kind "distance" also the least one, which is
        otherwise the same.
        """
    def broken_joints(self) -> list[BrokenJoint]:
        """The joints that broke in the last step."""
    def contacts(self) -> BodyContacts:
        """The contacts of pairs that touched at the last detection or at the start of the last
        step, with their impulses.
        """
    def events(self) -> tuple[_Ints, _Ints]:
        """The pairs of bodies that began or ended to touch at the last detection or in the last
        step: two arrays of the shape (k, 2).
        """
    def contact_events(self) -> ContactEvents:
        """The pairs of colliders that began or ended to touch at the last detection or in the last
        step, in the order of their bodies.
        """
    def impulse_events(self) -> ImpulseEvents:
        """The pairs of colliders that pushed each other in the last step by more than the lower one
        of their thresholds.
        """
    def cast_ray(
        self,
        origins: npt.ArrayLike,
        directions: npt.ArrayLike,
        *,
        max_t: float = ...,
        filter: Filter | None = None,
        threads: int | None = None,
    ) -> BodyHits:
        """The first hit of each ray on a body: origins and directions of the shape (n, 3). With a
        filter, on what a collider with that filter meets. Sensors are not hit.
        """
    def touching(
        self,
        shape: Shape,
        pose: npt.ArrayLike | None = None,
        *,
        filter: Filter | None = None,
    ) -> _Ints:
        """The bodies that touch a shape: numbers, (k,). With a filter, those that a collider with
        that filter meets. Sensors are left out.
        """
    def snapshot(self) -> bytes:
        """The state of the world as bytes: bodies, shapes, joints, contacts, and all numbers. Steps
        after `restore` have the same bits. Raises WorldError for a body whose shape is a field.
        """
    def restore(self, snapshot: bytes) -> None:
        """Puts the world into the state of a snapshot: same numbers, same bits from there on.
        Raises WorldError for bytes that are no state of a world, and then changes nothing.
        """
    @staticmethod
    def from_snapshot(snapshot: bytes) -> World:
        """A new world in the state of a snapshot."""
    def __reduce__(self) -> tuple[Any, tuple[bytes]]: ...
    def add_cloth(
        self,
        vertices: npt.ArrayLike,
        faces: npt.ArrayLike,
        *,
        density: float | None = None,
        thickness: float | None = None,
        material: Material | None = None,
        filter: Filter | None = None,
        pinned: list[int] | None = None,
        velocity: npt.ArrayLike | None = None,
        stretch_stiffness: float = ...,
        bend_stiffness: float = 0.0,
    ) -> int:
        """Adds a cloth and returns its number among the soft things: vertices of the shape (n, 3),
        and three vertex indices for each of m faces.

        `density` is a mass per area, 0.2 if not given. `thickness` is the diameter of the ball
        around each vertex, three quarters of the mean edge if not given. Vertices in `pinned`
        stay. `stretch_stiffness` is a force over a length, `bend_stiffness` a force times a
        length. `material` gives the friction, the restitution and both rules; its other members
        do not count. `filter` selects the bodies that it meets, as that of a collider does.
        """
    def add_rope(
        self,
        points: npt.ArrayLike,
        *,
        density: float | None = None,
        thickness: float | None = None,
        material: Material | None = None,
        filter: Filter | None = None,
        pinned: list[int] | None = None,
        velocity: npt.ArrayLike | None = None,
        stretch_stiffness: float = ...,
        bend_stiffness: float = 0.0,
    ) -> int:
        """Adds a rope through points, (n, 3), and returns its number among the soft things.
        `density` is a mass per length, 0.1 if not given. The others are those of `add_cloth`.
        """
    def add_soft_body(
        self,
        vertices: npt.ArrayLike,
        tetrahedra: npt.ArrayLike,
        *,
        density: float | None = None,
        thickness: float | None = None,
        material: Material | None = None,
        filter: Filter | None = None,
        pinned: list[int] | None = None,
        velocity: npt.ArrayLike | None = None,
        youngs_modulus: float | None = None,
        poisson_ratio: float | None = None,
    ) -> int:
        """Adds a soft body and returns its number among the soft things: vertices of the shape
        (n, 3), and four vertex indices for each of m tetrahedra. `density` is a mass per volume,
        1000 if not given; `youngs_modulus` is a pressure. The others are those of `add_cloth`.
        """
    def add_particles(
        self,
        positions: npt.ArrayLike,
        radius: float,
        *,
        kind: str = "grains",
        density: float | None = None,
        lift: float | None = None,
        drag: float | None = None,
        material: Material | None = None,
        filter: Filter | None = None,
        velocity: npt.ArrayLike | None = None,
    ) -> int:
        """Adds particles at positions, (n, 3), and returns their number among the soft things.
        `kind` is "grains", "liquid" or "gas". All liquids and gases of a world have one radius.

        `density` is a mass per volume. A gas rises with `lift` times gravity, 0.5 if not given,
        and loses the part `drag` of its speed per second, 0.5 if not given. `material` gives both
        rules, grains and liquids their friction, and grains their restitution. `filter` selects
        the bodies that they meet.
        """
    def set_soft_settings(
        self,
        *,
        substeps: int | None = None,
        iterations: int | None = None,
        rest_speed: float | None = None,
    ) -> None:
        """Sets the settings of the steps of all soft things; those that are not given stay.

        `substeps` are those of a step of 1/60 s, and `iterations` those in a substep, both from 1
        to 256. A grain or a vertex slower than `rest_speed`, in lengths per second, stays where it
        is; 0 for none.
        """
    def pin_soft(
        self, number: int, vertices: list[int], positions: npt.ArrayLike | None = None
    ) -> None:
        """Pins vertices of a cloth, a rope or a soft body, (k,). They move to `positions`, (k, 3),
        in the next step, and stay there; without positions they stay where they are.
        """
    def attach_soft(self, number: int, vertices: list[int], body: int) -> None:
        """Attaches vertices of a cloth, a rope or a soft body, (k,), to a body, where they are in
        its frame. The body pulls them, and they pull the body.
        """
    def release_soft(self, number: int, vertices: list[int]) -> None:
        """Releases vertices, (k,), that were pinned or attached."""
    def soft_events(self) -> SoftEvents:
        """The pairs of a soft thing and a body that began or ended to touch in the last step,
        sorted.
        """
    def set_soft_filter(self, number: int, filter: Filter) -> None:
        """Sets the filter of a soft thing: which bodies it meets."""
    def remove_soft(self, number: int) -> None:
        """Removes a cloth, a rope, a soft body, or particles."""
    def soft_positions(self, number: int) -> _Floats:
        """The positions of the vertices of a soft thing, or of its particles, (n, 3)."""
    def soft_velocities(self, number: int) -> _Floats:
        """The velocities of the vertices of a soft thing, or of its particles, (n, 3)."""
    def state_hash(self) -> int:
        """A hash of all poses, velocities and sleep flags: equal bits give equal hashes."""

@final
class Sdf:
    """A signed distance field on a grid of cubic cells: negative inside. Distances between the
    nodes are interpolated. It is in single precision.
    """

    @staticmethod
    def from_mesh(
        shape: Shape,
        *,
        resolution: int = 64,
        cell: float | None = None,
        padding: int = 2,
        band: float = ...,
        threads: int | None = None,
    ) -> Sdf:
        """The field of a mesh: `resolution` cells along its longest side, or cells of the size
        `cell`. `padding` is the number of cells around it. With a `band`, values farther from
        the surface than this many cells are the band.
        """
    @property
    def cell(self) -> float:
        """The size of a cell, a length."""
    @property
    def origin(self) -> _Floats:
        """The position of the first node, (3,)."""
    @property
    def values(self) -> npt.NDArray[np.float32]:
        """The values of all nodes, a new array of the shape (n_x, n_y, n_z)."""
    @property
    def error_bound(self) -> float:
        """The largest error of a sample in the grid, a length: half the diagonal of a cell."""
    @property
    def is_certain(self) -> bool:
        """Whether the sign is certain at each node off the surface: the mesh is closed."""
    def sample(
        self, points: npt.ArrayLike, *, threads: int | None = None
    ) -> tuple[_Floats, _Floats]:
        """The distance and its gradient at each of n points, (n, 3): arrays of the shapes (n,) and
        (n, 3).
        """
    def bounds(self, points: npt.ArrayLike) -> _Floats:
        """Certain bounds of the distance at each of n points, (n, 3): an array of the shape (n,
        2).
        """
    def shape(self) -> Shape:
        """The field as a shape for queries. The field is copied."""

@final
class Simplified:
    """A coarser mesh, with bounds of its error."""

    @property
    def shape(self) -> Shape:
        """The coarser mesh."""
    @property
    def new_to_old(self) -> float:
        """No point of the new surface is farther than this from the old one, a length."""
    @property
    def old_to_new(self) -> float:
        """No point of the old surface is farther than this from the new one, a length."""
    @property
    def error(self) -> float:
        """The larger of both bounds: the Hausdorff distance is at most this."""

@final
class Decomposition:
    """Convex hulls that cover a mesh."""

    @property
    def hulls(self) -> list[Shape]:
        """The hulls, at least one."""
    @property
    def concavities(self) -> _Floats:
        """(n,) for each hull: no point of its surface is farther than this from the mesh, or from
        its inside.
        """
    @property
    def stop(self) -> str:
        """Why there are no more hulls: "concavity", "max_hulls" or "resolution"."""
    @property
    def is_solid(self) -> bool:
        """Whether the mesh is closed, so that its inside is covered too."""

def simplify(
    shape: Shape,
    *,
    max_faces: int = 0,
    max_error: float = ...,
    side: str = "either",
    progress: Callable[[str, int], object] | None = None,
) -> Simplified:
    """A coarser mesh: at most `max_faces` triangles, or within `max_error` of the old surface, a
    length. With the side "outside" the new solid contains the old one, with "inside" the
    reverse.

    It works in single precision, and the bounds are of the rounded mesh. `progress(stage, count)`
    is called from time to time: "collapsing" with the number of triangles left, then "measuring".
    An exception that it raises, or Ctrl-C, ends the work.
    """

def decompose(
    shape: Shape,
    *,
    max_hulls: int = 32,
    concavity: float = 0.01,
    max_vertices: int = 64,
    progress: Callable[[str, int], object] | None = None,
) -> Decomposition:
    """Convex hulls that cover a mesh: at most `max_hulls` of at most `max_vertices` each. It stops
    once every hull is within `concavity` of the mesh, a fraction of the diagonal of its box.

    `progress(stage, count)` is called from time to time: "cutting" with the number of parts so
    far, "merging" with the number left, then "measuring". An exception that it raises, or Ctrl-C,
    ends the work.
    """

@final
class Part:
    """A named object of a file, in world coordinates."""

    @property
    def name(self) -> str:
        """Unique within the file."""
    @property
    def vertices(self) -> _Floats:
        """The vertices, a new array of the shape (n, 3)."""
    @property
    def faces(self) -> _Ints:
        """The triangles, a new array of the shape (m, 3)."""
    def shape(self, keep_orientation: bool = False) -> Shape:
        """The part as a mesh, built by each call."""

@final
class Model:
    """The content of a file."""

    @property
    def parts(self) -> list[Part]:
        """The parts, in the order of the file."""
    @property
    def notes(self) -> list[str]:
        """Notes on the reading, such as polygons that are not flat."""
    @property
    def unread(self) -> list[str]:
        """What may have a surface and was not read. If there is any, a check is incomplete."""
    @property
    def unit(self) -> str | None:
        """The unit of length that the format defines; `None` if the author chose it."""
    @property
    def up(self) -> str | None:
        """The axis that points up in the format; `None` if the author chose it."""

def read(
    path: _Path,
    *,
    keep_going: bool = False,
    split_objects: bool = False,
    allow_outside: bool = False,
    time: float | None = None,
    max_faces: int | None = None,
) -> Model:
    """Reads OBJ, STL, PLY, glTF, URDF or a scene in JSON, and all files that it refers to.

    With `keep_going` what cannot be read is listed in `unread` instead of an error. With
    `split_objects` each object and group of an OBJ file is a part. `time` is that of animations,
    in seconds. Files outside of the folder of the document are read only with `allow_outside`.
    """

@final
class MeshReport:
    """The counts of a mesh. Corners with equal coordinates are one vertex."""

    @property
    def n_faces(self) -> int:
        """Number of triangles."""
    @property
    def n_vertices(self) -> int:
        """Number of vertices that triangles use."""
    @property
    def n_components(self) -> int:
        """Parts that share no vertex."""
    @property
    def n_zero_area(self) -> int:
        """Triangles without area, exactly."""
    @property
    def n_duplicates(self) -> int:
        """Triangles on the vertices of an earlier one."""
    @property
    def n_boundary_edges(self) -> int:
        """Edges of one triangle."""
    @property
    def n_non_manifold_edges(self) -> int:
        """Edges of more than two triangles."""
    @property
    def n_flipped_edges(self) -> int:
        """Edges whose two triangles have opposite orientations."""
    @property
    def zero_area(self) -> _Ints:
        """The first triangles without area, (k,); at most 16."""
    @property
    def open_or_flipped(self) -> _Ints:
        """The first triangles at open or flipped edges, (k,); at most 16."""
    @property
    def inwards(self) -> _Ints | None:
        """The triangles to turn over so that all face outwards, (k,); `None` if inside and outside
        cannot be told apart.
        """
    @property
    def is_watertight(self) -> bool:
        """Whether every edge has two triangles, and every triangle has area."""
    @property
    def is_solid(self) -> bool:
        """Whether each edge is used equally often in both directions, so that there is an
        inside.
        """
    @property
    def signed_volume(self) -> float:
        """The enclosed volume: negative if the triangles face inwards."""
    @property
    def bounds(self) -> _Floats:
        """Least and greatest coordinates, (2, 3)."""
    @property
    def center(self) -> _Floats:
        """The middle of the bounds, (3,)."""

def mesh_report(shape: Shape) -> MeshReport:
    """Counts what is wrong with a mesh: holes, flipped and degenerate triangles, and more."""

@final
class RobotJoint:
    """A joint of a robot."""

    @property
    def name(self) -> str:
        """Its name."""
    @property
    def kind(self) -> str:
        """One of "fixed", "revolute" (radians), "prismatic" (a length), and "other", which stays at
        its origin.
        """
    @property
    def parent(self) -> str:
        """The link above it."""
    @property
    def child(self) -> str:
        """The link below it."""
    @property
    def axis(self) -> tuple[float, float, float]:
        """The unit axis in the frame of the joint, three numbers."""
    @property
    def limits(self) -> tuple[float, float] | None:
        """The least and the largest value; `None` without limits."""
    @property
    def mimic(self) -> tuple[str, float, float] | None:
        """The joint that it follows, the factor and the offset: `factor * value + offset`. `None`
        if it has a value of its own.
        """

@final
class RobotDistances:
    """The nearest pair of parts for each row of `q`. Frame of the root."""

    @property
    def distance(self) -> _Floats:
        """(n,) lengths; 0 if the parts collide or may collide, infinite without a pair."""
    @property
    def is_decided(self) -> npt.NDArray[np.bool_]:
        """(n,) whether it is known that the parts collide, or that they do not. If it is not, one
        of them may lie in a mesh that is not closed, and no pair is known to collide.
        """
    @property
    def parts(self) -> _Ints:
        """(n, 2) indices of `Robot.parts`; -1 without a pair."""
    @property
    def points(self) -> _Floats:
        """(n, 2, 3) the nearest points of the surfaces; NaN without a pair."""

@final
class JointContact:
    """The first contact of two parts along a trajectory."""

    @property
    def a(self) -> str:
        """The first link or obstacle."""
    @property
    def b(self) -> str:
        """The second link or obstacle."""
    @property
    def time(self) -> float:
        """The time, in seconds. Before it the parts are apart, or from `undecided_from` on not
        known to be apart.
        """
    @property
    def row(self) -> int:
        """The index of the last row that is not later."""
    @property
    def distance(self) -> float | None:
        """The distance at that time, a length. `None` if it is not known whether the parts meet
        then: the search gave up there, or a part may lie in an open mesh.
        """
    @property
    def undecided_from(self) -> float | None:
        """The time from which it is not known whether the parts met before `time`, in seconds;
        `None` if they are apart until then.
        """

@final
class Robot:
    """A robot of a URDF file: links, joints, self-collision, allowed pairs, obstacles.

    `q` is an array of values of joints, (k,) or (n, k), in the order of `free_joints`: radians, or
    lengths for joints that slide. Without it the values of `set_joints` count, zero at first.
    Closed meshes are solids. A pair of which one part may lie in another mesh counts as colliding.
    Raises ReadError for a file that is no robot.
    """

    def __new__(
        cls, path: _Path, *, keep_going: bool = False, allow_outside: bool = False
    ) -> Robot: ...
    @property
    def name(self) -> str:
        """The name of the robot; empty if the file gives none."""
    @property
    def links(self) -> list[str]:
        """The names of all links, in the order of the file."""
    @property
    def parts(self) -> list[str]:
        """The names of the links with geometry, in the order of the file, then those of the
        obstacles.
        """
    @property
    def joints(self) -> list[RobotJoint]:
        """The joints, in the order of the file."""
    @property
    def free_joints(self) -> list[str]:
        """The names of the joints with a value of their own: the columns of `q`."""
    @property
    def limits(self) -> _Floats:
        """The least and largest values of the free joints, (k, 2); infinite without limits."""
    @property
    def notes(self) -> list[str]:
        """Notes on the reading, such as round shapes that are read as meshes."""
    @property
    def unread(self) -> list[str]:
        """What may have a surface and was not read. If there is any, a check is incomplete."""
    def shape(self, name: str) -> Shape:
        """The mesh of a link with geometry, in the frame of the link, or the shape of an
        obstacle.
        """
    def add_obstacle(
        self,
        name: str,
        shape: Shape,
        pose: npt.ArrayLike | None = None,
        *,
        link: str | None = None,
    ) -> None:
        """Adds a shape of the surroundings: any kind, with a name that no link and no other
        obstacle has. It stands still at a pose in the frame of the root. With `link` it hangs on
        that link, at a pose in the frame of the link, and may touch the link.

        A half-space cannot hang on a link.
        """
    def remove_obstacle(self, name: str) -> None:
        """Removes an obstacle, and the allowed pairs with it."""
    @property
    def obstacles(self) -> list[str]:
        """The names of the obstacles, in their order."""
    def set_joints(self, values: dict[str, float]) -> None:
        """Sets the values of joints by their names, radians or lengths; others stay. Raises
        ValueError for the first name or value that the robot refuses, and then changes nothing.
        """
    @property
    def joint_values(self) -> dict[str, float]:
        """The values of all joints by their names, those that mimic and fixed ones, too."""
    def link_poses(self, q: npt.ArrayLike | None = None, *, threads: int | None = None) -> _Floats:
        """The pose of each link in the frame of the root as seven numbers, x, y, z, qx, qy, qz, qw:
        an array of the shape (links, 7), or (n, links, 7) for many rows of `q`.
        """
    def link_matrices(
        self, q: npt.ArrayLike | None = None, *, threads: int | None = None
    ) -> _Floats:
        """The pose of each link in the frame of the root as a matrix: an array of the shape (links,
        4, 4), or (n, links, 4, 4) for many rows of `q`.
        """
    def allow(self, pairs: Iterable[tuple[str, ...]]) -> None:
        """Leaves pairs of links or obstacles out of all checks: (name, name) or (name, name,
        reason) each.
        """
    @property
    def allowed(self) -> list[tuple[str, str, str]]:
        """The pairs that are left out: (name, name, reason), sorted by the order of the parts."""
    def clear_allowed(self) -> None:
        """Checks all pairs again, also those of an obstacle and the link that it hangs on."""
    def adjacent(self) -> list[tuple[str, str, str]]:
        """The pairs of links with geometry that hang on one joint: (link, link, "Adjacent")."""
    def compute_allowed(
        self,
        samples: int = 10_000,
        *,
        seed: int = 1,
        always_share: float = 0.95,
        threads: int | None = None,
    ) -> list[tuple[str, str, str]]:
        """The pairs of links that need no check, (link, link, reason), from random poses.

        Reasons: "Adjacent" on one joint, "Default" touching in the default pose, "Always" and
        "Never" in nearly all or none of the samples. In the default pose each joint is at zero, or
        in the middle of its limits if they exclude zero. Never is no proof. The same seed gives
        the same pairs. `allow` takes them.
        """
    def write_srdf(self, path: _Path, pairs: list[tuple[str, str, str]] | None = None) -> None:
        """Writes pairs of links, or the allowed ones without obstacles, as an SRDF file."""
    def collides(
        self, q: npt.ArrayLike | None = None, *, threads: int | None = None
    ) -> bool | _Bools:
        """Whether any two links, or a link and an obstacle, collide, without the allowed pairs:
        (n,), or a bool for one row.
        """
    def collisions(self, q: npt.ArrayLike | None = None, *, threads: int | None = None) -> _Ints:
        """The pairs of links and obstacles that collide, without the allowed ones: an array of the
        shape (m, 3) with the row of `q` and two indices of `parts`, sorted.
        """
    def distances(
        self,
        q: npt.ArrayLike | None = None,
        *,
        links: bool = False,
        threads: int | None = None,
    ) -> RobotDistances:
        """The nearest pair of a link and an obstacle for each row of `q`, without the allowed
        pairs. With `links` the pairs of two links count, too.
        """
    def first_contacts(
        self,
        q: npt.ArrayLike,
        times: list[float] | npt.ArrayLike | None = None,
        *,
        clearance: float = 0.0,
        threads: int | None = None,
    ) -> list[JointContact]:
        """When each pair of links, or of a link and an obstacle, first collides along a trajectory,
        between its rows too: sorted by time, without the allowed pairs.

        `q` has the shape (n, k); joints move at constant rates between its rows. `times` increase,
        in seconds; without them the rows are at 0, 1, 2 and so on. With `clearance`, a length,
        pairs that come within it count.
        """

def read_srdf(path: _Path) -> list[tuple[str, str, str]]:
    """The pairs of links whose collisions do not count in an SRDF file: (link, link, reason), in
    its order. `Robot.allow` takes them.
    """
