//! Sliding, falling, riding and pushing.

use crate::worlds::{World, figures, start, walk};
use carom_bsp::Bevels;
use carom_character::{
    Character, CharacterSettings, Figure, GroundKind, NO_OBJECT, RayHit, RaySweep, ShapeWorld, Sweep,
    SweepHit, move_and_slide,
};
use carom_geom::f64::{Cuboid, Cylinder};
use carom_math::f64::Pose;
use carom_math::glam::{DQuat, DVec3};
use carom_query::f64::Shape;
use carom_scenes::{Level, Rng, corner_course, step_course};

/// Into corners of 5 to 170 degrees, along walls and out again: a character gains no speed, and
/// one that was stopped gets out.
#[test]
fn corners_give_no_speed_and_let_go() {
    let mut rng = Rng::new(3);
    let mut n_slow = 0;
    for degrees in [5.0_f64, 15.0, 40.0, 75.0, 90.0, 120.0, 170.0] {
        let level = corner_course(degrees.to_radians());
        for (kind, world) in World::all(&level) {
            for (name, figure) in figures() {
                let mut character = start(&level, figure, CharacterSettings::default());
                let mut sweep = world.sweep();
                walk(&mut character, &mut *sweep, DVec3::ZERO, 0.5);
                for turn in 0..20 {
                    let aside = rng.range(-1.5, 1.5);
                    let wish = DVec3::new(3.0, 0.0, aside);
                    for _ in 0..40 {
                        let before = character.position();
                        character.walk(&mut *sweep, wish, 1.0 / 60.0);
                        let gone = (character.position() - before).length() * 60.0;
                        let speed = character.velocity().length();
                        let most = wish.length() * (1.0 + 1e-9);
                        // A figure that is too near is moved out by up to a skin.
                        let most_gone = most + character.settings().skin * 60.0;
                        let what = format!("{kind}, {name}, {degrees} degrees: {speed} {gone} of {most}");
                        assert!(character.ground().is_some(), "{what}: in the air");
                        assert!(speed <= most && gone <= most_gone, "{what}");
                        n_slow += u32::from(speed < 0.9 * wish.length());
                    }
                    let here = character.position();
                    walk(&mut character, &mut *sweep, DVec3::X * -3.0, 0.5);
                    let out = here.x - character.position().x;
                    assert!(
                        1.4 < out,
                        "{kind}, {name}, {degrees} degrees, turn {turn}: only {out} out of the corner"
                    );
                }
            }
        }
    }
    assert!(5000 < n_slow, "corners are met: {n_slow}");
}

/// The geometric slide alone: the displacement is not longer than the wanted one, and the end is
/// free.
#[test]
fn a_slide_is_no_longer_than_its_displacement() {
    let mut level = Level::default();
    let mut rng = Rng::new(4);
    for _ in 0..60 {
        let low = rng.in_box(DVec3::splat(-4.0), DVec3::splat(3.0));
        let size = rng.in_box(DVec3::splat(0.2), DVec3::splat(1.5));
        level.cuboid(low.into(), (low + size).into());
    }
    let (mut n_bent, mut n_stopped) = (0, 0);
    for (kind, world) in World::all(&level) {
        let mut sweep = world.sweep();
        for (name, figure) in figures() {
            let mut contacts = Vec::new();
            for _ in 0..400 {
                let position = rng.in_box(DVec3::splat(-5.0), DVec3::splat(5.0));
                if !sweep.is_free(&figure, position) {
                    continue;
                }
                let direction = rng.direction() * rng.range(0.01, 4.0);
                contacts.clear();
                let slide = move_and_slide(&mut *sweep, &figure, position, direction, 0.005, &mut contacts);
                let what = format!("{kind}, {name}: {position} by {direction}");
                let slack = 0.005 * (1.0 + contacts.len() as f64);
                assert!((slide.position - position).length() <= direction.length() + slack, "{what}");
                assert!(
                    slide.left.length() <= direction.length() && sweep.is_free(&figure, slide.position),
                    "{what}"
                );
                n_bent += usize::from(!contacts.is_empty() && slide.left == DVec3::ZERO);
                n_stopped += usize::from(slide.left != DVec3::ZERO);
            }
        }
    }
    assert!(50 < n_bent && 5 < n_stopped, "{n_bent} {n_stopped}");
}

/// A jump is a parabola at each frame rate, and a ceiling ends it.
#[test]
fn jumps_are_parabolas() {
    let mut level = Level::default();
    level.cuboid([-50.0, -1.0, -50.0], [50.0, 0.0, 50.0]);
    level.cuboid([20.0, 2.2, -50.0], [50.0, 3.0, 50.0]);
    level.starts.push(DVec3::ZERO);
    let settings = CharacterSettings::default().with_air_acceleration(0.0);
    for (kind, world) in World::all(&level) {
        for (name, figure) in figures() {
            for hertz in [24.0, 60.0, 144.0] {
                let what = format!("{kind}, {name}, {hertz} Hz");
                let mut character = start(&level, figure, settings);
                let mut sweep = world.sweep();
                walk(&mut character, &mut *sweep, DVec3::X, 0.5);
                let from = character.position();
                assert!(character.jump(5.0) && !character.jump(5.0), "{what}");
                for frame in 1..=(0.75 * hertz) as usize {
                    character.walk(&mut *sweep, DVec3::ZERO, 1.0 / hertz);
                    let t = frame as f64 / hertz;
                    let expected = from + DVec3::new(t, 5.0 * t - 0.5 * settings.gravity * t * t, 0.0);
                    assert!((character.position() - expected).length() < 1e-6, "{what}: {expected}");
                }
                // Under the ceiling.
                character.set_position(DVec3::new(30.0, figure.stature() + 0.1, 0.0));
                character.set_velocity(DVec3::ZERO);
                walk(&mut character, &mut *sweep, DVec3::ZERO, 1.0);
                assert!(character.jump(5.0), "{what}");
                walk(&mut character, &mut *sweep, DVec3::ZERO, 0.1);
                assert!(character.velocity().y <= 0.0, "{what}: hit its head");
                walk(&mut character, &mut *sweep, DVec3::ZERO, 0.5);
                assert!(character.ground().is_some(), "{what}");
            }
        }
    }
}

/// A character that starts in an obstacle is moved to a free position nearby. A call with a NaN or
/// an infinity moves nothing.
#[test]
fn starts_in_the_solid() {
    let mut level = Level::default();
    level.cuboid([-5.0, -1.0, -5.0], [5.0, 0.0, 5.0]);
    level.cuboid([1.0, 0.0, -1.0], [2.0, 2.0, 1.0]);
    for (kind, world) in World::all(&level) {
        let mut sweep = world.sweep();
        for (name, figure) in figures() {
            let what = format!("{kind}, {name}");
            // In the floor, in the side of the pillar.
            for position in
                [DVec3::new(-2.0, figure.stature() - 0.1, 0.0), DVec3::new(0.8, figure.stature() + 0.01, 0.0)]
            {
                let mut character = Character::new(figure, CharacterSettings::default(), position).unwrap();
                character.walk(&mut *sweep, DVec3::ZERO, 1.0 / 60.0);
                let freed = character.walked().freed;
                assert!(0.05 < freed.length() && freed.length() < 0.3, "{what}: freed by {freed}");
                assert!(sweep.is_free(&figure, character.position()), "{what}");
            }
            let mut character = Character::new(figure, CharacterSettings::default(), DVec3::Y * 2.0).unwrap();
            for (wish, dt) in
                [(DVec3::NAN, 0.1), (DVec3::X, f64::NAN), (DVec3::X, -1.0), (DVec3::X, f64::INFINITY)]
            {
                let before = character.clone();
                assert!(character.walk(&mut *sweep, wish, dt).was_refused, "{what}");
                assert_eq!(character.position(), before.position());
            }
            character.set_position(DVec3::NAN);
            character.set_velocity(DVec3::NAN);
            assert!(!character.jump(1.0));
            character.walk(&mut *sweep, DVec3::splat(1e300), 1e10);
            assert!(character.position().is_finite(), "{what}");
        }
    }
    let figure = Figure::capsule(1.8, 0.3).unwrap();
    assert!(Character::new(figure, CharacterSettings::default(), DVec3::NAN).is_err());
    assert!(Character::new(figure, CharacterSettings::default().with_skin(0.0), DVec3::ZERO).is_err());
    assert!(Character::new(figure, CharacterSettings::default().with_slope_limit(2.0), DVec3::ZERO).is_err());
    assert!(Figure::capsule(f64::NAN, 0.3).is_err() && Figure::cylinder(1.8, -1.0).is_err());
}

/// Between two slopes that are too steep a figure is wedged: it stands, can walk along, and can
/// jump.
#[test]
fn a_groove_holds_and_lets_go() {
    let mut level = Level::default();
    level.cuboid([-10.0, -1.0, -10.0], [10.0, 0.0, 10.0]);
    for side in [-1.0, 1.0] {
        let outline = [[0.0, 0.0], [3.0, 0.0], [3.0, 5.0]];
        let axes = [DVec3::Z * side, DVec3::Y, DVec3::X * 12.0];
        level.blocks.push(carom_scenes::Block::extruded(&outline, DVec3::X * -6.0, axes));
    }
    level.starts.push(DVec3::new(0.0, 2.0, 0.3));
    let world = World::bsp(&level, Bevels::All);
    for (name, figure) in figures() {
        let mut character = start(&level, figure, CharacterSettings::default());
        let mut sweep = world.sweep();
        for _ in 0..120 {
            character.walk(&mut *sweep, DVec3::ZERO, 1.0 / 60.0);
            // The call that ends the fall also ends its velocity.
            assert!(character.ground().is_none() || character.velocity() == DVec3::ZERO, "{name}");
        }
        let ground = character.ground().copied();
        assert_eq!(ground.map(|ground| ground.kind), Some(GroundKind::Wedge), "{name}");
        let from = character.position();
        walk(&mut character, &mut *sweep, DVec3::X, 1.0);
        assert!(
            (character.position() - from - DVec3::X).length() < 0.05,
            "{name}: {}",
            character.position() - from
        );
        // It cannot climb out.
        walk(&mut character, &mut *sweep, DVec3::Z * 3.0, 1.0);
        assert!((character.position().y - from.y).abs() < 0.1, "{name}");
        assert!(character.jump(5.0), "{name}");
        walk(&mut character, &mut *sweep, DVec3::ZERO, 0.2);
        assert!(0.5 < character.position().y - from.y, "{name}");
    }
}

/// A moving floor. After a motion it may overlap the figure, or be below it.
struct Lift {
    top: f64,
    velocity: DVec3,
}

impl RaySweep for Lift {
    fn ray(&mut self, from: DVec3, displacement: DVec3, _: Option<&RayHit>) -> Option<RayHit> {
        let t = (self.top - from.y) / displacement.y;
        (0.0 <= t && t <= 1.0).then(|| RayHit::new(t, DVec3::Y).moving(self.velocity))
    }
}

impl Sweep for Lift {
    fn sweep(&mut self, figure: &Figure, from: DVec3, displacement: DVec3, keep: f64) -> Option<SweepHit> {
        let height = from.y - figure.stature() - self.top;
        if height < 0.0 {
            return Some(SweepHit::inside(from));
        }
        if 0.0 <= displacement.y || keep <= height + displacement.y {
            return None;
        }
        let t = ((height - keep) / -displacement.y).max(0.0);
        let gap = height + displacement.y * t;
        let position = from + displacement * t;
        let point = DVec3::new(position.x, self.top, position.z);
        Some(SweepHit::new(t, gap, DVec3::Y, point).on(7, 3).moving(self.velocity))
    }

    fn is_free(&mut self, figure: &Figure, position: DVec3) -> bool {
        self.top <= position.y - figure.stature()
    }

    fn nearest_free(&mut self, figure: &Figure, position: DVec3) -> Option<DVec3> {
        Some(DVec3::new(position.x, position.y.max(self.top + figure.stature() + 1e-9), position.z))
    }
}

/// On a floor that moves up, down and aside the character stays at its point, on the ground, with
/// the velocity of the ground.
#[test]
fn platforms_carry() {
    for velocity in [DVec3::X * 2.0, DVec3::Y * 1.5, DVec3::Y * -1.5, DVec3::new(1.0, -2.0, 3.0)] {
        let mut lift = Lift { top: 0.0, velocity: DVec3::ZERO };
        let figure = Figure::capsule(1.8, 0.3).unwrap();
        let mut character =
            Character::new(figure, CharacterSettings::default(), DVec3::Y * (0.9 + 0.005)).unwrap();
        walk(&mut character, &mut lift, DVec3::ZERO, 0.5);
        assert_eq!(character.ground().map(|ground| (ground.object, ground.part)), Some((7, 3)));
        lift.velocity = velocity;
        character.walk(&mut lift, DVec3::ZERO, 0.0);
        let from = character.position();
        for frame in 1..=120 {
            lift.top += velocity.y / 60.0;
            let counted = allocation_counter::measure(|| {
                character.walk(&mut lift, DVec3::ZERO, 1.0 / 60.0);
            });
            // Lists grow in the first calls.
            assert!(frame < 3 || counted.count_total == 0, "{velocity}, frame {frame}");
            let expected = from + velocity * f64::from(frame) / 60.0;
            assert!(
                (character.position() - expected).length() < 0.006,
                "{velocity}: {} {expected}",
                character.position()
            );
            assert!(character.ground().is_some(), "{velocity}, frame {frame}");
            assert!(
                (character.velocity() - velocity).length() < 1e-9,
                "{velocity}: {}",
                character.velocity()
            );
        }
        // It leaves with the velocity of the ground.
        assert!(character.jump(3.0));
        let jumping = velocity + DVec3::Y * 3.0;
        assert!((character.velocity() - jumping).length() < 1e-9);
    }
}

/// A contact is reported, with the impulse that would stop the character, up to its largest push.
#[test]
fn pushes_are_reported() {
    let mut level = Level::default();
    level.cuboid([-5.0, -1.0, -5.0], [5.0, 0.0, 5.0]);
    level.cuboid([1.0, 0.0, -5.0], [2.0, 2.0, 5.0]);
    level.starts.push(DVec3::ZERO);
    let settings = CharacterSettings::default().with_push(80.0, 1e9);
    let world = World::bsp(&level, Bevels::All);
    let mut character = start(&level, Figure::cylinder(1.8, 0.3).unwrap(), settings);
    let mut sweep = world.sweep();
    walk(&mut character, &mut *sweep, DVec3::ZERO, 0.5);
    walk(&mut character, &mut *sweep, DVec3::new(2.0, 0.0, 1.0), 1.0);
    let contact = character.walked().contacts[0];
    assert_eq!((contact.normal, contact.object), (-DVec3::X, NO_OBJECT));
    assert!((contact.approach - 2.0).abs() < 1e-9);
    assert!((character.push(&contact, 1.0 / 60.0) - DVec3::X * 160.0).length() < 1e-6);
    assert!((character.walked().left - DVec3::new(2.0, 0.0, 1.0) / 60.0).length() < 0.05);
}

/// A level far from the origin, with z up.
#[test]
fn anywhere_and_in_any_orientation() {
    let quarter = |v: DVec3| DVec3::new(v.x, -v.z, v.y);
    let mut level = Level::default();
    let far = DVec3::new(30_000.0, -20_000.0, 10_000.0);
    // Up is z.
    level.cuboid((far + DVec3::new(-4.0, -4.0, -1.0)).into(), (far + DVec3::new(10.0, 4.0, 0.0)).into());
    level.cuboid((far + DVec3::new(2.0, -4.0, 0.0)).into(), (far + DVec3::new(10.0, 4.0, 0.4)).into());
    let world = World::bsp(&level, Bevels::All);
    for (name, figure) in figures() {
        let figure = figure.with_up(DVec3::Z);
        let position = far + quarter(DVec3::new(0.0, figure.stature() + 0.01, 0.0));
        let mut character = Character::new(figure, CharacterSettings::default(), position).unwrap();
        let mut sweep = world.sweep();
        walk(&mut character, &mut *sweep, DVec3::ZERO, 0.3);
        walk(&mut character, &mut *sweep, DVec3::X * 2.0, 2.0);
        let feet = character.feet() - far;
        assert!((feet.z - 0.405).abs() < 1e-4 && (feet.x - 4.0).abs() < 0.15, "{name}: {feet}");
    }
}

/// A turntable carries each figure around its middle, wherever the contact point is under a flat
/// foot. The radius stays for a minute.
#[test]
fn turntables_carry() {
    let dt = 1.0 / 60.0;
    let spin = DVec3::Y * 3.0;
    for (name, figure) in figures() {
        let mut world = ShapeWorld::new();
        let disc = Shape::Cylinder(Cylinder::new(0.25, 3.0).unwrap());
        let disc = world.insert(disc, Pose::from_translation(DVec3::Y * -0.25));
        let position = DVec3::new(0.5, figure.stature() + 0.01, 0.3);
        let mut character = Character::new(figure, CharacterSettings::default(), position).unwrap();
        walk(&mut character, &mut world, DVec3::ZERO, 0.2);
        let radius = DVec3::new(0.5, 0.0, 0.3).length();
        for frame in 0..3600 {
            let turned = DQuat::from_scaled_axis(spin * (f64::from(frame % 1000) * dt));
            world.set_motion(disc, Pose::new(turned, DVec3::Y * -0.25), DVec3::ZERO, spin);
            character.walk(&mut world, DVec3::ZERO, dt);
            let feet = character.feet();
            let away = DVec3::new(feet.x, 0.0, feet.z).length();
            assert!((away - radius).abs() < 0.01 * radius, "{name}, frame {frame}: at {feet}");
            let expected = spin.cross(feet);
            assert!((character.velocity() - expected).length() < 1e-6, "{name}, frame {frame}");
        }
    }
}

/// Calls with a result that is not finite change nothing, and report that.
#[test]
fn beyond_the_numbers_nothing_is_done() {
    let level = step_course(0.3);
    for (kind, world) in World::all(&level) {
        for (name, figure) in figures() {
            for (wish, dt, velocity) in
                [(1e-30, 1e308, 0.0), (1e300, 1e100, 0.0), (1.7e308, 1e6, 0.0), (1.0, 1e100, 1.7e308)]
            {
                let mut character = start(&level, figure, CharacterSettings::default());
                let mut sweep = world.sweep();
                walk(&mut character, &mut *sweep, DVec3::ZERO, 0.2);
                character.set_velocity(DVec3::ONE * velocity);
                let before = (character.position(), character.velocity(), character.ground().copied());
                let walked = character.walk(&mut *sweep, DVec3::ONE * wish, dt).clone();
                let after = (character.position(), character.velocity(), character.ground().copied());
                let what = format!("{kind}, {name}, wish of {wish:e} for {dt:e} s");
                assert!(walked.was_refused && walked.left == DVec3::ZERO, "{what}: {walked:?}");
                assert_eq!(before, after, "{what}");
                character.set_velocity(DVec3::ZERO);
                assert!(!character.walk(&mut *sweep, DVec3::X, 1.0 / 60.0).was_refused, "{what}");
            }
        }
    }
    let mut world = ShapeWorld::new();
    let floor = Shape::Cuboid(Cuboid::new(DVec3::new(9.0, 0.5, 9.0)).unwrap());
    let floor = world.insert(floor, Pose::IDENTITY);
    for bad in [DVec3::NAN, DVec3::X * f64::INFINITY] {
        assert!(!world.set_motion(floor, Pose::IDENTITY, bad, DVec3::ZERO));
        assert!(!world.set_motion(floor, Pose::IDENTITY, DVec3::ZERO, bad));
        assert!(!world.set_motion(floor, Pose::from_translation(bad), DVec3::ZERO, DVec3::ZERO));
    }
    assert_eq!(world.pose(floor), Some(&Pose::IDENTITY));
}
