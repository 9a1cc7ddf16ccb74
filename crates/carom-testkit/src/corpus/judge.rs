//! Compares the answer of a library with the exact answer for the input as that library stores it.

use super::Case;
use super::exact::{ExactAnswer, deviation, exact_answer, size};
use super::shape::{Body, Precision, point};
use glam::DVec3;
use std::collections::BTreeMap;

/// An answer of a library.
#[derive(Clone, Debug)]
pub enum Answer {
    /// To [`Case::Pair`].
    Pair(PairAnswer),
    /// To [`Case::Triangles`].
    Triangles {
        /// Whether they share a point.
        meets: bool,
        /// The distance.
        distance: f64,
    },
    /// To [`Case::Ray`].
    Ray(Option<RayAnswer>),
    /// To [`Case::Point`].
    Point(PointAnswer),
    /// To [`Case::Hull`].
    Hull(HullAnswer),
    /// To [`Case::Boxes`]: pairs of indices, in any order.
    Pairs(Vec<(usize, usize)>),
}

/// The answers about two bodies.
#[derive(Clone, Copy, Debug)]
pub struct PairAnswer {
    /// Whether they touch or overlap, from the intersection query.
    pub meets: bool,
    /// The distance, from the distance query; not below 0.
    pub distance: f64,
    /// The signed distance from the contact query: negative is minus the depth. `None` without a
    /// contact.
    pub contact: Option<f64>,
    /// The points on the surfaces of A and B, in the world: the nearest ones if they are apart, the
    /// deepest if they overlap.
    pub points: Option<[DVec3; 2]>,
    /// Unit vector from A to B.
    pub normal: Option<DVec3>,
}

/// The hit of a ray on a surface.
#[derive(Clone, Copy, Debug)]
pub struct RayAnswer {
    /// The parameter, in lengths of the direction.
    pub t: f64,
    /// Unit normal of either sign.
    pub normal: DVec3,
}

/// The answers about a point and a surface.
#[derive(Clone, Copy, Debug)]
pub struct PointAnswer {
    /// The distance; negative inside, if the library distinguishes inside from outside.
    pub distance: f64,
    /// Whether the sign of the distance is meaningful.
    pub is_signed: bool,
    /// The nearest point, in the world.
    pub nearest: DVec3,
}

/// A convex hull, or none.
#[derive(Clone, Debug)]
pub struct HullAnswer {
    /// Corners; empty if the library refused the points.
    pub corners: Vec<DVec3>,
    /// Corners of each side, counter-clockwise from outside.
    pub faces: Vec<Vec<u32>>,
    /// Whether the library merges coplanar sides.
    pub is_merged: bool,
}

/// Judges an answer, with a tolerance of `tolerance` times the largest coordinate of the case. The
/// error describes the fault.
pub fn judge(case: &Case, answer: &Answer, precision: Precision, tolerance: f64) -> Result<(), String> {
    let near = tolerance * size(case);
    match (case, exact_answer(case, precision), answer) {
        (Case::Pair { a, b, normal, .. }, ExactAnswer::Distance(exact), Answer::Pair(answer)) => {
            judge_pair(exact, answer, near)?;
            if let (Some(right), Some(got)) = (normal, answer.normal)
                && 1e-3 < got.distance(point(*right))
            {
                return Err(format!("the normal is {got}, not {right:?}"));
            }
            if let Some([on_a, on_b]) = answer.points {
                is_on(a, precision, on_a, near).map_err(|e| format!("the point of A {e}"))?;
                is_on(b, precision, on_b, near).map_err(|e| format!("the point of B {e}"))?;
                is_number("the distance of the points", on_a.distance(on_b), exact.abs(), 2.0 * near)?;
            }
            Ok(())
        }
        (
            _,
            ExactAnswer::Triangles { meets, distance },
            Answer::Triangles { meets: said, distance: reported },
        ) => {
            if *said != meets {
                return Err(format!("they {} meet", if *said { "are said to" } else { "are said not to" }));
            }
            is_number("the distance", *reported, distance, near)
        }
        (_, ExactAnswer::Ray(None), Answer::Ray(Some(hit))) => {
            Err(format!("a hit at {}, where there is none", hit.t))
        }
        (_, ExactAnswer::Ray(Some(t)), Answer::Ray(None)) => {
            Err(format!("no hit, where there is one at {t}"))
        }
        (_, ExactAnswer::Ray(None), Answer::Ray(None)) => Ok(()),
        (Case::Ray { direction, .. }, ExactAnswer::Ray(Some(t)), Answer::Ray(Some(hit))) => {
            is_unit(hit.normal)?;
            is_number("t", hit.t, t, near / point(*direction).length())
        }
        (Case::Point { on, .. }, ExactAnswer::Distance(exact), Answer::Point(answer)) => {
            let right = if answer.is_signed { exact } else { exact.abs() };
            is_number("the distance", answer.distance, right, near)?;
            is_on(on, precision, answer.nearest, near).map_err(|e| format!("the nearest point {e}"))
        }
        (Case::Hull { points, corners, faces }, _, Answer::Hull(hull)) => {
            let points: Vec<DVec3> = points.iter().map(|p| precision.point(*p)).collect();
            judge_hull(&points, *corners, *faces, hull, near)
        }
        (_, ExactAnswer::Pairs(exact), Answer::Pairs(pairs)) => {
            let mut pairs: Vec<_> = pairs.iter().map(|&(a, b)| (a.min(b), a.max(b))).collect();
            pairs.sort_unstable();
            if pairs == exact {
                return Ok(());
            }
            Err(format!(
                "{} pairs, {} of them wrong; there are {}",
                pairs.len(),
                pairs.iter().filter(|p| !exact.contains(p)).count(),
                exact.len()
            ))
        }
        (_, exact, answer) => Err(format!("{answer:?} is no answer to {exact:?}")),
    }
}

fn judge_pair(exact: f64, answer: &PairAnswer, near: f64) -> Result<(), String> {
    if near < exact.abs() && answer.meets != (exact < 0.0) {
        let said = if answer.meets { "meet" } else { "do not meet" };
        return Err(format!("they are said to {said}; the distance is {exact}"));
    }
    is_number("the distance", answer.distance, exact.max(0.0), near)?;
    match answer.contact {
        Some(contact) => is_number("the contact's distance", contact, exact, near)?,
        None if exact < -near => return Err(format!("no contact, and the depth is {}", -exact)),
        None => {}
    }
    answer.normal.map_or(Ok(()), is_unit)
}

fn is_unit(normal: DVec3) -> Result<(), String> {
    let is_right = (normal.length() - 1.0).abs() <= 1e-3;
    if is_right { Ok(()) } else { Err(format!("the normal {normal} is not of length 1")) }
}

fn is_number(what: &str, got: f64, exact: f64, near: f64) -> Result<(), String> {
    let is_right = (got - exact).abs() <= near;
    if is_right { Ok(()) } else { Err(format!("{what} is {got}, not {exact}")) }
}

fn is_on(body: &Body, precision: Precision, p: DVec3, near: f64) -> Result<(), String> {
    let local = body.wide(precision).inverse_transform_point(p);
    match deviation(body, precision, local) {
        Some(off) if !(off.abs() <= near) => Err(format!("{p} is {off} off the surface")),
        _ => Ok(()),
    }
}

/// Judges a hull without a reference: its corners must be given points, all points must lie behind
/// all its sides, and the sides must form a closed surface.
fn judge_hull(
    points: &[DVec3],
    n_corners: Option<usize>,
    n_faces: Option<usize>,
    hull: &HullAnswer,
    near: f64,
) -> Result<(), String> {
    if n_corners == Some(0) {
        let is_right = hull.corners.is_empty();
        return if is_right { Ok(()) } else { Err("a hull of points that span no volume".to_string()) };
    }
    if hull.corners.is_empty() {
        return Err("the points were refused".to_string());
    }
    if let Some(corner) = hull.corners.iter().find(|c| !points.iter().any(|p| p.distance(**c) <= near)) {
        return Err(format!("the corner {corner} is none of the points"));
    }
    let mut edges: BTreeMap<(u32, u32), i32> = BTreeMap::new();
    for face in &hull.faces {
        let corners: Vec<DVec3> = face.iter().map(|&v| hull.corners[v as usize]).collect();
        for (i, &from) in face.iter().enumerate() {
            let to = face[(i + 1) % face.len()];
            *edges.entry((from.min(to), from.max(to))).or_default() += if from < to { 1 } else { -1 };
        }
        // The sum over the fan is twice the area vector, so no corner of a sliver counts more than
        // another.
        let normal: DVec3 =
            corners.windows(2).map(|w| (w[0] - corners[0]).cross(w[1] - corners[0])).sum::<DVec3>();
        let Some(normal) = normal.try_normalize() else { continue };
        let height = |p: &DVec3| normal.dot(*p - corners[0]);
        let worst = points.iter().map(height).fold(f64::NEG_INFINITY, f64::max);
        if !(worst <= near) {
            return Err(format!("a point lies {worst} outside of a side"));
        }
    }
    if edges.values().any(|sum| *sum != 0) {
        return Err("the sides do not close".to_string());
    }
    let euler = hull.corners.len() as i64 + hull.faces.len() as i64 - edges.len() as i64;
    if euler != 2 {
        return Err(format!("corners and sides less edges are {euler}, not 2"));
    }
    if n_corners.is_some_and(|n| n != hull.corners.len()) {
        return Err(format!("{} corners, not {n_corners:?}", hull.corners.len()));
    }
    if hull.is_merged && n_faces.is_some_and(|n| n != hull.faces.len()) {
        return Err(format!("{} sides, not {n_faces:?}", hull.faces.len()));
    }
    Ok(())
}
