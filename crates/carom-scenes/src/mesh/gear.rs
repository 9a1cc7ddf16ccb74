//! Spur gears with involute teeth.
//!
//! The outline is traced flank by flank, each flank an involute of the base circle from root to
//! tip, and extruded along z.
//!
//! Reference: F. Litvin, A. Fuentes, Gear Geometry and Applied Theory, 2nd ed., 2004, ch. 10.
//! Differs: below the base circle the flank is a straight line, in place of a fillet.

use super::MeshData;
use alloc::vec::Vec;
use carom_math::ops::sqrt;
use core::f64::consts::{PI, TAU};
use glam::DVec3;
use libm::{atan, cos, sin, tan};

/// The measures of a spur gear around the z axis.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Gear {
    /// Teeth; at least 4.
    pub n_teeth: u32,
    /// Pitch diameter divided by the number of teeth. Gears with the same module mesh.
    pub module: f64,
    /// Width along z; the middle is at the origin.
    pub width: f64,
    /// Slope of the flank at the pitch circle, in radians; 20 degrees is usual.
    pub pressure_angle: f64,
    /// The reduction of a tooth's thickness at the pitch circle, as a part of the module.
    pub backlash: f64,
    /// Points along each flank.
    pub n_flank: u32,
}

impl Gear {
    /// Returns a gear with this number of teeth and this module. Its width is a fifth of its pitch
    /// radius, the pressure angle is 20 degrees, and the backlash is small.
    pub fn new(n_teeth: u32, module: f64) -> Gear {
        let n_teeth = n_teeth.max(4);
        Gear {
            n_teeth,
            module,
            width: 0.1 * module * f64::from(n_teeth),
            pressure_angle: PI / 9.0,
            backlash: 0.04,
            n_flank: 8,
        }
    }

    /// Returns the pitch radius. The distance of two gears that mesh is the sum of theirs.
    pub fn pitch_radius(&self) -> f64 {
        0.5 * self.module * f64::from(self.n_teeth)
    }
}

/// Returns the gear as a closed mesh, with its centre filled.
pub fn gear(gear: &Gear) -> MeshData {
    let n_teeth = gear.n_teeth.max(4);
    let n_flank = gear.n_flank.max(2);
    let pitch = gear.pitch_radius();
    let base = pitch * cos(gear.pressure_angle);
    let tip = pitch + gear.module;
    let root = pitch - 1.25 * gear.module;
    // The involute's polar angle at radius r is tan(a) - a with cos(a) = base / r.
    let involute = |r: f64| {
        let t = sqrt((r * r - base * base).max(0.0)) / base;
        t - atan(t)
    };
    let half_tooth = PI / (2.0 * f64::from(n_teeth)) - 0.5 * gear.backlash * gear.module / pitch;
    let at_pitch = tan(gear.pressure_angle) - gear.pressure_angle;
    let start = root.max(base);
    let half_width = |r: f64| half_tooth + at_pitch - involute(r);
    // If there are few teeth, the flanks would cross below the tip. The tooth is cut off at a
    // fifth of its width.
    let (mut low, mut high) = (pitch, tip);
    let tip = if half_width(tip) < 0.2 * half_tooth {
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if half_width(middle) < 0.2 * half_tooth { high = middle } else { low = middle }
        }
        low
    } else {
        tip
    };
    let mut outline: Vec<(f64, f64)> = Vec::new();
    for tooth in 0..n_teeth {
        let middle = TAU * f64::from(tooth) / f64::from(n_teeth);
        let mut flank: Vec<(f64, f64)> = Vec::new();
        if root < start {
            // The root is a little wider, in place of a fillet. So no flank points at the centre
            // of the face's fan.
            flank.push((root, 0.8 * half_width(start) + 0.2 * PI / f64::from(n_teeth)));
        }
        for i in 0..=n_flank {
            let r = start + (tip - start) * f64::from(i) / f64::from(n_flank);
            flank.push((r, half_width(r)));
        }
        outline.extend(flank.iter().map(|&(r, half)| (r, middle - half)));
        outline.extend(flank.iter().rev().map(|&(r, half)| (r, middle + half)));
    }
    let n = outline.len() as u32;
    let mut mesh = MeshData::default();
    for z in [-0.5 * gear.width, 0.5 * gear.width] {
        mesh.vertices.extend(outline.iter().map(|&(r, a)| DVec3::new(r * cos(a), r * sin(a), z)));
    }
    // The faces are fans around the centre, because the outline is star-shaped around it.
    let (low, high) = (2 * n, 2 * n + 1);
    mesh.vertices.push(DVec3::new(0.0, 0.0, -0.5 * gear.width));
    mesh.vertices.push(DVec3::new(0.0, 0.0, 0.5 * gear.width));
    for i in 0..n {
        let next = (i + 1) % n;
        mesh.triangles.push([i, next, n + next]);
        mesh.triangles.push([i, n + next, n + i]);
        mesh.triangles.push([low, next, i]);
        mesh.triangles.push([high, n + i, n + next]);
    }
    mesh
}
