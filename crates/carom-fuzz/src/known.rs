//! Known deformations: a mesh and its parameters are refused or followed, and the answers are
//! those of a scan of all vertices.

use crate::bytes::Bytes;
use carom_bounds::{Aabb, BoundingVolume};
use carom_deform::known::{Deformation, KnownTree};
use carom_deform::{BoneWeights, DualQuaternionTree, LinearSkinTree, ModalTree, MorphKDopTree, MorphTree};
use carom_math::Pose;
use glam::{Affine3A, Vec3};

/// Vertices of a mesh.
const MAX_VERTICES: usize = 12;
/// Targets, modes or bones.
const MAX_PARAMETERS: usize = 4;

/// Sends a few parameters and queries to a tree of one of the five kinds.
pub fn known(bytes: &[u8]) {
    let mut bytes = Bytes::new(bytes);
    let n = 1 + bytes.below(MAX_VERTICES);
    let k = 1 + bytes.below(MAX_PARAMETERS);
    let rest: Vec<Vec3> = (0..n).map(|_| bytes.point_f32()).collect();
    let faces: Vec<[u32; 3]> =
        (0..bytes.below(24)).map(|_| [(); 3].map(|()| bytes.below(n) as u32)).collect();
    let kind = bytes.below(5);
    if kind < 2 || kind == 4 {
        let targets: Vec<Vec<Vec3>> = (0..k).map(|_| (0..n).map(|_| bytes.point_f32()).collect()).collect();
        let weights = |bytes: &mut Bytes<'_>| -> Vec<f32> { (0..k).map(|_| bytes.float() as f32).collect() };
        if kind == 0 {
            let Ok(tree) = MorphTree::new(&rest, &targets, faces) else { return };
            follow(tree, &mut bytes, |tree, bytes| tree.set_weights(&weights(bytes)).is_ok());
        } else if kind == 4 {
            let Ok(tree) = MorphKDopTree::<18>::new(&rest, &targets, faces) else { return };
            follow(tree, &mut bytes, |tree, bytes| tree.set_weights(&weights(bytes)).is_ok());
        } else {
            let Ok(tree) = ModalTree::new(&rest, &targets, faces) else { return };
            follow(tree, &mut bytes, |tree, bytes| tree.set_amplitudes(&weights(bytes)).is_ok());
        }
        return;
    }
    let bones: Vec<[u16; 3]> = (0..n).map(|_| [(); 3].map(|()| bytes.below(k) as u16)).collect();
    let weights: Vec<[f32; 3]> = (0..n)
        .map(|_| {
            let all = [(); 3].map(|()| f32::from(bytes.byte()));
            let sum: f32 = all.iter().sum();
            if sum == 0.0 { [1.0, 0.0, 0.0] } else { all.map(|weight| weight / sum) }
        })
        .collect();
    let made = BoneWeights::new(&bones, &weights, k);
    assert!(made.is_ok(), "{made:?}");
    let Ok(weights) = made else { return };
    let pose = |bytes: &mut Bytes<'_>| Pose::new(bytes.rotation_f32(), bytes.point_f32());
    if kind == 2 {
        let Ok(tree) = LinearSkinTree::new(&rest, weights, faces) else { return };
        follow(tree, &mut bytes, |tree, bytes| {
            let bone = |bytes: &mut Bytes<'_>| {
                let Pose { rotation, translation } = pose(bytes);
                Affine3A::from_scale_rotation_translation(bytes.point_f32(), rotation, translation)
            };
            tree.set_bones(&(0..k).map(|_| bone(bytes)).collect::<Vec<_>>()).is_ok()
        });
    } else {
        let Ok(tree) = DualQuaternionTree::new(&rest, weights, faces) else { return };
        follow(tree, &mut bytes, |tree, bytes| {
            tree.set_bones(&(0..k).map(|_| pose(bytes)).collect::<Vec<_>>()).is_ok()
        });
    }
}

/// Checks that volumes contain their vertices, a refusal changes nothing, and answers are those of
/// brute force.
fn follow<D: Deformation>(
    mut tree: KnownTree<D>,
    bytes: &mut Bytes<'_>,
    set: impl Fn(&mut KnownTree<D>, &mut Bytes<'_>) -> bool,
) {
    let (mut before, mut positions, mut found) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..6 {
        tree.positions_into(&mut before);
        let is_set = set(&mut tree, bytes);
        tree.positions_into(&mut positions);
        assert!(is_set || before == positions);
        assert!(positions.iter().all(|p| p.abs().max_element() <= carom_deform::MAX_POSITION));
        let corners = |face: u32| tree.faces()[face as usize].map(|vertex| positions[vertex as usize]);
        let of = |face: u32| Aabb::from_points(&corners(face));
        tree.visit_volumes(|volume, faces| {
            let aabb = volume.to_aabb();
            for &face in faces {
                assert!(aabb.contains(&of(face)), "{face}: {:?} is not in {volume:?}", of(face));
            }
        });
        let middle =
            if bytes.byte() < 128 { bytes.point_f32() } else { positions[bytes.below(positions.len())] };
        let size = bytes.size() as f32;
        let query = Aabb { min: middle - size, max: middle + size };
        if query.check().is_err() {
            continue;
        }
        let query = D::Query::from_aabb(&query);
        let touches = |&face: &u32| D::Query::from_points(&corners(face)).overlaps(&query);
        let brute: Vec<u32> = (0..tree.faces().len() as u32).filter(touches).collect();
        found.clear();
        tree.collect_faces_touching(&query, &mut found);
        assert_eq!(found, brute, "{query:?}");
    }
}
