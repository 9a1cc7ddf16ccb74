//! Two meshes of about 70,000 triangles each: do they touch, which triangles do, how far apart are they.
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc, clippy::expect_used)]

use carom_benches::peers::parry;
use carom_benches::scenes::rounded;
use carom_benches::{Answers, Contest, Row, Runner, Unit};
use carom_geom::TriMesh;
use carom_math::Pose;
use carom_query::{MeshShape, Shape, Workspace, distance, distance_with, intersects, triangle_pairs};
use carom_scenes::mesh::{Knot, MeshData, bumpy_icosphere, torus_knot};
use carom_scenes::{HULL_RADII, Rng};
use glam::{DQuat, DVec3};
use parry3d::math::Pose as ParryPose;
use std::cell::RefCell;
use std::sync::Arc;

/// Half the bumps' height over the radius of the sphere.
const BUMP: f64 = 0.05;
/// parry's own distance of two meshes takes a good part of a second: it is asked for so many poses only.
const DISTANCE_POSES: usize = 3;

/// The same mesh for everyone.
struct Body {
    shape: Shape,
    mesh: Arc<MeshShape>,
    peer: parry3d::shape::TriMesh,
}

impl Body {
    fn new(data: &MeshData) -> Self {
        let vertices = data.vertices_f32();
        let peer = parry::mesh(&vertices, &data.triangles).expect("parry takes the mesh");
        let mesh = TriMesh::new(vertices, data.triangles.clone()).expect("a scene's mesh is in order");
        let mesh = Arc::new(MeshShape::new(mesh).expect("a scene's mesh has a tree"));
        Self { shape: Shape::Mesh(mesh.clone()), mesh, peer }
    }
}

fn main() {
    let mut runner = Runner::new("mesh_mesh");
    let n_poses = if runner.is_quick() { 10 } else { 100 };
    let ball_data = bumpy_icosphere(81_920, BUMP, 3);
    let ball = Body::new(&ball_data);
    if runner.wants("close") || runner.wants("shallow") {
        let knot = Body::new(&torus_knot(&Knot::default(), 70_000));
        for (scene, gap) in [("close", 0.02), ("shallow", -0.03)] {
            if runner.wants(scene) {
                let poses = apart(&ball, &knot, n_poses, gap);
                contests(&mut runner, scene, &ball, &knot, &poses);
            }
        }
    }
    if runner.wants("shell") {
        let shell = Body::new(&ball_data.scaled(1.02));
        let mut rng = Rng::new(4);
        let poses: Vec<Pose> = (0..n_poses.min(20))
            .map(|_| {
                let turn = DQuat::from_axis_angle(rng.direction(), rng.range(0.0, 0.2_f64.to_radians()));
                rounded(turn, DVec3::ZERO)
            })
            .collect();
        contests(&mut runner, "shell", &shell, &ball, &poses);
    }
}

/// Poses of `b` at a random turn, moved in along a random direction until it is `gap` from `a`; below 0, until it
/// touches and then that much on.
fn apart(a: &Body, b: &Body, n: usize, gap: f64) -> Vec<Pose> {
    let mut rng = Rng::new(8);
    (0..n)
        .map(|_| {
            let (turn, direction) = (rng.rotation(), rng.direction());
            // Both lie within 1.2 of their origins, or at most as far as the longest radius of the hulls' scenes.
            let mut along = 2.4 * HULL_RADII.max_element();
            let target = gap.max(0.0);
            // A step by what is left never passes the first place where it is reached.
            for _ in 0..200 {
                let pose = rounded(turn, direction * along);
                let left = f64::from(distance(&a.shape, &Pose::IDENTITY, &b.shape, &pose).distance) - target;
                if left <= 1e-5 {
                    break;
                }
                along -= left;
            }
            rounded(turn, direction * (along + gap.min(0.0)))
        })
        .collect()
}

fn contests(runner: &mut Runner, scene: &str, a: &Body, b: &Body, poses: &[Pose]) {
    let peers: Vec<ParryPose> = poses.iter().map(parry::pose).collect();
    let size = a.mesh.mesh().n_triangles() as u64;
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());

    let mut yes_no = Answers::new();
    let mut all = Answers::new();
    for (i, (pose, peer)) in poses.iter().zip(&peers).enumerate() {
        ours.clear();
        triangle_pairs(&a.mesh, &Pose::IDENTITY, &b.mesh, pose, &mut ours);
        ours.sort_unstable();
        parry::mesh_pairs(&a.peer, &b.peer, peer, false, &mut theirs);
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
                parry::mesh_pairs(&a.peer, &b.peer, peer, true, &mut theirs);
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
                parry::mesh_pairs(&a.peer, &b.peer, peer, false, &mut theirs);
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
        parry3d::query::distance(&ParryPose::IDENTITY, &a.peer, peer, &b.peer)
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
