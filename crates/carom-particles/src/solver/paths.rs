//! The paths of fast particles among fields and bodies. None passes a surface.
//!
//! - Each obstacle bends the paths that would get too deep into it, one obstacle after the other.
//! - A bend can lead into an obstacle that was traced before. So bent paths are traced again.
//! - A surface opposes another one near it if their normals point against each other. A path that
//!   bends at one does not slide along the other into it, and none leads between two that are too
//!   near.
//! - In the last round a path ends where it would get too deep. The part of a path that is left is
//!   free of all other obstacles, too. So there is no need to trace it again.

use crate::solver::body_state::BodyState;
use crate::solver::boundary::{Candidate, Candidates, MARGIN, Motion, candidate};
use crate::solver::clusters::{self, Clusters};
use crate::solver::store::Store;
use crate::solver::surroundings::{DistanceFn, MeetsFn};
use crate::solver::trace::{Bend, DEPTH_BETWEEN, Tracer};
use alloc::vec::Vec;
use carom_math::{Pose, tol};
use core::iter;
use core::ops::Range;
use glam::Vec3;

/// The number of times that an obstacle traces a path which others bend.
const N_ROUNDS: u32 = 3;

/// The slots of particles whose path a surface bends, and the bends in the world.
pub(crate) type Bends = Vec<(usize, Bend)>;

/// The part of a substep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Particles have moved by their velocities. Candidates are found.
    Begin,
    /// Corrections may have moved particles far, and through thin fields and bodies. Their paths
    /// end half as deep, so that none gets through a thin wall by a short path in the next
    /// substep. Short paths of what touches are traced, too.
    End,
}

/// A field or a body as particles meet it.
#[derive(Clone, Copy)]
pub(crate) struct Boundary<'a> {
    pub(crate) distance: DistanceFn<'a>,
    /// `None` if all particles meet it.
    pub(crate) met_by: Option<MeetsFn<'a>>,
    /// Whether any particle meets it.
    pub(crate) is_met: bool,
}

/// A field or a body, and all that is around it.
pub(crate) struct Obstacle<'a, 'b> {
    pub(crate) boundary: Boundary<'b>,
    /// Returns the boundary of each obstacle, by its place among all.
    pub(crate) all: &'a dyn Fn(usize) -> Boundary<'b>,
    /// All particles and their paths.
    pub(crate) clusters: &'a Clusters,
}

impl Boundary<'_> {
    fn meets(&self, store: &Store, slot: usize) -> bool {
        self.is_met && self.met_by.is_none_or(|meets| meets(store.ids[slot]))
    }
}

/// A bend of a path, in the world.
#[derive(Clone, Copy, Debug)]
struct PathBend {
    slot: usize,
    /// The number of the visit in the stage.
    visit: u32,
    normal: Vec3,
}

/// The paths that obstacles bend in a stage; its memory is kept.
#[derive(Clone, Debug, Default)]
pub(crate) struct Paths {
    /// The bends of the last visit, by slot.
    pub(crate) bends: Bends,
    /// Those of all visits, by slot, then by visit.
    all: Vec<PathBend>,
    /// The poses of obstacles at the end of the substep.
    poses: Vec<Pose>,
    /// The runs of slots, and the obstacles near each, in this round. Ascending.
    near: Vec<(usize, usize)>,
    /// The number of visits of obstacles in this stage.
    n_visits: u32,
}

impl Paths {
    /// Begins a stage among this many fields, and these bodies.
    pub(crate) fn begin(&mut self, n_fields: usize, bodies: &[BodyState]) {
        self.all.clear();
        self.n_visits = 0;
        self.poses.clear();
        self.poses.resize(n_fields, Pose::IDENTITY);
        self.poses.extend(bodies.iter().map(|body| body.motion.end));
    }

    fn n_obstacles(&self) -> u32 {
        self.poses.len() as u32
    }

    fn round(&self) -> u32 {
        self.n_visits / self.n_obstacles()
    }

    /// Whether one more round over all obstacles is needed: the first one, and each that traces
    /// bent paths again.
    pub(crate) fn has_round(&self) -> bool {
        let is_changed = |bend: &PathBend| self.n_visits < bend.visit + self.n_obstacles();
        !self.poses.is_empty()
            && (self.round() == 0 || self.round() < N_ROUNDS && self.all.iter().any(is_changed))
    }

    /// Begins a round over all obstacles: finds those near each run of slots.
    pub(crate) fn begin_round<'a>(
        &mut self,
        all: impl Fn(usize) -> Boundary<'a>,
        bodies: &[BodyState],
        clusters: &Clusters,
    ) {
        self.near.clear();
        let (n, n_fields) = (self.poses.len(), self.poses.len() - bodies.len());
        // One alone has no other to oppose it.
        for index in (0..n).filter(|_| 1 < n) {
            let boundary = all(index);
            let motion = index.checked_sub(n_fields).map_or(Motion::STILL, |body| bodies[body].motion);
            if boundary.is_met {
                clusters.visit_near(boundary.distance, &motion, &mut |slots| {
                    self.near.push((clusters::run_of(slots.start), index));
                });
            }
        }
        self.near.sort_unstable();
    }

    /// Skips an obstacle that no particle meets.
    pub(crate) fn skip(&mut self) {
        self.bends.clear();
        self.n_visits += 1;
    }

    /// Visits an obstacle: keeps fast particles from passing its surface. They may only go along
    /// it, and a little into it. A body gets the other side of what bends their path.
    ///
    /// The first round at the begin of a substep also finds the candidates, by slot.
    pub(crate) fn visit(
        &mut self,
        store: &mut Store,
        obstacle: &Obstacle<'_, '_>,
        body: &mut BodyState,
        candidates: &mut Candidates,
        stage: Stage,
    ) {
        let (round, n, visit) = (self.round(), self.n_obstacles(), self.n_visits);
        self.skip();
        let Paths { bends, all, poses, near, .. } = self;
        let is_first = round == 0;
        let finds_candidates = is_first && stage == Stage::Begin;
        if finds_candidates {
            candidates.clear();
        }
        let depth = match stage {
            Stage::Begin => tol::PARTICLE_TRACE,
            Stage::End => 0.5 * tol::PARTICLE_TRACE,
        };
        let (motion, boundary) = (body.motion, &obstacle.boundary);
        let distance = boundary.distance;
        let mut trace = |slot: usize| {
            if !boundary.meets(store, slot) {
                return;
            }
            let radius = store.radius(slot);
            let [begin, end] = motion.path(store, slot);
            if finds_candidates {
                let length = begin.distance(end);
                let room = distance(begin).0 - radius;
                if room.is_nan() || length + MARGIN * radius < room {
                    return;
                }
                candidates.push(candidate(slot));
            }
            let opposing = |out: Vec3, normal: Vec3| {
                let (out, normal) = (motion.end.transform_point(out), motion.end.transform_vector(normal));
                let found = near_of(near, slot).iter().find_map(|&(_, index)| {
                    let other = (obstacle.all)(index);
                    if index as u32 == visit % n || !other.meets(store, slot) {
                        return None;
                    }
                    let (d, along) = (other.distance)(poses[index].inverse_transform_point(out));
                    if !(d < (1.0 - DEPTH_BETWEEN) * radius) {
                        return None;
                    }
                    // A push may lead through a thin wall, to its other side.
                    let bends = bends_in(all, slot..slot + 1).iter().rev();
                    let bent = bends.filter(|bend| bend.visit % n == index as u32).map(|bend| bend.normal);
                    let mut normals = iter::once(poses[index].transform_vector(along)).chain(bent);
                    normals.find(|other| other.dot(normal) < 0.0)
                });
                found.map(|normal| motion.end.inverse_transform_vector(normal))
            };
            let slides = round + 1 < N_ROUNDS;
            // A particle that is pressed between two surfaces may get through by short paths.
            let is_pressed = stage == Stage::End && is_touching(candidates, slot);
            let depth = depth * radius;
            let tracer = Tracer { distance, radius, depth, slides, is_pressed, opposing: &opposing };
            bends.extend(tracer.trace(begin, end).map(|Bend { end, normal }| {
                let (end, normal) = (motion.end.transform_point(end), motion.end.transform_vector(normal));
                (slot, Bend { end, normal })
            }));
        };
        obstacle.clusters.visit_near(distance, &motion, &mut |slots| {
            if is_first {
                return slots.for_each(&mut trace);
            }
            let by_slot = bends_in(all, slots).chunk_by(|a, b| a.slot == b.slot);
            let changed = by_slot.filter(|bends| bends.iter().any(|bend| visit < bend.visit + n));
            changed.for_each(|bends| trace(bends[0].slot));
        });
        if !bends.is_empty() {
            all.extend(bends.iter().map(|&(slot, Bend { normal, .. })| PathBend { slot, visit, normal }));
            all.sort_unstable_by_key(|bend| (bend.slot, bend.visit));
            body.bend(store, bends, candidates);
            poses[(visit % n) as usize] = body.motion.end;
        }
    }
}

/// Whether an obstacle with these candidates has pushed a particle in this substep.
fn is_touching(candidates: &[Candidate], slot: usize) -> bool {
    let found = candidates.binary_search_by_key(&(slot as u32), |candidate| candidate.slot);
    found.is_ok_and(|index| 0.0 < candidates[index].push)
}

/// Returns the bends of the paths of some slots.
fn bends_in(all: &[PathBend], slots: Range<usize>) -> &[PathBend] {
    let first = all.partition_point(|bend| bend.slot < slots.start);
    let n = all[first..].partition_point(|bend| bend.slot < slots.end);
    &all[first..first + n]
}

/// Returns the obstacles near a slot, each with the run of the slot.
fn near_of(near: &[(usize, usize)], slot: usize) -> &[(usize, usize)] {
    let run = clusters::run_of(slot);
    let first = near.partition_point(|&(other, _)| other < run);
    let n = near[first..].partition_point(|&(other, _)| other == run);
    &near[first..first + n]
}
