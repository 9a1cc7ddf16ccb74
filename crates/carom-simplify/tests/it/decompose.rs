//! Hulls that cover a mesh, and whose distance from it is within their bounds.

use crate::oracle::{distance, mesh, winding};
use carom_geom::winding::signed_volume;
use carom_geom::{ConvexHull, TriMesh};
use carom_math::tol;
use carom_scenes::Rng;
use carom_scenes::mesh::{
    Gear, Knot, MeshData, bumpy_icosphere, gear, icosphere, terrain, torus, torus_knot,
};
use carom_simplify::{
    DecomposeError, DecomposeSettings, Decomposition, Stage, Stop, decompose, decompose_with,
};
use carom_testkit::{data, meshes};
use glam::{DVec3, Vec3};
use proptest::prelude::*;
use std::ops::ControlFlow;

/// The greatest height of a point above the planes of a hull's faces; at most 0 inside.
fn height(hull: &ConvexHull, p: DVec3) -> f64 {
    (0..hull.n_faces() as u32)
        .map(|f| hull.face_normal(f).dot(p) - hull.face_offset(f))
        .fold(f64::NEG_INFINITY, f64::max)
}

/// The part of a polygon above a plane, or below it.
fn above(polygon: &[DVec3], normal: DVec3, offset: f64, is_kept_above: bool) -> Vec<DVec3> {
    let sign = if is_kept_above { 1.0 } else { -1.0 };
    let h = |p: DVec3| (normal.dot(p) - offset) * sign;
    let mut out = Vec::new();
    for (i, &p) in polygon.iter().enumerate() {
        let q = polygon[(i + 1) % polygon.len()];
        if 0.0 <= h(p) {
            out.push(p);
        }
        if h(p) * h(q) < 0.0 {
            out.push(p + (q - p) * (h(p) / (h(p) - h(q))));
        }
    }
    out
}

/// Checks that no part of a triangle outside all hulls is wider than rounding.
fn check_cover(old: &TriMesh, hulls: &[ConvexHull]) {
    let (min, max) = old.wide_bounds();
    let rounding = 1e-12 * min.abs().max(max.abs()).max_element();
    for t in old.iter_corners() {
        let mut rest = vec![t.to_vec()];
        for hull in hulls {
            let mut next = Vec::new();
            for mut piece in rest {
                let low = piece.iter().map(|p| height(hull, *p)).fold(f64::INFINITY, f64::min);
                let apart = (0..hull.n_faces() as u32).any(|f| {
                    piece.iter().all(|p| hull.face_offset(f) + rounding < hull.face_normal(f).dot(*p))
                });
                if apart && rounding < low {
                    next.push(piece);
                    continue;
                }
                for f in 0..hull.n_faces() as u32 {
                    let (normal, offset) = (hull.face_normal(f), hull.face_offset(f) + rounding);
                    if piece.iter().any(|p| offset < normal.dot(*p)) {
                        next.push(above(&piece, normal, offset, true));
                        piece = above(&piece, normal, offset, false);
                    }
                    if piece.is_empty() {
                        break;
                    }
                }
            }
            rest = next;
        }
        for piece in rest {
            let center = piece.iter().fold(DVec3::ZERO, |sum, p| sum + *p) / piece.len() as f64;
            let least = hulls.iter().map(|h| height(h, center)).fold(f64::INFINITY, f64::min);
            assert!(least <= 4.0 * rounding, "{center} is {least} off every hull");
        }
    }
}

/// Checks the cover, the concavities and the counts. Returns the sum of the hulls' volumes.
fn check(old: &TriMesh, settings: &DecomposeSettings, found: &Decomposition, rng: &mut Rng) -> f64 {
    let (min, max) = old.wide_bounds();
    let size = (max - min).length();
    assert!(!found.hulls.is_empty() && found.hulls.len() <= settings.max_hulls);
    assert_eq!(found.hulls.len(), found.concavities.len());
    check_cover(old, &found.hulls);
    let mut n_inside = 0;
    for _ in 0..200 {
        let p = rng.in_box(min, max);
        if found.is_solid && winding(old, p).is_some_and(|w| w != 0) {
            n_inside += 1;
            let least = found.hulls.iter().map(|h| height(h, p)).fold(f64::INFINITY, f64::min);
            assert!(least <= 1e-12 * size, "{p} of the inside is {least} off every hull");
        }
    }
    assert!(3 < n_inside || !found.is_solid, "{n_inside} points inside");
    let mut volume = 0.0;
    for (hull, &concavity) in found.hulls.iter().zip(&found.concavities) {
        assert!(hull.vertices().len() <= settings.max_vertices, "{} vertices", hull.vertices().len());
        volume += f64::from(hull.mass_properties(1.0).mass);
        for _ in 0..30 {
            let ring = hull.face_vertices(rng.below(hull.n_faces()) as u32);
            let [a, b, c] = [ring[0], ring[1], ring[2]].map(|v| hull.vertices()[v as usize].as_dvec3());
            let (u, v) = (rng.unit(), rng.unit());
            let p = a + (b - a) * (u * (1.0 - v)) + (c - a) * (u * v);
            if !(found.is_solid && winding(old, p) != Some(0)) {
                let d = distance(old, p);
                assert!(d <= concavity + 1e-12 * size, "{p} is {d} off the mesh, beyond {concavity}");
            }
        }
    }
    volume
}

#[test]
fn hulls_cover_what_they_are_of() {
    let mut rng = Rng::new(31);
    for (name, old, n, excess) in [
        ("knot", mesh(&torus_knot(&Knot::default(), 1500)), 16, 1.6),
        ("torus", mesh(&torus(1.0, 0.25, 600)), 12, 1.35),
        ("bumpy", mesh(&bumpy_icosphere(500, 0.2, 3)), 8, 1.6),
        ("gear", mesh(&gear(&Gear::new(8, 0.1))), 16, 1.5),
    ] {
        let settings =
            DecomposeSettings::default().with_max_hulls(n).with_concavity(0.03).with_max_vertices(24);
        let found = decompose(&old, &settings).unwrap();
        let volume = check(&old, &settings, &found, &mut rng);
        let solid = signed_volume(old.iter_corners());
        println!(
            "{name}: {} hulls, {:.3} of the volume, concavity {:.4}",
            found.hulls.len(),
            volume / solid,
            found.concavity()
        );
        assert!(found.is_solid && 1 < found.hulls.len());
        assert!(volume < excess * solid, "{name}: {volume} of {solid}");
        assert!(found.concavity() < 0.4, "{name}: {}", found.concavity());
        assert_eq!(decompose(&old, &settings).unwrap().concavities, found.concavities);
    }
}

#[test]
fn two_boxes_are_two_boxes() {
    // An L of three cubes: at best two boxes. Their planes are among the cuts that are tried.
    let mut l = MeshData::default();
    let outline = [(0.0, 0.0), (2.0, 0.0), (2.0, 1.0), (1.0, 1.0), (1.0, 2.0), (0.0, 2.0)];
    for z in [0.0, 1.0] {
        l.vertices.extend(outline.map(|(x, y)| DVec3::new(x, y, z)));
    }
    for t in [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]] {
        l.triangles.push([t[0], t[2], t[1]]);
        l.triangles.push(t.map(|v| v + 6));
    }
    for i in 0..6 {
        let k = (i + 1) % 6;
        l.triangles.extend([[i, k, k + 6], [i, k + 6, i + 6]]);
    }
    let old = mesh(&l);
    let settings = DecomposeSettings::default().with_concavity(0.001);
    let found = decompose(&old, &settings).unwrap();
    let volume = check(&old, &settings, &found, &mut Rng::new(32));
    assert_eq!(found.hulls.len(), 2);
    assert!((volume - 3.0).abs() < 1e-6 && found.concavity() < 0.001 * 3.0, "{volume}");
    // One hull has to bridge the corner. The middle of the bridge is half a side from either arm.
    let one = decompose(&old, &settings.with_max_hulls(1)).unwrap();
    assert_eq!(one.hulls.len(), 1);
    assert!((one.concavity() - 0.5).abs() < 0.01, "{}", one.concavity());
}

/// A plate of cells between these coordinates, without some of them.
fn plate(xs: &[f64], ys: &[f64], thickness: f64, holes: &[[usize; 2]]) -> TriMesh {
    let mut data = MeshData::default();
    let (n, m) = (xs.len() - 1, ys.len() - 1);
    let is_full = |i: usize, k: usize| i < n && k < m && !holes.contains(&[i, k]);
    let mut quad = |corners: [[f64; 3]; 4]| {
        let first = data.vertices.len() as u32;
        data.vertices.extend(corners.map(DVec3::from_array));
        data.triangles.extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
    };
    for (i, k) in (0..n * m).map(|c| (c % n, c / n)).filter(|&(i, k)| is_full(i, k)) {
        let ([x, u], [y, v], z) = ([xs[i], xs[i + 1]], [ys[k], ys[k + 1]], thickness);
        quad([[x, y, z], [u, y, z], [u, v, z], [x, v, z]]);
        quad([[x, v, 0.0], [u, v, 0.0], [u, y, 0.0], [x, y, 0.0]]);
        for (is_wall, [a, b], [c, d]) in [
            (!is_full(i.wrapping_sub(1), k), [x, v], [x, y]),
            (!is_full(i + 1, k), [u, y], [u, v]),
            (!is_full(i, k.wrapping_sub(1)), [x, y], [u, y]),
            (!is_full(i, k + 1), [u, v], [x, v]),
        ] {
            if is_wall {
                quad([[a, b, 0.0], [c, d, 0.0], [c, d, z], [a, b, z]]);
            }
        }
    }
    mesh(&data)
}

#[test]
fn windows_stay_open() {
    let thirds = [0.0, 0.613, 1.771, 2.503];
    let wide = [0.0, 0.731, 1.317, 2.911, 3.137, 4.003];
    for (name, xs, ys, thickness, holes, n) in [
        ("window", &[0.0, 2.6, 3.4, 4.0][..], &[0.0, 1.0, 2.0, 3.0][..], 0.2, &[[1, 1]][..], 4),
        ("odd window", &[0.0, 2.137, 3.011, 4.003], &thirds, 0.21, &[[1, 1]], 4),
        ("thick", &[0.0, 2.137, 3.011, 4.003], &thirds, 5.0, &[[1, 1]], 4),
        ("two windows", &wide, &thirds, 0.21, &[[1, 1], [3, 1]], 7),
        (
            "door and window",
            &[0.0, 0.531, 1.117, 2.911, 3.737, 4.003],
            &thirds,
            0.21,
            &[[1, 0], [1, 1], [3, 1]],
            7,
        ),
        ("channel", &[0.0, 0.37, 2.71, 3.0], &[0.0, 0.41, 2.0], 3.3, &[[1, 1]], 3),
    ] {
        let old = plate(xs, ys, thickness, holes);
        let found = decompose(&old, &DecomposeSettings::default()).unwrap();
        assert_eq!((found.stop, found.is_solid), (Stop::Concavity, true), "{name}");
        assert!(found.hulls.len() <= n, "{name}: {} hulls", found.hulls.len());
        assert_eq!(found.concavity(), 0.0, "{name}");
        for &[i, k] in holes {
            let p = DVec3::new(xs[i] + xs[i + 1], ys[k] + ys[k + 1], thickness) * 0.5;
            let least = found.hulls.iter().map(|h| height(h, p)).fold(f64::INFINITY, f64::min);
            assert!(0.05 < least, "{name}: a hull is {least} off the middle of a window");
        }
        // One hull closes the window, and the result names the number of hulls as the reason.
        let one = decompose(&old, &DecomposeSettings::default().with_max_hulls(1)).unwrap();
        assert_eq!(one.stop, Stop::MaxHulls, "{name}");
    }
}

/// Facets that face the wrong way leave the inside covered.
#[test]
fn turned_triangles_change_no_cover() {
    let right = mesh(&icosphere(320));
    let mut turned = right.clone();
    turned.turn_over(&(0..right.n_triangles() as u32).filter(|t| t % 3 == 0).collect::<Vec<_>>());
    let settings = DecomposeSettings::default().with_max_vertices(500).with_concavity(0.0);
    let (right, turned) = (decompose(&right, &settings).unwrap(), decompose(&turned, &settings).unwrap());
    assert!(turned.is_solid);
    assert_eq!(right.hulls[0].vertices(), turned.hulls[0].vertices());
}

#[test]
fn what_is_convex_stays_whole() {
    let old = mesh(&icosphere(320));
    let found = decompose(&old, &DecomposeSettings::default()).unwrap();
    assert_eq!(found.hulls.len(), 1);
    let settings = DecomposeSettings::default().with_max_vertices(500).with_concavity(0.0);
    let exact = decompose(&old, &settings).unwrap();
    assert_eq!((exact.hulls.len(), exact.hulls[0].vertices().len()), (1, 162));
    assert!(exact.concavity() < 1e-6);
}

#[test]
fn open_and_flat_meshes_are_covered_as_surfaces() {
    let mut rng = Rng::new(33);
    let ground = mesh(&terrain(10.0, 2.0, 10, 5));
    let flat =
        TriMesh::new(vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::X * 2.0], vec![[0, 1, 2], [0, 1, 3]]).unwrap();
    let point = TriMesh::new(vec![Vec3::ONE], vec![[0, 0, 0]]).unwrap();
    for old in [ground, flat, point] {
        let settings = DecomposeSettings::default().with_max_hulls(12);
        let found = decompose(&old, &settings).unwrap();
        assert!(!found.is_solid || old.n_triangles() == 1);
        check_cover(&old, &found.hulls);
        if 2 < old.n_triangles() {
            check(&old, &settings, &found, &mut rng);
        }
    }
}

#[test]
fn wrong_settings_and_callbacks() {
    let old = mesh(&torus(1.0, 0.3, 300));
    let settings = DecomposeSettings::default().with_max_hulls(4);
    let error = |settings| decompose(&old, &settings).unwrap_err();
    assert_eq!(error(settings.with_max_hulls(0)), DecomposeError::NoHulls);
    assert_eq!(error(settings.with_max_vertices(7)), DecomposeError::TooFewVertices);
    assert_eq!(error(settings.with_concavity(f64::NAN)), DecomposeError::BadConcavity);
    // Any number is a limit, however large.
    let large = |n| {
        let settings = settings.with_max_hulls(n).with_max_vertices(n).with_concavity(0.2);
        decompose(&old, &settings).unwrap().hulls.len()
    };
    assert_eq!([1 << 63, usize::MAX].map(large), [large(1 << 20); 2]);
    let mut stages = Vec::new();
    decompose_with(&old, &settings, &mut |p| {
        stages.push(p.stage);
        ControlFlow::Continue(())
    })
    .unwrap();
    assert!([Stage::Cutting, Stage::Merging].iter().all(|stage| stages.contains(stage)));
    for stop_at in [0, stages.len() / 2, stages.len() - 1] {
        let mut n = 0;
        let cancelled = decompose_with(&old, &settings, &mut |_| {
            n += 1;
            if n == stop_at + 1 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert_eq!(cancelled.unwrap_err(), DecomposeError::Cancelled);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn any_soup_is_covered(old in crate::dirty::soup(), max_hulls in 1..6_usize, concavity in 0.01..0.5) {
        let settings = DecomposeSettings::default().with_max_hulls(max_hulls).with_concavity(concavity).with_max_vertices(12);
        let found = decompose(&old, &settings).unwrap();
        prop_assert!(found.hulls.len() <= max_hulls);
        check_cover(&old, &found.hulls);
    }
}

/// Prints the number of hulls and their volume beside those of published decompositions of the
/// same meshes.
#[test]
fn published_decompositions() {
    if std::env::var_os("CAROM_SLOW").is_none() {
        println!("skipped: CAROM_SLOW is not set");
        return;
    }
    for (name, theirs) in
        [("ycb_power_drill", "ycb_PowerDrill_vhacd"), ("ycb_scissors", "ycb_Scissors_vhacd")]
    {
        let (Some(old), Some(path)) =
            (meshes::mesh(name), data::find(&format!("hulls/decomposed/{theirs}.obj")))
        else {
            return;
        };
        let text = std::fs::read_to_string(path).unwrap();
        let (mut points, mut groups) = (Vec::new(), vec![Vec::new()]);
        for line in text.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            match words.first() {
                Some(&"v") => {
                    points.push(Vec3::from_array([1, 2, 3].map(|i: usize| words[i].parse().unwrap())))
                }
                Some(&"o" | &"g") => groups.push(Vec::new()),
                Some(&"f") => {
                    let last = groups.last_mut().unwrap();
                    last.extend(
                        words[1..].iter().map(|w| w.split('/').next().unwrap().parse::<usize>().unwrap() - 1),
                    );
                }
                _ => {}
            }
        }
        groups.retain(|group| !group.is_empty());
        let published: f64 = groups
            .iter()
            .filter_map(|g| ConvexHull::from_points(&g.iter().map(|&v| points[v]).collect::<Vec<_>>()).ok())
            .map(|hull| f64::from(hull.mass_properties(1.0).mass))
            .sum();
        let vertices = old.vertices.iter().map(|v| v.as_vec3()).collect();
        let old = TriMesh::new(vertices, old.indices).unwrap();
        let solid = signed_volume(old.iter_corners());
        let settings = DecomposeSettings::default().with_max_hulls(groups.len().max(1)).with_concavity(0.0);
        let found = decompose(&old, &settings).unwrap();
        let volume = check(&old, &settings, &found, &mut Rng::new(41));
        println!(
            "{name}: published {} hulls of {:.3} times the volume, here {} of {:.3}",
            groups.len(),
            published / solid,
            found.hulls.len(),
            volume / solid
        );
        assert!(volume / solid < 1.5 && tol::MIN_LENGTH < volume);
    }
}
