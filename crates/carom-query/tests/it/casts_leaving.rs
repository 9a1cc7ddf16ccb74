//! Casts that start in contact and do not stop at it, in both precisions.

use glam::{DQuat, DVec3};

macro_rules! both {
    ($name:ident, $real:ty, $vec3:ty, $pose:ty, $geom:path, $query:path) => {
        #[allow(unused_qualifications)] // The same text for both precisions.
        mod $name {
            use super::*;
            use carom_query::{ImpactSettings, Motion, TimeOfImpact};
            use query::{Compound, CompoundPart, HeightFieldShape, MeshShape, Shape, cast};
            use std::sync::Arc;
            use $geom as geom;
            use $query as query;

            const HEIGHTS: [f64; 3] = [1.499, 1.5, 1.2];

            fn v(x: $real, y: $real, z: $real) -> $vec3 {
                <$vec3>::new(x, y, z)
            }

            fn cuboid(half: $vec3) -> Shape {
                Shape::Cuboid(geom::Cuboid::new(half).unwrap())
            }

            fn corners(half: $vec3, at: $vec3) -> Vec<$vec3> {
                let side = |i: u32, bit: u32| if i & bit == 0 { -1.0 } else { 1.0 };
                (0..8).map(|i| at + half * v(side(i, 1), side(i, 2), side(i, 4))).collect()
            }

            /// One mesh of some boxes.
            fn mesh(boxes: &[($vec3, $vec3)]) -> Shape {
                let quads =
                    [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
                let (mut vertices, mut indices) = (Vec::new(), Vec::new());
                for &(half, at) in boxes {
                    let first = vertices.len() as u32;
                    vertices.extend(corners(half, at));
                    for q in quads.map(|q| q.map(|i: u32| i + first)) {
                        indices.extend([[q[0], q[1], q[2]], [q[0], q[2], q[3]]]);
                    }
                }
                Shape::Mesh(Arc::new(MeshShape::new(geom::TriMesh::new(vertices, indices).unwrap()).unwrap()))
            }

            fn compound(boxes: &[($vec3, $vec3)]) -> Shape {
                let part = |&(half, at): &($vec3, $vec3)| CompoundPart {
                    shape: cuboid(half),
                    pose: <$pose>::from_translation(at),
                };
                Shape::Compound(Arc::new(Compound::new(boxes.iter().map(part).collect()).unwrap()))
            }

            fn compound_of_meshes(boxes: &[($vec3, $vec3)]) -> Shape {
                let part =
                    |one: &($vec3, $vec3)| CompoundPart { shape: mesh(&[*one]), pose: <$pose>::IDENTITY };
                Shape::Compound(Arc::new(Compound::new(boxes.iter().map(part).collect()).unwrap()))
            }

            /// A flat floor at the height 1, in tiles of side 2.
            fn tiles() -> Vec<($vec3, $vec3)> {
                let at = |k: i32| v((k % 12 - 6) as $real * 2.0, 0.0, (k / 12 - 3) as $real * 2.0);
                (0..12 * 6).map(|k| (v(1.0, 1.0, 1.0), at(k))).collect()
            }

            fn sheet() -> Shape {
                let n = 33_u32;
                let at = |k: u32| v((k % n) as $real * 0.5 - 8.0, 1.0, (k / n) as $real * 0.5 - 8.0);
                let mut indices = Vec::new();
                for k in (0..n * (n - 1)).filter(|k| k % n != n - 1) {
                    indices.extend([[k, k + n, k + 1], [k + 1, k + n, k + n + 1]]);
                }
                let mesh = geom::TriMesh::new((0..n * n).map(at).collect(), indices).unwrap();
                Shape::Mesh(Arc::new(MeshShape::new(mesh).unwrap()))
            }

            /// Floors whose top is at 1, and where they stand.
            fn floors() -> Vec<(&'static str, Shape, DVec3)> {
                let whole = [(v(8.0, 1.0, 8.0), v(0.0, 0.0, 0.0))];
                let halves = [(v(4.0, 1.0, 8.0), v(-4.0, 0.0, 0.0)), (v(4.0, 1.0, 8.0), v(4.0, 0.0, 0.0))];
                let hull = geom::ConvexHull::from_points(&corners(whole[0].0, whole[0].1)).unwrap();
                let plane = geom::HalfSpace::new(v(0.0, 1.0, 0.0)).unwrap();
                let flat = geom::HeightField::new([17, 17], [1.0, 1.0], vec![0.0; 17 * 17]).unwrap();
                vec![
                    ("cuboid", cuboid(whole[0].0), DVec3::ZERO),
                    ("hull", Shape::Hull(Arc::new(hull)), DVec3::ZERO),
                    ("half-space", Shape::HalfSpace(plane), DVec3::Y),
                    ("mesh", mesh(&whole), DVec3::ZERO),
                    ("halves", compound(&halves), DVec3::ZERO),
                    ("mesh of halves", mesh(&halves), DVec3::ZERO),
                    ("meshes", compound_of_meshes(&halves), DVec3::ZERO),
                    ("tiles", compound(&tiles()), DVec3::ZERO),
                    ("sheet", sheet(), DVec3::ZERO),
                    (
                        "height field",
                        Shape::HeightField(Arc::new(HeightFieldShape::new(flat).unwrap())),
                        DVec3::Y,
                    ),
                ]
            }

            fn ball() -> Shape {
                Shape::Sphere(geom::Sphere::new(0.5).unwrap())
            }

            /// Shapes that reach 0.5 below their origin.
            fn movers() -> Vec<(&'static str, Shape)> {
                let half = v(0.5, 0.5, 0.5);
                let hull = geom::ConvexHull::from_points(&corners(half, v(0.0, 0.0, 0.0))).unwrap();
                vec![
                    ("ball", ball()),
                    ("capsule", Shape::Capsule(geom::Capsule::new(0.25, 0.25).unwrap())),
                    ("cuboid", cuboid(half)),
                    ("hull", Shape::Hull(Arc::new(hull))),
                    ("cylinder", Shape::Cylinder(geom::Cylinder::new(0.5, 0.5).unwrap())),
                    ("cone", Shape::Cone(geom::Cone::new(0.5, 0.5).unwrap())),
                    ("ellipsoid", Shape::Ellipsoid(geom::Ellipsoid::new(v(0.75, 0.5, 0.625)).unwrap())),
                    (
                        "compound",
                        compound(&[
                            (v(0.25, 0.5, 0.25), v(0.25, 0.0, 0.0)),
                            (v(0.25, 0.5, 0.25), v(-0.25, 0.0, 0.0)),
                        ]),
                    ),
                ]
            }

            fn still(at: DVec3) -> Motion {
                Motion::fixed(DQuat::IDENTITY, at).unwrap()
            }

            fn moving(from: DVec3, linear: DVec3, angular: DVec3) -> Motion {
                Motion::new(DQuat::IDENTITY, from, DVec3::ZERO, linear, angular).unwrap()
            }

            fn leaving() -> ImpactSettings {
                ImpactSettings::default().with_stop_at_penetration(false)
            }

            /// Both orders, which agree about what they find.
            fn both_orders(
                a: (&Shape, &Motion),
                b: (&Shape, &Motion),
                settings: &ImpactSettings,
            ) -> TimeOfImpact {
                let there = cast(a.0, a.1, b.0, b.1, settings);
                let back = cast(b.0, b.1, a.0, a.1, settings);
                assert_eq!(
                    matches!(there, TimeOfImpact::Clear(_)),
                    matches!(back, TimeOfImpact::Clear(_)),
                    "{there:?} {back:?}"
                );
                there
            }

            fn hits_at(answer: &TimeOfImpact, time: f64, what: &str) {
                let hit = answer.hit().unwrap_or_else(|| panic!("{what}: {answer:?}"));
                let slack = 1e-3;
                assert!(hit.t_lo <= time + slack && time - slack <= hit.t_hi, "{what}: {time} {hit:?}");
                assert!(hit.t_hi - hit.t_lo < slack, "{what}: {hit:?}");
            }

            #[test]
            fn separating_and_sliding_shapes_are_clear() {
                for (floor_name, floor, at) in floors() {
                    for (name, mover) in movers() {
                        for height in HEIGHTS {
                            for velocity in [
                                DVec3::Y * 3.0,
                                DVec3::X * 3.0,
                                DVec3::new(-2.0, 0.0, 1.5),
                                DVec3::new(1.7, 0.4, -0.3),
                                DVec3::ZERO,
                            ] {
                                let what = format!("{name} over {floor_name} at {height} by {velocity}");
                                let motion = moving(DVec3::new(-0.3, height, 0.2), velocity, DVec3::ZERO);
                                let (a, b) = ((&floor, &still(at)), (&mover, &motion));
                                let answer = both_orders(a, b, &leaving());
                                assert!(matches!(answer, TimeOfImpact::Clear(_)), "{what}: {answer:?}");
                                if height < 1.5 && at == DVec3::ZERO && floor_name != "sheet" {
                                    let answer = both_orders(a, b, &ImpactSettings::default());
                                    assert!(answer.hit().is_some_and(|hit| hit.t_lo == 0.0), "{what}");
                                }
                            }
                        }
                    }
                }
            }

            #[test]
            fn an_approach_is_a_hit_at_the_start() {
                for (floor_name, floor, at) in floors() {
                    for (name, mover) in movers() {
                        for height in HEIGHTS {
                            for velocity in
                                [DVec3::Y * -2.0, DVec3::new(3.0, -0.3, 0.0), DVec3::new(0.4, -3.0, 2.0)]
                            {
                                let what = format!("{name} over {floor_name} at {height} by {velocity}");
                                let motion = moving(DVec3::new(-0.3, height, 0.2), velocity, DVec3::ZERO);
                                let answer = both_orders((&floor, &still(at)), (&mover, &motion), &leaving());
                                // A shape that only touches is undecided then.
                                let begins = answer.safe_until(1.0);
                                assert!(begins < 1e-3, "{what}: {answer:?}");
                                if height < 1.5 {
                                    hits_at(&answer, 0.0, &what);
                                    let normal = answer.hit().unwrap().normal;
                                    assert!(normal.dot(velocity) < 0.0, "{what}: {answer:?}");
                                }
                            }
                        }
                    }
                }
            }

            /// A floor, a wall whose face is at x = 3.5, and a ceiling at y = 3.5.
            fn rooms() -> Vec<(&'static str, Shape)> {
                let boxes = [
                    (v(8.0, 1.0, 8.0), v(0.0, 0.0, 0.0)),
                    (v(0.5, 2.5, 8.0), v(4.0, 2.5, 0.0)),
                    (v(8.0, 0.5, 8.0), v(0.0, 4.0, 0.0)),
                ];
                let mut tiled = tiles();
                tiled.extend([boxes[1], boxes[2]]);
                vec![
                    ("mesh", mesh(&boxes)),
                    ("compound", compound(&boxes)),
                    ("compound of meshes", compound_of_meshes(&boxes)),
                    ("tiles", compound(&tiled)),
                ]
            }

            #[test]
            fn a_later_obstacle_is_a_hit() {
                for (room_name, room) in rooms() {
                    for (name, mover) in movers() {
                        let side = f64::from(mover.aabb(&<$pose>::IDENTITY).max.x);
                        let top = f64::from(mover.aabb(&<$pose>::IDENTITY).max.y);
                        for height in HEIGHTS {
                            for target in [0.0, 0.01] {
                                let settings = leaving().with_target_distance(target);
                                let what = format!("{name} in {room_name} at {height}, {target}");
                                let cast_by = |velocity| {
                                    let motion = moving(DVec3::new(-0.3, height, 0.2), velocity, DVec3::ZERO);
                                    both_orders((&room, &still(DVec3::ZERO)), (&mover, &motion), &settings)
                                };
                                let along = cast_by(DVec3::X * 8.0);
                                hits_at(&along, (3.5 + 0.3 - side - target) / 8.0, &what);
                                assert!(along.hit().unwrap().normal.x < -0.99, "{what}: {along:?}");
                                let up = cast_by(DVec3::Y * 8.0);
                                hits_at(&up, (3.5 - top - height - target) / 8.0, &what);
                                let oblique = cast_by(DVec3::new(8.0, 0.5, 0.0));
                                hits_at(&oblique, (3.5 + 0.3 - side - target) / 8.0, &what);
                                let short = cast_by(DVec3::X * 2.0);
                                assert!(matches!(short, TimeOfImpact::Clear(_)), "{what}: {short:?}");
                            }
                        }
                    }
                }
            }

            #[test]
            fn contact_within_the_target_distance_is_left_too() {
                let settings = leaving().with_target_distance(0.02);
                for (floor_name, floor, at) in floors() {
                    for height in [1.51, 1.5, 1.499] {
                        for velocity in [DVec3::Y, DVec3::X * 2.0] {
                            let motion = moving(DVec3::new(0.1, height, 0.0), velocity, DVec3::ZERO);
                            let answer = both_orders((&floor, &still(at)), (&ball(), &motion), &settings);
                            assert!(matches!(answer, TimeOfImpact::Clear(_)), "{floor_name}: {answer:?}");
                        }
                        let motion = moving(DVec3::new(0.1, height, 0.0), DVec3::NEG_Y, DVec3::ZERO);
                        let answer = both_orders((&floor, &still(at)), (&ball(), &motion), &settings);
                        hits_at(&answer, 0.0, floor_name);
                    }
                }
            }

            /// A ball rolls, and other shapes spin about the vertical.
            #[test]
            fn shapes_that_turn_on_a_floor_slide() {
                for (floor_name, floor, at) in floors() {
                    for height in [1.499, 1.5] {
                        let from = DVec3::new(-0.3, height, 0.2);
                        let roll = moving(from, DVec3::X * 2.0, DVec3::Z * -4.0);
                        let answer = both_orders((&floor, &still(at)), (&ball(), &roll), &leaving());
                        assert!(matches!(answer, TimeOfImpact::Clear(_)), "{floor_name}: {answer:?}");
                        for (name, mover) in [&movers()[1], &movers()[4]] {
                            for velocity in [DVec3::Y, DVec3::ZERO] {
                                let spin = moving(from, velocity, DVec3::Y * 5.0);
                                let answer = both_orders((&floor, &still(at)), (mover, &spin), &leaving());
                                let what = format!("{name} on {floor_name} at {height}");
                                assert!(matches!(answer, TimeOfImpact::Clear(_)), "{what}: {answer:?}");
                            }
                        }
                    }
                }
            }

            #[test]
            fn a_plank_that_turns_into_the_floor_is_a_hit() {
                let plank = cuboid(v(2.0, 0.125, 0.25));
                for (name, floor, at) in floors() {
                    let down = moving(DVec3::Y * 1.125, DVec3::ZERO, DVec3::Z);
                    let answer = both_orders((&floor, &still(at)), (&plank, &down), &leaving());
                    let begins = answer.safe_until(1.0);
                    assert!(
                        begins <= 1e-3 && !matches!(answer, TimeOfImpact::Clear(_)),
                        "{name}: {answer:?}"
                    );
                }
            }

            /// A plank that stands on one of its ends, turns that one up and meets the floor with
            /// the other.
            #[test]
            fn a_plank_meets_the_floor_with_its_other_end() {
                let plank = cuboid(v(2.0, 0.125, 0.25));
                let (angle, rate) = (0.25_f64, 1.5);
                let height = 1.0 + 2.0 * angle.sin() + 0.125 * angle.cos();
                for (name, floor, at) in floors() {
                    for sunk in [0.0, 1e-3] {
                        let motion = Motion::new(
                            DQuat::from_rotation_z(-angle),
                            DVec3::new(0.1, height - sunk, 0.0),
                            DVec3::ZERO,
                            DVec3::ZERO,
                            DVec3::Z * rate,
                        )
                        .unwrap();
                        let answer = both_orders((&floor, &still(at)), (&plank, &motion), &leaving());
                        let time = 2.0 * angle / rate;
                        let hit = answer.hit().unwrap_or_else(|| panic!("{name}: {answer:?}"));
                        assert!((hit.t_hi - time).abs() < 2e-3, "{name} {sunk}: {time} {hit:?}");
                        assert!(hit.point_b.x < -1.5, "{name}: {hit:?}");
                    }
                }
            }

            /// A spinning capsule that slides along the floor meets the wall.
            #[test]
            fn a_spinning_shape_meets_a_later_obstacle() {
                let capsule = movers().swap_remove(1).1;
                for (name, room) in rooms() {
                    let motion = moving(DVec3::new(-0.3, 1.499, 0.2), DVec3::X * 8.0, DVec3::Y * 3.0);
                    let answer = both_orders((&room, &still(DVec3::ZERO)), (&capsule, &motion), &leaving());
                    hits_at(&answer, (3.8 - 0.25) / 8.0, name);
                    let rises = moving(DVec3::new(-0.3, 1.499, 0.2), DVec3::Y * 8.0, DVec3::Y * 3.0);
                    let answer = both_orders((&room, &still(DVec3::ZERO)), (&capsule, &rises), &leaving());
                    hits_at(&answer, (3.5 - 0.5 - 1.499) / 8.0, name);
                }
            }

            #[test]
            fn a_mesh_leaves_a_mesh() {
                let mover = mesh(&[(v(0.5, 0.5, 0.5), v(0.0, 0.0, 0.0))]);
                for (name, room) in &rooms()[..3] {
                    for height in [1.499, 1.5] {
                        for velocity in [DVec3::Y * 8.0, DVec3::X * 8.0] {
                            let motion = moving(DVec3::new(-0.3, height, 0.2), velocity, DVec3::ZERO);
                            let answer =
                                both_orders((room, &still(DVec3::ZERO)), (&mover, &motion), &leaving());
                            let time = if velocity.x == 0.0 { (3.0 - height) / 8.0 } else { 3.3 / 8.0 };
                            hits_at(&answer, time, &format!("{name} {height} {velocity}"));
                        }
                        let down = moving(DVec3::new(-0.3, height, 0.2), DVec3::NEG_Y, DVec3::ZERO);
                        let answer = both_orders((room, &still(DVec3::ZERO)), (&mover, &down), &leaving());
                        // Exact touching is undecided against some floors.
                        let is_hit = answer.hit().is_some() || height == 1.5;
                        assert!(is_hit && answer.safe_until(1.0) == 0.0, "{name}: {answer:?}");
                    }
                }
            }

            /// In a corner both walls are left, or one is approached.
            #[test]
            fn each_contact_of_a_corner_counts() {
                let (name, room) = rooms().swap_remove(0);
                let from = DVec3::new(2.999 + 0.002, 1.499, 0.2);
                for (velocity, is_hit) in [
                    (DVec3::new(-1.0, 1.0, 0.0), false),
                    (DVec3::Z, false),
                    (DVec3::new(1.0, 1.0, 0.0), true),
                    (DVec3::new(-1.0, -1.0, 0.0), true),
                ] {
                    let motion = moving(from, velocity, DVec3::ZERO);
                    let answer = both_orders((&room, &still(DVec3::ZERO)), (&ball(), &motion), &leaving());
                    assert_eq!(answer.hit().is_some(), is_hit, "{name} {velocity}: {answer:?}");
                    if is_hit {
                        hits_at(&answer, 0.0, name);
                    }
                }
            }

            /// Both move: only the relative velocity counts. The floor is turned and far away.
            #[test]
            fn a_slope_that_moves_is_left() {
                let turn = DQuat::from_rotation_z(0.4);
                let origin = DVec3::new(100.0, -40.0, 30.0);
                let up = turn * DVec3::Y;
                let along = turn * DVec3::X;
                let drift = DVec3::new(3.0, -5.0, 1.0);
                for (name, floor, at) in floors() {
                    let base =
                        Motion::new(turn, origin + turn * at, DVec3::ZERO, drift, DVec3::ZERO).unwrap();
                    for (velocity, is_hit) in [(up, false), (along * 2.0, false), (along - up * 0.1, true)] {
                        let motion = moving(origin + up * 1.499, drift + velocity, DVec3::ZERO);
                        let answer = both_orders((&floor, &base), (&ball(), &motion), &leaving());
                        assert_eq!(answer.hit().is_some(), is_hit, "{name} {velocity}: {answer:?}");
                    }
                }
            }
        }
    };
}

both!(single, f32, carom_math::Vec3, carom_math::Pose, carom_geom, carom_query);
both!(double, f64, DVec3, carom_math::f64::Pose, carom_geom::f64, carom_query::f64);
