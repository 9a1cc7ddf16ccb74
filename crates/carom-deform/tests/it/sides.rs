//! Push-outs by history: each vertex comes back on the side where it was.

use crate::region::{ball, mesh};
use crate::scenes::{grid, waves};
use carom_deform::{ContactSides, DeformError, DeformableMesh, PushOut};
use carom_geom::tri_distance::point_triangle;
use glam::{DVec3, Vec3};

/// A flat square of `n` by `n` vertices at this height, each side 1, in the middle of a plate of
/// side 3.
fn cloth(n: usize, height: f32) -> DeformableMesh {
    mesh(&cloth_at(n, |_| height), grid(n))
}

fn cloth_at(n: usize, height: impl Fn(usize) -> f32) -> Vec<Vec3> {
    let at = |i: usize| i as f32 / (n - 1) as f32 - 0.5;
    (0..n * n).map(|i| Vec3::new(at(i % n), height(i), at(i / n))).collect()
}

/// A flat square with sides of 3 around the origin.
fn plate(height: f32) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let n = 7;
    let at = |i: usize| i as f32 * 0.5 - 1.5;
    ((0..n * n).map(|i| Vec3::new(at(i % n), height, at(i / n))).collect(), grid(n))
}

/// A closed plate whose upper side is at 0.
fn solid_plate(thickness: f32) -> DeformableMesh {
    let (mut positions, mut triangles) = plate(0.0);
    let n = positions.len() as u32;
    let upper = triangles.clone();
    positions.extend(plate(-thickness).0);
    triangles.extend(upper.iter().map(|[a, b, c]| [a + n, c + n, b + n]));
    // Edges of the upper side that one triangle alone has.
    let edges = |[a, b, c]: [u32; 3]| [[a, b], [b, c], [c, a]];
    let all: Vec<[u32; 2]> = upper.iter().flat_map(|t| edges(*t)).collect();
    for &[v, w] in all.iter().filter(|[v, w]| !all.contains(&[*w, *v])) {
        triangles.extend([[w, v, v + n], [w, v + n, w + n]]);
    }
    mesh(&positions, triangles)
}

fn open_plate(height: f32) -> DeformableMesh {
    let (positions, triangles) = plate(height);
    mesh(&positions, triangles)
}

fn push_outs(
    sides: &mut ContactSides,
    cloth: &DeformableMesh,
    collider: &mut DeformableMesh,
) -> Vec<PushOut> {
    sides.update(cloth, collider).unwrap().finish().push_outs.to_vec()
}

/// Checks that all vertices are pushed along an axis by this depth.
fn check_all(found: &[PushOut], n: usize, direction: DVec3, depth: f64) {
    assert_eq!(found.len(), n, "{direction} {depth}");
    for (vertex, push_out) in (0..).zip(found) {
        assert_eq!(push_out.vertex, vertex);
        assert!((push_out.direction - direction).length() < 1e-6, "{push_out:?}");
        assert!((push_out.depth - depth).abs() < 1e-6, "{push_out:?} {depth}");
    }
}

#[test]
fn a_cloth_pressed_through_a_thin_plate_comes_back() {
    for sign in [1.0, -1.0_f32] {
        for plate_thickness in [None, Some(0.03125), Some(0.001)] {
            let mut collider = plate_thickness.map_or_else(|| open_plate(0.0), solid_plate);
            // The cloth comes from above or from below. The side of the plate that it meets is at
            // height 0.
            if let Some(thickness) = plate_thickness.filter(|_| sign < 0.0) {
                let lifted: Vec<Vec3> =
                    collider.positions().iter().map(|p| *p + Vec3::Y * thickness).collect();
                collider.set_positions(&lifted).unwrap();
            }
            let n = 6;
            let thickness = 0.0625_f32;
            let mut cloth = cloth(n, sign * 0.25).with_thickness(2.0 * thickness).unwrap();
            let mut sides = ContactSides::new(&collider, 0.4).unwrap();
            for step in 0..9 {
                let height = 0.25 - step as f32 * 0.0625;
                cloth.set_positions(&cloth_at(n, |_| sign * height)).unwrap();
                let found = push_outs(&mut sides, &cloth, &mut collider);
                if height < thickness {
                    check_all(&found, n * n, DVec3::Y * f64::from(sign), f64::from(thickness - height));
                } else {
                    assert!(found.is_empty(), "{plate_thickness:?} {height}: {found:?}");
                }
            }
            // After the push-outs are applied, only rounding is left to correct.
            let found = push_outs(&mut sides, &cloth, &mut collider);
            let mut positions = cloth.positions().to_vec();
            for push_out in &found {
                positions[push_out.vertex as usize] += (push_out.direction * push_out.depth).as_vec3();
            }
            cloth.set_positions(&positions).unwrap();
            for p in cloth.positions() {
                assert!((p.y * sign - thickness).abs() < 1e-6, "{plate_thickness:?} {p}");
            }
            assert!(push_outs(&mut sides, &cloth, &mut collider).iter().all(|p| p.depth < 1e-6));
        }
    }
}

/// A vertex placed on the other side stays there.
#[test]
fn a_vertex_that_is_placed_is_not_thrown() {
    for mut collider in [open_plate(0.0), solid_plate(0.03125)] {
        let n = 4;
        let mut cloth = cloth(n, 0.125).with_thickness(0.5).unwrap();
        let mut sides = ContactSides::new(&collider, 0.25).unwrap();
        check_all(&push_outs(&mut sides, &cloth, &mut collider), n * n, DVec3::Y, 0.125);
        let moved = |i: usize| if i == 5 { -0.1875 } else { 0.125 };
        cloth.set_positions(&cloth_at(n, moved)).unwrap();
        let found = push_outs(&mut sides, &cloth, &mut collider);
        // The vertex is below now, nearer than the thickness, so it is pushed down.
        assert!(found[5].direction.y < -0.999, "{:?}", found[5]);
        assert!(found[5].depth < 0.25);
        assert!(found.iter().all(|p| p.vertex == 5 || 0.999 < p.direction.y));
    }
}

#[test]
fn a_sheet_between_two_plates_is_pushed_by_both() {
    let (lower, triangles) = plate(0.0);
    let n_lower = lower.len() as u32;
    let positions = [lower, plate(0.25).0].concat();
    let both = [triangles.clone(), triangles.iter().map(|t| t.map(|v| v + n_lower)).collect()].concat();
    let mut plates = mesh(&positions, both);
    let n = 5;
    let mut cloth = cloth(n, 0.125).with_thickness(0.5).unwrap();
    let mut sides = ContactSides::new(&plates, 0.5).unwrap();
    // In the middle, and then through the upper plate, and through the lower one.
    for height in [0.125, 0.1875, 0.3125, 0.125, -0.0625] {
        cloth.set_positions(&cloth_at(n, |_| height)).unwrap();
        let found = push_outs(&mut sides, &cloth, &mut plates);
        let (up, down): (Vec<PushOut>, Vec<PushOut>) = found.iter().partition(|p| 0.0 < p.direction.y);
        if height < 0.25 {
            check_all(&up, n * n, DVec3::Y, 0.25 - f64::from(height));
        } else {
            assert!(up.is_empty());
        }
        if 0.0 < height {
            check_all(&down, n * n, DVec3::NEG_Y, f64::from(height));
        } else {
            assert!(down.is_empty());
        }
    }
}

/// Both move fast in the same way, then the plate goes through the cloth.
#[test]
fn sides_are_relative_to_the_collider() {
    let mut collider = open_plate(0.0);
    let n = 4;
    let mut cloth = cloth(n, 0.03125).with_thickness(0.125).unwrap();
    let mut sides = ContactSides::new(&collider, 0.25).unwrap();
    let start = collider.positions().to_vec();
    let on_cloth = cloth.positions().to_vec();
    for step in 0..10 {
        // Turned about an axis in the plate, and carried 2 a step.
        let turn = glam::Quat::from_rotation_x(0.1 * step as f32);
        let position_of = |p: &Vec3| turn * *p + Vec3::Z * (2.0 * step as f32);
        collider.set_positions(&start.iter().map(position_of).collect::<Vec<_>>()).unwrap();
        cloth.set_positions(&on_cloth.iter().map(position_of).collect::<Vec<_>>()).unwrap();
        let found = push_outs(&mut sides, &cloth, &mut collider);
        let up = turn * Vec3::Y;
        assert_eq!(found.len(), n * n);
        assert!(found.iter().all(|p| (p.direction - up.as_dvec3()).length() < 1e-5));
        assert!(found.iter().all(|p| (p.depth - 0.03125).abs() < 1e-5));
    }
    let above: Vec<Vec3> = collider.positions().iter().map(|p| *p + Vec3::Y * 0.1875).collect();
    let found = push_outs(&mut sides, &cloth, &mut collider);
    collider.set_positions(&above).unwrap();
    let through = push_outs(&mut sides, &cloth, &mut collider);
    assert_eq!(through.len(), found.len());
    assert!(
        through.iter().zip(&found).all(|(p, q)| p.direction.dot(q.direction) > 0.99 && q.depth < p.depth)
    );
}

/// Around the border of a plate, and not through it.
#[test]
fn a_vertex_may_go_around_a_border() {
    let mut collider = open_plate(0.0);
    let at = |p: Vec3| [p, p + Vec3::X * 0.01, p + Vec3::Z * 0.01];
    let path = |step: u8| {
        let angle = f32::from(step) * 0.3;
        Vec3::new(1.5 + 0.1 * angle.sin(), 0.1 * angle.cos(), 0.1)
    };
    let mut cloth = mesh(&at(path(0)), vec![[0, 1, 2]]).with_thickness(0.4).unwrap();
    let mut sides = ContactSides::new(&collider, 0.5).unwrap();
    for step in 0..=10 {
        let p = path(step);
        cloth.set_positions(&at(p)).unwrap();
        let found = push_outs(&mut sides, &cloth, &mut collider);
        // The nearest point is on the border of the plate, or straight below or above the vertex.
        let away = (p - Vec3::new(1.5_f32.min(p.x), 0.0, p.z)).normalize().as_dvec3();
        assert!((found[0].direction - away).length() < 1e-4, "{step} {:?} {away}", found[0]);
    }
}

/// Outside a ball the nearest of all faces counts, and the depth is the thickness less the
/// distance.
#[test]
fn outside_of_a_solid_depths_are_those_of_brute_force() {
    let mut solid = ball(DVec3::new(2.0, -1.0, 2.0), 1.2);
    let n = 24;
    let mut cloth = mesh(&waves(n, 0.2, 0.0), grid(n)).with_thickness(1.0).unwrap();
    let mut sides = ContactSides::new(&solid, 0.75).unwrap();
    let mut n_found = 0;
    for step in 0..4 {
        let lift = Vec3::Y * (0.65 - 0.03125 * step as f32);
        cloth
            .set_positions(&waves(n, 0.2, 0.1 * step as f64).iter().map(|p| *p + lift).collect::<Vec<_>>())
            .unwrap();
        let found = push_outs(&mut sides, &cloth, &mut solid);
        let mut expected = Vec::new();
        for (vertex, p) in (0_u32..).zip(cloth.positions()) {
            let distance = solid
                .faces()
                .iter()
                .map(|t| {
                    point_triangle(p.as_dvec3(), &t.map(|v| solid.positions()[v as usize].as_dvec3()))
                        .distance
                })
                .fold(f64::INFINITY, f64::min);
            if distance < 0.5 {
                expected.push((vertex, 0.5 - distance));
            }
        }
        assert_eq!(found.len(), expected.len());
        for (p, (vertex, depth)) in found.iter().zip(expected) {
            assert!(
                p.vertex == vertex
                    && (p.depth - depth).abs() < 1e-9
                    && (p.direction.length() - 1.0).abs() < 1e-12
            );
        }
        n_found += found.len();
    }
    assert!(50 < n_found, "{n_found}");
}

/// A strip with a half twist has no two sides: one edge becomes a border.
#[test]
fn a_twisted_strip_has_a_border() {
    let n = 24;
    let mut positions = Vec::new();
    for i in 0..n {
        let turn = std::f64::consts::TAU * f64::from(i) / f64::from(n);
        let (across, out) = ((turn / 2.0).sin(), (turn / 2.0).cos());
        for side in [-0.25, 0.25] {
            let radius = 1.0 + side * out;
            positions.push(DVec3::new(radius * turn.cos(), side * across, radius * turn.sin()).as_vec3());
        }
    }
    let mut triangles = Vec::new();
    for i in 0..n as u32 {
        let (a, b) = (2 * i, 2 * i + 1);
        let (c, d) = if i + 1 < n as u32 { (a + 2, b + 2) } else { (1, 0) };
        triangles.extend([[a, b, c], [b, d, c]]);
    }
    let mut strip = mesh(&positions, triangles);
    let cloth = mesh(&positions.iter().map(|p| *p * 1.01).collect::<Vec<_>>(), strip.faces().to_vec())
        .with_thickness(0.125)
        .unwrap();
    let mut sides = ContactSides::new(&strip, 0.25).unwrap();
    let first = push_outs(&mut sides, &cloth, &mut strip);
    assert_eq!(first.len(), positions.len());
    assert!(first.iter().all(|p| p.depth <= 0.0625 && p.direction.is_finite()));
}

/// A cloth falls over a ball and through it. Splits and repeated updates change no answer.
#[test]
fn any_split_gives_the_same_answer() {
    let n = 12;
    let mut solid = ball(DVec3::new(2.0, 0.0, 2.0), 1.0);
    let mut cloth = mesh(&waves(n, 0.3, 0.0), grid(n)).with_thickness(0.25).unwrap();
    let mut whole = ContactSides::new(&solid, 0.5).unwrap();
    let mut split = whole.clone();
    let mut n_found = 0;
    for step in 0..6 {
        let lift = Vec3::Y * (1.2 - 0.125 * step as f32);
        let positions: Vec<Vec3> = waves(n, 0.3, 0.2 * f64::from(step)).iter().map(|p| *p + lift).collect();
        cloth.set_positions(&positions).unwrap();
        let found = push_outs(&mut whole, &cloth, &mut solid);
        // An update that is dropped has no effect.
        assert!(!split.update(&cloth, &mut solid).unwrap().run(10));
        let mut update = split.update(&cloth, &mut solid).unwrap();
        let mut progress = 0.0;
        while !update.run(3) {
            assert!(progress < update.progress());
            assert!(found.starts_with(update.found_so_far()));
            progress = update.progress();
        }
        assert!(update.run(0) && update.progress() == 1.0);
        assert_eq!(update.finish().push_outs, found);
        assert_eq!(push_outs(&mut whole, &cloth, &mut solid), found, "asked twice");
        n_found += found.len();
    }
    assert!(50 < n_found, "{n_found}");
}

#[test]
fn refusals() {
    let plate = open_plate(0.0);
    for reach in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        assert!(matches!(ContactSides::new(&plate, reach), Err(DeformError::BadReach { .. })));
    }
    let mut sides = ContactSides::new(&plate, 1.0).unwrap();
    let (cloth, mut other) = (cloth(3, 0.5), cloth(3, 0.0));
    let refused = sides.update(&cloth, &mut other).map(|_| ());
    assert_eq!(refused, Err(DeformError::OtherCollider { face: 0 }));
    let mut same = plate;
    assert_eq!(push_outs(&mut sides, &cloth, &mut same), []);
}

/// Vertices that get the numbers of removed ones do not get their sides: they would be pushed
/// through the collider.
#[test]
fn removed_vertices_pass_no_side_on() {
    let triangle = [[-9.0, -9.0], [0.0, 9.0], [9.0, -9.0]].map(|[x, z]| Vec3::new(x, 0.0, z));
    for is_clean in [true, false] {
        let mut collider = mesh(&triangle, vec![[0, 1, 2]]);
        let part = |height: f32| triangle.map(|p| p * 0.01 + Vec3::Y * height);
        let mut cloth = mesh(&[part(0.1), part(-0.1)].concat(), vec![[0, 1, 2], [3, 4, 5]]);
        let mut sides = ContactSides::new(&collider, 1.0).unwrap();
        assert_eq!(push_outs(&mut sides, &cloth, &mut collider), []);
        cloth.remove_faces(&[0]).unwrap();
        if is_clean {
            assert_eq!(cloth.remove_unused_vertices(), [3, 4, 5]);
        }
        for _ in 0..3 {
            assert_eq!(push_outs(&mut sides, &cloth, &mut collider), [], "{is_clean}");
        }
        // From then on the sides are kept: what goes up through the collider is pushed down.
        let lifted: Vec<Vec3> = cloth.positions().iter().map(|p| *p + Vec3::Y * 0.15).collect();
        cloth.set_positions(&lifted).unwrap();
        let found = push_outs(&mut sides, &cloth, &mut collider);
        assert_eq!(found.len(), 3, "{is_clean}");
        assert!(found.iter().all(|p| p.direction.y == -1.0 && (p.depth - 0.05).abs() < 1e-6), "{found:?}");
    }
}

/// A cloth that tears twice while it is pressed through an open collider comes back with both edges
/// of the tear.
#[test]
fn r_torn_cloth_keeps_its_side() {
    let n = 5;
    let middle = |z: usize| (n * z + n / 2) as u32;
    for sign in [1.0, -1.0_f32] {
        for has_others in [false, true] {
            let mut collider = open_plate(0.0);
            let mut cloth = cloth(n, sign * 0.0625);
            let mut sides = ContactSides::new(&collider, 0.5).unwrap();
            assert_eq!(push_outs(&mut sides, &cloth, &mut collider), []);
            // Vertices without an original come between.
            if has_others {
                cloth.add_faces(&[Vec3::splat(9.0); 3], &[[25, 26, 27]]).unwrap();
            }
            let first = cloth.tear(&[[middle(0), middle(1)]]).unwrap();
            let second = cloth.tear(&[[middle(1), middle(2)], [middle(2), middle(3)]]).unwrap();
            assert_eq!((first.len(), second.len()), (1, 2));
            let pressed: Vec<Vec3> =
                cloth.positions().iter().map(|p| *p - Vec3::Y * (sign * 0.125)).collect();
            cloth.set_positions(&pressed).unwrap();
            for _ in 0..2 {
                let mut found = push_outs(&mut sides, &cloth, &mut collider);
                found
                    .iter_mut()
                    .filter(|_| has_others)
                    .for_each(|p| p.vertex -= 3 * u32::from(24 < p.vertex));
                check_all(&found, n * n + 3, DVec3::Y * f64::from(sign), 0.0625);
            }
        }
    }
}
