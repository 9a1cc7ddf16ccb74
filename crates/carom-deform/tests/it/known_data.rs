//! Known deformations of a real mesh, if it is present: a walking man, in 49 frames.

use crate::known::chain;
use crate::real_data::words;
use carom_bounds::{Aabb, BoundingVolume};
use carom_deform::known::{Deformation, KnownTree};
use carom_deform::{DualQuaternionTree, LinearSkinTree, ModalTree, MorphTree};
use carom_math::Pose;
use carom_testkit::random::Random;
use glam::{Affine3A, Quat, Vec3};

/// The positions of each frame.
type Frames = Vec<Vec<Vec3>>;

/// The frames and the triangles.
fn man() -> Option<(Frames, Vec<[u32; 3]>)> {
    let folder = "sequences/cesium_man_walk";
    let n = carom_testkit::data::json(&format!("{folder}/meta.json"))?["vertices"].as_u64()? as usize;
    let numbers: Vec<f32> =
        words(&format!("{folder}/positions.f32"))?.into_iter().map(f32::from_le_bytes).collect();
    let indices: Vec<u32> =
        words(&format!("{folder}/triangles.u32"))?.into_iter().map(u32::from_le_bytes).collect();
    let points: Vec<Vec3> = numbers.chunks_exact(3).map(Vec3::from_slice).collect();
    let frames = points.chunks_exact(n).map(<[Vec3]>::to_vec).collect();
    Some((frames, indices.chunks_exact(3).map(|t| [t[0], t[1], t[2]]).collect()))
}

/// Small boxes at vertices: the same faces as by all vertices and all faces.
fn check<D: Deformation<Query = Aabb>>(name: &str, tree: &mut KnownTree<D>, random: &mut Random) {
    let (mut positions, mut found) = (Vec::new(), Vec::new());
    tree.positions_into(&mut positions);
    for size in [0.0, 0.01, 0.05, 0.2] {
        let middle = positions[random.below(positions.len())];
        let query = Aabb { min: middle - size, max: middle + size };
        found.clear();
        tree.collect_faces_touching(&query, &mut found);
        let of = |face: &[u32; 3]| Aabb::from_points(&face.map(|vertex| positions[vertex as usize]));
        let brute: Vec<u32> = (0..)
            .zip(tree.faces())
            .filter(|(_, face)| of(face).overlaps(&query))
            .map(|(number, _)| number)
            .collect();
        assert!(found == brute && !found.is_empty(), "{name} {query:?}");
    }
}

#[test]
fn a_real_mesh_is_deformed() {
    let Some((frames, faces)) = man() else { return };
    let rest = &frames[0];
    // Some frames are targets: their displacements from the first frame.
    let chosen = [8, 16, 24, 32, 40];
    let targets: Vec<Vec<Vec3>> =
        chosen.iter().map(|&frame| frames[frame].iter().zip(rest).map(|(p, q)| *p - *q).collect()).collect();
    let mut morph = MorphTree::new(rest, &targets, faces.clone()).unwrap();
    let mut modal = ModalTree::new(rest, &targets, faces.clone()).unwrap();
    let skin = chain(rest, 1.5, 8);
    let mut linear = LinearSkinTree::new(rest, skin.clone(), faces.clone()).unwrap();
    let mut dual = DualQuaternionTree::new(rest, skin, faces).unwrap();
    let mut random = Random::new(31);
    for (target, &frame) in chosen.iter().enumerate() {
        let mut weights = [0.0; 5];
        weights[target] = 1.0;
        morph.set_weights(&weights).unwrap();
        let off = (0..).zip(&frames[frame]).map(|(vertex, p)| morph.position(vertex).distance(*p));
        assert!(off.fold(0.0, f32::max) < 1e-6);
        check("frame", &mut morph, &mut random);
    }
    for _ in 0..40 {
        let weights: Vec<f32> = chosen.iter().map(|_| random.range(-1.0, 1.0) as f32).collect();
        morph.set_weights(&weights).unwrap();
        check("morph", &mut morph, &mut random);
        modal.set_amplitudes(&weights).unwrap();
        check("modal", &mut modal, &mut random);
        let (lean, twist) = (random.range(-0.3, 0.3) as f32, random.range(-2.5, 2.5) as f32);
        let bone =
            |i: usize| Quat::from_rotation_y(twist * i as f32) * Quat::from_rotation_z(lean * i as f32);
        let poses: Vec<Pose> = (0..8).map(|i| Pose::from_rotation(bone(i))).collect();
        dual.set_bones(&poses).unwrap();
        check("dual", &mut dual, &mut random);
        let affines: Vec<Affine3A> = poses.iter().map(|pose| Affine3A::from_quat(pose.rotation)).collect();
        linear.set_bones(&affines).unwrap();
        check("linear", &mut linear, &mut random);
    }
}
