//! Distance fields from files.

use crate::run::{carom, error, json, stdout};
use carom_sdf::{Field, SdfGrid, SignMethod, SparseSdf};
use glam::Vec3;

#[test]
fn a_cube_is_baked_written_and_drawn() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("carom-sdf");
    std::fs::create_dir_all(&folder).unwrap();
    let (field, picture) = (folder.join("cube.sdf"), folder.join("cube.png"));
    let outputs = format!("-o {} --picture {}", field.display(), picture.display());
    let text = stdout(&carom(&format!("sdf cube.obj --resolution 16 {outputs}")));
    assert!(text.contains("exact winding numbers") && text.contains("slices in"), "{text}");
    let dense = SdfGrid::from_bytes(&std::fs::read(&field).unwrap()).unwrap();
    assert_eq!((dense.sample(Vec3::ZERO).distance, dense.sign_method()), (-1.0, SignMethod::WindingExact));
    let decoder = png::Decoder::new(std::io::BufReader::new(std::fs::File::open(&picture).unwrap()));
    let mut reader = decoder.read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let size = reader.next_frame(&mut pixels).unwrap();
    // The middle of the first slice is inside, and its corner is not.
    let at = |x: usize, y: usize| &pixels[3 * (y * size.width as usize + x)..][..3];
    let (inside, outside) = (at(212, 212), at(20, 20));
    assert!(inside[0] < inside[2] && outside[2] < outside[0], "{inside:?} {outside:?}");
    // A band, and blocks near the surface alone.
    let (d, status) =
        json(&format!("sdf cube.obj --resolution 64 --band 2 --sparse -o {} --json", field.display()));
    assert_eq!((status, &d["schema"], &d["sign"]), (0, &"carom.sdf.v1".into(), &"winding_exact".into()));
    assert!(d["stored"]["stored_blocks"].as_u64() < d["stored"]["blocks"].as_u64());
    let sparse = SparseSdf::from_bytes(&std::fs::read(&field).unwrap()).unwrap();
    assert_eq!(sparse.sample(Vec3::ZERO).distance, -sparse.band());
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn an_open_mesh_and_wrong_numbers_are_named() {
    let text = stdout(&carom("sdf open.obj --resolution 16"));
    assert!(text.contains("open: "), "{text}");
    assert!(error("sdf bad.obj").contains("bad.obj: line 3"));
    assert!(error("sdf cube.obj --resolution 100 --max-nodes 1000").contains("1000 are allowed"));
    assert!(error("sdf cube.obj --band 1").contains("less than 2"));
}

#[test]
fn a_missing_folder_is_an_error_about_the_file_of_the_user() {
    for command in ["sdf cube.obj --resolution 16 -o", "simplify cube.obj --triangles 4 -o"] {
        let file = if command.starts_with("sdf") { "nosuch/x.sdf" } else { "nosuch/x.obj" };
        let message = error(&format!("{command} {file}"));
        assert!(message.contains(&format!("{file}: ")), "{message}");
        assert!(!message.contains(".carom-"), "{message}");
    }
}

/// The file is as readable as any new file.
#[cfg(unix)]
#[test]
fn written_files_have_ordinary_permissions() {
    use std::os::unix::fs::PermissionsExt;
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("carom-permissions");
    std::fs::create_dir_all(&folder).unwrap();
    let mode = |name: &str| std::fs::metadata(folder.join(name)).unwrap().permissions().mode();
    std::fs::write(folder.join("plain"), b"").unwrap();
    let file = folder.join("x.sdf");
    assert!(carom(&format!("sdf cube.obj --resolution 16 -o {}", file.display())).status.success());
    assert_eq!(mode("x.sdf"), mode("plain"));
    std::fs::remove_dir_all(&folder).unwrap();
}
