//! A moving ball against a triangle: its face, an edge, a corner, from behind, and from within its plane.
//!
//! An ellipsoid that does not turn is a ball in a space whose coordinates are divided by its radii (P. Nettle, Generic
//! Collision Detection for Games Using Ellipsoids, 2000). Times stay what they are; lengths, normals and distances do not.
//! So carom's characters are swept as ellipsoids, by support maps, and this space is shown here alone.

use carom_ccd::{MovingSphere, Polygon, Sides, TimeOfImpact};
use carom_geom::ShapeError;
use carom_math::glam::DVec3;

fn say(what: &str, answer: &TimeOfImpact) {
    match answer {
        TimeOfImpact::Hit(hit) => {
            println!("{what}: {:?} after {:.4} s at {:.2}", hit.feature_b.kind(), hit.t_hi, hit.point_b);
        }
        TimeOfImpact::Clear(clear) => println!("{what}: clear, never nearer than {:.3}", clear.distance),
        TimeOfImpact::Undecided(undecided) => println!("{what}: nothing before {:.4} s", undecided.t_safe),
    }
}

fn main() -> Result<(), ShapeError> {
    let corners = [DVec3::ZERO, DVec3::Z * 4.0, DVec3::X * 4.0];
    let triangle = Polygon::triangle(corners)?;
    let ball = |center: [f64; 3], velocity: [f64; 3]| MovingSphere::new(center.into(), 0.5, velocity.into());

    let down = ball([1.0, 3.0, 1.0], [0.0, -2.0, 0.0])?;
    say("from above", &down.against_polygon(&triangle, Sides::Both, 5.0));
    say(
        "along an edge",
        &ball([2.0, 3.0, -0.3], [0.0, -2.0, 0.0])?.against_polygon(&triangle, Sides::Both, 5.0),
    );
    say(
        "at a corner",
        &ball([4.2, 3.0, -0.2], [0.0, -2.0, 0.0])?.against_polygon(&triangle, Sides::Both, 5.0),
    );
    say("past it", &ball([4.6, 3.0, 0.0], [0.0, -2.0, 0.0])?.against_polygon(&triangle, Sides::Both, 5.0));

    // Its back does not count if the front alone is asked for.
    let up = ball([1.0, -3.0, 1.0], [0.0, 2.0, 0.0])?;
    say("from below, both sides", &up.against_polygon(&triangle, Sides::Both, 5.0));
    say("from below, front alone", &up.against_polygon(&triangle, Sides::Front, 5.0));

    // In the plane of the triangle from the start, beside it: an edge is met.
    let beside = ball([-3.0, 0.0, 1.0], [2.0, 0.0, 0.0])?;
    say("in its plane", &beside.against_polygon(&triangle, Sides::Both, 5.0));

    // A standing ellipsoid, 0.3 wide and 1.8 high, that falls: a ball in its own space.
    let radii = DVec3::new(0.3, 0.9, 0.3);
    let (start, velocity) = (DVec3::new(1.0, 3.0, 1.0), DVec3::new(0.5, -2.0, 0.0));
    let scaled = MovingSphere::new(start / radii, 1.0, velocity / radii)?;
    let in_space = scaled.against_polygon(&Polygon::triangle(corners.map(|p| p / radii))?, Sides::Both, 5.0);
    if let Some(hit) = in_space.hit() {
        // Back in the world; its lowest point is 0.9 below its middle.
        println!("ellipsoid: after {:.4} s at {:.2}", hit.t_hi, hit.point_b * radii);
        assert!((hit.t_hi - 2.1 / 2.0).abs() < 1e-9);
    }
    Ok(())
}
