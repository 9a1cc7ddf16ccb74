//! Contacts beside the seams of a floor, one call at a time. The slides stand in carom-world.

use carom_query::f64 as wide;

macro_rules! suite {
    ($name:ident, $real:ty, $math:path, $geom:path, $query:path) => {
        mod $name {
            use carom_testkit::conform::dice::Dice;
            use geom::{Cuboid, Manifold, Sphere};
            use math::{Pose, Vec3};
            use query::{ManifoldCache, Neighbour, Shape, manifolds, smooth_internal_edges};
            use $geom as geom;
            use $math as math;
            use $query as query;

            const PREDICTION: $real = 0.02;
            const TOLERANCE: $real = 0.001;

            fn tile(length: $real) -> Shape {
                Shape::Cuboid(Cuboid::new(Vec3::new(0.5 * length, 0.25, 1.0)).unwrap())
            }

            /// The contacts of a body with two tiles, the second raised: as found, and smoothed.
            /// `is_a`: the tiles are A.
            fn seam(
                body: &Shape,
                at: Vec3,
                raised: $real,
                is_a: bool,
            ) -> (Vec<Manifold>, Vec<Manifold>, usize) {
                let shapes = [tile(2.0), tile(1.0)];
                let poses = [Vec3::new(-1.0, -0.25, 0.0), Vec3::new(0.5, raised - 0.25, 0.0)]
                    .map(Pose::from_translation);
                let body_pose = Pose::from_translation(at);
                let mut found = Vec::new();
                let mut ranges = Vec::new();
                for (shape, pose) in shapes.iter().zip(&poses) {
                    let first = found.len();
                    let mut cache = ManifoldCache::new();
                    if is_a {
                        manifolds(shape, pose, body, &body_pose, PREDICTION, &mut cache, &mut found);
                    } else {
                        manifolds(body, &body_pose, shape, pose, PREDICTION, &mut cache, &mut found);
                    }
                    ranges.push(first..found.len());
                }
                let neighbours: Vec<_> =
                    (0..2).map(|k| Neighbour::new(&shapes[k], &poses[k], is_a, ranges[k].clone())).collect();
                let mut smooth = found.clone();
                let n =
                    smooth_internal_edges(body, &body_pose, &neighbours, &mut smooth, PREDICTION, TOLERANCE);
                (found, smooth, n)
            }

            fn lean(manifold: &Manifold) -> $real {
                manifold.normal().x.abs()
            }

            /// Balls of one body cross the edges of a flat mesh at the same time. The edge that one
            /// touches is none for the other, which is over the inside of a triangle.
            #[test]
            fn each_ball_of_a_dumbbell_keeps_its_contact() {
                let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
                for i in 0..=20_u32 {
                    let x = 2.7 * i as $real - 10.0;
                    vertices.extend((0..=6).map(|j| Vec3::new(x, 0.0, 1.3 * j as $real - 4.1)));
                    for first in (0..6).map(|j| 7 * i + j).filter(|_| i < 20) {
                        triangles.push([first, first + 1, first + 7]);
                        triangles.push([first + 1, first + 8, first + 7]);
                    }
                }
                let floor = Shape::mesh(vertices, triangles).unwrap();
                let ball = |[x, z]: [$real; 2]| {
                    (Shape::sphere(0.5).unwrap(), Pose::from_translation(Vec3::new(x, 0.0, z)))
                };
                let mut dice = Dice::new(1);
                let mut n_at_edges = 0;
                for positions in [
                    &[[0.0, 1.0], [-2e-4, -1.0]][..],
                    &[[0.0, 1.0], [1e-3, 0.0], [2e-3, -1.0]],
                    &[[0.01, 0.3], [0.0, -0.9]],
                ] {
                    let body = Shape::compound(positions.iter().map(|&at| ball(at)).collect()).unwrap();
                    for k in 0..600 {
                        let line = 2.7 * (k % 9 + 1) as $real - 10.0;
                        let near = [0.03, 3e-4, 3e-6][k % 3] * dice.range(-1.0, 1.0) as $real;
                        let depth = [0.0, 1e-6, 1e-3, 1e-5][k % 4];
                        let at = Vec3::new(line + near, 0.5 - depth, 0.02 * dice.range(0.0, 1.0) as $real);
                        let pose = Pose::from_translation(at);
                        let (mut cache, mut found) = (ManifoldCache::new(), Vec::new());
                        manifolds(&floor, &Pose::IDENTITY, &body, &pose, PREDICTION, &mut cache, &mut found);
                        let neighbour = Neighbour::new(&floor, &Pose::IDENTITY, true, 0..found.len());
                        n_at_edges += usize::from(found.iter().any(|m| 1e-4 < lean(m) && lean(m) < 0.01));
                        smooth_internal_edges(&body, &pose, &[neighbour], &mut found, PREDICTION, TOLERANCE);
                        for part in 0..positions.len() as u32 {
                            let of_part = |m: &&Manifold| m.contacts().iter().any(|c| c.part_b == part);
                            let mut own = found.iter().filter(of_part);
                            let deepest = |m: &Manifold| m.deepest().unwrap().distance;
                            assert!(
                                own.any(|m| lean(m) < 1e-3 && (deepest(m) + depth).abs() < 1e-5),
                                "ball {part} at {at}: {found:?}"
                            );
                        }
                    }
                }
                assert!(100 < n_at_edges, "{n_at_edges}");
            }

            #[test]
            fn a_seam_is_smoothed_and_a_step_is_not() {
                let ball = Shape::Sphere(Sphere::new(0.5).unwrap());
                let brick = Shape::Cuboid(Cuboid::new(Vec3::new(0.4, 0.3, 0.2)).unwrap());
                for is_a in [true, false] {
                    // Both sunk in by 4 mm; the second tile has come 1 mm, and 30 mm, under the
                    // ball and the brick.
                    for (body, at) in
                        [(&ball, Vec3::new(-0.03, 0.496, 0.0)), (&brick, Vec3::new(-0.399, 0.296, 0.1))]
                    {
                        let (found, smooth, n) = seam(body, at, 0.0, is_a);
                        assert!(found.len() == 2 && lean(&found[0]) < 1e-6 && 0.05 < lean(&found[1]));
                        assert_eq!(n, 1, "{body:?}");
                        assert_eq!(smooth[0], found[0]);
                        assert!(smooth[1].is_empty() || lean(&smooth[1]) < 1e-6, "{:?}", smooth[1]);
                        // The brick rests on what is below it of the second tile as well.
                        assert_eq!(smooth[1].is_empty(), matches!(body, Shape::Sphere(_)), "{body:?}");
                        // 2 cm higher the tile is a step, 1 cm lower it is out of reach or below.
                        let (found, smooth, n) = seam(body, at, 0.02, is_a);
                        assert_eq!((n, &smooth), (0, &found), "{body:?}");
                    }
                }
                // The two orders of the bodies mirror each other.
                let at = Vec3::new(-0.399, 0.296, 0.1);
                let (_, one, _) = seam(&brick, at, 0.0, true);
                let (_, other, _) = seam(&brick, at, 0.0, false);
                for (one, other) in one.iter().zip(&other) {
                    let deepest = |m: &Manifold| m.deepest().unwrap().distance;
                    assert!((deepest(one) - deepest(other)).abs() < 1e-6);
                    assert!((one.normal() + other.normal()).abs().max_element() < 1e-6);
                }
            }

            /// Each of two tiles pushed who was deep in both into the other one.
            #[test]
            fn an_exit_into_the_next_tile_is_rejected() {
                let ball = Shape::Sphere(Sphere::new(0.06).unwrap());
                let brick = Shape::Cuboid(Cuboid::new(Vec3::new(0.05, 0.06, 0.04)).unwrap());
                for is_a in [true, false] {
                    for (body, at) in [
                        (&ball, Vec3::new(-0.01, -0.1, 0.0)),
                        (&ball, Vec3::new(0.02, -0.1, 0.0)),
                        (&brick, Vec3::new(-0.01, -0.1, 0.1)),
                    ] {
                        let deepest = |m: &Manifold| m.deepest().unwrap().distance;
                        // Level, both push up; some edge of a body may not be over its tile.
                        let (found, smooth, n) = seam(body, at, 0.0, is_a);
                        assert!(found.iter().all(|m| 0.99 < lean(m)) && found.len() == 2 && 1 <= n);
                        let up: Vec<_> = smooth.iter().filter(|m| !m.is_empty()).collect();
                        assert!(!up.is_empty() && up.iter().all(|m| lean(m) < 1e-6), "{up:?}");
                        assert!((deepest(up[0]) + 0.16).abs() < 1e-5, "{up:?}");
                        // The second tile higher by a step goes on pushing aside, above the first.
                        let (found, smooth, n) = seam(body, at, 0.13, is_a);
                        assert!(found.iter().all(|m| 0.99 < lean(m)) && n == 1, "{found:?}");
                        assert!(lean(&smooth[0]) < 1e-6 && smooth[1] == found[1], "{smooth:?}");
                        assert!((deepest(&smooth[0]) + 0.16).abs() < 1e-5, "{smooth:?}");
                    }
                }
            }

            /// Two floors: one level, up to x = 0, and one at an angle to it. They are strips of
            /// triangles, or two boxes. The body is over the level one. Returns the manifolds as
            /// found, and smoothed.
            fn before_a_bend(
                (body, pose): (&Shape, &Pose),
                angle: $real,
                are_boxes: bool,
                is_a: bool,
            ) -> (Vec<Manifold>, Vec<Manifold>) {
                let here = Pose::IDENTITY;
                let grounds: Vec<(Shape, Pose)> = if are_boxes {
                    let slab = || Shape::cuboid(Vec3::new(1.0, 0.1, 1.0)).unwrap();
                    let turn = math::Quat::from_rotation_z(angle);
                    let next = Pose::new(turn, turn * Vec3::new(1.0, -0.1, 0.0));
                    vec![(slab(), Pose::from_translation(Vec3::new(-1.0, -0.1, 0.0))), (slab(), next)]
                } else {
                    let across = [Vec3::NEG_X * 2.0, Vec3::ZERO, Vec3::new(angle.cos(), angle.sin(), 0.0)];
                    let vertices = across.iter().flat_map(|&at| [at - Vec3::Z, at + Vec3::Z]).collect();
                    let triangles = vec![[0, 1, 2], [1, 3, 2], [2, 3, 4], [3, 5, 4]];
                    vec![(Shape::mesh(vertices, triangles).unwrap(), here)]
                };
                let (mut found, mut neighbours) = (Vec::new(), Vec::new());
                for (ground, at) in &grounds {
                    let (mut cache, start) = (ManifoldCache::new(), found.len());
                    if is_a {
                        manifolds(ground, at, body, pose, PREDICTION, &mut cache, &mut found);
                    } else {
                        manifolds(body, pose, ground, at, PREDICTION, &mut cache, &mut found);
                    }
                    neighbours.push(Neighbour::new(ground, at, is_a, start..found.len()));
                }
                let mut smooth = found.clone();
                smooth_internal_edges(body, pose, &neighbours, &mut smooth, PREDICTION, TOLERANCE);
                (found, smooth)
            }

            /// The normals of contacts towards the body, and the distances of the deepest ones.
            fn normals(manifolds: &[Manifold], is_a: bool) -> Vec<(Vec3, $real)> {
                let towards = |m: &Manifold| if is_a { m.normal() } else { -m.normal() };
                manifolds.iter().filter_map(|m| Some((towards(m), m.deepest()?.distance))).collect()
            }

            /// The contact with a facet ahead leaned back by more than the bend, as the nearest
            /// point of the facet is on its near edge. That of a cylinder was on the rim that goes
            /// down as it rolls.
            #[test]
            fn a_facet_ahead_in_a_valley_has_its_own_normal() {
                let lying = math::Quat::from_rotation_z(core::f64::consts::FRAC_PI_2 as $real);
                let aslant = math::Quat::from_rotation_x(core::f64::consts::FRAC_PI_2 as $real);
                let upright = math::Quat::IDENTITY;
                let capsule = || Shape::capsule(0.3, 0.5).unwrap();
                let brick = Shape::cuboid(Vec3::new(0.4, 0.3, 0.2)).unwrap();
                // The turn of a body, how far its core reaches ahead and down, and its radius.
                let bodies = [
                    (Shape::sphere(0.5).unwrap(), upright, [0.0, 0.0], 0.5),
                    (capsule(), lying, [0.3, 0.0], 0.5),
                    (capsule(), aslant, [0.0, 0.0], 0.5),
                    (capsule(), upright, [0.0, 0.3], 0.5),
                    (Shape::cylinder(0.3, 0.5).unwrap(), aslant, [0.0, 0.0], 0.5),
                    (brick, upright, [0.4, 0.3], 0.0),
                ];
                for (body, turn, [ahead, down], radius) in &bodies {
                    for (angle, height, are_boxes, is_a) in variants() {
                        // Far enough from the edge that the facet is ahead.
                        let gap: $real = if *radius == 0.0 { 0.012 } else { 0.08 };
                        let core = Vec3::new(-gap, radius + height, 0.0);
                        let at = core + Vec3::new(-ahead, *down, 0.13);
                        let pose = Pose::new(*turn, at);
                        let (found, smooth) = before_a_bend((body, &pose), angle, are_boxes, is_a);
                        let context = format!("{body:?}, {angle}, {height}, {are_boxes}, {is_a}: {smooth:?}");
                        // As found, some contact leans back by more than the bend.
                        let leans = |(normal, _): &(Vec3, $real)| normal.x < -1.5 * angle;
                        assert!(normals(&found, is_a).iter().any(leans), "{context}");
                        // The lowest points of the body count, and those of the facet's plane.
                        let face = Vec3::new(-angle.sin(), angle.cos(), 0.0);
                        let distance = face.dot(core) - radius;
                        let mut n_ahead = 0;
                        for (normal, depth) in normals(&smooth, is_a) {
                            let (expected, expected_depth) = if normal.x < -0.5 * angle {
                                n_ahead += 1;
                                (face, distance)
                            } else {
                                (Vec3::Y, height)
                            };
                            assert!((normal - expected).length() < 1e-5, "{normal} {context}");
                            assert!((depth - expected_depth).abs() < 1e-5, "{depth} {context}");
                        }
                        assert!(0 < n_ahead, "{context}");
                        let rises = |m: &&Manifold| m.normal().x.abs() > 0.5 * angle;
                        for contact in smooth.iter().filter(rises).filter_map(Manifold::deepest) {
                            let on_body = if is_a { contact.point_b } else { contact.point_a };
                            let off = (on_body - (core - face * *radius)).with_z(0.0);
                            assert!(off.length() < 1e-4, "{on_body} {context}");
                        }
                    }
                }
            }

            /// Angles of a bend, heights of a body, and the kinds of ground and order.
            fn variants() -> Vec<($real, $real, bool, bool)> {
                let mut all = Vec::new();
                for angle in [0.02, 0.05, 0.09] {
                    for height in [0.0, 0.004, -0.002] {
                        for kind in 0..4 {
                            all.push((angle, height, kind & 1 == 0, kind & 2 == 0));
                        }
                    }
                }
                all
            }

            /// A bend downwards is smoothed as before, and a wall keeps its contacts.
            #[test]
            fn ridges_and_walls_are_no_valleys() {
                let ball = Shape::sphere(0.5).unwrap();
                let brick = Shape::cuboid(Vec3::new(0.4, 0.3, 0.2)).unwrap();
                for is_a in [true, false] {
                    for (body, at) in
                        [(&ball, Vec3::new(-0.05, 0.498, 0.1)), (&brick, Vec3::new(-0.41, 0.298, 0.1))]
                    {
                        for angle in [-0.02, -0.2] {
                            let pose = Pose::from_translation(at);
                            let (_, smooth) = before_a_bend((body, &pose), angle, false, is_a);
                            let normals = normals(&smooth, is_a);
                            assert!(!normals.is_empty());
                            for (normal, _) in normals {
                                assert!((normal - Vec3::Y).length() < 1e-5, "{angle}: {smooth:?}");
                            }
                        }
                        // The wall is 1 cm ahead. The brick has sunk in the floor by 2 mm.
                        let ahead = if core::ptr::eq(body, &ball) { 0.51 } else { 0.41 };
                        let pose = Pose::from_translation(at.with_x(-ahead));
                        let up = core::f64::consts::FRAC_PI_2 as $real;
                        let (_, smooth) = before_a_bend((body, &pose), up, false, is_a);
                        let normals = normals(&smooth, is_a);
                        let wall = normals.iter().filter(|(normal, _)| normal.x < -0.5);
                        assert!(0 < wall.clone().count(), "{smooth:?}");
                        for (normal, distance) in wall {
                            assert!((*normal - Vec3::NEG_X).length() < 1e-5, "{smooth:?}");
                            assert!((distance - 0.01).abs() < 1e-5, "{smooth:?}");
                        }
                    }
                }
            }

            #[test]
            fn nothing_and_nonsense_change_nothing() {
                let ball = Shape::Sphere(Sphere::new(0.5).unwrap());
                let here = Pose::IDENTITY;
                let mut none: Vec<Manifold> = vec![Manifold::new(Vec3::Y); 2];
                // Ranges past the end, empty manifolds, no neighbours.
                let odd =
                    [Neighbour::new(&ball, &here, true, 0..7), Neighbour::new(&ball, &here, false, 5..9)];
                assert_eq!(smooth_internal_edges(&ball, &here, &odd, &mut none, 0.1, 0.0), 0);
                assert_eq!(smooth_internal_edges(&ball, &here, &[], &mut none, 0.1, 0.0), 0);
                assert_eq!(smooth_internal_edges(&ball, &here, &odd, &mut [], 0.1, 0.0), 0);
            }
        }
    };
}

suite!(narrow, f32, carom_math, carom_geom, carom_query);
suite!(double, f64, carom_math::f64, carom_geom::f64, super::wide);
