//! The cores of compounds, kept from step to step.
//!
//! Cores depend only on the shape. Their computation needs the mass and the depth of each part,
//! which is slow for meshes. An entry belongs to one body, and is valid as long as the body has
//! the same compound.
//!
//! Reference: E. Catto, Continuous Collision, Game Developers Conference, 2013 (cores).

use crate::continuous::core_ball::{Core, find_cores};
use alloc::sync::{Arc, Weak};
use alloc::vec::Vec;
use carom_math::Vec3;
use carom_query::{Compound, Shape};

/// The compound of a body and its cores. A weak pointer keeps the address from being reused.
type Entry = (Weak<Compound>, Vec<Core>);

/// The cores of compounds by the index of their body.
#[derive(Default)]
pub(crate) struct CoreCache {
    entries: Vec<Option<Entry>>,
}

impl CoreCache {
    /// Writes the cores of the shape of a body to `cores`, like [`find_cores`].
    pub(crate) fn find(&mut self, index: usize, shape: &Shape, center_of_mass: Vec3, cores: &mut Vec<Core>) {
        let Shape::Compound(compound) = shape else {
            return find_cores(shape, center_of_mass, cores);
        };
        if let Some(Some((known, kept))) = self.entries.get(index)
            && core::ptr::eq(known.as_ptr(), Arc::as_ptr(compound))
        {
            cores.clone_from(kept);
            return;
        }
        find_cores(shape, center_of_mass, cores);
        if self.entries.len() <= index {
            self.entries.resize_with(index + 1, || None);
        }
        self.entries[index] = Some((Arc::downgrade(compound), cores.clone()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use carom_geom::Cuboid;
    use carom_math::Pose;
    use carom_query::CompoundPart;

    /// Two boxes; `width` is half that of the second.
    fn pair(width: f32) -> Shape {
        let part = |x: f32, half: f32| CompoundPart {
            shape: Shape::Cuboid(Cuboid::new(Vec3::new(half, 1.0, 1.0)).unwrap()),
            pose: Pose::from_translation(Vec3::X * x),
        };
        Shape::Compound(Arc::new(Compound::new(alloc::vec![part(-3.0, 1.0), part(3.0, width)]).unwrap()))
    }

    /// Bodies get other shapes, old shapes are dropped, and a shape may have no parts.
    #[test]
    fn cores_are_those_of_the_shape_that_the_body_has_now() {
        let mut cache = CoreCache::default();
        let (mut found, mut fresh) = (Vec::new(), Vec::new());
        let mut shapes = [pair(0.5), pair(0.25), Shape::Cuboid(Cuboid::new(Vec3::ONE).unwrap())];
        for round in 0..40 {
            let index = (round * 7) % 5;
            let which = round % 3;
            // The second query finds the entry of the first one.
            for _ in 0..2 {
                cache.find(index, &shapes[which], Vec3::ZERO, &mut found);
                find_cores(&shapes[which], Vec3::ZERO, &mut fresh);
                assert_eq!(found, fresh, "round {round}");
                assert_eq!(found.len(), if which == 2 { 1 } else { 2 });
            }
            if round % 4 == 0 {
                shapes[round % 2] = pair(0.1 + 0.01 * round as f32);
            }
        }
    }
}
