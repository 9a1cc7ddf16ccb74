//! One drop, three answers: impulses, and the equation of motion with a soft and a stiff spring.
//!
//! Prints the height over the time as a picture: `cargo run --example drop > drop.svg`.

use carom_geom::{Contact, Manifold};
use carom_math::glam::DVec3;
use carom_math::{Mat3, Pose, Vec3};
use carom_response::ode::{Integrator, Loads, Method, RigidOde, State};
use carom_response::{Body, ContactPair, Penalty, Solver, SolverSettings};

const FRAME: f32 = 1.0 / 60.0;
const N_FRAMES: usize = 180;
const RADIUS: f32 = 0.5;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let curves = [
        ("black", "impulses", by_impulses()?),
        ("crimson", "spring, 2 kN/m", by_springs(2e3)?),
        ("royalblue", "spring, 200 kN/m", by_springs(2e5)?),
    ];
    println!(r#"<svg xmlns="http://www.w3.org/2000/svg" width="900" height="420" font-family="sans-serif">"#);
    println!(r#"<rect width="100%" height="100%" fill="white"/>"#);
    println!(r#"<path d="M40 380H880M40 380V20" stroke="gray" fill="none"/>"#);
    println!(r#"<path d="M40 305H880" stroke="gray" stroke-dasharray="4"/>"#);
    println!(r#"<text x="640" y="400">0 to 3 s; dashed: the ball rests</text>"#);
    for (k, (color, name, heights)) in curves.iter().enumerate() {
        let dots = heights.iter().enumerate();
        let dots = dots.map(|(k, y)| format!("{:.1},{:.1}", 40.0 + 4.66 * k as f32, 380.0 - 150.0 * y));
        let dots: Vec<String> = dots.collect();
        println!(r#"<polyline points="{}" stroke="{color}" fill="none"/>"#, dots.join(" "));
        println!(r#"<text x="700" y="{}" fill="{color}">{name}</text>"#, 40 + 20 * k);
    }
    println!("</svg>");
    Ok(())
}

fn bodies() -> [Body; 2] {
    let start = Pose::from_translation(Vec3::Y * 2.0);
    [Body::fixed(Pose::IDENTITY), Body::dynamic(start, 2.0, Vec3::ZERO, Mat3::IDENTITY * 0.2)]
}

/// Restitution 0.744.
fn by_impulses() -> Result<Vec<f32>, Box<dyn std::error::Error>> {
    let (mut bodies, mut solver) = (bodies(), Solver::new(SolverSettings::default()));
    let mut heights = Vec::new();
    for _ in 0..N_FRAMES {
        heights.push(bodies[1].pose.translation.y);
        let lowest = bodies[1].pose.translation - Vec3::Y * RADIUS;
        let mut manifold = Manifold::new(Vec3::Y);
        manifold.push(Contact::new(lowest.with_y(0.0), lowest, Vec3::Y, lowest.y));
        let contacts = [ContactPair::new(0, 1, manifold, 0.5, 0.744)];
        solver.step(&mut bodies, &contacts, &mut [], FRAME)?;
    }
    Ok(heights)
}

/// A tenth of the critical damping gives back 0.744 of the speed, whatever the stiffness.
fn by_springs(stiffness: f32) -> Result<Vec<f32>, Box<dyn std::error::Error>> {
    let bodies = bodies();
    let spring = Penalty::new(stiffness, 0.1 * Penalty::critical(stiffness, 2.0).damping);
    let ode = RigidOde::new(&bodies, move |_, loads: &mut Loads<'_>| {
        loads.accelerate(DVec3::NEG_Y * 9.81);
        let lowest = loads.body(1).center - DVec3::Y * f64::from(RADIUS);
        loads.push_apart(&spring, [0, 1], lowest, DVec3::Y * (-lowest.y).max(0.0));
    });
    let mut state = State::of(&bodies);
    let mut integrator = Integrator::new(Method::DormandPrince { tolerance: 1e-8 });
    let mut heights = Vec::new();
    for frame in 0..N_FRAMES {
        heights.push(state.body(1).center.y as f32);
        let t = f64::from(FRAME) * frame as f64;
        integrator.advance(&ode, state.numbers_mut(), t, t + f64::from(FRAME))?;
    }
    Ok(heights)
}
