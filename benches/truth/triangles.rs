//! Triangle against triangle: `tri_tri::intersects` in both orders, and `tri_intersection`. All
//! pairs are compared with integer arithmetic, and one in a hundred, with rounded coordinates, with
//! rational arithmetic.

use crate::{Options, work};
use carom_geom::tri_intersection::{Intersection, intersection};
use carom_geom::tri_tri;
use carom_testkit::oracle::integer::triangles_meet;
use carom_testkit::oracle::triangle::hulls_meet;
use carom_testkit::random::Random;
use carom_testkit::triangle_pairs::{self, Family, Placement};
use glam::DVec3;
use std::time::Instant;

/// The number of pairs in one chunk of the work.
const CHUNK: u64 = 1 << 14;
/// One pair in this many has coordinates of 53 random bits, rounded onto the other triangle, and is
/// compared with rationals.
const ROUNDED: u64 = 128;
/// The number of wrong answers that are printed; the others are counted.
const MAX_PRINTED: usize = 20;

const N_ROWS: usize = Family::ALL.len() + 1;
const N_COLUMNS: usize = Placement::ALL.len();

#[derive(Clone, Copy, Default)]
struct Count {
    pairs: u64,
    meet: u64,
    /// The number of pairs for which plain `f64` was uncertain.
    exact: u64,
    wrong: u64,
}

#[derive(Default)]
struct Tally {
    counts: [[Count; N_COLUMNS]; N_ROWS],
    failures: Vec<String>,
}

/// Runs all pairs. Returns whether no answer was wrong.
pub(crate) fn run(options: &Options) -> bool {
    let n_chunks = options.count.unwrap_or(1_000_000).div_ceil(CHUNK);
    let start = Instant::now();
    let tallies = work::in_chunks(n_chunks, options, |chunk, tally: &mut Tally| {
        let mut random = Random::new(options.seed.wrapping_mul(0x5851_f42d_4c95_7f2d) ^ chunk << 20);
        for round in 0..CHUNK {
            one(&mut random, round, tally);
        }
    });
    let mut counts = [[Count::default(); N_COLUMNS]; N_ROWS];
    for tally in &tallies {
        for (sum, count) in counts.iter_mut().flatten().zip(tally.counts.iter().flatten()) {
            sum.pairs += count.pairs;
            sum.meet += count.meet;
            sum.exact += count.exact;
            sum.wrong += count.wrong;
        }
    }
    let n_pairs = n_chunks * CHUNK;
    let n_wrong = report(&counts);
    for line in tallies.iter().flat_map(|tally| &tally.failures).take(MAX_PRINTED) {
        println!("{line}");
    }
    println!(
        "{n_pairs} pairs, {n_wrong} wrong, {:.1} s, seed {}",
        start.elapsed().as_secs_f64(),
        options.seed
    );
    let n_counted: u64 = counts.iter().flatten().map(|count| count.pairs).sum();
    n_wrong == 0 && n_counted == n_pairs
}

fn one(random: &mut Random, round: u64, tally: &mut Tally) {
    // About half of the pairs keep their coordinates; the others are spread over the scale of
    // `f64`.
    let column = if random.below(2) == 0 { 0 } else { random.below(N_COLUMNS) };
    let placement = Placement::ALL[column];
    let row = if round.is_multiple_of(ROUNDED) { Family::ALL.len() } else { random.below(Family::ALL.len()) };
    let (a, b, expected) = match Family::ALL.get(row) {
        Some(&family) => {
            let [a, b] = triangle_pairs::pair(random, family);
            (placement.apply(&a), placement.apply(&b), triangles_meet(&a, &b))
        }
        None => {
            let (a, b) = rounded(random, placement);
            (a, b, hulls_meet(&a, &b))
        }
    };
    let count = &mut tally.counts[row][column];
    count.pairs += 1;
    count.meet += u64::from(expected);
    count.exact += u64::from(tri_tri::intersects_filter(&a, &b).is_none());
    let shared = intersection(&a, &b) != Intersection::Empty;
    let certain = tri_tri::intersects_filter(&a, &b).unwrap_or(expected);
    if [tri_tri::intersects(&a, &b), tri_tri::intersects(&b, &a), shared, certain] != [expected; 4] {
        count.wrong += 1;
        if tally.failures.len() < MAX_PRINTED {
            tally.failures.push(format!("expected {expected}: {a:?} {b:?}"));
        }
    }
}

/// Returns triangles with corners of 53 bits. One corner is put on the other triangle, as exactly
/// as rounding allows.
fn rounded(random: &mut Random, placement: Placement) -> ([DVec3; 3], [DVec3; 3]) {
    let mut a = [0; 3].map(|_| random.cube_point());
    let mut b = [0; 3].map(|_| random.cube_point());
    if random.below(3) == 0 {
        // A sliver.
        a[2] = a[0] + (a[1] - a[0]) * random.unit() + (a[2] - a[0]) * 0.5_f64.powi(random.below(60) as i32);
    }
    b[0] = a[0] + ((a[1] - a[0]) * random.unit() + (a[2] - a[0]) * random.range(0.0, 0.6));
    match random.below(4) {
        0 => {
            b[1] = a[0] + ((a[1] - a[0]) * random.range(-1.0, 2.0) + (a[2] - a[0]) * random.range(-1.0, 2.0))
        }
        1 => b[1] = b[0] + (b[1] - b[0]) * 0.5_f64.powi(random.below(60) as i32),
        2 => b[2] = b[0] + (b[0] - b[1]) * random.unit(),
        _ => {}
    }
    if random.below(4) == 0 {
        // All in one plane, but for the rounding of `f64`.
        b[2] = a[0] + ((a[1] - a[0]) * random.range(-1.0, 2.0) + (a[2] - a[0]) * random.range(-1.0, 2.0));
    }
    let scale = match placement {
        Placement::Plain => 1.0,
        Placement::BigOffset | Placement::ScaledOffset => {
            let offset = DVec3::new(3e3, -7e5, 9e7);
            a = a.map(|p| p + offset);
            b = b.map(|p| p + offset);
            1.0
        }
        Placement::Tiny => 2_f64.powi(-1000),
        Placement::Subnormal => 2_f64.powi(-1060),
        Placement::Huge => 2_f64.powi(900),
    };
    (a.map(|p| p * scale), b.map(|p| p * scale))
}

/// Prints a line for each family and one for each placement. Returns the number of wrong answers.
fn report(counts: &[[Count; N_COLUMNS]; N_ROWS]) -> u64 {
    let line = |name: String, counts: &mut dyn Iterator<Item = &Count>| {
        let mut sum = Count::default();
        for count in counts {
            sum.pairs += count.pairs;
            sum.meet += count.meet;
            sum.exact += count.exact;
            sum.wrong += count.wrong;
        }
        let part = |n: u64| 100.0 * n as f64 / sum.pairs.max(1) as f64;
        let (meet, exact) = (part(sum.meet), part(sum.exact));
        println!("{name:16} {:>11} {meet:7.2} % {exact:11.2} % {:>7}", sum.pairs, sum.wrong);
        sum.wrong
    };
    println!("{:16} {:>11} {:>9} {:>13} {:>7}", "", "pairs", "meet", "filter unsure", "wrong");
    for (row, counts) in counts.iter().enumerate() {
        let name = Family::ALL.get(row).map_or("Rounded".to_owned(), |family| format!("{family:?}"));
        line(name, &mut counts.iter());
    }
    for (column, placement) in Placement::ALL.iter().enumerate() {
        line(format!("at {placement:?}"), &mut counts.iter().map(|row| &row[column]));
    }
    line("all".to_owned(), &mut counts.iter().flatten())
}
