//! Cheap rows of the scoreboard, cut short: carom passes their figures. `cargo xtask verify
//! physics` plays all of them.

use carom_scenes::scoreboard::{Film, Row, row};
use carom_testkit::scoreboard::carom_film;

/// The row, and its film of some seconds.
fn play(name: &str, seconds: f64) -> (Row, Film) {
    let row = row(name).unwrap();
    let with_overlaps = row.figures.iter().any(|figure| figure.needs_overlaps);
    let film = carom_film(&row.scene, seconds, with_overlaps);
    (row, film)
}

/// Each figure of each of these rows passes.
fn check(rows: &[(&str, f64)]) {
    for &(name, seconds) in rows {
        let (row, film) = play(name, seconds);
        for figure in &row.figures {
            let number = figure.of(&film);
            println!("{name}: {} {number} ({})", figure.name, figure.limit);
            assert!(figure.limit.allows(number), "{name}: {} is {number}, not {}", figure.name, figure.limit);
        }
    }
}

#[test]
fn heavy_on_light_comes_to_rest() {
    check(&[
        ("stacked-10", 18.0),
        ("stacked-100", 18.0),
        ("table-10", 7.0),
        ("table-1000", 20.0),
        ("pressed-10", 7.0),
    ]);
}

#[test]
fn an_arch_and_a_house_of_cards_stand() {
    check(&[("arch", 8.0), ("cards", 10.0)]);
}

#[test]
fn chains_swing_without_gaining_energy() {
    check(&[("hung-10", 4.0), ("hung-1000", 4.0)]);
}

#[test]
fn ragdolls_that_land_hold_together() {
    check(&[("ragdolls", 20.0)]);
}

#[test]
fn boxes_slide_beyond_the_angle_of_friction_and_balls_bounce_by_the_closed_form() {
    check(&[("slopes", 10.0), ("conveyor", 10.0), ("bounce-0.5", 10.0)]);
}

#[test]
fn a_free_body_keeps_its_energy_and_its_angular_momentum() {
    check(&[("spin", 10.0)]);
}

#[test]
fn a_top_on_a_ball_joint_goes_round_and_does_not_sink() {
    check(&[("top", 60.0), ("top-fast", 60.0)]);
}

/// The film of an engine that does nothing is not what carom did: the figures see the difference.
#[test]
fn a_world_that_does_not_step_fails_what_moves() {
    for name in ["slopes", "bounce-0.5", "top", "coin-circle"] {
        let (row, mut film) = play(name, 10.0);
        let start = film.frames[0].clone();
        film.frames.iter_mut().for_each(|frame| frame.states.clone_from(&start.states));
        assert!(row.figures.iter().any(|figure| !figure.limit.allows(figure.of(&film))), "{name}");
    }
}
