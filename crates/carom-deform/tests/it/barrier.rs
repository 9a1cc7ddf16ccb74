//! Derivatives of distances and barriers, against finite differences.

use carom_deform::{DeformableMesh, FeatureSearch, NearPair, PairKind};
use carom_testkit::random::Random;
use glam::{DVec3, Vec3};

/// A triangle and an edge that share nothing, at random.
fn mesh(random: &mut Random) -> DeformableMesh {
    let positions: Vec<Vec3> = (0..6).map(|_| random.cube_point().as_vec3()).collect();
    DeformableMesh::from_triangles(&positions, vec![[0, 1, 2], [3, 4, 5]]).unwrap()
}

fn pairs(mesh: &mut DeformableMesh) -> Vec<NearPair> {
    FeatureSearch::default().within(mesh, 100.0).finish().pairs.to_vec()
}

#[test]
fn derivatives_are_those_of_differences() {
    let mut random = Random::new(3);
    let (thickness, reach) = (0.01, 1.5);
    let (mut n_checked, mut kinds) = (0, [0; 2]);
    for _ in 0..200 {
        let mut mesh = mesh(&mut random);
        let start = mesh.positions().to_vec();
        for (k, near) in pairs(&mut mesh).iter().enumerate() {
            let stencil = near.stencil(&mesh, &mesh);
            let sum = |range: core::ops::Range<usize>| stencil.weights[range].iter().sum::<f64>();
            assert!(
                (sum(0..stencil.n_first) - 1.0).abs() < 1e-9 && (sum(stencil.n_first..4) + 1.0).abs() < 1e-9
            );
            let at = |i: usize| start[stencil.vertices[i] as usize].as_dvec3();
            let displacement: DVec3 = (0..4).map(|i| at(i) * stencil.weights[i]).sum();
            assert!((displacement - (near.point_a - near.point_b)).length() < 1e-9, "{near:?}");
            let Some(barrier) = near.barrier(&stencil, thickness, reach) else {
                assert!(near.distance <= thickness);
                continue;
            };
            assert!(
                barrier.gradient.iter().sum::<DVec3>().length() < 1e-9 * (1.0 + barrier.gradient[0].length())
            );
            // The change of the distance when a vertex moves. Positions are `f32`, so the step is
            // the difference of the rounded positions.
            let vertex = random.below(4);
            let h = 1.0 / 1024.0;
            let axis = random.below(3);
            let moved = |sign: f32| {
                let mut positions = start.clone();
                positions[stencil.vertices[vertex] as usize][axis] += sign * h;
                let mut moved = mesh.clone();
                moved.set_positions(&positions).unwrap();
                let x = f64::from(positions[stencil.vertices[vertex] as usize][axis]);
                let near = pairs(&mut moved)[k];
                (
                    x,
                    near.distance,
                    near.barrier(&near.stencil(&moved, &moved), thickness, reach).map(|b| b.value),
                )
            };
            let ((x, d, b), (y, e, c)) = (moved(1.0), moved(-1.0));
            let (Some(b), Some(c)) = (b, c) else { continue };
            // Near a kink finite differences are inaccurate.
            if near.distance < 0.1 {
                continue;
            }
            let slope = near.distance_gradient(&stencil)[vertex][axis];
            assert!(((d - e) / (x - y) - slope).abs() < 0.02, "{near:?}: {} {slope}", (d - e) / (x - y));
            let slope = barrier.gradient[vertex][axis];
            assert!(((b - c) / (x - y) - slope).abs() < 0.02 * (1.0 + slope.abs()), "{near:?}");
            kinds[usize::from(near.pair.kind == PairKind::EdgeEdge)] += 1;
            n_checked += 1;
        }
    }
    assert!(1000 < n_checked && kinds.iter().all(|n| 200 < *n), "{n_checked} {kinds:?}");
}

#[test]
fn a_barrier_begins_at_the_reach_and_has_no_bound_where_things_touch() {
    let at = |y: f32| {
        let positions = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 0.0, 4.0], [1.0, y, 1.0], [1.0, 5.0, 1.0]];
        let faces = vec![[0, 1, 2], [3, 4, 4]];
        let mut mesh = DeformableMesh::from_triangles(&positions.map(Vec3::from), faces).unwrap();
        // Vertex 3 with the first face.
        let near = pairs(&mut mesh).into_iter().find(|near| near.pair.a == 3).unwrap();
        (near.distance, near.barrier(&near.stencil(&mesh, &mesh), 0.0, 1.0))
    };
    assert_eq!(at(1.0).1.unwrap().value, 0.0);
    assert_eq!(at(2.0).1.unwrap().gradient, [DVec3::ZERO; 4]);
    assert_eq!(at(0.0), (0.0, None));
    let (mut before, mut steepest) = (0.0, 0.0);
    for y in [0.9, 0.5, 0.1, 1e-3, 1e-6, 1e-9] {
        let barrier = at(y).1.unwrap();
        assert!(before < barrier.value && barrier.gradient[0].y < steepest);
        (before, steepest) = (barrier.value, barrier.gradient[0].y);
    }
    // A reach that is 0, negative or NaN gives no barrier.
    let mut mesh = mesh(&mut Random::new(1));
    let near = pairs(&mut mesh)[0];
    let stencil = near.stencil(&mesh, &mesh);
    assert_eq!([0.0, -1.0, f64::NAN].map(|reach| near.barrier(&stencil, 0.0, reach)), [None; 3]);
}

#[test]
fn features_without_extent_have_weights_too() {
    let positions = [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.5, 1.0, 0.0], [3.0, 1.0, 0.0]];
    let faces = vec![[0, 1, 2], [3, 3, 4], [4, 4, 4]];
    let mut mesh = DeformableMesh::from_triangles(&positions.map(Vec3::from), faces).unwrap();
    let found = pairs(&mut mesh);
    assert!(4 < found.len());
    for near in found {
        let stencil = near.stencil(&mesh, &mesh);
        assert!(stencil.weights.iter().all(|weight| weight.is_finite()), "{near:?}");
        let at = |i: usize| mesh.positions()[stencil.vertices[i] as usize].as_dvec3();
        let displacement: DVec3 = (0..4).map(|i| at(i) * stencil.weights[i]).sum();
        assert!((displacement - (near.point_a - near.point_b)).length() < 1e-9, "{near:?}: {stencil:?}");
    }
}
