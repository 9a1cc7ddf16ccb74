//! Signed distance fields against everything, held against the shapes that they were baked from.

use crate::zoo::{box_mesh, shapes};
use carom_geom::{Capsule, Cuboid, HalfSpace, Sphere, TriMesh};
use carom_math::{Interval, Pose, Quat, Ray, Vec3, tol};
use carom_query::{
    Compound, CompoundPart, ImpactSettings, ManifoldCache, MeshShape, Outcome, Proof, Shape, TimeOfImpact,
    cast, cast_ray, cast_ray_all, contact, distance, intersects, manifolds, motion_of, project_point,
};
use carom_scenes::mesh::torus;
use carom_sdf::{Accuracy, BakeSettings, Field, FieldShape, Grid, SdfGrid, SparseSdf};
use carom_testkit::random::Random;
use glam::{DVec3, IVec3, UVec3};
use std::sync::Arc;

const HALF: Vec3 = Vec3::new(0.5, 0.4, 0.3);

fn random_pose(random: &mut Random, reach: f32) -> Pose {
    let turn = Quat::from_scaled_axis(random.cube_point().as_vec3() * 2.0);
    Pose::new(turn, random.cube_point().as_vec3() * reach)
}

fn settings() -> BakeSettings {
    BakeSettings::default().with_resolution(20)
}

fn dense(mesh: &TriMesh) -> Shape {
    Shape::Field(Arc::new(FieldShape::new(SdfGrid::from_mesh(mesh, &settings()).unwrap())))
}

/// With values near the surface alone.
fn sparse(mesh: &TriMesh) -> Shape {
    let field = SparseSdf::from_mesh(mesh, &settings().with_band(3.0)).unwrap();
    Shape::Field(Arc::new(FieldShape::new(field)))
}

/// How far an answer may be off: the bound of the samples, and what the search leaves open.
fn bound(field: &Shape) -> f32 {
    let Shape::Field(field) = field else { panic!("a field") };
    (field.error_bound() + tol::FIELD_SEARCH * field.resolution()) as f32 + 1e-5
}

fn ring() -> TriMesh {
    let data = torus(0.4, 0.18, 300);
    TriMesh::new(data.vertices_f32(), data.triangles).unwrap()
}

/// Apart and touching, the distance of a box's field from anything is that of the box, also beyond
/// the grid and the band.
#[test]
fn distances_are_those_of_the_shape_within_the_bound() {
    let truth = Shape::Cuboid(Cuboid::new(HALF).unwrap());
    let mesh = box_mesh(HALF);
    for field in [dense(&mesh), sparse(&mesh)] {
        for (name, other) in shapes() {
            let slack = bound(&field) + if name == "field" { 2.0 * bound(&other) } else { 0.0 };
            let (mut random, mut n_apart) = (Random::new(3), 0);
            for round in 0..12 {
                let pose_a = random_pose(&mut random, 0.3);
                let pose_b = random_pose(&mut random, 0.3 * round as f32);
                let found = distance(&field, &pose_a, &other, &pose_b);
                let exact = distance(&truth, &pose_a, &other, &pose_b);
                let error = (found.distance - exact.distance).abs();
                assert!(error <= slack, "{name}: {found:?} {exact:?}, {pose_a:?} {pose_b:?}");
                n_apart += u32::from(0.0 < exact.distance);
                // The outcome says as much.
                if let Outcome::Within(within) = found.outcome {
                    assert!(0.0 == found.distance || f64::from(error) <= within + 1e-5, "{name}: {found:?}");
                }
                // A contact is the same place, where there is one.
                let near = contact(&field, &pose_a, &other, &pose_b, 0.1);
                if exact.distance < 0.1 - slack {
                    let near = near.unwrap_or_else(|| panic!("{name}: {exact:?}"));
                    let apart = near.contact.point_b - near.contact.point_a;
                    assert!(
                        (apart.dot(near.contact.normal) - near.contact.distance).abs() < 1e-5,
                        "{near:?}"
                    );
                    assert!(
                        (near.contact.distance.max(0.0) - exact.distance).abs() <= slack,
                        "{name}: {near:?}"
                    );
                } else if 0.1 + slack < exact.distance {
                    assert!(near.is_none(), "{name}: {near:?} {exact:?}");
                }
            }
            assert!(3 < n_apart || name == "half-space", "{name}: {n_apart}");
        }
    }
}

/// The ground below a plane ends at the border of its grid: it is a box for other shapes, points
/// and rays.
#[test]
fn r_a_solid_ends_at_the_border_of_its_grid() {
    let grid = Grid::new(0.125, IVec3::splat(-8), UVec3::splat(16)).unwrap();
    let (low, high) = grid.wide_bounds();
    let ground = |p: DVec3| p.y;
    let (half, middle) = (Vec3::new(1.0, 0.5, 1.0), Pose::from_translation(Vec3::NEG_Y * 0.5));
    let truth = Shape::Cuboid(Cuboid::new(half).unwrap());
    for band in [f32::INFINITY, 3.0] {
        let settings = BakeSettings::default().with_grid(grid).with_band(band);
        let field = SdfGrid::from_function(low, high, &settings, Accuracy::Exact, ground).unwrap();
        let field = Shape::Field(Arc::new(FieldShape::new(field)));
        let names = ["sphere", "capsule", "cuboid", "torus"];
        for (name, other) in shapes().into_iter().filter(|(name, _)| names.contains(name)) {
            let (slack, mut random, mut n_below) = (bound(&field), Random::new(13), 0);
            for round in 0..60 {
                let pose = random_pose(&mut random, 0.08 * round as f32);
                let found = distance(&field, &Pose::IDENTITY, &other, &pose).distance;
                let exact = distance(&truth, &middle, &other, &pose).distance;
                assert!((found - exact).abs() <= slack, "{name}, {band}: {found} {exact}, {pose:?}");
                n_below += u32::from(slack < exact && pose.translation.y < -1.0);
            }
            assert!(0 < n_below, "{name}");
        }
        // Points below and beside it are outside, and rays meet it where it ends.
        for axis in [Vec3::NEG_Y, Vec3::X, Vec3::NEG_Z] {
            let (side, inner) = (Vec3::NEG_Y * 0.5 * (1.0 - axis.y.abs()) + axis, axis * 0.05);
            let found = project_point(&field, &Pose::IDENTITY, side + axis * 0.3).unwrap();
            assert!((found.distance - 0.3).abs() < bound(&field), "{axis}: {found:?}");
            assert!((found.point - side).length() < 2.0 * bound(&field), "{axis}: {found:?}");
            let found = project_point(&field, &Pose::IDENTITY, side - inner).unwrap();
            assert!((found.distance + 0.05).abs() < bound(&field), "{axis}: {found:?}");
            let ray = Ray::new(side + axis, -axis);
            let hit = cast_ray(&field, &Pose::IDENTITY, &ray, Interval::new(0.0, 3.0)).unwrap();
            assert!((hit.t - 1.0).abs() < 1e-5, "{axis}: {hit:?}");
        }
    }
}

/// The depth of two shapes that overlap is that of the deepest point of the other one.
#[test]
fn depths_are_those_of_the_deepest_point() {
    let (mesh, mut random, mut n_deep) = (box_mesh(HALF), Random::new(5), 0);
    let truth = Shape::Cuboid(Cuboid::new(HALF).unwrap());
    let field = dense(&mesh);
    let slack = bound(&field);
    let half = Vec3::new(0.3, 0.2, 0.25);
    let (n, spacing) = (8, 2.0 * half.length() / 8.0);
    let others = [
        (Shape::Cuboid(Cuboid::new(half).unwrap()), half, 0.0),
        (Shape::Capsule(Capsule::new(0.2, 0.15).unwrap()), Vec3::Y * 0.2, 0.15),
        (Shape::Sphere(Sphere::new(0.25).unwrap()), Vec3::ZERO, 0.25),
    ];
    for (other, half, margin) in &others {
        for round in 0..60 {
            let (pose_a, pose_b) =
                (random_pose(&mut random, 0.2), random_pose(&mut random, 0.015 * round as f32));
            let mut deepest = f32::INFINITY;
            for k in 0..(n + 1) * (n + 1) * (n + 1) {
                let coordinate_of = |i: i32| i as f32 / n as f32 * 2.0 - 1.0;
                let at = Vec3::new(
                    coordinate_of(k % (n + 1)),
                    coordinate_of(k / (n + 1) % (n + 1)),
                    coordinate_of(k / (n + 1) / (n + 1)),
                );
                let point = pose_b.transform_point(at * *half);
                deepest = deepest.min(project_point(&truth, &pose_a, point).unwrap().distance - margin);
            }
            let found = contact(&field, &pose_a, other, &pose_b, 0.0);
            let Some(found) = found else {
                assert!(-slack <= deepest, "{deepest} {pose_a:?} {pose_b:?}");
                continue;
            };
            n_deep += 1;
            let depth = found.contact.distance;
            let coarse = if *half == Vec3::ZERO { 0.0 } else { 0.5 * spacing };
            assert!(deepest - coarse - slack <= depth && depth <= deepest + slack, "{deepest} {found:?}");
            assert!(found.is_local && (found.contact.normal.length() - 1.0).abs() < 1e-5, "{found:?}");
        }
    }
    assert!(100 < n_deep, "{n_deep}");
}

#[test]
fn points_and_rays_meet_the_surface() {
    let mut random = Random::new(6);
    for (mesh, name) in [(box_mesh(HALF), "box"), (ring(), "ring")] {
        let truth = Shape::Mesh(Arc::new(MeshShape::new(mesh.clone()).unwrap()));
        for field in [dense(&mesh), sparse(&mesh)] {
            let slack = bound(&field);
            let (mut n_inside, mut n_hits, mut n_misses) = (0, 0, 0);
            for round in 0..200 {
                let pose = random_pose(&mut random, 0.5);
                let point = random.cube_point().as_vec3() * if round % 2 == 0 { 0.8 } else { 4.0 };
                let found = project_point(&field, &pose, point).unwrap();
                let exact = project_point(&truth, &pose, point).unwrap();
                // Deeper than the band it is as deep as that.
                let is_cut = found.distance < 0.0 && exact.distance < -0.1;
                let error = (found.distance - exact.distance).abs();
                assert!(error <= slack || is_cut, "{name}: {found:?} {exact:?}");
                assert!(
                    (found.point.distance(point) - found.distance.abs()).abs() < 1e-4,
                    "{name}: {found:?}"
                );
                n_inside += u32::from(found.is_inside);
                assert!(
                    found.is_inside == exact.is_inside || exact.distance.abs() <= slack,
                    "{name}: {found:?}"
                );

                let target = pose.transform_point(random.cube_point().as_vec3() * 0.5);
                let ray = Ray::new(point, target - point);
                let mut all = Vec::new();
                cast_ray_all(&field, &pose, &ray, Interval::BOTH, &mut all);
                let first = cast_ray(&field, &pose, &ray, Interval::BOTH);
                assert_eq!(all.first(), first.as_ref(), "{name}");
                assert!(all.len().is_multiple_of(2), "{name}: {all:?}");
                for (k, hit) in all.iter().enumerate() {
                    n_hits += 1;
                    let on = project_point(&truth, &pose, ray.at(hit.t)).unwrap();
                    assert!(
                        on.distance.abs() <= slack && hit.is_back_face == (k % 2 == 1),
                        "{name}: {hit:?}"
                    );
                }
                // No place is missed that is deeper than the bound.
                for k in 0..100 {
                    let t = 0.03 * k as f32 - 0.5;
                    let is_in = all.iter().filter(|hit| hit.t <= t).count() % 2 == 1;
                    let depth = project_point(&truth, &pose, ray.at(t)).unwrap().distance;
                    assert!(is_in || -slack <= depth, "{name}: {t} {depth} {all:?}");
                    assert!(!is_in || depth <= slack, "{name}: {t} {depth} {all:?}");
                }
                n_misses += u32::from(all.is_empty());
            }
            assert!(1 < n_inside && 50 < n_hits && 5 < n_misses, "{name}: {n_inside} {n_hits} {n_misses}");
        }
    }
}

/// A plate thinner than a cell, and a sheet that has no sides: their places are known as well as
/// those of thick bodies.
#[test]
fn thin_plates_and_sheets_are_not_lost() {
    let plate = box_mesh(Vec3::new(0.5, 0.005, 0.5));
    let corners = [
        Vec3::new(-0.5, 0.0, -0.5),
        Vec3::new(0.5, 0.0, -0.5),
        Vec3::new(0.5, 0.0, 0.5),
        Vec3::new(-0.5, 0.0, 0.5),
    ];
    let sheet = TriMesh::new(corners.to_vec(), vec![[0, 1, 2], [0, 2, 3]]).unwrap();
    let others =
        [Shape::Sphere(Sphere::new(0.2).unwrap()), Shape::Cuboid(Cuboid::new(Vec3::splat(0.15)).unwrap())];
    for mesh in [plate, sheet] {
        let truth = Shape::Mesh(Arc::new(MeshShape::new(mesh.clone()).unwrap()));
        let field = dense(&mesh);
        let (mut random, slack) = (Random::new(8), bound(&field));
        for round in 0..60 {
            let (pose_a, pose_b) =
                (random_pose(&mut random, 0.2), random_pose(&mut random, 0.03 * round as f32));
            for other in &others {
                let found = distance(&field, &pose_a, other, &pose_b).distance;
                let exact = distance(&truth, &pose_a, other, &pose_b).distance;
                assert!((found - exact).abs() <= slack, "{found} {exact} {pose_a:?} {pose_b:?}");
            }
        }
    }
    let Shape::Field(field) = dense(&TriMesh::new(corners.to_vec(), vec![[0, 1, 2], [0, 2, 3]]).unwrap())
    else {
        panic!("a field")
    };
    assert!(!field.has_inside());
    let on = project_point(&Shape::Field(field), &Pose::IDENTITY, Vec3::new(0.1, 0.3, 0.0)).unwrap();
    assert!(on.inside.is_none() && (on.distance - 0.3).abs() < 0.05, "{on:?}");
}

/// Lengths of any size, fields of one cell, without a surface, and poses that are no numbers.
#[test]
fn ugly_inputs_have_answers() {
    let reach = DVec3::splat(1.0);
    let ball = |p: DVec3| (p + 1.0).length() - 0.5;
    let grid = Grid::new(2.0, glam::IVec3::splat(-1), glam::UVec3::ONE).unwrap();
    let one_cell = settings().with_grid(grid);
    let low = DVec3::splat(-2.0);
    let field = SdfGrid::from_function(low, DVec3::ZERO, &one_cell, Accuracy::Exact, ball).unwrap();
    assert_eq!(field.grid().cells(), glam::UVec3::ONE);
    let one_cell = Shape::Field(Arc::new(FieldShape::new(field)));
    let nothing = SdfGrid::from_function(-reach, reach, &settings(), Accuracy::Exact, |_| 1.0).unwrap();
    let nothing = Shape::Field(Arc::new(FieldShape::new(nothing)));
    let nan = Pose::new(Quat::IDENTITY, Vec3::new(f32::NAN, 0.0, 0.0));
    let mut list = Vec::new();
    for (_, other) in shapes() {
        for field in [&one_cell, &nothing] {
            for x in [0.0, 1.5, 1e4, 1e30] {
                let pose = Pose::from_translation(Vec3::X * x);
                for (a, pose_a, b, pose_b) in
                    [(field, &Pose::IDENTITY, &other, &pose), (&other, &pose, field, &Pose::IDENTITY)]
                {
                    let found = distance(a, pose_a, b, pose_b);
                    assert!(0.0 <= found.distance && found.normal.is_finite(), "{other:?} {x}: {found:?}");
                    intersects(a, pose_a, b, pose_b);
                    manifolds(a, pose_a, b, pose_b, 0.1, &mut ManifoldCache::new(), &mut list);
                }
            }
            let lost = distance(field, &nan, &other, &Pose::IDENTITY);
            assert!(lost.outcome == Outcome::Undecided, "{other:?}: {lost:?}");
        }
    }
    for contact in list.iter().flat_map(|m| m.contacts()) {
        assert!(contact.point_a.is_finite() && contact.normal.is_finite(), "{contact:?}");
    }
    let far = Pose::from_translation(Vec3::Y * 1.5);
    let sphere = Shape::Sphere(Sphere::new(0.25).unwrap());
    let Outcome::Within(error) = distance(&one_cell, &Pose::IDENTITY, &sphere, &far).outcome else {
        panic!("a field is never exact")
    };
    assert!(f64::from((distance(&one_cell, &Pose::IDENTITY, &sphere, &far).distance - 0.75).abs()) <= error);

    // A power of two in all lengths is the same in the answer.
    let at = |scale: f32| {
        let field = dense(&box_mesh(HALF * scale));
        let brick = Shape::Cuboid(Cuboid::new(Vec3::splat(0.2) * scale).unwrap());
        let pose = Pose::new(Quat::from_rotation_z(0.4), Vec3::new(0.2, 0.7, 0.1) * scale);
        let near = contact(&field, &Pose::IDENTITY, &brick, &pose, scale).unwrap().contact;
        (near.distance / scale, near.point_a / scale, near.normal)
    };
    assert_eq!(at(1.0), at(2.0_f32.powi(40)));
    assert_eq!(at(1.0), at(2.0_f32.powi(-40)));
}

fn all_manifolds(a: &Shape, b: &Shape, pose_b: &Pose) -> Vec<carom_geom::Manifold> {
    let mut list = Vec::new();
    manifolds(a, &Pose::IDENTITY, b, pose_b, 0.02, &mut ManifoldCache::new(), &mut list);
    list
}

/// A body at rest on a field has a contact at each corner, and one in each direction.
#[test]
fn bodies_rest_on_as_many_contacts_as_they_have_corners() {
    let field = dense(&box_mesh(Vec3::new(1.0, 0.5, 1.0)));
    let brick = Shape::Cuboid(Cuboid::new(Vec3::new(0.3, 0.1, 0.2)).unwrap());
    let on_top = Pose::new(Quat::from_rotation_y(0.3), Vec3::new(0.1, 0.605, 0.05));
    let other = dense(&box_mesh(Vec3::new(0.3, 0.1, 0.2)));
    let ground = Shape::HalfSpace(HalfSpace::new(Vec3::NEG_Y).unwrap());
    for (name, b, pose) in [
        ("brick", &brick, on_top),
        ("field", &other, on_top),
        ("half-space", &ground, Pose::new(Quat::from_rotation_y(0.4), Vec3::Y * 0.505)),
    ] {
        for list in [all_manifolds(&field, b, &pose), {
            let mut list = Vec::new();
            manifolds(b, &pose, &field, &Pose::IDENTITY, 0.02, &mut ManifoldCache::new(), &mut list);
            list.iter().map(|m| m.swapped()).collect()
        }] {
            assert_eq!(list.len(), 1, "{name}: {list:?}");
            assert!((list[0].normal() - Vec3::Y).length() < 0.02, "{name}: {list:?}");
            let contacts = list[0].contacts();
            assert!(3 <= contacts.len(), "{name}: {contacts:?}");
            assert!(contacts.iter().all(|c| (c.distance - 0.005).abs() < 0.02), "{name}: {contacts:?}");
            let spread = contacts.iter().map(|c| c.point_b.distance(contacts[0].point_b)).fold(0.0, f32::max);
            assert!(0.3 < spread, "{name}: {contacts:?}");
        }
    }
    // Two slopes, and a ball that touches both.
    let groove = |p: DVec3| (p.y - p.x.abs()) * 0.5_f64.sqrt();
    let reach = DVec3::splat(1.0);
    let field = SdfGrid::from_function(-reach, reach, &settings(), Accuracy::Bound, groove).unwrap();
    let field = Shape::Field(Arc::new(FieldShape::new(field)));
    let ball = Shape::Sphere(Sphere::new(0.3).unwrap());
    let list = all_manifolds(&field, &ball, &Pose::from_translation(Vec3::new(0.0, 0.42, 0.0)));
    assert_eq!(list.len(), 2, "{list:?}");
    assert!(list[0].normal().dot(list[1].normal()).abs() < 0.1, "{list:?}");
}

/// A ball and a box that fall on a bowl meet it when its mesh is met, and parts of a compound count
/// alike.
#[test]
fn falling_bodies_meet_a_field_when_they_meet_its_mesh() {
    let mesh = ring();
    let (field, truth) = (dense(&mesh), Shape::Mesh(Arc::new(MeshShape::new(mesh).unwrap())));
    let part = CompoundPart { shape: field.clone(), pose: Pose::IDENTITY };
    let compound = Shape::Compound(Arc::new(Compound::new(vec![part]).unwrap()));
    let (slack, mut random, mut n_hits) = (f64::from(bound(&field)), Random::new(12), 0);
    let still = motion_of(&Pose::IDENTITY, Vec3::ZERO, Vec3::ZERO, Vec3::ZERO).unwrap();
    let others = [
        Shape::Sphere(Sphere::new(0.1).unwrap()),
        Shape::Cuboid(Cuboid::new(Vec3::new(0.1, 0.05, 0.08)).unwrap()),
    ];
    let settings = ImpactSettings::default();
    for round in 0..20 {
        let from = random.cube_point().as_vec3() * 0.6 + Vec3::Y * 1.2;
        let spin = random.cube_point().as_vec3() * if round % 2 == 0 { 0.0 } else { 2.0 };
        let falling = motion_of(&Pose::from_translation(from), Vec3::ZERO, Vec3::NEG_Y * 2.0, spin).unwrap();
        for other in &others {
            let found = cast(&field, &still, other, &falling, &settings);
            // By then the mesh is nearer, or farther, than the bound.
            let gap = |t: f64| {
                let pose = falling.pose_at(t);
                let turn = glam::DQuat::from_mat3(&pose.rotation).normalize().as_quat();
                let pose = Pose::new(turn, pose.translation.as_vec3());
                f64::from(distance(&truth, &Pose::IDENTITY, other, &pose).distance)
            };
            match found {
                TimeOfImpact::Hit(hit) => {
                    n_hits += 1;
                    assert!(gap(hit.t_hi) <= slack, "{hit:?}");
                    for k in 0..20 {
                        let t = hit.t_lo * f64::from(k) / 20.0;
                        assert!(hit.t_lo == 0.0 || gap(t) + slack > 0.0, "{hit:?}");
                    }
                    assert!((hit.t_hi - hit.t_lo) * 2.0 < slack, "{hit:?}");
                    let of_part = *cast(&compound, &still, other, &falling, &settings).hit().unwrap();
                    assert!((of_part.t_hi - hit.t_hi).abs() * 2.0 < slack, "{hit:?} {of_part:?}");
                }
                TimeOfImpact::Clear(_) => {
                    assert!((0..=50).all(|k| 0.0 < gap(f64::from(k) / 50.0) + slack), "{found:?}");
                    let exact = cast(&truth, &still, other, &falling, &settings);
                    if let TimeOfImpact::Hit(hit) = exact {
                        let later = (0..=50).map(|k| gap(f64::from(k) / 50.0)).fold(f64::INFINITY, f64::min);
                        assert!(later <= slack, "{hit:?}");
                    }
                }
                TimeOfImpact::Undecided(undecided) => panic!("{undecided:?}"),
            }
        }
    }
    assert!(10 < n_hits, "{n_hits}");
}

/// A field of a distance function in a box of two units.
fn sampled(distance: impl Fn(DVec3) -> f64 + Sync) -> Shape {
    let reach = DVec3::splat(1.0);
    let settings = settings().with_resolution(32);
    let field = SdfGrid::from_function(-reach, reach, &settings, Accuracy::Exact, distance).unwrap();
    Shape::Field(Arc::new(FieldShape::new(field)))
}

/// A flat side between whose corners the field rises touches each rise.
#[test]
fn a_face_touches_all_low_points_below_it() {
    let ball = |p: DVec3, x: f64, z: f64| (p - DVec3::new(x, 0.0, z)).length() - 0.3;
    let bumps = sampled(|p| ball(p, -0.45, 0.1).min(ball(p, 0.45, -0.2)));
    let rim = sampled(|p| {
        let across = DVec3::new(p.x, 0.0, p.z).length() - 0.5;
        (across * across + p.y * p.y).sqrt() - 0.3
    });
    let ridge = sampled(|p| (p - DVec3::Z * p.z.clamp(-0.8, 0.8)).length() - 0.3);
    let brick = |half: Vec3| Shape::Cuboid(Cuboid::new(half).unwrap());
    let mesh = |half: Vec3| Shape::Mesh(Arc::new(MeshShape::new(box_mesh(half)).unwrap()));
    let wide = Vec3::new(0.9, 0.1, 0.8);
    let plank = Vec3::new(0.9, 0.1, 0.3);
    let at = |x: f32, z: f32| Vec3::new(x, 0.3, z);
    for (name, field, body, half, expected) in [
        ("bumps", &bumps, brick(wide), wide, vec![at(-0.45, 0.1), at(0.45, -0.2)]),
        ("bumps under a mesh", &bumps, mesh(wide), wide, vec![at(-0.45, 0.1), at(0.45, -0.2)]),
        ("ridge", &ridge, brick(plank), plank, vec![at(0.0, 0.3), at(0.0, -0.3)]),
    ] {
        for turn in [0.0, 0.5] {
            // Turned with what is below, as a ridge ends where the plank does.
            let turn = if name == "ridge" { 0.0 } else { turn };
            let pose = Pose::new(Quat::from_rotation_y(turn), Vec3::Y * (0.3 + half.y + 0.004));
            let list = all_manifolds(field, &body, &pose);
            let points: Vec<Vec3> =
                list.iter().flat_map(|m| m.contacts()).map(|contact| contact.point_a).collect();
            for position in &expected {
                let nearest = points.iter().map(|p| p.distance(*position)).fold(f32::INFINITY, f32::min);
                assert!(nearest < 0.07, "{name}, {turn}: {position} of {points:?}");
            }
            for contact in list.iter().flat_map(|m| m.contacts()) {
                assert!(0.97 < contact.normal.y && contact.distance < 0.02, "{name}: {contact:?}");
            }
        }
    }
    // A ring is touched on all sides: the middle of the box is within the contacts.
    let pose = Pose::from_translation(Vec3::new(0.03, 0.404, 0.02));
    let list = all_manifolds(&rim, &brick(wide), &pose);
    assert_eq!(list.len(), 1, "{list:?}");
    let points: Vec<Vec3> = list[0].contacts().iter().map(|contact| contact.point_a).collect();
    for side in [Vec3::X, Vec3::NEG_X, Vec3::Z, Vec3::NEG_Z] {
        let farthest = points.iter().map(|p| p.dot(side)).fold(f32::NEG_INFINITY, f32::max);
        assert!(0.1 < farthest, "{side}: {points:?}");
    }
}

/// Two fields meet when the meshes do that they were baked from, as well as both are known.
#[test]
fn fields_meet_each_other_when_their_meshes_do() {
    let (ring_mesh, brick) = (ring(), box_mesh(Vec3::new(0.2, 0.15, 0.1)));
    let fields = [dense(&ring_mesh), sparse(&brick)];
    let truth = [ring_mesh, brick].map(|mesh| Shape::Mesh(Arc::new(MeshShape::new(mesh).unwrap())));
    let error = f64::from(bound(&fields[0]) + bound(&fields[1]));
    let still = motion_of(&Pose::IDENTITY, Vec3::ZERO, Vec3::ZERO, Vec3::ZERO).unwrap();
    let (mut random, settings) = (Random::new(31), ImpactSettings::default());
    let mut n_hits = 0;
    for round in 0..16 {
        let from = random.cube_point().as_vec3() * 0.5 + Vec3::Y * 1.3;
        let spin = random.cube_point().as_vec3() * if round % 2 == 0 { 0.0 } else { 2.0 };
        let pose = random_pose(&mut random, 0.0);
        let falling =
            motion_of(&Pose::new(pose.rotation, from), Vec3::ZERO, Vec3::NEG_Y * 2.0, spin).unwrap();
        let gap = |t: f64| {
            let pose = falling.pose_at(t);
            let turn = glam::DQuat::from_mat3(&pose.rotation).normalize().as_quat();
            let pose = Pose::new(turn, pose.translation.as_vec3());
            f64::from(distance(&truth[0], &Pose::IDENTITY, &truth[1], &pose).distance)
        };
        for (found, what) in [
            (cast(&fields[0], &still, &fields[1], &falling, &settings), "in order"),
            (cast(&fields[1], &falling, &fields[0], &still, &settings), "swapped"),
        ] {
            match found {
                TimeOfImpact::Hit(hit) => {
                    n_hits += 1;
                    let proved = if let Proof::Within(distance) = hit.proof { distance } else { 0.0 };
                    assert!(proved <= error, "{round}, {what}: {hit:?}");
                    assert!(gap(hit.t_hi) <= proved + error, "{round}, {what}: {hit:?} {}", gap(hit.t_hi));
                    for k in 0..20 {
                        let t = hit.t_lo * f64::from(k) / 20.0;
                        assert!(hit.t_lo == 0.0 || 0.0 < gap(t) + error, "{round}, {what}: {hit:?}");
                    }
                }
                TimeOfImpact::Clear(_) => {
                    let least = (0..=40).map(|k| gap(f64::from(k) / 40.0)).fold(f64::INFINITY, f64::min);
                    assert!(0.0 < least + error, "{round}, {what}: {found:?}");
                    let exact = cast(&truth[0], &still, &truth[1], &falling, &settings);
                    assert!(exact.hit().is_none() || least <= error, "{round}, {what}: {exact:?}");
                }
                TimeOfImpact::Undecided(undecided) => panic!("{round}, {what}: {undecided:?}"),
            }
        }
    }
    assert!(10 < n_hits, "{n_hits}");
}

/// Mass and inertia of a field are those of its moments.
#[test]
fn a_field_weighs_what_its_mesh_does() {
    let mesh = ring();
    let exact = mesh.mass_properties(3.0);
    let shape = dense(&mesh);
    let found = shape.mass_properties(3.0);
    let Shape::Field(field) = &shape else { panic!("a field") };
    let moments = field.moments().unwrap();
    assert!(f64::from((found.mass - exact.mass).abs()) <= 3.0 * moments.volume_error);
    assert!(f64::from(found.center.distance(exact.center)) <= moments.center_error());
    assert!((found.mass - exact.mass).abs() < 0.05 * exact.mass, "{found:?} {exact:?}");
    let difference = (found.inertia - exact.inertia).to_cols_array().map(f32::abs);
    assert!(difference.iter().all(|x| *x < 0.05 * exact.mass * 0.4), "{found:?} {exact:?}");
}

/// A small field in the box of a large one, whose first parts have no sample of the small one, has
/// a distance. Found by the fuzz body `field_pairs`.
#[test]
fn a_small_field_beside_a_large_one_is_found() {
    let (large, small) = (Vec3::new(800.0, 2000.0, 400.0), Vec3::new(6.0, 80.0, 40.0));
    let fields = [large, small].map(|half| {
        let settings = BakeSettings::default().with_resolution(12).with_band(2.0);
        let field = SdfGrid::from_mesh(&box_mesh(half), &settings).unwrap();
        Shape::Field(Arc::new(FieldShape::new(field)))
    });
    let error = bound(&fields[0]) + bound(&fields[1]);
    for gap in [20.0, 300.0, 1000.0] {
        let pose = Pose::from_translation(Vec3::X * (large.x + gap + small.x));
        for found in [
            distance(&fields[0], &Pose::IDENTITY, &fields[1], &pose),
            distance(&fields[1], &pose, &fields[0], &Pose::IDENTITY),
        ] {
            let Outcome::Within(within) = found.outcome else { panic!("{gap}: {found:?}") };
            let off = f64::from((found.distance - gap).abs());
            assert!(off <= within.max(f64::from(error)), "{gap}: {found:?}");
        }
    }
}

/// Two fields of a few cells, each known in a thin band alone, are somewhere at all times: places
/// near their surfaces are corners of cells, and rounding takes these to where there is no sample.
/// A cast between them was clear for that reason. Found by the fuzz body `field_pairs`.
#[test]
fn thin_bands_beside_each_other_are_found_from_everywhere() {
    let small = BakeSettings::default().with_resolution(10).with_band(2.0);
    let plate = SdfGrid::from_mesh(&box_mesh(Vec3::new(3.6, 0.0, 0.0)), &small);
    let bar = SdfGrid::from_mesh(&box_mesh(Vec3::new(3.6, 0.3, 0.2)), &small).unwrap();
    let ball = |p: DVec3| p.length() - 50.0;
    let large = BakeSettings::default().with_resolution(14).with_band(2.0);
    let reach = DVec3::splat(50.0);
    let large = SdfGrid::from_function(-reach, reach, &large, Accuracy::Exact, ball).unwrap();
    let large = Shape::Field(Arc::new(FieldShape::new(large)));
    let mut random = Random::new(86);
    for small in plate.into_iter().chain([bar]) {
        let small = Shape::Field(Arc::new(FieldShape::new(small)));
        let error = bound(&small) + bound(&large);
        for k in 0..300 {
            let pose = random_pose(&mut random, 200.0);
            let found = contact(&large, &Pose::IDENTITY, &small, &pose, f32::INFINITY);
            let found = found.unwrap_or_else(|| panic!("pose {k}: nothing is found, {pose:?}"));
            // A point of the small one is no farther away than 3.7 from its middle. Depths end with
            // the band.
            let middle = pose.translation.length() - 50.0;
            let distance = found.contact.distance;
            assert!(distance <= middle.max(0.0) + error, "pose {k}: {found:?}, {middle}");
            assert!(middle < 0.0 || middle - 3.7 - error <= distance, "pose {k}: {found:?}, {middle}");
        }
    }
}
