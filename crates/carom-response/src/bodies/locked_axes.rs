//! Axes of the world along which a body does not move, and axes about which it does not turn.
//!
//! A locked rotation has zero inverse inertia in the world frame, so no impulse turns the body
//! about it. Locked translations are removed from velocities: see
//! [`motion_bounds`](crate::bodies::motion_bounds).
//!
//! Reference: E. Catto, Box2D 3.2, `b2MotionLocks`, 2025.
//! Differs: rotations are locked in the masses, not in the velocities alone.

use carom_math::{Mat3, Real, Vec3};

bitflags::bitflags! {
    /// Axes of the world along which a body does not move, and axes about which it does not turn.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
    pub struct LockedAxes: u8 {
        /// No motion along x.
        const TRANSLATION_X = 1;
        /// No motion along y.
        const TRANSLATION_Y = 1 << 1;
        /// No motion along z.
        const TRANSLATION_Z = 1 << 2;
        /// No rotation about x.
        const ROTATION_X = 1 << 3;
        /// No rotation about y.
        const ROTATION_Y = 1 << 4;
        /// No rotation about z.
        const ROTATION_Z = 1 << 5;
        /// The centre of mass stays.
        const TRANSLATION = 0b000_111;
        /// The body does not turn.
        const ROTATION = 0b111_000;
        /// The body moves in the plane of x and y, as in a world of two dimensions.
        const OUT_OF_XY = 0b011_100;
    }
}

impl LockedAxes {
    /// Returns a velocity or a displacement of the centre of mass without its locked parts.
    pub fn free_translation(self, v: Vec3) -> Vec3 {
        let free = |axis, x| if self.contains(axis) { 0.0 } else { x };
        Vec3::new(
            free(LockedAxes::TRANSLATION_X, v.x),
            free(LockedAxes::TRANSLATION_Y, v.y),
            free(LockedAxes::TRANSLATION_Z, v.z),
        )
    }

    /// Returns an angular velocity or a rotation vector without its locked parts.
    pub fn free_rotation(self, w: Vec3) -> Vec3 {
        let free = |axis, x| if self.contains(axis) { 0.0 } else { x };
        Vec3::new(
            free(LockedAxes::ROTATION_X, w.x),
            free(LockedAxes::ROTATION_Y, w.y),
            free(LockedAxes::ROTATION_Z, w.z),
        )
    }

    /// Returns the inverse of an inertia tensor for a body whose locked rotations are held: each
    /// locked axis is eliminated in turn.
    pub(crate) fn free_inverse_inertia(self, mut inverse: Mat3) -> Mat3 {
        let axes = [LockedAxes::ROTATION_X, LockedAxes::ROTATION_Y, LockedAxes::ROTATION_Z];
        for axis in (0..3).filter(|&axis| self.contains(axes[axis])) {
            let column = inverse.col(axis);
            let own = column[axis];
            if 0.0 < own {
                // The torque that holds the axis also acts on the others.
                let held = |other: Vec3, part: Real| other - column * (part / own);
                inverse = Mat3::from_cols(
                    held(inverse.x_axis, column.x),
                    held(inverse.y_axis, column.y),
                    held(inverse.z_axis, column.z),
                );
            }
            // Exact zeros, whatever rounding left.
            *inverse.col_mut(axis) = Vec3::ZERO;
            for other in 0..3 {
                inverse.col_mut(other)[axis] = 0.0;
            }
        }
        inverse
    }
}
