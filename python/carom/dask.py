"""Clash detection of many parts on the workers of a Dask cluster.

Space is cut into cells. A cell is cut across its widest side, where the sorted boxes have their
median, until it has few parts. A pair belongs to the cell with the lower corner of what both boxes
have in common, so that each pair is tested once. Cells are the tasks: a worker that dies loses
nothing, since Dask gives its cells to another one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ._carom import Assembly, Shape

_Floats = npt.NDArray[np.float64]
_Ints = npt.NDArray[np.int64]

__all__ = ["Clashes", "clash"]

_NONE: _Ints = np.empty((0, 2), dtype=np.int64)

#: Triangles from which on a shape is sent to a worker once, and not with each cell.
_LARGE = 256


@dataclass(frozen=True)
class Clashes:
    """The result of `clash`. Both arrays have the shape (k, 2), with indices of parts, sorted."""

    #: The pairs that touch, or are nearer than the clearance.
    pairs: _Ints
    #: The pairs that are not known to clash or to be clear: one part may lie in a mesh that is not
    #: closed. Without solids there are none.
    undecided: _Ints


def clash(
    parts: Sequence[tuple[Shape, npt.ArrayLike | None]],
    client: Any,
    *,
    clearance: float = 0.0,
    solid: bool = True,
    max_parts: int = 500,
    progress: Callable[[int, int], None] | None = None,
) -> Clashes:
    """Finds all pairs of parts that touch, or are nearer than `clearance`, a length.

    `parts` are pairs (shape, pose), and `client` is one of `distributed`. With `solid` a closed
    mesh is a solid. The result is that of `Assembly.clashes` and `Assembly.undecided` on one
    machine. `max_parts` is the number of parts of a cell, unless more of them lie in one place.
    `progress` is called with the number of cells done, and of all.
    """
    from distributed import as_completed

    if not 0 <= clearance < np.inf:
        raise ValueError(f"clearance: must be finite and not negative, not {clearance}")
    if max_parts < 2:
        raise ValueError(f"max_parts: must be at least 2, not {max_parts}")
    if len(parts) < 2:
        return Clashes(_NONE, _NONE)
    boxes = np.stack([_bounds(i, shape, pose) for i, (shape, pose) in enumerate(parts)])
    low, high = boxes[:, 0] - clearance, boxes[:, 1] + clearance
    sent: dict[int, Any] = {}
    futures = []
    try:
        for members, cell in _cells(low, high, max_parts):
            shapes: list[Any] = []
            places: list[tuple[int, npt.ArrayLike | None]] = []
            known: dict[int, int] = {}
            for i in members.tolist():
                shape = parts[i][0]
                if id(shape) not in known:
                    known[id(shape)] = len(shapes)
                    if _LARGE <= shape.n_faces and id(shape) not in sent:
                        sent[id(shape)] = client.submit(_same, shape, pure=False)
                    shapes.append(sent.get(id(shape), shape))
                places.append((known[id(shape)], parts[i][1]))
            task = (shapes, places, members, low[members], cell, clearance, solid)
            futures.append(client.submit(_clashes_of_cell, *task, pure=False))
        found = [Clashes(_NONE, _NONE)]
        for done, (_, of_cell) in enumerate(as_completed(futures, with_results=True), 1):
            found.append(of_cell)
            if progress is not None:
                progress(done, len(futures))
    finally:
        client.cancel([*futures, *sent.values()])
    return Clashes(
        _sorted([of_cell.pairs for of_cell in found]),
        _sorted([of_cell.undecided for of_cell in found]),
    )


def _sorted(lists: list[_Ints]) -> _Ints:
    pairs = np.concatenate(lists)
    return np.asarray(pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))])


def _bounds(i: int, shape: Shape, pose: npt.ArrayLike | None) -> _Floats:
    try:
        return shape.bounds(pose)
    except ValueError as error:
        raise type(error)(f"parts[{i}]: {error}") from None


def _same(shape: Shape) -> Shape:
    return shape


def _cells(low: _Floats, high: _Floats, max_parts: int) -> list[tuple[_Ints, _Floats]]:
    """Cuts space into cells: the parts whose boxes reach into each, and its two corners."""
    everywhere = np.array([[-np.inf] * 3, [np.inf] * 3])
    open_cells = [(np.arange(len(low)), everywhere)]
    found = []
    while open_cells:
        members, cell = open_cells.pop()
        halves = _cut(members, cell, low, high) if max_parts < len(members) else None
        if halves is None:
            if 1 < len(members):
                found.append((members, cell))
        else:
            open_cells += halves
    return found


def _cut(
    members: _Ints, cell: _Floats, low: _Floats, high: _Floats
) -> list[tuple[_Ints, _Floats]] | None:
    """Cuts a cell in two where it helps. None if each cut leaves most parts on both sides."""
    spread = np.ptp(low[members], axis=0)
    for axis in np.argsort(-spread):
        at = float(np.median(low[members, axis]))
        is_left, is_right = low[members, axis] < at, at <= high[members, axis]
        if max(is_left.sum(), is_right.sum()) <= 0.8 * len(members):
            left, right = cell.copy(), cell.copy()
            left[1, axis] = right[0, axis] = at
            return [(members[is_left], left), (members[is_right], right)]
    return None


def _clashes_of_cell(
    shapes: list[Shape],
    places: list[tuple[int, npt.ArrayLike | None]],
    members: _Ints,
    low: _Floats,
    cell: _Floats,
    clearance: float,
    solid: bool,
) -> Clashes:
    """The pairs that belong to a cell."""
    assembly = Assembly()
    for which, pose in places:
        assembly.add(shapes[which], pose)

    def own(pairs: _Ints) -> _Ints:
        corner = np.maximum(low[pairs[:, 0]], low[pairs[:, 1]])
        is_own = np.all((cell[0] <= corner) & (corner < cell[1]), axis=1)
        return np.asarray(members[pairs[is_own]])

    pairs = own(assembly.clashes(clearance=clearance, solid=solid, threads=1))
    undecided = own(assembly.undecided(clearance=clearance, threads=1)) if solid else _NONE
    return Clashes(pairs, undecided)
