//! Soft bodies that meet things: they give way, come to rest, and never cross themselves or what they meet.

use crate::run::{carom, error, folder, json, stdout};
use carom_cli::player::FaceState;
use carom_cli::soft_world::{GRAVITY, SoftWorld};
use carom_scenes::soft::{Over, SoftScene, cloth_over, flag, jelly, shatter};
use glam::DVec3;
use std::time::Instant;

/// Whether `CAROM_SLOW` asks for fine meshes and long runs.
fn is_long() -> bool {
    std::env::var_os("CAROM_SLOW").is_some()
}

/// Moves on by frames, and holds that nothing crosses in any of them. Returns the energy at the start and after each.
fn run(name: &str, world: &mut SoftWorld, n_frames: u32) -> Vec<f64> {
    let energy = |world: &SoftWorld| world.scene().body.energy(GRAVITY).iter().sum::<f64>();
    let mut energies = vec![energy(world)];
    let mut seconds = 0.0;
    assert_eq!(world.crossings(), [0, 0], "{name}: at the start");
    for frame in 0..n_frames {
        let start = Instant::now();
        world.frame().unwrap();
        seconds += start.elapsed().as_secs_f64();
        assert_eq!(world.crossings(), [0, 0], "{name}: frame {frame}");
        energies.push(energy(world));
    }
    let ms = seconds * 1e3 / f64::from(n_frames);
    println!("{name}: {ms:.2} ms a frame, {:?}", world.counters());
    energies
}

/// Energy does not come from nowhere: it is never above what it was before by more than a hundredth of the first.
fn check_energy(name: &str, energies: &[f64]) {
    let mut least = f64::INFINITY;
    for (frame, energy) in energies.iter().enumerate() {
        assert!(*energy <= least + 0.01 * energies[0], "{name}: {least} rose to {energy} in frame {frame}");
        least = least.min(*energy);
    }
}

/// The heights of the middle of all points, of the lowest one, and the fastest point.
fn shape_of(scene: &SoftScene) -> [f64; 3] {
    let body = &scene.body;
    let mean = body.positions.iter().map(|p| p.y).sum::<f64>() / body.positions.len() as f64;
    let low = body.positions.iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
    let speed = body.velocities.iter().map(|v| v.length()).fold(0.0, f64::max);
    [mean, low, speed]
}

/// Ten seconds at three resolutions with `CAROM_SLOW`, else a short run of a coarse cloth.
fn drape(over: Over) {
    let (sizes, n_frames): (&[usize], u32) = if is_long() { (&[17, 33, 49], 600) } else { (&[9], 90) };
    for &n in sizes {
        let name = format!("cloth of {n} x {n} over {over:?}");
        let mut world = SoftWorld::new(cloth_over(over, n)).unwrap();
        let [height, ..] = shape_of(world.scene());
        let energies = run(&name, &mut world, n_frames);
        let [mean, low, speed] = shape_of(world.scene());
        println!("  middle from {height:.3} to {mean:.3}, lowest {low:.3}, fastest {speed:.3}");
        assert!(mean < height - 0.2 && low < mean - 0.2, "{name} does not drape: {mean}, {low}");
        // The middle of the cloth still lies on top.
        let top = world.scene().body.positions.iter().map(|p| p.y).fold(0.0, f64::max);
        assert!(0.3 < top && world.touches().contains(&FaceState::TouchesOther), "{name} fell off");
        assert!(0.99 * f64::from(n_frames) / 60.0 < world.seconds(), "{name}: steps were cut");
        if over != Over::MovingBall {
            assert!(speed < if is_long() { 0.02 } else { 0.6 }, "{name} does not come to rest: {speed}");
            check_energy(&name, &energies);
        }
    }
}

#[test]
fn cloth_drapes_over_a_ball_and_never_crosses() {
    drape(Over::Ball);
}

#[test]
fn cloth_drapes_over_a_corner_and_never_crosses() {
    drape(Over::Corner);
}

#[test]
fn cloth_drapes_over_a_moving_ball_and_never_crosses() {
    drape(Over::MovingBall);
}

/// Contacts are found so late that they are of no use: points are stopped, and steps cut. It still does not cross.
#[test]
fn the_last_line_of_defence_holds_alone() {
    for over in [Over::Ball, Over::Corner, Over::MovingBall] {
        let mut scene = cloth_over(over, 9);
        scene.gap = 1e-6;
        scene.body.velocities.fill(DVec3::new(1.0, -8.0, 0.5));
        let mut world = SoftWorld::new(scene).unwrap();
        run(&format!("fast cloth over {over:?}, without contacts"), &mut world, 20);
        assert!(0 < world.counters().stopped, "{:?}", world.counters());
    }
}

/// A fast ball breaks a plate: steps in which points are stopped before they touch.
#[test]
fn pieces_of_a_plate_never_cross() {
    let (n, n_frames) = if is_long() { (12, 300) } else { (5, 60) };
    let mut world = SoftWorld::new(shatter(n)).unwrap();
    let n_links = world.scene().body.links.len();
    run("plate", &mut world, n_frames);
    assert!(world.scene().body.links.len() < n_links, "nothing breaks");
    assert!(0 < world.counters().stopped, "the ball is too slow to be a trial");
}

#[test]
fn jelly_lands_and_comes_to_rest() {
    let (n, n_frames) = if is_long() { (6, 600) } else { (2, 240) };
    let mut world = SoftWorld::new(jelly(n)).unwrap();
    let energies = run("jelly", &mut world, n_frames);
    let [mean, low, speed] = shape_of(world.scene());
    let slow = if is_long() { 0.1 } else { 1.0 };
    assert!(0.2 < mean && mean < 0.5 && 0.0 < low && speed < slow, "{mean}, {low}, {speed}");
    assert!(world.touches().contains(&FaceState::TouchesOther));
    check_energy("jelly", &energies);
}

#[test]
fn a_flag_blows_from_its_pole() {
    let (n, n_frames) = if is_long() { (33, 600) } else { (9, 90) };
    let mut world = SoftWorld::new(flag(n)).unwrap();
    run("flag", &mut world, n_frames);
    let body = &world.scene().body;
    let far = body.positions.iter().map(|p| p.x).fold(0.0, f64::max);
    assert!(0.8 < far, "the wind does not blow it out: {far}");
    assert!((0..n).all(|row| body.positions[row * n].x == 0.0), "it left the pole");
}

/// The same run every time, and no fault.
#[test]
fn check_finds_no_crossing_in_any_scene() {
    for arguments in [
        "cloth --detail 6 --frames 30",
        "cloth --over ball --detail 6 --frames 40",
        "cloth --over corner --detail 6 --frames 40",
        "cloth --over moving-ball --detail 6 --frames 40",
        "jelly --detail 2 --frames 60",
        "shatter --detail 4 --frames 30",
    ] {
        let (document, status) = json(&format!("demo {arguments} --check --json"));
        assert_eq!((status, document["check"]["faults"].as_u64()), (0, Some(0)), "{arguments}: {document}");
        assert!(0.0 < document["phases"]["narrow"]["ms"].as_f64().unwrap());
        let (again, _) = json(&format!("demo {arguments} --json"));
        assert_eq!(document["hash"], again["hash"], "{arguments}");
    }
    assert!(error("demo walk --check").contains("has no dynamic bodies"));
    assert!(error("demo pile --over ball").contains("has no cloth"));
}

/// Faces that touch are seen in their colours; a page is small.
#[test]
fn pages_show_the_faces_that_touch() {
    let (orange, red) = ([236.0, 140.0, 40.0], [214.0, 50.0, 50.0]);
    for (arguments, frame, colour) in
        [("cloth --over ball --detail 17 --frames 60", 55, orange), ("morph --frames 90", 80, red)]
    {
        let page = folder().join("soft.html");
        let text = stdout(&carom(&format!("demo {arguments} --html {}", page.display())));
        assert!(text.contains("mean milliseconds of a frame"), "{text}");
        let size = std::fs::metadata(&page).unwrap().len();
        assert!(size < 600_000, "{arguments}: {size} bytes");
        let picture = folder().join("soft.png");
        let Some(picture) = crate::player::screenshot(&page, &format!("frame={frame}"), &picture) else {
            println!("skipped: no Chromium is installed");
            return;
        };
        let n = crate::player::n_of_hue(&picture, colour);
        println!("{arguments}: {size} bytes, {n} pixels");
        assert!(20 < n, "{arguments}: no face that touches is seen");
    }
}
