//! Each figure climbs steps and slopes exactly up to the limit, in each kind of world.

use crate::worlds::{World, figures, start, walk};
use carom_character::CharacterSettings;
use carom_math::glam::DVec3;
use carom_scenes::{slope_course, step_course};

/// The distance of tests from a limit, as a fraction of the limit.
const NEAR: f64 = 1e-4;

#[test]
fn steps_up_to_the_limit() {
    let settings = CharacterSettings::default();
    let mut heights: Vec<(f64, bool)> =
        (1..=20).map(|i| 0.05 * f64::from(i)).map(|h| (h, h < 0.401)).collect();
    heights.extend([(0.4 * (1.0 - NEAR), true), (0.4, true), (0.4 * (1.0 + NEAR), false)]);
    for (height, is_climbed) in heights {
        let level = step_course(height);
        for (kind, world) in World::all(&level) {
            for (name, figure) in figures() {
                for speed in [0.1, 3.0] {
                    // Slow walks only near the limit, and up low steps.
                    if speed < 1.0 && 0.06 < (height - settings.step_height).abs() && 0.11 < height {
                        continue;
                    }
                    let mut character = start(&level, figure, settings);
                    walk(&mut character, &mut *world.sweep(), DVec3::ZERO, 0.5);
                    // To the step, and two seconds more.
                    walk(&mut character, &mut *world.sweep(), DVec3::X * 3.0, 0.5);
                    walk(
                        &mut character,
                        &mut *world.sweep(),
                        DVec3::X * speed,
                        if speed < 1.0 { 8.0 } else { 1.0 },
                    );
                    let feet = character.feet();
                    let expected = if is_climbed { height } else { 0.0 };
                    let what = format!("{kind}, {name}, {speed} m/s: step of {height}: feet at {feet}");
                    assert!(character.ground().is_some(), "{what}");
                    assert!((feet.y - expected - settings.skin).abs() < 1e-3, "{what}");
                    assert!(is_climbed == (1.9 < feet.x), "{what}");
                }
            }
        }
    }
}

/// A lintel over the step leaves less room than a step at the limit needs. So the figure is lifted
/// only as high as the step.
#[test]
fn doors_with_sills_are_gone_through() {
    let settings = CharacterSettings::default();
    for height in [0.05, 0.2, 0.39] {
        for (room, is_through) in [(1.82, true), (1.79, false)] {
            let mut level = step_course(height);
            level.cuboid([2.0, height + room, -4.0], [2.3, 5.0, 4.0]);
            for (kind, world) in World::all(&level) {
                for (name, figure) in figures() {
                    let mut character = start(&level, figure, settings);
                    let mut sweep = world.sweep();
                    walk(&mut character, &mut *sweep, DVec3::X * 3.0, 2.0);
                    let feet = character.feet();
                    let what = format!("{kind}, {name}: sill of {height}, room of {room}: feet at {feet}");
                    assert!(is_through == (3.0 < feet.x) && (is_through || feet.x < 2.3), "{what}");
                    let expected = if is_through { height } else { 0.0 };
                    assert!((feet.y - expected - settings.skin).abs() < 1e-3 || !is_through, "{what}");
                }
            }
        }
    }
}

/// Down a step of 0.3 m a character stays on the ground if its snap distance is larger. Otherwise
/// it is in the air for a while.
#[test]
fn a_step_down_is_snapped_to() {
    for (distance, flies) in [(0.0, true), (0.31, false), (0.4, false)] {
        let settings = CharacterSettings::default().with_snap_distance(distance);
        let level = step_course(0.3);
        for (kind, world) in World::all(&level) {
            for (name, figure) in figures() {
                let mut character = start(&level, figure, settings);
                let mut sweep = world.sweep();
                walk(&mut character, &mut *sweep, DVec3::X * 3.0, 2.0);
                let what = format!("{kind}, {name}, snaps {distance}: feet at {}", character.feet());
                assert!(0.29 < character.feet().y, "{what}");
                let mut n_flown = 0;
                for _ in 0..180 {
                    character.walk(&mut *sweep, DVec3::X * -3.0, 1.0 / 60.0);
                    n_flown += u32::from(character.ground().is_none());
                }
                assert!(character.feet().y < 0.01 && flies == (0 < n_flown), "{what}: {n_flown} in the air");
            }
        }
    }
}

#[test]
fn slopes_up_to_the_limit() {
    let limit = 45.0_f64;
    let mut angles: Vec<(f64, bool)> = (1..=17).map(|i| 5.0 * f64::from(i)).map(|a| (a, a < 45.1)).collect();
    angles.extend([(limit * (1.0 - NEAR), true), (limit * (1.0 + NEAR), false)]);
    let settings = CharacterSettings::default().with_slope_limit(limit.to_radians());
    for (degrees, is_climbed) in angles {
        let level = slope_course(degrees.to_radians());
        for (kind, world) in World::all(&level) {
            for (name, figure) in figures() {
                let mut character = start(&level, figure, settings);
                let mut sweep = world.sweep();
                walk(&mut character, &mut *sweep, DVec3::ZERO, 0.5);
                let (mut highest, mut fastest) = (0.0_f64, 0.0_f64);
                let end = level.blocks[0].corners.iter().fold(0.0_f64, |end, corner| end.max(corner.x));
                for _ in 0..1200 {
                    if end - 1.0 < character.feet().x {
                        break;
                    }
                    character.walk(&mut *sweep, DVec3::X * 3.0, 1.0 / 60.0);
                    highest = highest.max(character.feet().y);
                    fastest = fastest.max(character.velocity().length());
                }
                let what = format!("{kind}, {name}: slope of {degrees} degrees: highest {highest}");
                assert!(fastest <= 3.0 * (1.0 + 1e-9), "{what}: fastest {fastest}");
                assert!(is_climbed == (1.99 < highest) && highest < 2.02, "{what}");
                assert!(is_climbed || highest < 0.05, "{what}");
            }
        }
    }
}

#[test]
fn stairs_are_climbed_and_gone_down() {
    let mut level = step_course(0.4);
    level.blocks.truncate(1);
    level.stairs([2.0, 0.0, 0.0], [1.0, 0.0, 0.0], 10, 0.4, 0.35, 4.0);
    level.cuboid([5.5, 0.0, -2.0], [15.0, 4.0, 2.0]);
    let settings = CharacterSettings::default();
    for (kind, world) in World::all(&level) {
        for (name, figure) in figures() {
            for hertz in [30.0, 144.0] {
                let mut character = start(&level, figure, settings);
                let mut sweep = world.sweep();
                let mut n_air = 0;
                let mut go = |velocity: f64, seconds: f64| {
                    for _ in 0..(seconds * hertz) as usize {
                        character.walk(&mut *sweep, DVec3::X * velocity, 1.0 / hertz);
                        n_air += u32::from(character.ground().is_none());
                    }
                    character.feet()
                };
                go(0.0, 0.5);
                let top = go(2.0, 4.0);
                let what = format!("{kind}, {name}, {hertz} Hz");
                assert!((top.y - 4.0).abs() < 0.01 && 5.0 < top.x, "{what}: up to {top}");
                let foot = go(-2.0, 5.0);
                assert!(foot.y.abs() < 0.01 && foot.x < 0.5, "{what}: down to {foot}");
                assert!(n_air < 20, "{what}: {n_air} calls in the air");
            }
        }
    }
}
