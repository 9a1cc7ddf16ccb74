//! Shapes as text: `sphere:0.5`, `box:1,2,3`, `hull:part.stl`, `points:0.01:scan.xyz`, or a file.

use crate::args::numbers;
use crate::solid::{ShapeSpec, spec_of_file};
use core::str::FromStr;

/// A shape of the command line, not yet read or checked.
#[derive(Clone, Debug, PartialEq)]
pub struct ShapeArg(pub ShapeSpec);

impl FromStr for ShapeArg {
    type Err = String;

    fn from_str(text: &str) -> Result<ShapeArg, String> {
        let Some((kind, rest)) = text.split_once(':') else {
            return Ok(ShapeArg(spec_of_file(text.as_ref())));
        };
        Ok(ShapeArg(match kind {
            "sphere" => ShapeSpec::Sphere(numbers::<1>(rest)?.0[0]),
            "box" => ShapeSpec::Box(numbers::<3>(rest)?.0),
            "capsule" => ShapeSpec::Capsule(numbers::<2>(rest)?.0),
            "tapered" => ShapeSpec::Tapered(numbers::<3>(rest)?.0),
            "round-box" => ShapeSpec::RoundBox(numbers::<4>(rest)?.0),
            "cylinder" => ShapeSpec::Cylinder(numbers::<2>(rest)?.0),
            "cone" => ShapeSpec::Cone(numbers::<2>(rest)?.0),
            "torus" => ShapeSpec::Torus(numbers::<2>(rest)?.0),
            "ellipsoid" => ShapeSpec::Ellipsoid(numbers::<3>(rest)?.0),
            "hull" => ShapeSpec::HullFile(rest.into()),
            "mesh" => ShapeSpec::File(rest.into()),
            "octree" => ShapeSpec::Octree(rest.into()),
            "points" => {
                let (radius, file) = rest.split_once(':').ok_or("points:RADIUS:FILE is needed")?;
                ShapeSpec::Points(numbers::<1>(radius)?.0[0], file.into())
            }
            _ if std::path::Path::new(text).exists() => spec_of_file(text.as_ref()),
            _ => {
                return Err(format!(
                    "{kind:?} is no shape: sphere:R box:HX,HY,HZ round-box:HX,HY,HZ,R capsule:HALF,R \
                     tapered:HALF,R_UP,R_DOWN cylinder:HALF,R cone:HALF,R torus:R,r ellipsoid:A,B,C hull:FILE mesh:FILE octree:FILE \
                     points:RADIUS:FILE, or a file"
                ));
            }
        }))
    }
}
