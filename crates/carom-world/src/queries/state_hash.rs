//! A hash of the state of a world, to compare two runs.
//!
//! Reference: G. Fowler, L. C. Noll, K.-P. Vo: FNV-1a with 64 bits, RFC 9923.

use crate::World;
use carom_broad::BroadPhase;

impl<B: BroadPhase> World<B> {
    /// Returns a hash of all poses, velocities and sleep flags: equal bits give equal hashes. Soft
    /// things are included, if there are any.
    ///
    /// The hash is FNV-1a with 64 bits (Fowler, Noll, Vo).
    pub fn state_hash(&self) -> u64 {
        let mut hash = 0xcbf2_9ce4_8422_2325u64;
        let mut take = |word: u32| {
            for byte in word.to_le_bytes() {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
            }
        };
        for id in self.body_ids() {
            let body = &self.bodies.motions[id.index as usize];
            take(id.index);
            body.pose.rotation.to_array().iter().for_each(|x| take(x.to_bits()));
            for v in [body.pose.translation, body.linear_velocity, body.angular_velocity] {
                v.to_array().iter().for_each(|x| take(x.to_bits()));
            }
            take(u32::from(body.is_sleeping));
        }
        #[cfg(feature = "soft")]
        if let Some(set) = &self.soft.set {
            for thing in set.things() {
                for v in thing.positions.iter().chain(&thing.velocities) {
                    v.to_array().iter().for_each(|x| take(x.to_bits()));
                }
            }
            take(u32::from(set.resting.is_sleeping));
        }
        hash
    }
}
