//! Levels whose faces cross each other very often are refused by a limit. Ordinary levels are not.

use carom_bsp::{Brush, BspError, BspSettings, BspTree, Contents, SplitPlane};
use carom_testkit::random::Random;
use glam::DVec3;

/// Thin slabs through the origin, each rotated at random: every slab crosses every other.
fn slabs(n: usize) -> Vec<Brush> {
    let mut random = Random::new(7);
    let mut direction = || loop {
        let v = DVec3::new(random.range(-1.0, 1.0), random.range(-1.0, 1.0), random.range(-1.0, 1.0));
        if 0.1 < v.length() && v.length() < 1.0 {
            break v.normalize();
        }
    };
    (0..n)
        .map(|_| {
            let normal = direction();
            let (u, v) = normal.any_orthonormal_pair();
            let sides = [(normal, 1.0), (u, 1000.0), (v, 1000.0)];
            let planes: Vec<SplitPlane> = sides
                .iter()
                .flat_map(|&(normal, offset)| [normal, -normal].map(|normal| SplitPlane { normal, offset }))
                .collect();
            Brush::from_planes(&planes, Contents::SOLID).unwrap()
        })
        .collect()
}

/// The faces of brushes as triangles.
fn triangles(brushes: &[Brush]) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for face in brushes.iter().flat_map(|brush| brush.faces()) {
        let first = vertices.len() as u32;
        vertices.extend(&face.corners);
        triangles.extend((2..face.corners.len() as u32).map(|i| [first, first + i - 1, first + i]));
    }
    (vertices, triangles)
}

#[test]
fn slabs_through_each_other_are_refused_by_a_limit() {
    let brushes = slabs(40);
    let (vertices, indices) = triangles(&brushes);
    let mut settings = BspSettings::default().with_max_splits(2000);
    let solid = Contents::SOLID;
    for limit in ["splits", "work"] {
        let of_brushes = BspTree::from_brushes(&brushes, &settings).err();
        let of_mesh = BspTree::from_mesh(&vertices, &indices, solid, &settings).err();
        for error in [of_brushes, of_mesh] {
            let Some(BspError::Entangled(splits)) = error else { panic!("{limit}: {error:?}") };
            // The limit is checked between cells, so the last cell may exceed it.
            assert!(limit == "work" || (2000 < splits && splits < 4000), "{limit}: {splits}");
        }
        settings = BspSettings::default();
        settings.max_work = 2_000_000;
    }
    assert!(BspError::Entangled(9).to_string().contains("after 9 splits"));
}

#[test]
fn a_soup_of_triangles_is_refused_by_a_limit() {
    let mut random = Random::new(3);
    let vertices: Vec<DVec3> = (0..1500).map(|_| random.cube_point()).collect();
    let indices: Vec<[u32; 3]> = (0..500).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    let settings = BspSettings::default().with_max_splits(3000);
    let error = BspTree::from_mesh(&vertices, &indices, Contents::SOLID, &settings).err();
    assert!(matches!(error, Some(BspError::Entangled(_))), "{error:?}");
}

#[test]
fn a_brush_of_very_many_planes_is_refused_by_a_limit() {
    let planes: Vec<SplitPlane> = (0..600)
        .map(|i| core::f64::consts::TAU * f64::from(i) / 600.0)
        .map(|a| SplitPlane { normal: DVec3::new(a.cos(), a.sin(), 0.0), offset: 100.0 })
        .chain([DVec3::Z, DVec3::NEG_Z].map(|normal| SplitPlane { normal, offset: 50.0 }))
        .collect();
    let brush = Brush::from_planes(&planes, Contents::SOLID).unwrap();
    let mut settings = BspSettings::default();
    settings.max_work = 10_000_000;
    let error = BspTree::from_brushes(&[brush], &settings).err();
    assert_eq!(error, Some(BspError::Entangled(0)));
}

#[test]
fn ordinary_levels_stay_far_below_the_limits() {
    // A hall of columns: brushes that touch and overlap.
    let mut brushes = Vec::new();
    let cuboid = |low: DVec3, high: DVec3| {
        let planes: Vec<SplitPlane> = (0..3)
            .flat_map(|axis| {
                let mut normal = DVec3::ZERO;
                normal[axis] = 1.0;
                [
                    SplitPlane { normal, offset: high[axis] },
                    SplitPlane { normal: -normal, offset: -low[axis] },
                ]
            })
            .collect();
        Brush::from_planes(&planes, Contents::SOLID).unwrap()
    };
    brushes.push(cuboid(DVec3::new(-50.0, -50.0, -1.0), DVec3::new(50.0, 50.0, 0.0)));
    for i in 0..100 {
        let (x, y) = (f64::from(i % 10) * 10.0 - 45.0, f64::from(i / 10) * 10.0 - 45.0);
        brushes.push(cuboid(DVec3::new(x, y, -0.5), DVec3::new(x + 2.0, y + 2.0, 9.0)));
    }
    let n_faces = brushes.len() * 6;
    let unlimited = BspTree::from_brushes(&brushes, &BspSettings::default()).unwrap();
    let limited = BspTree::from_brushes(&brushes, &BspSettings::default().with_limits_for(n_faces)).unwrap();
    assert_eq!(limited.report().nodes, unlimited.report().nodes);
    // A hundredth of the limit is enough.
    let mut settings = BspSettings::default().with_limits_for(n_faces);
    (settings.max_splits, settings.max_work) = (settings.max_splits / 100, settings.max_work / 100);
    assert!(BspTree::from_brushes(&brushes, &settings).is_ok());
}
