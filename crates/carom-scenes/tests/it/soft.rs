//! Scenes of soft bodies: valid, and the same bits everywhere.

use crate::hash;
use carom_scenes::soft::{ClothObstacle, SoftMaterial, SoftScene, cloth_over, flag, jelly, shatter};
use glam::Vec3;

fn scenes() -> [SoftScene; 7] {
    let over = [ClothObstacle::Ball, ClothObstacle::Corner, ClothObstacle::MovingBall, ClothObstacle::Edge]
        .map(|over| cloth_over(over, 6));
    let [ball, corner, moving, edge] = over;
    [ball, corner, moving, edge, flag(6), jelly(2), shatter(4)]
}

#[test]
fn soft_scenes_are_the_same_bits_everywhere() {
    let hashes = scenes().map(|scene| {
        let bits = scene.positions.iter().flat_map(|p| p.to_array()).map(|x| u64::from(x.to_bits()));
        let wind = scene.air.wind_at(0.7).to_array().map(f64::to_bits);
        let offsets = scene.obstacles.iter().flat_map(|obstacle| obstacle.path.offset(0.7).to_array());
        hash(bits.chain(wind).chain(offsets.map(f64::to_bits))) >> 32
    });
    assert_eq!(
        hashes,
        [0xf747_3422, 0xd5cf_7668, 0x3626_21d3, 0xb1c8_a50a, 0x9ae2_4490, 0x2ec7_8914, 0xd62c_689d]
    );
}

/// Elements have particles that exist; edges are longer than the gap; some particles have a mass.
#[test]
fn elements_are_larger_than_the_gap() {
    for scene in scenes() {
        assert_eq!(scene.positions.len(), scene.inverse_masses.len());
        assert!(scene.inverse_masses.iter().any(|mass| 0.0 < *mass));
        let at = |particle: u32| scene.positions[particle as usize];
        let check = |a: u32, b: u32| assert!(2.0 * scene.gap < at(a).distance(at(b)), "{a} {b}");
        match &scene.material {
            SoftMaterial::Cloth { triangles, .. } | SoftMaterial::Plate { triangles, .. } => {
                for &[a, b, c] in triangles {
                    [[a, b], [b, c], [c, a]].iter().for_each(|[a, b]| check(*a, *b));
                }
            }
            SoftMaterial::Jelly { tetrahedra, .. } => {
                for &[a, b, c, d] in tetrahedra {
                    [[a, b], [a, c], [a, d], [b, c], [b, d], [c, d]].iter().for_each(|[a, b]| check(*a, *b));
                    let volume = (at(b) - at(a)).cross(at(c) - at(a)).dot(at(d) - at(a));
                    assert!(0.0 < volume);
                }
            }
        }
    }
}

#[test]
fn tetrahedra_of_jelly_fill_the_cube() {
    let scene = jelly(3);
    let SoftMaterial::Jelly { tetrahedra, .. } = &scene.material else { panic!("{:?}", scene.material) };
    let volume: f32 = tetrahedra
        .iter()
        .map(|corners| {
            let [a, b, c, d] = corners.map(|corner| scene.positions[corner as usize]);
            (b - a).cross(c - a).dot(d - a) / 6.0
        })
        .sum();
    assert!((volume - 0.216).abs() < 1e-4, "{volume}");
}

/// Each seam is an edge of two triangles, which do not fold back. All triangles have the same
/// orientation.
#[test]
fn seams_join_the_pieces_of_a_plate() {
    let n = 5;
    let scene = shatter(n);
    let SoftMaterial::Plate { triangles, seams, .. } = &scene.material else {
        panic!("{:?}", scene.material)
    };
    assert_eq!((triangles.len(), seams.len()), (4 * n * n, 2 * n * (n - 1)));
    for seam in seams {
        let [a, b] = seam.triangles.map(|triangle| triangles[triangle as usize]);
        assert_eq!(a.iter().filter(|corner| b.contains(corner)).count(), 2, "{a:?} {b:?}");
        assert!(a[2] != b[2], "the two are of one piece");
    }
    let area = |[a, b, c]: [u32; 3]| {
        let [a, b, c] = [a, b, c].map(|corner| scene.positions[corner as usize]);
        (b - a).cross(c - a).dot(Vec3::Z)
    };
    assert!(triangles.iter().all(|triangle| 0.0 < area(*triangle)));
    let sum: f32 = triangles.iter().map(|triangle| 0.5 * area(*triangle)).sum();
    assert!((sum - 1.44).abs() < 1e-4, "{sum}");
}
