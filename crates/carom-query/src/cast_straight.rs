//! A convex shape against a mesh, without rotation. Triangles are tested in the order in which the
//! shape's moving box enters them.
//!
//! 1. The box of the shape is swept through the tree, near leaves first.
//! 2. For eight triangles of a leaf at once, a box test and a ball test give the earliest time of
//!    contact.
//! 3. Separating axes reject most of the rest: the axis of the earliest known contact, the
//!    direction from the triangle's nearest point, and the triangle's normal.
//! 4. The others are searched as convex pairs. The sweep ends at the earliest proved contact.
//!
//! Reference: G. van den Bergen, Ray Casting against General Convex Objects with Application to
//! Continuous Collision Detection, 2004; I. Wald, C. Benthin, S. Boulos, Getting Rid of Packets,
//! 2008 (near children first).

use crate::cast_against::Against;
use carom_ccd::{Earliest, Slab, Straight, Sweep, Tally, TimeOfImpact, displacement_to_triangle};
use carom_geom::sweep_lanes::BlockSweep;
use carom_geom::{SupportMap, WideMesh};
use carom_math::scaling::unit;
use core::ops::ControlFlow;
use glam::{DMat3, DVec3};

/// A multiple of the rounding of a length. If an axis separates the bodies until this close to the
/// known contact, the triangle cannot change the answer.
const KNOWN_CONTACT_ROUNDINGS: f64 = 16.0;

/// Returns when the shape first comes within the target distance of the mesh. `None` if one of them
/// rotates, or if neither moves.
pub(crate) fn convex(
    against: Against<'_, impl WideMesh, impl Tally>,
    b: &dyn SupportMap,
    sweep: &Sweep,
) -> Option<TimeOfImpact> {
    let Against { mesh: a, query, .. } = against;
    let (start, end) = (query.settings.start_time, query.settings.max_time);
    let straight = sweep.straight(b)?;
    let room = against.room(b);
    let slab = sweep.slab(start, start);
    query.count_volume();
    let [min, max] = slab.bounds(b);
    let (center, scale) = (straight.start, a.scale());
    let half = (max - center).max(center - min) + room + straight.rounding;
    let radius = b.radius() + b.margin() + room + straight.rounding;
    let lanes = BlockSweep::new(center * scale, half * scale, radius * scale, straight.velocity * scale)?;
    let to_mesh = query.motion_a.pose_at(start).rotation.transpose();
    let mut earliest = Earliest::new();
    earliest.add_clear(room);
    let mut cast = StraightCast { slab, straight, start, to_mesh, against, b, room, axis: None, earliest };
    let walk = a.tree().visit_moving_box(
        center * scale,
        half * scale,
        straight.velocity * scale,
        0.0,
        end - start,
        |leaf, until| {
            let Some(block) = a.line_block(leaf.index) else { return ControlFlow::Continue(until) };
            let swept = block.swept(&lanes, until);
            let mut rest = swept.may;
            while rest != 0 {
                // The lane that is entered first.
                let mut lane = rest.trailing_zeros() as usize & 7;
                for other in lane + 1..8 {
                    let is_earlier = swept.enters[other] < swept.enters[lane];
                    lane = if rest & 1 << other != 0 && is_earlier { other } else { lane };
                }
                rest &= !(1 << lane);
                // Contact is certain before this triangle is entered.
                if cast.earliest.until(end) < start + swept.enters[lane] {
                    break;
                }
                let number = block.number(lane);
                let corners = block.corners(lane, 1.0 / scale).unwrap_or_else(|| a.mesh().corners(number));
                cast.triangle(number, &corners, end);
            }
            let until = cast.earliest.until(end) - start;
            if until <= 0.0 && cast.earliest.until(end) < end {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(until)
        },
    );
    query.count_walk(&walk.counters);
    Some(cast.earliest.answer())
}

/// The moving shape, and the result so far.
struct StraightCast<'a, M, T> {
    /// The start of the motion.
    slab: Slab,
    straight: Straight,
    start: f64,
    /// From the frame of the motions to that of the mesh.
    to_mesh: DMat3,
    against: Against<'a, M, T>,
    b: &'a dyn SupportMap,
    room: f64,
    /// The axis of the earliest contact so far, and the coordinate of the shape's lowest point
    /// along it at the start.
    axis: Option<(DVec3, f64)>,
    earliest: Earliest,
}

impl<M: WideMesh, T: Tally> StraightCast<'_, M, T> {
    /// Tests a triangle that the shape may touch.
    fn triangle(&mut self, number: u32, corners: &[DVec3; 3], end: f64) {
        if self.against.ignored.hides_triangle(corners) {
            self.earliest.add_clear(0.0);
            return;
        }
        let known = self.earliest.begin();
        if let Some((axis, low)) = self.axis
            && self.is_apart(axis, low, corners, known, end)
        {
            return;
        }
        let [x, y, z] = *corners;
        let at = self.straight.start + self.straight.velocity * (known.min(end) - self.start);
        // For a ball the direction from the nearest point is tighter than the normal.
        let is_ball = self.b.radius() == 0.0;
        if !is_ball
            && let Some(up) = unit((y - x).cross(z - x))
            && self.is_apart_along(if up.dot(at - x) < 0.0 { -up } else { up }, corners, known, end)
        {
            return;
        }
        if let Some(axis) = unit(-displacement_to_triangle(at, corners))
            && self.is_apart_along(axis, corners, known, end)
        {
            return;
        }
        let until = self.earliest.until(end);
        let times = [self.start, until];
        let in_closed_form = if is_ball { self.ball(number, corners, times) } else { None };
        let answer = in_closed_form.unwrap_or_else(|| self.against.triangle(number, self.b, 0, times));
        if let TimeOfImpact::Hit(impact) = &answer
            && impact.t_hi < until
        {
            let axis = self.to_mesh * impact.normal;
            self.axis = Some((axis, self.slab.lowest(self.b, axis)));
        }
        self.earliest.add(answer);
    }

    /// Returns the closed-form answer for a ball, if there is one.
    fn ball(&self, number: u32, corners: &[DVec3; 3], times: [f64; 2]) -> Option<TimeOfImpact> {
        let query = &self.against.query;
        if query.settings.wants_features || !query.settings.stop_at_penetration {
            return None;
        }
        let mut answer = self.straight.ball_meets(self.b.margin(), query.target(), corners, times)?;
        query.tally.count(|counters| counters.searches += 1);
        if let TimeOfImpact::Hit(impact) = &mut answer {
            let pose = query.motion_a.pose_at(impact.t_hi);
            impact.point_a = pose.transform_point(impact.point_a);
            impact.point_b = pose.transform_point(impact.point_b);
            impact.normal = unit(pose.transform_vector(impact.normal))?;
            impact.part_a = number;
        }
        Some(answer)
    }

    /// [`StraightCast::is_apart`] for an axis along which the shape's lowest point is not known.
    fn is_apart_along(&mut self, axis: DVec3, corners: &[DVec3; 3], known: f64, end: f64) -> bool {
        self.is_apart(axis, self.slab.lowest(self.b, axis), corners, known, end)
    }

    /// Whether the axis keeps the shape farther from the triangle than the target until the known
    /// contact begins, or until the end.
    fn is_apart(&mut self, axis: DVec3, low: f64, corners: &[DVec3; 3], known: f64, end: f64) -> bool {
        self.against.query.tally.count(|counters| counters.separations += 1);
        let [x, y, z] = *corners;
        let top = axis.dot(x).max(axis.dot(y)).max(axis.dot(z));
        // The rounding of a product with a unit vector.
        let rounding = 8.0 * f64::EPSILON * (x.abs() + y.abs() + z.abs()).element_sum();
        let apart = low - top - rounding;
        let rate = axis.dot(self.straight.velocity);
        if end < known {
            // No contact is known.
            return self.room < apart.min(apart + rate * (end - self.start)) - self.straight.rounding;
        }
        let target = self.against.query.target();
        let later = apart + rate * (known - self.start) - self.straight.rounding;
        if !(target < apart) {
            return false;
        }
        if target < later {
            return true;
        }
        // Separated almost until the known contact.
        let slack = KNOWN_CONTACT_ROUNDINGS * (self.straight.rounding + rounding);
        if target < later + slack && rate < 0.0 {
            let until = known - (target - later + self.straight.rounding) / -rate;
            if self.start <= until && until < known {
                self.earliest.begin_at(until);
                return true;
            }
        }
        false
    }
}
