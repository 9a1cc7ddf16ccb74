//! A renderer is two functions: one draws a line, the other a point. Here they write a picture as
//! SVG, with boxes and contacts as seen from the front.
//!
//! `cargo run -p carom --example debug_draw > picture.svg`

use carom::world::{DebugDraw, DrawFlags, DrawRole};
use carom::{BodyDesc, Shape, Vec3, World};

/// Lines and circles of an SVG picture. One metre has 100 pixels.
#[derive(Default)]
struct Svg {
    elements: String,
    n_lines: usize,
    n_points: usize,
}

impl DebugDraw for Svg {
    fn line(&mut self, from: Vec3, to: Vec3, role: DrawRole) {
        let color = match role {
            DrawRole::AwakeBox => "black",
            DrawRole::SleepingBox => "gray",
            DrawRole::Normal => "red",
            _ => return,
        };
        let [x1, y1, x2, y2] = [from.x, -from.y, to.x, -to.y].map(|c| 100.0 * c);
        self.elements += &format!("<path d='M{x1:.1} {y1:.1}L{x2:.1} {y2:.1}' stroke='{color}'/>\n");
        self.n_lines += 1;
    }

    fn point(&mut self, at: Vec3, _: DrawRole) {
        let (x, y) = (100.0 * at.x, -100.0 * at.y);
        self.elements += &format!("<circle cx='{x:.1}' cy='{y:.1}' r='4' fill='red'/>\n");
        self.n_points += 1;
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new();
    world.insert(BodyDesc::fixed(Shape::half_space(Vec3::Y)?))?;
    let brick = BodyDesc::dynamic(Shape::cuboid(Vec3::new(0.5, 0.25, 0.5))?);
    for i in 0..6 {
        let at = Vec3::new(0.05 * i as f32, 0.3 + 0.55 * i as f32, 0.0);
        world.insert(brick.clone().with_position(at))?;
    }
    for _ in 0..60 {
        world.step(1.0 / 60.0)?;
    }

    let mut svg = Svg::default();
    world.debug_draw(&mut svg, DrawFlags::BOXES | DrawFlags::CONTACTS);
    println!("<svg xmlns='http://www.w3.org/2000/svg' viewBox='-150 -400 300 420'>");
    println!("{}</svg>", svg.elements);
    eprintln!("{} lines, {} contact points", svg.n_lines, svg.n_points);
    // Twelve edges of each brick and the normals; four corners of each brick on what is below.
    assert_eq!(svg.n_points, 6 * 4);
    assert_eq!(svg.n_lines, 6 * 12 + svg.n_points);
    Ok(())
}
