//! Many bodies: sleeping ones cost nothing, and removed ones leave nothing behind. The example
//! `million` is the same at full size.

use crate::scenes::{CheckedStep, DT, cuboid, ground};
use carom_math::Vec3;
use carom_world::{BodyDesc, BodyId, World};

/// Piles of three boxes on a floor, every tenth of which may not sleep, until the others do.
fn asleep(n_piles: usize) -> (World, Vec<BodyId>) {
    let mut world = World::new();
    world.insert(ground()).unwrap();
    let mut bodies = Vec::new();
    for i in 0..3 * n_piles {
        let at = Vec3::new((i / 3 % 40) as f32 * 1.5, 0.5 + (i % 3) as f32, (i / 120) as f32 * 1.5);
        let desc = BodyDesc::dynamic(cuboid(Vec3::splat(0.5))).with_position(at);
        bodies.push(world.insert(desc.with_can_sleep(!(i / 3).is_multiple_of(10))).unwrap());
    }
    for _ in 0..60 {
        world.checked_step(DT).unwrap();
    }
    (world, bodies)
}

#[test]
fn sleeping_bodies_are_not_tested() {
    let (mut world, bodies) = asleep(300);
    let stats = *world.checked_step(DT).unwrap();
    let n_seen_to = stats.n_tested + stats.n_recycled;
    assert_eq!((stats.solver.n_awake, n_seen_to, stats.solver.n_manifolds), (90, 90, 90));
    assert_eq!((stats.n_bodies, stats.n_pairs, stats.n_manifolds), (901, 900, 900));
    // All touching pairs are still reported, with their contacts.
    assert_eq!((stats.n_touching, world.events().len()), (900, 900));
    assert_eq!(world.contacts().filter(|view| view.is_touching && view.manifolds.len() == 1).count(), 900);
    // A box that falls on a pile wakes it, and no other.
    let above = world.body(bodies[5]).unwrap().position() + Vec3::Y * 1.2;
    world.insert(BodyDesc::dynamic(cuboid(Vec3::splat(0.4))).with_position(above)).unwrap();
    let mut most = 0;
    for _ in 0..20 {
        most = most.max(world.checked_step(DT).unwrap().solver.n_awake);
    }
    assert_eq!(most, 94);
    assert!(!world.body(bodies[3]).unwrap().is_sleeping() && world.body(bodies[6]).unwrap().is_sleeping());
    // And so does one that is taken away.
    world.remove(bodies[6]).unwrap();
    assert!(!world.body(bodies[7]).unwrap().is_sleeping() && !world.body(bodies[8]).unwrap().is_sleeping());
    assert!(world.body(bodies[9]).unwrap().is_sleeping());
    for _ in 0..60 {
        world.checked_step(DT).unwrap();
    }
    assert!((world.body(bodies[7]).unwrap().position().y - 0.5).abs() < 0.02, "it fell to the ground");
}

#[test]
fn inserted_and_removed_bodies_leave_nothing_behind() {
    let (mut world, bodies) = asleep(60);
    let n = world.len();
    let mut added = Vec::new();
    let mut frame = |world: &mut World| {
        for body in added.drain(..) {
            world.remove(body).unwrap();
        }
        for i in 0..50 {
            // Some of them on the piles that sleep.
            let at = Vec3::new((i % 10) as f32 * 1.5, 3.45 + (i / 10) as f32, 0.0);
            let desc = BodyDesc::dynamic(cuboid(Vec3::splat(0.4))).with_position(at);
            added.push(world.insert(desc).unwrap());
        }
        world.checked_step(DT).unwrap();
        assert_eq!((world.len(), world.stats().n_bodies), (n + 50, n + 50));
    };
    for _ in 0..100 {
        frame(&mut world);
    }
    let counted = allocation_counter::measure(|| {
        for _ in 0..400 {
            frame(&mut world);
        }
    });
    println!("{counted:?}");
    // Tables may double once; a leak of one byte a body would be 20,000.
    assert!(counted.bytes_current < 16_384, "{counted:?}");
    assert!(bodies.iter().all(|&body| world.body(body).unwrap().pose().is_finite()), "a body was lost");
}
