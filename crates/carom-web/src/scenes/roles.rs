//! Roles: the effects of bodies of a scene on those that touch them, as hooks of all scenes.
//!
//! The role is the user data of the body. So the hooks have no state, and a snapshot is complete.
//!
//! Reference: the examples `one_way_platform` of carom and `soft_ground` of carom-world.

use carom_math::Vec3;
use carom_query::Shape;
use carom_world::{ActiveHooks, BodyDesc, ContactMut, Hooks, MixedMaterial, PairView, Side, Spring};

/// The effect of a body on those that touch it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum Role {
    /// Lets bodies pass from below, and holds bodies from above.
    OneWay = 1,
    /// Gives way like a spring.
    SoftGround = 2,
    /// Lets balls pass, and nothing else.
    BallGate = 3,
    /// Throws back bodies that fall on it.
    Bouncer = 4,
}

/// Oscillations per second of a body on soft ground, and their damping ratio.
const SOFT_GROUND: Spring = Spring::new(2.0, 0.3);

/// The restitution of a bouncer.
const BOUNCE: f32 = 0.95;

impl Role {
    /// Returns the description of a body with this role.
    pub fn apply_to(self, desc: BodyDesc) -> BodyDesc {
        let hooks = match self {
            Role::OneWay | Role::SoftGround => ActiveHooks::MODIFY,
            Role::BallGate => ActiveHooks::FILTER,
            Role::Bouncer => ActiveHooks::COMBINE,
        };
        desc.with_user_data(self as u64).with_hooks(hooks)
    }

    fn is_of(self, side: &Side<'_>) -> bool {
        side.body_data == self as u64
    }
}

/// The hooks of all scenes. They do not change bodies without a role.
#[derive(Clone, Copy, Debug, Default)]
pub struct Roles;

/// Whether one of two bodies, by user data and shape, is a gate that lets the other pass.
pub(crate) fn is_ball_at_gate([a, b]: [(u64, &Shape); 2]) -> bool {
    let lets_pass =
        |gate: u64, shape: &Shape| gate == Role::BallGate as u64 && matches!(shape, Shape::Sphere(_));
    lets_pass(a.0, b.1) || lets_pass(b.0, a.1)
}

impl Hooks for Roles {
    fn filter_pair(&self, pair: &PairView<'_>) -> bool {
        !is_ball_at_gate([&pair.a, &pair.b].map(|side| (side.body_data, side.shape)))
    }

    fn combine(&self, pair: &PairView<'_>, mixed: &mut MixedMaterial) {
        if pair.side_with(|side| Role::Bouncer.is_of(side)).is_some() {
            mixed.restitution = BOUNCE;
        }
    }

    fn modify_contact(&self, contact: &mut ContactMut<'_>) {
        if let Some(solid) = contact.side_with(|side| Role::OneWay.is_of(side)) {
            contact.make_one_way(solid, Vec3::Y);
        }
        if contact.side_with(|side| Role::SoftGround.is_of(side)).is_some() {
            contact.set_spring(SOFT_GROUND);
        }
    }
}
