//! Two meshes of about 70,000 triangles each: do they touch, which triangles do, how far apart are they.
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc, clippy::expect_used)]

use carom_benches::mesh_pairs::{Body, MeshPair, SCENES, mesh_pair};
use carom_benches::peers::parry;
use carom_benches::{Answers, Contest, Row, Runner, Unit};
use carom_math::Pose;
use carom_query::{Workspace, distance_with, intersects, triangle_pairs};
use parry3d::math::Pose as ParryPose;
use parry3d::shape::TriMesh as ParryMesh;
use std::cell::RefCell;

/// parry's own distance of two meshes takes a good part of a second: it is asked for so many poses only.
const DISTANCE_POSES: usize = 3;

fn main() {
    let mut runner = Runner::new("mesh_mesh");
    let n_poses = if runner.is_quick() { 10 } else { 100 };
    for scene in SCENES {
        if runner.wants(scene) {
            let pair = mesh_pair(scene, n_poses).expect("a scene of that name");
            contests(&mut runner, &pair);
        }
    }
}

fn peer(body: &Body) -> ParryMesh {
    parry::mesh(&body.data.vertices_f32(), &body.data.triangles).expect("parry takes the mesh")
}

fn contests(runner: &mut Runner, pair: &MeshPair) {
    let MeshPair { name: scene, a, b, poses } = pair;
    let (peer_a, peer_b) = (peer(a), peer(b));
    let peers: Vec<ParryPose> = poses.iter().map(parry::pose).collect();
    let size = a.mesh.mesh().n_triangles() as u64;
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());

    let mut yes_no = Answers::new();
    let mut all = Answers::new();
    for (i, (pose, peer)) in poses.iter().zip(&peers).enumerate() {
        ours.clear();
        triangle_pairs(&a.mesh, &Pose::IDENTITY, &b.mesh, pose, &mut ours);
        ours.sort_unstable();
        parry::mesh_pairs(&peer_a, &peer_b, peer, false, &mut theirs);
        theirs.sort_unstable();
        all.pairs(&format!("{scene}, pose {i}"), &ours, &theirs);
        let meets = intersects(&a.shape, &Pose::IDENTITY, &b.shape, pose);
        yes_no.equal(&format!("{scene}, pose {i}: yes or no and number"), &meets, &!ours.is_empty());
        yes_no.equal(&format!("{scene}, pose {i}: yes or no"), &meets, &!theirs.is_empty());
    }

    let row = |workload| Row { workload, size, unit: Unit::Us, per_call: poses.len() as u64 };
    let name = format!("{scene} yes/no");
    let contest = Contest::new(yes_no)
        .entry("carom", || {
            for pose in poses {
                std::hint::black_box(intersects(&a.shape, &Pose::IDENTITY, &b.shape, pose));
            }
        })
        .entry("parry leaf pairs", || {
            for peer in &peers {
                parry::mesh_pairs(&peer_a, &peer_b, peer, true, &mut theirs);
                std::hint::black_box(&theirs);
            }
        });
    runner.alike(row(&name), contest);

    let name = format!("{scene} all pairs");
    let contest = Contest::new(all)
        .entry("carom", || {
            for pose in poses {
                ours.clear();
                triangle_pairs(&a.mesh, &Pose::IDENTITY, &b.mesh, pose, &mut ours);
                std::hint::black_box(&ours);
            }
        })
        .entry("parry leaf pairs", || {
            for peer in &peers {
                parry::mesh_pairs(&peer_a, &peer_b, peer, false, &mut theirs);
                std::hint::black_box(&theirs);
            }
        });
    runner.alike(row(&name), contest);

    let (poses, peers) =
        (&poses[..DISTANCE_POSES.min(poses.len())], &peers[..DISTANCE_POSES.min(poses.len())]);
    let memory = RefCell::new(Workspace::default());
    let own = |pose: &Pose| {
        distance_with(&a.shape, &Pose::IDENTITY, &b.shape, pose, &mut memory.borrow_mut()).distance
    };
    let their = |peer: &ParryPose| {
        parry3d::query::distance(&ParryPose::IDENTITY, &peer_a, peer, &peer_b)
            .map_or(f32::NAN, |answer| answer.distance)
    };
    let mut answers = Answers::new();
    for (i, (pose, peer)) in poses.iter().zip(peers).enumerate() {
        answers.number(&format!("{scene}, pose {i}: distance"), own(pose).into(), their(peer).into(), 1e-4);
    }
    let name = format!("{scene} distance");
    let row = Row { workload: &name, size, unit: Unit::Us, per_call: poses.len() as u64 };
    let contest = Contest::new(answers)
        .entry("carom", || {
            for pose in poses {
                std::hint::black_box(own(pose));
            }
        })
        .entry("parry", || {
            for peer in peers {
                std::hint::black_box(their(peer));
            }
        });
    runner.slow(row, contest);
}
