//! Warm calls do not allocate.

use crate::connected::sheet;
use crate::scenes::{buffer_of, camera, point, square};
use carom_math::{Pose, Vec3};
use carom_particles::{
    Bounce, Cloth, ClothSettings, Filling, Inflatable, InflatableSettings, ParticleBody, Rope, RopeSettings,
    ShapeMatching, SmallSteps, SoftBody, SoftBodySettings, StepMemory, advance_in_field,
};
use carom_scenes::Rng;
use carom_scenes::mesh::icosphere;

#[test]
fn warm_steps_and_pictures_do_not_allocate() {
    let wall = square(Vec3::Z * -5.0, Vec3::X * 3.0, Vec3::Y * 3.0);
    let mut buffer = buffer_of(camera(), 64, &wall);
    let mut rng = Rng::new(4);
    let mut positions: Vec<Vec3> = (0..1000).map(|_| point(&mut rng, 3.0) - Vec3::Z * 4.0).collect();
    let mut velocities: Vec<Vec3> = (0..1000).map(|_| point(&mut rng, 10.0)).collect();
    let mut outcomes = Vec::new();
    let bounce = Bounce::default();
    buffer.advance(&mut positions, &mut velocities, 0.01, &bounce, &mut outcomes).unwrap();
    let info = allocation_counter::measure(|| {
        buffer.clear(camera());
        buffer.draw(&wall.0, &wall.1, &Pose::IDENTITY).unwrap();
        buffer.advance(&mut positions, &mut velocities, 0.01, &bounce, &mut outcomes).unwrap();
        let floor = |p: Vec3| (p.y, Vec3::Y);
        advance_in_field(floor, 0.1, &mut positions, &mut velocities, 0.01, &bounce, &mut outcomes).unwrap();
    });
    assert_eq!(info.count_total, 0);
}

#[test]
fn warm_steps_of_bodies_do_not_allocate() {
    let (rest, triangles) = sheet(8, 8, 0.1);
    let (block, tetrahedra) = crate::soft_bodies::block([2, 2, 2], 0.2);
    let ball = icosphere(80);
    let settings = ClothSettings::default().with_bend_stiffness(1e-3).with_damping(1.0);
    let mut cloth = Cloth::new(0, &rest, &triangles, &settings).unwrap();
    let mut rope = Rope::new(64, &rest[..8], &RopeSettings::default().with_bend_stiffness(1e-3)).unwrap();
    let mut soft =
        SoftBody::new(72, &block, &tetrahedra, &SoftBodySettings::default().with_damping(1.0)).unwrap();
    let mut shapes = ShapeMatching::soft(99, &block, 0.2, 50.0).unwrap();
    let filling = Filling::Gas { pressure: 1100.0, ambient: 1000.0 };
    let inflatable = InflatableSettings::default().with_filling(filling);
    let skin = ball.vertices_f32();
    let mut balloon = Inflatable::new(126, &skin, &ball.triangles, &inflatable).unwrap();
    let mut positions = [&rest[..], &rest[..8], &block, &block, &skin].concat();
    let mut velocities = vec![Vec3::X; positions.len()];
    let masses = vec![1.0; positions.len()];
    let mut memory = StepMemory::default();
    let steps = SmallSteps::default().with_iterations(2);
    let mut step = || {
        let bodies: &mut [&mut dyn ParticleBody] =
            &mut [&mut cloth, &mut rope, &mut soft, &mut shapes, &mut balloon];
        steps
            .advance(&mut positions, &mut velocities, &masses, 1.0 / 60.0, bodies, &mut memory, |_, _| {})
            .unwrap();
    };
    step();
    assert_eq!(allocation_counter::measure(step).count_total, 0);
}
