"""Quaternions w, x, y, z and matrices of rotations."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

_Floats = npt.NDArray[np.float64]


def to_matrix(quaternion: npt.ArrayLike) -> _Floats:
    """Returns the rotation of a quaternion of any length but 0 as a matrix, (3, 3)."""
    q = np.asarray(quaternion, dtype=np.float64)
    w, x, y, z = q / np.linalg.norm(q)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def from_matrix(r: _Floats) -> _Floats:
    """Returns the unit quaternion of a rotation, its w not negative.

    Shepperd's method: from the largest of the trace and the diagonal.
    """
    trace = np.trace(r)
    i = int(np.argmax([trace, *np.diag(r)]))
    if i == 0:
        parts = [1 + trace, r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]]
    else:
        a, b, c = i - 1, i % 3, (i + 1) % 3
        parts = [r[c, b] - r[b, c], 0.0, 0.0, 0.0]
        parts[1 + a] = 1 + 2 * r[a, a] - trace
        parts[1 + b] = r[a, b] + r[b, a]
        parts[1 + c] = r[a, c] + r[c, a]
    q = np.array(parts) / np.linalg.norm(parts)
    return np.asarray(q if 0 <= q[0] else -q)
