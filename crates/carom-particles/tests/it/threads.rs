//! Any number of threads, and any instruction set, gives the same bits.

use crate::connected::{Particles, sheet};
use crate::scenes::{buffer_of, camera, from_above, point, square};
use crate::soft_bodies::block;
use carom_lanes::{Level, force_level};
use carom_math::Vec3;
use carom_particles::{
    Bounce, Cloth, ClothSettings, Inflatable, InflatableSettings, ShapeMatching, SmallSteps, SoftBody,
    SoftBodySettings, advance_in_field,
};
use carom_scenes::Rng;
use carom_scenes::mesh::icosphere;

#[test]
fn any_number_of_threads_gives_the_same() {
    let buffer = buffer_of(camera(), 128, &square(Vec3::Z * -5.0, Vec3::new(3.0, 0.0, 1.0), Vec3::Y * 3.0));
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut rng = Rng::new(6);
            let mut positions: Vec<Vec3> =
                (0..30_000).map(|_| point(&mut rng, 3.0) - Vec3::Z * 4.0).collect();
            let mut velocities: Vec<Vec3> = (0..30_000).map(|_| point(&mut rng, 10.0)).collect();
            let (mut outcomes, mut all) = (Vec::new(), Vec::new());
            for _ in 0..5 {
                let bounce = Bounce::default();
                all.push(
                    buffer.advance(&mut positions, &mut velocities, 0.02, &bounce, &mut outcomes).unwrap(),
                );
                let ball = |p: Vec3| (p.length() - 2.0, p.normalize_or(Vec3::Y));
                let counts = advance_in_field(
                    ball,
                    0.1,
                    &mut positions,
                    &mut velocities,
                    0.02,
                    &bounce,
                    &mut outcomes,
                );
                all.push(counts.unwrap());
            }
            (positions, velocities, outcomes, all)
        })
    };
    let one = run(1);
    assert!(one.3.iter().all(|counts| 0 < counts.n_bounced));
    assert!(run(2) == one && run(7) == one);
}

/// Sevens are never moved eight at a time.
#[test]
fn eight_at_a_time_are_as_one_by_one() {
    let plane = square(Vec3::new(0.0, 0.0, -5.0), Vec3::new(3.0, 0.3, 1.0), Vec3::new(0.2, 3.0, 0.4));
    for camera in [camera(), from_above(6.0, 8.0)] {
        let buffer = buffer_of(camera, 100, &plane);
        let run = |chunk: usize| {
            let mut rng = Rng::new(12);
            let mut positions: Vec<Vec3> =
                (0..20_011).map(|_| point(&mut rng, 4.0) - Vec3::Z * 4.0).collect();
            let mut velocities: Vec<Vec3> = (0..20_011).map(|_| point(&mut rng, 30.0)).collect();
            let (mut outcomes, mut all) = (Vec::new(), Vec::new());
            for _ in 0..4 {
                for (p, v) in positions.chunks_mut(chunk).zip(velocities.chunks_mut(chunk)) {
                    buffer.advance(p, v, 0.02, &Bounce::default(), &mut outcomes).unwrap();
                    all.extend_from_slice(&outcomes);
                }
            }
            (positions, velocities, all)
        };
        let wanted = run(7);
        for level in [Level::Generic, Level::Sse2, Level::Avx2, Level::Neon] {
            if force_level(Some(level)) {
                assert!(run(20_011) == wanted, "{level:?}");
            }
        }
        force_level(None);
    }
}

/// A cloth that hangs from two corners and folds.
fn hung_cloth(n: u32) -> Particles {
    let (rest, triangles) = sheet(n, n, 0.02);
    let settings = ClothSettings::default().with_bend_stiffness(1e-4).with_damping(1.0);
    let mut cloth = Cloth::new(0, &rest, &triangles, &settings).unwrap();
    let mut particles = Particles::new(rest, 1e-3);
    (particles.inverse_masses[0], particles.inverse_masses[n as usize - 1]) = (0.0, 0.0);
    particles.stir(&mut Rng::new(2), 0.5);
    particles.run(&SmallSteps::default(), 3, &mut cloth);
    assert!(particles.is_finite());
    particles
}

#[test]
fn any_number_of_threads_gives_the_same_cloth() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| hung_cloth(150))
    };
    let one = run(1);
    assert!(run(2) == one && run(7) == one);
}

#[test]
fn any_number_of_threads_gives_the_same_soft_body() {
    let (rest, tetrahedra) = block([16, 16, 8], 0.1);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let settings = SoftBodySettings::default().with_damping(1.0);
            let mut body = SoftBody::new(0, &rest, &tetrahedra, &settings).unwrap();
            let mut particles = Particles::new(rest.clone(), 1e-2);
            particles.stir(&mut Rng::new(5), 1.0);
            particles.run(&SmallSteps::default(), 2, &mut body);
            particles
        })
    };
    let one = run(1);
    assert!(run(2) == one && run(7) == one);
}

/// Clusters that overlap, and a balloon, whose volume is one sum on any number of threads.
#[test]
fn any_number_of_threads_gives_the_same_clusters_and_balloon() {
    let (rest, _) = block([10, 10, 8], 0.1);
    let skin = icosphere(1280);
    let skin_rest = skin.vertices_f32();
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut soft = ShapeMatching::soft(0, &rest, 0.1, 50.0).unwrap();
            assert!(30 < soft.n_clusters(), "{}", soft.n_clusters());
            let mut jelly = Particles::new(rest.clone(), 1e-2);
            jelly.stir(&mut Rng::new(5), 1.0);
            jelly.run(&SmallSteps::default(), 2, &mut soft);
            let settings = InflatableSettings::default();
            let mut balloon = Inflatable::new(0, &skin_rest, &skin.triangles, &settings).unwrap();
            let mut air = Particles::new(skin_rest.clone(), 1e-2);
            air.stir(&mut Rng::new(6), 1.0);
            air.run(&SmallSteps::default(), 2, &mut balloon);
            (jelly, air)
        })
    };
    let one = run(1);
    assert!(one.0.is_finite() && one.1.is_finite());
    assert!(run(2) == one && run(7) == one);
}

#[test]
fn cloth_is_the_same_on_any_instruction_set() {
    let wanted = hung_cloth(20);
    for level in [Level::Generic, Level::Sse2, Level::Avx2, Level::Neon] {
        if force_level(Some(level)) {
            assert!(hung_cloth(20) == wanted, "{level:?}");
        }
    }
    force_level(None);
}
