//! Responses of two touching bodies: collide, knock each other away, stick together, or pass.
//!
//! Each of them is one formula for two bodies and a contact. It returns the impulse and the energy
//! that the bodies exchanged: [`Exchange`].
//!
//! - Bodies that stick move like one rigid body, with their common momentum and angular momentum.
//!   No other motion that keeps both removes as much energy.
//! - A knock is an impulse of a given size along the normal. It may add energy.
//! - Bodies that pass exchange nothing. The contact is still reported.
//!
//! A body of infinite mass determines the common motion, and a body that cannot turn the common
//! rotation. If there are several such bodies, the first one counts.
//!
//! Reference: H. Goldstein, Classical Mechanics, 3rd ed., 2002, 1.2 and 5.3 (momenta and inertia of
//! a system); Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.9.

use crate::bodies::body::{Body, BodyKind};
use crate::bounce;
use carom_math::glam::{DMat3, DVec3};
use carom_math::{Real, Vec3};

/// The response of two touching bodies.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Response {
    /// They push each other, with restitution and friction.
    #[default]
    Collide,
    /// They collide. At each first touch, an impulse along the normal also pushes both apart.
    Knock {
        /// Size of the impulse: mass times length per time. Not negative.
        impulse: Real,
    },
    /// They stay together from the first touch on.
    Stick,
    /// They move through each other. The contact is reported.
    Pass,
}

/// The impulse and energy that two bodies exchanged at a contact.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Exchange {
    /// Change of the momentum of B, in the world frame. That of A is the opposite.
    pub impulse: Vec3,
    /// Kinetic energy of both before minus that after. It is negative if energy was added, for
    /// example by a knock or a kinematic body.
    pub energy_lost: f64,
}

impl Response {
    /// Returns the response of a pair from those of its bodies: the later one in the order
    /// collide, knock, stick, pass. If both are knocks, the stronger one is used.
    pub fn of_pair(a: Response, b: Response) -> Response {
        if let (Response::Knock { impulse: size_a }, Response::Knock { impulse: size_b }) = (a, b) {
            return Response::Knock { impulse: size_a.max(size_b) };
        }
        if a.rank() < b.rank() { b } else { a }
    }

    /// Whether all values are in range.
    pub fn is_sound(&self) -> bool {
        match *self {
            Response::Knock { impulse } => 0.0 <= impulse && impulse < Real::INFINITY,
            Response::Collide | Response::Stick | Response::Pass => true,
        }
    }

    /// Changes the velocities of two bodies that touch at `point`, with the unit `normal` from A
    /// to B, all in the world frame. Restitution and friction are those of
    /// [`bounce::collision_impulse`].
    ///
    /// Only the velocities change. Bodies that stick need a joint to stay together.
    pub fn apply(
        self,
        (a, b): (&mut Body, &mut Body),
        point: Vec3,
        normal: Vec3,
        restitution: Real,
        friction: Real,
    ) -> Exchange {
        match self {
            Response::Pass => Exchange::default(),
            Response::Stick => stick(a, b),
            Response::Collide | Response::Knock { .. } => {
                let mut impulse = bounce::collision_impulse(a, b, point, normal, restitution, friction);
                if let Response::Knock { impulse: size } = self {
                    impulse += normal * size;
                }
                exchange(a, b, impulse, point)
            }
        }
    }

    fn rank(self) -> u8 {
        match self {
            Response::Collide => 0,
            Response::Knock { .. } => 1,
            Response::Stick => 2,
            Response::Pass => 3,
        }
    }
}

/// Gives two bodies their common velocities, as in a perfectly inelastic collision.
pub fn stick(a: &mut Body, b: &mut Body) -> Exchange {
    let before = [*a, *b];
    let common = CommonMotion::of([&*a, &*b]);
    common.apply_to(a);
    common.apply_to(b);
    let gain = |body: &Body, k: usize| {
        let change = body.linear_velocity - before[k].linear_velocity;
        if 0.0 < body.inverse_mass { change / body.inverse_mass } else { Vec3::ZERO }
    };
    // The velocity of a body of infinite mass does not show the impulse.
    let impulse = if 0.0 < b.inverse_mass { gain(b, 1) } else { -gain(a, 0) };
    let energy = |bodies: [&Body; 2]| bodies.into_iter().map(kinetic_energy).sum::<f64>();
    Exchange { impulse, energy_lost: energy([&before[0], &before[1]]) - energy([a, b]) }
}

/// Pushes two bodies apart at `point` by an impulse of size `impulse`, mass times length per time.
/// It acts along the unit `normal` from A to B. Bodies that are not dynamic do not change.
pub fn knock(a: &mut Body, b: &mut Body, point: Vec3, normal: Vec3, impulse: Real) -> Exchange {
    exchange(a, b, normal * impulse, point)
}

fn exchange(a: &mut Body, b: &mut Body, impulse: Vec3, point: Vec3) -> Exchange {
    if impulse == Vec3::ZERO {
        return Exchange::default();
    }
    let before = kinetic_energy(a) + kinetic_energy(b);
    a.apply_impulse(-impulse, point);
    b.apply_impulse(impulse, point);
    Exchange { impulse, energy_lost: before - kinetic_energy(a) - kinetic_energy(b) }
}

/// The motion of several bodies as one rigid body, in the world frame.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct CommonMotion {
    /// A point that moves with `linear_velocity`: the common centre of mass, or the centre of mass
    /// of the first body of infinite mass.
    pub center: Vec3,
    /// Velocity of that point.
    pub linear_velocity: Vec3,
    /// Angular velocity in radians per unit of time.
    pub angular_velocity: Vec3,
}

impl CommonMotion {
    /// Returns the motion that keeps the momentum and the angular momentum of the bodies, of which
    /// there must be at least one. A fixed or kinematic body, or one of infinite mass, determines
    /// the motion instead.
    pub fn of<'a, I>(bodies: I) -> CommonMotion
    where
        I: IntoIterator<Item = &'a Body>,
        I::IntoIter: Clone,
    {
        let bodies = bodies.into_iter();
        if let Some(leader) = bodies.clone().find(|body| !is_movable(body)) {
            let stands = leader.kind == BodyKind::Fixed;
            let moves = |velocity: Vec3| if stands { Vec3::ZERO } else { velocity };
            return CommonMotion {
                center: leader.world_center(),
                linear_velocity: moves(leader.linear_velocity),
                angular_velocity: moves(leader.angular_velocity),
            };
        }
        let (mut mass, mut moment, mut momentum) = (0.0, DVec3::ZERO, DVec3::ZERO);
        for body in bodies.clone() {
            let own = 1.0 / f64::from(body.inverse_mass);
            mass += own;
            moment += wide_center(body) * own;
            momentum += body.linear_velocity.as_dvec3() * own;
        }
        let (center, velocity) = (moment / mass, momentum / mass);
        let (mut inertia, mut spin, mut rotation) = (DMat3::ZERO, DVec3::ZERO, None);
        for body in bodies {
            let own = 1.0 / f64::from(body.inverse_mass);
            let lever = wide_center(body) - center;
            inertia += DMat3::from_diagonal(DVec3::splat(own * lever.length_squared()));
            inertia -= DMat3::from_cols(lever * lever.x, lever * lever.y, lever * lever.z) * own;
            spin += lever.cross(body.linear_velocity.as_dvec3() - velocity) * own + body.angular_momentum();
            match wide_inertia(body) {
                Some(own) => inertia += own,
                None => rotation = rotation.or(Some(body.angular_velocity)),
            }
        }
        CommonMotion {
            center: center.as_vec3(),
            linear_velocity: velocity.as_vec3(),
            angular_velocity: rotation.unwrap_or_else(|| (inertia.inverse() * spin).as_vec3()),
        }
    }

    /// Returns the velocity of a world point that moves with the bodies.
    pub fn velocity_at(&self, point: Vec3) -> Vec3 {
        self.linear_velocity + self.angular_velocity.cross(point - self.center)
    }

    /// Gives a body this motion and wakes it. Bodies that are fixed, kinematic or of infinite mass
    /// do not change.
    pub fn apply_to(&self, body: &mut Body) {
        if is_movable(body) {
            body.linear_velocity = self.velocity_at(body.world_center());
            body.angular_velocity = self.angular_velocity;
            body.wake();
        }
    }
}

fn is_movable(body: &Body) -> bool {
    body.kind == BodyKind::Dynamic && 0.0 < body.inverse_mass
}

/// Returns the centre of mass in `f64`, because two centres far from the origin differ by little.
fn wide_center(body: &Body) -> DVec3 {
    body.pose.wide().transform_point(body.center_of_mass.as_dvec3())
}

/// The inertia tensor about the centre of mass in the world frame; `None` if the body cannot turn.
fn wide_inertia(body: &Body) -> Option<DMat3> {
    let inverse = body.inverse_inertia.as_dmat3();
    let rotation = body.pose.wide().rotation;
    let is_free = inverse.determinant() != 0.0;
    is_free.then(|| rotation * inverse.inverse() * rotation.transpose())
}

fn kinetic_energy(body: &Body) -> f64 {
    body.energy(Vec3::ZERO, 0.0).kinetic
}
