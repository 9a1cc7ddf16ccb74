//! `carom decompose`: convex hulls that cover a mesh, with proven bounds.
//!
//! All parts of a file are one surface, in single precision. The bounds contain its rounding.

use crate::args::DecomposeArgs;
use crate::load::{self, OneMesh};
use crate::obj::write_object;
use crate::player::{BodyState, FrameStats, PlayerMesh, PlayerShape, Recording};
use crate::remarks::Remarks;
use crate::report::{self, Outcome, counted, number};
use carom_geom::ConvexHull;
use carom_math::{Pose, Vec3};
use carom_simplify::{DecomposeSettings, Decomposition, Stop};
use serde_json::json;

/// Frames in which the hulls on a page move apart, and how far at the end, as a share of their
/// distance from the middle.
const FRAMES: u16 = 60;
const APART: f32 = 0.6;

/// Runs the command.
pub fn run(args: &DecomposeArgs) -> Result<Outcome, String> {
    let mut remarks = Remarks::default();
    let OneMesh { mesh, origin, rounding } =
        load::one_mesh(&args.file, &args.reading.options(false), &mut remarks)?;
    remarks.print();
    let settings = DecomposeSettings::default()
        .with_max_hulls(args.hulls as usize)
        .with_max_vertices(args.vertices as usize)
        .with_concavity(args.concavity);
    let parts =
        carom_simplify::decompose(&mesh, &settings).map_err(|e| format!("{}: {e}", args.file.display()))?;
    let n_vertices: usize = parts.hulls.iter().map(|hull| hull.vertices().len()).sum();
    let what = if parts.is_solid { "the solid" } else { "the surface, which is open" };
    let (stop, why) = match parts.stop {
        Stop::Concavity => ("concavity", "all are as near as was asked for"),
        Stop::MaxHulls => ("hulls", "more hulls would be nearer"),
        _ => (
            "resolution",
            "more hulls would not be nearer: the limit on vertices, or the thickness of flat parts",
        ),
    };
    let mut lines = vec![
        format!("{}: {}", args.file.display(), counted(mesh.n_triangles(), "triangle", "triangles")),
        format!(
            "  {} of {n_vertices} vertices cover {what}{}",
            counted(parts.hulls.len(), "hull", "hulls"),
            load::within_rounding(rounding)
        ),
        format!(
            "  no point of a hull is farther than {} from the mesh; {why}",
            number(parts.concavity() + rounding)
        ),
    ];
    if let Some(path) = &args.output {
        let (mut text, mut first) = (String::new(), 0);
        for (i, hull) in parts.hulls.iter().enumerate() {
            write_object(
                &mut text,
                &format!("hull_{i}"),
                origin,
                hull.vertices(),
                &triangles(hull),
                &mut first,
            );
        }
        report::write_file(path, text.as_bytes())?;
        lines.push(format!("  written to {}", path.display()));
    }
    if let Some(path) = &args.html {
        report::write_file(path, page(&args.file.display().to_string(), &parts)?.as_bytes())?;
        lines.push(format!("  open {} in a browser to see them", path.display()));
    }
    report::finish(
        args.json,
        &lines,
        &remarks,
        json!({
            "schema": "carom.decompose.v1",
            "file": args.file.display().to_string(),
            "triangles": mesh.n_triangles(),
            "hulls": parts.hulls.iter().map(|hull| hull.vertices().len()).collect::<Vec<_>>(),
            "concavities": parts.concavities.iter().map(|c| c + rounding).collect::<Vec<_>>(),
            "rounding": rounding,
            "is_solid": parts.is_solid,
            "stop": stop,
        }),
    )
}

/// Returns the faces of a hull as triangle fans.
fn triangles(hull: &ConvexHull) -> Vec<[u32; 3]> {
    let fan = |face: u32| {
        let around = hull.face_vertices(face);
        around.windows(2).skip(1).map(|edge| [around[0], edge[0], edge[1]]).collect::<Vec<_>>()
    };
    (0..hull.n_faces() as u32).flat_map(fan).collect()
}

/// Returns a page on which the hulls move apart.
fn page(file: &str, parts: &Decomposition) -> Result<String, String> {
    let (mut min, mut max) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    for v in parts.hulls.iter().flat_map(|hull| hull.vertices()) {
        (min, max) = (min.min(*v), max.max(*v));
    }
    let middle = (min + max) * 0.5;
    // Each hull has its own middle as origin, so that it is drawn at its pose.
    let centers: Vec<Vec3> = parts
        .hulls
        .iter()
        .map(|hull| hull.vertices().iter().sum::<Vec3>() / hull.vertices().len() as f32)
        .collect();
    let shapes = parts
        .hulls
        .iter()
        .zip(&centers)
        .map(|(hull, center)| {
            let vertices = hull.vertices().iter().map(|v| *v - *center).collect();
            PlayerShape::Mesh(PlayerMesh { vertices, triangles: triangles(hull) })
        })
        .collect();
    let n = parts.hulls.len();
    let names = (0..n).map(|i| format!("hull {i}: stands off at most {}", number(parts.concavities[i])));
    let title = format!("{file}: {}", counted(n, "hull", "hulls"));
    let mut recording = Recording::new(&title, 1.0 / 30.0, shapes, (0..n as u32).collect())
        .with_names(names.collect())
        .with_state_names([""; 6]);
    // Consecutive hulls get different colours, which have no meaning.
    let states =
        [BodyState::Awake, BodyState::InContact, BodyState::Asleep, BodyState::Near, BodyState::Fixed];
    for frame in 0..=FRAMES {
        let apart = APART * f32::from(frame) / f32::from(FRAMES);
        let pose = |center: &Vec3| Pose::from_translation(*center + (*center - middle) * apart);
        let poses = centers.iter().map(pose).collect();
        let states = (0..n).map(|i| states[i % states.len()]).collect();
        recording.push(poses, states, &[], FrameStats::default());
    }
    recording.to_html()
}
