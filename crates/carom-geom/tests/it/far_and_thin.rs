//! Rays and points where a figure has no digits left: shapes far thinner than their own rounding,
//! lines all but along a side, directions and coordinates at both ends of the range.

use carom_geom::PlaneSide;
use carom_geom::f64::{
    Capsule, Cone, ConvexHull, ConvexPolygon, Cuboid, Cylinder, Ellipsoid, Frustum, RayHits, Segment, Sphere,
    TaperedCapsule, Tetrahedron, Triangle, closest, plane, ray,
};
use carom_math::f64::{Interval, Plane, Pose, Ray};
use carom_testkit::random::Random;
use glam::DVec3;

fn ray(o: [f64; 3], d: [f64; 3]) -> Ray {
    Ray::new(DVec3::from_array(o), DVec3::from_array(d))
}

fn times(hits: RayHits) -> Vec<f64> {
    hits.into_iter().map(|hit| hit.t).collect()
}

/// Quotients beyond the range of numbers said "inside for all t".
#[test]
fn a_box_beside_a_ray_that_is_all_but_along_it_is_missed() {
    let thin = Cuboid::new(DVec3::new(0.0, 3.0, 1.2e-7)).unwrap();
    let beside = ray([524290.0, 6.64, 16.14], [-1.0, 5e-324, 7.45e-9]);
    assert_eq!(thin.cast_ray(&beside, Interval::FORWARD, false), None);
    assert_eq!(thin.ray_hits(&beside, Interval::BOTH).as_slice(), []);
    let along = ray([-5.0, 0.25, 0.0], [1.0, 0.0, 2.3e-308]);
    let cuboid = Cuboid::new(DVec3::new(2.0, 1.0, 1.0)).unwrap();
    assert_eq!(times(cuboid.ray_hits(&along, Interval::BOTH)), [3.0, 7.0]);
    assert_eq!(cuboid.cast_ray(&along, Interval::new(4.0, 9.0), false).map(|hit| hit.t), Some(7.0));
    assert_eq!(cuboid.ray_hits(&ray([-5.0, 1.25, 0.0], [1.0, 2.3e-308, 0.0]), Interval::BOTH).as_slice(), []);
}

/// Opposite planes of a hull that is thinner than a rounding met anywhere.
#[test]
fn a_hull_without_width_is_hit_where_its_polygon_is() {
    let corners = [[0.0, -2.0, 0.0], [0.0, 2.0, -1.5], [0.0, 1.0, 3.0]].map(DVec3::from_array);
    let polygon = Triangle::new(corners[0], corners[1], corners[2]).unwrap();
    let mut random = Random::new(11);
    for width in [1e-22, 1e-45, 1e-60] {
        let tip = DVec3::new(width, 0.5, 0.25);
        let hull = ConvexHull::from_points(&[corners[0], corners[1], corners[2], tip]).unwrap();
        let solid = Tetrahedron::new(corners[0], corners[1], corners[2], tip).unwrap();
        let mut n_hits = 0;
        for i in 0..2000 {
            let o = random.cube_point() * 8.0 - 4.0;
            let aim = corners[i % 3] * random.unit() + corners[(i + 1) % 3] * random.unit();
            let mut d = aim - o;
            if i % 4 == 0 {
                // All but along the sheet.
                d.x *= 1e-9;
            }
            let line = Ray::new(o, d);
            let expected = polygon.cast_ray(&line, Interval::BOTH).map(|hit| hit.t);
            n_hits += usize::from(expected.is_some());
            for (name, hits) in [
                ("hull", hull.ray_hits(&line, Interval::BOTH)),
                ("tetrahedron", solid.ray_hits(&line, Interval::BOTH)),
            ] {
                for hit in hits {
                    let off = polygon.project_point(line.at(hit.t)).distance;
                    assert!(off <= 1e-13, "{name} {width:e} {line:?} {hit:?} {off:e}");
                    assert!((hit.normal.length() - 1.0).abs() < 1e-14, "{name} {hit:?}");
                }
                // A line through the middle of the sheet goes through the hull.
                let is_inner = expected.is_some_and(|t| {
                    let weights = line.at(t) - corners[0];
                    0.2 < weights.length() && polygon.project_point(line.at(t) * 1.01).distance == 0.0
                });
                assert!(!is_inner || !hits.as_slice().is_empty(), "{name} {width:e} {line:?} {expected:?}");
            }
        }
        assert!(400 < n_hits, "{n_hits}");
    }
}

/// All hits of a ray on some solid.
type Hits = Box<dyn Fn(&Ray) -> RayHits>;

/// A flat cone was hit wherever a line crossed its plane.
#[test]
fn round_solids_without_height_are_discs() {
    let mut random = Random::new(12);
    for height in [1e-18, 8e-28, 1.5e-45] {
        let solids: [(&str, Hits); 4] = [
            ("cone", {
                let s = Cone::new(height, 8.98).unwrap();
                Box::new(move |r| s.ray_hits(r, Interval::BOTH))
            }),
            ("cylinder", {
                let s = Cylinder::new(height, 8.98).unwrap();
                Box::new(move |r| s.ray_hits(r, Interval::BOTH))
            }),
            ("ellipsoid", {
                let s = Ellipsoid::new(DVec3::new(8.98, height, 8.98)).unwrap();
                Box::new(move |r| s.ray_hits(r, Interval::BOTH))
            }),
            ("frustum", {
                // A square as high as that; its corners are cut off below.
                let s = Frustum::new(1.0, 1.0, 8.98, 8.98).unwrap();
                let turned = |v: DVec3| DVec3::new(v.x, v.z, v.y);
                Box::new(move |r| {
                    let o = turned(r.origin) - DVec3::Z;
                    s.ray_hits(&Ray::new(o, turned(r.direction)), Interval::BOTH)
                })
            }),
        ];
        for (name, hits) in &solids {
            let (mut n_in, mut n_out) = (0, 0);
            for i in 0..600 {
                let o = (random.cube_point() - 0.5) * [40.0, 4000.0, 1.0][i % 3];
                let to = random.cube_point() - 0.5;
                let aim = DVec3::new(to.x, 0.0, to.z) * [8.0, 30.0][i % 2];
                let line = Ray::new(o, (aim - o) * [1.0, 1e-9, 1e9][i % 3]);
                let t = -line.origin.y / line.direction.y;
                let reach = (line.at(t).x.powi(2) + line.at(t).z.powi(2)).sqrt();
                let found = hits(&line);
                if 13.0 < reach {
                    n_out += 1;
                    assert_eq!(found.as_slice(), [], "{name} {height:e} {line:?} {reach}");
                } else if reach < 8.97 {
                    n_in += 1;
                    assert!(!found.as_slice().is_empty(), "{name} {height:e} {line:?}");
                    for hit in found {
                        assert!((hit.t - t).abs() <= 1e-13 * t.abs(), "{name} {hit:?} {t}");
                    }
                }
            }
            assert!(100 < n_in.min(n_out), "{name} {n_in} {n_out}");
        }
    }
}

/// The part across the axis was squared into nothing.
#[test]
fn a_line_all_but_along_an_axis_keeps_its_distance_from_it() {
    let steep = ray([10.0, 39.56, 90.57], [-3.0, -9e158, -6.0]);
    assert_eq!(Cylinder::new(8.0, 62.7).unwrap().cast_ray(&steep, Interval::BOTH, false), None);
    assert_eq!(Cone::new(8.0, 62.7).unwrap().cast_ray(&steep, Interval::BOTH, false), None);
    assert_eq!(TaperedCapsule::new(8.0, 9.0, 12.0).unwrap().cast_ray(&steep, Interval::BOTH, false), None);
    let flat = Ellipsoid::new(DVec3::new(3.0, 0.0, 0.03125)).unwrap();
    assert_eq!(flat.cast_ray(&ray([0.0, 2.0, 1.5], [1.0, -2e161, 0.5]), Interval::BOTH, false), None);
    let hit = flat.cast_ray(&ray([2.0, 2.0, 0.0], [1.0, -2e161, 0.5]), Interval::BOTH, false).unwrap();
    assert_eq!(hit.t, 1e-161);
}

/// A ray that is none hits nothing, and no t is infinite.
#[test]
fn rays_at_the_ends_of_the_range() {
    let solid = Sphere::new(1.0).unwrap();
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for line in [ray([bad, 0.0, 0.0], [1.0, 0.0, 0.0]), ray([0.0; 3], [1.0, bad, 0.0])] {
            assert_eq!(solid.cast_ray(&line, Interval::BOTH, true), None);
            assert_eq!(ray::plane(&line, Interval::BOTH, &Plane { normal: DVec3::X, d: 0.0 }), None);
            assert_eq!(ray::point(&line, Interval::BOTH, DVec3::ZERO), None);
        }
    }
    // The way there has more steps than there are numbers; the way back from there, too.
    for x in [5.0, -5.0] {
        let short = ray([-x, 0.0, 0.0], [5e-324, 0.0, 0.0]);
        assert_eq!(solid.cast_ray(&short, Interval::BOTH, true), None);
        assert_eq!(solid.ray_hits(&short, Interval::BOTH).as_slice(), []);
    }
    let inside = ray([0.0; 3], [5e-324, 0.0, 0.0]);
    assert_eq!(solid.cast_ray(&inside, Interval::FORWARD, true).map(|hit| hit.t), Some(0.0));
    assert_eq!(solid.cast_ray(&inside, Interval::FORWARD, false), None);
    // The longest step, and a hit that is nearer than the least of all normal numbers.
    let long = ray([-5.0, 0.0, 0.0], [f64::MAX, 0.0, 0.0]);
    let t = solid.cast_ray(&long, Interval::FORWARD, false).unwrap().t;
    assert!((t * f64::MAX - 4.0).abs() < 1e-14, "{t:e}");
    let sheet = Triangle::new(DVec3::X, DVec3::Y, DVec3::Z).unwrap();
    let t = sheet.cast_ray(&ray([0.0; 3], [f64::MAX; 3]), Interval::FORWARD).unwrap().t;
    assert!((t * f64::MAX - 1.0 / 3.0).abs() < 1e-14, "{t:e}");
    let stick = Segment::new(DVec3::ZERO, DVec3::X).unwrap();
    assert_eq!(times(stick.ray_hits(&long, Interval::BOTH)).len(), 2);
}

/// With subnormal coordinates, the distance across an axis had no digits: the point was off by 0.1.
#[test]
fn points_all_but_on_the_axis_have_their_nearest_point() {
    let cone = Cone::new(3.0, 5.0).unwrap();
    let ellipsoid = Ellipsoid::new(DVec3::new(4.0, 69.0, 92.0)).unwrap();
    let cylinder = Cylinder::new(30.0, 5.0).unwrap();
    let mut random = Random::new(13);
    for i in 0..200 {
        let digits = 1 << (i % 60);
        let tiny = |random: &mut Random| f64::from_bits(random.bits() % digits);
        let p = DVec3::new(tiny(&mut random), 0.0, -tiny(&mut random));
        for (name, on) in [
            ("cone", cone.project_point(p)),
            ("cylinder", cylinder.project_point(p)),
            ("ellipsoid", ellipsoid.project_point(p)),
        ] {
            assert!((on.point.length() + on.distance).abs() < 1e-14, "{name} {p:?} {on:?}");
        }
        assert!((cylinder.project_point(p).distance + 5.0).abs() < 1e-15);
        assert!((ellipsoid.project_point(p).distance + 4.0).abs() < 1e-15);
    }
}

/// Squares of the normal were infinite or nothing, and heights NaN.
#[test]
fn planes_of_any_length_have_the_same_sides_and_heights() {
    let solid = Cuboid::new(DVec3::new(1.0, 2.0, 3.0)).unwrap();
    let cone = Cone::new(1.0, 2.0).unwrap();
    let points = [DVec3::new(1.0, 2.0, 3.0), DVec3::new(-4.0, 0.5, 0.25)];
    let at = Pose::from_translation(DVec3::new(0.5, 0.25, -8.0));
    for (normal, d) in [(DVec3::new(1.0, -0.5, 0.25), 3.0), (DVec3::Z, 5.0), (DVec3::Y, -1.25)] {
        let plain = Plane { normal, d };
        for scale in [2f64.powi(-1000), 2f64.powi(-300), 2f64.powi(300), 2f64.powi(1000)] {
            let long = Plane { normal: normal * scale, d: d * scale };
            assert_eq!(plane::heights_of(&long, &solid, &at), plane::heights_of(&plain, &solid, &at));
            assert_eq!(plane::heights_of(&long, &cone, &at), plane::heights_of(&plain, &cone, &at));
            assert_eq!(plane::heights_of_points(&long, &points), plane::heights_of_points(&plain, &points));
            assert_eq!(plane::side_of(&long, &solid, &at), plane::side_of(&plain, &solid, &at));
            assert_eq!(plane::side_of(&long, &cone, &at), plane::side_of(&plain, &cone, &at));
        }
    }
    let least = Plane { normal: DVec3::Z * 5e-324, d: -5e-324 };
    assert_eq!(plane::side_of(&least, &cone, &Pose::from_translation(DVec3::Z * -8.0)), PlaneSide::Back);
    let far = plane::heights_of_points(&Plane { normal: DVec3::X, d: 1.0 }, &[DVec3::X * f64::MAX]).unwrap();
    assert_eq!((far.low, far.high), (f64::MAX, f64::MAX));
}

/// Only the point of its core was held against the plane, and not the ball.
#[test]
fn a_tapered_capsule_that_touches_a_plane_is_not_all_in_front_of_it() {
    let drop = TaperedCapsule::new(0.0, 0.0, 5.0).unwrap();
    let at = Pose::from_translation(DVec3::new(-8.0, 8.0, -5.0));
    let floor = Plane { normal: DVec3::new(0.0, 0.0, 7.0), d: 0.0 };
    assert_eq!(plane::side_of(&floor, &drop, &at), PlaneSide::Across);
    for (upper, lower) in [(1.0, 4.0), (4.0, 1.0), (0.0, 4.0), (2.0, 2.0)] {
        let shape = TaperedCapsule::new(2.0, upper, lower).unwrap();
        let heights = plane::heights_of(&floor, &shape, &Pose::IDENTITY);
        assert_eq!((heights.low, heights.high), (-lower.max(upper), lower.max(upper)));
        for (height, side) in [
            (lower.max(upper), PlaneSide::Across),
            (-lower.max(upper), PlaneSide::Across),
            (lower.max(upper) + 1e-9, PlaneSide::Front),
            (-lower.max(upper) - 1e-9, PlaneSide::Back),
        ] {
            let at = Pose::from_translation(DVec3::Z * height);
            assert_eq!(plane::side_of(&floor, &shape, &at), side, "{upper} {lower} {height}");
        }
    }
}

/// On an axis where all coordinates are subnormal the normal had none, and an end of the segment
/// was said to be shared.
#[test]
fn what_a_segment_shares_with_a_triangle_of_no_width_is_of_both() {
    let axis = Capsule::new(8.0, 0.0).unwrap();
    for width in [5e-324, 7e-317, 3e-290, 1e-30] {
        for far in [3e-300, 3e-281] {
            let corners = [[far, 16777217.0, -4.0], [width, 0.0, 0.0], [0.0; 3]].map(DVec3::from_array);
            for turn in 0..3 {
                let [a, b, c] = [0, 1, 2].map(|i| corners[(i + turn) % 3]);
                let sheet = Triangle::new(a, b, c).unwrap();
                let found = closest::closest_points(&axis, &sheet, &Pose::IDENTITY);
                assert_eq!(found.distance, 0.0, "{far:e} {width:e}");
                assert!(sheet.project_point(found.point_a).distance < 1e-8, "{width:e} {found:?}");
                assert!(axis.project_point(found.point_a).distance.abs() < 1e-8, "{width:e} {found:?}");
            }
        }
    }
}

/// The plane of a triangle and one beside it differed by less than the least number that the
/// products had: an end of the segment was said to be shared.
#[test]
fn what_a_segment_shares_with_a_triangle_that_it_passes_at_the_end_of_the_range() {
    let axis = Capsule::new(3.0, 0.0).unwrap();
    let corners = [
        DVec3::new(5e-324, 3.0000000000000004, -0.0),
        DVec3::new(8.0, 5e-324, 2.999999761581421),
        DVec3::new(-5e-324, 0.0, 0.0),
    ];
    for turn in 0..3 {
        let [a, b, c] = [0, 1, 2].map(|i| corners[(i + turn) % 3]);
        let sheet = Triangle::new(a, b, c).unwrap();
        let found = closest::closest_points(&axis, &sheet, &Pose::IDENTITY);
        assert_eq!(found.distance, 0.0);
        assert!(sheet.project_point(found.point_a).distance < 1e-12, "{found:?}");
        assert!(axis.project_point(found.point_a).distance.abs() < 1e-12, "{found:?}");
    }
}

/// A tetrahedron that is a triangle but for the least numbers, of which the line meets one corner:
/// the sign of a product that vanished put the hit two away from it.
#[test]
fn a_corner_of_a_tetrahedron_without_volume_is_met_where_it_is() {
    let corners = [
        DVec3::new(5e-324, -5e-324, 1e-323),
        DVec3::new(-5e-324, 0.0, 0.0),
        DVec3::new(-5e-324, -7.0, -4.0),
        DVec3::new(-7.0, -4.0, 0.0),
    ];
    let sliver = Tetrahedron::new(corners[0], corners[1], corners[2], corners[3]).unwrap();
    let ray = Ray::new(DVec3::new(0.0, -4.0, 0.0), DVec3::new(-1.0, 4.434970879327e-312, 0.0));
    for hit in sliver.ray_hits(&ray, Interval::FORWARD) {
        let off = sliver.project_point(ray.origin + ray.direction * hit.t).distance;
        assert!(off.abs() < 1e-14, "{off:e} {hit:?}");
    }
}

/// Apart by the least number, and 8 from the origin: what brings the one to size 1 made the other
/// infinite.
#[test]
fn points_apart_by_the_least_number_are_that_far_apart() {
    for far in [0.0, 8.0, 1e37] {
        let p = DVec3::new(far, 5e-324, 5e-324);
        let polygon = [p];
        let polygon = ConvexPolygon::new(&polygon).unwrap();
        for other in
            [DVec3::new(far, 0.0, 5e-324), DVec3::new(far, 0.0, 0.0), DVec3::new(far, -5e-324, 5e-324)]
        {
            let found = closest::closest_points(&polygon, &other, &Pose::IDENTITY);
            assert!(0.0 < found.distance && found.distance <= f64::MIN_POSITIVE, "{found:?}");
            assert_eq!((found.point_a, found.point_b), (p, other));
            let segment = Segment::new(other, other + DVec3::Y * -7.0).unwrap();
            let found = closest::closest_points(&polygon, &segment, &Pose::IDENTITY);
            assert!(0.0 < found.distance && found.distance < 1e-30, "{found:?}");
        }
    }
}

/// A face as wide as the least number: quotients of so few digits put the hit one away from it.
#[test]
fn a_line_through_a_corner_of_a_face_of_no_width_has_all_its_digits() {
    let corners = [
        DVec3::new(1.0, 5e-324, 0.0),
        DVec3::new(1.0, 0.0, 0.0),
        DVec3::new(-6.0, 1.0, 0.0),
        DVec3::new(0.0, 0.0, -1.0),
    ];
    for turn in 0..4 {
        let [a, b, c, d] = [0, 1, 2, 3].map(|i| corners[(i + turn) % 4]);
        let sliver = Tetrahedron::new(a, b, c, d).unwrap();
        let ray = Ray::new(DVec3::new(-58.75, 0.0, 0.0), DVec3::new(-58.750003814697266, 0.0, 0.0));
        let hits = sliver.ray_hits(&ray, Interval::BOTH);
        assert!(hits.into_iter().next().is_some());
        for hit in hits {
            let off = sliver.project_point(ray.origin + ray.direction * hit.t).distance;
            assert!(off.abs() < 1e-13, "{off:e} {hit:?}");
        }
    }
}

/// A triangle as wide as the least number on a line: where the quotient of heights has no digits.
#[test]
fn a_triangle_of_the_least_width_is_met_where_it_is() {
    let least = 5e-324;
    let (a, b, c) = (DVec3::Z * least, DVec3::Y, DVec3::X * least);
    for [a, b, c] in [[a, b, c], [b, c, a], [c, a, b], [c, b, a]] {
        let sheet = Triangle::new(a, b, c).unwrap();
        let ray = Ray::new(DVec3::Z, DVec3::new(0.0, 1.0, -3.0));
        let hit = sheet.cast_ray(&ray, Interval::BOTH).unwrap();
        assert!((hit.t - 1.0 / 3.0).abs() < 1e-15, "{hit:?}");
    }
}

/// Beside the tip of faces of 8e18 that are 8 wide: rounding put the closest point 6e13 past it.
#[test]
fn the_closest_point_of_a_splinter_is_on_it() {
    let near = 7.999999523162842;
    let corners = [
        DVec3::new(4.0, 4.0, 8.0),
        DVec3::new(near, near, 2.4224953120359825e-308),
        DVec3::new(8.0, 0.0, 8.0),
        DVec3::new(near, near, -8.02969548449697e18),
    ];
    let splinter = Tetrahedron::new(corners[0], corners[1], corners[2], corners[3]).unwrap();
    let far = DVec3::splat(-8.029758706415567e18);
    let found = splinter.project_point(far);
    assert!((found.point - corners[3]).length() <= 16.0, "{found:?}");
    let distance = (far - corners[3]).length();
    assert!((found.distance - distance).abs() <= 1e-15 * distance, "{found:?}");
}

/// From beside a corner of a face, by the least lengths.
#[test]
fn a_ray_of_the_least_length_from_beside_a_corner_ends_there() {
    let least = 1.4012984643248168e-45;
    let next = -1.4012984643248169e-45;
    let corners = [
        DVec3::new(4.0, -1.401298464324817e-45, 1.0),
        DVec3::new(2.0, -102.40234375, 2.0000000000000004),
        DVec3::splat(next),
        DVec3::new(next, -least, -least),
    ];
    let ray = Ray::new(DVec3::splat(-least), DVec3::splat(-least));
    let sliver = Tetrahedron::new(corners[0], corners[1], corners[2], corners[3]).unwrap();
    for hit in sliver.ray_hits(&ray, Interval::BOTH) {
        let off = sliver.project_point(ray.origin + ray.direction * hit.t).distance;
        assert!(off.abs() < 1e-13, "{off:e} {hit:?}");
    }
}
