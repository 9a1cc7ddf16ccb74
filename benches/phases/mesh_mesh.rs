//! Two meshes of about 70,000 triangles each: whether they touch, which triangles touch, their
//! distance, whether they keep a clearance, and the depth of vertices along rays.
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc, clippy::expect_used)]

use carom_benches::mesh_pairs::{Body, MeshPair, SCENES, mesh_pair};
use carom_benches::peers::parry;
use carom_benches::{Answers, Comparison, Row, Runner, Unit};
use carom_math::Pose;
use carom_query::{
    RayDepthCache, RayDepthSettings, RayMesh, Workspace, distance_with, intersects, nearer_than, ray_depth,
    triangle_pairs,
};
use parry3d::math::Pose as ParryPose;
use parry3d::query::RayCast as _;
use parry3d::shape::TriMesh as ParryMesh;
use std::cell::RefCell;

/// Poses of the distance rows: parry's distance of two meshes takes up to a second.
const DISTANCE_POSES: usize = 3;

fn main() {
    let mut runner = Runner::new("mesh_mesh");
    let n_poses = if runner.is_quick() { 10 } else { 100 };
    for scene in SCENES {
        if runner.wants(scene) {
            let pair = mesh_pair(scene, n_poses).expect("a scene of that name");
            comparisons(&mut runner, &pair);
        }
    }
}

fn peer(body: &Body) -> ParryMesh {
    parry::mesh(&body.data.vertices_f32(), &body.data.triangles).expect("parry takes the mesh")
}

fn comparisons(runner: &mut Runner, pair: &MeshPair) {
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
    let comparison = Comparison::new(yes_no)
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
    runner.compare(row(&name), comparison);

    let name = format!("{scene} all pairs");
    let comparison = Comparison::new(all)
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
    runner.compare(row(&name), comparison);

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
    let comparison = Comparison::new(answers)
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
    runner.compare_slow(row, comparison);

    if *scene == "close" {
        clearance(runner, pair, [&peer_a, &peer_b]);
    }
    if *scene == "shallow" {
        depth_by_rays(runner, pair, [&peer_a, &peer_b]);
    }
}

/// Whether meshes 0.02 apart keep a clearance of half and of twice that. The peer has only the
/// distance.
fn clearance(runner: &mut Runner, pair: &MeshPair, peers: [&ParryMesh; 2]) {
    let MeshPair { name: scene, a, b, poses } = pair;
    let poses = &poses[..DISTANCE_POSES.min(poses.len())];
    let memory = RefCell::new(Workspace::default());
    let is_nearer = |pose: &Pose, clearance: f32| {
        nearer_than(&a.shape, &Pose::IDENTITY, &b.shape, pose, clearance, &mut memory.borrow_mut()).is_some()
    };
    let distance_of = |pose: &Pose| {
        distance_with(&a.shape, &Pose::IDENTITY, &b.shape, pose, &mut memory.borrow_mut()).distance
    };
    let their = |pose: &Pose| {
        parry3d::query::distance(&ParryPose::IDENTITY, peers[0], &parry::pose(pose), peers[1])
            .map_or(f32::NAN, |answer| answer.distance)
    };
    for (kept, clearance) in [("kept", 0.01), ("not kept", 0.04)] {
        let mut answers = Answers::new();
        for (i, pose) in poses.iter().enumerate() {
            answers.equal(
                &format!("{scene}, pose {i}"),
                &is_nearer(pose, clearance),
                &(their(pose) < clearance),
            );
        }
        let name = format!("{scene} clearance {kept}");
        let size = a.mesh.mesh().n_triangles() as u64;
        let row = Row { workload: &name, size, unit: Unit::Us, per_call: poses.len() as u64 };
        let comparison = Comparison::new(answers)
            .entry("carom", || {
                for pose in poses {
                    std::hint::black_box(is_nearer(pose, clearance));
                }
            })
            .entry("carom distance", || {
                for pose in poses {
                    std::hint::black_box(distance_of(pose) < clearance);
                }
            })
            .entry("parry distance", || {
                for pose in poses {
                    std::hint::black_box(their(pose) < clearance);
                }
            });
        runner.compare_slow(row, comparison);
    }
}

/// Vertices inside the other mesh, and their depth along their normals. The peer casts a ray from
/// each vertex in the box of the other mesh. It does not search for walls of its own mesh, so it
/// has less to do.
fn depth_by_rays(runner: &mut Runner, pair: &MeshPair, peers: [&ParryMesh; 2]) {
    let MeshPair { name: scene, a, b, poses } = pair;
    let poses = &poses[..10.min(poses.len())];
    let (rays_a, rays_b) = (RayMesh::new(a.mesh.clone()), RayMesh::new(b.mesh.clone()));
    let settings = RayDepthSettings::default().with_full_every(1);
    let (mut cache, mut found) = (RayDepthCache::default(), Vec::new());
    let mut ours = |pose: &Pose| {
        found.clear();
        ray_depth(&rays_a, &Pose::IDENTITY, &rays_b, pose, &settings, &mut cache, &mut found);
        found.clone()
    };
    // Place and inward normal of the vertices of a mesh, each in the frame of the other one.
    let cast = |rays: &RayMesh, to_other: &Pose, vertex: u32, other: &ParryMesh| {
        let position = to_other.transform_point(rays.mesh().mesh().vertices()[vertex as usize]);
        let normal = to_other.transform_vector(rays.vertex_normal(vertex).unwrap_or_default());
        let ray = parry3d::query::Ray::new(parry::vector(position), parry::vector(-normal));
        let hit = other.cast_local_ray_and_get_normal(&ray, f32::MAX, false)?;
        // From behind: the vertex is inside.
        (0.0 < hit.normal.dot(ray.dir) || other.is_backface(hit.feature)).then_some(hit.time_of_impact)
    };
    let both = |pose: &Pose| {
        let sides = [(&rays_a, pose.inverse(), peers[1]), (&rays_b, *pose, peers[0])];
        let mut n = 0;
        for (rays, to_other, other) in sides {
            let bounds = other.local_aabb();
            for vertex in 0..rays.mesh().mesh().vertices().len() as u32 {
                let position = to_other.transform_point(rays.mesh().mesh().vertices()[vertex as usize]);
                let is_in = bounds.contains_local_point(parry::vector(position));
                n += usize::from(is_in && cast(rays, &to_other, vertex, other).is_some());
            }
        }
        n
    };
    let mut answers = Answers::new();
    for (i, pose) in poses.iter().enumerate() {
        let all = ours(pose);
        for contact in &all {
            let (rays, to_other, other) = if contact.is_vertex_of_a {
                (&rays_a, pose.inverse(), peers[1])
            } else {
                (&rays_b, *pose, peers[0])
            };
            let theirs = cast(rays, &to_other, contact.vertex, other).unwrap_or(f32::NAN);
            let depth = -f64::from(contact.contact.distance);
            answers.number(
                &format!("{scene}, pose {i}, vertex {}", contact.vertex),
                depth,
                theirs.into(),
                1e-3,
            );
        }
        let n = both(pose);
        answers.equal(&format!("{scene}, pose {i}: fewer rays"), &(n < all.len()), &false);
    }
    let name = format!("{scene} depth by rays");
    let size = a.mesh.mesh().n_triangles() as u64;
    let row = Row { workload: &name, size, unit: Unit::Us, per_call: poses.len() as u64 };
    let comparison = Comparison::new(answers)
        .entry("carom", || {
            for pose in poses {
                std::hint::black_box(ours(pose));
            }
        })
        .entry("parry, the rays alone", || {
            for pose in poses {
                std::hint::black_box(both(pose));
            }
        });
    runner.compare_slow(row, comparison);
}
