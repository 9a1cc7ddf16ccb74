//! Meshes that are blended or follow bones: closed, turned outwards, and the same bits everywhere.

use crate::hash;
use carom_scenes::mesh::MeshData;
use carom_scenes::{SkinnedMesh, morph_head, walking_figure};
use glam::DVec3;

fn volume(vertices: &[DVec3], triangles: &[[u32; 3]]) -> f64 {
    let six = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|v| vertices[v as usize]);
        a.cross(b).dot(c)
    };
    triangles.iter().map(six).sum::<f64>() / 6.0
}

/// Each directed edge once, with its opposite.
fn is_closed(mesh: &MeshData) -> bool {
    let mut edges: Vec<[u32; 2]> =
        mesh.triangles.iter().flat_map(|[a, b, c]| [[*a, *b], [*b, *c], [*c, *a]]).collect();
    edges.sort_unstable();
    let is_once = edges.windows(2).all(|pair| pair[0] != pair[1]);
    is_once && edges.iter().all(|[a, b]| edges.binary_search(&[*b, *a]).is_ok())
}

#[test]
fn weights_of_any_sign_blend() {
    let head = morph_head(500);
    assert!(is_closed(&head.base) && 0.2 < volume(&head.base.vertices, &head.base.triangles));
    assert_eq!(head.blended(&[]), head.base.vertices);
    let [more, less] = [1.0, -1.0].map(|w| head.blended(&[w, 0.5 * w, -w]));
    for ((more, less), base) in more.iter().zip(&less).zip(&head.base.vertices) {
        assert!(((*more + *less) * 0.5 - *base).length() < 1e-12);
    }
    let bits = |vertices: &[DVec3]| hash(vertices.iter().flat_map(|p| p.to_array()).map(f64::to_bits)) >> 32;
    let figure = walking_figure(8);
    let hashes = [bits(&more), bits(&figure.posed(&SkinnedMesh::stride(0.3).0))];
    assert_eq!(hashes, [0x92b7_6f41, 0xf5f5_237a]);
}

#[test]
fn bones_turn_what_follows_them() {
    let figure = walking_figure(8);
    assert!(is_closed(&figure.rest));
    let volume_at_rest = volume(&figure.rest.vertices, &figure.rest.triangles);
    assert!(0.02 < volume_at_rest && volume_at_rest < 0.2, "{volume_at_rest}");
    let still = figure.posed(&[]);
    for (p, q) in still.iter().zip(&figure.rest.vertices) {
        assert!((*p - *q).length() < 1e-12);
    }
    // A turn of the first bone turns all about its joint.
    let joint = figure.bones[0].joint;
    for (p, q) in figure.posed(&[core::f64::consts::FRAC_PI_2]).iter().zip(&figure.rest.vertices) {
        let r = *q - joint;
        assert!((*p - joint - DVec3::new(-r.y, r.x, r.z)).length() < 1e-12);
    }
}
