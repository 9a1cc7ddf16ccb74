//! The bodies of the fuzz targets on random bytes, for a moment each.

use carom_fuzz::BODIES;
use carom_testkit::random::Random;

/// Returns bytes like those of a fuzzer: random, with repeated runs and zeros at the end.
fn input(random: &mut Random) -> Vec<u8> {
    let n = 16 + random.below(400);
    let mut bytes: Vec<u8> = (0..n).map(|_| random.bits() as u8).collect();
    for _ in 0..random.below(4) {
        let (from, to, length) = (random.below(n), random.below(n), random.below(40));
        for i in 0..length.min(n - from).min(n - to) {
            bytes[to + i] = bytes[from + i];
        }
    }
    bytes.truncate(1 + random.below(n));
    bytes
}

fn run(name: &str, n_inputs: usize) {
    let body = BODIES.iter().find(|(other, _)| *other == name).map(|(_, body)| body);
    let body = body.unwrap_or_else(|| panic!("no body {name}"));
    let n_inputs = if std::env::var_os("CAROM_SLOW").is_some() { 100 * n_inputs } else { n_inputs };
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok()).unwrap_or(1);
    let (seed, n_seeds) = (number("CAROM_SEED"), number("CAROM_SEEDS"));
    let mut n_failed = 0;
    for seed in seed..seed + n_seeds {
        let mut random = Random::new(seed);
        for round in 0..n_inputs {
            let bytes = input(&mut random);
            if std::panic::catch_unwind(|| body(&bytes)).is_err() {
                println!("{name}, input {round} of seed {seed}: {bytes:?}");
                n_failed += 1;
            }
        }
    }
    assert_eq!(n_failed, 0, "of {n_inputs} inputs of {name} for each of {n_seeds} seeds");
}

macro_rules! bodies {
    ($($name:ident $n:expr;)*) => {
        $(#[test] fn $name() { run(stringify!($name), $n); })*

        #[test]
        fn every_body_is_run() {
            let names = [$(stringify!($name)),*];
            assert_eq!(names.len(), BODIES.len());
            assert!(BODIES.iter().all(|(name, _)| names.contains(name)));
        }
    };
}

bodies! {
    convex 4000;
    triangles 6000;
    elements 1500;
    field_pairs 1500;
    sphere_triangle 1500;
    hooks 400;
    hull 3000;
    impacts 3000;
    known 4000;
    levels 1000;
    mesh 1500;
    neighbours 6000;
    particles 400;
    bounds 8000;
    broad 1000;
    bvh 1000;
    changing 400;
    deform 1500;
    manifolds 4000;
    pairs 4000;
    pairs_f64 4000;
    renewal 60;
    sdf 1500;
    soft_world 400;
    solver 2000;
    tables 4000;
    tori 1500;
    tables_f64 4000;
    vehicles 400;
    world 600;
}

/// Regression: a step that refused the velocity of a pinned vertex, or that of a force, lost the
/// positions of the soft body, and the next step panicked.
#[test]
fn r_a_refused_step_keeps_the_positions_of_soft_bodies() {
    carom_fuzz::soft_world(&[
        152, 241, 201, 100, 103, 156, 197, 168, 5, 73, 48, 160, 122, 32, 83, 53, 231, 224, 133, 86, 158, 197,
        179, 56, 108, 100, 41, 38, 179, 68, 180, 154, 160, 42, 165, 37, 55, 240, 168, 41, 161, 179, 202, 125,
        192, 113, 194, 113,
    ]);
    carom_fuzz::soft_world(&[
        35, 249, 217, 9, 174, 156, 84, 88, 227, 140, 177, 248, 226, 47, 12, 97, 157, 201, 22, 176, 138, 133,
        251, 37, 74, 165, 96, 230, 229, 236, 143, 59, 39, 199, 221, 124, 89, 209, 11, 125, 211, 183, 26, 232,
        160, 52, 122, 175,
    ]);
}

/// Regression: after a body was removed, a step of `dt` 0 used the contacts of the previous step
/// with the present bodies.
#[test]
fn r_a_step_of_no_time_after_a_body_was_removed() {
    carom_fuzz::soft_world(&[
        129, 53, 213, 13, 52, 16, 77, 5, 86, 79, 76, 205, 117, 172, 11, 92, 12, 240, 14, 160, 162, 8, 174,
        220, 240, 224, 47, 132, 154, 227, 90, 235, 70, 183, 190, 91, 33, 123, 180, 34, 45, 101, 0, 186, 61,
        17, 209, 218, 46, 157, 20, 196, 242, 191, 102, 0, 172, 51, 5, 127, 25, 164, 30, 149, 39, 84, 222,
        114, 202, 138, 218, 231, 99, 24, 99, 0, 210, 213, 251, 143, 128, 213, 137, 39, 244, 5, 189, 226, 35,
        77, 226, 188, 136, 196, 71, 162, 196, 200, 206, 31, 205, 81, 121, 199, 34, 158, 68, 174, 81, 249,
        197, 185, 48, 161, 97, 49, 16, 148, 120, 39, 48, 0, 61, 152, 139, 202, 71, 5, 238, 79, 93, 217, 180,
        26, 99, 153, 59, 136, 110, 32, 73, 176, 25, 181, 4, 170, 131, 173, 165, 83, 150, 234, 110, 102, 250,
        139, 231, 233, 69, 252, 73, 39, 244, 65, 219, 93, 43, 201, 108, 159, 183, 239, 223, 119, 208, 238,
        167, 254, 171, 216, 19, 26, 247, 42, 24, 155, 132, 179, 112, 144, 209, 218, 46, 157, 20, 196, 242,
        127, 184, 51, 71, 202, 238, 24, 140, 138, 7, 243, 46, 200, 16, 215, 131, 67, 147, 183, 12, 59, 236,
        14, 64, 142, 252, 153, 147, 35, 36, 252, 163, 223, 137, 153, 175, 83, 234, 225, 228, 248, 136, 15,
        208, 99, 80, 6, 207, 114, 33, 92, 202, 40, 80, 184, 231, 75, 133, 168, 146, 8, 122, 184, 226, 252,
        220, 23, 10, 165, 141, 3, 63, 80, 161, 249, 91, 254, 238, 148, 174, 67, 108, 73, 116,
    ]);
}
