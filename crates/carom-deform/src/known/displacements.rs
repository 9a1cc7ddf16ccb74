//! Weighted sums of displacements: the vertices of morph targets and of modes.
//!
//! A vertex is at its rest position plus the sum of weight times displacement, over the targets
//! that displace it. Each product of two `f32` is exact in `f64`; the sum is taken in the order of
//! the targets and rounded to `f32` at the end. Targets of weight 0 and displacements of 0 are
//! left out, which changes no value.
//!
//! Reference: Akenine-Moller et al., Real-Time Rendering, 4th ed., 4.5 (morph targets).

use super::KnownError;
use super::tree::check_rest;
use crate::{MAX_ELEMENTS, MAX_POSITION};
use alloc::vec;
use alloc::vec::Vec;
use glam::{DVec3, Vec3};

/// Rest positions, displacements and the present weights.
#[derive(Clone, Debug)]
pub(super) struct Displacements {
    pub(super) rest: Vec<Vec3>,
    /// The start of each vertex's displacements; one more entry at the end.
    starts: Vec<usize>,
    /// The targets that displace the vertex, in ascending order.
    entries: Vec<(u32, Vec3)>,
    pub(super) weights: Vec<f32>,
    /// The largest coordinate of a rest position.
    largest_rest: f64,
    /// The largest coordinate of a displacement, by target.
    largest: Vec<f64>,
    /// A number that is not below any coordinate of a position with the present weights.
    pub(super) reach: f64,
}

impl Displacements {
    /// Targets are lists of displacements, one for each vertex.
    pub(super) fn new<T: AsRef<[Vec3]>>(rest: &[Vec3], targets: &[T]) -> Result<Displacements, KnownError> {
        check_rest(rest)?;
        for (target, displacements) in targets.iter().map(AsRef::as_ref).enumerate() {
            if displacements.len() != rest.len() {
                let (expected, given) = (rest.len(), displacements.len());
                return Err(KnownError::WrongTargetCount { target, expected, given });
            }
            let is_bad = |d: &Vec3| !(d.is_finite() && d.abs().max_element() <= MAX_POSITION);
            if let Some(vertex) = displacements.iter().position(is_bad) {
                return Err(KnownError::BadDisplacement { target, vertex });
            }
        }
        let mut starts = vec![0];
        let mut entries = Vec::new();
        for vertex in 0..rest.len() {
            let displacements = (0_u32..).zip(targets.iter().map(|target| target.as_ref()[vertex]));
            entries.extend(displacements.filter(|(_, displacement)| *displacement != Vec3::ZERO));
            starts.push(entries.len());
            if MAX_ELEMENTS < entries.len() {
                return Err(KnownError::TooMany);
            }
        }
        let largest_of =
            |all: &[Vec3]| all.iter().fold(0.0, |most: f64, p| most.max(f64::from(p.abs().max_element())));
        let largest_rest = largest_of(rest);
        Ok(Displacements {
            rest: rest.to_vec(),
            starts,
            entries,
            weights: vec![0.0; targets.len()],
            largest_rest,
            largest: targets.iter().map(|target| largest_of(target.as_ref())).collect(),
            reach: largest_rest,
        })
    }

    /// Sets the weights. On an error nothing changes.
    pub(super) fn set(&mut self, weights: &[f32]) -> Result<(), KnownError> {
        if weights.len() != self.weights.len() {
            let (expected, given) = (self.weights.len(), weights.len());
            return Err(KnownError::WrongCount { expected, given });
        }
        if let Some(parameter) = weights.iter().position(|weight| !weight.is_finite()) {
            return Err(KnownError::BadParameter { parameter });
        }
        // The sum has the order of those of positions, and rounding is monotone. So no computed
        // coordinate is above it.
        let mut reach = self.largest_rest;
        for (parameter, (weight, largest)) in weights.iter().zip(&self.largest).enumerate() {
            reach += f64::from(weight.abs()) * largest;
            if f64::from(MAX_POSITION) < reach {
                return Err(KnownError::TooLarge { parameter });
            }
        }
        self.reach = reach;
        self.weights.copy_from_slice(weights);
        Ok(())
    }

    /// The displacements of a vertex: the target and the displacement, in the order of the
    /// targets.
    #[inline]
    pub(super) fn of(&self, vertex: u32) -> &[(u32, Vec3)] {
        &self.entries[self.starts[vertex as usize]..self.starts[vertex as usize + 1]]
    }

    /// The displacement of a vertex by a target.
    pub(super) fn by_target(&self, vertex: u32, target: u32) -> Vec3 {
        let list = self.of(vertex);
        list.binary_search_by_key(&target, |entry| entry.0).map_or(Vec3::ZERO, |i| list[i].1)
    }

    /// The targets that displace any of the vertices, in ascending order, into `out`.
    pub(super) fn targets_of(&self, vertices: &[u32], out: &mut Vec<u32>) {
        out.clear();
        out.extend(vertices.iter().flat_map(|&vertex| self.of(vertex)).map(|entry| entry.0));
        out.sort_unstable();
        out.dedup();
    }

    /// The position of a vertex.
    #[inline]
    pub(super) fn position(&self, vertex: u32) -> Vec3 {
        let mut sum: DVec3 = self.rest[vertex as usize].as_dvec3();
        for &(target, displacement) in self.of(vertex) {
            let weight = self.weights[target as usize];
            if weight != 0.0 {
                sum += displacement.as_dvec3() * f64::from(weight);
            }
        }
        sum.as_vec3()
    }
}
