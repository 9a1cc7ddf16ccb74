//! Random flights of bodies into obstacles. They must not gain energy, and no body may pass a
//! surface.

use crate::Options;
use crate::work::{in_chunks, print_replay, print_wrong};
use carom_testkit::flights::{FlightSettings, FlightTally, fly, replay};

/// The number of flights in a chunk of the work.
const CHUNK: u64 = 64;

/// Runs all flights. Returns whether no flight was wrong.
pub(crate) fn run(options: &Options) -> bool {
    if let Some(seed) = options.only {
        return print_replay(&replay(seed));
    }
    let n_flights = options.count.unwrap_or(100_000);
    // A panic is counted with its seed; its message would come between the lines of the table.
    std::panic::set_hook(Box::new(|_| {}));
    let settings = FlightSettings { class: options.class.clone(), with_spins: options.with_spins };
    let tallies = in_chunks(n_flights.div_ceil(CHUNK), options, |chunk, tally: &mut FlightTally| {
        for n in chunk * CHUNK..n_flights.min((chunk + 1) * CHUNK) {
            fly(options.seed << 40 ^ n, &settings, tally);
        }
    });
    let mut all = FlightTally::default();
    tallies.iter().for_each(|tally| all.add(tally));
    print!("{}", all.table());
    println!("{} flights, {} steps: {} wrong", all.total().flights, all.steps, all.wrong.len());
    print_wrong(&all.wrong, options);
    all.is_right()
}
