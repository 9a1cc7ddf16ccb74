//! `carom sdf`: the signed distance field of a mesh, as a file and as a picture of slices.

use crate::args::SdfArgs;
use crate::load::{self, OneMesh};
use crate::remarks::Remarks;
use crate::report::{self, Outcome, number};
use carom_geom::TriMesh;
use carom_sdf::{BakeSettings, Field, SdfGrid, SignMethod, SparseSdf};
use glam::{DVec3, Vec3};
use serde_json::{Value, json};

/// Pixels along the longest side of a slice.
const PIXELS: f32 = 400.0;

/// Pixels between two slices.
const GAP: usize = 12;

/// Runs the command.
pub fn run(args: &SdfArgs) -> Result<Outcome, String> {
    let mut remarks = Remarks::default();
    let one = load::one_mesh(&args.file, &args.reading.options(false), &mut remarks)?;
    remarks.print();
    if one.origin != DVec3::ZERO && args.output.is_some() {
        return Err(format!(
            "{}: the mesh is too far from zero for a field in single precision, and a file of a field has no place \
             for its origin: move the mesh by {} and try again",
            args.file.display(),
            -one.origin
        ));
    }
    let band = args.band.map_or(f32::INFINITY, |band| band as f32);
    let settings = BakeSettings::default().with_resolution(args.resolution).with_band(band);
    let settings = settings.with_max_nodes(args.max_nodes);
    let failed = |e| format!("{}: {e}", args.file.display());
    let (lines, document) = if args.sparse {
        let field = SparseSdf::from_mesh(&one.mesh, &settings).map_err(failed)?;
        let stored = json!({"blocks": field.n_blocks(), "stored_blocks": field.n_stored_blocks()});
        write(args, &one, &field, &field.to_bytes(), stored)?
    } else {
        let field = SdfGrid::from_mesh(&one.mesh, &settings).map_err(failed)?;
        write(args, &one, &field, &field.to_bytes(), json!({"nodes": field.values().len()}))?
    };
    report::finish(args.json, &lines, &remarks, document)
}

/// Writes the files that the arguments name. Returns the report as lines and as a document.
fn write(
    args: &SdfArgs,
    OneMesh { mesh, origin, rounding }: &OneMesh,
    field: &impl Field,
    bytes: &[u8],
    stored: Value,
) -> Result<(Vec<String>, Value), String> {
    let (grid, thin) = (field.grid(), thin_triangles(mesh, field));
    let (sign, said) = sign_words(field.sign_method());
    let n_triangles = mesh.n_triangles();
    let mut lines = vec![
        format!("{}: {n_triangles} triangles", args.file.display()),
        format!("  {} cells of {}", grid.cells(), number(f64::from(grid.cell()))),
        format!("  {said}"),
        format!("  samples between nodes are off by at most {}", number(field.error_bound() + rounding)),
    ];
    if *origin != DVec3::ZERO {
        lines.push(format!(
            "  the origin of the field is at {origin}: the mesh is too far from zero for single precision"
        ));
    }
    if 0 < thin {
        lines.push(format!(
            "  {thin} of {n_triangles} triangles have no inside half a cell behind them: thin walls or sharp edges, \
             which cells of this size do not show"
        ));
    }
    if let Some(path) = &args.output {
        report::write_file(path, bytes)?;
        lines.push(format!("  {} bytes in {}", bytes.len(), path.display()));
    }
    if let Some(path) = &args.picture {
        report::write_file(path, &picture(field)?)?;
        lines.push(format!("  slices in {}", path.display()));
    }
    let document = json!({
        "schema": "carom.sdf.v1",
        "file": args.file.display().to_string(),
        "triangles": n_triangles,
        "cells": grid.cells().to_array(),
        "cell": grid.cell(),
        "first": grid.first().to_array(),
        "stored": stored,
        "sign": sign,
        "origin": origin.to_array(),
        "error_bound": field.error_bound() + rounding,
        "thin_triangles": thin,
    });
    Ok((lines, document))
}

fn sign_words(sign: SignMethod) -> (&'static str, String) {
    match sign {
        SignMethod::WindingExact => ("winding_exact", "closed: sides by exact winding numbers".to_owned()),
        SignMethod::Parity => {
            ("parity", "closed, with triangles turned over: sides by exact parity".to_owned())
        }
        SignMethod::Winding { doubtful } => {
            let part = number(f64::from((1000.0 * doubtful).round() / 10.0));
            ("winding", format!("open: sides by solid angles; {part}% of the area is doubtful"))
        }
        _ => ("unsigned", "open: inside and outside are unknown, all distances are positive".to_owned()),
    }
}

/// Returns how many triangles have no inside half a cell behind them, by samples of the field; 0
/// for a field without a sign.
fn thin_triangles(mesh: &TriMesh, field: &impl Field) -> usize {
    if !field.sign_method().is_signed() {
        return 0;
    }
    let depth = 0.5 * field.grid().cell();
    let behind: Vec<Vec3> = (0..mesh.n_triangles() as u32)
        .filter_map(|t| {
            let [a, b, c] = mesh.points(t);
            let normal = (b - a).cross(c - a).try_normalize()?;
            Some([(a + b + c) / 3.0 - normal * depth, (a + b + c) / 3.0 + normal * depth])
        })
        .flatten()
        .collect();
    let mut samples = Vec::new();
    field.sample_batch(&behind, &mut samples);
    // An inside on either side will do, because some meshes face inwards.
    samples.chunks_exact(2).filter(|pair| pair.iter().all(|sample| 0.0 <= sample.distance)).count()
}

/// Returns a PNG of three slices through the middle, side by side: along z, y and x.
fn picture(field: &impl Field) -> Result<Vec<u8>, String> {
    let bounds = field.grid().aabb();
    let extents = bounds.extents();
    let scale = PIXELS / extents.max_element();
    let middle = 0.5 * (bounds.min + bounds.max);
    let sizes = [[0, 1], [0, 2], [2, 1]]
        .map(|axes| axes.map(|axis| (extents[axis] * scale).ceil().max(1.0) as usize));
    let width = sizes.iter().map(|size| size[0]).sum::<usize>() + 4 * GAP;
    let height = sizes.iter().map(|size| size[1]).max().unwrap_or(0) + 2 * GAP;
    let mut pixels = vec![255_u8; 3 * width * height];
    let mut left = GAP;
    let mut samples = Vec::new();
    for (axes, size) in [[0, 1], [0, 2], [2, 1]].into_iter().zip(sizes) {
        for row in 0..size[1] {
            let points: Vec<Vec3> = (0..size[0])
                .map(|column| {
                    let mut point = middle;
                    point[axes[0]] = bounds.min[axes[0]] + (column as f32 + 0.5) / scale;
                    // Up in the picture is up in the mesh.
                    point[axes[1]] = bounds.max[axes[1]] - (row as f32 + 0.5) / scale;
                    point
                })
                .collect();
            field.sample_batch(&points, &mut samples);
            for (column, sample) in samples.iter().enumerate() {
                let at = 3 * ((row + GAP) * width + left + column);
                pixels[at..at + 3].copy_from_slice(&color(field, sample.distance, 1.0 / scale));
            }
        }
        left += size[0] + GAP;
    }
    png_of(width, height, &pixels)
}

/// Returns the colour of a distance: blue inside, orange outside, darker lines every four cells,
/// black on the surface, grey beyond the band.
fn color(field: &impl Field, distance: f32, pixel: f32) -> [u8; 3] {
    let cell = field.grid().cell();
    if distance.abs() < 0.75 * pixel {
        return [0, 0, 0];
    }
    if field.band() <= distance.abs() {
        return if distance < 0.0 { [150, 160, 175] } else { [225, 225, 225] };
    }
    let step = 4.0 * cell;
    let to_line = (distance.abs() % step).min(step - distance.abs() % step);
    let is_line = to_line < 0.5 * pixel && step / 2.0 < distance.abs();
    let near = (-distance.abs() / (12.0 * cell)).exp();
    let [r, g, b] = if distance < 0.0 { [70.0, 130.0, 220.0] } else { [245.0, 160.0, 70.0] };
    [r, g, b].map(|c| {
        let light = c + (255.0 - c) * 0.75 * (1.0 - near);
        (if is_line { 0.75 * light } else { light }) as u8
    })
}

fn png_of(width: usize, height: usize, pixels: &[u8]) -> Result<Vec<u8>, String> {
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, width as u32, height as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().map_err(|e| e.to_string())?;
    writer.write_image_data(pixels).map_err(|e| e.to_string())?;
    writer.finish().map_err(|e| e.to_string())?;
    Ok(out)
}
