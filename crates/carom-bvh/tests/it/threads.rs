//! The same trees on one, two and seven threads.

use carom_bounds::Aabb;
use carom_bvh::{BuildMethod, BuildSettings, Bvh};
use carom_testkit::conform::bvh::many;
use carom_testkit::conform::dice::Dice;

#[test]
fn one_two_and_seven_threads_build_the_same() {
    let mut dice = Dice::new(1);
    let mut sets = many(6_000);
    sets.push(("a cloud", (0..20_000).map(|_| dice.aabb(10.0, 0.3)).collect()));
    for (name, boxes) in sets {
        for (i, method) in BuildMethod::ALL.into_iter().enumerate() {
            if method == BuildMethod::Insertion {
                // One after the other, whatever there is.
                continue;
            }
            let settings = BuildSettings::default()
                .with_method(method)
                .with_max_leaf(2)
                .with_reinsertion_rounds(i as u32 % 2);
            let with = |n: usize| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
                let tree = pool.install(|| Bvh::<Aabb>::build(&boxes, &settings)).unwrap();
                format!("{tree:?}")
            };
            let one = with(1);
            for n in [2, 7] {
                assert!(with(n) == one, "{name}, {method:?}, {n} threads");
            }
        }
    }
}
