//! Shapes as text: `sphere:0.5`, `box:1,2,3`, `hull:part.stl`, or a file.

use crate::args::numbers;
use crate::solid::ShapeSpec;
use core::str::FromStr;

/// A shape of the command line, not yet read or checked.
#[derive(Clone, Debug, PartialEq)]
pub struct ShapeArg(pub ShapeSpec);

impl FromStr for ShapeArg {
    type Err = String;

    fn from_str(text: &str) -> Result<ShapeArg, String> {
        let Some((kind, rest)) = text.split_once(':') else {
            return Ok(ShapeArg(ShapeSpec::File(text.into())));
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
            _ if std::path::Path::new(text).exists() => ShapeSpec::File(text.into()),
            _ => {
                return Err(format!(
                    "{kind:?} is no shape: sphere:R box:HX,HY,HZ round-box:HX,HY,HZ,R capsule:HALF,R \
                     tapered:HALF,R_UP,R_DOWN cylinder:HALF,R cone:HALF,R torus:R,r ellipsoid:A,B,C hull:FILE mesh:FILE, or a file"
                ));
            }
        }))
    }
}
