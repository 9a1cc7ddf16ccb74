"""Which parts collide, how deep, and which are closer than a clearance."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from os import PathLike

import numpy as np
import numpy.typing as npt

from . import _carom
from ._carom import Assembly, Shape

_Point = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Clash:
    """A pair of parts that collide, or are closer than the clearance."""

    a: str
    b: str
    #: "overlapping", "touching" or "close".
    relation: str
    #: The distance of the surfaces, a length; 0 if the parts collide.
    distance: float
    #: Bounds of the depth; None if it is not known.
    depth: tuple[float, float] | None
    #: A common point, or the point of `a` nearest to `b`: (3,).
    point: _Point


@dataclass(frozen=True)
class Check:
    """The clashes of parts, sorted by their names in the order given."""

    clashes: list[Clash]
    notes: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    #: Pairs of names of which one part may lie in the other, which has no inside.
    undecided: list[tuple[str, str]] = field(default_factory=list)

    @property
    def clear(self) -> bool | None:
        """Whether nothing clashes; None if it is not known: a part was not read, or a pair is
        undecided."""
        if self.clashes:
            return False
        return None if self.unread or self.undecided else True


def check(
    parts: str | PathLike[str] | Iterable[tuple[str, Shape]],
    *,
    clearance: float = 0.0,
    ignore: Collection[tuple[str, str]] = (),
    threads: int | None = None,
) -> Check:
    """Finds all pairs of parts that collide, or are closer than `clearance`, a length.

    `parts` is a file, or pairs of names and shapes in world coordinates. Closed meshes are solids.
    Other meshes have no inside: a pair is undecided if one part may lie in such a mesh. `ignore`
    has pairs of names to leave out. Raises WorldError for a name that two parts have, or that no
    part has. If something is unread, a name of no part is a note instead.
    """
    notes: list[str] = []
    unread: list[str] = []
    if isinstance(parts, str | PathLike):
        model = _carom.read(parts, keep_going=True)
        notes, unread, parts = model.notes, model.unread, []
        for part in model.parts:
            try:
                parts.append((part.name, part.shape()))
            except _carom.ShapeError as error:
                unread.append(f"{part.name}: {error}")
    assembly, numbers, names, shapes = Assembly(), {}, [], []
    for name, shape in parts:
        if name in numbers:
            raise _carom.WorldError(f"two parts have the name {name!r}")
        numbers[name] = assembly.add(shape)
        names.append(name)
        shapes.append(shape)
    for a, b in ignore:
        missing = [name for name in (a, b) if name not in numbers]
        if not missing:
            assembly.ignore(numbers[a], numbers[b])
            continue
        why = f"ignore: no part has the name {missing[0]!r}"
        if not unread:
            raise _carom.WorldError(why)
        notes.append(why)
    clashes = [
        _clash(names[a], names[b], shapes[a], shapes[b])
        for a, b in assembly.clashes(clearance=clearance, threads=threads).tolist()
    ]
    undecided = [
        (names[a], names[b])
        for a, b in assembly.undecided(clearance=clearance, threads=threads).tolist()
    ]
    return Check(clashes, notes, unread, undecided)


def _clash(name_a: str, name_b: str, a: Shape, b: Shape) -> Clash:
    """Describes a pair that is known to clash."""
    if a.kind == "mesh" and b.kind == "mesh":
        overlap = _carom.overlap(a, b)
        if overlap is not None:
            bounds = (overlap.at_least, overlap.at_most)
            return Clash(name_a, name_b, "overlapping", 0.0, bounds, overlap.point)
    nearest = _carom.distance(a, b)
    if not _carom.intersects(a, b, solid=True):
        return Clash(name_a, name_b, "close", nearest.distance, None, nearest.point_a)
    is_touching = _carom.relation(a, b) == "touching" if a.kind == b.kind == "mesh" else False
    if is_touching:
        return Clash(name_a, name_b, "touching", 0.0, (0.0, 0.0), nearest.point_a)
    deepest = _carom.contact(a, b)
    if deepest is None or deepest.is_local:
        return Clash(name_a, name_b, "overlapping", 0.0, None, nearest.point_a)
    # The depth of convex shapes is exact, up to rounding.
    relation = "overlapping" if 0 < deepest.depth else "touching"
    middle = 0.5 * (deepest.point_a + deepest.point_b)
    return Clash(name_a, name_b, relation, 0.0, (deepest.depth, deepest.depth), middle)
