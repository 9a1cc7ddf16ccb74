//! The same walk at 30, 60 and 144 Hz ends in the same place, to within a stated distance.

use crate::worlds::{World, figures};
use carom_character::{Character, CharacterSettings};
use carom_math::glam::DVec3;
use carom_scenes::{Rng, castle};

/// Wishes last a multiple of this, which all rates divide.
const BEAT: f64 = 1.0 / 6.0;

#[test]
fn rates_agree() {
    let level = castle();
    let mut distances: Vec<f64> = Vec::new();
    let (mut n_air, mut n_climbed) = (0, 0.0);
    for (_, world) in World::all(&level) {
        for (_, figure) in figures() {
            for seed in 0..30 {
                let mut ends = Vec::new();
                for hertz in [30.0, 60.0, 144.0] {
                    let mut rng = Rng::new(seed);
                    let at =
                        level.starts[rng.below(level.starts.len())] + DVec3::Y * (figure.stature() + 0.01);
                    let mut character = Character::new(figure, CharacterSettings::default(), at).unwrap();
                    let mut sweep = world.sweep();
                    for _ in 0..4 {
                        let direction = rng.direction();
                        let wish =
                            DVec3::new(direction.x, 0.0, direction.z).normalize() * rng.range(1.0, 5.0);
                        let beats = 1 + rng.below(6);
                        let does_jump = rng.below(4) == 0;
                        for frame in 0..(hertz * BEAT * beats as f64).round() as usize {
                            if does_jump && frame == 0 {
                                character.jump(4.0);
                            }
                            n_climbed += character.walk(&mut *sweep, wish, 1.0 / hertz).climbed;
                            n_air += u32::from(character.ground().is_none());
                        }
                    }
                    ends.push(character.position());
                }
                distances.push(ends.iter().map(|end| (*end - ends[1]).length()).fold(0.0, f64::max));
            }
        }
    }
    distances.sort_by(f64::total_cmp);
    let at = |part: f64| distances[(part * (distances.len() - 1) as f64) as usize];
    println!(
        "{} walks: {:.4} m in the middle, {:.4} at nine tenths, {:.4} at most; {n_climbed:.1} m climbed, {n_air} calls in the air",
        distances.len(),
        at(0.5),
        at(0.9),
        at(1.0),
    );
    assert!(1.0 < n_climbed && 100 < n_air);
    assert!(at(0.5) < 0.01 && at(0.9) < 0.1, "{} {}", at(0.5), at(0.9));
}
