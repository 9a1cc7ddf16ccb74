//! Boxes of dual quaternion skinning, from the rigid placements of the bones alone.
//!
//! A bone a has the unit dual quaternion q_a + e r_a, with r_a = t_a q_a / 2. A vertex p has bones
//! a with weights w_a > 0; its pivot g is the bone of the largest weight. Its blend is c + e d,
//! with c the sum of w_a s_a q_a, and d that of w_a s_a r_a. The sign s_a is -1 if q_a . q_g < 0,
//! and 1 otherwise. The blend takes p to X = (vec(c p c*) + 2 vec(d c*)) / |c|^2.
//!
//! Proof of the boxes:
//! 1. Numerator and denominator of X are quadratic forms of the blend. Written out over pairs of
//!    bones, with B and n the polar forms, X = sum w_a w_b s_a s_b B_ab(p) / sum w_a w_b s_a s_b
//!    n_ab, and n_ab = q_a . q_b.
//! 2. Let C_ab(p) = B_ab(p) / n_ab, an affine map of p. If all s_a s_b n_ab > 0, X is a convex
//!    combination of the points C_ab(p), because the coefficients w_a w_b s_a s_b n_ab / sum are
//!    positive and have the sum 1. C_aa is the bone's placement, and C_ab the middle control point
//!    of the arc from a to b.
//! 3. If |n_ab| > 1/2 for all pairs of the vertex, all s_a s_b n_ab > 0: s_a q_a and s_b q_b are
//!    within 60 degrees of q_g, so within 120 of each other. Their angle is below 60 or above 120
//!    degrees, as |n_ab| > 1/2, hence below 60.
//! 4. So a node needs a rest box for each bone, and for each pair of bones that a vertex has
//!    together.
//! 5. A pair with |n_ab| below 0.6 ([`tol::PAIR_COSINE`]), rotations more than 106 degrees apart,
//!    is wide. Vertices that have it are in a ball: blends commute with changes of both frames.
//!    Put the rest origin into the middle o of the pair's rest box, of half diagonal h, and the
//!    other origin into any point y. The rotation keeps p within h of the image of o. That image
//!    is within T / |c| of y: |2 vec(d c*)| / |c|^2 <= 2 |d| / |c|, and 2 |d| is at most T, the
//!    largest distance of y to the image of o under a bone of these vertices.
//! 6. |c| >= c . q_g = sum w_a |q_a . q_g| >= w_g + (1 - w_g) k, with k the least |q_a . q_b| of
//!    these bones, and w_g >= 1 / m for m bones. So 1 / |c| is at most m / (1 + (m - 1) k), and
//!    |c| is never 0, also for opposite rotations.
//!
//! Slack, with u = 2^-53 and R the largest |p| plus the largest |t_a|: C_ab and its image of a box
//! are off by less than 172 u |p| + 155 u |t|. The blend is off by 2 (m + 2) u, and X by less than
//! 192 m^3 u R, as |c| >= 1 / m. Stored bones are rigid to within 8 u, which adds 16 m^2 u R. The
//! sum is below 512 m^3 u R, which is [`tol::SKIN_ROUNDING`] times m^3 R.
//!
//! Reference: L. Kavan, S. Collins, J. Zara, C. O'Sullivan, Geometric Skinning with Approximate
//! Dual Quaternion Blending, 2008, 4 (the blend, its frames, the signs). Differs: the pivot is the
//! bone of the largest weight. The bound by control points is that of rational Bezier curves: G.
//! Farin, Curves and Surfaces for CAGD, 5th ed., 13.

use super::affine::Affine;
use super::linear_skin::{check_skin, push_boxes};
use super::node_lists::NodeLists;
use super::sealed::Sealed;
use super::{BoneWeights, Deformation, KnownError, KnownTree};
use crate::MAX_POSITION;
use alloc::vec;
use alloc::vec::Vec;
use carom_bounds::{Aabb, BoundingVolume};
use carom_math::{Pose, ops, tol};
use glam::{DMat3, DQuat, DVec3, Vec3};

/// A tree over a skin that is blended by dual quaternions. Vertices between bones whose rotations
/// are more than 106 degrees apart have larger volumes. If that is so in most of the mesh, a
/// [`RefitTree`](crate::RefitTree) is faster.
pub type DualQuaternionTree = KnownTree<DualQuaternionSkin>;

/// A skin that is blended by dual quaternions, for [`DualQuaternionTree`].
#[derive(Clone, Debug)]
pub struct DualQuaternionSkin {
    rest: Vec<Vec3>,
    weights: BoneWeights,
    /// The length of the longest rest position.
    longest: f64,
    bones: Vec<Motion>,
    /// Pairs of bones that a vertex has together.
    pairs: Vec<Pair>,
    /// The bones of the vertices that have a pair, for all pairs in a row.
    companions: Vec<u32>,
    /// By bone, then by pair.
    maps: Vec<Affine>,
    /// For each pair whose rotations are too far apart for a map, the bound on 1 / |c|.
    wide: Vec<Option<f64>>,
    slack: f64,
    /// By map.
    lists: NodeLists<Aabb>,
    scratch: Vec<(u32, u32)>,
}

/// A rigid placement as a unit dual quaternion.
#[derive(Clone, Copy, Debug)]
struct Motion {
    real: DQuat,
    dual: DQuat,
}

/// Two bones, the first with the lower number.
#[derive(Clone, Debug)]
struct Pair {
    bones: [u32; 2],
    /// The range of `companions`.
    companions: core::ops::Range<usize>,
    /// The most bones of a vertex that has the pair.
    n_bones: usize,
}

impl DualQuaternionTree {
    /// Returns a tree over triangles. Their vertices are at `rest` if all bones are at the
    /// identity, as they are at first. An error names the first bad vertex or face.
    pub fn new(
        rest: &[Vec3],
        weights: BoneWeights,
        faces: Vec<[u32; 3]>,
    ) -> Result<DualQuaternionTree, KnownError> {
        check_skin(rest, &weights)?;
        let (pairs, companions) = pairs_of(&weights);
        let n_bones = weights.n_bones();
        let longest = rest.iter().fold(0.0_f64, |most, p| most.max(ops::sqrt(p.as_dvec3().length_squared())));
        let mut skin = DualQuaternionSkin {
            rest: rest.to_vec(),
            weights,
            longest,
            bones: vec![
                Motion { real: DQuat::IDENTITY, dual: DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0) };
                n_bones
            ],
            maps: vec![Affine::IDENTITY; n_bones + pairs.len()],
            wide: vec![None; pairs.len()],
            pairs,
            companions,
            slack: 0.0,
            lists: NodeLists::default(),
            scratch: Vec::new(),
        };
        skin.follow_bones(0.0);
        KnownTree::with_deformation(skin, faces)
    }

    /// Sets the placements, one for each bone: it takes the rest position of a vertex to that of a
    /// vertex with this bone alone. A rotation has length 1 to within a hundredth, and is
    /// normalised in `f64`. On an error nothing changes.
    pub fn set_bones(&mut self, bones: &[Pose]) -> Result<(), KnownError> {
        let skin = self.deformation_mut();
        if bones.len() != skin.bones.len() {
            return Err(KnownError::WrongCount { expected: skin.bones.len(), given: bones.len() });
        }
        if let Some(parameter) =
            bones.iter().position(|bone| Pose::try_new(bone.rotation, bone.translation).is_err())
        {
            return Err(KnownError::BadParameter { parameter });
        }
        let length = |bone: &Pose| ops::sqrt(bone.translation.as_dvec3().length_squared());
        // A position is not farther than this from the origin, by points 5 and 6 of the proof with
        // o = y = 0.
        let limit = f64::from(MAX_POSITION.next_down());
        let is_too_large = |bone: &Pose| limit < skin.longest + skin.weights.max_bones() * length(bone);
        if let Some(parameter) = bones.iter().position(is_too_large) {
            return Err(KnownError::TooLarge { parameter });
        }
        for (motion, bone) in skin.bones.iter_mut().zip(bones) {
            *motion = Motion::new(bone);
        }
        skin.follow_bones(bones.iter().map(length).fold(0.0, f64::max));
        Ok(())
    }
}

impl DualQuaternionSkin {
    /// Computes maps and slack from the bones. `translation` bounds the lengths of their
    /// translations.
    fn follow_bones(&mut self, translation: f64) {
        let (of_bones, of_pairs) = self.maps.split_at_mut(self.bones.len());
        for (map, bone) in of_bones.iter_mut().zip(&self.bones) {
            *map = control_map(bone, bone);
        }
        for ((map, wide), pair) in of_pairs.iter_mut().zip(&mut self.wide).zip(&self.pairs) {
            let [a, b] = pair.bones.map(|bone| &self.bones[bone as usize]);
            *wide = None;
            if tol::PAIR_COSINE <= a.real.dot(b.real).abs() {
                *map = control_map(a, b);
                continue;
            }
            let together = &self.companions[pair.companions.clone()];
            let mut least = 1.0_f64;
            for (i, &a) in together.iter().enumerate() {
                for &b in &together[i + 1..] {
                    let cosine = self.bones[a as usize].real.dot(self.bones[b as usize].real);
                    least = least.min(cosine.abs());
                }
            }
            let m = pair.n_bones as f64;
            *wide = Some(m / (1.0 + (m - 1.0) * least));
        }
        let m = self.weights.max_bones();
        self.slack = tol::SKIN_ROUNDING * (m * m * m) * (self.longest + translation);
    }

    /// The box of the ball of vertices that have a wide pair and a rest position in `rest`; 1 /
    /// |c| is at most `stretch`.
    fn around_wide(&self, pair: &Pair, stretch: f64, rest: &Aabb) -> (DVec3, DVec3) {
        let (min, max) = (rest.min.as_dvec3(), rest.max.as_dvec3());
        let middle = (min + max) * 0.5;
        let images = || {
            self.companions[pair.companions.clone()]
                .iter()
                .map(|&bone| self.maps[bone as usize].point(middle))
        };
        let low = images().fold(DVec3::INFINITY, DVec3::min);
        let high = images().fold(DVec3::NEG_INFINITY, DVec3::max);
        let center = (low + high) * 0.5;
        let farthest = images().map(|image| (image - center).length_squared()).fold(0.0, f64::max);
        let radius = ops::sqrt((max - middle).length_squared()) + ops::sqrt(farthest) * stretch;
        (center - radius, center + radius)
    }
}

impl Sealed for DualQuaternionSkin {}

impl Deformation for DualQuaternionSkin {
    type Volume = Aabb;
    type Query = Aabb;

    fn rest(&self) -> &[Vec3] {
        &self.rest
    }

    fn add_node(&mut self, vertices: &[u32]) {
        let DualQuaternionSkin { rest, weights, pairs, lists, scratch, .. } = self;
        let n_bones = weights.n_bones() as u32;
        scratch.clear();
        for &vertex in vertices {
            let bones = weights.of(vertex);
            scratch.extend(bones.iter().map(|&(bone, _)| (bone, vertex)));
            for_each_pair(bones, |pair| {
                if let Ok(i) = pairs.binary_search_by_key(&pair, |pair| pair.bones) {
                    scratch.push((n_bones + i as u32, vertex));
                }
            });
        }
        push_boxes(lists, scratch, rest);
    }

    fn volume(&self, node: usize) -> Aabb {
        let list = self.lists.of(node);
        if list.is_empty() {
            return Aabb::EMPTY;
        }
        let (mut min, mut max) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for (map, rest) in list {
            let map = *map as usize;
            let pair = map.checked_sub(self.bones.len());
            let (low, high) = match pair.and_then(|pair| Some((pair, self.wide[pair]?))) {
                Some((pair, stretch)) => self.around_wide(&self.pairs[pair], stretch, rest),
                None => self.maps[map].range(rest),
            };
            (min, max) = (min.min(low), max.max(high));
        }
        Aabb::around(min - self.slack, max + self.slack)
    }

    fn tested(volume: &Aabb) -> Aabb {
        *volume
    }

    fn position(&self, vertex: u32) -> Vec3 {
        let bones = self.weights.of(vertex);
        let pivot = self.bones[bones[0].0 as usize].real;
        let zero = DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0);
        let mut blend = Motion { real: zero, dual: zero };
        for &(bone, weight) in bones {
            let Motion { real, dual } = self.bones[bone as usize];
            let weight = if real.dot(pivot) < 0.0 { -weight } else { weight };
            blend = Motion { real: blend.real + real * weight, dual: blend.dual + dual * weight };
        }
        blend.point(self.rest[vertex as usize].as_dvec3()).as_vec3()
    }
}

impl Motion {
    fn new(pose: &Pose) -> Motion {
        let real = pose.rotation.as_dquat();
        let real = real * (1.0 / ops::sqrt(real.length_squared()));
        let t = pose.translation.as_dvec3() * 0.5;
        let (v, w) = (vector(real), real.w);
        let dual = DQuat::from_vec4((t * w + t.cross(v)).extend(-t.dot(v)));
        Motion { real, dual }
    }

    /// X of the head: where a blend takes a point.
    fn point(&self, p: DVec3) -> DVec3 {
        let (v, w) = (vector(self.real), self.real.w);
        let (e, e0) = (vector(self.dual), self.dual.w);
        let turned = v.cross(v.cross(p) + p * w);
        let moved = e * w - v * e0 + v.cross(e);
        p + (turned + moved) * (2.0 / self.real.length_squared())
    }
}

/// C_ab of the head: the polar form of the numerator of [`Motion::point`], over that of its
/// denominator.
fn control_map(a: &Motion, b: &Motion) -> Affine {
    let (va, vb, ea, eb) = (vector(a.real), vector(b.real), vector(a.dual), vector(b.dual));
    let (wa, wb, e0a, e0b) = (a.real.w, b.real.w, a.dual.w, b.dual.w);
    let scale = 1.0 / a.real.dot(b.real);
    let of = |p: DVec3| {
        let straight = p * (wa * wb - va.dot(vb)) + va * vb.dot(p) + vb * va.dot(p);
        (straight + vb.cross(p) * wa + va.cross(p) * wb) * scale
    };
    let translation = eb * wa + ea * wb - vb * e0a - va * e0b + va.cross(eb) + vb.cross(ea);
    Affine {
        linear: DMat3::from_cols(of(DVec3::X), of(DVec3::Y), of(DVec3::Z)),
        translation: translation * scale,
    }
}

fn vector(q: DQuat) -> DVec3 {
    DVec3::new(q.x, q.y, q.z)
}

/// The pairs of a vertex's bones, the lower number first.
fn for_each_pair(bones: &[(u32, f64)], mut pair: impl FnMut([u32; 2])) {
    for (i, &(a, _)) in bones.iter().enumerate() {
        for &(b, _) in &bones[i + 1..] {
            pair([a.min(b), a.max(b)]);
        }
    }
}

/// All pairs in ascending order, and the bones of the vertices that have them.
fn pairs_of(weights: &BoneWeights) -> (Vec<Pair>, Vec<u32>) {
    // A pair, a bone of a vertex that has it, and how many bones that vertex has.
    let mut all: Vec<([u32; 2], u32, usize)> = Vec::new();
    for vertex in 0..weights.n_vertices() as u32 {
        let bones = weights.of(vertex);
        for_each_pair(bones, |pair| all.extend(bones.iter().map(|&(bone, _)| (pair, bone, bones.len()))));
        // Most vertices have the pairs of those before.
        if all.len() > 1 << 16 {
            all.sort_unstable();
            all.dedup();
        }
    }
    all.sort_unstable();
    let (mut pairs, mut companions) = (Vec::new(), Vec::new());
    for same in all.chunk_by(|v, w| v.0 == w.0) {
        let first = companions.len();
        companions.extend(same.chunk_by(|v, w| v.1 == w.1).map(|of_bone| of_bone[0].1));
        let n_bones = same.iter().map(|entry| entry.2).max().unwrap_or(0);
        pairs.push(Pair { bones: same[0].0, companions: first..companions.len(), n_bones });
    }
    (pairs, companions)
}
