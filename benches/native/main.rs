//! Exports the scenes of mesh against mesh for programs in other languages, with carom's answers.
//! Measures carom's own times, too.
//!
//! `native export FOLDER` writes for every scene two meshes, poses of the second in the frame of
//! the first, and carom's answers for each: whether they meet, the number of pairs of triangles
//! that meet, and the distance. `native time SCENE...` prints carom's times, in lines like those of
//! the programs beside this one.
#![allow(clippy::std_instead_of_core, clippy::std_instead_of_alloc)] // A program, never without std.

use carom_benches::mesh_pairs::{MeshPair, SCENES, mesh_pair};
use carom_benches::{median, thread_ns};
use carom_math::Pose;
use carom_query::{distance, intersects, triangle_pairs};
use carom_scenes::mesh::MeshData;
use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::hint::black_box;
use std::path::Path;

/// Poses of the distance queries.
const N_DISTANCES: usize = 10;

fn main() -> Result<(), Box<dyn Error>> {
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    let n_poses = match words.iter().position(|word| word == "--quick") {
        Some(at) => {
            words.remove(at);
            10
        }
        None => 100,
    };
    match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["export", folder] => export(Path::new(folder), n_poses),
        ["time", scenes @ ..] if !scenes.is_empty() => {
            scenes.iter().try_for_each(|scene| time(&find(scene, n_poses)?))
        }
        _ => Err("usage: native export FOLDER | native time SCENE... [--quick]".into()),
    }
}

fn find(scene: &str, n_poses: usize) -> Result<MeshPair, Box<dyn Error>> {
    mesh_pair(scene, n_poses).ok_or_else(|| format!("there is no scene {scene}").into())
}

fn export(folder: &Path, n_poses: usize) -> Result<(), Box<dyn Error>> {
    fs::create_dir_all(folder)?;
    for scene in SCENES {
        let MeshPair { a, b, poses, .. } = find(scene, n_poses)?;
        fs::write(folder.join(format!("{scene}-a.obj")), obj(&a.data)?)?;
        fs::write(folder.join(format!("{scene}-b.obj")), obj(&b.data)?)?;
        let mut text = format!("{N_DISTANCES}\n");
        let mut pairs = Vec::new();
        for pose in &poses {
            let (q, t) = (pose.rotation, pose.translation);
            pairs.clear();
            triangle_pairs(&a.mesh, &Pose::IDENTITY, &b.mesh, pose, &mut pairs);
            let away = distance(&a.shape, &Pose::IDENTITY, &b.shape, pose).distance;
            let meets = i32::from(intersects(&a.shape, &Pose::IDENTITY, &b.shape, pose));
            // The number of digits that distinguishes an `f32` from its neighbours.
            let [x, y, z, w] = q.to_array();
            writeln!(text, "{x} {y} {z} {w} {} {} {} {meets} {} {away}", t.x, t.y, t.z, pairs.len())?;
        }
        fs::write(folder.join(format!("{scene}.poses")), text)?;
    }
    Ok(())
}

fn obj(mesh: &MeshData) -> Result<String, std::fmt::Error> {
    let mut text = String::new();
    for v in mesh.vertices_f32() {
        writeln!(text, "v {} {} {}", v.x, v.y, v.z)?;
    }
    for [a, b, c] in &mesh.triangles {
        writeln!(text, "f {} {} {}", a + 1, b + 1, c + 1)?;
    }
    Ok(text)
}

/// Returns the median of five passes over the poses, in microseconds per call. Each pass takes at
/// least some milliseconds.
fn time_us(poses: &[Pose], mut call: impl FnMut(&Pose)) -> f64 {
    let mut pass = || {
        let start = thread_ns();
        poses.iter().for_each(&mut call);
        thread_ns() - start
    };
    let repeats = (4e6 / pass().max(1.0)).ceil().max(1.0) as usize;
    let per_call = 1e-3 / (repeats * poses.len()) as f64;
    let mut samples: Vec<f64> =
        (0..5).map(|_| (0..repeats).map(|_| pass()).sum::<f64>() * per_call).collect();
    median(&mut samples)
}

fn time(pair: &MeshPair) -> Result<(), Box<dyn Error>> {
    let MeshPair { name, a, b, poses } = pair;
    let mut pairs = Vec::new();
    let yes_no = time_us(poses, |pose| {
        black_box(intersects(&a.shape, &Pose::IDENTITY, &b.shape, pose));
    });
    let all = time_us(poses, |pose| {
        pairs.clear();
        triangle_pairs(&a.mesh, &Pose::IDENTITY, &b.mesh, pose, &mut pairs);
        black_box(&pairs);
    });
    let far = time_us(&poses[..N_DISTANCES.min(poses.len())], |pose| {
        black_box(distance(&a.shape, &Pose::IDENTITY, &b.shape, pose));
    });
    for (query, us) in [("yes/no", yes_no), ("all pairs", all), ("distance", far)] {
        println!("carom\t{name}\t{query}\t{us:.6}\t0\t0");
    }
    Ok(())
}
