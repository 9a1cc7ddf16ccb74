"""Casts, against closed forms and sampled motions."""

from __future__ import annotations

import math

import numpy as np
import pytest

import carom
from carom import Shape


def test_straight() -> None:
    wall, ball = Shape.box([0.2, 4, 4]), Shape.sphere(0.5)
    hit = carom.cast(wall, ball, None, [-5, 0, 0], linear_b=[10, 0, 0])
    assert hit.hit and hit.status == "hit"
    assert hit.safe_until <= 0.44 + 1e-12 and hit.touching_at == pytest.approx(0.44, abs=1e-3)
    assert hit.touching_at is not None and hit.safe_until <= hit.touching_at
    assert hit.normal is not None and hit.point_b is not None
    np.testing.assert_allclose(hit.normal, [-1, 0, 0], atol=1e-3)
    np.testing.assert_allclose(hit.point_b, [-0.1, 0, 0], atol=1e-2)
    short = carom.cast(wall, ball, None, [-5, 0, 0], linear_b=[10, 0, 0], max_time=0.4)
    assert short.status == "clear" and short.safe_until == 0.4 and short.touching_at is None
    assert short.clearance is not None and 0 < short.clearance <= 0.4 + 1e-9


def test_turning() -> None:
    # A clock hand sweeps a quarter turn a second and meets a ball at 45 degrees.
    hand, ball = Shape.box([4, 0.2, 0.2]), Shape.sphere(0.1)
    at = np.array([1, 1, 0]) / math.sqrt(2) * 1.5
    hit = carom.cast(hand, ball, None, at, angular_a=[0, 0, math.pi / 2])
    angle = math.pi / 4 - math.asin(0.2 / 1.5)
    assert hit.hit and hit.safe_until == pytest.approx(angle / (math.pi / 2), abs=1e-3)
    about_its_end = carom.cast(
        hand, ball, None, [0, 3, 0], angular_a=[0, 0, 1.0], center_a=[-2, 0, 0], max_time=1.5
    )
    # The end goes round (-2, 0) at radius 4; the ball is at distance sqrt(13) from it.
    assert about_its_end.hit
    angle = math.atan2(3, 2) - math.asin(0.2 / math.sqrt(13))
    assert about_its_end.safe_until == pytest.approx(angle, abs=1e-3)


def test_shapes_with_axes_turn_in_their_own_frame() -> None:
    rod, ball = Shape.capsule(0.1, 4.0), Shape.sphere(0.1)
    hit = carom.cast(rod, ball, None, [0, -1.5, 0], angular_a=[math.pi / 2, 0, 0])
    # It turns from z towards -y.
    angle = math.pi / 2 - math.asin(0.2 / 1.5)
    assert hit.hit and hit.safe_until == pytest.approx(angle / (math.pi / 2), abs=1e-3)


def test_a_path() -> None:
    door, ball = Shape.box([2, 0.1, 2]), Shape.sphere(0.2)
    path = np.array([[-5, 0, 0], [-3, 4, 0], [0, 4, 0], [0, -4, 0.0]])
    hit = carom.cast_along(door, ball, None, path, [0, 1, 3, 7])
    # From the third pose on it falls at 2 per second from a height of 4.
    assert hit.hit and hit.safe_until == pytest.approx(3 + (4 - 0.25) / 2, abs=1e-3)
    clear = carom.cast_along(door, ball, None, path[:3])
    assert clear.status == "clear" and clear.safe_until == 2.0
    assert carom.cast_along(door, ball, None, [0, 0, 0]).hit
    with pytest.raises(ValueError, match="times\\[2\\]"):
        carom.cast_along(door, ball, None, path, [0, 1, 1, 2])
    with pytest.raises(ValueError, match="times: 2 times, but the path has 4 poses"):
        carom.cast_along(door, ball, None, path, [0, 1])


def test_casts_against_samples() -> None:
    rng = np.random.default_rng(1)
    a, b = Shape.box([1, 0.5, 0.25]), Shape.cone(0.4, 1.0)
    n_hits = 0
    for _ in range(60):
        start = rng.uniform(-3, 3, 3)
        linear = rng.uniform(-1.5, 1.5, 3) - start
        answer = carom.cast(a, b, None, start, linear_b=linear)
        times = np.linspace(0, 1, 400)
        touching = carom.intersects_batch(a, b, None, start + times[:, None] * linear)
        first = times[touching.argmax()] if touching.any() else math.inf
        assert answer.safe_until <= first + 1e-12
        if math.isfinite(first):
            assert (
                answer.hit and answer.touching_at is not None and answer.touching_at <= first + 1e-6
            )
            n_hits += 1
    assert 5 < n_hits < 55
