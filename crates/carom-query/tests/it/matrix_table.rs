//! Writes `MATRIX.md`, which the docs of the crate show: every kind of shape against every other,
//! every question, as answered here. `CAROM_WRITE=1 cargo test -p carom-query matrix_table` writes
//! it again.

use crate::zoo::shapes;
use carom_math::{Interval, Pose, Quat, Ray, Vec3};
use carom_query::{
    ImpactSettings, ManifoldCache, Outcome, Shape, TimeOfImpact, cast, cast_ray, cast_ray_all, contact,
    distance, intersects, manifolds, method_name, motion_of, project_point,
};
use carom_testkit::random::Random;
use std::fmt::Write as _;

/// Places of each pair.
const ROUNDS: usize = 12;

/// One shape of each kind, in the order of the table.
fn kinds() -> Vec<(&'static str, Shape)> {
    let order = [
        "ball",
        "capsule",
        "tapered capsule",
        "box",
        "cylinder",
        "cone",
        "ellipsoid",
        "hull",
        "rounded shape",
        "convex shape of the user",
        "half-space",
        "mesh",
        "height field",
        "torus",
        "distance field",
        "point cloud",
        "voxels",
        "compound",
    ];
    let mut kinds: Vec<(&'static str, Shape)> = Vec::new();
    for (_, shape) in shapes() {
        if kinds.iter().all(|(name, _)| *name != shape.name()) {
            kinds.push((shape.name(), shape));
        }
    }
    let index_of = |name: &str| order.iter().position(|known| *known == name).expect("a row for each shape");
    kinds.sort_by_key(|(name, _)| index_of(name));
    assert_eq!(kinds.len(), order.len(), "a shape of every kind");
    kinds
}

fn random_pose(random: &mut Random, reach: f32) -> Pose {
    let turn = Quat::from_scaled_axis(random.cube_point().as_vec3() * 2.0);
    Pose::new(turn, random.cube_point().as_vec3() * reach)
}

/// The letters of the questions that this pair answered, in either order, wherever it was.
fn cell(a: &Shape, b: &Shape, random: &mut Random) -> String {
    let mut is_known = [true; 5];
    let (mut n_deep, mut n_local, mut n_manifolds) = (0, 0, 0);
    for round in 0..ROUNDS {
        // Some apart, some together.
        let (pose_a, pose_b) = (random_pose(random, 0.2), random_pose(random, 0.1 + 0.15 * round as f32));
        for (a, pose_a, b, pose_b) in [(a, pose_a, b, pose_b), (b, pose_b, a, pose_a)] {
            let found = distance(a, &pose_a, b, &pose_b);
            let meets = intersects(a, &pose_a, b, &pose_b);
            is_known[0] &= meets == (found.distance == 0.0);
            is_known[1] &= found.outcome != Outcome::Undecided && 0.0 <= found.distance;
            let near = contact(a, &pose_a, b, &pose_b, 1e9);
            is_known[2] &= near.is_some_and(|near| near.outcome != Outcome::Undecided);
            if let Some(near) = near.filter(|near| near.contact.distance < 0.0) {
                n_deep += 1;
                n_local += usize::from(near.is_local);
            }
            let mut list = Vec::new();
            manifolds(a, &pose_a, b, &pose_b, 0.01, &mut ManifoldCache::new(), &mut list);
            n_manifolds += list.len();
            is_known[3] &= list.iter().all(|m| m.contacts().iter().all(|c| c.normal.is_finite()));
            let still = motion_of(&pose_a, Vec3::ZERO, Vec3::ZERO, Vec3::ZERO).unwrap();
            let moves = motion_of(&pose_b, Vec3::ZERO, -pose_b.translation, Vec3::X).unwrap();
            let when = cast(a, &still, b, &moves, &ImpactSettings::default());
            is_known[4] &= match when {
                TimeOfImpact::Hit(impact) => impact.t_lo <= impact.t_hi && (impact.t_lo <= 0.0 || !meets),
                TimeOfImpact::Clear(_) => !meets,
                _ => false,
            };
        }
    }
    assert!(0 < n_deep, "the mix was fair");
    is_known[3] &= 0 < n_manifolds;
    let letters = ['I', 'D', if 0 < n_local { 'c' } else { 'C' }, 'M', 'T'];
    letters.into_iter().zip(is_known).map(|(letter, known)| if known { letter } else { '-' }).collect()
}

/// The same for one shape alone.
fn own_cells(shape: &Shape, random: &mut Random) -> [&'static str; 3] {
    let (mut n_hits, mut is_right, mut n_projected) = (0, true, 0);
    for _ in 0..200 {
        let pose = random_pose(random, 0.3);
        let from = random.cube_point().as_vec3() * 3.0;
        let ray = Ray::new(from, random.cube_point().as_vec3() * 0.2 - from);
        let (first, mut all) = (cast_ray(shape, &pose, &ray, Interval::FORWARD), Vec::new());
        cast_ray_all(shape, &pose, &ray, Interval::FORWARD, &mut all);
        is_right &= first.is_some() != all.is_empty();
        n_hits += all.len();
        let on = project_point(shape, &pose, from);
        n_projected += usize::from(on.is_some_and(|on| {
            (on.point.distance(from) - on.distance.abs()).abs() < 1e-4 && on.is_inside == (on.distance < 0.0)
        }));
    }
    let is_cast = is_right && 20 < n_hits;
    [
        if is_cast { "yes" } else { "-" },
        if is_cast { "yes" } else { "-" },
        if n_projected == 200 { "yes" } else { "-" },
    ]
}

/// Writes a table with a cell for each pair of kinds, in one order.
fn write_pairs(text: &mut String, kinds: &[(&str, Shape)], mut cell: impl FnMut(&Shape, &Shape) -> String) {
    for (name, _) in kinds {
        write!(text, " | {name}").unwrap();
    }
    text.push_str(" |\n|---");
    text.push_str(&"|---".repeat(kinds.len()));
    text.push_str("|\n");
    for (row, (name, a)) in kinds.iter().enumerate() {
        write!(text, "| {name}").unwrap();
        for (number, (_, b)) in kinds.iter().enumerate() {
            let found = if number < row { "\"".to_string() } else { cell(a, b) };
            write!(text, " | {found}").unwrap();
        }
        text.push_str(" |\n");
    }
}

fn table() -> String {
    let kinds = kinds();
    let mut random = Random::new(14);
    let mut text = String::from(
        "# Which pairs, which questions\n\n\
         A test runs each query for each pair of kinds, in either order, and writes this page.\n\n\
         `I` is `intersects`, `D` `distance`, `C` `contact`, `M` `manifolds`, and `T` `cast`, the time of\n\
         impact. `c`: the depth may be that of one pair of parts, such as triangles, cells or parts of a\n\
         compound. Moving by it may not separate the shapes: `PairContact::is_local`. `-`: the query has no\n\
         answer. Two half-spaces overlap without end unless their normals are opposite. The distance of\n\
         their contact is then minus infinity, and they have no manifold. If two fields come near each\n\
         other, the time of impact may be undecided. A part of a compound is any shape but a compound.\n\n|",
    );
    write_pairs(&mut text, &kinds, |a, b| cell(a, b, &mut random));
    text.push_str("\n`\"`: as in the other order.\n\n# Which algorithm\n\n|");
    write_pairs(&mut text, &kinds, |a, b| {
        assert_eq!(method_name(a, b), method_name(b, a), "either order");
        method_name(a, b).to_string()
    });
    text.push_str("\n# Which questions of one shape\n\n| | `cast_ray` | `cast_ray_all` | `project_point` |\n|---|---|---|---|\n");
    for (name, shape) in &kinds {
        let [first, all, point] = own_cells(shape, &mut random);
        writeln!(text, "| {name} | {first} | {all} | {point} |").unwrap();
    }
    text
}

#[test]
fn the_docs_show_what_is_answered() {
    let text = table();
    // Nothing is left out but what half-spaces have not got, and the time of two fields.
    let cells = text.lines().flat_map(|line| line.split('|').map(str::trim));
    assert!(cells.clone().all(|cell| cell != "-"));
    let holes = cells.filter(|cell| cell.starts_with("ID") && cell.contains('-')).collect::<Vec<_>>();
    println!("{holes:?}");
    assert!(holes.len() <= 4 && holes.iter().filter(|cell| **cell == "IDC-T").count() == 1, "{holes:?}");
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("MATRIX.md");
    if std::env::var_os("CAROM_WRITE").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    assert_eq!(
        text,
        std::fs::read_to_string(&path).unwrap(),
        "MATRIX.md is stale: see the head of this file"
    );
}
