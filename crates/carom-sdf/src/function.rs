//! A function that returns signed distances, as the source of a field.
//!
//! Reference: J. Hart, Sphere Tracing: A Geometric Method for the Antialiased Ray Tracing of
//! Implicit Surfaces, The Visual Computer 12(10), 1996, section 2 (functions that change no faster
//! than the point moves).

use crate::bake::{Filled, N_BLOCK_NODES, NodeBox, Source, stored};
use crate::error::SdfError;
use crate::grid::Grid;
use glam::{DVec3, UVec3};

/// The function and the grid on which it is sampled.
pub(crate) struct Function<F> {
    pub(crate) grid: Grid,
    /// A length; infinite for none.
    pub(crate) band: f32,
    pub(crate) distance: F,
}

impl<F: Fn(DVec3) -> f64> Function<F> {
    fn at(&self, point: DVec3, node: UVec3) -> Result<f64, SdfError> {
        let distance = (self.distance)(point);
        if distance.is_nan() { Err(SdfError::NotANumber { node: node.to_array() }) } else { Ok(distance) }
    }
}

impl<F: Fn(DVec3) -> f64 + Sync> Source for Function<F> {
    fn fill(&self, nodes: NodeBox, out: &mut [f32; N_BLOCK_NODES]) -> Result<Filled, SdfError> {
        let (center, radius) = nodes.ball(&self.grid);
        let band = f64::from(self.band);
        if band.is_finite() {
            let middle = self.at(center, nodes.first)?;
            // The function may round by a little.
            if (band + radius) * (1.0 + 64.0 * f64::EPSILON) < middle.abs() {
                return Ok(Filled::Far { is_inside: middle < 0.0 });
            }
        }
        let mut is_far = [true; 2];
        for (first, index) in nodes.rows() {
            for x in 0..nodes.size.x {
                let node = first + UVec3::new(x, 0, 0);
                let distance = self.at(self.grid.node(node), node)?;
                // An infinite distance is the greatest one.
                let distance = distance.clamp(-f64::from(f32::MAX), f64::from(f32::MAX));
                is_far[0] &= band <= distance;
                is_far[1] &= distance <= -band;
                out[index + x as usize] = stored(distance.abs(), distance < 0.0, self.band);
            }
        }
        if is_far[0] || is_far[1] {
            return Ok(Filled::Far { is_inside: is_far[1] });
        }
        Ok(Filled::Values)
    }
}
