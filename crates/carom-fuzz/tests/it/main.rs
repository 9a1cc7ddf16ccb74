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
    let seed = std::env::var("CAROM_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let mut random = Random::new(seed);
    for round in 0..n_inputs {
        let bytes = input(&mut random);
        let end = std::panic::catch_unwind(|| body(&bytes));
        if let Err(error) = end {
            println!("{name}, input {round} of seed {seed}: {bytes:?}");
            std::panic::resume_unwind(error);
        }
    }
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
    hull 3000;
    mesh 1500;
    bounds 8000;
    broad 1000;
    bvh 1000;
    manifolds 4000;
    pairs 4000;
    pairs_f64 4000;
    solver 2000;
    world 600;
}
