//! Soft bodies: links and tetrahedra keep what they shall keep, contacts push, and the bits are the same everywhere.

use crate::hash;
use carom_scenes::soft::{Over, SoftBody, SoftContact, SoftLink, cloth_over, flag, jelly, shatter};
use glam::DVec3;

#[test]
fn soft_bodies_are_the_same_bits_everywhere() {
    let scenes = [cloth_over(Over::Ball, 6), cloth_over(Over::Corner, 6), flag(6), jelly(2), shatter(3)];
    let hashes = scenes.map(|mut scene| {
        for step in 0..20 {
            let wind = scene.air.wind_at(f64::from(step) / 60.0);
            scene.body.predict(1.0 / 60.0, DVec3::NEG_Y * 9.81, wind, scene.air.drag);
            scene.body.solve(1.0 / 60.0, 5, &[]);
            scene.body.accept(1.0 / 60.0);
        }
        hash(scene.body.positions.iter().flat_map(|p| p.to_array()).map(f64::to_bits)) >> 32
    });
    assert_eq!(hashes, [0x8f8f_d002, 0xd1cb_6863, 0x0a2d_9873, 0xc5b5_dd3e, 0x8818_89d6]);
}

/// A rope of links that do not give way, with one end held.
fn rope(n: usize) -> SoftBody {
    let mut body = SoftBody::default();
    for i in 0..n {
        body.positions.push(DVec3::new(i as f64, 0.0, 0.0));
        body.velocities.push(DVec3::ZERO);
        body.inverse_masses.push(if i == 0 { 0.0 } else { 1.0 });
        if 0 < i {
            let ends = [i as u32 - 1, i as u32];
            body.links.push(SoftLink { ends, rest: 1.0, compliance: 0.0, breaks_at: 3.0 });
        }
    }
    body
}

fn step(body: &mut SoftBody, drag: f64, contacts: &[SoftContact]) {
    body.predict(0.01, DVec3::NEG_Y * 10.0, DVec3::ZERO, drag);
    body.solve(0.01, 50, contacts);
    body.accept(0.01);
}

#[test]
fn a_rope_comes_to_hang_at_its_length() {
    let mut body = rope(4);
    let energy = |body: &SoftBody| body.energy(10.0).iter().sum::<f64>();
    let mut before = energy(&body);
    for _ in 0..2000 {
        step(&mut body, 1.0, &[]);
        let now = energy(&body);
        assert!(now <= before + 1e-2, "{before} {now}");
        before = now;
    }
    assert_eq!(body.positions[0], DVec3::ZERO);
    assert!((body.positions[3] - DVec3::NEG_Y * 3.0).length() < 0.02, "{:?}", body.positions);
}

#[test]
fn a_tetrahedron_keeps_its_volume() {
    let mut body = jelly(1).body;
    body.links.clear();
    body.positions[7] += DVec3::splat(0.2);
    let volume = |body: &SoftBody| -> f64 {
        let six = |corners: [u32; 4]| {
            let [a, b, c, d] = corners.map(|corner| body.positions[corner as usize]);
            (b - a).cross(c - a).dot(d - a)
        };
        body.tetrahedra.iter().map(|cell| six(cell.corners) / 6.0).sum()
    };
    assert!(1e-3 < (volume(&body) - 0.216).abs());
    body.predict(0.01, DVec3::ZERO, DVec3::ZERO, 0.0);
    body.solve(0.01, 50, &[]);
    body.accept(0.01);
    assert!((volume(&body) - 0.216).abs() < 1e-3, "{}", volume(&body));
}

/// A point on a plane stays in place below the angle of friction, and slides above it; it never goes below the plane.
#[test]
fn contacts_push_and_rub() {
    for (slope, slides) in [(0.4_f64, false), (0.6, true)] {
        let normal = DVec3::new(-slope, 1.0, 0.0).normalize();
        let mut body = rope(2);
        body.links.clear();
        body.positions[1] = DVec3::ZERO;
        let contact = SoftContact {
            points: [1, 0, 0, 0],
            weights: [1.0, 0.0, 0.0, 0.0],
            normal,
            at_least: 0.0,
            carried: DVec3::ZERO,
            friction: 0.5,
        };
        for _ in 0..100 {
            step(&mut body, 0.0, &[contact]);
            assert!(-1e-9 < body.positions[1].dot(normal));
        }
        assert_eq!(0.1 < body.positions[1].length(), slides, "{slope}: {:?}", body.positions[1]);
    }
}

#[test]
fn links_break_beyond_their_length() {
    let mut body = rope(3);
    body.velocities[2] = DVec3::X * 500.0;
    body.predict(0.01, DVec3::ZERO, DVec3::ZERO, 0.0);
    body.accept(0.01);
    assert_eq!(body.links.len(), 1);
}
