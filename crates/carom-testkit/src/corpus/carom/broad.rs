//! The boxes of the corpus in carom's broad phase, which is `f32` alone.

use super::super::Step;
use carom_bounds::Aabb;
use carom_broad::{BroadPhase, Filter, Pair, ProxyId};
use carom_broad_tree::DynamicBvh;
use glam::Vec3;

/// Returns the pairs after all steps, as indices in the order of insertion. An invalid box is
/// refused on insertion. If a box is moved to an invalid one, the move is refused and the body is
/// removed, as its owner would do.
pub(super) fn pairs(steps: &[Step]) -> Vec<(usize, usize)> {
    let mut broad = DynamicBvh::new();
    let mut ids: Vec<Option<ProxyId>> = Vec::new();
    let mut pairs: Vec<Pair> = Vec::new();
    for step in steps {
        match step {
            Step::Insert(bounds) => ids.push(broad.insert(read(bounds), Filter::default()).ok()),
            Step::Move(number, bounds) => {
                if let Some(id) = ids[*number]
                    && broad.update(&[(id, read(bounds))]).is_err()
                {
                    broad.remove(id).unwrap();
                    ids[*number] = None;
                }
            }
            Step::Remove(number) => {
                if let Some(id) = ids[*number].take() {
                    broad.remove(id).unwrap();
                }
            }
            Step::Query => broad.pairs(&mut pairs),
        }
        broad.validate().unwrap();
    }
    broad.pairs(&mut pairs);
    let number = |index: u32| {
        let id = broad.id_at(index);
        ids.iter().position(|listed| listed.is_some() && *listed == id).unwrap()
    };
    pairs.iter().map(|pair| (number(pair.a), number(pair.b))).collect()
}

fn read(bounds: &[[Option<f64>; 3]; 2]) -> Aabb {
    let [min, max] = bounds.map(|corner| Vec3::from_array(corner.map(|x| x.map_or(f32::NAN, |x| x as f32))));
    Aabb { min, max }
}
