//! An ellipsoid against a triangle, in a space in which it is a ball.
//!
//! An ellipsoid that does not turn is a ball of radius 1 if all coordinates are divided by its
//! radii (P. Nettle, Generic Collision Detection for Games Using Ellipsoids, 2000). Times stay what
//! they are; lengths, normals and distances do not. So carom's characters are swept as ellipsoids,
//! by support maps, and this space is shown here alone.

use carom_ccd::{MovingSphere, Polygon, Sides};
use carom_math::glam::DVec3;
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let corners = [DVec3::ZERO, DVec3::Z * 4.0, DVec3::X * 4.0];
    // It stands, is 0.6 m wide and 1.8 m high, and falls from 3 m at 2 m/s.
    let radii = DVec3::new(0.3, 0.9, 0.3);
    let (start, velocity) = (DVec3::new(1.0, 3.0, 1.0), DVec3::new(0.5, -2.0, 0.0));

    let ball = MovingSphere::new(start / radii, 1.0, velocity / radii)?;
    let triangle = Polygon::triangle(corners.map(|p| p / radii))?;
    let answer = ball.against_polygon(&triangle, Sides::Both, 5.0);
    let hit = answer.hit().ok_or("it misses the triangle")?;
    // The point goes back by the radii. A normal of that space is divided by them once more.
    let (point, normal) = (hit.point_b * radii, (-hit.normal / radii).normalize());
    println!("it touches {point:.3} after {:.4} s, where the normal is {normal:.3}", hit.t_hi);
    // Its lowest point is 0.9 m below its middle.
    assert!((hit.t_hi - 2.1 / 2.0).abs() < 1e-9 && (normal - DVec3::Y).length() < 1e-9);
    Ok(())
}
