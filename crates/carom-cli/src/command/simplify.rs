//! `carom simplify`: a coarser mesh, with a proven bound of the difference.
//!
//! All parts of a file are one surface, in single precision. The bounds contain its rounding.

use crate::args::{CoarseSide, SimplifyArgs};
use crate::load::{self, OneMesh};
use crate::obj::write_object;
use crate::remarks::Remarks;
use crate::report::{self, Outcome, number};
use carom_simplify::{Side, SimplifySettings};
use serde_json::json;

/// Runs the command.
pub fn run(args: &SimplifyArgs) -> Result<Outcome, String> {
    let mut remarks = Remarks::default();
    let OneMesh { mesh, origin, rounding } =
        load::one_mesh(&args.file, &args.reading.options(false), &mut remarks)?;
    remarks.print();
    let side = match args.side {
        CoarseSide::Either => Side::Either,
        CoarseSide::Outside => Side::Outside,
        CoarseSide::Inside => Side::Inside,
    };
    let settings = SimplifySettings::default()
        .with_max_triangles(args.triangles.unwrap_or(0))
        .with_max_error(args.error.unwrap_or(f64::INFINITY))
        .with_side(side);
    let coarse =
        carom_simplify::simplify(&mesh, &settings).map_err(|e| format!("{}: {e}", args.file.display()))?;
    let (new_to_old, old_to_new) = (coarse.new_to_old + rounding, coarse.old_to_new + rounding);
    let (before, after) = (mesh.n_triangles(), coarse.mesh.n_triangles());
    let mut lines = vec![
        format!("{}: {before} triangles, now {after}", args.file.display()),
        format!("  the new surface is at most {} from the old one", number(new_to_old)),
        format!("  the old surface is at most {} from the new one", number(old_to_new)),
    ];
    let within = load::within_rounding(rounding);
    match side {
        Side::Outside => lines.push(format!("  the new solid contains the old one{within}")),
        Side::Inside => lines.push(format!("  the old solid contains the new one{within}")),
        _ => {}
    }
    if let Some(path) = &args.output {
        let mut text = String::new();
        write_object(&mut text, "simplified", origin, coarse.mesh.vertices(), coarse.mesh.indices(), &mut 0);
        report::write_file(path, text.as_bytes())?;
        lines.push(format!("  written to {}", path.display()));
    }
    report::finish(
        args.json,
        &lines,
        &remarks,
        json!({
            "schema": "carom.simplify.v1",
            "file": args.file.display().to_string(),
            "triangles": [before, after],
            "new_to_old": new_to_old,
            "old_to_new": old_to_new,
            "rounding": rounding,
        }),
    )
}
