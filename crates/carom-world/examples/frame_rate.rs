//! Frames that keep a deadline: the time of drawing is predicted, the step gets the remaining time,
//! and bodies that are far away or out of the view get simpler shapes.
//!
//! Times are simulated, so that the output is the same in each run. A game measures them.

use carom_geom::{Cuboid, HalfSpace, Sphere};
use carom_math::Vec3;
use carom_query::Shape;
use carom_world::{BodyDesc, Budget, DetailLevels, FrameController, Viewer, World, allowed_error};
use std::error::Error;
use std::time::Duration;

/// The time of a step without a budget.
const STEP: Duration = Duration::from_millis(4);

/// Two pixels of a wide view, radians.
const NOTICED: f32 = 0.002;

/// From the middle of the view to its border, radians.
const HALF_VIEW: f32 = 0.6;

/// The ball around a crate.
const RADIUS: f32 = 0.8661;

fn main() -> Result<(), Box<dyn Error>> {
    let mut world = World::new();
    world.insert(BodyDesc::fixed(Shape::HalfSpace(HalfSpace::new(Vec3::Y)?)))?;
    // The corners of the cube are 0.3661 m outside of the ball.
    let cube = Shape::Cuboid(Cuboid::new(Vec3::splat(0.5))?);
    let levels = DetailLevels::new(cube.clone()).with_level(Shape::Sphere(Sphere::new(0.5)?), 0.3661)?;
    let mut crates = Vec::new();
    for row in 0..40 {
        let at = Vec3::new(0.0, 2.0, -10.0 * row as f32);
        crates.push((world.insert(BodyDesc::dynamic(cube.clone()).with_position(at))?, 0));
    }

    let mut frames = FrameController::new(Duration::from_millis(16));
    for frame in 0..240 {
        // The camera drives along the row; the scene is heavy to draw in the middle.
        let camera = Vec3::new(0.0, 2.0, 200.0 - 2.0 * frame as f32);
        let drawing = Duration::from_millis(if (80..160).contains(&frame) { 11 } else { 6 });

        let viewer = Viewer::new(camera, Vec3::NEG_Z, HALF_VIEW, NOTICED)?;
        for (id, level) in &mut crates {
            let center = world.body(*id)?.position();
            // The viewer sees the velocity relative to the camera.
            let angle = viewer.resolved_angle(center, RADIUS, Vec3::Z * 120.0);
            let wanted = levels.level(allowed_error((center - camera).length(), angle), *level);
            if wanted != *level {
                *level = wanted;
                world.body_mut(*id)?.set_shape(levels.shape(wanted).clone())?;
            }
        }

        let Budget::Time(budget) = frames.budget() else { unreachable!("it counts time") };
        world.step(1.0 / 60.0)?;
        let step = budget.min(STEP);
        frames.note(step, step + drawing);
        if frame % 40 == 0 {
            let n_coarse = crates.iter().filter(|(_, level)| 0 < *level).count();
            println!(
                "frame {frame:3}: drawing {drawing:?}, the next step may take {:4.1} ms, {n_coarse} of {} crates are balls",
                budget.as_secs_f64() * 1e3,
                crates.len()
            );
        }
        // One frame is late when the drawing becomes slower at once.
        let is_late = Duration::from_millis(16) < step + drawing;
        assert!(!is_late || (80..83).contains(&frame), "frame {frame} is late");
    }
    Ok(())
}
