//! Parts of a cell: where they are, and which touch.

use crate::{joint, limits, robot};
use carom_geom::f64::TriMesh;
use carom_math::f64::Pose;
use carom_query::f64::MeshShape;
use carom_robot::Workcell;
use carom_scenes::Rng;
use glam::{DQuat, DVec3};
use std::sync::Arc;

/// A mesh of boxes: middles and sizes. `n_faces` of twelve are kept of each.
fn boxes(all: &[[f64; 6]], n_faces: usize) -> Arc<MeshShape> {
    const FACES: [[u32; 3]; 12] = [
        [0, 2, 1],
        [1, 2, 3],
        [4, 5, 6],
        [5, 7, 6],
        [0, 1, 4],
        [1, 5, 4],
        [2, 6, 3],
        [3, 6, 7],
        [0, 4, 2],
        [2, 4, 6],
        [1, 3, 5],
        [3, 7, 5],
    ];
    let (mut vertices, mut faces) = (Vec::new(), Vec::new());
    for [x, y, z, a, b, c] in all {
        let first = vertices.len() as u32;
        for i in 0..8 {
            let side = |bit: u32, size: f64| if i >> bit & 1 == 0 { -0.5 * size } else { 0.5 * size };
            vertices.push(DVec3::new(x + side(0, *a), y + side(1, *b), z + side(2, *c)));
        }
        faces.extend(FACES[..n_faces].iter().map(|face| face.map(|v| v + first)));
    }
    Arc::new(MeshShape::new(TriMesh::new(vertices, faces).unwrap().oriented().0).unwrap())
}

#[test]
fn a_piece_inside_of_a_solid_touches_it() {
    let cave = boxes(&[[0.0, 0.0, 0.0, 4.0, 4.0, 4.0]], 12);
    // Two pieces: the first far outside, the second at the origin.
    let pair = boxes(&[[9.0, 0.0, 0.0, 1.0, 1.0, 1.0], [0.0, 0.0, 0.0, 1.0, 1.0, 1.0]], 12);
    let open = boxes(&[[0.0, 0.0, 0.0, 4.0, 4.0, 4.0]], 10);
    let mut cell = Workcell::new(Vec::new());
    let mut rng = Rng::new(11);
    for _ in 0..50 {
        let turn = DQuat::from_xyzw(
            rng.range(-1.0, 1.0),
            rng.range(-1.0, 1.0),
            rng.range(-1.0, 1.0),
            rng.range(-1.0, 1.0),
        )
        .normalize();
        let place = Pose::new(turn, DVec3::new(rng.range(-99.0, 99.0), 5.0, -7.0));
        let at = |x: f64| place * Pose::from_translation(DVec3::new(x, 0.0, 0.0));
        let (a, b, c) = (
            cell.push_fixed(Arc::clone(&cave), place),
            cell.push_fixed(Arc::clone(&pair), place),
            cell.push_fixed(Arc::clone(&open), at(0.0)),
        );
        let poses = cell.place(&[]);
        assert!(cell.is_touching([a, b], &poses) && cell.is_touching([b, a], &poses));
        // A mesh with a hole has no inside.
        assert!(!cell.is_touching([b, c], &poses));
        // Between the pieces, and beyond them.
        for (x, is_touching) in [(4.75, false), (-20.0, false), (-2.6, false), (-2.4, true), (-9.0, true)] {
            let mut moved = poses.clone();
            moved[b] = at(x);
            assert_eq!(cell.is_touching([a, b], &moved), is_touching, "{x}");
        }
    }
}

#[test]
fn parts_follow_their_links() {
    let model = robot(
        &[("base", &[[0.0, 0.0, 0.0, 1.0, 1.0, 1.0]]), ("sled", &[[3.0, 0.0, 0.0, 1.0, 1.0, 1.0]])],
        &[joint("slide", "prismatic", ["base", "sled"], &limits(-9.0, 9.0))],
    );
    let mut cell = Workcell::of_model(&model).unwrap();
    let post =
        cell.push_fixed(boxes(&[[0.0, 0.0, 0.0, 1.0, 1.0, 1.0]], 12), Pose::from_translation(DVec3::X * 8.0));
    let robot = &cell.robots()[0];
    let touching = |x: f64| {
        let poses = cell.place(&[robot.values(&[("slide", x)]).unwrap()]);
        [cell.is_touching([0, 1], &poses), cell.is_touching([1, post], &poses)]
    };
    assert_eq!(touching(0.0), [false, false]);
    assert_eq!(touching(-2.5), [true, false]);
    assert_eq!(touching(4.5), [false, true]);
    assert_eq!(
        (cell.link_of(1).map(|(robot, link, _)| (robot, link)), cell.link_of(post)),
        (Some((0, 1)), None)
    );
}
