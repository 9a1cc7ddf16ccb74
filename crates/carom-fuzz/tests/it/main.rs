//! The bodies of the fuzz targets on random bytes, for a moment each.

use carom_fuzz::BODIES;
use carom_testkit::random::Random;

/// Bytes as a fuzzer might find them: random, with runs repeated and zeros at the end.
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
    tables_f64 4000;
    vehicles 400;
    world 600;
}
