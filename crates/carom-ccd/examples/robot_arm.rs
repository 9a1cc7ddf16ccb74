//! When does a robot arm that swings between two positions first touch a post, or itself?
//!
//! Each link is a box or a capsule on a joint. The answer is a bracket with a proof, not a sample
//! of times.

use carom_ccd::{
    Chain, ChainMotion, Earliest, ImpactSettings, Link, LinkJoint, Motion, Proposal, TimeOfImpact,
    path_time_of_impact,
};
use carom_geom::SupportMap;
use carom_geom::f64::Capsule;
use carom_gjk::{GjkSettings, nearest_simplex};
use carom_math::WidePose;
use carom_math::glam::{DQuat, DVec3};
use std::error::Error;

/// Nearest points by GJK show the search the way.
fn near<A: SupportMap, B: SupportMap>(a: &A, b: &B, b_in_a: &WidePose, tolerance: f64) -> Proposal {
    let gjk = GjkSettings::default().with_distance_tolerance(tolerance);
    let found = nearest_simplex(a, b, b_in_a, &gjk, None);
    Proposal {
        axis: found.axis,
        points_a: found.points_a,
        points_b: found.points_b,
        n_points: found.n_points,
        weights: found.weights,
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    // A column that turns, and two arms of 1 m that bend. Each link is a capsule along y from its
    // joint on.
    let bends = LinkJoint::Revolute { axis: DVec3::Z };
    let on = |parent, at| Link { parent, on_parent: (DQuat::IDENTITY, at), joint: bends };
    let column = Link { joint: LinkJoint::Revolute { axis: DVec3::Y }, ..on(None, DVec3::ZERO) };
    let [shoulder, elbow] = [on(Some(0), DVec3::Y), on(Some(1), DVec3::Y)];
    // The middle of each capsule is half a metre above its joint.
    let body = |joint| Link { joint: LinkJoint::Fixed, ..on(Some(joint), DVec3::Y * 0.5) };
    let chain = Chain::new(vec![column, shoulder, elbow, body(0), body(1), body(2)])?;
    let bodies = [3, 4, 5];
    let limb = Capsule::new(0.42, 0.08)?;

    let settings = ImpactSettings::default().with_target_distance(0.001);
    let say = |what: &str, answer: TimeOfImpact| match answer {
        TimeOfImpact::Hit(hit) => println!(
            "{what}: contact after {:.4} to {:.4} s, at ({:.2}, {:.2}, {:.2})",
            hit.t_lo, hit.t_hi, hit.point_a.x, hit.point_a.y, hit.point_a.z
        ),
        TimeOfImpact::Clear(clear) => println!("{what}: never nearer than {:.3} m", clear.distance),
        TimeOfImpact::Undecided(undecided) => println!("{what}: nothing before {:.4} s", undecided.t_safe),
    };

    // A quarter turn of the column with the arms nearly stretched out, past a post.
    let base = Motion::fixed(DQuat::IDENTITY, DVec3::ZERO)?;
    let (start, end) = ([0.0, -1.5, -0.2, 0.0, 0.0, 0.0], [1.57, -1.5, -0.2, 0.0, 0.0, 0.0]);
    let swing = ChainMotion::between(&chain, base, &start, &end, 1.0)?;
    let post = Capsule::new(2.0, 0.1)?;
    for (name, at) in [("post in the way", DVec3::new(1.0, 0.0, -1.0)), ("post behind", DVec3::X * -1.0)] {
        let fixed = Motion::fixed(DQuat::IDENTITY, at)?;
        let mut first = Earliest::new();
        for link in bodies {
            let path = swing.link(link).ok_or("no such link")?;
            first.add(path_time_of_impact(&limb, &path, &post, &fixed, &settings, |pose, tolerance| {
                near(&limb, &post, pose, tolerance)
            }));
        }
        say(name, first.answer());
    }

    // The elbow folds by three quarters of a turn: the forearm meets the column.
    let end = [0.0, -1.5, -4.5, 0.0, 0.0, 0.0];
    let fold = ChainMotion::between(&chain, base, &start, &end, 1.0)?;
    let propose = |pose: &WidePose, tolerance: f64| near(&limb, &limb, pose, tolerance);
    let answer = fold.links_time_of_impact((bodies[0], &limb), (bodies[2], &limb), &settings, propose);
    say("forearm and column", answer.ok_or("no such links")?);
    Ok(())
}
