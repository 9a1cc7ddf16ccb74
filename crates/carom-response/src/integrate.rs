//! Forces to velocities, velocities to places: semi-implicit Euler, and a gyroscopic term that cannot explode.
//!
//! The velocity is advanced first and the place with the new velocity, which keeps orbits bounded. The gyroscopic torque
//! is solved in the body's frame by one Newton step of the implicit midpoint rule. For smooth motion without contacts there is also the
//! classical Runge-Kutta step for any y' = f(t, y).
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 25.9 (the ODE form); E. Catto, Numerical Methods,
//! Game Developers Conference, 2015 (the gyroscopic term); E. Hairer, C. Lubich, G. Wanner, Geometric Numerical Integration, 2006,
//! IV.2 and VII.5 (rigid bodies; the midpoint rule keeps what is quadratic).
//! Differs: where Catto takes the implicit Euler step, which damps every turn across the axis of a fast spin (a top sinks by a seventh of
//! its axle in 5 s), the midpoint rule turns it and leaves its length.

use crate::body::inverse_of;
use carom_math::{Mat3, Quat, Real, Vec3, rotation};

/// The angular velocity after `h` of free motion under the gyroscopic torque, both in the body's frame.
///
/// `inertia` is the tensor about the centre of mass in the body's frame. The energy stays what it is, however fast the body spins;
/// for a body of revolution so does the length of the momentum, for others nearly.
pub fn gyroscopic(inertia: Mat3, angular_velocity: Vec3, h: Real) -> Vec3 {
    let w = angular_velocity;
    let momentum = inertia * w;
    // f(w') = I (w' - w) + h m x I m = 0 with m = (w + w') / 2, one Newton step from w' = w.
    let residual = w.cross(momentum) * h;
    let jacobian = inertia + (skew(w) * inertia - skew(momentum)) * (0.5 * h);
    let determinant = jacobian.as_dmat3().determinant();
    if !(determinant.abs() > 0.0) {
        return w;
    }
    let next = w - inverse_of(&jacobian) * residual;
    // The torque is at right angles to the motion: it does no work.
    let twice_energy = |w: Vec3| w.as_dvec3().dot(inertia.as_dmat3() * w.as_dvec3());
    let (before, after) = (twice_energy(w), twice_energy(next));
    let scaled = (next.as_dvec3() * carom_math::ops::sqrt(before / after)).as_vec3();
    if scaled.is_finite() { scaled } else { w }
}

/// The matrix of the cross product: `skew(a) * b = a x b`.
fn skew(a: Vec3) -> Mat3 {
    Mat3::from_cols(Vec3::new(0.0, a.z, -a.y), Vec3::new(-a.z, 0.0, a.x), Vec3::new(a.y, -a.x, 0.0))
}

/// A unit quaternion turned for `h` at a constant angular velocity in the parent frame: one Euler step, normalised.
#[inline]
pub fn turn(rotation: Quat, angular_velocity: Vec3, h: Real) -> Quat {
    let half = angular_velocity * (0.5 * h);
    let (q, d) = (rotation, rotation::mul(Quat::from_xyzw(half.x, half.y, half.z, 0.0), rotation));
    rotation::normalize(Quat::from_xyzw(q.x + d.x, q.y + d.y, q.z + d.z, q.w + d.w))
}

/// One step of the classical fourth-order Runge-Kutta method for y' = f(t, y), with `N` numbers in y.
pub fn runge_kutta<const N: usize>(
    f: impl Fn(Real, &[Real; N]) -> [Real; N],
    t: Real,
    y: &[Real; N],
    h: Real,
) -> [Real; N] {
    let along = |slope: &[Real; N], h: Real| core::array::from_fn(|k| y[k] + slope[k] * h);
    let k1 = f(t, y);
    let k2 = f(t + 0.5 * h, &along(&k1, 0.5 * h));
    let k3 = f(t + 0.5 * h, &along(&k2, 0.5 * h));
    let k4 = f(t + h, &along(&k3, h));
    core::array::from_fn(|k| y[k] + (k1[k] + 2.0 * (k2[k] + k3[k]) + k4[k]) * (h / 6.0))
}
