"""Clash detection on a Dask cluster: the list of one machine, also if a worker dies."""

from __future__ import annotations

import os
import signal
from typing import Any

import numpy as np
import pytest
from test_pairs import cube

import carom
from carom import Assembly, Shape

distributed = pytest.importorskip("distributed", reason="dask and distributed are not installed")

import carom.dask

Parts = list[tuple[Shape, Any]]


def assembly_of(n: int, seed: int) -> Parts:
    """Boxes, balls, rods, hulls and meshes, closed and open, in a long hall; some are far larger."""
    rng = np.random.default_rng(seed)
    shapes = [
        Shape.box([0.4, 0.3, 0.2]),
        Shape.sphere(0.2),
        Shape.cylinder(0.1, 1.5),
        Shape.hull(rng.normal(0, 0.2, (12, 3))),
        Shape.mesh(*cube(0.4)),
    ]
    side = np.array([4.0, 2.0, 1.0]) * (n / 20) ** (1 / 3)
    places = rng.uniform(-side, side, (n, 3))
    turns = rng.normal(size=(n, 4))
    turns /= np.linalg.norm(turns, axis=1)[:, None]
    parts: Parts = [
        (shapes[i % len(shapes)], np.concatenate([places[i], turns[i]])) for i in range(n)
    ]
    i = np.arange(600)
    z, phi = 1 - (2 * i + 1) / 600, i * np.pi * (3 - np.sqrt(5))
    points = np.stack([np.sqrt(1 - z * z) * np.cos(phi), np.sqrt(1 - z * z) * np.sin(phi), z], 1)
    hull = Shape.hull(points)
    ball = Shape.mesh(hull.vertices * 1.5, hull.faces)
    open_ball = Shape.mesh(hull.vertices * 1.5, hull.faces[2:])
    parts += [
        ((ball, open_ball)[i % 2], place)
        for i, place in enumerate(rng.uniform(-side, side, (20, 3)))
    ]
    return parts


def on_one_machine(parts: Parts, clearance: float = 0.0) -> carom.dask.Clashes:
    assembly = Assembly()
    for shape, pose in parts:
        assembly.add(shape, pose)
    pairs = assembly.clashes(clearance=clearance)
    return carom.dask.Clashes(pairs, assembly.undecided(clearance=clearance))


class Alone:
    """A client without a cluster: it does each task at once."""

    def submit(self, function: Any, *args: Any, pure: bool) -> Any:
        if function is carom.dask._same:
            return args[0]
        done = distributed.Future.__new__(distributed.Future)
        done.answer = function(*args)
        return done

    def cancel(self, futures: Any) -> None:
        pass


@pytest.mark.parametrize("clearance", [0.0, 0.05])
@pytest.mark.parametrize("max_parts", [2, 7, 60, 5000])
def test_each_pair_belongs_to_one_cell(
    monkeypatch: pytest.MonkeyPatch, clearance: float, max_parts: int
) -> None:
    parts = assembly_of(600, 1)
    answers = lambda futures, with_results: [(f, f.answer) for f in futures]
    monkeypatch.setattr(distributed, "as_completed", answers)
    monkeypatch.setattr(distributed.Future, "__del__", lambda self: None, raising=False)
    found = carom.dask.clash(parts, Alone(), clearance=clearance, max_parts=max_parts)
    wanted = on_one_machine(parts, clearance)
    assert len(wanted.pairs) > 50 and len(wanted.undecided) > 5
    np.testing.assert_array_equal(found.pairs, wanted.pairs)
    np.testing.assert_array_equal(found.undecided, wanted.undecided)
    surfaces = carom.dask.clash(parts, Alone(), solid=False, max_parts=max_parts)
    assert len(surfaces.undecided) == 0 and len(surfaces.pairs) < len(wanted.pairs)


def test_cells_have_few_parts_and_end() -> None:
    rng = np.random.default_rng(2)
    low = rng.uniform(0, 100, (5000, 3))
    cells = carom.dask._cells(low, low + 0.5, 100)
    sizes = [len(members) for members, _ in cells]
    assert max(sizes) <= 100 and sum(sizes) < 2.5 * 5000
    # All in one place: nothing can be cut.
    assert len(carom.dask._cells(np.zeros((300, 3)), np.ones((300, 3)), 100)) == 1


def test_a_worker_dies_in_the_middle() -> None:
    parts = assembly_of(20_000, 3)
    wanted = on_one_machine(parts)
    assert len(parts) == 20_020 and len(wanted.pairs) > 2_000
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, processes=True
    )
    with cluster, distributed.Client(cluster) as client:
        pids = client.run(os.getpid)
        assert len(set(pids.values())) == 2
        killed: list[int] = []

        def kill(done: int, total: int) -> None:
            if not killed and 3 <= done:
                assert done < total / 2
                killed.append(next(iter(pids.values())))
                os.kill(killed[0], signal.SIGKILL)

        found = carom.dask.clash(parts, client, max_parts=200, progress=kill)
        np.testing.assert_array_equal(found.pairs, wanted.pairs)
        np.testing.assert_array_equal(found.undecided, wanted.undecided)
        assert killed and killed[0] not in client.run(os.getpid).values()


def test_errors_name_the_part() -> None:
    ball = Shape.sphere(1.0)
    with pytest.raises(ValueError, match=r"parts\[1\]: .*pose"):
        carom.dask.clash([(ball, None), (ball, [1, 2])], None)
    with pytest.raises(ValueError, match="clearance"):
        carom.dask.clash([(ball, None)], None, clearance=-1.0)
    with pytest.raises(ValueError, match="max_parts"):
        carom.dask.clash([(ball, None)], None, max_parts=1)
    alone = carom.dask.clash([(ball, None)], None)
    assert alone.pairs.shape == alone.undecided.shape == (0, 2)
