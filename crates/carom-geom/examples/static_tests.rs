//! Three tests that do not depend on rounding: two bodies, a point in a triangle, the lowest root
//! within a bound.
//!
//! - Two boxes meet if the centre of the one lies in the sum of both. `overlaps` says so for boxes
//!   that touch, too.
//! - A point is in a triangle if it is on no outer side. The test by areas and an epsilon, beside
//!   it, takes a point for inside that is outside of a small triangle.
//! - A stone is thrown up: when does it first pass a height, within a second? The lower root, if it
//!   is not too late.

use carom_geom::overlap::overlaps;
use carom_geom::segment_triangle::point_in_triangle;
use carom_geom::{Cuboid, ShapeError};
use carom_math::glam::{DVec3, Vec3};
use carom_math::{Pose, quadratic};

/// The three areas beside the point add up to that of the triangle, to within an epsilon.
fn by_areas(p: DVec3, [a, b, c]: [DVec3; 3]) -> bool {
    let area = |a: DVec3, b: DVec3, c: DVec3| 0.5 * (b - a).cross(c - a).length();
    area(p, a, b) + area(p, b, c) + area(p, c, a) - area(a, b, c) <= 0.005
}

fn main() -> Result<(), ShapeError> {
    let (a, b) = (Cuboid::new(Vec3::new(1.0, 0.5, 0.25))?, Cuboid::new(Vec3::splat(0.5))?);
    for x in [1.0, 1.5, 1.500_000_2, 2.0] {
        let position = Vec3::new(x, 0.9, 0.0);
        let meet = overlaps(&a, &b, &Pose::from_translation(position));
        // The sum of both boxes is a box.
        let sum = a.half_extents() + b.half_extents();
        println!(
            "boxes {x} apart along x: meet {meet}, the centre is in the sum {}",
            position.abs().cmple(sum).all()
        );
        assert_eq!(meet, position.abs().cmple(sum).all());
    }

    let small = [DVec3::ZERO, DVec3::X * 0.05, DVec3::Y * 0.05];
    for p in [DVec3::new(0.01, 0.01, 0.0), DVec3::new(0.025, 0.025, 0.0), DVec3::new(0.04, 0.04, 0.0)] {
        let (exact, areas) = (point_in_triangle(p, &small), by_areas(p, small));
        println!("({}, {}): in the triangle {exact}, by areas {areas}", p.x, p.y);
    }
    let outside = DVec3::new(0.04, 0.04, 0.0);
    assert!(!point_in_triangle(outside, &small) && by_areas(outside, small));

    for (height, bound) in [(1.0, 1.0), (4.0, 1.0), (6.0, 1.0), (4.9, 0.9)] {
        // 10 t - 5 t^2 = height.
        let first = quadratic(-5.0, 10.0, -height).iter().find(|t| (0.0..=bound).contains(t));
        println!("{height} m within {bound} s: {first:?}");
    }
    Ok(())
}
