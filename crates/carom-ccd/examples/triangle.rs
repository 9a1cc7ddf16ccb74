//! A ball flies at a triangle: what it meets, and when. The triangle lies in the plane y = 0, its
//! front side up.
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc)] // A program, never without std.

use carom_ccd::{MovingSphere, Polygon, SheetPlane, Sides};
use carom_math::glam::DVec3;
use std::error::Error;

/// Names the feature on which a point of the triangle lies, by its number of sides, to rounding.
fn feature(point: DVec3, corners: &[DVec3; 3]) -> &'static str {
    let on_side = |i: usize| {
        let (a, b) = (corners[i], corners[(i + 1) % 3]);
        (b - a).cross(point - a).length() <= 1e-12
    };
    ["the face", "an edge", "a corner"][(0..3).filter(|&i| on_side(i)).count().min(2)]
}

fn main() -> Result<(), Box<dyn Error>> {
    let corners = [DVec3::ZERO, DVec3::Z * 4.0, DVec3::X * 4.0];
    let triangle = Polygon::triangle(corners)?;
    let down = DVec3::NEG_Y * 10.0;
    let flights = [
        ("from above the middle", DVec3::new(1.0, 3.0, 1.0), down, Sides::Front, Some("the face")),
        ("from above, beside a side", DVec3::new(-0.3, 3.0, 1.0), down, Sides::Front, Some("an edge")),
        ("from above, beside a corner", DVec3::new(-0.3, 3.0, -0.3), down, Sides::Front, Some("a corner")),
        ("from above, too far out", DVec3::new(-0.4, 3.0, -0.4), down, Sides::Front, None),
        ("from below", DVec3::new(1.0, -3.0, 1.0), -down, Sides::Both, Some("the face")),
        ("from below, back faces culled", DVec3::new(1.0, -3.0, 1.0), -down, Sides::Front, None),
        ("along it, in its plane", DVec3::new(-3.0, 0.0, 1.0), DVec3::X * 10.0, Sides::Both, Some("an edge")),
    ];
    for (name, center, velocity, sides, expected) in flights {
        let ball = MovingSphere::new(center, 0.5, velocity)?;
        let answer = ball.against_polygon(&triangle, sides, 1.0);
        let found = answer.hit().map(|impact| (impact.t_lo, feature(impact.point_b, &corners)));
        match found {
            Some((t, feature)) => println!("{name}: meets {feature} after {t:.4}"),
            None => println!("{name}: meets nothing"),
        }
        if found.map(|(_, feature)| feature) != expected {
            return Err(format!("{name}: {expected:?} is right").into());
        }
    }

    // The plane of the triangle: a ball that is in it from the start meets it at once, wherever it
    // is.
    let plane = SheetPlane::new(DVec3::Y, 0.0)?;
    let inside = MovingSphere::new(DVec3::new(9.0, 0.2, 9.0), 0.5, DVec3::X)?;
    let in_plane = inside.against_plane(&plane, Sides::Both, 1.0);
    let on_triangle = inside.against_polygon(&triangle, Sides::Both, 1.0);
    println!(
        "in the plane from the start, beside the triangle: plane {:?}",
        in_plane.hit().map(|hit| hit.t_lo)
    );
    if in_plane.hit().is_none_or(|hit| hit.t_lo != 0.0) || on_triangle.hit().is_some() {
        return Err("a cast in the plane is late, or the one beside the triangle meets it".into());
    }
    Ok(())
}
