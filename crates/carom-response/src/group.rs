//! Eight manifolds side by side, and what is done to them.
//!
//! Reference: E. Catto, Modeling and Solving Constraints, GDC 2009.

use crate::lane_vec::Lanes;
use crate::settings::SolverSettings;
use carom_geom::MAX_CONTACTS;

/// One contact of each of eight manifolds.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub(crate) struct GroupPoint {
    /// From the centres of mass, in the world, when the step began.
    pub(crate) anchor_a: [Lanes; 3],
    pub(crate) anchor_b: [Lanes; 3],
    /// Distance, as given; later less the part of it that the anchors make.
    pub(crate) distance: Lanes,
    /// One over the mass that the contact feels; 0 where there is no contact.
    pub(crate) normal_mass: Lanes,
    /// Impulse of one substep.
    pub(crate) impulse: Lanes,
    /// Sum over the substeps.
    pub(crate) total: Lanes,
    /// Distance from the place of the friction, for the torque it can take.
    pub(crate) lever: Lanes,
}

/// Eight manifolds without a common moving body.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub(crate) struct Group {
    pub(crate) body_a: [u32; 8],
    pub(crate) body_b: [u32; 8],
    /// Bit per lane: the body can move.
    pub(crate) movable_a: u8,
    pub(crate) movable_b: u8,
    /// The most contacts of a lane.
    pub(crate) n_points: u8,
    /// Number of the [`Drive`] of its surfaces, or [`NO_DRIVE`].
    pub(crate) drive: u32,
    pub(crate) inverse_mass_a: Lanes,
    pub(crate) inverse_mass_b: Lanes,
    pub(crate) inverse_inertia_a: [Lanes; 6],
    pub(crate) inverse_inertia_b: [Lanes; 6],
    pub(crate) normal: [Lanes; 3],
    pub(crate) tangent: [Lanes; 3],
    pub(crate) friction: Lanes,
    /// Overlap that is left alone.
    pub(crate) slop: Lanes,
    /// Part of the impulse that a contact loses in a substep while its overlap is undone: see
    /// [`load`](crate::load).
    pub(crate) leak: Lanes,
    /// Some lane carries so much that the group is relaxed in each substep.
    pub(crate) is_loaded: bool,
    /// Some lane overlaps by more than the slop.
    pub(crate) is_pushing: bool,
    /// Where friction acts, from the centres of mass.
    pub(crate) friction_a: [Lanes; 3],
    pub(crate) friction_b: [Lanes; 3],
    /// Inverse of the matrix of masses along the two tangents: 11, 22, 12.
    pub(crate) tangent_mass: [Lanes; 3],
    pub(crate) twist_mass: Lanes,
    pub(crate) tangent_impulse: [Lanes; 2],
    pub(crate) tangent_total: [Lanes; 2],
    pub(crate) twist_impulse: Lanes,
    pub(crate) twist_total: Lanes,
    pub(crate) points: [GroupPoint; MAX_CONTACTS],
}

/// Metres per second: [`Pass::most_kept`]. Halves of it let a pile of 768 boxes that lands on
/// itself sink twice as deep.
const MOST_KEPT: f32 = 32.0;

const NONE: Lanes = [0.0; 8];

impl Group {
    /// Eight times nothing, against the body that cannot move.
    pub(crate) fn empty(still: u32) -> Group {
        let point = GroupPoint {
            anchor_a: [NONE; 3],
            anchor_b: [NONE; 3],
            distance: NONE,
            normal_mass: NONE,
            impulse: NONE,
            total: NONE,
            lever: NONE,
        };
        Group {
            body_a: [still; 8],
            body_b: [still; 8],
            movable_a: 0,
            movable_b: 0,
            n_points: 0,
            drive: NO_DRIVE,
            inverse_mass_a: NONE,
            inverse_mass_b: NONE,
            inverse_inertia_a: [NONE; 6],
            inverse_inertia_b: [NONE; 6],
            normal: [NONE; 3],
            tangent: [NONE; 3],
            friction: NONE,
            slop: NONE,
            leak: NONE,
            is_loaded: false,
            is_pushing: false,
            friction_a: [NONE; 3],
            friction_b: [NONE; 3],
            tangent_mass: [NONE; 3],
            twist_mass: NONE,
            tangent_impulse: [NONE; 2],
            tangent_total: [NONE; 2],
            twist_impulse: NONE,
            twist_total: NONE,
            points: [point; MAX_CONTACTS],
        }
    }
}

/// No [`Drive`].
pub(crate) const NO_DRIVE: u32 = u32::MAX;

/// The surface velocities of eight manifolds side by side.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub(crate) struct Drive {
    /// Per contact, the speed at which the surfaces part.
    pub(crate) part: [Lanes; MAX_CONTACTS],
    /// Velocity along the two tangents where friction acts.
    pub(crate) slide: [Lanes; 2],
    pub(crate) spin: Lanes,
}

impl Drive {
    /// Surfaces that stand still.
    pub(crate) const NONE: Drive = Drive { part: [NONE; MAX_CONTACTS], slide: [NONE; 2], spin: NONE };
}

/// What is the same for all contacts of a substep.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pass<'a> {
    pub(crate) stage: Stage,
    /// One over the length of a substep.
    pub(crate) inverse_h: f32,
    /// Speed per length of overlap.
    pub(crate) push_out_rate: f32,
    pub(crate) push_out_speed: f32,
    pub(crate) slop: f32,
    /// Speed: a deep contact keeps from the substep before no more than gives its bodies this. One
    /// that is stuck between two others, deep in both, has no place to go to; the impulses on it
    /// would grow from step to step, until a small turn makes them a torque that throws it away. No
    /// pile presses so hard.
    pub(crate) most_kept: f32,
    /// Velocities of surfaces, by the number that a group has.
    pub(crate) drives: &'a [Drive],
    /// Time from the start of the step to where the bodies are now.
    pub(crate) elapsed: f32,
}

impl Pass<'_> {
    /// The first of a step in substeps of this length.
    pub(crate) fn new(settings: &SolverSettings, h: f32) -> Pass<'static> {
        let unit = settings.length_unit;
        let rate = 1.0 / h;
        Pass {
            stage: Stage::Prepare,
            inverse_h: rate,
            push_out_rate: settings.push_out_rate.min(0.25 * rate),
            push_out_speed: settings.push_out_speed * unit,
            slop: settings.slop * unit,
            most_kept: MOST_KEPT * unit,
            drives: &[],
            elapsed: 0.0,
        }
    }
}

/// What is done to the groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Masses from anchors, and the impulses of the last step applied.
    Prepare,
    /// With the speed that undoes overlap; the impulses are added to the totals.
    Solve,
    /// What undid overlaps is taken back: see [`take_back`](crate::take_back).
    TakeBack,
    /// Without; what changes is added to the totals.
    Relax,
    /// The same between two substeps, for loaded groups alone.
    RelaxLoaded,
}
