//! Warm calls do not allocate.

use crate::scenes::{buffer_of, camera, point, square};
use carom_math::{Pose, Vec3};
use carom_particles::{Bounce, advance_in_field};
use carom_scenes::Rng;

#[test]
fn warm_steps_and_pictures_do_not_allocate() {
    let wall = square(Vec3::Z * -5.0, Vec3::X * 3.0, Vec3::Y * 3.0);
    let mut buffer = buffer_of(camera(), 64, &wall);
    let mut rng = Rng::new(4);
    let mut positions: Vec<Vec3> = (0..1000).map(|_| point(&mut rng, 3.0) - Vec3::Z * 4.0).collect();
    let mut velocities: Vec<Vec3> = (0..1000).map(|_| point(&mut rng, 10.0)).collect();
    let mut fates = Vec::new();
    let bounce = Bounce::default();
    buffer.advance(&mut positions, &mut velocities, 0.01, &bounce, &mut fates).unwrap();
    let info = allocation_counter::measure(|| {
        buffer.clear(camera());
        buffer.draw(&wall.0, &wall.1, &Pose::IDENTITY).unwrap();
        buffer.advance(&mut positions, &mut velocities, 0.01, &bounce, &mut fates).unwrap();
        let floor = |p: Vec3| (p.y, Vec3::Y);
        advance_in_field(floor, 0.1, &mut positions, &mut velocities, 0.01, &bounce, &mut fates).unwrap();
    });
    assert_eq!(info.count_total, 0);
}
