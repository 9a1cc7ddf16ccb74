//! The memory that hooks keep by pair, and their changes in this step.
//!
//! Reference: rapier 0.36, `ContactModificationContext` (user data for each pair).

use crate::bodies::id::BodyId;
use crate::bodies::solids::ColliderPair;
use crate::contacts::hook_input::{ContactPointMut, MixedMaterial, PairSide};
use crate::contacts::rules::check_list;
use alloc::vec::Vec;
use carom_geom::{Contact, MAX_CONTACTS, Manifold};
use carom_math::Vec3;
use carom_response::{Body, BodyKind, ContactSettings, Inconsistency, Spring};
use core::f32::consts::TAU;

/// The memory that hooks keep by pair, and their changes in this step.
#[derive(Debug, Default)]
pub(crate) struct Hooked {
    /// The memory of hooks by pair of colliders, sorted.
    pub(crate) memory: Vec<(ColliderPair, u32)>,
    /// Pairs of colliders that the filter rejected, of bodies with several colliders; sorted.
    pub(crate) apart: Vec<ColliderPair>,
    /// Pairs of colliders that are disabled in this step.
    pub(crate) disabled: Vec<ColliderPair>,
    /// Bodies of touching pairs that the filter rejected in this detection.
    pub(crate) parted: Vec<BodyId>,
    /// The manifolds that were changed in this step, in the order of the solver.
    pub(crate) changes: Vec<Change>,
    // Workspace.
    pub(crate) indices: Vec<u32>,
    pub(crate) verdicts: Vec<Verdict>,
    pub(crate) answers: Vec<Answers>,
}

impl Hooked {
    /// Drops the entries of a removed body.
    pub(crate) fn forget(&mut self, body: u32) {
        self.memory.retain(|(pair, _)| !pair.bodies.contains(&body));
        self.apart.retain(|pair| !pair.bodies.contains(&body));
    }
}

/// Whether the filter accepts a pair of bodies, and which pairs of their colliders it rejects.
pub(crate) type Verdict = (bool, Vec<ColliderPair>);

/// The results of hooks for a chunk of the pairs.
#[derive(Debug, Default)]
pub(crate) struct Answers {
    pub(crate) pairs: Vec<PairAnswer>,
    pub(crate) changes: Vec<Change>,
}

/// The results of hooks for a pair.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PairAnswer {
    /// The place of its pair state.
    pub(crate) index: u32,
    pub(crate) key: ColliderPair,
    /// The tag to keep; 0 for none.
    pub(crate) tag: u32,
    pub(crate) is_disabled: bool,
}

/// The surface velocity of a side relative to its body, in the world frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Surface {
    pub(crate) of: PairSide,
    pub(crate) velocity: Vec3,
    pub(crate) spin: Vec3,
}

/// The changes of a hook to a manifold.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Change {
    /// The place of the pair state, and the index of the manifold in the pair.
    pub(crate) index: u32,
    pub(crate) number: u32,
    pub(crate) is_enabled: bool,
    pub(crate) material: MixedMaterial,
    /// Whether rolling and spinning friction are not those by the rules.
    pub(crate) has_other_rotation: bool,
    pub(crate) surface: Option<Surface>,
    pub(crate) spring: Option<Spring>,
    pub(crate) mass_scales: [f32; 2],
    pub(crate) points: [ContactPointMut; MAX_CONTACTS],
    pub(crate) n_points: usize,
    /// The number of points of the whole pair that are solved.
    pub(crate) n_points_of_pair: usize,
}

impl Change {
    /// Returns an empty change, for a manifold with this material.
    pub(crate) fn none(index: u32, number: u32, material: MixedMaterial, manifold: &Manifold) -> Change {
        let absent = ContactPointMut::new(&Contact::new(Vec3::ZERO, Vec3::ZERO, Vec3::ZERO, 0.0));
        let mut points = [absent; MAX_CONTACTS];
        let contacts = manifold.contacts();
        points.iter_mut().zip(contacts).for_each(|(point, contact)| *point = ContactPointMut::new(contact));
        Change {
            index,
            number,
            is_enabled: true,
            material,
            has_other_rotation: false,
            surface: None,
            spring: None,
            mass_scales: [1.0; 2],
            points,
            n_points: contacts.len(),
            n_points_of_pair: contacts.len(),
        }
    }

    /// Returns the points that are solved, each with its number in the manifold.
    pub(crate) fn solved_points(&self) -> impl Iterator<Item = (usize, &ContactPointMut)> {
        let n = if self.is_enabled { self.n_points } else { 0 };
        self.points[..n].iter().enumerate().filter(|(_, point)| !point.is_removed)
    }

    /// Whether points were removed or their distances changed.
    pub(crate) fn has_other_points(&self) -> bool {
        let is_other = |(_, point): (usize, &ContactPointMut)| point.distance != point.contact().distance;
        self.solved_points().count() < self.n_points || self.solved_points().any(is_other)
    }

    /// Whether anything was changed, for a manifold with the material `mixed`.
    pub(crate) fn is_change(&self, mixed: MixedMaterial) -> bool {
        self.material != mixed
            || self.surface.is_some()
            || self.has_other_points()
            || self.settings(0, [1.0; 2]).is_some()
    }

    /// Returns the manifold with the points that are solved.
    pub(crate) fn manifold(&self, found: &Manifold) -> Manifold {
        let mut manifold = Manifold::new(found.normal());
        for (_, point) in self.solved_points() {
            let mut contact = *point.contact();
            contact.distance = point.distance;
            manifold.push(contact);
        }
        manifold
    }

    /// Returns the contact settings for the contact of this index, if they differ from the default.
    pub(crate) fn settings(&self, contact: u32, inverse_masses: [f32; 2]) -> Option<ContactSettings> {
        let mut settings = ContactSettings::new(contact);
        let bounds = settings.max_impulse.iter_mut().zip(self.solved_points());
        bounds.for_each(|(bound, (_, point))| *bound = point.max_normal_impulse);
        settings.mass_scales = self.mass_scales;
        if let Some(spring) = self.spring {
            let n_points = self.n_points_of_pair.max(1) as f32;
            // A stiffness beyond the finite range is clamped; such a spring is as good as rigid.
            let within = |x: f32| if x <= f32::MAX { x } else { f32::MAX };
            let (stiffness, damping) = match spring {
                Spring::Frequency { frequency, damping_ratio } => {
                    let inverse_mass: f32 = inverse_masses
                        .iter()
                        .zip(self.mass_scales)
                        .map(|(inverse, scale)| inverse / scale)
                        .sum();
                    let omega = TAU * frequency;
                    let per_point = 1.0 / (inverse_mass * n_points);
                    (omega * omega * per_point, 2.0 * damping_ratio * omega * per_point)
                }
                Spring::Stiffness { stiffness, damping } => (stiffness / n_points, damping / n_points),
            };
            (settings.stiffness, settings.damping) = (within(stiffness), within(damping));
        }
        (settings != ContactSettings::new(contact)).then_some(settings)
    }
}

/// Returns the inverse mass of a body in contacts; 0 if it is not dynamic.
pub(crate) fn inverse_mass_of(body: &Body) -> f32 {
    if body.kind == BodyKind::Dynamic { body.inverse_mass } else { 0.0 }
}

/// Checks that the memory and the rejected pairs are sorted, and belong to pairs of living bodies.
pub(crate) fn check_memory(
    memory: &[(ColliderPair, u32)],
    apart: &[ColliderPair],
    is_live: &[bool],
) -> Result<(), Inconsistency> {
    let is_live = |body: u32| is_live.get(body as usize) == Some(&true);
    let is_pair = |[a, b]: [u32; 2]| a < b && is_live(a) && is_live(b);
    check_list(memory, |k: usize| is_pair(memory[k].0.bodies), "the memory of a hook")?;
    let apart: Vec<(ColliderPair, ())> = apart.iter().map(|&pair| (pair, ())).collect();
    check_list(&apart, |k: usize| is_pair(apart[k].0.bodies), "a pair that a hook rejected")
}
