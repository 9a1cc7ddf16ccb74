//! Places between two steps, for drawing.
//!
//! - A frame seldom ends when a step does. Without interpolation a body jumps by a step or stands
//!   still, as it happens.
//! - After the fixed updates of a frame, the `Transform` shows a place between those before and
//!   after the last step. The weight is the part of a step that the clock is ahead of it. So what
//!   is drawn is late by one step.
//! - Before the fixed updates of the next frame the `Transform` gets its true place back, bit for
//!   bit. So the world never reads a drawn place (test:
//!   `interpolation::the_simulation_has_the_same_bits`).
//!
//! Reference: G. Fiedler, Fix Your Timestep!, 2004 (the remainder of the accumulator as a weight).

use crate::components::RigidBody;
use bevy_ecs::change_detection::DetectChangesMut;
use bevy_ecs::component::Component;
use bevy_ecs::lifecycle::Remove;
use bevy_ecs::observer::On;
use bevy_ecs::system::{Query, Res};
use bevy_time::{Fixed, Time};
use bevy_transform::components::Transform;

/// Makes the `Transform` of a body show places between steps, in all schedules but the fixed ones.
///
/// `FixedUpdate` and the other fixed schedules have the true place, so code that pushes, moves or
/// queries bodies belongs there. If a system of another schedule writes the `Transform`, the body
/// is put there. [`Interpolated::end`] is the true place of a body that was not.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq)]
pub struct Interpolated {
    start: Option<Transform>,
    end: Option<Transform>,
    shown: Option<Transform>,
}

impl Interpolated {
    /// The place before the last step; `None` before the first one.
    pub fn start(&self) -> Option<&Transform> {
        self.start.as_ref()
    }

    /// The place after the last step; `None` before the first one.
    pub fn end(&self) -> Option<&Transform> {
        self.end.as_ref()
    }
}

/// Before the fixed updates of a frame: the true places, except for those that were written since.
pub(crate) fn hide(mut bodies: Query<(&mut Interpolated, &mut Transform)>) {
    for (mut body, mut transform) in &mut bodies {
        if let (Some(shown), Some(end)) = (body.shown.take(), body.end)
            && *transform == shown
        {
            transform.set_if_neq(end);
        }
    }
}

/// Before a step. A dynamic body starts where it is, even if it was just put there. A kinematic one
/// is already where it shall go.
pub(crate) fn begin(mut bodies: Query<(&mut Interpolated, &Transform, &RigidBody)>) {
    for (mut body, transform, kind) in &mut bodies {
        body.start = match (kind, body.end) {
            (RigidBody::Kinematic, Some(end)) => Some(end),
            _ => Some(*transform),
        };
    }
}

/// After a step.
pub(crate) fn end(mut bodies: Query<(&mut Interpolated, &Transform)>) {
    for (mut body, transform) in &mut bodies {
        body.end = Some(*transform);
    }
}

/// After the fixed updates of a frame: shows the places of now, except for bodies that were put
/// somewhere and have made no step since.
pub(crate) fn show(time: Res<Time<Fixed>>, mut bodies: Query<(&mut Interpolated, &mut Transform)>) {
    let part = time.overstep_fraction();
    for (mut body, mut transform) in &mut bodies {
        if let (Some(start), Some(end)) = (body.start, body.end)
            && *transform == end
        {
            let between = || Transform {
                translation: start.translation.lerp(end.translation, part),
                rotation: start.rotation.lerp(end.rotation, part),
                scale: start.scale.lerp(end.scale, part),
            };
            // Rounding would move what is at rest.
            let between = if start == end { end } else { between() };
            transform.set_if_neq(between);
            body.shown = Some(between);
        }
    }
}

/// Without the component the true place is shown.
pub(crate) fn remove(event: On<Remove<Interpolated>>, mut bodies: Query<(&Interpolated, &mut Transform)>) {
    if let Ok((body, mut transform)) = bodies.get_mut(event.entity)
        && let (Some(shown), Some(end)) = (body.shown, body.end)
        && *transform == shown
    {
        transform.set_if_neq(end);
    }
}
