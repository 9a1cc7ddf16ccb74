//! Fits a swept sphere: first the axes, then the shortest core whose swept ball contains all
//! points.
//!
//! Along the shortest axis all points are within the radius of the middle. Along the other axes,
//! the core ends where its ball still contains the points beyond. If a point is beyond two ends,
//! the corner is moved out along its diagonal. The radius is then measured from the rounded core,
//! and rounded up.
//!
//! Reference: E. Larsen, S. Gottschalk, M. C. Lin, D. Manocha, Fast Proximity Queries with Swept
//! Sphere Volumes, 1999, 4.
//! Differs: it fits balls, with points as balls of radius 0, so a merge of two volumes is the same
//! fit. The axes are those of the covariance or of the near-optimal box, by the smaller volume.

use crate::outward::{Extent, extent, nearest};
use crate::swept_sphere::SweptSphere;
use crate::volume::BoundingVolume;
use crate::{Aabb, obb_fit};
use alloc::vec::Vec;
use carom_math::ops::sqrt;
use carom_math::{rounding, scaling};
use glam::{DMat3, DVec3};

/// A ball whose centre has an error of at most `room`.
#[derive(Clone, Copy)]
struct Ball {
    center: DVec3,
    radius: f64,
    room: f64,
}

pub(crate) fn of_points<P: Copy + Into<DVec3>, const E: usize>(points: &[P]) -> SweptSphere<E> {
    match extent(points) {
        Extent::Nothing => return SweptSphere::EMPTY,
        Extent::Beyond => return SweptSphere::EVERYTHING,
        Extent::Within => {}
    }
    let balls = || points.iter().map(|&p| Ball { center: p.into(), radius: 0.0, room: 0.0 });
    let principal = fit(&obb_fit::point_axes(points), balls());
    let other = fit(&obb_fit::box_axes(points), balls());
    if other.volume() < principal.volume() { other } else { principal }
}

pub(crate) fn of_box<const E: usize>(aabb: &Aabb) -> SweptSphere<E> {
    if aabb.max.x < aabb.min.x {
        return SweptSphere::EMPTY;
    }
    let (low, high) = (aabb.min.as_dvec3(), aabb.max.as_dvec3());
    if !(low.is_finite() && high.is_finite()) {
        return SweptSphere::EVERYTHING;
    }
    let balls = || {
        (0..8_u32).map(|i| {
            let side = |bit: u32, low: f64, high: f64| if i >> bit & 1 == 0 { low } else { high };
            let center = DVec3::new(side(0, low.x, high.x), side(1, low.y, high.y), side(2, low.z, high.z));
            Ball { center, radius: 0.0, room: 0.0 }
        })
    };
    fit(&DMat3::IDENTITY, balls())
}

pub(crate) fn of_both<const E: usize>(a: &SweptSphere<E>, b: &SweptSphere<E>) -> SweptSphere<E> {
    let balls: Vec<Ball> = corners(a).chain(corners(b)).collect();
    let centers: Vec<DVec3> = balls.iter().map(|ball| ball.center).collect();
    let mut best: Option<SweptSphere<E>> = None;
    for axes in [own_axes(a), own_axes(b), obb_fit::point_axes(&centers)] {
        let found = fit(&axes, balls.iter().copied());
        if best.is_none_or(|best| found.volume() < best.volume()) {
            best = Some(found);
        }
    }
    best.unwrap_or(SweptSphere::EVERYTHING)
}

/// Fits points along the axes of another core.
pub(crate) fn of_points_along<P: Copy + Into<DVec3>, const E: usize>(
    along: &SweptSphere<E>,
    points: &[P],
) -> SweptSphere<E> {
    match extent(points) {
        Extent::Nothing => return SweptSphere::EMPTY,
        Extent::Beyond => return SweptSphere::EVERYTHING,
        Extent::Within => {}
    }
    fit(&own_axes(along), points.iter().map(|&p| Ball { center: p.into(), radius: 0.0, room: 0.0 }))
}

/// Fits bounded or empty volumes along the axes of another core.
pub(crate) fn of_volumes_along<const E: usize>(
    along: &SweptSphere<E>,
    volumes: &[SweptSphere<E>],
) -> SweptSphere<E> {
    let present = volumes.iter().filter(|volume| !volume.is_empty());
    if present.clone().next().is_none() {
        return SweptSphere::EMPTY;
    }
    fit(&own_axes(along), present.flat_map(corners))
}

/// Returns the balls around the corners of the core.
fn corners<const E: usize>(volume: &SweptSphere<E>) -> impl Iterator<Item = Ball> + Clone {
    let c = volume.center.as_dvec3();
    let edges = volume.wide_edges();
    let size = c.abs().element_sum() + edges.iter().map(|e| e.abs().element_sum()).sum::<f64>();
    let radius = f64::from(volume.radius);
    (0..1_u32 << E).map(move |i| {
        let mut center = c;
        for (bit, e) in edges.iter().enumerate() {
            center += if i >> bit & 1 == 0 { -*e } else { *e };
        }
        // Rounding: two sums in each coordinate.
        Ball { center, radius, room: size * (4.0 * f64::EPSILON) }
    })
}

/// Returns the axes of a core, orthonormal; those of the frame for a point.
fn own_axes<const E: usize>(volume: &SweptSphere<E>) -> DMat3 {
    let edges = volume.wide_edges();
    let unit = |i: usize| edges.get(i).copied().and_then(scaling::unit);
    let (x, y) = match (unit(0), unit(1)) {
        (None, None) => return DMat3::IDENTITY,
        (Some(x), y) | (None, y @ Some(x)) => {
            (x, y.and_then(|y| scaling::unit(y - x * x.dot(y))).unwrap_or(x.any_orthonormal_vector()))
        }
    };
    DMat3::from_cols(x, y, x.cross(y))
}

/// Returns the minimum and maximum of balls along axes, relative to the centre of the first.
fn spread(axes: &DMat3, balls: impl Iterator<Item = Ball>) -> (DVec3, DVec3, DVec3) {
    let across = axes.transpose();
    let (mut low, mut high, mut origin) = (DVec3::INFINITY, DVec3::NEG_INFINITY, None);
    for ball in balls {
        let origin = *origin.get_or_insert(ball.center);
        let at = across * (ball.center - origin);
        low = low.min(at - ball.radius);
        high = high.max(at + ball.radius);
    }
    (origin.unwrap_or(DVec3::ZERO), low, high)
}

/// Returns the swept sphere with its core along the `E` axes of the largest extent. The axes are
/// orthonormal, right-handed or not.
fn fit<const E: usize>(axes: &DMat3, balls: impl Iterator<Item = Ball> + Clone) -> SweptSphere<E> {
    let (origin, low, high) = spread(axes, balls.clone());
    let size = high - low;
    let mut order = [0, 1, 2];
    for (i, j) in [(0, 1), (1, 2), (0, 1)] {
        if size[order[i]] < size[order[j]] {
            order.swap(i, j);
        }
    }
    // The longest first.
    let [x, y, z] = order;
    let axes = &DMat3::from_cols(axes.col(x), axes.col(y), axes.col(z));
    let (low, high) = (DVec3::new(low[x], low[y], low[z]), DVec3::new(high[x], high[y], high[z]));
    let middle = (low + high) * 0.5;
    let local = |ball: &Ball| axes.transpose() * (ball.center - origin) - middle;
    // The distance of a ball from the core's line or plane, which goes through the middle.
    let aside = |at: DVec3| if E == 1 { sqrt(at.y * at.y + at.z * at.z) } else { at.z.abs() };
    let radius = balls.clone().fold(0.0_f64, |r, ball| r.max(aside(local(&ball)) + ball.radius));
    // The distance that a ball's centre may be beyond the end of the core.
    let slack = |at: DVec3, ball: &Ball| {
        let (room, away) = (radius - ball.radius, aside(at));
        sqrt(((room - away) * (room + away)).max(0.0))
    };
    let (mut first, mut last) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for ball in balls.clone() {
        let at = local(&ball);
        let slack = slack(at, &ball);
        first = first.min(at + slack);
        last = last.max(at - slack);
    }
    // One ball contains all points along this axis.
    let crossed = last.cmplt(first);
    let between = (first + last) * 0.5;
    first = DVec3::select(crossed, between, first);
    last = DVec3::select(crossed, between, last);
    if E == 2 {
        for ball in balls.clone() {
            let at = local(&ball);
            let slack = slack(at, &ball);
            // Past two ends at once: the distance that the corner moves out along its diagonal.
            let out = |x: f64, y: f64| {
                let (mean, half) = ((x + y) * 0.5, (x - y) * 0.5);
                if x <= 0.0 || y <= 0.0 {
                    0.0
                } else {
                    mean - sqrt((slack * slack * 0.5 - half * half).max(0.0))
                }
            };
            let (high, low) = (at - last, first - at);
            let moves = [out(high.x, high.y), out(high.x, low.y), out(low.x, high.y), out(low.x, low.y)];
            last.x += moves[0].max(moves[1]).max(0.0);
            last.y += moves[0].max(moves[2]).max(0.0);
            first.x -= moves[2].max(moves[3]).max(0.0);
            first.y -= moves[1].max(moves[3]).max(0.0);
        }
    }
    let mut offset = DVec3::ZERO;
    let mut edges = [glam::Vec3::ZERO; E];
    for (k, edge) in edges.iter_mut().enumerate() {
        *edge = nearest(axes.col(k) * ((last[k] - first[k]) * 0.5));
        offset[k] = (last[k] + first[k]) * 0.5;
    }
    let core = SweptSphere { center: nearest(origin + *axes * (middle + offset)), edges, radius: 0.0 };
    let needed = balls.fold(0.0_f64, |r, ball| {
        // The factor of the distance also covers the rounding of the sum.
        r.max((core.core_distance_up(ball.center, ball.room) + ball.radius) * (1.0 + f64::EPSILON))
    });
    if needed.is_nan() {
        SweptSphere::EVERYTHING
    } else {
        SweptSphere { radius: rounding::up(needed), ..core }
    }
}
