//! The bodies of a world: one table for each property, all indexed by the number of the body.
//!
//! - `body`, `collider`, `material`: descriptions by the user. `checks`: checks of their numbers.
//! - `traits`: the properties of a body other than motion and shape.
//! - `composites`: the colliders of bodies that have several, or one that is not at the body's
//!   frame.
//! - `solids`: which shapes of two bodies may push each other.
//! - `weight`: where the mass of a body comes from.
//! - `active_bodies`: which bodies are awake, which move in this step, and which sleep together.
//! - `active_hooks`: which hooks are called for a body.
//! - `steering`: forces and targets for the next step. `force_fields`: forces by region.
//!   `step_forces`: all that act on a body in a step.
//! - `deforming`: meshes that change their shape.
//! - `exact_positions`: the origin of the frame, and the remainders of `f64` positions. `shift`:
//!   the translation of all points when the origin moves.
//! - `girth`: thickness, and whether a body is swift.
//! - `size`: the radius that the recycling of contacts needs.
//! - `body_bounds`: the boxes of bodies.
//! - `saved_shapes`, `stored_shapes`: the shapes of snapshots, in memory and in files.
//! - `id`: handles.

pub(crate) mod active_bodies;
pub(crate) mod active_hooks;
pub(crate) mod body;
pub(crate) mod body_bounds;
pub(crate) mod checks;
pub(crate) mod collider;
pub(crate) mod composites;
pub(crate) mod deforming;
pub(crate) mod exact_positions;
pub(crate) mod force_fields;
pub(crate) mod girth;
pub(crate) mod id;
pub(crate) mod material;
pub(crate) mod part_materials;
pub(crate) mod roundness;
pub(crate) mod saved_shapes;
pub(crate) mod shift;
pub(crate) mod size;
pub(crate) mod solids;
pub(crate) mod steering;
pub(crate) mod step_forces;
#[cfg(feature = "serde")]
pub(crate) mod stored_shapes;
pub(crate) mod traits;
pub(crate) mod weight;

use crate::bodies::active_bodies::ActiveBodies;
use crate::bodies::body_bounds::BodyBounds;
use crate::bodies::composites::{Composite, Composites};
use crate::bodies::deforming::Deforming;
use crate::bodies::exact_positions::ExactPositions;
use crate::bodies::force_fields::ForceFields;
use crate::bodies::girth::Girth;
use crate::bodies::id::{BodyId, ColliderSlot};
use crate::bodies::part_materials::PartMaterials;
use crate::bodies::roundness::Roundness;
use crate::bodies::shift::Shift;
use crate::bodies::size::Size;
use crate::bodies::solids::{ColliderPair, Solids};
use crate::bodies::steering::Steering;
use crate::bodies::traits::Traits;
use crate::bodies::weight::Weight;
#[cfg(feature = "parallel")]
use crate::par::{CHUNK_LENGTH, is_serial};
use crate::{MassFault, WorldError, WorldSettings};
use alloc::vec::Vec;
use carom_broad::{Filter, Groups, Mobility, ProxyId};
use carom_geom::MassProperties;
use carom_math::glam::DVec3;
use carom_math::{Pose, Vec3};
use carom_query::Shape;
use carom_response::{Body, BodyKind};
#[cfg(feature = "parallel")]
use rayon::prelude::*;

/// All bodies, by number.
#[derive(Default)]
pub(crate) struct BodySet {
    /// Odd if a living body has the number; each insertion and each removal adds one.
    pub(crate) generations: Vec<u32>,
    /// Free numbers. The last one is reused first.
    pub(crate) free: Vec<u32>,
    /// The number of bodies.
    pub(crate) n_live: usize,
    /// The shape of each body. For several colliders it is a compound of all of them, sensors
    /// last.
    pub(crate) shapes: Vec<Option<Shape>>,
    /// The colliders of bodies that have several, or one that is not at the body's frame.
    pub(crate) composites: Composites,
    /// User data of the colliders of other bodies, by body, if it is not 0.
    pub(crate) collider_data: Vec<(u32, u64)>,
    pub(crate) part_materials: PartMaterials,
    pub(crate) sizes: Vec<Size>,
    pub(crate) roundness: Vec<Roundness>,
    pub(crate) girths: Vec<Girth>,
    pub(crate) traits: Vec<Traits>,
    /// The source of the mass of each body.
    pub(crate) weights: Vec<Weight>,
    /// Forces and targets for the next step only.
    pub(crate) steering: Steering,
    pub(crate) force_fields: ForceFields,
    /// Mass, pose and motion of each body, as the solver uses them.
    pub(crate) motions: Vec<Body>,
    pub(crate) exact_positions: ExactPositions,
    pub(crate) proxies: Vec<Option<ProxyId>>,
    /// Whether the pose, shape or filter of the body changed since the last detection.
    pub(crate) is_stale: Vec<bool>,
    /// Whether the body was moving at the last detection. Then its pairs are active once more, so
    /// that their manifolds are moved to `ContactSet::sleeping`.
    pub(crate) moved: Vec<bool>,
    /// The pose of the body at the last detection. `None` if its pose was set since then, or it is
    /// new.
    pub(crate) detected_poses: Vec<Option<Pose>>,
    /// The number of bodies whose shape is a surface.
    pub(crate) n_surfaces: usize,
    /// The number of bodies with a sensor.
    pub(crate) n_sensors: usize,
    /// The number of bodies with hooks.
    pub(crate) n_hooked: usize,
    /// The number of bodies with rolling or spinning friction.
    pub(crate) n_resisting_rotation: usize,
    /// The number of bodies that are round.
    pub(crate) n_round: usize,
    /// The number of bodies with an impulse threshold.
    pub(crate) n_recording: usize,
    pub(crate) deforming: Deforming,
    pub(crate) active: ActiveBodies,
}

impl BodySet {
    /// Returns the input for boxes, for steps of length `dt`.
    pub(crate) fn bounds(&self, settings: &WorldSettings, dt: f32) -> BodyBounds<'_> {
        BodyBounds {
            bodies: &self.motions,
            traits: &self.traits,
            girths: &self.girths,
            prediction: settings.prediction * settings.solver.length_unit,
            dt,
        }
    }

    /// Returns the handle of the body with a number. If there is none, returns that of the last
    /// body that had it.
    pub(crate) fn id_at(&self, index: u32) -> BodyId {
        BodyId { index, generation: self.generations[index as usize] }
    }

    /// Returns the body with a number, its shape and its pose. `None` if there is no such body, or
    /// it has no collider.
    pub(crate) fn solid_at(&self, index: u32) -> Option<(BodyId, &Shape, &Pose)> {
        let shape = self.shapes.get(index as usize)?.as_ref()?;
        if self.composite(index as usize).is_some_and(|composite| composite.colliders().next().is_none()) {
            return None;
        }
        Some((self.id_at(index), shape, &self.motions[index as usize].pose))
    }

    /// Returns the colliders of all bodies. `apart` are the pairs that hooks rejected or disabled.
    pub(crate) fn solids<'a>(&'a self, apart: [&'a [ColliderPair]; 2]) -> Solids<'a> {
        Solids {
            shapes: &self.shapes,
            traits: &self.traits,
            composites: &self.composites,
            part_materials: &self.part_materials,
            apart,
        }
    }

    /// Returns the colliders of a body that has several, or one that is not at the body's frame.
    pub(crate) fn composite(&self, index: usize) -> Option<&Composite> {
        self.solids([&[], &[]]).composite(index)
    }

    /// Returns all solid colliders of a body as one shape; `None` if it has none.
    pub(crate) fn solid_shape(&self, index: usize) -> Option<&Shape> {
        self.solids([&[], &[]]).whole(index)
    }

    /// Returns the user data of a collider.
    pub(crate) fn data_of(&self, index: usize, slot: ColliderSlot) -> u64 {
        match self.composite(index) {
            Some(composite) => composite.at(slot.index).map_or(0, |collider| collider.traits.user_data),
            None => {
                let found = self.collider_data.binary_search_by_key(&(index as u32), |&(body, _)| body);
                found.map_or(0, |place| self.collider_data[place].1)
            }
        }
    }

    /// Returns mass, centre and inertia of a body from `weight` and its colliders.
    ///
    /// Errors: [`WorldError::NoMass`] if a dynamic body cannot have them.
    pub(crate) fn mass_of(&self, index: usize, weight: &Weight) -> Result<MassProperties, WorldError> {
        match (self.composite(index), weight) {
            (Some(composite), Weight::Colliders) => composite.mass(),
            _ => {
                let none = Err(WorldError::NoMass(MassFault::NoCollider));
                self.shapes[index].as_ref().map_or(none, |shape| weight.of(shape))
            }
        }
    }

    /// Returns mass, centre and inertia from the colliders of a body, up to a common factor.
    /// Densities count, unless all are 0.
    ///
    /// Errors: [`WorldError::NoMass`] if a dynamic body cannot have them.
    pub(crate) fn proportions(&self, index: usize) -> Result<MassProperties, WorldError> {
        let density = self.weights[index].density();
        match self.composite(index) {
            Some(composite) => composite.proportions(),
            None => self.mass_of(index, &Weight::Density(if 0.0 < density { density } else { 1.0 })),
        }
    }

    /// Before the shape of a body changes and its mass does not: makes the mass of a dynamic body
    /// independent of its shape.
    pub(crate) fn keep_mass(&mut self, index: usize) {
        let weight = self.weights[index];
        let follows_shape = matches!(weight, Weight::Density(_) | Weight::Colliders);
        if follows_shape
            && self.motions[index].kind == BodyKind::Dynamic
            && let Ok(mass) = self.mass_of(index, &weight)
        {
            self.weights[index] = Weight::Kept(mass, weight.density());
        }
    }

    /// Replaces the properties of a body, and updates the counts. Returns the old ones.
    pub(crate) fn replace_traits(&mut self, index: usize, traits: Traits) -> Traits {
        let old = core::mem::replace(&mut self.traits[index], traits);
        let count = |n: &mut usize, is_counted: fn(&Traits) -> bool| {
            *n = *n + usize::from(is_counted(&traits)) - usize::from(is_counted(&old));
        };
        count(&mut self.n_sensors, |traits| traits.has_sensor);
        count(&mut self.n_hooked, Traits::has_hooks);
        count(&mut self.n_resisting_rotation, Traits::resists_rotation);
        count(&mut self.n_recording, Traits::records_impulses);
        old
    }

    /// Returns the position of a body in `f64`, in the frame of the world.
    pub(crate) fn exact_position(&self, index: usize) -> DVec3 {
        let position = self.motions[index].pose.translation;
        position.as_dvec3() + self.exact_positions.remainder(index, position)
    }

    /// Shifts all bodies, after the origin of the frame was moved.
    pub(crate) fn shift(&mut self, shift: Shift) {
        for index in 0..self.motions.len() {
            let position = self.exact_position(index) + shift.0;
            let (old, new) = (self.motions[index].pose.translation, position.as_vec3());
            self.motions[index].pose.translation = new;
            self.exact_positions.set(index, new, position);
            if let Some(Some(seen)) = self.detected_poses.get_mut(index) {
                // A body that has not moved since the last detection has not moved after the shift
                // either.
                if seen.translation == old {
                    seen.translation = new;
                } else {
                    shift.apply(&mut seen.translation);
                }
            }
        }
        self.steering.shift(shift);
        self.force_fields.shift(shift);
    }

    /// Returns the motion at a number; `None` beyond the last one.
    pub(crate) fn motion_at(&self, index: u32) -> Option<&Body> {
        self.motions.get(index as usize)
    }

    /// Returns the number of the body of a handle.
    ///
    /// Errors: the body of the handle was removed.
    pub(crate) fn index_of(&self, id: BodyId) -> Result<usize, WorldError> {
        let index = id.index as usize;
        let is_live = id.generation % 2 == 1 && self.generations.get(index) == Some(&id.generation);
        if is_live { Ok(index) } else { Err(WorldError::StaleBody(id)) }
    }

    /// Sets the shape of a body, and updates the data that recycling and the guard derive from it.
    pub(crate) fn put_shape(&mut self, index: usize, shape: Option<Shape>) {
        let had_surface = self.shapes[index].is_some() && self.girths[index].is_surface;
        let is_fast = self.traits[index].is_fast;
        let composite = self.composite(index);
        // Sensors push nothing, so they are used only if there is no solid collider.
        let solid = composite.and_then(Composite::solid).or(shape.as_ref());
        let is_rigid = !self.deforming.has(index as u32);
        let size = solid.filter(|_| is_rigid).map_or(Size::Other, |shape| Size::of(shape, is_fast));
        // A mesh that moves may meet other meshes. Its second tree is built now, not in the step
        // in which it meets one.
        if self.motions[index].kind != BodyKind::Fixed {
            solid.into_iter().for_each(Shape::prepare_mesh_pairs);
        }
        let center = self.motions[index].center_of_mass;
        let girth = shape.as_ref().map_or(Girth::NONE, |shape| girth_of(composite, shape, center));
        let roundness = solid.map_or(Roundness::Sharp, Roundness::of);
        let old = core::mem::replace(&mut self.roundness[index], roundness);
        self.n_round += usize::from(roundness != Roundness::Sharp);
        self.n_round -= usize::from(old != Roundness::Sharp);
        (self.sizes[index], self.girths[index]) = (size, girth);
        self.n_surfaces += usize::from(self.girths[index].is_surface);
        self.n_surfaces -= usize::from(had_surface);
        self.shapes[index] = shape;
    }

    /// Updates the data that recycling and the guard derive from a body, after its mass or a flag
    /// changed.
    pub(crate) fn renew_shape(&mut self, index: usize) {
        let shape = self.shapes[index].clone();
        self.put_shape(index, shape);
    }

    /// Whether a budget suspends the body in this step. A suspended body keeps its velocity, and
    /// acts on others as a fixed body.
    pub(crate) fn is_suspended(&self, index: usize) -> bool {
        let body = &self.motions[index];
        let is_awake = body.kind == BodyKind::Dynamic && !body.is_sleeping;
        is_awake && self.active.is_suspended(index as u32)
    }

    /// Whether the user has not disabled the body.
    #[inline]
    pub(crate) fn is_enabled(&self, index: usize) -> bool {
        !self.active.is_disabled(index as u32)
    }

    /// Whether steps leave the body at its pose although it does not sleep: it is suspended, or
    /// disabled.
    #[cfg(feature = "soft")]
    pub(crate) fn stands(&self, index: usize) -> bool {
        self.is_suspended(index) || !self.is_enabled(index)
    }

    /// Returns the filter of the body in the broad phase. A disabled body meets nothing. It counts
    /// as fixed there, so that the search finds no pairs of disabled bodies at one place.
    pub(crate) fn proxy_filter(&self, index: usize) -> Filter {
        match self.is_enabled(index) {
            true => self.traits[index].filter,
            false => Filter::new(Mobility::Fixed).with_groups(Groups::empty(), Groups::empty()),
        }
    }

    /// Stops a kinematic body that reached its target in the last step.
    pub(crate) fn stop_at_target(&mut self, body: u32) {
        if self.steering.has_arrived(body) {
            let body = &mut self.motions[body as usize];
            (body.linear_velocity, body.angular_velocity) = (Vec3::ZERO, Vec3::ZERO);
        }
    }

    /// Returns the numbers of the suspended bodies, ascending.
    pub(crate) fn suspended(&self) -> impl Iterator<Item = u32> + '_ {
        let suspended = (0..self.motions.len()).filter(|&index| self.is_suspended(index));
        suspended.map(|index| index as u32)
    }

    /// Wakes a body and the bodies with which it fell asleep.
    pub(crate) fn wake(&mut self, index: usize) {
        self.active.wake(&mut self.motions, index);
    }

    /// At the end of a detection: stores the present poses of the bodies that moved, and which
    /// bodies are active.
    pub(crate) fn note_detection(&mut self) {
        let n_seen = self.detected_poses.len();
        self.detected_poses.extend(self.motions[n_seen..].iter().map(|body| Some(body.pose)));
        let BodySet { is_stale, motions, detected_poses, .. } = self;
        #[cfg(feature = "parallel")]
        note_detected_poses_in_chunks(is_stale, motions, detected_poses);
        #[cfg(not(feature = "parallel"))]
        note_detected_poses(is_stale, motions, detected_poses);
        let BodySet { moved, active, motions, .. } = self;
        moved.clear();
        moved.extend((0..motions.len() as u32).map(|body| active.moves(body)));
    }

    /// Returns the pose of the body at the last detection. In a step this is its pose at the
    /// start.
    pub(crate) fn start_of(&self, index: usize) -> Option<Pose> {
        self.detected_poses.get(index).copied().flatten()
    }

    /// Whether any body moves in this step.
    pub(crate) fn are_moving(&self) -> bool {
        let is_moving = |&body: &u32| {
            let body = &self.motions[body as usize];
            match body.kind {
                BodyKind::Fixed => false,
                BodyKind::Kinematic => body.is_moving_kinematic(),
                BodyKind::Dynamic => !body.is_sleeping,
            }
        };
        self.active.moving().iter().any(is_moving)
    }
}

/// Returns the girth of a body with these colliders, whose common shape is `shape`. Its radius and
/// its lever include sensors, because its box does; its thickness does not.
pub(crate) fn girth_of(composite: Option<&Composite>, shape: &Shape, center_of_mass: Vec3) -> Girth {
    let mut girth = Girth::of(composite.and_then(Composite::solid).unwrap_or(shape), center_of_mass);
    if composite.is_some() {
        let whole = Girth::of(shape, center_of_mass);
        (girth.radius, girth.turn_lever) = (whole.radius, whole.turn_lever);
    }
    girth
}

/// Writes the poses of stale bodies to `detected_poses`, and clears their flags. Usually none or
/// nearly all are stale, so flags are tested in blocks.
pub(crate) fn note_detected_poses(is_stale: &mut [bool], bodies: &[Body], seen: &mut [Option<Pose>]) {
    for ((is_stale, bodies), seen) in is_stale.chunks_mut(64).zip(bodies.chunks(64)).zip(seen.chunks_mut(64))
    {
        if is_stale.contains(&true) {
            for ((is_stale, body), seen) in is_stale.iter_mut().zip(bodies).zip(seen) {
                if core::mem::take(is_stale) {
                    *seen = Some(body.pose);
                }
            }
        }
    }
}

/// Writes poses like [`note_detected_poses`], on several threads.
#[cfg(feature = "parallel")]
pub(crate) fn note_detected_poses_in_chunks(
    is_stale: &mut [bool],
    bodies: &[Body],
    seen: &mut [Option<Pose>],
) {
    if is_serial(bodies.len()) {
        return note_detected_poses(is_stale, bodies, seen);
    }
    let rows = is_stale.par_chunks_mut(CHUNK_LENGTH).zip(bodies.par_chunks(CHUNK_LENGTH));
    rows.zip(seen.par_chunks_mut(CHUNK_LENGTH))
        .for_each(|((is_stale, bodies), seen)| note_detected_poses(is_stale, bodies, seen));
}
