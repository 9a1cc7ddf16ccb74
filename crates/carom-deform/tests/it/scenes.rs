//! Small meshes that move, some of them degenerate.

use carom_deform::{DeformableMesh, FeaturePair, FollowingTree, PairKind};
use carom_scenes::mesh::{Spring, spring};
use carom_testkit::random::Random;
use glam::{DVec3, Vec3};

/// A mesh with positions before and now.
pub(crate) struct Scene {
    pub(crate) name: &'static str,
    pub(crate) mesh: DeformableMesh,
}

/// Positions of a square cloth of `n` by `n` vertices that waves.
pub(crate) fn waves(n: usize, amplitude: f64, phase: f64) -> Vec<Vec3> {
    let at = |i: usize| i as f64 / (n - 1) as f64 * 4.0;
    (0..n * n)
        .map(|i| {
            let (x, z) = (at(i % n), at(i / n));
            let y = amplitude * ((3.0 * x + phase).sin() + (2.0 * z - phase).cos() * (x * z).sin());
            DVec3::new(x, y, z).as_vec3()
        })
        .collect()
}

/// The triangles of a grid of `n` by `n` vertices.
pub(crate) fn grid(n: usize) -> Vec<[u32; 3]> {
    let mut triangles = Vec::new();
    for row in 0..n - 1 {
        for column in 0..n - 1 {
            let corner = (row * n + column) as u32;
            let [a, b, c, d] = [corner, corner + 1, corner + n as u32, corner + n as u32 + 1];
            triangles.extend([[a, c, b], [b, c, d]]);
        }
    }
    triangles
}

/// A spiral ramp: its normals are all alike, and it meets itself if its turns come together.
pub(crate) fn ramp(n: usize, rise: f64) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let mut positions = Vec::new();
    let mut triangles = Vec::new();
    for i in 0..n {
        let turn = i as f64 / n as f64 * 3.0 * std::f64::consts::TAU;
        for radius in [1.0, 2.0] {
            positions.push(DVec3::new(radius * turn.cos(), rise * turn, radius * turn.sin()).as_vec3());
        }
        if 0 < i {
            let [a, b, c, d] = [2 * i - 2, 2 * i - 1, 2 * i, 2 * i + 1].map(|v| v as u32);
            triangles.extend([[a, b, c], [b, d, c]]);
        }
    }
    (positions, triangles)
}

fn moved(name: &'static str, before: &[Vec3], after: &[Vec3], triangles: Vec<[u32; 3]>) -> Scene {
    let mut mesh = DeformableMesh::from_triangles(before, triangles).unwrap();
    mesh.set_positions(after).unwrap();
    Scene { name, mesh }
}

/// All scenes, small enough for fractions.
pub(crate) fn scenes() -> Vec<Scene> {
    let mut random = Random::new(11);
    let mut all = vec![
        moved("cloth", &waves(8, 0.3, 0.0), &waves(8, 0.4, 1.0), grid(8)),
        moved("crumpled cloth", &waves(8, 2.0, 0.0), &waves(8, 3.0, 2.0), grid(8)),
        moved(
            "flat cloth that turns over",
            &waves(7, 0.0, 0.0),
            &waves(7, 0.0, 0.0).iter().map(|p| Vec3::new(p.x, p.z, p.y)).collect::<Vec<_>>(),
            grid(7),
        ),
    ];
    let (high, triangles) = ramp(30, 0.25);
    let (low, _) = ramp(30, 0.01);
    all.push(moved("spiral ramp", &high, &low, triangles));
    let coil = |height: f64| spring(&Spring::coil(2.0, 1.0, height, 0.15).with_detail(6, 4)).vertices_f32();
    let triangles = spring(&Spring::coil(2.0, 1.0, 2.0, 0.15).with_detail(6, 4)).triangles;
    all.push(moved("spring", &coil(2.0), &coil(0.2), triangles));
    let any = |random: &mut Random, n: usize| -> Vec<Vec3> {
        (0..n).map(|_| random.cube_point().as_vec3()).collect()
    };
    let soup = |n: u32| (0..n).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    all.push(moved("soup", &any(&mut random, 60), &any(&mut random, 60), soup(20)));
    let lattice =
        |random: &mut Random| -> Vec<Vec3> { (0..60).map(|_| random.grid_point(3).as_vec3()).collect() };
    all.push(moved("soup on a lattice", &lattice(&mut random), &lattice(&mut random), soup(20)));
    // Each triangle three times: with its vertices, with them turned, and with vertices of its
    // own.
    let p = waves(4, 0.5, 0.0);
    let mut triangles = grid(4);
    let n = p.len() as u32;
    triangles.extend(grid(4).iter().map(|[a, b, c]| [*b, *a, *c]));
    triangles.extend(grid(4).iter().map(|t| t.map(|v| v + n)));
    let doubled =
        |amplitude: f64| -> Vec<Vec3> { [waves(4, amplitude, 0.0), waves(4, amplitude, 0.0)].concat() };
    all.push(moved("tripled triangles", &doubled(0.5), &doubled(0.25), triangles));
    // Two halves that meet along a seam without sharing vertices, and degenerate triangles.
    let half = waves(5, 0.3, 0.0);
    let other: Vec<Vec3> = half.iter().map(|p| Vec3::new(8.0 - p.x, p.y, p.z)).collect();
    let mut triangles = grid(5);
    triangles.extend(grid(5).iter().map(|t| t.map(|v| v + 25)));
    triangles.extend([[0, 0, 1], [2, 2, 2], [0, 12, 24]]);
    let seam = [half, other].concat();
    let fallen: Vec<Vec3> = seam.iter().map(|p| *p - Vec3::Y * (1.0 + p.x)).collect();
    all.push(moved("unwelded seam", &seam, &fallen, triangles));
    all.push(Scene {
        name: "thick cloth",
        mesh: moved("", &waves(7, 1.0, 0.0), &waves(7, 1.5, 2.0), grid(7))
            .mesh
            .with_thickness(0.125)
            .unwrap(),
    });
    let ropes = (0..30).map(|i| [i, i + 1]).collect();
    let mut hair = DeformableMesh::from_segments(&any(&mut random, 31), ropes).unwrap();
    hair.set_positions(&any(&mut random, 31)).unwrap();
    all.push(Scene { name: "rope", mesh: hair });
    // A row of cubes of tetrahedra, whose inner vertices and faces do not count.
    let corners: Vec<Vec3> = (0..5_u8)
        .flat_map(|x| [0, 1, 2, 3].map(|i| Vec3::new(f32::from(x), f32::from(i & 1_u8), f32::from(i >> 1))))
        .collect();
    let cells: Vec<[u32; 4]> = (0..4_u32)
        .flat_map(|x| {
            [[0, 1, 3, 7], [0, 3, 2, 7], [0, 2, 6, 7], [0, 6, 4, 7], [0, 4, 5, 7], [0, 5, 1, 7]]
                .map(|t: [u32; 4]| t.map(|v| 4 * (x + (v >> 2)) + (v & 3)))
        })
        .collect();
    let mut bar = DeformableMesh::from_tetrahedra(&corners, &cells).unwrap();
    let bent: Vec<Vec3> = corners
        .iter()
        .map(|p| Vec3::new((p.x * 1.5).cos() * (1.0 + p.y), p.z, (p.x * 1.5).sin() * (1.0 + p.y)))
        .collect();
    bar.set_positions(&bent).unwrap();
    all.push(Scene { name: "bar of tetrahedra", mesh: bar });
    all
}

/// All pairs of features of one mesh that share no vertex, in the order of answers.
pub(crate) fn all_pairs<T: FollowingTree>(mesh: &DeformableMesh<T>) -> Vec<FeaturePair> {
    let mut all = Vec::new();
    for &vertex in mesh.surface_vertices() {
        for (face, corners) in (0..).zip(mesh.faces()) {
            if !corners.contains(&vertex) {
                all.push(FeaturePair { kind: PairKind::VertexFace, a: vertex, b: face });
            }
        }
    }
    for (i, e) in (0..).zip(mesh.edges()) {
        for (j, f) in (0..).zip(mesh.edges()).skip(i as usize + 1) {
            if !e.contains(&f[0]) && !e.contains(&f[1]) {
                all.push(FeaturePair { kind: PairKind::EdgeEdge, a: i, b: j });
            }
        }
    }
    all
}

/// All pairs of features of two meshes, in the order of answers.
pub(crate) fn all_pairs_of_two<T: FollowingTree, U: FollowingTree>(
    a: &DeformableMesh<T>,
    b: &DeformableMesh<U>,
) -> Vec<FeaturePair> {
    let mut all = Vec::new();
    for &vertex in a.surface_vertices() {
        all.extend((0..b.faces().len() as u32).map(|face| FeaturePair {
            kind: PairKind::VertexFace,
            a: vertex,
            b: face,
        }));
    }
    for face in 0..a.faces().len() as u32 {
        all.extend(b.surface_vertices().iter().map(|&vertex| FeaturePair {
            kind: PairKind::FaceVertex,
            a: face,
            b: vertex,
        }));
    }
    for i in 0..a.edges().len() as u32 {
        all.extend((0..b.edges().len() as u32).map(|j| FeaturePair { kind: PairKind::EdgeEdge, a: i, b: j }));
    }
    all
}

/// Whether the boxes of two sets of points, and so their hulls, are surely farther apart than
/// `reach`.
pub(crate) fn is_beside(a: &[DVec3], b: &[DVec3], reach: f64) -> bool {
    let least = |points: &[DVec3]| points.iter().fold(DVec3::INFINITY, |m, p| m.min(*p));
    let most = |points: &[DVec3]| points.iter().fold(DVec3::NEG_INFINITY, |m, p| m.max(*p));
    let gap = (least(b) - most(a)).max(least(a) - most(b)).max_element();
    reach * 1.001 + 1e-6 < gap
}

/// The vertices of a pair: those of the first feature, and those of the second.
pub(crate) fn vertices_of<T: FollowingTree, U: FollowingTree>(
    pair: &FeaturePair,
    a: &DeformableMesh<T>,
    b: &DeformableMesh<U>,
) -> [Vec<u32>; 2] {
    let (i, j) = (pair.a as usize, pair.b as usize);
    match pair.kind {
        PairKind::VertexFace => [vec![pair.a], b.faces()[j].to_vec()],
        PairKind::FaceVertex => [a.faces()[i].to_vec(), vec![pair.b]],
        PairKind::EdgeEdge => [a.edges()[i].to_vec(), b.edges()[j].to_vec()],
        PairKind::FaceFace => [a.faces()[i].to_vec(), b.faces()[j].to_vec()],
    }
}
