//! Height fields against all of their triangles, one by one, in both precisions: boxes, rays, and
//! what the grid leaves out.

use carom_geom::ray_mesh::line_touches;
use carom_testkit::random::Random;
use glam::DVec3;

macro_rules! height_field_tests {
    ($name:ident, $geom:path, $math:path, $vec3:ty) => {
        #[allow(unused_qualifications)] // The same text for both precisions.
        mod $name {
            use super::*;
            use geom::{HeightField, HeightFieldError};
            use math::{Interval, Ray, Real};
            use $geom as geom;
            use $math as math;

            fn wide(v: $vec3) -> DVec3 {
                DVec3::new(v.x.into(), v.y.into(), v.z.into())
            }

            fn stored(v: DVec3) -> $vec3 {
                <$vec3>::new(v.x as _, v.y as _, v.z as _)
            }

            /// Rolling, terraced, flat or spiky; with holes now and then.
            fn field(random: &mut Random, round: usize) -> HeightField {
                let n = [2 + random.below(7) as u32, 2 + random.below(12) as u32];
                let spacing =
                    [[1.0, 1.0], [0.3, 0.7], [0.1, 5.0], [1e-3, 1.0]][round % 4].map(|s: f64| s as Real);
                let heights = (0..n[0] * n[1])
                    .map(|_| match round % 5 {
                        0 => 0.0,
                        1 => random.below(3) as Real,
                        2 => random.range(-1e3, 1e3) as Real,
                        _ => random.range(-0.5, 0.5) as Real,
                    })
                    .collect();
                let field = HeightField::new(n, spacing, heights).unwrap();
                let n_cells = field.n_cells();
                let holes: Vec<u32> =
                    (0..n_cells).filter(|_| round % 3 == 0 && random.below(4) == 0).collect();
                field.with_holes(&holes).unwrap()
            }

            #[test]
            fn the_surface_is_whole() {
                let mut random = Random::new(1);
                for round in 0..40 {
                    let field = field(&mut random, round);
                    let (vertices, indices) = field.to_indexed();
                    assert_eq!(indices.len(), field.triangles().count());
                    for (number, corners) in field.triangles().zip(&indices) {
                        assert_eq!(field.points(number), corners.map(|v| vertices[v as usize]));
                        let [a, b, c] = field.corners(number);
                        assert!(0.0 < (b - a).cross(c - a).y, "triangle {number} faces up");
                    }
                    let mesh = geom::TriMesh::new(vertices, indices).ok();
                    if let Some(mesh) = &mesh {
                        let report = geom::MeshReport::new(mesh);
                        assert_eq!(
                            (report.n_flipped_edges, report.n_non_manifold_edges, report.n_zero_area),
                            (0, 0, 0)
                        );
                    }
                    assert_eq!(mesh.is_none(), field.n_cells() as usize == field.holes().len());
                    let [n_x, n_z] = field.n_samples();
                    // Symmetric to the bit about the y axis.
                    for i in 0..n_x {
                        assert_eq!(field.sample(i, 0).x, -field.sample(n_x - 1 - i, n_z - 1).x);
                    }
                    let aabb = field.aabb();
                    for triangle in field.triangles() {
                        for p in field.corners(triangle) {
                            assert!(aabb.min.as_dvec3().cmple(p).all() && p.cmple(aabb.max.as_dvec3()).all());
                        }
                    }
                }
            }

            #[test]
            fn boxes_find_their_cells() {
                let mut random = Random::new(2);
                let (mut n_some, mut n_none) = (0, 0);
                for round in 0..2000 {
                    let field = field(&mut random, round);
                    let [n_x, n_z] = field.n_samples();
                    let corner = |random: &mut Random| {
                        let at = wide(
                            field
                                .sample(random.below(n_x as usize) as u32, random.below(n_z as usize) as u32),
                        );
                        // On the grid lines as often as between them, and outside.
                        at + if random.below(2) == 0 { DVec3::ZERO } else { random.cube_point() * 0.4 }
                    };
                    let (p, q) = (corner(&mut random), corner(&mut random));
                    let (min, max) = (p.min(q), p.max(q));
                    let found: Vec<u32> = field.cells_in_box(min, max).collect();
                    let expected: Vec<u32> = (0..field.n_cells())
                        .filter(|&cell| !field.is_hole(cell))
                        .filter(|&cell| {
                            let corners = [field.corners(2 * cell), field.corners(2 * cell + 1)].concat();
                            let low = corners.iter().fold(DVec3::INFINITY, |m, &p| m.min(p));
                            let high = corners.iter().fold(DVec3::NEG_INFINITY, |m, &p| m.max(p));
                            low.cmple(max).all() && min.cmple(high).all()
                        })
                        .collect();
                    assert_eq!(found, expected, "{min} {max} {field:?}");
                    if expected.is_empty() { n_none += 1 } else { n_some += 1 }
                }
                assert!(500 < n_some && 100 < n_none, "{n_some} {n_none}");
            }

            /// The walk finds what looking at every triangle finds: the same triangles at the same
            /// t, first and all.
            #[test]
            fn rays_hit_what_every_triangle_says() {
                let mut random = Random::new(3);
                let (mut n_hits, mut n_misses, mut n_several) = (0, 0, 0);
                for round in 0..4000 {
                    let field = field(&mut random, round);
                    let [n_x, n_z] = field.n_samples();
                    let sample = |random: &mut Random| {
                        wide(
                            field
                                .sample(random.below(n_x as usize) as u32, random.below(n_z as usize) as u32),
                        )
                    };
                    let size = wide(field.sample(n_x - 1, n_z - 1)).abs().max_element().max(1.0);
                    // At a corner, at an edge, at any point.
                    let target = match random.below(4) {
                        0 => sample(&mut random),
                        1 => (sample(&mut random) + sample(&mut random)) * 0.5,
                        _ => random.cube_point() * size,
                    };
                    let origin = match random.below(5) {
                        0 => target + DVec3::Y * random.range(-3.0, 3.0),
                        1 => sample(&mut random),
                        2 => DVec3::new(-2.0 * size, target.y, target.z),
                        3 => DVec3::new(target.x + 1e-9, 3.0 * size, target.z),
                        _ => random.cube_point() * (3.0 * size),
                    };
                    let length = [1.0, 1e-20, 1e20][random.below(3)];
                    let ray = Ray::new(stored(origin), stored((target - origin) * length));
                    let interval = match random.below(4) {
                        0 => Interval::BOTH,
                        1 => Interval::new((-1.0 / length) as Real, (0.9 / length) as Real),
                        _ => Interval::FORWARD,
                    };
                    let (o, d) = (wide(ray.origin), wide(ray.direction));
                    let (min, max) = (f64::from(interval.min), f64::from(interval.max));
                    let mut expected: Vec<(f64, u32, bool)> = field
                        .triangles()
                        .filter_map(|triangle| {
                            let hit = line_touches(o, d, &field.corners(triangle))?;
                            (min <= hit.t && hit.t <= max).then_some((
                                f64::from(hit.t as Real),
                                triangle,
                                hit.is_back_face,
                            ))
                        })
                        .collect();
                    expected.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
                    let what = format!("{ray:?} {interval:?} {field:?}");
                    let first = field.cast_ray(&ray, interval);
                    let first = first.map(|hit| (f64::from(hit.t), hit.part, hit.is_back_face));
                    assert_eq!(first, expected.first().copied(), "{what}");
                    let mut all = Vec::new();
                    field.cast_ray_all(&ray, interval, &mut all);
                    let all: Vec<_> =
                        all.iter().map(|hit| (f64::from(hit.t), hit.part, hit.is_back_face)).collect();
                    assert_eq!(all, expected, "{what}");
                    match expected.len() {
                        0 => n_misses += 1,
                        1 => n_hits += 1,
                        _ => n_several += 1,
                    }
                }
                assert!(500 < n_misses && 300 < n_hits && 500 < n_several, "{n_misses} {n_hits} {n_several}");
            }

            /// Straight down at corners, edges and amid cells of a field without holes: always a
            /// hit, at the height there.
            #[test]
            fn nothing_falls_through() {
                let mut random = Random::new(4);
                for round in 0..200 {
                    let field = field(&mut random, 3 * round + 1);
                    let high = f64::from(field.aabb().max.y);
                    let [n_x, n_z] = field.n_samples();
                    let (low_corner, high_corner) =
                        (wide(field.sample(0, 0)), wide(field.sample(n_x - 1, n_z - 1)));
                    for _ in 0..50 {
                        let (i, j) = (random.below(n_x as usize) as u32, random.below(n_z as usize) as u32);
                        let (a, b) = (wide(field.sample(i, j)), wide(field.sample(i.max(1) - 1, j)));
                        let at = [a, (a + b) * 0.5, b + (a - b) * random.unit()][random.below(3)];
                        let tilt = [DVec3::ZERO, random.cube_point() * 1e-3, random.cube_point() * 3.0]
                            [random.below(3)];
                        let origin = stored(DVec3::new(at.x, high + 1.0, at.z) + tilt.with_y(0.0));
                        let ray = Ray::new(origin, stored(at) - origin);
                        // If the rounded line leaves the rectangle above the field, there may be
                        // nothing to hit.
                        let passes = |y: f64| {
                            let p = wide(ray.origin)
                                + wide(ray.direction) * ((y - wide(ray.origin).y) / wide(ray.direction).y);
                            low_corner.x < p.x
                                && p.x < high_corner.x
                                && low_corner.z < p.z
                                && p.z < high_corner.z
                        };
                        if passes(high) && passes(f64::from(field.aabb().min.y)) {
                            assert!(field.cast_ray(&ray, Interval::BOTH).is_some(), "{ray:?} {field:?}");
                        }
                    }
                }
            }

            #[test]
            fn ugly_rays_end() {
                let mut random = Random::new(5);
                let ugly = [0.0, -0.0, 1.0, 1e-40, 1e30, f64::MAX, f64::INFINITY, f64::NAN];
                for round in 0..4 {
                    let field = field(&mut random, round);
                    for x in ugly {
                        for y in ugly {
                            for z in ugly {
                                for (o, d) in [
                                    (DVec3::new(x, y, z), DVec3::NEG_Y),
                                    (DVec3::new(0.1, 3.0, 0.2), DVec3::new(x, y, z)),
                                    (DVec3::new(x, 0.1, 0.0), DVec3::new(y, z, 1.0)),
                                ] {
                                    let ray = Ray::new(stored(o), stored(d));
                                    let hit = field.cast_ray(&ray, Interval::FORWARD);
                                    assert!(hit.is_none_or(|hit| 0.0 <= hit.t && hit.normal.is_finite()));
                                    assert_eq!(field.cast_ray(&ray, Interval::new(Real::NAN, 1.0)), None);
                                    assert!(field.cells_in_box(o, d).count() <= field.n_cells() as usize);
                                }
                            }
                        }
                    }
                }
            }

            #[test]
            fn the_first_offender_is_named() {
                let new = |n, spacing, heights: &[f64]| {
                    HeightField::new(n, spacing, heights.iter().map(|&h| h as Real).collect())
                };
                let fine = [0.0; 6];
                assert_eq!(new([1, 6], [1.0, 1.0], &fine), Err(HeightFieldError::TooFew));
                assert_eq!(new([1 << 21, 6], [1.0, 1.0], &fine), Err(HeightFieldError::TooMany));
                assert_eq!(new([1 << 20, 1 << 20], [1.0, 1.0], &fine), Err(HeightFieldError::TooMany));
                assert_eq!(new([2, 2], [1.0, 1.0], &fine), Err(HeightFieldError::Count { given: 6 }));
                for bad in [0.0, -1.0, Real::NAN, Real::INFINITY, Real::MIN_POSITIVE / 4.0] {
                    let error = new([2, 3], [1.0, bad], &fine).unwrap_err();
                    assert!(matches!(error, HeightFieldError::Spacing(_)), "{error}");
                    assert!(error.to_string().contains("spacing_z"), "{error}");
                }
                // The ends would be beyond all numbers.
                assert!(matches!(
                    new([2, 5], [1.0, Real::MAX], &[0.0; 10]),
                    Err(HeightFieldError::Spacing(_))
                ));
                let heights = [0.0, 1.0, f64::NAN, f64::INFINITY, 0.0, 0.0];
                assert_eq!(new([2, 3], [1.0, 1.0], &heights), Err(HeightFieldError::Height { sample: 2 }));
                let field = new([2, 3], [1.0, 1.0], &fine).unwrap();
                assert_eq!(field.clone().with_holes(&[0, 2]), Err(HeightFieldError::Hole { cell: 2 }));
                assert_eq!(field.with_holes(&[1, 1, 0]).unwrap().holes(), [0, 1]);
            }
        }
    };
}

height_field_tests!(single, carom_geom, carom_math, glam::Vec3);
height_field_tests!(double, carom_geom::f64, carom_math::f64, glam::DVec3);
