//! Surfaces that lie in each other: what a pair that meets costs there, in counts, beside what it
//! costs where surfaces cross.

use crate::support::bumpy_sheet;
use carom_bounds::Obb;
use carom_bvh::{BuildSettings, Bvh, visit_leaf_pairs};
use carom_geom::TriMesh;
use carom_geom::tri_tri::{intersects, intersects_filter};
use carom_geom::tri_tri_lanes::TriBlock8;
use carom_math::{Pose, Quat, Vec3, WidePose};
use core::ops::ControlFlow;
use glam::DVec3;

/// A square sheet, and its trees as a mesh has them.
struct Sheet {
    mesh: TriMesh,
    tree: Bvh<Obb>,
    blocks: Vec<TriBlock8>,
}

fn sheet(n: u32, bump: f32) -> Sheet {
    let mesh = bumpy_sheet(n, bump);
    let settings = BuildSettings::default().with_max_leaf(8);
    let tree = Bvh::from_triangles(mesh.n_triangles(), |i| mesh.points(i), &settings).unwrap();
    let block =
        |triangles: &[u32]| TriBlock8::new(&triangles.iter().map(|&i| mesh.corners(i)).collect::<Vec<_>>());
    let blocks = tree.leaves().map(|leaf| block(leaf.primitives)).collect();
    Sheet { mesh, tree, blocks }
}

/// Pairs that meet, and steps for all: eight boxes, eight triangles, or one pair in `f64` is one
/// step, a pair that goes on to exact arithmetic twenty more.
fn count(a: &Sheet, b: &Sheet, pose: &WidePose) -> (u64, u64) {
    let (mut n_met, mut n_steps) = (0, 0);
    let visit = visit_leaf_pairs(&a.tree, &b.tree, pose, |leaf_a, leaf_b| {
        let lanes = a.blocks[leaf_a.index as usize].may_meet(&b.blocks[leaf_b.index as usize], pose);
        for (j, &triangle_b) in leaf_b.primitives.iter().enumerate() {
            n_steps += 1;
            let corners_b = b.mesh.corners(triangle_b).map(|p| {
                let r = &pose.rotation;
                ((r.x_axis * p.x + r.y_axis * p.y) + r.z_axis * p.z) + pose.translation
            });
            for (i, &triangle_a) in leaf_a.primitives.iter().enumerate() {
                if lanes[j] >> i & 1 == 0 {
                    continue;
                }
                let corners_a = a.mesh.corners(triangle_a);
                n_steps += if intersects_filter(&corners_a, &corners_b).is_none() { 21 } else { 1 };
                n_met += u64::from(intersects(&corners_a, &corners_b));
            }
        }
        ControlFlow::Continue(())
    });
    (n_met, n_steps + visit.counters.nodes)
}

#[test]
fn lying_in_each_other_costs_no_more_a_pair_than_twenty_times_crossing() {
    let (bumpy, flat) = (sheet(60, 0.1), sheet(60, 0.0));
    let pose = |turn: Vec3, shift: DVec3| {
        let pose = Pose::from_rotation(Quat::from_scaled_axis(turn)).wide();
        WidePose { translation: shift, ..pose }
    };
    let through = pose(Vec3::new(1.1, 0.3, 0.2), DVec3::new(0.01, 0.02, 0.03));
    let (n_met, n_steps) = count(&bumpy, &bumpy, &through);
    let usual = n_steps as f64 / n_met as f64;
    println!("crossing: {n_met} pairs, {usual:.1} steps each");
    assert!(50 < n_met);
    let cases = [
        ("the same place", &bumpy, &bumpy, WidePose::IDENTITY),
        ("nearly the same place", &bumpy, &bumpy, pose(Vec3::ZERO, DVec3::new(1e-7, 0.0, 5e-8))),
        ("a hair's breadth off", &bumpy, &bumpy, pose(Vec3::ZERO, DVec3::new(1e-3, 0.0, 5e-4))),
        ("one plane, the same place", &flat, &flat, WidePose::IDENTITY),
        ("one plane, by whole cells", &flat, &flat, pose(Vec3::ZERO, DVec3::X / 30.0)),
        ("one plane, shifted", &flat, &flat, pose(Vec3::ZERO, DVec3::new(0.0123, 0.0, 0.0456))),
        ("one plane, turned", &flat, &flat, pose(Vec3::Y * 0.4, DVec3::ZERO)),
        ("bumps through a plane", &flat, &bumpy, WidePose::IDENTITY),
    ];
    for (name, a, b, pose) in cases {
        let (n_met, n_steps) = count(a, b, &pose);
        let each = n_steps as f64 / n_met as f64;
        println!("{name}: {n_met} pairs, {each:.1} steps each");
        assert!(300 < n_met, "{name}: {n_met}");
        assert!(each <= 20.0 * usual, "{name}: {each:.1} steps for a pair, crossing {usual:.1}");
    }
}
