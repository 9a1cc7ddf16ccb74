//! A flag in the wind: a cloth that is pinned along a pole, and a force field that blows.
//!
//! A drag of rate k in a wind w accelerates each vertex by k w, and gravity by g. So the flag hangs
//! at the angle whose tangent is k w / g.

use carom_math::Vec3;
use carom_world::{ClothSettings, ForceFieldDesc, ForceKind, SoftBodyDesc, World};

const RATE: f32 = 2.0;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new();
    let calm = ForceKind::Drag { linear: RATE, angular: 0.0, flow: Vec3::ZERO };
    let wind = world.insert_force_field(ForceFieldDesc::everywhere(calm))?;

    // A metre by a metre, held along the edge at x = -0.5.
    let flag = SoftBodyDesc::grid([1.0, 1.0], [10, 10], ClothSettings::default());
    let pole: Vec<u32> =
        (0..).zip(&flag.vertices).filter(|(_, position)| position.x < -0.49).map(|(k, _)| k).collect();
    let flag = world.insert_soft_body(flag.with_position(Vec3::Y * 5.0).with_pinned(&pole))?;

    for speed in [0.0, 4.0, 10.0] {
        let blows = ForceKind::Drag { linear: RATE, angular: 0.0, flow: Vec3::X * speed };
        world.set_force_field(wind, ForceFieldDesc::everywhere(blows))?;
        for _ in 0..480 {
            world.step(1.0 / 60.0)?;
        }
        let positions = world.soft_body(flag)?.positions();
        let middle = positions.iter().sum::<Vec3>() / positions.len() as f32;
        let from_pole = middle - Vec3::new(-0.5, 5.0, 0.0);
        let angle = from_pole.x.atan2(-from_pole.y).to_degrees();
        let expected = (RATE * speed).atan2(9.81).to_degrees();
        println!("wind of {speed} m/s: the flag hangs at {angle:.0} degrees, expected {expected:.0}");
        assert!((angle - expected).abs() < 4.0);
    }
    Ok(())
}
