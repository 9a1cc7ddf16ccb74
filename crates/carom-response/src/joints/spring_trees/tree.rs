//! The joints and the bodies of a tree.

use crate::joints::mass::JointMass;
use crate::joints::six::{Six, Square};
use carom_math::glam::{DMat3, DVec3};
use core::ops::Range;

/// A body that does not turn or move along an axis counts as heavier by this factor than along
/// its other axes.
const MAX_ANISOTROPY: f64 = 1e10;

/// A joint of a tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    /// The place of the joint among the joints that are solved.
    pub(super) step: u32,
    /// The parent is `None` if it is not moved by forces.
    pub(super) parent: Option<u32>,
    pub(super) child: u32,
    pub(super) child_is_b: bool,
    /// The root of the tree, if no fixed body holds it.
    pub(super) free_root: Option<u32>,
    /// The rows of the joint among those of all trees.
    pub(super) first_row: usize,
    pub(super) n_rows: usize,
    /// The first entry of its matrix.
    pub(super) first_factor: usize,
}

impl Link {
    pub(super) fn rows(&self) -> Range<usize> {
        self.first_row..self.first_row + self.n_rows
    }

    pub(super) fn square(&self) -> Range<usize> {
        self.first_factor..self.first_factor + self.n_rows * self.n_rows
    }
}

/// A body of a tree.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) slot: u32,
    pub(super) is_root: bool,
    pub(super) center: DVec3,
    /// The mass with that of the children, for impulses of this substep.
    pub(super) mass: Square,
    pub(super) inverse: Square,
    /// The impulse of the children.
    pub(super) push: Six,
    /// The change of the velocity.
    pub(super) change: Six,
    /// The mass with that of the children, as if they were one body.
    pub(super) composite: Square,
}

/// Returns the mass matrix of a body about its centre.
pub(super) fn mass_of(mass: &JointMass) -> Square {
    let (mass, inertia) = inertia_of(mass);
    let mut matrix = Square::default();
    for i in 0..3 {
        matrix[i][i] = mass;
        for k in 0..3 {
            matrix[i + 3][k + 3] = 0.5 * (inertia.col(k)[i] + inertia.col(i)[k]);
        }
    }
    matrix
}

/// Returns the mass and the inertia of a body. Directions in which it cannot move or turn are
/// heavy.
pub(super) fn inertia_of(mass: &JointMass) -> (f64, DMat3) {
    let turning = mass.turning.as_dmat3();
    let trace = turning.x_axis.x + turning.y_axis.y + turning.z_axis.z;
    let moving = f64::from(mass.moving);
    let least = trace.max(moving).max(f64::MIN_POSITIVE) / MAX_ANISOTROPY;
    (1.0 / moving.max(least), (turning + DMat3::from_diagonal(DVec3::splat(least))).inverse())
}
