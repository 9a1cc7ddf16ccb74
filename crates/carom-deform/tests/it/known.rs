//! Known deformations: answers against all vertices and all faces, and positions against other
//! formulas.

use crate::scenes::{grid, waves};
use carom_bounds::{Aabb, BoundingVolume, KDop, Slabs};
use carom_deform::known::{BoneWeights, Deformation, KnownTree};
use carom_deform::{
    DeformableMesh, DualQuaternionTree, KnownError, LinearSkinTree, ModalTree, MorphKDopTree, MorphTree,
    RefitTree,
};
use carom_math::Pose;
use carom_testkit::random::Random;
use glam::{Affine3A, DQuat, DVec3, Quat, Vec3};
use num_rational::BigRational;
use num_traits::ToPrimitive;

/// A tube about the y axis from 0 to 4, closed at no end: positions and triangles.
pub(crate) fn tube(n_rings: usize, n_sides: usize) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let (mut positions, mut triangles) = (Vec::new(), Vec::new());
    for ring in 0..n_rings {
        for side in 0..n_sides {
            let (sine, cosine) = (side as f64 / n_sides as f64 * std::f64::consts::TAU).sin_cos();
            let y = 4.0 * ring as f64 / (n_rings - 1) as f64;
            positions.push(DVec3::new(0.5 * cosine, y, 0.5 * sine).as_vec3());
            if 0 < ring {
                let of = |ring: usize, side: usize| (ring * n_sides + side % n_sides) as u32;
                let [a, b, c, d] =
                    [of(ring - 1, side), of(ring - 1, side + 1), of(ring, side), of(ring, side + 1)];
                triangles.extend([[a, b, c], [b, d, c]]);
            }
        }
    }
    (positions, triangles)
}

/// Weights of a chain of bones along the y axis from 0 to `length`, each vertex between two.
pub(crate) fn chain(rest: &[Vec3], length: f32, n_bones: usize) -> BoneWeights {
    let at = |p: &Vec3| (p.y / length * (n_bones - 1) as f32).clamp(0.0, (n_bones - 1) as f32);
    let bones: Vec<[u16; 2]> =
        rest.iter().map(|p| [at(p) as u16, (at(p) as u16 + 1).min(n_bones as u16 - 1)]).collect();
    let weights: Vec<[f32; 2]> = rest.iter().map(|p| [1.0 - at(p).fract(), at(p).fract()]).collect();
    BoneWeights::new(&bones, &weights, n_bones).unwrap()
}

/// A unit quaternion: random, half a turn, nearly half a turn, the identity, or the opposite of
/// the last one.
pub(crate) fn rotation(random: &mut Random, last: Quat) -> Quat {
    let axis = random.cube_point().normalize().as_vec3();
    match random.below(8) {
        0 => Quat::from_axis_angle(axis, std::f32::consts::PI),
        1 => Quat::from_axis_angle(axis, std::f32::consts::PI * (1.0 - random.range(-1e-6, 1e-6) as f32)),
        2 => [Quat::IDENTITY, Quat::from_xyzw(1.0, 0.0, 0.0, 0.0), -Quat::IDENTITY][random.below(3)],
        3 => -last,
        4 => last * Quat::from_axis_angle(axis, std::f32::consts::PI),
        5 => last * Quat::from_axis_angle(axis, random.range(0.0, 1.0) as f32),
        _ => Quat::from_axis_angle(axis, random.range(0.0, 6.3) as f32),
    }
    .normalize()
}

/// Rigid placements: close together, or anywhere.
pub(crate) fn poses(random: &mut Random, n: usize) -> Vec<Pose> {
    let spread = [0.0, 0.1, 3.0, 1e4][random.below(4)];
    let mut last = Quat::IDENTITY;
    (0..n)
        .map(|_| {
            last = rotation(random, last);
            Pose::new(last, (random.cube_point() * spread).as_vec3())
        })
        .collect()
}

/// Affine placements, scales and shears among them.
pub(crate) fn affines(random: &mut Random, n: usize) -> Vec<Affine3A> {
    poses(random, n)
        .iter()
        .map(|pose| {
            let scale = [Vec3::ONE, Vec3::new(2.0, 0.0, -1.0), Vec3::splat(1e-3)][random.below(3)];
            Affine3A::from_scale_rotation_translation(scale, pose.rotation, pose.translation)
        })
        .collect()
}

/// Weights of targets: none, one, a blend, any sign, large and small.
pub(crate) fn weights(random: &mut Random, n: usize) -> Vec<f32> {
    let kind = random.below(5);
    (0..n)
        .map(|_| match kind {
            0 => [0.0, 1.0, -1.0][random.below(3)],
            1 => random.unit() as f32 / n as f32,
            2 => random.range(-1.0, 1.0) as f32 * 1e6,
            3 => random.range(-1.0, 1.0) as f32 * 1e-42,
            _ => random.range(-2.0, 2.0) as f32,
        })
        .collect()
}

/// Displacements of `n` targets: smooth, of a few vertices, opposite to the last, none at all.
pub(crate) fn targets(random: &mut Random, rest: &[Vec3], n: usize) -> Vec<Vec<Vec3>> {
    let mut all: Vec<Vec<Vec3>> = Vec::new();
    for i in 0..n {
        let (axis, middle) = (random.cube_point().as_vec3(), rest[random.below(rest.len())]);
        all.push(match i % 5 {
            0 => rest.iter().map(|p| axis * (3.0 * p.y).sin()).collect(),
            1 => rest
                .iter()
                .map(|p| if p.distance(middle) < 0.7 { axis * (p.x + 0.1) } else { Vec3::ZERO })
                .collect(),
            2 => rest.iter().map(|_| random.cube_point().as_vec3()).collect(),
            3 => all[i - 1].iter().map(|d| -*d).collect(),
            _ => vec![Vec3::ZERO; rest.len()],
        });
    }
    all
}

/// Queries near the mesh as it is: points, small boxes, large ones, everything, nothing.
fn queries(random: &mut Random, positions: &[Vec3]) -> Vec<Aabb> {
    let all = Aabb::from_points(positions);
    (0..6)
        .map(|_| {
            let middle = positions[random.below(positions.len())];
            let size = all.extents() * [0.0, 0.02, 0.1, 0.6, 4.0][random.below(5)];
            match random.below(12) {
                0 => Aabb { min: all.max + 1.0, max: all.max + 2.0 },
                _ => Aabb { min: middle - size, max: middle + size },
            }
        })
        .collect()
}

/// Sets parameters, and compares the tree with brute force.
fn check<D: Deformation>(
    name: &str,
    mut tree: KnownTree<D>,
    n_sets: usize,
    mut set: impl FnMut(&mut KnownTree<D>, &mut Random),
) {
    let mut random = Random::new(11);
    let (mut positions, mut found, mut n_found) = (Vec::new(), Vec::new(), 0);
    for _ in 0..n_sets {
        set(&mut tree, &mut random);
        tree.positions_into(&mut positions);
        for query in queries(&mut random, &positions) {
            // Boxes, and volumes around two points: slanted needles, if queries are k-DOPs.
            let query = match random.below(3) {
                0 => D::Query::from_points(&[query.min, query.max]),
                _ => D::Query::from_aabb(&query),
            };
            found.clear();
            found.push(7);
            tree.collect_faces_touching(&query, &mut found);
            let of = |face: &[u32; 3]| D::Query::from_points(&face.map(|vertex| positions[vertex as usize]));
            let brute: Vec<u32> = (0..)
                .zip(tree.faces())
                .filter(|(_, face)| of(face).overlaps(&query))
                .map(|(number, _)| number)
                .collect();
            assert_eq!(found[1..], brute, "{name} {query:?}");
            n_found += brute.len();
        }
    }
    assert!(n_found > 20 * n_sets, "{name}: {n_found}");
}

#[test]
fn answers_are_those_of_brute_force() {
    let n_sets = if std::env::var_os("CAROM_SLOW").is_some() { 3000 } else { 15 };
    let (rest, faces) = tube(40, 12);
    let fields = targets(&mut Random::new(1), &rest, 9);
    check("morph", MorphTree::new(&rest, &fields, faces.clone()).unwrap(), n_sets, |tree, random| {
        tree.set_weights(&weights(random, 9)).unwrap();
    });
    fn kdops<const K: usize>(tree: Result<MorphKDopTree<K>, KnownError>, n_sets: usize)
    where
        KDop<K>: Slabs,
    {
        check(&format!("{K}-DOPs"), tree.unwrap(), n_sets, |tree, random| {
            tree.set_weights(&weights(random, 9)).unwrap();
        });
    }
    kdops::<6>(MorphKDopTree::new(&rest, &fields, faces.clone()), n_sets);
    kdops::<14>(MorphKDopTree::new(&rest, &fields, faces.clone()), n_sets);
    kdops::<18>(MorphKDopTree::new(&rest, &fields, faces.clone()), n_sets);
    kdops::<26>(MorphKDopTree::new(&rest, &fields, faces.clone()), n_sets);
    check("modal", ModalTree::new(&rest, &fields, faces.clone()).unwrap(), n_sets, |tree, random| {
        tree.set_amplitudes(&weights(random, 9)).unwrap();
    });
    let skin = chain(&rest, 4.0, 6);
    let linear = LinearSkinTree::new(&rest, skin.clone(), faces.clone()).unwrap();
    check("linear", linear, n_sets, |tree, random| tree.set_bones(&affines(random, 6)).unwrap());
    let dual = DualQuaternionTree::new(&rest, skin, faces).unwrap();
    check("dual", dual, n_sets, |tree, random| tree.set_bones(&poses(random, 6)).unwrap());
}

/// A corner of the box of a face may be farther from the middle than the vertices are. A ball
/// around the vertices does not hold that corner, but the face is an answer for a query there.
#[test]
fn a_query_at_a_corner_of_the_box_of_a_face_finds_it() {
    let rest = [Vec3::new(0.0, 0.3, 1.0), Vec3::new(0.4, 0.0, 0.0), Vec3::new(1.0, 1.0, 0.5)];
    let skin = BoneWeights::new(&[[0]; 3], &[[1.0]; 3], 1).unwrap();
    let fields = [[Vec3::X; 3]];
    let faces = vec![[0, 1, 2]];
    fn check<D: Deformation<Query = Aabb>>(mut tree: KnownTree<D>) {
        for corner in 0..8_u32 {
            let at = Vec3::new((corner & 1) as f32, (corner >> 1 & 1) as f32, (corner >> 2) as f32);
            let mut found = Vec::new();
            tree.collect_faces_touching(&Aabb::from_point(at), &mut found);
            assert_eq!(found, [0], "{at:?}");
        }
    }
    check(MorphTree::new(&rest, &fields, faces.clone()).unwrap());
    check(ModalTree::new(&rest, &fields, faces.clone()).unwrap());
    check(LinearSkinTree::new(&rest, skin.clone(), faces.clone()).unwrap());
    check(DualQuaternionTree::new(&rest, skin, faces).unwrap());
}

/// Positions are the sums in fractions, up to the rounding of a sum in `f64` and of its result.
#[test]
fn morphs_are_sums_of_fractions() {
    let (rest, faces) = tube(6, 5);
    let fields = targets(&mut Random::new(2), &rest, 8);
    let mut tree = MorphTree::new(&rest, &fields, faces).unwrap();
    let mut random = Random::new(3);
    let fraction = |x: f32| BigRational::from_float(x).unwrap();
    for _ in 0..40 {
        let weights = weights(&mut random, 8);
        tree.set_weights(&weights).unwrap();
        for (vertex, p) in rest.iter().enumerate() {
            let position = tree.position(vertex as u32);
            for axis in 0..3 {
                let (mut sum, mut size) = (fraction(p[axis]), f64::from(p[axis].abs()));
                for (weight, field) in weights.iter().zip(&fields) {
                    sum += fraction(*weight) * fraction(field[vertex][axis]);
                    size += f64::from((weight * field[vertex][axis]).abs());
                }
                let off = (fraction(position[axis]) - &sum).to_f64().unwrap().abs();
                let allowed = sum.to_f64().unwrap().abs() * 2f64.powi(-24) + size * 2f64.powi(-49) + 1e-45;
                assert!(off <= allowed, "{off} {allowed}");
            }
        }
    }
}

/// Blends of matrices, and of matrices of unit dual quaternions, as textbooks have them.
#[test]
fn skins_are_those_of_other_formulas() {
    let (rest, faces) = tube(12, 5);
    let bones: Vec<[u16; 3]> = (0..rest.len()).map(|i| [i as u16 % 4, (i as u16 + 1) % 4, 3]).collect();
    let weights: Vec<[f32; 3]> =
        (0..rest.len()).map(|i| [[0.5, 0.25, 0.25], [0.25, 0.75, 0.0]][i % 2]).collect();
    let skin = BoneWeights::new(&bones, &weights, 4).unwrap();
    let mut linear = LinearSkinTree::new(&rest, skin.clone(), faces.clone()).unwrap();
    let mut dual = DualQuaternionTree::new(&rest, skin, faces).unwrap();
    let mut random = Random::new(4);
    for _ in 0..100 {
        let poses = poses(&mut random, 4);
        let affines: Vec<Affine3A> =
            poses.iter().map(|p| Affine3A::from_rotation_translation(p.rotation, p.translation)).collect();
        linear.set_bones(&affines).unwrap();
        dual.set_bones(&poses).unwrap();
        let largest = poses.iter().map(|p| p.translation.length()).fold(5.0, f32::max);
        for vertex in 0..rest.len() {
            let p = rest[vertex].as_dvec3();
            let of = || bones[vertex].iter().map(|&bone| bone as usize).zip(weights[vertex].map(f64::from));
            let blend: DVec3 = of()
                .map(|(bone, weight)| affines[bone].transform_point3(rest[vertex]).as_dvec3() * weight)
                .sum();
            let off = linear.position(vertex as u32).as_dvec3().distance(blend);
            assert!(off <= 4e-7 * f64::from(largest), "{off}");

            let (mut heaviest, mut most) = (bones[vertex][0] as usize, 0.0);
            for bone in 0..4 {
                let weight: f64 = of().filter(|entry| entry.0 == bone).map(|entry| entry.1).sum();
                if most < weight {
                    (heaviest, most) = (bone, weight);
                }
            }
            let (mut real, mut dual_part) =
                (DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0), DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0));
            let pivot = poses[heaviest].rotation.as_dquat().normalize();
            for (bone, weight) in of() {
                let q = poses[bone].rotation.as_dquat().normalize();
                let sign = if q.dot(pivot) < 0.0 { -weight } else { weight };
                let t = poses[bone].translation.as_dvec3();
                real += q * sign;
                dual_part += DQuat::from_xyzw(t.x, t.y, t.z, 0.0).mul_quat(q) * (0.5 * sign);
            }
            // Divided by the dual norm: both parts by the length of the real one. The dual part
            // also loses its component along the real one.
            let length = real.length();
            let unit = real * (1.0 / length);
            let dual_unit = (dual_part * (1.0 / length)) - unit * (unit.dot(dual_part) / length);
            let t = dual_unit.mul_quat(unit.conjugate()) * 2.0;
            let expected = unit * p + DVec3::new(t.x, t.y, t.z);
            let off = dual.position(vertex as u32).as_dvec3().distance(expected);
            assert!(off <= 3e-7 * f64::from(largest), "{off} {:?}", bones[vertex]);
        }
    }
}

/// Equal weights of the identity and of a rotation give half of its angle.
#[test]
fn a_blend_of_two_rotations_is_between_them() {
    let rest = [Vec3::X, Vec3::Y, Vec3::Z];
    let skin = BoneWeights::new(&[[0, 1]; 3], &[[0.5, 0.5]; 3], 2).unwrap();
    let mut tree = DualQuaternionTree::new(&rest, skin, vec![[0, 1, 2]]).unwrap();
    for degrees in [0.0, 10.0, 90.0, 179.0, -120.0] {
        let turn = |degrees: f32| Quat::from_rotation_z(degrees.to_radians());
        for sign in [1.0, -1.0] {
            tree.set_bones(&[Pose::IDENTITY, Pose::from_rotation(turn(degrees) * sign)]).unwrap();
            for (vertex, p) in (0..).zip(rest) {
                assert!(tree.position(vertex).distance(turn(degrees / 2.0) * p) < 1e-6, "{degrees} {sign}");
            }
        }
    }
}

/// A small query of a large mesh computes few volumes and few vertices. Repeated with the same
/// parameters, it computes none.
#[test]
fn queries_compute_what_they_come_near() {
    let (rest, faces) = tube(400, 24);
    let fields = targets(&mut Random::new(5), &rest, 2);
    let mut tree = MorphTree::new(&rest, &fields, faces.clone()).unwrap();
    tree.set_weights(&[0.25, -0.5]).unwrap();
    let skin = chain(&rest, 4.0, 9);
    let mut linear = LinearSkinTree::new(&rest, skin.clone(), faces.clone()).unwrap();
    let mut dual = DualQuaternionTree::new(&rest, skin, faces).unwrap();
    let bend =
        |bone: usize| Pose::new(Quat::from_rotation_z(0.25 * bone as f32), Vec3::new(bone as f32, 0.0, 0.0));
    let poses: Vec<Pose> = (0..9).map(bend).collect();
    let affines = |p: &Pose| Affine3A::from_rotation_translation(p.rotation, p.translation);
    linear.set_bones(&poses.iter().map(affines).collect::<Vec<_>>()).unwrap();
    dual.set_bones(&poses).unwrap();
    fn check<D: Deformation<Query = Aabb>>(name: &str, tree: &mut KnownTree<D>) {
        let mut n_nodes = 0;
        tree.visit_volumes(|_, _| n_nodes += 1);
        let middle = tree.position(4800);
        let query = Aabb { min: middle - 0.02, max: middle + 0.02 };
        let mut found = Vec::new();
        tree.collect_faces_touching(&query, &mut found);
        let work = tree.work();
        assert!(!found.is_empty() && 0 < work.vertices);
        assert!(12 * work.volumes < n_nodes, "{name}: {} of {n_nodes}", work.volumes);
        assert!(12 * work.vertices < 9600, "{name}: {}", work.vertices);
        tree.collect_faces_touching(&query, &mut found);
        assert_eq!((tree.work().volumes, tree.work().vertices), (work.volumes, work.vertices));
        // All faces, without their vertices.
        found.clear();
        tree.collect_faces_touching(&Aabb { min: Vec3::splat(-100.0), max: Vec3::splat(100.0) }, &mut found);
        assert_eq!((found.len(), tree.work().vertices), (tree.faces().len(), work.vertices));
    }
    check("morph", &mut tree);
    check("linear", &mut linear);
    check("dual", &mut dual);
}

/// A needle between opposite corners of the mesh: its k-DOP touches few faces, its box most of
/// them. Queries with a NaN, or whose planes contradict each other, touch none.
#[test]
fn a_slanted_needle_touches_fewer_faces_by_its_kdop() {
    let (n, up) = (40, Vec3::Y * 0.3);
    let (rest, faces) = (waves(n, 0.1, 0.0), grid(n));
    let fields = [vec![up; n * n], rest.iter().map(|p| 0.2 * up * (9.0 * p.x).sin()).collect()];
    let mut boxes = MorphTree::new(&rest, &fields, faces.clone()).unwrap();
    let mut kdops = MorphKDopTree::<18>::new(&rest, &fields, faces).unwrap();
    boxes.set_weights(&[-1.0, 0.5]).unwrap();
    kdops.set_weights(&[-1.0, 0.5]).unwrap();
    let ends = [boxes.position(0), boxes.position((n * n - 1) as u32)];
    let (mut by_box, mut by_kdop) = (Vec::new(), Vec::new());
    boxes.collect_faces_touching(&Aabb::from_points(&ends), &mut by_box);
    let needle = KDop::from_points(&ends);
    kdops.collect_faces_touching(&needle, &mut by_kdop);
    assert!(by_kdop.iter().all(|face| by_box.contains(face)));
    assert!(!by_kdop.is_empty() && 4 * by_kdop.len() < by_box.len(), "{} {}", by_kdop.len(), by_box.len());
    assert!(2 * kdops.work().volumes < boxes.work().volumes);
    for plane in 0..18 {
        for bad in [f32::NAN, -1e9] {
            let mut query = needle;
            query.offsets[plane] = bad;
            by_kdop.clear();
            kdops.collect_faces_touching(&query, &mut by_kdop);
            assert_eq!(by_kdop, [0_u32; 0], "{query:?}");
        }
    }
    kdops.collect_faces_touching(&KDop::EMPTY, &mut by_kdop);
    assert_eq!(by_kdop, [0_u32; 0]);
    kdops.collect_faces_touching(&KDop::EVERYTHING, &mut by_kdop);
    assert_eq!(by_kdop.len(), kdops.faces().len());
}

/// The positions of a tree are those of a mesh for searches of the whole.
#[test]
fn positions_go_into_a_mesh() {
    let n = 12;
    let (rest, faces) = (waves(n, 0.1, 0.0), grid(n));
    let mut tree = MorphTree::new(&rest, &[vec![Vec3::Y; n * n]], faces.clone()).unwrap();
    let mut mesh = DeformableMesh::from_triangles(&rest, faces).unwrap().with_trees::<RefitTree>();
    let mut positions = vec![Vec3::NAN];
    tree.set_weights(&[0.5]).unwrap();
    tree.positions_into(&mut positions);
    mesh.set_positions(&positions).unwrap();
    let query = Aabb { min: Vec3::splat(0.5), max: Vec3::splat(1.5) };
    let (mut of_tree, mut of_mesh) = (Vec::new(), Vec::new());
    tree.collect_faces_touching(&query, &mut of_tree);
    mesh.collect_faces_touching(&query, &mut of_mesh);
    assert!(of_tree == of_mesh && !of_tree.is_empty());
}

#[test]
fn warm_queries_do_not_allocate() {
    let (rest, faces) = tube(40, 12);
    let skin = chain(&rest, 4.0, 6);
    let mut morph = MorphTree::new(&rest, &targets(&mut Random::new(6), &rest, 4), faces.clone()).unwrap();
    let mut modal = ModalTree::new(&rest, &targets(&mut Random::new(7), &rest, 4), faces.clone()).unwrap();
    let mut kdops =
        MorphKDopTree::<14>::new(&rest, &targets(&mut Random::new(6), &rest, 4), faces.clone()).unwrap();
    let mut linear = LinearSkinTree::new(&rest, skin.clone(), faces.clone()).unwrap();
    let mut dual = DualQuaternionTree::new(&rest, skin, faces).unwrap();
    let poses = poses(&mut Random::new(8), 6);
    let affines = affines(&mut Random::new(9), 6);
    let (mut found, mut positions) = (Vec::new(), Vec::new());
    let mut step = |weight: f32| {
        let query = Aabb { min: Vec3::splat(-1.0), max: Vec3::splat(weight) };
        morph.set_weights(&[weight; 4]).unwrap();
        modal.set_amplitudes(&[weight; 4]).unwrap();
        kdops.set_weights(&[weight; 4]).unwrap();
        linear.set_bones(&affines).unwrap();
        dual.set_bones(&poses).unwrap();
        found.clear();
        morph.collect_faces_touching(&query, &mut found);
        modal.collect_faces_touching(&query, &mut found);
        kdops.collect_faces_touching(&KDop::from_aabb(&query), &mut found);
        linear.collect_faces_touching(&query, &mut found);
        dual.collect_faces_touching(&query, &mut found);
        dual.positions_into(&mut positions);
    };
    step(0.5);
    step(1.0);
    let allocations = allocation_counter::measure(|| step(0.75));
    assert_eq!(allocations.count_total, 0);
}
