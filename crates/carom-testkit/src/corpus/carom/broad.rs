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
            Step::Insert(given) => ids.push(broad.insert(read(given), Filter::default()).ok()),
            Step::Move(number, given) => {
                if let Some(id) = ids[*number]
                    && broad.update(&[(id, read(given))]).is_err()
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
            Step::Ask => broad.pairs(&mut pairs),
        }
        broad.validate().unwrap();
    }
    broad.pairs(&mut pairs);
    let number = |index: u32| {
        let id = broad.id_at(index);
        ids.iter().position(|given| given.is_some() && *given == id).unwrap()
    };
    pairs.iter().map(|pair| (number(pair.a), number(pair.b))).collect()
}

fn read(given: &[[Option<f64>; 3]; 2]) -> Aabb {
    let [min, max] = given.map(|corner| Vec3::from_array(corner.map(|x| x.map_or(f32::NAN, |x| x as f32))));
    Aabb { min, max }
}
