"""Memory, threads, signals and forks."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import resource
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import carom
from carom import Shape

CALLS = 10_000


def resident() -> int:
    """Returns the resident memory in bytes."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="no /proc")
def test_memory_of_many_calls_is_flat() -> None:
    points = np.random.default_rng(1).normal(size=(30, 3))
    hull = Shape.hull(points)
    mesh = Shape.mesh(hull.vertices, hull.faces)
    rays = np.ones((8, 3))
    assembly = carom.Assembly()
    first, second = assembly.add(mesh), assembly.add(hull, [1, 0, 0])

    def work() -> None:
        carom.distance(mesh, hull, None, [3, 0, 0])
        carom.contact(mesh, hull, None, [0.5, 0, 0])
        carom.contacts(hull, hull, None, [0.5, 0, 0])
        carom.cast_ray(mesh, rays, rays)
        carom.nearest_points(mesh, rays)
        carom.distance_batch(hull, hull, None, rays)
        carom.cast(hull, hull, None, [9, 0, 0], linear_b=[-9, 0, 0])
        Shape.hull(points)
        assembly.move(second, [1, 0.1, 0])
        assembly.clashes(threads=1)
        with pytest.raises(ValueError):
            carom.distance(mesh, hull, [1, 2])
        assert first == 0

    for _ in range(300):
        work()
    before = resident()
    for _ in range(CALLS // 10):
        work()
    # Ten calls and more each round: a leak of 1 kB in one of them would be 1 MB.
    assert resident() - before < 1_000_000


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="no /proc")
def test_memory_of_ten_thousand_batches_is_flat() -> None:
    ball, rays = Shape.sphere(1.0), np.ones((64, 3))
    for _ in range(1000):
        carom.cast_ray(ball, rays, rays)
    before = resident()
    for _ in range(CALLS):
        carom.cast_ray(ball, rays, rays)
    # The columns of one batch are 6 kB.
    assert resident() - before < 1_000_000


def large_mesh(n: int = 200) -> Shape:
    x, y = np.meshgrid(np.linspace(-1, 1, n), np.linspace(-1, 1, n), indexing="ij")
    points = np.stack([x, y, 0.2 * np.sin(9 * x) * np.cos(7 * y)], -1).reshape(-1, 3)
    i = (np.arange(n - 1)[:, None] * n + np.arange(n - 1)).reshape(-1)
    faces = np.concatenate([np.stack([i, i + n, i + 1], 1), np.stack([i + n, i + n + 1, i + 1], 1)])
    return Shape.mesh(points, faces)


def test_the_interpreter_is_free_during_a_batch() -> None:
    mesh = large_mesh()
    points = np.random.default_rng(2).uniform(-9, 9, (200_000, 3))
    n_ticks = 0
    is_done = False

    def tick() -> None:
        nonlocal n_ticks
        while not is_done:
            n_ticks += 1
            time.sleep(0.001)

    ticking = threading.Thread(target=tick)
    ticking.start()
    start = time.monotonic()
    carom.nearest_points(mesh, points, threads=1)
    passed = time.monotonic() - start
    is_done = True
    ticking.join()
    # Without the lock released not one tick would pass.
    assert 0.02 * passed / 0.001 < n_ticks


def test_two_threads_get_the_same_answers() -> None:
    mesh = large_mesh(50)
    points = np.random.default_rng(3).uniform(-2, 2, (5000, 3))
    expected = carom.nearest_points(mesh, points).signed_distance
    results: list[np.ndarray] = []
    threads = [
        threading.Thread(
            target=lambda: results.append(carom.nearest_points(mesh, points).signed_distance)
        )
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 4
    for result in results:
        np.testing.assert_array_equal(result, expected)


def check_ctrl_c(program: str, wait: float = 0.0) -> None:
    """Runs a program until it is ready, and interrupts it some seconds later. It stops soon."""
    child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"
    time.sleep(wait)
    start = time.monotonic()
    child.send_signal(signal.SIGINT)
    try:
        out, _ = child.communicate(timeout=60)
    finally:
        child.kill()
    assert out == "stopped\n" and child.returncode == 0
    assert time.monotonic() - start < 10


@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_stops_a_batch(threads: int) -> None:
    program = textwrap.dedent(
        f"""
        import numpy as np, signal, sys
        # A parent in the background may have it ignored.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        sys.path.insert(0, {str(Path(__file__).parent)!r})
        import carom
        from test_running import large_mesh
        mesh = large_mesh()
        # Far from the surface, so that each point takes long: minutes in all.
        points = np.random.default_rng(1).uniform(-1, 1, (20_000_000, 3)) * [0.01, 0.01, 50]
        print("ready", flush=True)
        try:
            carom.nearest_points(mesh, points, threads={threads})
        except KeyboardInterrupt:
            print("stopped", flush=True)
        """
    )
    check_ctrl_c(program, wait=0.5)


def forked(queue: multiprocessing.Queue) -> None:  # type: ignore[type-arg]
    hits = carom.cast_ray(Shape.sphere(1.0), np.ones((5000, 3)), -np.ones((5000, 3)), threads=2)
    queue.put(int(hits.hit.sum()))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_child_has_threads_of_its_own() -> None:
    # The parent has a pool before the fork.
    carom.cast_ray(Shape.sphere(1.0), np.ones((5000, 3)), -np.ones((5000, 3)), threads=2)
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=forked, args=(queue,))
    child.start()
    assert queue.get(timeout=60) == 5000
    child.join(60)
    assert child.exitcode == 0


def test_shapes_as_pickles() -> None:
    points = np.random.default_rng(5).normal(size=(20, 3))
    hull = Shape.hull(points)
    shapes = [
        Shape.sphere(0.7),
        Shape.box([1, 2, 3]),
        Shape.capsule(0.3, 2.0, "x"),
        Shape.tapered_capsule(0.4, 0.2, 2.0, "y"),
        Shape.cylinder(0.5, 1.5),
        Shape.cone(0.5, 1.5, "x"),
        Shape.ellipsoid([1, 0.5, 0.25]),
        Shape.torus(1.0, 0.25),
        Shape.half_space([1, 2, 3], -0.5),
        hull,
        Shape.mesh(hull.vertices, hull.faces),
        Shape.height_field(np.random.default_rng(6).normal(size=(4, 5)), (0.5, 0.75)),
        Shape.point_cloud(hull.vertices, 0.05),
        Shape.voxels(np.eye(3)[None] > 0, (0.1, 0.2, 0.3), (1, 2, 3)),
        Shape.rounded(Shape.cylinder(0.5, 1.0, "x"), 0.25),
        Shape.compound([(Shape.cone(0.5, 1.0), [1, 0, 0]), (hull, None)]),
    ]
    probe = Shape.box([0.1, 0.2, 0.3])
    for shape in shapes:
        again = pickle.loads(pickle.dumps(shape))
        assert again.kind == shape.kind
        for place in ([3, 1, 2], [-1, 4, -2], [0.5, 0.25, 5.0]):
            gaps = [float(carom.distance(s, probe, None, place)) for s in (shape, again)]
            assert gaps[0] == pytest.approx(gaps[1], abs=1e-12)
    turned = Shape.mesh(hull.vertices, hull.faces[:, ::-1], keep_orientation=True)
    again = pickle.loads(pickle.dumps(turned))
    assert not carom.contains(again, np.zeros((1, 3)))[0]
    within = Shape.compound([(turned, [0, 0, 0])])
    again = pickle.loads(pickle.dumps(within))
    for shape in (within, again):
        assert not carom.contains(shape, np.zeros((1, 3)))[0]
    field = carom.Sdf.from_mesh(shapes[10], resolution=8).shape()
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(field)


@pytest.mark.parametrize(
    "call", ["simplify(mesh, max_faces=4)", "decompose(mesh, max_hulls=4000, concavity=0)"]
)
def test_ctrl_c_stops_simplify_and_decompose(call: str) -> None:
    program = textwrap.dedent(
        f"""
        import signal, sys
        signal.signal(signal.SIGINT, signal.default_int_handler)
        sys.path.insert(0, {str(Path(__file__).parent)!r})
        import carom
        from test_running import large_mesh
        mesh = large_mesh()
        def started(stage, count):
            if not seen:
                print("ready", flush=True)
            seen.append(stage)
        seen = []
        try:
            carom.{call[:-1]}, progress=started)
        except KeyboardInterrupt:
            print("stopped", flush=True)
        """
    )
    check_ctrl_c(program)
