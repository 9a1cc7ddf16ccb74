//! Soft bodies that meet obstacles: they give way, come to rest, and cross neither themselves nor
//! the obstacles.

use crate::run::{carom, error, folder, json, stdout};
use carom_cli::player::FaceState;
use carom_cli::soft_world::SoftWorld;
use carom_math::Vec3;
use carom_scenes::soft::{ClothObstacle, cloth_over, flag, jelly, shatter};
use std::time::Instant;

/// Whether `CAROM_SLOW` asks for fine meshes and long runs.
fn is_long() -> bool {
    std::env::var_os("CAROM_SLOW").is_some()
}

/// Advances by frames, and asserts that nothing crosses in any of them. Returns the energy at the
/// start and after each.
fn run(name: &str, world: &mut SoftWorld, n_frames: u32) -> Vec<f64> {
    let energy = |world: &SoftWorld| world.energy().iter().sum::<f64>();
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

/// Asserts that energy is not created: it rises above its least value so far by at most a
/// hundredth of the first.
fn check_energy(name: &str, energies: &[f64]) {
    let mut least = f64::INFINITY;
    for (frame, energy) in energies.iter().enumerate() {
        assert!(*energy <= least + 0.01 * energies[0], "{name}: {least} rose to {energy} in frame {frame}");
        least = least.min(*energy);
    }
}

/// The heights of the middle of all particles and of the lowest one, and the fastest particle.
fn shape_of(world: &mut SoftWorld) -> [f32; 3] {
    let n = world.positions().len() as f32;
    let mean = world.positions().iter().map(|p| p.y).sum::<f32>() / n;
    let low = world.positions().iter().map(|p| p.y).fold(f32::INFINITY, f32::min);
    let speed = world.velocities_mut().iter().map(|v| v.length()).fold(0.0, f32::max);
    [mean, low, speed]
}

/// Cloth that falls on something, slowly and fast, never crosses itself or what it meets: each
/// frame is checked exactly. Ten seconds at three resolutions with `CAROM_SLOW`, else a short run
/// of a coarse cloth.
fn drape(over: ClothObstacle) {
    let (sizes, n_frames): (&[usize], u32) = if is_long() { (&[17, 33, 49], 600) } else { (&[9], 150) };
    for &n in sizes {
        for thrown in [Vec3::ZERO, Vec3::new(0.5, -8.0, 0.25)] {
            let name = format!("cloth of {n} x {n} over {over:?}, thrown at {} m/s", thrown.length().round());
            let mut scene = cloth_over(over, n);
            scene.speed += thrown.length();
            let mut world = SoftWorld::new(scene).unwrap();
            let [height, ..] = shape_of(&mut world);
            world.velocities_mut().fill(thrown);
            let energies = run(&name, &mut world, n_frames);
            let [mean, low, speed] = shape_of(&mut world);
            println!("  middle from {height:.3} to {mean:.3}, lowest {low:.3}, fastest {speed:.3}");
            assert!(mean < height - 0.2 && low < mean - 0.2, "{name} does not drape: {mean}, {low}");
            // The middle of the cloth still lies on top.
            let top = world.positions().iter().map(|p| p.y).fold(0.0, f32::max);
            // The edge itself is 0.3 m high.
            let high = if over == ClothObstacle::Edge { 0.28 } else { 0.3 };
            assert!(high < top && world.touches().contains(&FaceState::TouchesOther), "{name} fell off");
            if over == ClothObstacle::MovingBall {
                let seconds = f64::from(n_frames) / 60.0;
                assert!(0.99 * seconds < world.obstacle_seconds(), "{name}: the ball waited too often");
            } else {
                // Thrown cloth sways for longer, and so does cloth on an edge.
                let rest = match (is_long(), thrown == Vec3::ZERO) {
                    (true, true) => 0.02,
                    (true, false) => 0.1,
                    (false, _) if over == ClothObstacle::Edge => 1.2,
                    (false, _) => 0.6,
                };
                assert!(speed < rest, "{name} does not come to rest: {speed}");
                check_energy(&name, &energies);
            }
        }
    }
}

#[test]
fn cloth_over_a_ball_never_crosses() {
    drape(ClothObstacle::Ball);
}

#[test]
fn cloth_over_a_corner_never_crosses() {
    drape(ClothObstacle::Corner);
}

#[test]
fn cloth_over_a_sharp_edge_never_crosses() {
    drape(ClothObstacle::Edge);
}

#[test]
fn cloth_over_a_moving_ball_never_crosses() {
    drape(ClothObstacle::MovingBall);
}

/// Contacts push over too short a distance to help, so particles are stopped and the ball waits.
/// Nothing crosses.
#[test]
fn the_last_line_of_defence_holds_alone() {
    for over in [ClothObstacle::Ball, ClothObstacle::Corner, ClothObstacle::Edge, ClothObstacle::MovingBall] {
        let mut scene = cloth_over(over, 9);
        scene.gap *= 0.1;
        let mut world = SoftWorld::new(scene).unwrap();
        world.velocities_mut().fill(Vec3::new(1.0, -8.0, 0.5));
        run(&format!("fast cloth over {over:?}, almost without contacts"), &mut world, 20);
        let counters = world.counters();
        assert!(0 < counters.stopped, "{counters:?}");
    }
}

/// A ball breaks a plate: it passes through, pieces fall to the floor, and the number of faces
/// stays the same.
#[test]
fn pieces_of_a_plate_never_cross() {
    let (n, n_frames) = if is_long() { (12, 300) } else { (4, 60) };
    let mut world = SoftWorld::new(shatter(n)).unwrap();
    let (n_vertices, n_faces) = (world.positions().len(), world.faces().len());
    run("plate", &mut world, n_frames);
    assert!(0 < world.counters().broken && n_vertices < world.positions().len(), "nothing breaks");
    assert_eq!(world.faces().len(), n_faces);
    let far = world.positions().iter().map(|p| p.z).fold(0.0, f32::min);
    assert!(far < -0.2, "no piece flies off: {far}");
    assert!(0.6 * f64::from(n_frames) / 60.0 < world.obstacle_seconds(), "{:?}", world.counters());
}

#[test]
fn jelly_lands_and_comes_to_rest() {
    let (n, n_frames) = if is_long() { (6, 600) } else { (2, 240) };
    let mut world = SoftWorld::new(jelly(n)).unwrap();
    let energies = run("jelly", &mut world, n_frames);
    let [mean, low, speed] = shape_of(&mut world);
    let slow = if is_long() { 0.1 } else { 1.0 };
    assert!(0.2 < mean && mean < 0.5 && 0.0 < low && speed < slow, "{mean}, {low}, {speed}");
    assert!(world.touches().contains(&FaceState::TouchesOther));
    // An elastic body gives energy back.
    let first = energies[0];
    assert!(energies.iter().all(|energy| *energy < 1.01 * first), "{energies:?}");
}

#[test]
fn a_flag_blows_from_its_pole() {
    let (n, n_frames) = if is_long() { (33, 600) } else { (9, 90) };
    let mut world = SoftWorld::new(flag(n)).unwrap();
    run("flag", &mut world, n_frames);
    let far = world.positions().iter().map(|p| p.x).fold(0.0, f32::max);
    assert!(0.8 < far, "the wind does not blow it out: {far}");
    assert!((0..n).all(|row| world.positions()[row * n].x == 0.0), "it left the pole");
}

/// The demos of soft bodies have no fault, and a second run has the same bits.
#[test]
fn check_finds_no_crossing_in_any_scene() {
    for arguments in [
        "cloth --detail 6 --frames 30",
        "cloth --over ball --detail 6 --frames 40",
        "cloth --over corner --detail 6 --frames 40",
        "cloth --over edge --detail 6 --frames 40",
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
            return;
        };
        let n = crate::player::n_of_hue(&picture, colour);
        println!("{arguments}: {size} bytes, {n} pixels");
        assert!(20 < n, "{arguments}: no face that touches is seen");
    }
}
