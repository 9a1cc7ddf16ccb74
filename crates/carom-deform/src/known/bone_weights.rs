//! The bones of each vertex of a skin, with weights whose sum is 1.
//!
//! Bones of weight 0 are left out, and a bone that a vertex has twice counts once with both
//! weights. The weights are divided by their sum in `f64`. The bone with the largest weight comes
//! first, the one with the lower number among equals.
//!
//! Reference: glTF 2.0, 3.7.3.3 (joints and weights; sums that differ from 1 by the rounding of
//! bytes).

use super::KnownError;
use crate::MAX_ELEMENTS;
use alloc::vec;
use alloc::vec::Vec;
use carom_math::tol;

/// The bones of each vertex and their weights.
#[derive(Clone, Debug)]
pub struct BoneWeights {
    /// The start of each vertex's bones; one more entry at the end.
    starts: Vec<usize>,
    entries: Vec<(u32, f64)>,
    n_bones: usize,
    /// The most bones of a vertex.
    max_bones: usize,
}

impl BoneWeights {
    /// Takes for each vertex the numbers of its bones, each below `n_bones`, and their weights.
    /// Weights are not negative, and have the sum 1 to within a hundredth. A bone of weight 0 may
    /// have any number. An error names the first bad vertex.
    pub fn new<const N: usize>(
        bones: &[[u16; N]],
        weights: &[[f32; N]],
        n_bones: usize,
    ) -> Result<BoneWeights, KnownError> {
        if bones.len() != weights.len() {
            return Err(KnownError::WrongListCount { expected: bones.len(), given: weights.len() });
        }
        if MAX_ELEMENTS < bones.len().saturating_mul(N) || MAX_ELEMENTS < n_bones {
            return Err(KnownError::TooMany);
        }
        let mut all = BoneWeights { starts: vec![0], entries: Vec::new(), n_bones, max_bones: 0 };
        for (vertex, (bones, weights)) in bones.iter().zip(weights).enumerate() {
            let sum: f64 = weights.iter().map(|&weight| f64::from(weight)).sum();
            if !(weights.iter().all(|&weight| 0.0 <= weight) && (sum - 1.0).abs() <= tol::WEIGHT_SUM) {
                return Err(KnownError::BadWeights { vertex });
            }
            let first = all.entries.len();
            for (&bone, &weight) in bones.iter().zip(weights).filter(|(_, weight)| **weight != 0.0) {
                if n_bones <= bone as usize {
                    return Err(KnownError::NoSuchBone { vertex });
                }
                let weight = f64::from(weight) / sum;
                match all.entries[first..].iter_mut().find(|entry| entry.0 == u32::from(bone)) {
                    Some(entry) => entry.1 += weight,
                    None => all.entries.push((u32::from(bone), weight)),
                }
            }
            all.entries[first..].sort_unstable_by(|v, w| w.1.total_cmp(&v.1).then(v.0.cmp(&w.0)));
            all.starts.push(all.entries.len());
            all.max_bones = all.max_bones.max(all.entries.len() - first);
        }
        Ok(all)
    }

    /// The number of bones.
    pub fn n_bones(&self) -> usize {
        self.n_bones
    }

    /// The number of vertices.
    pub fn n_vertices(&self) -> usize {
        self.starts.len() - 1
    }

    /// The most bones of a vertex, as a number.
    pub(super) fn max_bones(&self) -> f64 {
        self.max_bones as f64
    }

    /// The bones of a vertex, each with its weight.
    #[inline]
    pub(super) fn of(&self, vertex: u32) -> &[(u32, f64)] {
        &self.entries[self.starts[vertex as usize]..self.starts[vertex as usize + 1]]
    }
}
