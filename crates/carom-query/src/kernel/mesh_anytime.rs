//! Pairs of meshes within a time budget. The search can be stopped at any time, and returns bounds
//! of the distances or the pairs known to touch.
//!
//! Trees and exact tests of triangles narrow the bounds from both sides. A complete search has the
//! answers of [`distance`](crate::distance), [`intersects`](crate::intersects) and
//! [`triangle_pairs`](crate::triangle_pairs).
//!
//! Reference: J. Dingliana, C. O'Sullivan, Graceful Degradation of Collision Handling in Physically
//! Based Animation, Eurographics 2000; Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.6.
//! Differs: bounds that are certain, from oriented boxes and exact triangles.

use super::super::num::{Interval, Pose, Real, Vec3, above, below, narrow, narrow_real};
use super::answer::Distance;
use super::mesh_shape::MeshShape;
use super::pair::{are_infinite, relative};
use crate::closest::Closest;
use crate::mesh_mesh::{push_near, scale_of_pair, settle, visit_leaves};
use crate::workspace::NearPair;
use alloc::vec::Vec;
use carom_bounds::Obb;
use carom_bvh::{
    AnytimeAnswer, AnytimeError, AnytimeGoal, AnytimePairs, AnytimeRun, AnytimeSearch, AnytimeSettings,
    ApproximateContact, Bvh, Certainty, Counters, LeafPair, Undecided, Until,
};
use carom_geom::tri_blocks::BlockDistances;
use carom_math::WidePose;
use core::borrow::Borrow;
use core::ops::ControlFlow;
use glam::DVec3;

/// Two meshes of a list, each with its pose in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct MeshPair {
    /// The index of the first mesh.
    pub mesh_a: u32,
    /// The pose of the first.
    pub pose_a: Pose,
    /// The index of the second mesh, which may be the same.
    pub mesh_b: u32,
    /// The pose of the second.
    pub pose_b: Pose,
}

impl MeshPair {
    /// Creates a pair of meshes, given by their indices, at these poses.
    pub fn new(mesh_a: u32, pose_a: Pose, mesh_b: u32, pose_b: Pose) -> MeshPair {
        MeshPair { mesh_a, pose_a, mesh_b, pose_b }
    }
}

/// The present result for a pair of meshes.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct AnytimeMeshAnswer {
    /// Whether the surfaces touch. `Touching` comes from an exact test of two triangles.
    pub certainty: Certainty,
    /// An interval that contains the distance of the surfaces, ends included: lengths, rounded
    /// outwards. From 0 to infinity before the pair is started. Both ends are infinite if there is
    /// no distance.
    pub bounds: Interval,
    /// The nearest points of the nearest two triangles tested so far. World frame. `None` before
    /// such a test, and if the search is only for touching. At the end of a search for distances
    /// these are the nearest of all.
    pub nearest: Option<Distance>,
    /// The number of pairs of volumes in the queue; 1 before the pair is started, 0 if the pair is
    /// done.
    pub n_undecided: u64,
    /// Tree depth of the shallowest of them: the nodes opened on the path to it.
    pub level: u32,
    /// The number of pairs of volumes that were proved to be apart.
    pub n_refuted: u64,
    /// The cost of this pair so far.
    pub counters: Counters,
}

/// The approximate contact of two meshes, from bounding volumes. World frame.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct AnytimeMeshContact {
    /// The centre of the overlap.
    pub point: Vec3,
    /// Unit vector from A to B.
    pub normal: Vec3,
    /// A length. If B moves by this along the normal, the balls around the overlapping volumes are
    /// apart.
    pub depth: Real,
    /// A length: the error bound of the point and of the depth.
    pub size: Real,
    /// Number of pairs of volumes that it was computed from.
    pub n_volumes: u64,
}

/// Why a search could not continue. Earlier results are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AnytimeMeshError {
    /// The pair refers to a mesh that is not in the list.
    NoMesh {
        /// The index of the pair.
        pair: usize,
    },
    /// A pose of the pair has a NaN or an infinity.
    NotFinite {
        /// The index of the pair.
        pair: usize,
    },
    /// The number of pairs differs from that at the start.
    WrongCount {
        /// Number at the start.
        expected: usize,
        /// Number given now.
        given: usize,
    },
    /// The meshes of this pair changed since the pair was started, judged by their trees.
    OtherMeshes {
        /// The index of the pair.
        pair: usize,
    },
}

impl core::fmt::Display for AnytimeMeshError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            AnytimeMeshError::NoMesh { pair } => {
                write!(f, "pair {pair} names a mesh that is not in the list")
            }
            AnytimeMeshError::NotFinite { pair } => write!(f, "a pose of pair {pair} is not finite"),
            AnytimeMeshError::WrongCount { expected, given } => {
                write!(f, "the search was started with {expected} pairs, {given} were given")
            }
            AnytimeMeshError::OtherMeshes { pair } => {
                write!(f, "the meshes of pair {pair} are not those with which its search was begun")
            }
        }
    }
}

impl core::error::Error for AnytimeMeshError {}

/// A search over pairs of meshes that can be stopped and resumed. All pairs share one queue, so
/// each gets a part of the time. The search owns its memory: if it is reused, it does not allocate
/// once it has grown. If the sizes of two meshes differ by many powers of ten, the start of their
/// pair builds new trees, which takes time and memory.
///
/// [`AnytimeSettings::distance`] searches for least distances. [`AnytimeSettings::touching`] finds
/// whether the surfaces touch, and, with the goal `All`, all triangles that do.
#[derive(Clone, Debug, Default)]
pub struct AnytimeMeshes {
    search: AnytimeSearch,
    settings: AnytimeSettings,
    known: Vec<Known>,
    /// Trees of pairs whose sizes differ by so many powers of ten that their own trees do not fit.
    scaled: Vec<(Bvh<Obb>, Bvh<Obb>)>,
    touching: Vec<(u32, u32, u32)>,
    near: Vec<NearPair>,
    contacts: Vec<Option<ApproximateContact>>,
    answers: Vec<AnytimeAnswer>,
}

/// The state of a pair that was started.
#[derive(Clone, Copy, Debug)]
struct Known {
    a_in_world: WidePose,
    b_in_a: WidePose,
    scale: f64,
    /// Index of its own trees in `scaled`; `u32::MAX` if it uses those of the meshes.
    scaled: u32,
    nearest: Closest,
    /// The separating axis of the triangles tested last.
    axis: DVec3,
}

/// The data that the search reads while it runs.
struct View<'a, M, F> {
    meshes: &'a [M],
    pairs: &'a [MeshPair],
    settings: AnytimeSettings,
    known: &'a mut Vec<Known>,
    scaled: &'a mut Vec<(Bvh<Obb>, Bvh<Obb>)>,
    touching: &'a mut Vec<(u32, u32, u32)>,
    near: &'a mut Vec<NearPair>,
    urgency: F,
}

impl AnytimeMeshes {
    /// Starts a new search over this number of pairs. No pair is tested yet. The pose of a pair is
    /// read when the pair is started.
    pub fn start(&mut self, n_pairs: usize, settings: &AnytimeSettings) {
        self.settings = *settings;
        // More than 2^32 - 1 pairs do not fit in the search.
        self.search.start(u32::try_from(n_pairs).unwrap_or(u32::MAX), settings);
        self.known.clear();
        self.scaled.clear();
        self.touching.clear();
    }

    /// Continues until the search is complete or the limit is reached. The order is that of the
    /// settings. With `Priority` the pairs of volumes with the smallest gap come first.
    ///
    /// Each run of a search must get the same meshes, by any kind of reference. Pairs that were
    /// started must not change. [`AnytimeMeshError`] lists the errors.
    pub fn run<M: Borrow<MeshShape>>(
        &mut self,
        meshes: &[M],
        pairs: &[MeshPair],
        until: Until<'_>,
    ) -> Result<AnytimeRun, AnytimeMeshError> {
        self.run_by(meshes, pairs, until, |undecided| -undecided.gap)
    }

    /// [`AnytimeMeshes::run`] for the order `Priority`, with the caller's own priority: the largest
    /// number comes first. Volumes are in the frames of their meshes, in coordinates times
    /// [`MeshShape::scale`].
    pub fn run_by<M: Borrow<MeshShape>>(
        &mut self,
        meshes: &[M],
        pairs: &[MeshPair],
        until: Until<'_>,
        urgency: impl FnMut(&Undecided<Obb>) -> f64,
    ) -> Result<AnytimeRun, AnytimeMeshError> {
        let (search, mut view) = self.view(meshes, pairs, urgency)?;
        search.run(&mut view, until).map_err(other_meshes)
    }

    /// Returns the present result for one pair. This scans the whole queue;
    /// [`AnytimeMeshes::answers`] scans it once for all pairs.
    pub fn answer(&self, pair: usize) -> AnytimeMeshAnswer {
        self.mesh_answer(pair, &self.search.answer(u32::try_from(pair).unwrap_or(u32::MAX)))
    }

    /// Replaces `out` by the present results of all pairs, in their order.
    pub fn answers(&mut self, out: &mut Vec<AnytimeMeshAnswer>) {
        let mut answers = core::mem::take(&mut self.answers);
        self.search.answers(&mut answers);
        out.clear();
        out.extend(answers.iter().enumerate().map(|(pair, answer)| self.mesh_answer(pair, answer)));
        self.answers = answers;
    }

    /// Returns the touching triangles in the order in which they were found: index of the pair,
    /// A's triangle, B's triangle. There is at most one entry for each pair of meshes; with the
    /// goal `All`, one for each pair of triangles. Empty if the goal is `Distance`, or if the
    /// maximum distance is above 0.
    pub fn touching(&self) -> &[(u32, u32, u32)] {
        &self.touching
    }

    /// Replaces `out` by an approximate contact for each pair, in their order, from the deepest
    /// volumes that overlap. A pair has `None` before it is started, if no overlap is known, and
    /// if it is known to be apart.
    pub fn contacts<M: Borrow<MeshShape>>(
        &mut self,
        meshes: &[M],
        pairs: &[MeshPair],
        out: &mut Vec<Option<AnytimeMeshContact>>,
    ) -> Result<(), AnytimeMeshError> {
        let mut contacts = core::mem::take(&mut self.contacts);
        let (search, view) = self.view(meshes, pairs, |_: &Undecided<Obb>| 0.0)?;
        let tested = search.contacts(&view, &mut contacts).map_err(other_meshes);
        out.clear();
        out.extend(contacts.iter().enumerate().map(|(pair, contact)| {
            let (contact, known) = ((*contact)?, self.known.get(pair)?);
            Some(AnytimeMeshContact {
                point: narrow(known.a_in_world.transform_point(contact.point)),
                normal: narrow(known.a_in_world.transform_vector(contact.normal)),
                depth: narrow_real(contact.depth),
                size: narrow_real(contact.size),
                n_volumes: contact.n_volumes,
            })
        }));
        self.contacts = contacts;
        tested
    }

    /// Returns the number of pairs of volumes in the queue.
    pub fn n_waiting(&self) -> usize {
        self.search.n_waiting()
    }

    /// Returns the cost since the start.
    pub fn counters(&self) -> Counters {
        self.search.counters()
    }

    fn view<'a, M: Borrow<MeshShape>, F>(
        &'a mut self,
        meshes: &'a [M],
        pairs: &'a [MeshPair],
        urgency: F,
    ) -> Result<(&'a mut AnytimeSearch, View<'a, M, F>), AnytimeMeshError> {
        let expected = self.search.n_pairs() as usize;
        if pairs.len() != expected {
            return Err(AnytimeMeshError::WrongCount { expected, given: pairs.len() });
        }
        let is_unknown = |pair: &MeshPair| meshes.len() <= pair.mesh_a.max(pair.mesh_b) as usize;
        if let Some(pair) = pairs.iter().position(is_unknown) {
            return Err(AnytimeMeshError::NoMesh { pair });
        }
        if let Some(pair) = pairs.iter().position(|pair| are_infinite(&pair.pose_a, &pair.pose_b)) {
            return Err(AnytimeMeshError::NotFinite { pair });
        }
        let AnytimeMeshes { search, settings, known, scaled, touching, near, .. } = self;
        let settings = *settings;
        Ok((search, View { meshes, pairs, settings, known, scaled, touching, near, urgency }))
    }

    fn mesh_answer(&self, pair: usize, answer: &AnytimeAnswer) -> AnytimeMeshAnswer {
        let nearest = self.known.get(pair).filter(|known| known.nearest.distance < f64::INFINITY);
        AnytimeMeshAnswer {
            certainty: answer.certainty,
            bounds: Interval { min: below(answer.lower), max: above(answer.upper) },
            nearest: nearest.map(|known| Distance::placed(&known.nearest, &known.a_in_world)),
            n_undecided: answer.n_undecided,
            level: answer.level,
            n_refuted: answer.n_refuted,
            counters: answer.counters,
        }
    }
}

fn other_meshes(error: AnytimeError) -> AnytimeMeshError {
    match error {
        AnytimeError::OtherTrees { pair } => AnytimeMeshError::OtherMeshes { pair: pair as usize },
        // There is no other error yet.
        _ => AnytimeMeshError::OtherMeshes { pair: usize::MAX },
    }
}

static NOTHING: Bvh<Obb> = Bvh::empty();

impl<'a, M: Borrow<MeshShape>, F> View<'a, M, F> {
    fn shapes(&self, pair: u32) -> Option<(&'a MeshShape, &'a MeshShape)> {
        let pair = self.pairs.get(pair as usize)?;
        Some((
            self.meshes.get(pair.mesh_a as usize)?.borrow(),
            self.meshes.get(pair.mesh_b as usize)?.borrow(),
        ))
    }
}

impl<M: Borrow<MeshShape>, F: FnMut(&Undecided<Obb>) -> f64> AnytimePairs<Obb> for View<'_, M, F> {
    #[inline]
    fn trees(&self, pair: u32) -> (&Bvh<Obb>, &Bvh<Obb>) {
        let scaled = self.known.get(pair as usize).map_or(u32::MAX, |known| known.scaled);
        if let Some((a, b)) = self.scaled.get(scaled as usize) {
            return (a, b);
        }
        self.shapes(pair).map_or((&NOTHING, &NOTHING), |(a, b)| (a.surface(), b.surface()))
    }

    fn begin(&mut self, pair: u32) -> WidePose {
        let (Some((a, b)), Some(posed)) = (self.shapes(pair), self.pairs.get(pair as usize)) else {
            return WidePose::IDENTITY;
        };
        let b_in_a = relative(&posed.pose_a, &posed.pose_b);
        let scale = scale_of_pair(a, b, &b_in_a);
        // A pose that is not finite needs no trees.
        let is_nowhere = !b_in_a.translation.is_finite();
        let is_own = is_nowhere || (scale == a.scale() && scale == b.scale());
        let own = (!is_own).then(|| (a.surface_at(scale).into_owned(), b.surface_at(scale).into_owned()));
        let scaled = if is_own { u32::MAX } else { self.scaled.len() as u32 };
        self.scaled.extend(own);
        self.known.push(Known {
            a_in_world: posed.pose_a.wide(),
            b_in_a,
            scale,
            scaled,
            nearest: Closest::NOWHERE,
            axis: DVec3::ZERO,
        });
        WidePose { translation: b_in_a.translation * scale, ..b_in_a }
    }

    fn unit(&self, pair: u32) -> f64 {
        self.known.get(pair as usize).map_or(1.0, |known| known.scale)
    }

    fn distance(&mut self, leaves: &LeafPair) -> f64 {
        let Some((a, b)) = self.shapes(leaves.pair) else { return f64::INFINITY };
        let Some(known) = self.known.get_mut(leaves.pair as usize) else { return f64::INFINITY };
        let own = self.scaled.get(known.scaled as usize);
        let (tree_a, tree_b) = own.map_or((a.surface(), b.surface()), |(a, b)| (a, b));
        let (leaf_a, leaf_b) = (tree_a.leaf(leaves.leaf_a), tree_b.leaf(leaves.leaf_b));
        let (block_a, block_b) = (a.leaf_block(tree_a, &leaf_a), b.leaf_block(tree_b, &leaf_b));
        let b_in_a = &known.b_in_a;
        if self.settings.goal == AnytimeGoal::Distance || 0.0 < self.settings.max_distance {
            let mut bounds = BlockDistances::default();
            bounds.axis = known.axis;
            block_a.distances(&block_b, b_in_a, leaves.within, &mut bounds);
            known.axis = bounds.axis;
            let limit = leaves.within.min(bounds.at_most);
            push_near(&bounds, limit, leaf_a.primitives, leaf_b.primitives, self.near);
            let mut best = Closest::NOWHERE;
            settle(a, b, b_in_a, self.near, &mut best, limit, ());
            if best.is_before(&known.nearest) {
                known.nearest = best;
            }
            return best.distance;
        }
        let first = self.touching.len();
        let (touching, is_any) = (&mut *self.touching, self.settings.goal == AnytimeGoal::Any);
        let _ = visit_leaves(
            (a, &leaf_a),
            (b, &leaf_b),
            (&block_a, &block_b),
            b_in_a,
            (),
            |triangle_a, triangle_b| {
                touching.push((leaves.pair, triangle_a, triangle_b));
                if is_any { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            },
        );
        if first < touching.len() { 0.0 } else { f64::INFINITY }
    }

    fn priority(&mut self, undecided: &Undecided<Obb>) -> f64 {
        (self.urgency)(undecided)
    }
}
