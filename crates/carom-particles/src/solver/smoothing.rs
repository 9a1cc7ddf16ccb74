//! The two kernels of a liquid: one for density, one for its gradient.
//!
//! - Lengths are in reaches h of the kernel: q = r / h. The reach is twice the distance at which
//!   particles rest, so about 30 particles are within it.
//! - The kernel of density is (1 - q^2)^3, scaled so that a cubic lattice at rest has density 1.
//! - The gradient is that of (1 - q)^3. Its slope does not vanish at 0, so particles do not clump.
//!
//! Reference: M. Mueller, D. Charypar, M. Gross, Particle-Based Fluid Simulation for Interactive
//! Applications, SCA 2003, 3.5.
//! Differs: densities are numbers of particles, scaled by a lattice. The steps include the masses.

/// The reach of the kernels, in distances at rest.
const REACH: f32 = 2.0;

/// Kernels for particles that rest at a distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Smoothing {
    /// Beyond this length the kernels are 0.
    pub(crate) reach: f32,
    /// Factor of (1 - q^2)^3.
    pub(crate) density_scale: f32,
    /// Factor of (1 - q)^2 in the length of the gradient.
    pub(crate) gradient_scale: f32,
    /// The sum of the squares of all gradients in a lattice at rest.
    pub(crate) lattice_gradient_sq: f32,
    /// The sum of kernel times squared distance in a lattice at rest.
    pub(crate) lattice_spread: f32,
}

impl Smoothing {
    pub(crate) fn new(radius: f32) -> Smoothing {
        let spacing = 2.0 * radius;
        let reach = REACH * spacing;
        let (mut sum, mut squares, mut spread) = (0.0, 0.0, 0.0);
        for node in 0..5 * 5 * 5 {
            let [x, y, z] = [node % 5, node / 5 % 5, node / 25].map(|i| i as f32 - 2.0);
            let q_sq = (x * x + y * y + z * z) / (REACH * REACH);
            if q_sq < 1.0 {
                let (kernel, slope) = (1.0 - q_sq, 1.0 - carom_math::ops::sqrt(q_sq));
                let kernel = kernel * kernel * kernel;
                sum += kernel;
                spread += kernel * q_sq * reach * reach;
                squares += if 0.0 < q_sq { slope * slope * slope * slope } else { 0.0 };
            }
        }
        // Both kernels have the integral 1, which gives 45/pi h^-4 against 315/(64 pi) h^-3.
        let gradient_scale = 45.0 / core::f32::consts::PI / (REACH * REACH * REACH * reach);
        Smoothing {
            reach,
            density_scale: 1.0 / sum,
            gradient_scale,
            lattice_gradient_sq: squares * gradient_scale * gradient_scale,
            lattice_spread: spread / sum,
        }
    }
}
