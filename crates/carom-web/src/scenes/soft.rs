//! Cloth and water that interact with bodies.
//!
//! Reference: the examples `cloth_on_ball` and `raft` of carom-world.

use super::{Error, Request};
use carom_broad::BroadPhase;
use carom_geom::{Cuboid, HalfSpace, Sphere};
use carom_math::{Pose, Vec3};
use carom_query::Shape;
use carom_world::{
    BodyDesc, ClothSettings, Liquid, ParticlePhase, ParticlesDesc, SoftBodyDesc, SoftSettings, World,
};

/// Inserts a cloth that falls on a ball, which can be pulled out from under it. The cloth has
/// `count` cells along a side.
pub fn cloth_on_ball<B: BroadPhase>(world: &mut World<B>, request: &Request) -> Result<(), Error> {
    const RADIUS: f32 = 0.5;
    world.set_soft_settings(SoftSettings::default().with_iterations(8))?;
    world.insert(BodyDesc::fixed(Shape::HalfSpace(HalfSpace::new(Vec3::Y)?)))?;
    let ball = Shape::Sphere(Sphere::new(RADIUS)?);
    world.insert(BodyDesc::dynamic(ball).with_density(60.0).with_position(Vec3::Y * RADIUS))?;
    for side in [-1.0, 1.0] {
        let block = BodyDesc::dynamic(Shape::Cuboid(Cuboid::new(Vec3::splat(0.15))?)).with_density(60.0);
        world.insert(block.with_position(Vec3::new(0.9 * side, 0.15, 0.4)))?;
    }
    let n = request.count as u32;
    let silk = ClothSettings::default().with_damping(2.0);
    let sheet = SoftBodyDesc::grid([2.0, 2.0], [n, n], silk).with_thickness(0.02).with_density(0.15);
    world.insert_soft_body(sheet.with_position(Vec3::Y * 1.3))?;
    Ok(())
}

/// Inserts a tank of water, and `count` boxes of half its density that fall in and float.
pub fn raft<B: BroadPhase>(world: &mut World<B>, request: &Request) -> Result<(), Error> {
    /// Half of the inner width of the tank, and half of the side of a box.
    const WIDTH: f32 = 0.5;
    const SIDE: f32 = 0.12;
    for inward in [Vec3::X, Vec3::NEG_X, Vec3::Z, Vec3::NEG_Z, Vec3::Y] {
        let wall = Shape::HalfSpace(HalfSpace::new(inward)?);
        let at = if inward == Vec3::Y { Vec3::ZERO } else { inward * -WIDTH };
        world.insert(BodyDesc::fixed(wall).with_position(at))?;
    }
    let pool = Shape::Cuboid(Cuboid::new(Vec3::new(WIDTH, 0.2, WIDTH))?);
    let water = ParticlesDesc::new(ParticlePhase::Liquid(Liquid::default()), 0.03);
    world.insert_particles(water.with_filling(&pool, &Pose::from_translation(Vec3::Y * 0.2)))?;
    for k in 0..request.count {
        let block = Shape::Cuboid(Cuboid::new(Vec3::new(SIDE, 0.6 * SIDE, SIDE))?);
        let [column, layer] = [k % 4, k / 4];
        let side = |k: usize| 0.25 * if k == 0 { -1.0 } else { 1.0 };
        let position = Vec3::new(side(column % 2), 0.6 + 0.2 * layer as f32, side(column / 2));
        world.insert(BodyDesc::dynamic(block).with_density(500.0).with_position(position))?;
    }
    Ok(())
}
