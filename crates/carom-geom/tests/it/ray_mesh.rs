//! Rays and points against meshes, by brute force over the triangles.

use carom_geom::ray_mesh::{HalfLine, Placement, half_line, line_crosses, line_touches, point_in_mesh};
use carom_geom::tri_distance::point_triangle;
use carom_geom::winding::{solid_angle, winding_number};
use carom_testkit::oracle::triangle::{self as oracle, LineHit, PointLocation};
use carom_testkit::random::Random;
use carom_testkit::{data, meshes};
use glam::{DVec3, dvec3};
use std::collections::{BTreeMap, BTreeSet};

fn vector(v: &serde_json::Value) -> DVec3 {
    dvec3(v[0].as_f64().unwrap(), v[1].as_f64().unwrap(), v[2].as_f64().unwrap())
}

/// A ball of triangles, closed, facing outwards, of whole numbers so that rays can be aimed
/// exactly.
fn ball(n: usize) -> Vec<[DVec3; 3]> {
    // A cube's surface grid pushed outwards and rounded.
    let push = |p: DVec3| (p / p.length().max(0.5 * n as f64) * 1000.0).round();
    let mut triangles = Vec::new();
    let h = n as f64 * 0.5;
    for axis in 0..3 {
        for side in [-1.0, 1.0] {
            for i in 0..n {
                for j in 0..n {
                    let at = |u: usize, v: usize| {
                        let mut p = [0.0; 3];
                        p[axis] = side * h;
                        p[(axis + 1) % 3] = u as f64 - h;
                        p[(axis + 2) % 3] = v as f64 - h;
                        push(DVec3::from_array(p))
                    };
                    let (a, b, c, d) = (at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1));
                    let halves =
                        if (i + j) % 2 == 0 { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] };
                    triangles.extend(halves.map(|[a, b, c]| if side > 0.0 { [a, b, c] } else { [a, c, b] }));
                }
            }
        }
    }
    triangles
}

#[test]
fn lines_exactly() {
    let mut random = Random::new(11);
    let mut counts = [0usize; 4];
    for round in 0..60_000 {
        let grid = |random: &mut Random| match round % 4 {
            0 => random.grid_point(3),
            1 => random.grid_point(8),
            2 => random.cube_point(),
            _ => random.grid_point(5) * 0.1,
        };
        let t = [0; 3].map(|_| grid(&mut random));
        let (origin, mut d) = (grid(&mut random), grid(&mut random) - grid(&mut random));
        if round % 8 == 2 {
            d = t[0] + (t[1] - t[0]) * random.unit() - origin;
        }
        let touch = line_touches(origin, d, &t);
        let cross = line_crosses(origin, d, &t);
        assert!(cross.is_none() || cross == touch, "{origin} {d} {t:?}");
        let check = |expected_t: f64, t_sign: i32| {
            let hit = touch.unwrap();
            assert_eq!((hit.t > 0.0, hit.t < 0.0), (t_sign > 0, t_sign < 0), "{origin} {d} {t:?}");
            let reach = t.iter().fold(1.0, |m: f64, p| m.max((*p - origin).length())) / d.length();
            assert!(
                (hit.t - expected_t).abs() <= 1e-12 * reach,
                "{} {expected_t}: {origin} {d} {t:?}",
                hit.t
            );
        };
        match oracle::line_triangle(origin, d, &t) {
            LineHit::Parallel => {
                assert_eq!(touch, None);
                counts[0] += 1;
            }
            LineHit::Miss => {
                assert_eq!(touch, None);
                counts[1] += 1;
            }
            LineHit::Inside { t, t_sign } => {
                check(t, t_sign);
                assert!(cross.is_some());
                counts[2] += 1;
            }
            LineHit::Boundary { t, t_sign } => {
                check(t, t_sign);
                counts[3] += 1;
            }
        }
    }
    assert!(counts.iter().all(|&n| 2_000 < n), "{counts:?}");
}

/// Rays aimed exactly at corners and at middles of edges, from inside, outside and from other
/// corners.
#[test]
fn no_ray_escapes() {
    let mesh = ball(12);
    let mut random = Random::new(12);
    let (mut n_touching, mut n_grazing) = (0, 0);
    for round in 0..4_000 {
        let corner = |random: &mut Random| {
            let t = mesh[random.below(mesh.len())];
            if random.below(2) == 0 { t[0] } else { t[0] * 0.5 + t[1] * 0.5 }
        };
        let is_inside = round % 2 == 0;
        let origin = match round % 4 {
            0 => random.cube_point().round(),
            2 => (random.cube_point() * 300.0).round(),
            1 => (random.cube_point() * 2e3).round() + dvec3(0.0, 3e3, 0.0),
            _ => corner(&mut random) * 2.0,
        };
        let d = corner(&mut random) - origin;
        let (mut crossings, mut sum, mut touches) = (0, 0i32, 0);
        for t in &mesh {
            if let Some(hit) = line_crosses(origin, d, t) {
                sum += if hit.is_back_face { 1 } else { -1 };
                crossings += usize::from(0.0 < hit.t);
            }
            touches += usize::from(line_touches(origin, d, t).is_some_and(|hit| 0.0 < hit.t));
        }
        assert_eq!(sum, 0, "as often in as out");
        assert_eq!(crossings % 2 == 1, is_inside, "{origin} {d}");
        assert!(0 < touches, "{origin} {d}");
        n_touching += usize::from(crossings < touches);
        n_grazing += usize::from(crossings == 0);
    }
    assert!(2_000 < n_touching && 5 < n_grazing, "{n_touching} {n_grazing}");
}

#[test]
fn points_exactly() {
    let mesh = ball(6);
    let mut random = Random::new(13);
    let mut counts = [0usize; 3];
    for round in 0..400 {
        let t = mesh[random.below(mesh.len())];
        let p = match round % 5 {
            0 => t[0],
            1 => t[0] * 0.5 + t[1] * 0.5,
            2 => (t[0] * 0.5 + t[1] * 0.25 + t[2] * 0.25) * [0.5, 1.0, 1.0 + 1e-15][random.below(3)],
            // On the level of a corner, so that the half-line meets edges.
            3 => dvec3(random.range(-1500.0, 1000.0).round(), t[0].y, t[0].z),
            _ => (random.cube_point() * 1200.0).round(),
        };
        let expected = oracle::point_in_mesh(p, &mesh);
        let got = point_in_mesh(p, mesh.iter().copied());
        let (i, expected) = match expected {
            PointLocation::Inside => (0, Placement::Inside),
            PointLocation::Outside => (1, Placement::Outside),
            PointLocation::Surface => (2, Placement::Surface),
        };
        assert_eq!(got, expected, "{p}");
        counts[i] += 1;
        if expected != Placement::Surface {
            let winding = winding_number(p, mesh.iter().copied());
            let whole = f64::from(u8::from(expected == Placement::Inside));
            // Within a rounding error of the surface the angle is anything.
            assert!((winding - whole).abs() < 1e-9 || round % 5 == 2, "{winding} {p}");
        }
    }
    assert!(counts.iter().all(|&n| 40 < n), "{counts:?}");
    let far = half_line(dvec3(1e9, 0.0, 0.0), &mesh[0]);
    assert_eq!(far, HalfLine::Misses);
}

fn corners_by_name(names: impl Iterator<Item = String>) -> BTreeMap<String, Vec<[DVec3; 3]>> {
    let names: BTreeSet<String> = names.collect();
    names
        .into_iter()
        .map(|n| (n.clone(), meshes::mesh(&n).map(|m| m.corners()).unwrap_or_default()))
        .collect()
}

#[test]
fn real_rays() {
    let Some(table) = data::json("queries/ray_cases.json") else { return };
    let cases = table["cases"].as_array().unwrap();
    let meshes = corners_by_name(cases.iter().map(|c| c["mesh"].as_str().unwrap().to_owned()));
    let mut n_missed = 0;
    for c in cases {
        let mesh = &meshes[c["mesh"].as_str().unwrap()];
        let (origin, d) = (vector(&c["origin"]), vector(&c["dir"]));
        let hits: Vec<f64> = mesh
            .iter()
            .filter_map(|t| line_touches(origin, d, t))
            .map(|h| h.t)
            .filter(|t| *t >= 0.0)
            .collect();
        let first = hits.iter().copied().fold(f64::INFINITY, f64::min);
        match c["t"].as_f64() {
            Some(t) if (first - t).abs() <= 1e-9 * t.abs().max(1e-3) => {}
            Some(_) => {
                // The reference counts what is missed by less than 1e-9; along an open edge that is
                // a miss.
                let other = &mesh[c["tri"].as_u64().unwrap() as usize];
                let really = oracle::line_triangle(origin, d, other);
                assert!(matches!(really, LineHit::Miss | LineHit::Parallel), "{first} {c}");
                assert!(!c["clean"].as_bool().unwrap());
                n_missed += 1;
            }
            None => assert_eq!(first, f64::INFINITY, "{c}"),
        }
        if c["clean"].as_bool().unwrap() {
            assert_eq!(hits.len() as u64, c["hits"].as_u64().unwrap(), "{c}");
        }
    }
    assert!(n_missed <= 4, "{n_missed} of {}", cases.len());
}

#[test]
fn real_points() {
    let (Some(table), Some(list)) =
        (data::json("queries/point_cases.json"), data::json("meshes/meshes.json"))
    else {
        return;
    };
    let is_watertight = |name: &str| {
        list.as_array().unwrap().iter().any(|m| m["name"] == name && m["watertight"].as_bool().unwrap())
    };
    let cases = table["cases"].as_array().unwrap();
    let meshes = corners_by_name(cases.iter().map(|c| c["mesh"].as_str().unwrap().to_owned()));
    for (k, c) in cases.iter().enumerate() {
        let name = c["mesh"].as_str().unwrap();
        let mesh = &meshes[name];
        let p = vector(&c["point"]);
        let size = mesh.iter().flatten().fold(0.0, |m: f64, q| m.max((*q - p).length()));
        // The exact distance to every triangle takes a while.
        if k % 9 == 0 || mesh.len() < 3_000 || std::env::var_os("CAROM_SLOW").is_some() {
            let nearest = mesh.iter().map(|t| point_triangle(p, t).distance).fold(f64::INFINITY, f64::min);
            let expected = c["distance"].as_f64().unwrap();
            assert!((nearest - expected).abs() <= 1e-12 * size, "{nearest} {c}");
        }
        let winding = winding_number(p, mesh.iter().copied());
        assert!((winding - c["winding_number"].as_f64().unwrap()).abs() < 1e-6, "{winding} {c}");
        if is_watertight(name) {
            let placement = point_in_mesh(p, mesh.iter().copied());
            // The mesh may wind twice, or inwards, around a part.
            assert_eq!(placement == Placement::Inside, winding.round() as i64 % 2 != 0, "{c}");
        }
    }
}

/// Close to a segment, and close to the rim in the plane of a triangle, the cosines of a solid
/// angle are nothing but rounding.
#[test]
fn r_in_the_plane_solid_angles_are_exact() {
    let segment = [
        DVec3::new(1.0, 2.0, 2.0),
        DVec3::new(7.0, 1_073_741_824.0, 0.0),
        DVec3::new(7.0, 1_073_741_824.0, 0.0),
    ];
    assert_eq!(solid_angle(DVec3::new(0.0, 268_435_456.000_000_06, 0.0), &segment), 0.0);
    for axis in 0..3 {
        let position_of = |x: f64, y: f64| {
            let mut p = DVec3::ZERO;
            (p[(axis + 1) % 3], p[(axis + 2) % 3], p[axis]) = (x, y, 0.375);
            p
        };
        let triangle = [position_of(0.0, 0.0), position_of(1.0, 0.0), position_of(0.0, 1.0)];
        for x in [0.0, 1e-300, 1e-17, 0.25, 0.5] {
            for y in [1e-300, 1e-17, 1e-9] {
                let within = if 0.0 < x { core::f64::consts::TAU } else { 0.0 };
                assert_eq!(solid_angle(position_of(x, y), &triangle), within, "{x} {y}");
                assert_eq!(solid_angle(position_of(x, -y), &triangle), 0.0, "{x} -{y}");
                assert_eq!(solid_angle(position_of(x, 0.0), &triangle), 0.0, "{x} on the rim");
            }
        }
    }
}

#[test]
fn beside_a_point_is_as_at_a_point_moved_a_little() {
    use carom_geom::ray_mesh::half_line_beside;
    let mut rng = Random::new(41);
    // Far enough apart for coordinates as small as these, and exact in `f64`.
    let step = 1.0 / 1024.0;
    let (mut n_on, mut n_inside) = (0, 0);
    for _ in 0..3000 {
        let corners = [0; 4].map(|_| DVec3::from_array([0; 3].map(|_| rng.below(5) as f64)));
        let faces = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]].map(|t| t.map(|v: usize| corners[v]));
        let p = DVec3::from_array([0; 3].map(|_| rng.below(5) as f64));
        let octant = [0; 3].map(|_| rng.below(2) == 1);
        let [x, y, z] = octant.map(|is_up| if is_up { step } else { -step });
        let moved = p + DVec3::new(x * step * step, y, z * step);
        let count = |meets: &dyn Fn(&[DVec3; 3]) -> HalfLine| {
            faces.iter().fold(0, |n, t| match meets(t) {
                HalfLine::Misses => n,
                HalfLine::Crosses { is_back_face } => n + if is_back_face { 1 } else { -1 },
                HalfLine::StartsIn => panic!("{p} moved is in {t:?}"),
            })
        };
        let wanted = count(&|t| half_line(moved, t));
        assert_eq!(count(&|t| half_line_beside(p, octant, t)), wanted, "{p} {octant:?} {faces:?}");
        let is_on = faces.iter().any(|t| half_line(p, t) == HalfLine::StartsIn);
        n_on += usize::from(is_on);
        n_inside += usize::from(is_on && wanted != 0);
    }
    assert!(100 < n_on && 8 < n_inside, "{n_on} on the surface, {n_inside} beside the inside");
}
