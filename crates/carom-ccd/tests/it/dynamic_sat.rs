//! Polytopes that translate, against the distance search for triangles and a long look at every
//! time.

use carom_ccd::{MovingPolytope, TimeOfImpact, Why};
use carom_geom::tri_distance::closest_points;
use carom_geom::{ConvexHull, FeatureKind, ShapeError};
use carom_testkit::random::Random;
use glam::{DMat3, DQuat, DVec3};

/// The surface of a body as triangles, with a point inside, for the oracle.
struct Solid {
    polytope: MovingPolytope,
    faces: Vec<[DVec3; 3]>,
    velocity: DVec3,
    center: DVec3,
}

fn solid_triangle(corners: [DVec3; 3], velocity: DVec3) -> Solid {
    let polytope = MovingPolytope::triangle(corners, velocity).unwrap();
    Solid { polytope, faces: vec![corners], velocity, center: corners[0] }
}

fn solid_box(center: DVec3, half: DVec3, turn: DQuat, velocity: DVec3) -> Solid {
    let axes = DMat3::from_quat(turn);
    let half_axes = [axes.x_axis * half.x, axes.y_axis * half.y, axes.z_axis * half.z];
    let polytope = MovingPolytope::cuboid(center, half_axes, velocity).unwrap();
    let c = polytope.corners().to_vec();
    let quads = [[0, 1, 3, 2], [4, 5, 7, 6], [0, 1, 5, 4], [2, 3, 7, 6], [0, 2, 6, 4], [1, 3, 7, 5]];
    let faces =
        quads.iter().flat_map(|q| [[c[q[0]], c[q[1]], c[q[2]]], [c[q[0]], c[q[2]], c[q[3]]]]).collect();
    Solid { polytope, faces, velocity, center }
}

fn solid_hull(points: &[DVec3], velocity: DVec3) -> Solid {
    let hull = ConvexHull::from_points(&points.iter().map(|p| p.as_vec3()).collect::<Vec<_>>()).unwrap();
    let corners: Vec<DVec3> = hull.vertices().iter().map(|p| p.as_dvec3()).collect();
    let (mut spans, mut edges, mut faces) = (Vec::new(), Vec::new(), Vec::new());
    for face in 0..hull.n_faces() as u32 {
        let loop_ = hull.face_vertices(face);
        spans.push([loop_[0], loop_[1], loop_[2]]);
        for k in 0..loop_.len() {
            let (i, j) = (loop_[k], loop_[(k + 1) % loop_.len()]);
            if i < j {
                edges.push([i, j]);
            }
            if 0 < k && k + 1 < loop_.len() {
                faces.push([loop_[0], i, j].map(|i| corners[i as usize]));
            }
        }
    }
    let center = corners.iter().sum::<DVec3>() / corners.len() as f64;
    let polytope = MovingPolytope::hull(&corners, &spans, &edges, velocity).unwrap();
    Solid { polytope, faces, velocity, center }
}

/// The distance of the surfaces at the time `t`, 0 where one holds the other's centre.
fn distance(a: &Solid, b: &Solid, t: f64) -> f64 {
    let offset = (b.velocity - a.velocity) * t;
    let holds = |a: &Solid, p: DVec3| {
        3 < a.faces.len()
            && a.faces.iter().all(|f| {
                let n = (f[1] - f[0]).cross(f[2] - f[0]);
                0.0 <= n.dot(p - f[0]) * n.dot(a.center - f[0])
            })
    };
    if holds(a, b.center + offset) || holds(b, a.center - offset) {
        return 0.0;
    }
    let mut least = f64::INFINITY;
    for f in &a.faces {
        for g in &b.faces {
            least = least.min(closest_points(f, &g.map(|p| p + offset)).distance);
        }
    }
    least
}

#[test]
fn a_box_falls_on_a_box() {
    let floor = solid_box(DVec3::ZERO, DVec3::new(2.0, 1.0, 2.0), DQuat::IDENTITY, DVec3::ZERO);
    let falling =
        solid_box(DVec3::new(0.5, 5.0, 0.0), DVec3::ONE, DQuat::from_rotation_y(0.5), DVec3::Y * -2.0);
    let found = floor.polytope.time_of_impact(&falling.polytope, 3.0);
    let hit = found.hit().unwrap();
    assert!(hit.t_lo <= 1.5 && 1.5 <= hit.t_hi + 1e-15 && hit.t_hi - hit.t_lo < 5e-13, "{hit:?}");
    assert!((hit.normal - DVec3::Y).length() < 1e-12 && (hit.point_a.y - 1.0).abs() < 1e-12);
    assert!(matches!(hit.feature_a.kind(), FeatureKind::Face(_)));
    assert!(
        matches!(floor.polytope.time_of_impact(&falling.polytope, 1.4), TimeOfImpact::Clear(c) if 0.19 < c.distance)
    );
    let line = MovingPolytope::triangle([DVec3::ZERO, DVec3::X, DVec3::X * 2.0], DVec3::ZERO);
    assert_eq!(line, Err(ShapeError::NoDirection { what: "the normal of a face" }));
    assert!(MovingPolytope::cuboid(DVec3::ZERO, [DVec3::X, DVec3::Y, DVec3::NAN], DVec3::ZERO).is_err());
    assert!(MovingPolytope::hull(&[DVec3::ZERO], &[[0, 1, 2]], &[[0, 1]], DVec3::ZERO).is_err());
}

fn check(a: &Solid, b: &Solid, scale: f64, n: &mut [usize; 3]) -> TimeOfImpact {
    let found = a.polytope.time_of_impact(&b.polytope, 1.0);
    match found {
        TimeOfImpact::Hit(hit) => {
            n[0] += 1;
            assert!(distance(a, b, hit.t_hi) <= 1e-12 * scale, "{hit:?}");
            if 0.0 < hit.t_lo {
                for k in 0..5 {
                    assert!(0.0 < distance(a, b, hit.t_lo * f64::from(k) / 5.0), "{hit:?}");
                }
                assert!((hit.point_a - hit.point_b).length() <= 1e-9 * scale, "{hit:?}");
                let on_a = a.faces.iter().map(|f| {
                    carom_geom::tri_distance::point_triangle(hit.point_a - a.velocity * hit.t_hi, f).distance
                });
                assert!(on_a.fold(f64::INFINITY, f64::min) <= 1e-9 * scale, "the point is on the surface");
            }
        }
        TimeOfImpact::Clear(clear) => {
            n[1] += 1;
            for k in 0..=8 {
                let t = f64::from(k) / 8.0;
                assert!(clear.distance <= distance(a, b, t) * (1.0 + 1e-9), "{clear:?} at {t}");
                assert!(0.0 < distance(a, b, t));
            }
        }
        TimeOfImpact::Undecided(undecided) => {
            n[2] += 1;
            assert!(undecided.distance <= 1e-12 * scale, "{undecided:?}");
        }
    }
    found
}

#[test]
fn boxes_triangles_and_hulls_meet_when_they_do() {
    let mut random = Random::new(14);
    let mut n = [0; 3];
    for i in 0..600 {
        let scale = [1.0, 1e-6, 1e6][i % 3];
        let make = |kind: usize, random: &mut Random| {
            let center = random.cube_point() * 2.5;
            let velocity = if i % 11 == 0 {
                DVec3::ZERO
            } else {
                (random.cube_point() - center * random.range(0.2, 1.2)) * scale
            };
            match kind {
                0 => {
                    let turn =
                        DQuat::from_scaled_axis(random.cube_point() * if i % 4 == 0 { 0.0 } else { 3.0 });
                    let half =
                        DVec3::new(random.range(0.1, 1.0), random.range(0.1, 1.0), random.range(0.1, 1.0));
                    solid_box(center * scale, half * scale, turn, velocity)
                }
                1 => {
                    solid_triangle(core::array::from_fn(|_| (center + random.cube_point()) * scale), velocity)
                }
                _ => {
                    let points: Vec<DVec3> =
                        (0..10).map(|_| (center + random.cube_point()) * scale).collect();
                    solid_hull(&points, velocity)
                }
            }
        };
        let kinds = [(0, 0), (1, 0), (1, 1), (2, 2), (0, 2), (2, 1)][i / 3 % 6];
        let (a, b) = (make(kinds.0, &mut random), make(kinds.1, &mut random));
        let plain = check(&a, &b, scale, &mut n);
        // The other way round: the same times.
        match (plain, b.polytope.time_of_impact(&a.polytope, 1.0)) {
            (TimeOfImpact::Hit(x), TimeOfImpact::Hit(y)) => assert!(x.t_lo <= y.t_hi && y.t_lo <= x.t_hi),
            (TimeOfImpact::Clear(_), TimeOfImpact::Clear(_)) => {}
            (TimeOfImpact::Undecided(_), TimeOfImpact::Undecided(_)) => {}
            (x, y) => panic!("{x:?} {y:?}"),
        }
    }
    println!("polytopes: {} hits, {} clear, {} undecided", n[0], n[1], n[2]);
    assert!(150 < n[0] && 150 < n[1] && n[2] < 10, "{n:?}");
}

#[test]
fn aligned_boxes_flush_and_nearly_parallel_edges() {
    let unit = |x: f64, turn: DQuat, velocity: DVec3| solid_box(DVec3::X * x, DVec3::ONE, turn, velocity);
    let still = unit(0.0, DQuat::IDENTITY, DVec3::ZERO);
    let mut n = [0; 3];
    for turn in [0.0, 1e-300, 1e-20, 1e-16, 1e-15, 1e-12, 1e-9, 1e-5] {
        for axis in [DVec3::X, DVec3::Y, DVec3::new(0.6, 0.8, 0.0)] {
            let coming = unit(4.0, DQuat::from_scaled_axis(axis * turn), DVec3::NEG_X * 4.0);
            let found = check(&still, &coming, 1.0, &mut n);
            let hit = found.hit().unwrap();
            assert!((hit.t_lo - 0.5).abs() < 1e-4 && hit.t_hi - hit.t_lo < 1e-12, "{turn:e}: {hit:?}");
        }
    }
    // Resting on each other and sliding: rounding decides, and it says so.
    let sliding = unit(2.0, DQuat::IDENTITY, DVec3::Y);
    let found = still.polytope.time_of_impact(&sliding.polytope, 1.0);
    assert!(
        matches!(found, TimeOfImpact::Undecided(u) if u.t_safe == 0.0 && u.distance <= 1e-15),
        "{found:?}"
    );
    // A power of two changes no bit.
    for i in 0..40 {
        let scale = 2.0_f64.powi(i * 3 - 60);
        let make = |scale: f64| {
            let turn = DQuat::from_rotation_z(0.1 * f64::from(i));
            let a = solid_box(DVec3::ZERO, DVec3::ONE * scale, DQuat::IDENTITY, DVec3::ZERO);
            let b = solid_box(
                DVec3::new(4.0, 0.3, 0.2) * scale,
                DVec3::ONE * scale,
                turn,
                DVec3::NEG_X * 4.0 * scale,
            );
            *a.polytope.time_of_impact(&b.polytope, 1.0).hit().unwrap()
        };
        let (plain, scaled) = (make(1.0), make(scale));
        assert_eq!((plain.t_lo, plain.t_hi, plain.normal), (scaled.t_lo, scaled.t_hi, scaled.normal));
        assert_eq!(plain.feature_a, scaled.feature_a);
    }
}

/// Triangles of one plane were within rounding of each other, at any distance.
#[test]
fn r_flat_bodies_of_one_plane() {
    let at = |x: f64, lift: f64, velocity: DVec3| {
        let place = DVec3::new(x, 0.0, lift);
        let corners = [DVec3::ZERO, DVec3::X, DVec3::Y].map(|corner| corner + place);
        MovingPolytope::triangle(corners, velocity).unwrap()
    };
    let square = |x: f64, velocity: DVec3| {
        let corners = [DVec3::ZERO, DVec3::X, DVec3::X + DVec3::Y, DVec3::Y].map(|c| c + DVec3::X * x);
        let sides = [[0, 1], [1, 2], [2, 3], [3, 0]];
        MovingPolytope::hull(&corners, &[[0, 1, 2], [0, 3, 2]], &sides, velocity).unwrap()
    };
    let still = at(0.0, 0.0, DVec3::ZERO);
    for (x, velocity) in [(10.0, DVec3::NEG_X), (1e6, DVec3::ZERO), (10.0, DVec3::ZERO), (-3.0, DVec3::X)] {
        for other in [at(x, 0.0, velocity), square(x, velocity), at(x, 1e-17, velocity)] {
            let found = still.time_of_impact(&other, 1.0);
            let TimeOfImpact::Clear(clear) = found else { panic!("{x} {velocity}: {found:?}") };
            let least = if velocity == DVec3::ZERO { 0.5 * (x.abs() - 1.0) } else { 0.5 * (x.abs() - 2.0) };
            assert!(least <= clear.distance && clear.distance <= x.abs(), "{x} {velocity}: {clear:?}");
        }
    }
    // They come together in their plane. Rounding decides across it, and the time is known.
    let found = still.time_of_impact(&at(3.0, 0.0, DVec3::NEG_X * 4.0), 1.0);
    let TimeOfImpact::Undecided(near) = found else { panic!("{found:?}") };
    assert!((near.t_safe - 0.5).abs() < 1e-12 && near.distance < 1e-12, "{near:?}");
    assert_eq!(near.why, Why::WithinRounding);
}
