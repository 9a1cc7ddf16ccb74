//! Random flights gain no energy, lose no momentum, and pass no surface.

use carom_testkit::flights::{FlightSettings, FlightTally, fly, replay};

/// Flies `n` flights from this seed on, on two threads.
fn tally_of(first: u64, n: u64) -> FlightTally {
    let half = |from: u64, to: u64| {
        let mut tally = FlightTally::default();
        for seed in from..to {
            fly(seed, &FlightSettings::default(), &mut tally);
        }
        tally
    };
    let middle = first + n / 2;
    std::thread::scope(|scope| {
        let rear = scope.spawn(move || half(middle, first + n));
        let mut tally = half(first, middle);
        tally.add(&rear.join().unwrap());
        tally
    })
}

#[test]
fn random_flights_gain_no_energy_and_pass_no_surface() {
    let is_long = std::env::var_os("CAROM_SLOW").is_some();
    let tally = tally_of(3 << 40, if is_long { 100_000 } else { 400 });
    println!("{}", tally.table());
    assert!(tally.is_right(), "{:#?}", tally.wrong);
    // The flights are of all kinds.
    let n_shapes = tally.rows.keys().filter(|(heading, _)| *heading == 1).count();
    let n_obstacles = tally.rows.keys().filter(|(heading, _)| *heading == 2).count();
    assert_eq!(n_shapes, 14);
    assert!(8 <= n_obstacles, "{n_obstacles}");
}

/// Flights that were wrong once.
#[test]
fn r_flights_that_were_wrong() {
    for (seed, what) in [
        (1_099_511_642_464, "a fast ball that bounced was put back higher, and kept its speed upwards"),
        (1_099_511_646_799, "the same with a capsule on a height field"),
        (1_099_511_636_476, "the same with a ball thinner than the slop"),
        (1_099_511_627_984, "a cone was put back against a gravity that pulls along the wall"),
        (1_099_511_630_416, "a needle was pushed out of a half-space, and paid nothing for its height"),
        (1_099_511_647_578, "a rod was pushed out of a height field without any impulse that stayed"),
        (1_099_511_628_016, "a needle paid with all of its spin for the lag of half a substep"),
        (1_099_511_631_572, "a hull bounced at several corners of one manifold, which were not solved"),
        (1_099_511_639_202, "a needle bounced at both ends"),
        (1_099_511_656_820, "a plate bounced deep in several triangles"),
        (1_099_511_664_080, "a plate that turns too slowly to be fast trebled its energy by a bounce"),
        (1_099_511_635_566, "two bodies that fell together were parted, each on its own account"),
        (23_089_744_239_322, "a cone wobbled on its rim with one contact a step, and sank into a half-space"),
        (23_089_744_371_102, "the same with a disc"),
        (23_089_744_350_570, "the same with a disc on a wall"),
        (
            23_089_744_450_229,
            "a disc with one contact a step sank less than a millimetre too deep into a wall",
        ),
        (12_094_627_932_626, "a cone rolled off its rim, and its middle sank 4 cm"),
        (
            12_094_627_965_151,
            "a disc deep in a height field was pushed out sideways, with 1.7 times the energy",
        ),
        (23_089_744_277_813, "a rod deep in a wall was pushed up, and paid nothing for its height"),
        (23_089_744_303_982, "the same of a body that fell on a terrain"),
        (45_079_976_819_940, "an ellipsoid that was stopped in a mesh was thrown up by kept impulses"),
        (46_179_488_439_148, "a fast cone hung in the air, 5 mm above a height field"),
        (45_079_976_832_229, "the same above a wall"),
        (57_174_604_664_919, "a fast box that was put back kept what the solver had given it"),
        (57_174_604_702_353, "the same of a disc"),
        (57_174_604_716_514, "the same of a cone"),
        (67_070_209_351_537, "a disc that gave all its speed to a ball was put back, and could not pay"),
        (
            89_060_441_862_840,
            "a needle rose from a fall to where little energy is left, and that was the measure",
        ),
        (9_896_704_161_748_284, "a light box slid on through a wall that its core touched"),
        (
            5_497_558_213_590,
            "a cylinder that bounced late rose by the push-out of its corner, and did not pay",
        ),
        (7_697_680_906_251_445, "the same on a half-space"),
        (91_259_465_189_081, "the same on a height field, within the slop"),
        (13_194_139_552_696, "a disc 4 m away rose by half the spacing of numbers in each step"),
    ] {
        let (wrong, log) = replay(seed);
        let is_wrong = wrong.filter(|wrong| !wrong.starts_with("spin"));
        assert!(is_wrong.is_none(), "{what}: {is_wrong:?}\n{log}");
    }
}
