//! Volumes of nodes hold the computed vertices: compared exactly, for random and ugly parameters.

use crate::known::{affines, poses, targets, tube, weights};
use carom_bounds::{Aabb, BoundingVolume, KDop, Slabs, Sphere};
use carom_deform::known::{BoneWeights, Deformation, KnownTree, QueryVolume};
use carom_deform::{DualQuaternionTree, LinearSkinTree, ModalTree, MorphKDopTree, MorphTree};
use carom_math::Pose;
use carom_testkit::random::Random;
use glam::{Affine3A, DQuat, DVec3, Vec3};
use num_rational::BigRational;

/// The number of parameter sets for each kind of deformation; a million if `CAROM_SLOW` is set.
fn n_sets() -> usize {
    if std::env::var_os("CAROM_SLOW").is_some() { 1_000_000 } else { 300 }
}

/// Whether the ball holds the point, decided in fractions where `f64` could be wrong.
fn holds(sphere: &Sphere, p: Vec3) -> bool {
    let r = f64::from(sphere.radius);
    let distance_sq = (p.as_dvec3() - sphere.center.as_dvec3()).length_squared();
    if 0.0 < r && distance_sq * (1.0 + 1e-14) <= r * r {
        return true;
    }
    let fraction = |x: f32| BigRational::from_float(x).unwrap();
    let square = |x: BigRational| &x * &x;
    let sum: BigRational = (0..3).map(|axis| square(fraction(p[axis]) - fraction(sphere.center[axis]))).sum();
    0.0 <= sphere.radius && sum <= square(fraction(sphere.radius))
}

/// Each volume holds each vertex of its faces, for the present parameters.
fn check<D: Deformation>(
    tree: &KnownTree<D>,
    positions: &mut Vec<Vec3>,
    holds: impl Fn(&D::Volume, Vec3) -> bool,
    describe: impl Fn() -> String,
) {
    tree.positions_into(positions);
    tree.visit_volumes(|volume, faces| {
        for &face in faces {
            for vertex in tree.faces()[face as usize] {
                let p = positions[vertex as usize];
                assert!(holds(volume, p), "vertex {vertex} at {p:?}, {volume:?}, {}", describe());
            }
        }
    });
}

fn in_box(aabb: &Aabb, p: Vec3) -> bool {
    aabb.min.cmple(p).all() && p.cmple(aabb.max).all()
}

/// Whether the k-DOP holds the point along each direction, decided in fractions where `f64` could
/// be wrong, and the k-DOP of the point, which is rounded outwards.
fn in_kdop<const K: usize>(kdop: &KDop<K>, p: Vec3) -> bool
where
    KDop<K>: Slabs,
{
    let fraction = |x: f32| BigRational::from_float(x).unwrap();
    let is_below = |i: usize| {
        let sign = if i < K / 2 { 1.0 } else { -1.0 };
        let direction = KDop::<K>::DIRECTIONS[i % (K / 2)].map(|x| sign * f32::from(x));
        let terms = [0, 1, 2].map(|axis| direction[axis] * p[axis]);
        let sum: f64 = terms.iter().map(|&term| f64::from(term)).sum();
        let size: f64 = terms.iter().map(|&term| f64::from(term.abs())).sum();
        sum + 1e-15 * size < f64::from(kdop.offsets[i])
            || terms.map(fraction).iter().sum::<BigRational>() <= fraction(kdop.offsets[i])
    };
    (0..K).all(is_below) && kdop.holds(&KDop::of_triangle([p; 3]))
}

#[test]
fn kdops_of_morphs_hold_their_vertices() {
    fn of<const K: usize>(seed: u64)
    where
        KDop<K>: Slabs,
    {
        let (rest, faces) = tube(9, 6);
        let mut random = Random::new(seed);
        let mut positions = Vec::new();
        for round in 0..5 {
            let by: f32 = [0.0, 0.0, 1.0, 1e3, 1e12][round];
            let rest: Vec<Vec3> = rest.iter().map(|p| *p * by.max(1.0) + by).collect();
            let fields = targets(&mut random, &rest, [1, 3, 5, 8, 10][round]);
            let mut tree = MorphKDopTree::<K>::new(&rest, &fields, faces.clone()).unwrap();
            let mut boxes = MorphTree::new(&rest, &fields, faces.clone()).unwrap();
            for _ in 0..n_sets() / 10 {
                let weights = weights(&mut random, fields.len());
                tree.set_weights(&weights).unwrap();
                check(&tree, &mut positions, in_kdop, || format!("{weights:?}"));
                // Along the axes they are the boxes, number for number.
                boxes.set_weights(&weights).unwrap();
                let mut of_boxes = Vec::new();
                boxes.visit_volumes(|aabb, _| of_boxes.push(*aabb));
                let mut of_boxes = of_boxes.into_iter();
                tree.visit_volumes(|kdop, faces| {
                    let aabb = of_boxes.next().unwrap();
                    assert!(faces.is_empty() || aabb == kdop.to_aabb(), "{aabb:?} {kdop:?}");
                });
            }
        }
    }
    of::<6>(26);
    of::<14>(27);
    of::<18>(28);
    of::<26>(29);
}

#[test]
fn boxes_of_morphs_hold_their_vertices() {
    let (rest, faces) = tube(9, 6);
    let mut random = Random::new(21);
    let mut positions = Vec::new();
    for round in 0..5 {
        // The last mesh is far from the origin and large.
        let by: f32 = [0.0, 0.0, 1.0, 1e3, 1e12][round];
        let rest: Vec<Vec3> = rest.iter().map(|p| *p * by.max(1.0) + by).collect();
        let fields = targets(&mut random, &rest, [1, 3, 5, 8, 10][round]);
        let mut tree = MorphTree::new(&rest, &fields, faces.clone()).unwrap();
        for _ in 0..n_sets() / 5 {
            let weights = weights(&mut random, fields.len());
            tree.set_weights(&weights).unwrap();
            check(&tree, &mut positions, in_box, || format!("{weights:?}"));
        }
    }
}

#[test]
fn spheres_of_modes_hold_their_vertices() {
    let (rest, faces) = tube(9, 6);
    let mut random = Random::new(22);
    let mut positions = Vec::new();
    for round in 0..5 {
        let by: f32 = [0.0, 0.0, 1.0, 1e3, 1e12][round];
        let rest: Vec<Vec3> = rest.iter().map(|p| *p * by.max(1.0) + by).collect();
        let fields = targets(&mut random, &rest, [1, 3, 5, 8, 10][round]);
        let mut tree = ModalTree::new(&rest, &fields, faces.clone()).unwrap();
        for _ in 0..n_sets() / 5 {
            let amplitudes = weights(&mut random, fields.len());
            tree.set_amplitudes(&amplitudes).unwrap();
            check(&tree, &mut positions, holds, || format!("{amplitudes:?}"));
        }
    }
}

/// Vertices with one to four bones out of six, any four together.
fn any_bones(random: &mut Random, n: usize) -> BoneWeights {
    let bones: Vec<[u16; 4]> = (0..n).map(|_| [(); 4].map(|()| random.below(6) as u16)).collect();
    let weights: Vec<[f32; 4]> = (0..n)
        .map(|_| {
            let n_bones = 1 + random.below(4);
            let kind = random.below(3);
            let mut all = [0.0; 4];
            for weight in &mut all[..n_bones] {
                *weight = [1.0, random.unit().powi(8), random.unit() + 0.01][kind];
            }
            let sum: f64 = all.iter().sum();
            if sum == 0.0 { [1.0, 0.0, 0.0, 0.0] } else { all.map(|weight| (weight / sum) as f32) }
        })
        .collect();
    BoneWeights::new(&bones, &weights, 6).unwrap()
}

#[test]
fn boxes_of_linear_skins_hold_their_vertices() {
    let (rest, faces) = tube(9, 6);
    let mut random = Random::new(23);
    let mut positions = Vec::new();
    for _ in 0..25 {
        let mut tree = LinearSkinTree::new(&rest, any_bones(&mut random, rest.len()), faces.clone()).unwrap();
        for _ in 0..n_sets() / 25 {
            let bones = affines(&mut random, 6);
            tree.set_bones(&bones).unwrap();
            check(&tree, &mut positions, in_box, || format!("{bones:?}"));
        }
    }
}

#[test]
fn boxes_of_dual_quaternion_skins_hold_their_vertices() {
    let (rest, faces) = tube(9, 6);
    let mut random = Random::new(24);
    let mut positions = Vec::new();
    let mut n_wide = [0; 3];
    for _ in 0..25 {
        let mut tree =
            DualQuaternionTree::new(&rest, any_bones(&mut random, rest.len()), faces.clone()).unwrap();
        for _ in 0..n_sets() / 25 {
            let bones = poses(&mut random, 6);
            tree.set_bones(&bones).unwrap();
            check(&tree, &mut positions, in_box, || format!("{bones:?}"));
            for (i, a) in bones.iter().enumerate() {
                for b in &bones[..i] {
                    let cosine = a.rotation.dot(b.rotation).abs();
                    n_wide[if cosine < 1e-6 { 2 } else { usize::from(cosine < 0.6) }] += 1;
                }
            }
        }
    }
    // Pairs of bones that are near, far and opposite.
    assert!(n_wide.iter().all(|&n| n_sets() / 2 < n), "{n_wide:?}");
}

/// One or two vertices far from the origin, and parameters that bring them near it. The volumes
/// are tiny, and the rounding is large relative to them.
#[test]
fn volumes_of_one_face_hold_it_though_parameters_cancel() {
    let mut random = Random::new(25);
    let mut positions = Vec::new();
    for _ in 0..n_sets() {
        let far = (random.cube_point() * 2f64.powi(random.below(40) as i32)).as_vec3();
        let rest = [far, far + (random.cube_point() * random.unit().powi(4)).as_vec3()];
        let faces = vec![[0, 0, random.below(2) as u32]];
        let part = random.unit() as f32;
        let fields = [part, 1.0 - part].map(|part| rest.map(|p| p * -part));
        let mut morph = MorphTree::new(&rest, &fields, faces.clone()).unwrap();
        let mut modal = ModalTree::new(&rest, &fields, faces.clone()).unwrap();
        let mut kdops = MorphKDopTree::<26>::new(&rest, &fields, faces.clone()).unwrap();
        let weights = [[1.0, 1.0], [0.5, 0.0], [random.unit() as f32, random.unit() as f32]][random.below(3)];
        morph.set_weights(&weights).unwrap();
        modal.set_amplitudes(&weights).unwrap();
        check(&morph, &mut positions, in_box, || format!("{rest:?} {weights:?}"));
        check(&modal, &mut positions, holds, || format!("{rest:?} {weights:?}"));
        kdops.set_weights(&weights).unwrap();
        check(&kdops, &mut positions, in_kdop, || format!("{rest:?} {weights:?}"));

        // The opposite: a face is moved far away, where `f32` is coarse relative to the face.
        let near = [(); 2].map(|()| random.cube_point().as_vec3());
        let mut kdops = MorphKDopTree::<14>::new(&near, &[[far; 2]], faces.clone()).unwrap();
        kdops.set_weights(&weights[..1]).unwrap();
        check(&kdops, &mut positions, in_kdop, || format!("{near:?} {far:?} {weights:?}"));
        let mut modal = ModalTree::new(&near, &[[far; 2]], faces.clone()).unwrap();
        modal.set_amplitudes(&weights[..1]).unwrap();
        check(&modal, &mut positions, holds, || format!("{near:?} {far:?} {weights:?}"));

        let all = [random.unit() as f32, random.unit() as f32, random.unit() as f32].map(|x| x + 0.01);
        let bones =
            BoneWeights::new(&[[0, 1, 2]; 2], &[all.map(|x| x / (all[0] + all[1] + all[2])); 2], 3).unwrap();
        let turn = poses(&mut random, 1)[0].rotation;
        let back = Pose::new(turn, (-(turn.as_dquat().normalize() * far.as_dvec3())).as_vec3());
        let mut linear = LinearSkinTree::new(&rest, bones.clone(), faces.clone()).unwrap();
        let mut dual = DualQuaternionTree::new(&rest, bones, faces).unwrap();
        linear.set_bones(&[Affine3A::from_rotation_translation(back.rotation, back.translation); 3]).unwrap();
        dual.set_bones(&[back; 3]).unwrap();
        check(&linear, &mut positions, in_box, || format!("{rest:?} {back:?}"));
        check(&dual, &mut positions, in_box, || format!("{rest:?} {back:?}"));
    }
}

/// Three bones whose rotations are as far apart as possible: with another pivot the blend would
/// vanish.
#[test]
fn blends_of_opposite_rotations_are_held() {
    let (rest, faces) = tube(5, 4);
    let mut positions = Vec::new();
    for off in [0.0, 1e-7, -1e-7, 1e-3, -1e-3] {
        for weights in [[0.34, 0.33, 0.33], [0.98, 0.01, 0.01], [0.0, 0.5, 0.5], [1.0 / 3.0; 3]] {
            let n = rest.len();
            let skin = BoneWeights::new(&vec![[0, 1, 2]; n], &vec![weights; n], 3).unwrap();
            let mut tree = DualQuaternionTree::new(&rest, skin, faces.clone()).unwrap();
            // Both at right angles to the first, up to the offset, and opposite to each other.
            let q = |w: f64, x: f64| DQuat::from_xyzw(x, 0.0, 0.0, w).normalize().as_quat();
            for spread in [0.0, 1.0, 1e6] {
                let t = DVec3::new(spread, -spread, 0.5 * spread).as_vec3();
                let bones =
                    [Pose::new(q(1.0, 0.0), t), Pose::new(q(off, 1.0), -t), Pose::new(q(off, -1.0), t * 0.5)];
                tree.set_bones(&bones).unwrap();
                check(&tree, &mut positions, in_box, || format!("{bones:?} {weights:?}"));
                let most = positions.iter().fold(0.0, |most: f32, p| most.max(p.abs().max_element()));
                assert!(most <= 6.0 + 6.0 * spread as f32, "{most}");
            }
        }
    }
}
