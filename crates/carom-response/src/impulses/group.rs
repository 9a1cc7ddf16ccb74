//! Eight manifolds in SIMD lanes, and the stages that process them.
//!
//! Reference: E. Catto, Modeling and Solving Constraints, GDC 2009.

use crate::impulses::balance::Unbalanced;
use crate::impulses::lane_vec::Lanes;
use crate::joints::passes::Marks;
use crate::settings::SolverSettings;
use carom_geom::MAX_CONTACTS;

/// One contact of each of eight manifolds.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub(crate) struct GroupPoint {
    /// The contact points on A and B relative to their centres of mass, in the world frame, at the
    /// start of the step.
    pub(crate) anchor_a: [Lanes; 3],
    pub(crate) anchor_b: [Lanes; 3],
    /// The given distance. From `Prepare` on, the part due to the anchors is subtracted.
    pub(crate) distance: Lanes,
    /// Effective mass along the normal; 0 for an empty lane.
    pub(crate) normal_mass: Lanes,
    /// The impulse of one substep.
    pub(crate) impulse: Lanes,
    /// The sum of the impulses over the substeps.
    pub(crate) total: Lanes,
    /// Lever arm of the contact about the friction centre, which limits the friction torque.
    pub(crate) lever: Lanes,
}

/// Eight manifolds that share no moving body.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub(crate) struct Group {
    pub(crate) body_a: [u32; 8],
    pub(crate) body_b: [u32; 8],
    /// One bit per lane: whether the body can move.
    pub(crate) movable_a: u8,
    pub(crate) movable_b: u8,
    /// One bit per lane: whether friction acts on each surface, and not in the middle between them.
    pub(crate) on_surfaces: u8,
    /// The largest number of contacts of a lane.
    pub(crate) n_points: u8,
    /// Index of its [`GroupDetails`], or [`NO_DETAILS`].
    pub(crate) details: u32,
    /// Index of its [`Round`], or [`NO_ROUND`].
    pub(crate) round: u32,
    pub(crate) inverse_mass_a: Lanes,
    pub(crate) inverse_mass_b: Lanes,
    pub(crate) inverse_inertia_a: [Lanes; 6],
    pub(crate) inverse_inertia_b: [Lanes; 6],
    pub(crate) normal: [Lanes; 3],
    pub(crate) tangent: [Lanes; 3],
    pub(crate) friction: Lanes,
    /// Overlap that is not corrected.
    pub(crate) slop: Lanes,
    /// Fraction of its impulse that an overlapping contact loses in a substep: see
    /// [`load`](crate::impulses::load).
    pub(crate) leak: Lanes,
    /// Whether a lane carries many times its own weight.
    pub(crate) is_loaded: bool,
    /// Whether a lane overlaps by more than the slop.
    pub(crate) is_pushing: bool,
    /// The friction centre: the point at which friction acts, relative to both centres of mass.
    pub(crate) friction_a: [Lanes; 3],
    pub(crate) friction_b: [Lanes; 3],
    /// The body that carries the other one round, so that the contact moves on it: 1 for A, -1 for
    /// B, 0 for none. See [`carrier`](crate::impulses::carrier).
    pub(crate) carrier: Lanes,
    /// Whether a lane has a carrier.
    pub(crate) is_carried: bool,
    /// The displacement of the contact on its carrier along the two tangents, from the start of
    /// the step to that of the substep, and to the middle of the substep.
    pub(crate) carried: [Lanes; 2],
    pub(crate) compared: [Lanes; 2],
    /// Inverse of the 2x2 effective mass matrix of the tangents: 11, 22, 12.
    pub(crate) tangent_mass: [Lanes; 3],
    pub(crate) twist_mass: Lanes,
    /// The least effective mass of the tangents.
    pub(crate) slide_mass: Lanes,
    pub(crate) tangent_impulse: [Lanes; 2],
    pub(crate) tangent_total: [Lanes; 2],
    pub(crate) twist_impulse: Lanes,
    /// Impulses of rolling friction about the two tangents, and of spinning friction about the
    /// normal. Read only if `GroupDetails::resists_rotation`.
    pub(crate) rotation_impulse: [Lanes; 3],
    pub(crate) twist_total: Lanes,
    pub(crate) points: [GroupPoint; MAX_CONTACTS],
}

/// Speed in metres per second, for [`Pass::max_warm_start_speed`]. With half of it, a pile of 768
/// boxes that lands on itself sinks twice as deep.
const MAX_WARM_START_SPEED: f32 = 32.0;

const NONE: Lanes = [0.0; 8];

impl Group {
    /// Returns a group of eight empty lanes.
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
            on_surfaces: 0,
            n_points: 0,
            details: NO_DETAILS,
            round: NO_ROUND,
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
            carrier: NONE,
            is_carried: false,
            carried: [NONE; 2],
            compared: [NONE; 2],
            tangent_mass: [NONE; 3],
            twist_mass: NONE,
            slide_mass: NONE,
            tangent_impulse: [NONE; 2],
            tangent_total: [NONE; 2],
            twist_impulse: NONE,
            rotation_impulse: [NONE; 3],
            twist_total: NONE,
            points: [point; MAX_CONTACTS],
        }
    }
}

impl Group {
    /// Returns a bit for each lane in which a body is marked.
    pub(crate) fn marked_lanes(&self, marks: &Marks<'_>) -> u8 {
        self.lanes_of(|slot| marks.includes(slot))
    }

    /// Returns a bit for each lane in which a body is unbalanced.
    pub(crate) fn unbalanced_lanes(&self, unbalanced: &Unbalanced<'_>) -> u8 {
        self.lanes_of(|slot| unbalanced.includes(slot))
    }

    fn lanes_of(&self, is_in: impl Fn(usize) -> bool) -> u8 {
        let both = self.body_a.iter().zip(&self.body_b).enumerate();
        let bit = |lane: usize, a: u32, b: u32| u8::from(is_in(a as usize) || is_in(b as usize)) << lane;
        both.fold(0, |lanes, (lane, (&a, &b))| lanes | bit(lane, a, b))
    }
}

/// The value of [`Group::details`] of a group without details.
pub(crate) const NO_DETAILS: u32 = u32::MAX;

/// The value of [`Group::round`] of a group without round surfaces.
pub(crate) const NO_ROUND: u32 = u32::MAX;

/// Surface velocities, springs, bounds, rolling and spinning friction of eight manifolds:
/// see [`group_details`](crate::impulses::group_details).
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub(crate) struct GroupDetails {
    /// For each contact, the speed at which the surfaces separate along the normal.
    pub(crate) part: [Lanes; MAX_CONTACTS],
    /// The surface velocities along the two tangents, where friction acts.
    pub(crate) slide: [Lanes; 2],
    pub(crate) spin: Lanes,
    /// For each contact, the largest normal impulse of a substep.
    pub(crate) max_impulse: [Lanes; MAX_CONTACTS],
    /// For springs: the impulse of a substep per length of overlap; 0 without a spring.
    pub(crate) push: Lanes,
    /// For springs: the impulse of a substep per speed.
    pub(crate) give: Lanes,
    /// The largest torque against rolling, divided by the normal force.
    pub(crate) rolling: Lanes,
    /// The largest torque about the normal against spinning, divided by the normal force.
    pub(crate) spinning: Lanes,
    /// Whether a lane has rolling or spinning friction.
    pub(crate) resists_rotation: bool,
}

impl GroupDetails {
    /// No details: rigid contacts without bounds, of surfaces that do not move.
    pub(crate) const NONE: GroupDetails = GroupDetails {
        part: [NONE; MAX_CONTACTS],
        slide: [NONE; 2],
        spin: NONE,
        max_impulse: [[f32::INFINITY; 8]; MAX_CONTACTS],
        push: NONE,
        give: NONE,
        rolling: NONE,
        spinning: NONE,
        resists_rotation: false,
    };
}

/// The round surfaces of eight manifolds, of A and of B: see
/// [`round`](crate::contacts::round).
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub(crate) struct Round {
    pub(crate) axis: [[Lanes; 3]; 2],
    /// The direction across the axis in which the normal points most.
    pub(crate) inwards: [[Lanes; 3]; 2],
    /// For each contact, the distance from the axis.
    pub(crate) radius: [[Lanes; MAX_CONTACTS]; 2],
}

impl Round {
    /// No round surfaces.
    pub(crate) const NONE: Round =
        Round { axis: [[NONE; 3]; 2], inwards: [[NONE; 3]; 2], radius: [[NONE; MAX_CONTACTS]; 2] };
}

/// Parameters shared by all contacts of a pass.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pass<'a> {
    pub(crate) stage: Stage,
    /// One over the length of a substep.
    pub(crate) inverse_h: f32,
    /// Push-out speed per length of overlap.
    pub(crate) push_out_rate: f32,
    pub(crate) push_out_speed: f32,
    pub(crate) slop: f32,
    /// The warm start of a deep contact is at most the impulse that gives its bodies this speed.
    /// Without a limit, the impulses of a body jammed between two others grow from step to step.
    /// After a small rotation they would throw the body away. No pile needs so large an impulse.
    pub(crate) max_warm_start_speed: f32,
    /// Indexed by [`Group::details`].
    pub(crate) details: &'a [GroupDetails],
    /// Indexed by [`Group::round`].
    pub(crate) rounds: &'a [Round],
    /// The time from the start of the step to the present poses.
    pub(crate) elapsed: f32,
    /// The bodies whose contacts are solved in [`Stage::Repeat`].
    pub(crate) marks: Marks<'a>,
    /// The bodies whose contacts are reduced in [`Stage::Reduce`].
    pub(crate) unbalanced: Unbalanced<'a>,
}

impl Pass<'_> {
    /// Returns the first pass of a step with substeps of length `h`.
    pub(crate) fn new(settings: &SolverSettings, h: f32) -> Pass<'static> {
        let unit = settings.length_unit;
        let rate = 1.0 / h;
        Pass {
            stage: Stage::Prepare,
            inverse_h: rate,
            push_out_rate: settings.push_out_rate.min(0.25 * rate),
            push_out_speed: settings.push_out_speed * unit,
            slop: settings.slop_length(),
            max_warm_start_speed: MAX_WARM_START_SPEED * unit,
            details: &[],
            rounds: &[],
            elapsed: 0.0,
            marks: Marks::NONE,
            unbalanced: Unbalanced::NONE,
        }
    }
}

/// A stage of the solver over all groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Computes effective masses from anchors, and applies the cached impulses.
    Prepare,
    /// Solves with push-out. The impulses are added to the totals.
    Solve,
    /// Removes the speed that push-out left: see [`take_back`](crate::impulses::take_back).
    TakeBack,
    /// Solves without push-out. Only the change of the impulses is added to the totals.
    Relax,
    /// Relaxes between two substeps. Deep contacts keep their impulse: see
    /// [`solve`](crate::impulses::solve).
    RelaxBetween,
    /// Reduces the cached impulses of unbalanced bodies: see
    /// [`balance`](crate::impulses::balance).
    Reduce,
    /// Repeats `RelaxBetween` for contacts of marked bodies, without rolling and
    /// spinning friction: see
    /// [`passes`](crate::joints::passes).
    Repeat,
}

/// The stages, as constants: each is compiled on its own.
pub(crate) const PREPARE: u8 = 0;
pub(crate) const SOLVE: u8 = 1;
pub(crate) const TAKE_BACK: u8 = 2;
pub(crate) const RELAX: u8 = 3;
pub(crate) const RELAX_BETWEEN: u8 = 4;
pub(crate) const REPEAT: u8 = 5;
pub(crate) const REDUCE: u8 = 6;
