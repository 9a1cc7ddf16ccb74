//! Known deformations with bad input: errors name the first offender. Degenerate input is
//! accepted.

use crate::known::{chain, tube};
use carom_bounds::Aabb;
use carom_deform::known::{BoneWeights, KnownError};
use carom_deform::{DualQuaternionTree, LinearSkinTree, MAX_POSITION, ModalTree, MorphTree};
use carom_math::Pose;
use glam::{Affine3A, Quat, Vec3};

#[test]
fn meshes_and_targets_are_refused_by_name() {
    let (rest, faces) = tube(3, 4);
    let n = rest.len();
    let none: [Vec<Vec3>; 0] = [];
    for bad in [f32::NAN, f32::INFINITY, -MAX_POSITION.next_up()] {
        let mut positions = rest.clone();
        (positions[5].z, positions[7].x) = (bad, f32::NAN);
        let error = KnownError::BadPosition { vertex: 5 };
        assert_eq!(MorphTree::new(&positions, &none, faces.clone()).unwrap_err(), error);
        let skin = chain(&rest, 4.0, 3);
        assert_eq!(LinearSkinTree::new(&positions, skin.clone(), faces.clone()).unwrap_err(), error);
        assert_eq!(DualQuaternionTree::new(&positions, skin, faces.clone()).unwrap_err(), error);
        let mut targets = [vec![Vec3::X; n], vec![Vec3::Y; n]];
        (targets[1][3].y, targets[1][4].y) = (bad, bad);
        let error = KnownError::BadDisplacement { target: 1, vertex: 3 };
        assert_eq!(MorphTree::new(&rest, &targets, faces.clone()).unwrap_err(), error);
        assert_eq!(ModalTree::new(&rest, &targets, faces.clone()).unwrap_err(), error);
    }
    let targets = [vec![Vec3::X; n], vec![Vec3::Y; n - 1], Vec::new()];
    let error = KnownError::WrongTargetCount { target: 1, expected: n, given: n - 1 };
    assert_eq!(MorphTree::new(&rest, &targets, faces).unwrap_err(), error);
    let faces = vec![[0, 1, 2], [0, n as u32, 1], [99, 0, 0]];
    assert_eq!(MorphTree::new(&rest, &none, faces).unwrap_err(), KnownError::NoSuchVertex { face: 1 });
}

#[test]
fn weights_of_bones_are_refused_by_name() {
    let bad_weights = [[0.5, 0.4], [1.5, -0.5], [f32::NAN, 1.0], [0.0, 0.0], [f32::INFINITY, 0.0]];
    for bad in bad_weights {
        let made = BoneWeights::new(&[[0, 1]; 3], &[[0.5, 0.5], bad, bad], 2);
        assert_eq!(made.unwrap_err(), KnownError::BadWeights { vertex: 1 }, "{bad:?}");
    }
    let made = BoneWeights::new(&[[0, 1], [1, 2], [9, 9]], &[[0.5, 0.5]; 3], 2);
    assert_eq!(made.unwrap_err(), KnownError::NoSuchBone { vertex: 1 });
    let made = BoneWeights::new(&[[0, 1]; 3], &[[0.5, 0.5]; 2], 2);
    assert_eq!(made.unwrap_err(), KnownError::WrongListCount { expected: 3, given: 2 });
    // A bone of weight 0 may have any number, and sums may be off by what bytes leave.
    let skin = BoneWeights::new(&[[0, 9]; 3], &[[0.995, 0.0]; 3], 1).unwrap();
    assert_eq!((skin.n_bones(), skin.n_vertices()), (1, 3));
    let (rest, faces) = tube(3, 4);
    let error = KnownError::WrongListCount { expected: rest.len(), given: 3 };
    assert_eq!(LinearSkinTree::new(&rest, skin, faces).unwrap_err(), error);
}

#[test]
fn parameters_are_refused_by_name_and_change_nothing() {
    let (rest, faces) = tube(3, 4);
    let n = rest.len();
    let mut morph = MorphTree::new(&rest, &[vec![Vec3::X; n], vec![Vec3::Y; n]], faces.clone()).unwrap();
    let skin = chain(&rest, 4.0, 3);
    let mut linear = LinearSkinTree::new(&rest, skin.clone(), faces.clone()).unwrap();
    let mut dual = DualQuaternionTree::new(&rest, skin, faces).unwrap();
    let error = KnownError::WrongCount { expected: 2, given: 3 };
    assert_eq!(morph.set_weights(&[0.0; 3]), Err(error));
    assert_eq!(morph.set_weights(&[2.0, f32::NAN]), Err(KnownError::BadParameter { parameter: 1 }));
    assert_eq!(morph.set_weights(&[f32::MAX, f32::MAX]), Err(KnownError::TooLarge { parameter: 0 }));
    assert_eq!(morph.set_weights(&[1.0, -f32::MAX]), Err(KnownError::TooLarge { parameter: 1 }));
    let error = KnownError::WrongCount { expected: 3, given: 0 };
    assert_eq!(linear.set_bones(&[]), Err(error));
    assert_eq!(dual.set_bones(&[]), Err(error));
    let at = |x: f32| Affine3A::from_translation(Vec3::new(x, 0.0, 0.0));
    let bones = [at(1.0), at(f32::INFINITY), at(f32::NAN)];
    assert_eq!(linear.set_bones(&bones), Err(KnownError::BadParameter { parameter: 1 }));
    let bones = [at(1.0), at(1.0), at(MAX_POSITION)];
    assert_eq!(linear.set_bones(&bones), Err(KnownError::TooLarge { parameter: 2 }));
    let shifted = |x: f32| Pose::from_translation(Vec3::new(x, 0.0, 0.0));
    let bones = [shifted(1.0), shifted(MAX_POSITION), shifted(MAX_POSITION)];
    assert_eq!(dual.set_bones(&bones), Err(KnownError::TooLarge { parameter: 1 }));
    for rotation in [Quat::IDENTITY * 1.1, Quat::from_xyzw(0.0, 0.0, 0.0, f32::NAN)] {
        let bones = [shifted(1.0), shifted(2.0), Pose::from_rotation(rotation)];
        assert_eq!(dual.set_bones(&bones), Err(KnownError::BadParameter { parameter: 2 }));
    }
    for (vertex, p) in (0..).zip(&rest) {
        for position in [morph.position(vertex), linear.position(vertex), dual.position(vertex)] {
            assert!(position.distance(*p) < 1e-6);
        }
    }
    assert!(KnownError::TooLarge { parameter: 3 }.to_string().contains('3'));
}

/// Nothing, one bone, doubled and degenerate triangles, vertices that no face has.
#[test]
fn ugly_meshes_are_deformed_too() {
    let everything = Aabb { min: Vec3::splat(-1e9), max: Vec3::splat(1e9) };
    let mut found = Vec::new();
    let none: [Vec<Vec3>; 0] = [];
    let mut nothing = MorphTree::new(&[], &none, Vec::new()).unwrap();
    nothing.set_weights(&[]).unwrap();
    nothing.collect_faces_touching(&everything, &mut found);
    assert!(found.is_empty());
    let rest = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::splat(50.0)];
    let faces = vec![[0, 1, 2], [0, 1, 2], [1, 1, 1], [0, 0, 2]];
    // No target at all: the rest position.
    let mut morph = MorphTree::new(&rest, &none, faces.clone()).unwrap();
    let near = Aabb { min: Vec3::new(0.9, 0.0, 0.0), max: Vec3::ONE };
    morph.collect_faces_touching(&near, &mut found);
    assert_eq!(found, [0, 1, 2]);
    let skin = BoneWeights::new(&[[0]; 4], &[[1.0]; 4], 1).unwrap();
    let mut linear = LinearSkinTree::new(&rest, skin.clone(), faces.clone()).unwrap();
    let mut dual = DualQuaternionTree::new(&rest, skin, faces.clone()).unwrap();
    let pose = Pose::new(Quat::from_rotation_z(std::f32::consts::PI), Vec3::new(2.0, 0.0, 0.0));
    linear.set_bones(&[Affine3A::from_rotation_translation(pose.rotation, pose.translation)]).unwrap();
    dual.set_bones(&[pose]).unwrap();
    for vertex in 0..4 {
        let expected = pose.transform_point(rest[vertex as usize]);
        assert!(linear.position(vertex).distance(expected) < 1e-5);
        assert!(dual.position(vertex).distance(expected) < 1e-5);
    }
    let near = Aabb { min: Vec3::new(0.9, -0.1, -0.1), max: Vec3::new(1.1, 0.1, 0.1) };
    for found in [&mut Vec::new(), &mut Vec::new()] {
        linear.collect_faces_touching(&near, found);
        assert_eq!(found[..], [0, 1, 2]);
        found.clear();
        dual.collect_faces_touching(&near, found);
        assert_eq!(found[..], [0, 1, 2]);
    }
    // The largest positions.
    let far = [Vec3::splat(MAX_POSITION); 4];
    let mut morph = MorphTree::new(&far, &[vec![Vec3::X; 4]], faces).unwrap();
    assert_eq!(morph.set_weights(&[1e20]), Err(KnownError::TooLarge { parameter: 0 }));
    morph.set_weights(&[0.0]).unwrap();
    assert_eq!(morph.position(3), far[3]);
}
