//! Truncations, changed bytes and noise are read or refused, without a panic.

use super::{parse, samples};
use carom_io::{Format, Options};
use proptest::prelude::*;
use std::path::Path;

fn files() -> Vec<(Vec<u8>, Format)> {
    vec![
        (samples::OBJ.to_vec(), Format::Obj),
        (samples::stl_text(), Format::Stl),
        (samples::stl_binary(), Format::Stl),
        (samples::PLY_TEXT.to_vec(), Format::Ply),
        (samples::ply_binary(false), Format::Ply),
        (samples::ply_binary(true), Format::Ply),
        (samples::gltf(), Format::Gltf),
        (samples::glb(), Format::Gltf),
        (samples::URDF.to_vec(), Format::Urdf),
        (
            br#"{"parts":[{"mesh":"none.obj","scale":[1,2,3],"pose":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]}]}"#
                .to_vec(),
            Format::Scene,
        ),
        (samples::OFF.to_vec(), Format::Off),
        (samples::COLLADA.as_bytes().to_vec(), Format::Collada),
        (samples::three_mf(samples::THREE_MF, true), Format::ThreeMf),
        (samples::three_mf(samples::THREE_MF, false), Format::ThreeMf),
        (super::motion::strip().json().to_string().into_bytes(), Format::Gltf),
    ]
}

/// Asserts that bytes are either a sound model or refused in one line.
fn check(bytes: &[u8], format: Format) {
    match parse(bytes, format) {
        Ok(model) => {
            for part in &model.parts {
                if let Ok(mesh) = part.world_mesh() {
                    assert!(mesh.vertices.iter().all(|v| v.is_finite()));
                    let n = mesh.vertices.len();
                    assert!(mesh.triangles.iter().flatten().all(|v| (*v as usize) < n));
                }
            }
        }
        Err(error) => assert!(!error.to_string().contains('\n')),
    }
    if format == Format::Gltf {
        check_motion(bytes);
    }
}

/// Asserts that bytes are either a scene that can be posed or refused in one line.
fn check_motion(bytes: &[u8]) {
    match carom_io::parse_animated(bytes, Path::new("file.x"), &Options::default()) {
        Ok(model) => {
            let mut positions = Vec::new();
            for seconds in [-1.0, 0.5, model.end()] {
                let pose = model.pose_at(seconds);
                for (i, part) in model.parts().iter().enumerate() {
                    model.positions_into(&pose, i, &mut positions);
                    assert!(part.triangles().iter().flatten().all(|v| (*v as usize) < positions.len()));
                }
            }
        }
        Err(error) => assert!(!error.to_string().contains('\n')),
    }
}

#[test]
fn every_truncation_is_answered() {
    for (bytes, format) in files() {
        for n in 0..bytes.len() {
            check(&bytes[..n], format);
        }
    }
}

#[test]
fn every_byte_may_be_any_of_the_ugly_ones() {
    for (bytes, format) in files() {
        for i in 0..bytes.len() {
            for ugly in [0u8, 0xff, 0x7f, 0x80, b'-', b'9', b' ', b'\n', b'"', b'<', b'>', b'/'] {
                let mut changed = bytes.clone();
                changed[i] = ugly;
                check(&changed, format);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn flips_and_splices_are_answered(
        file in 0usize..15,
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
        cut in any::<(prop::sample::Index, prop::sample::Index)>(),
        is_spliced: bool,
    ) {
        let (mut bytes, format) = files().swap_remove(file);
        for (at, value) in flips {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        if is_spliced {
            let (a, b) = (cut.0.index(bytes.len()), cut.1.index(bytes.len()));
            let piece = bytes[a.min(b)..a.max(b)].to_vec();
            bytes.splice(a..a, piece);
        }
        check(&bytes, format);
    }

    #[test]
    fn noise_is_answered(bytes in prop::collection::vec(any::<u8>(), 0..300), head in 0usize..15) {
        let (sample, format) = files().swap_remove(head);
        let head = sample.len() / 2;
        check(&bytes, format);
        check(&[&sample[..head], &bytes[..]].concat(), format);
    }
}
