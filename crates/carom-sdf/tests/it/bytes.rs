//! Fields are written and read. Bad bytes are refused, or read as a valid field.

use crate::scenes::{closed, mesh, open_box};
use carom_scenes::Rng;
use carom_scenes::mesh::terrain;
use carom_sdf::{BakeSettings, Field, SdfError, SdfGrid, SignMethod, SparseSdf};

fn fields() -> (Vec<SdfGrid>, Vec<SparseSdf>) {
    let (mut dense, mut sparse) = (Vec::new(), Vec::new());
    let others = [("open box", open_box()), ("terrain", mesh(&terrain(2.0, 0.4, 8, 3)))];
    for (_, mesh) in closed().into_iter().chain(others) {
        for band in [2.0, f32::INFINITY] {
            let settings = BakeSettings::default().with_resolution(12).with_band(band);
            dense.push(SdfGrid::from_mesh(&mesh, &settings).unwrap());
            sparse.push(SparseSdf::from_mesh(&mesh, &settings).unwrap());
        }
    }
    (dense, sparse)
}

#[test]
fn what_was_written_is_read() {
    let (dense, sparse) = fields();
    for field in dense {
        assert!(SdfGrid::from_bytes(&field.to_bytes()).unwrap() == field);
        assert!(SparseSdf::from_bytes(&field.to_bytes()).is_err());
    }
    for field in sparse {
        assert!(SparseSdf::from_bytes(&field.to_bytes()).unwrap() == field);
    }
}

#[test]
fn cut_and_changed_bytes_are_refused_or_read_as_a_field() {
    let mut rng = Rng::new(3);
    let (dense, sparse) = fields();
    let all = dense[..2].iter().map(SdfGrid::to_bytes).chain(sparse[..2].iter().map(SparseSdf::to_bytes));
    for bytes in all {
        let read = |bytes: &[u8]| {
            let dense = SdfGrid::from_bytes(bytes);
            let sparse = SparseSdf::from_bytes(bytes);
            if let Ok(field) = &dense {
                assert!(SdfGrid::from_bytes(&field.to_bytes()).as_ref() == Ok(field));
            }
            if let Ok(field) = &sparse {
                assert!(SparseSdf::from_bytes(&field.to_bytes()).as_ref() == Ok(field));
            }
            dense.is_ok() || sparse.is_ok()
        };
        assert!(read(&bytes));
        for length in (0..100).chain([bytes.len() - 1]) {
            assert!(!read(&bytes[..length]), "{length}");
        }
        let mut longer = bytes.clone();
        longer.push(0);
        assert!(!read(&longer));
        for _ in 0..150 {
            let mut changed = bytes.clone();
            let end = if rng.unit() < 0.5 { 64 } else { bytes.len() };
            let index = rng.below(end);
            changed[index] ^= 1 << rng.below(8);
            // The numbers of cells must not be trusted before the bytes are read.
            read(&changed);
        }
    }
}

/// A field without a sign has no inside: neither a value nor a block.
#[test]
fn an_inside_without_a_sign_is_refused() {
    let sheet = mesh(&terrain(2.0, 0.4, 8, 3));
    let settings = BakeSettings::default().with_resolution(40).with_band(2.0);
    let field = SparseSdf::from_mesh(&sheet, &settings).unwrap();
    assert_eq!(field.sign_method(), SignMethod::Unsigned);
    let bytes = field.to_bytes();
    let kinds = bytes.len() - field.n_stored_blocks() * 4 * 729 - field.n_blocks()..;
    let far: Vec<usize> = kinds.clone().take(field.n_blocks()).filter(|at| bytes[*at] == 0).collect();
    assert!(!far.is_empty() && field.n_stored_blocks() < field.n_blocks());
    for at in far {
        let mut changed = bytes.clone();
        changed[at] = 1;
        let why = "a block inside of a field that has no inside";
        assert_eq!(SparseSdf::from_bytes(&changed), Err(SdfError::BadBytes { why }));
    }
    // The first value, of a sparse field and of a dense one.
    let dense = SdfGrid::from_mesh(&sheet, &settings).unwrap().to_bytes();
    let mut changed = bytes.clone();
    changed[kinds.start + field.n_blocks()..][..4].copy_from_slice(&(-0.01_f32).to_le_bytes());
    assert!(matches!(SparseSdf::from_bytes(&changed), Err(SdfError::BadBytes { .. })));
    let mut changed = dense.clone();
    let at = dense.len() - 4;
    changed[at..].copy_from_slice(&(-0.01_f32).to_le_bytes());
    assert!(matches!(SdfGrid::from_bytes(&changed), Err(SdfError::BadBytes { .. })));
}

#[test]
fn a_claim_of_many_nodes_takes_no_memory() {
    let field = SdfGrid::from_mesh(&open_box(), &BakeSettings::default().with_resolution(4)).unwrap();
    let mut bytes = field.to_bytes();
    // The numbers of cells along x, y and z.
    for index in [24, 28, 32] {
        bytes[index..index + 4].copy_from_slice(&1000_u32.to_le_bytes());
    }
    let mut result = None;
    let allocated = allocation_counter::measure(|| result = Some(SdfGrid::from_bytes(&bytes)));
    assert_eq!(result, Some(Err(SdfError::BadBytes { why: "they end too early" })));
    assert!(allocated.bytes_max < 1000);
}
