//! Hooks with any answers: contacts that are dropped, bounded, softened, scaled and one-way.

use crate::bytes::Bytes;
use crate::world::{check_finite, insert};
use carom_broad::{BroadPhase, BruteForce};
use carom_geom::HalfSpace;
use carom_math::{Vec3, splitmix};
use carom_query::Shape;
use carom_world::{
    ActiveHooks, BodyDesc, BodyId, ContactMut, Hooks, MixedMaterial, PairSide, PairView, Spring, StepOptions,
    World, WorldSettings,
};

/// Bodies and calls of one input.
const MAX_BODIES: usize = 12;
const MAX_CALLS: usize = 40;

/// Numbers that hooks answer with: most of them in their ranges.
const NUMBERS: [f32; 24] = [
    0.0,
    1.0,
    0.5,
    2.0,
    10.0,
    1000.0,
    1e-3,
    1e-6,
    1e6,
    30.0,
    0.3,
    3.0,
    f32::INFINITY,
    f32::MAX,
    f32::MIN_POSITIVE,
    1e-45,
    f32::NAN,
    -1.0,
    f32::NEG_INFINITY,
    1e20,
    1e-20,
    0.999,
    60.0,
    0.001,
];

/// Answers that follow from the pair and from a number of the step alone.
#[derive(Clone, Copy)]
struct Answers {
    seed: u64,
}

/// A stream of numbers for one pair.
struct Stream(u64);

impl Stream {
    fn next(&mut self) -> u64 {
        splitmix::next(&mut self.0)
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    fn number(&mut self) -> f32 {
        NUMBERS[self.below(NUMBERS.len() as u64) as usize]
    }

    fn side(&mut self) -> PairSide {
        if self.below(2) == 0 { PairSide::A } else { PairSide::B }
    }
}

impl Answers {
    fn stream(&self, pair: &PairView<'_>) -> Stream {
        Stream(self.seed ^ u64::from(pair.a.id.index()) << 20 ^ u64::from(pair.b.id.index()))
    }
}

impl Hooks for Answers {
    fn filter_pair(&self, pair: &PairView<'_>) -> bool {
        self.stream(pair).below(4) != 0
    }

    fn combine(&self, pair: &PairView<'_>, mixed: &mut MixedMaterial) {
        let mut stream = self.stream(pair);
        (mixed.friction, mixed.restitution) = (stream.number(), stream.number());
    }

    fn modify_contact(&self, contact: &mut ContactMut<'_>) {
        let mut stream = self.stream(contact.pair());
        for _ in 0..1 + stream.below(3) {
            let (x, y) = (stream.number(), stream.number());
            match stream.below(10) {
                0 => contact.disable(),
                1 => contact.points_mut().iter_mut().for_each(|point| point.set_max_normal_impulse(x)),
                2 => {
                    let index = stream.below(4) as usize;
                    contact.points_mut().iter_mut().skip(index).for_each(|point| point.remove());
                }
                3 => contact.set_mass_scales(x, y),
                4 => contact.make_one_way(stream.side(), Vec3::Y),
                5 => contact.set_spring(Spring::new(x, y)),
                6 => contact.set_surface_velocity(stream.side(), Vec3::new(x, 0.0, y), Vec3::Y * x),
                7 => contact.set_friction(x),
                8 => contact.set_restitution(x),
                _ => {
                    *contact.tag() ^= stream.below(4) as u32;
                    contact.points_mut().iter_mut().for_each(|point| point.set_distance(x.min(1.0)));
                }
            }
        }
    }
}

fn random_hooks(bytes: &mut Bytes<'_>) -> ActiveHooks {
    [
        ActiveHooks::MODIFY,
        ActiveHooks::FILTER,
        ActiveHooks::COMBINE,
        ActiveHooks::all(),
        ActiveHooks::empty(),
        ActiveHooks::MODIFY,
    ][bytes.below(6)]
}

/// Hooks give any answers. The world stays consistent and finite, and has the same bits with
/// another broad phase.
pub fn hooks(bytes: &[u8]) {
    let own = play(World::new(), bytes);
    let other = play(World::with_broad_phase(BruteForce::default(), WorldSettings::default()), bytes);
    assert_eq!(own, other, "another broad phase");
}

fn play<B: BroadPhase>(mut world: World<B>, bytes: &[u8]) -> Vec<u64> {
    let mut bytes = Bytes::new(bytes);
    let mut hashes = Vec::new();
    if let Ok(plane) = HalfSpace::new(Vec3::Y) {
        let floor = BodyDesc::fixed(Shape::HalfSpace(plane)).with_position(Vec3::Y * -1.0);
        world.insert(floor.with_hooks(random_hooks(&mut bytes))).unwrap();
    }
    let mut n_calls = 0;
    while !bytes.is_empty() && n_calls < MAX_CALLS {
        n_calls += 1;
        let id: Option<BodyId> = world.body_ids().nth(bytes.below(world.len().max(1)));
        match (bytes.below(8), id) {
            (0..=2, _) if world.len() < MAX_BODIES => {
                if let Some(id) = insert(&mut world, &mut bytes) {
                    let hooks = random_hooks(&mut bytes);
                    world.body_mut(id).unwrap().set_hooks(hooks).unwrap();
                }
            }
            (3, Some(id)) => drop(
                world
                    .body_mut(id)
                    .unwrap()
                    .set_linear_velocity(bytes.point_f32())
                    .and_then(|body| body.set_angular_velocity(Vec3::ZERO)),
            ),
            (4, Some(id)) => {
                let hooks = random_hooks(&mut bytes);
                let ccd = bytes.byte() < 128;
                world.body_mut(id).unwrap().set_hooks(hooks).unwrap();
                let _ = world.body_mut(id).unwrap().set_ccd(ccd);
            }
            (5, Some(id)) if bytes.byte() < 64 => world.remove(id).unwrap(),
            _ => {
                // Answers stay the same for some steps, or change in each step.
                let seed = u64::from(bytes.byte() / 64) << 40;
                for _ in 0..1 + bytes.below(4) {
                    let options = StepOptions::new();
                    let answers = Answers { seed };
                    if let Err(error) = world.step_with(1.0 / 60.0, options.with_hooks(&answers)) {
                        assert!(!error.to_string().is_empty());
                    }
                    check_finite(&world);
                    world.validate().unwrap();
                    hashes.push(world.state_hash());
                }
            }
        }
    }
    hashes
}
