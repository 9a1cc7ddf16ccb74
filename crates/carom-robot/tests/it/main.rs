//! The tests of the crate.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod allowed;
mod cells;
mod clusters;
mod collisions;
mod paths;
mod srdf;

use carom_io::{Format, Model};
use carom_robot::Workcell;
use std::fmt::Write;

/// A robot of boxes: for each link its name, and the middles and sizes of its boxes; for each
/// joint the text of its element.
fn robot(links: &[(&str, &[[f64; 6]])], joints: &[String]) -> Model {
    let mut text = String::from("<robot name=\"boxes\">");
    for (name, boxes) in links {
        write!(text, "<link name=\"{name}\">").unwrap();
        for [x, y, z, a, b, c] in *boxes {
            write!(
                text,
                r#"<collision><origin xyz="{x} {y} {z}"/><geometry><box size="{a} {b} {c}"/></geometry></collision>"#
            )
            .unwrap();
        }
        text += "</link>";
    }
    text += &joints.concat();
    text += "</robot>";
    carom_io::parse(text.as_bytes(), Format::Urdf, "boxes.urdf".as_ref()).unwrap()
}

fn joint(name: &str, kind: &str, [above, below]: [&str; 2], inside: &str) -> String {
    format!(
        r#"<joint name="{name}" type="{kind}"><parent link="{above}"/><child link="{below}"/>{inside}</joint>"#
    )
}

fn limits(low: f64, high: f64) -> String {
    format!(r#"<limit lower="{low}" upper="{high}"/>"#)
}

/// Two walls on a base, from `gap` on to both sides of the origin, and a sled that slides along x
/// between these values. The sled is a cube of 0.2 on a small cart, so that base and sled are not
/// adjacent. The sled touches no wall while it is nearer to the origin than `gap - 0.1`.
fn sled(gap: f64, [low, high]: [f64; 2]) -> Workcell {
    let wall = |side: f64| [side * (gap + 5.0), 0.0, 0.0, 10.0, 1.0, 1.0];
    let joints = [
        joint(
            "lift",
            "prismatic",
            ["base", "cart"],
            &(r#"<axis xyz="0 0 1"/>"#.to_owned() + &limits(0.0, 0.0)),
        ),
        joint("slide", "prismatic", ["cart", "sled"], &limits(low, high)),
    ];
    let cart = [0.0, 0.0, 9.0, 0.1, 0.1, 0.1];
    let model = robot(
        &[("base", &[wall(-1.0), wall(1.0)]), ("cart", &[cart]), ("sled", &[[0.0, 0.0, 0.0, 0.2, 0.2, 0.2]])],
        &joints,
    );
    Workcell::of_model(&model).unwrap()
}
