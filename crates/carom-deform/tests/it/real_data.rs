//! Real meshes and sequences, where they are present.

use carom_bounds::{Aabb, BoundingVolume};
use carom_deform::{Cones, DeformableMesh, FeatureSearch, RefitTree};
use carom_geom::tri_tri;
use carom_testkit::{data, meshes};
use glam::{DVec3, Vec3};

/// A mesh of the data, or a frame of a sequence.
struct Item {
    name: String,
    vertices: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    n_pairs: usize,
    some: Vec<[u32; 2]>,
}

/// The little-endian words of a file.
pub(crate) fn words(path: &str) -> Option<Vec<[u8; 4]>> {
    let bytes = std::fs::read(data::find(path)?).ok()?;
    Some(bytes.chunks_exact(4).map(|b| [b[0], b[1], b[2], b[3]]).collect())
}

fn sequence(name: &str, frame: usize) -> Option<(Vec<DVec3>, Vec<[u32; 3]>)> {
    let folder = format!("sequences/{name}");
    let n = data::json(&format!("{folder}/meta.json"))?["vertices"].as_u64()? as usize;
    let positions = |file: &str, frame: usize| -> Option<Vec<DVec3>> {
        let numbers: Vec<f64> = words(&format!("{folder}/{file}"))?
            .into_iter()
            .map(|b| f64::from(f32::from_le_bytes(b)))
            .collect();
        Some(numbers[3 * n * frame..3 * n * (frame + 1)].chunks_exact(3).map(DVec3::from_slice).collect())
    };
    // The first frame of the cloth is a mesh, and the second one is in a file alone.
    if name == "cloth_ball" {
        return Some((positions("positions_frame93.f32", 0)?, meshes::mesh("cloth_ball92")?.indices));
    }
    let indices: Vec<u32> =
        words(&format!("{folder}/triangles.u32"))?.into_iter().map(u32::from_le_bytes).collect();
    Some((positions("positions.f32", frame)?, indices.chunks_exact(3).map(|t| [t[0], t[1], t[2]]).collect()))
}

fn items() -> Option<Vec<Item>> {
    let counts = data::json("pairs/self_intersections.json")?;
    let mut all = Vec::new();
    for entry in
        counts["meshes"].as_array()?.iter().chain(counts["sequence_frames"].as_array().into_iter().flatten())
    {
        let (name, (vertices, triangles)) = if let Some(name) = entry["mesh"].as_str() {
            let mesh = meshes::mesh(name)?;
            (name.to_string(), (mesh.vertices, mesh.indices))
        } else {
            let (name, frame) = (entry["sequence"].as_str()?, entry["frame"].as_u64()? as usize);
            (format!("{name} {frame}"), sequence(name, frame)?)
        };
        let some = entry["some"].as_array()?.iter();
        let some =
            some.filter_map(|pair| Some([pair[0].as_u64()? as u32, pair[1].as_u64()? as u32])).collect();
        all.push(Item { name, vertices, triangles, n_pairs: entry["self_pairs"].as_u64()? as usize, some });
    }
    Some(all)
}

/// The counts are those of the data. If the coordinates of a mesh are not `f32`, the faces whose
/// rounded boxes touch are tested with the unrounded coordinates.
#[test]
fn crossings_are_those_of_the_data() {
    let Some(items) = items() else { return };
    let mut search = FeatureSearch::default();
    let (mut n_exact, mut n_rounded) = (0, 0);
    for item in &items {
        // One mesh has coordinates beyond `f32`.
        let largest = item.vertices.iter().fold(0.0_f64, |most, p| most.max(p.abs().max_element()));
        let scale = if 1e25 < largest { 2f64.powi(-100) } else { 1.0 };
        let wide: Vec<DVec3> = item.vertices.iter().map(|p| *p * scale).collect();
        let positions: Vec<Vec3> = wide.iter().map(|p| p.as_vec3()).collect();
        let off = wide
            .iter()
            .zip(&positions)
            .fold(0.0_f64, |most, (p, q)| most.max((*p - q.as_dvec3()).abs().max_element()));
        let mut mesh = DeformableMesh::from_triangles(&positions, item.triangles.clone())
            .unwrap()
            .with_trees::<RefitTree>();
        let pairs: Vec<[u32; 2]> = if off == 0.0 {
            n_exact += 1;
            mesh = mesh.with_neighbours_by_place();
            search.crossings(&mut mesh).finish().pairs.iter().map(|pair| [pair.a, pair.b]).collect()
        } else {
            n_rounded += 1;
            decided(&mut mesh, &wide)
        };
        assert_eq!(pairs.len(), item.n_pairs, "{}", item.name);
        for pair in &item.some {
            assert!(pairs.contains(&[pair[0].min(pair[1]), pair[0].max(pair[1])]), "{}: {pair:?}", item.name);
        }
    }
    println!("{} items: {n_exact} by crossings alone, {n_rounded} by boxes", items.len());
    assert_eq!((items.len(), n_exact), (62, 35));
}

/// Scanned meshes, slivers, holes, cloth: the same crossings with cones.
#[test]
fn cones_change_no_answer_of_real_meshes() {
    let Some(items) = items() else { return };
    let (mut without, mut with) =
        (FeatureSearch::default(), FeatureSearch::default().with_cones(Cones::Always));
    let (mut leaf_pairs, mut under_cones) = (0, 0);
    for item in items.iter().filter(|item| item.triangles.len() < 100_000) {
        let positions: Vec<Vec3> = item.vertices.iter().map(|p| p.as_vec3()).collect();
        let mesh = DeformableMesh::from_triangles(&positions, item.triangles.clone());
        let Ok(mut mesh) = mesh.map(DeformableMesh::with_trees::<RefitTree>) else { continue };
        let mut same = mesh.clone();
        let expected = without.crossings(&mut same).finish();
        let found = with.crossings(&mut mesh).finish();
        assert_eq!(found.pairs, expected.pairs, "{}", item.name);
        leaf_pairs += found.counters.leaf_pairs;
        under_cones += found.counters.skipped_by_cones;
    }
    assert!(leaf_pairs < 10 * under_cones, "{under_cones} of {leaf_pairs}");
}

/// Pairs of faces that meet, decided for the unrounded coordinates. Rounding keeps order, so boxes
/// that touch still touch when rounded.
fn decided(mesh: &mut DeformableMesh<RefitTree>, wide: &[DVec3]) -> Vec<[u32; 2]> {
    let (mut found, mut touching) = (Vec::new(), Vec::new());
    for (i, s) in (0_u32..).zip(mesh.faces().to_vec()) {
        let corners = s.map(|v| mesh.positions()[v as usize]);
        touching.clear();
        mesh.collect_faces_touching(&Aabb::from_points(&corners), &mut touching);
        for j in touching.iter().copied().filter(|&j| i < j) {
            let [s, t] = [s, mesh.faces()[j as usize]].map(|t| t.map(|v| wide[v as usize]));
            if !s.iter().any(|p| t.contains(p)) && tri_tri::intersects(&s, &t) {
                found.push([i, j]);
            }
        }
    }
    found
}
