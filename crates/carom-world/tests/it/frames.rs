//! The frame controller against synthetic costs: steps, spikes, noise, and steps that are late.

use carom_testkit::random::Random;
use carom_world::{Budget, FrameController};
use std::time::Duration;

const DEADLINE: f64 = 16e-3;

struct Outcome {
    /// Frames that were late.
    late: Vec<usize>,
    budgets: Vec<f64>,
    /// The part of what the rest left which the step was given, on average.
    used: f64,
}

/// Frames in which the rest takes `rest(frame)` seconds and the step its budget times
/// `overrun(frame)`.
fn play(n: usize, mut rest: impl FnMut(usize) -> f64, mut overrun: impl FnMut(usize) -> f64) -> Outcome {
    let mut frames = FrameController::new(Duration::from_secs_f64(DEADLINE));
    let mut outcome = Outcome { late: Vec::new(), budgets: Vec::new(), used: 0.0 };
    for frame in 0..n {
        let Budget::Time(budget) = frames.budget() else { panic!("{:?}", frames.budget()) };
        let (rest, budget) = (rest(frame), budget.as_secs_f64());
        let step = budget * overrun(frame);
        frames.note(Duration::from_secs_f64(step), Duration::from_secs_f64(step + rest));
        if DEADLINE * 1.0001 < step + rest {
            outcome.late.push(frame);
        }
        outcome.budgets.push(budget);
        outcome.used += budget / (DEADLINE - rest) / n as f64;
    }
    outcome
}

#[test]
fn a_steady_rest_leaves_all_that_is_left_to_the_step() {
    let outcome = play(100, |_| 6e-3, |_| 1.0);
    assert!(outcome.late.is_empty(), "{:?}", outcome.late);
    assert!((outcome.budgets[99] - 10e-3).abs() < 1e-5, "{}", outcome.budgets[99]);
}

#[test]
fn a_step_of_the_costs_is_followed_within_a_few_frames() {
    let outcome = play(400, |frame| if (100..200).contains(&frame) { 11e-3 } else { 4e-3 }, |_| 1.0);
    println!("late after a step up: {:?}", outcome.late);
    // The first is late for sure; the median holds the second, and the mean is there soon after.
    assert!(outcome.late.len() <= 4 && outcome.late.iter().all(|frame| (100..105).contains(frame)));
    assert!((outcome.budgets[199] - 5e-3).abs() < 2e-4, "{}", outcome.budgets[199]);
    // Down again: soon it has what there is.
    let back = outcome.budgets[200..].iter().position(|&budget| 11.5e-3 < budget).unwrap();
    println!("{back} frames until the budget is back");
    assert!(back < 30, "{back}");
}

#[test]
fn single_spikes_make_no_other_frame_late_and_take_nothing_from_it() {
    let outcome = play(300, |frame| if frame % 50 == 25 { 14e-3 } else { 5e-3 }, |_| 1.0);
    assert_eq!(outcome.late, [25, 75, 125, 175, 225, 275]);
    assert!(outcome.budgets[1..].iter().all(|&budget| (budget - 11e-3).abs() < 1e-5));
}

#[test]
fn noise_makes_few_frames_late_and_most_of_the_time_is_used() {
    let mut random = Random::new(3);
    let mut bell = move || (0..12).map(|_| random.unit()).sum::<f64>() - 6.0;
    let outcome = play(5000, |_| 6e-3 + 0.6e-3 * bell(), |_| 1.0);
    let late = outcome.late.len() as f64 / 5000.0;
    println!("noise: {:.2} % late, {:.1} % of the time used", 100.0 * late, 100.0 * outcome.used);
    assert!(late < 0.03 && 0.8 < outcome.used, "{late}, {}", outcome.used);
}

#[test]
fn steps_that_overrun_their_budget_get_less() {
    let outcome = play(300, |_| 6e-3, |frame| if frame < 150 { 1.0 } else { 1.3 });
    assert!(outcome.late.iter().all(|frame| (150..156).contains(frame)), "{:?}", outcome.late);
    assert!((outcome.budgets[299] * 1.3 - 10e-3).abs() < 5e-4, "{}", outcome.budgets[299]);
}

#[test]
fn a_step_always_has_its_least_budget_and_equal_costs_give_equal_budgets() {
    let outcome = play(50, |_| 40e-3, |_| 1.0);
    assert!(outcome.budgets[10..].iter().all(|&budget| (budget - 1e-3).abs() < 1e-8));
    let frames = FrameController::new(Duration::from_millis(16)).with_least(Duration::from_millis(3));
    let mut random = Random::new(4);
    let (mut a, mut b) = (frames, frames);
    for _ in 0..1000 {
        let step = Duration::from_secs_f64(random.range(0.0, 0.02));
        let frame = step + Duration::from_secs_f64(random.range(0.0, 0.02));
        a.note(step, frame);
        b.note(step, frame);
        assert_eq!(a.budget(), b.budget());
        assert!(matches!(a.budget(), Budget::Time(budget) if Duration::from_millis(3) <= budget));
    }
    // Times beyond all bounds are no fault.
    a.note(Duration::MAX, Duration::MAX);
    a.note(Duration::ZERO, Duration::MAX);
    assert!(matches!(a.budget(), Budget::Time(_)));
}
