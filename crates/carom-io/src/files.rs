//! Access to files: the files that a document may name, limits on their size, and a cache.
//!
//! 1. Only regular files are read, because a device or a pipe has no end.
//! 2. A document may name files inside of its folder; [`Options::allow_outside`] lifts that.
//!    Symbolic links are resolved before the test.
//! 3. Each file is read once and shared by all parts that name it.
//! 4. The triangles in memory are counted against the size of the files.
//!
//! Reference: none; the rules are carom's own.

use crate::error::{Location, ReadError};
use crate::limits::{
    FREE_NUMBERS, FREE_TERMS, MAX_FILE_BYTES, NUMBERS_PER_BYTE, Options, SPARSE_VALUES_PER_BYTE,
    TERMS_PER_BYTE,
};
use crate::part::{Piece, Placement, RawMesh, used_vertices};
use crate::{Format, Model};
use std::cell::RefCell;
use std::collections::HashMap;
use std::io::Read;
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

/// The state of a reader: its options, its counts and the files that it has read.
pub(crate) struct Files<'a> {
    pub(crate) options: &'a Options,
    /// The bytes of all files so far.
    n_bytes: u64,
    /// Triangles in memory so far.
    n_triangles: u64,
    /// Triangles of all placed parts so far, instances included.
    n_placed: u64,
    /// Values of sparse accessors so far.
    n_sparse: u64,
    /// Numbers of skins, morph targets and animations so far.
    n_numbers: u64,
    /// Displacements and joints of the vertices of all parts so far.
    n_terms: u64,
    meshes: HashMap<PathBuf, Result<Rc<MeshFile>, String>>,
    buffers: HashMap<PathBuf, Buffer>,
}

/// The first bytes of a file.
struct Buffer {
    bytes: Arc<Vec<u8>>,
    /// Whether `bytes` is the whole file.
    is_whole: bool,
}

/// The meshes of a file that a document uses as one part.
#[derive(Default)]
pub(crate) struct MeshFile {
    pieces: Vec<Piece>,
    /// The name of the file's unit of length, if it has one.
    pub(crate) unit: Option<&'static str>,
    /// The length of the file's unit in metres, if the file states it.
    pub(crate) metres: Option<f64>,
    /// The axis that points up, if the file states it.
    pub(crate) up: Option<&'static str>,
    notes: RefCell<Vec<String>>,
    pub(crate) unread: Vec<String>,
}

impl MeshFile {
    /// Takes the notes on the file, so that they appear for the first part that uses it.
    pub(crate) fn take_notes(&self) -> Vec<String> {
        self.notes.take()
    }

    /// Returns the number of triangles of one instance.
    pub(crate) fn n_triangles(&self) -> usize {
        self.pieces.iter().map(|piece| piece.mesh.triangles.len()).sum()
    }

    /// Returns the pieces, scaled and placed.
    pub(crate) fn placed(&self, scale: [f64; 3], placement: &Placement) -> Vec<Piece> {
        let place = |piece: &Piece| {
            if piece.placement == Placement::IDENTITY {
                let scale = core::array::from_fn(|k| scale[k] * piece.scale[k]);
                return Piece { mesh: piece.mesh.clone(), scale, placement: *placement, solid: 0 };
            }
            let placement = placement.after(&Placement::scaling(scale)).after(&piece.placement);
            Piece { mesh: piece.mesh.clone(), scale: piece.scale, placement, solid: 0 }
        };
        self.pieces.iter().map(place).collect()
    }
}

impl<'a> Files<'a> {
    pub(crate) fn new(options: &'a Options) -> Files<'a> {
        Files {
            options,
            n_bytes: 0,
            n_triangles: 0,
            n_placed: 0,
            n_sparse: 0,
            n_numbers: 0,
            n_terms: 0,
            meshes: HashMap::new(),
            buffers: HashMap::new(),
        }
    }

    /// Counts bytes that were read elsewhere.
    pub(crate) fn count_bytes(&mut self, n: usize) {
        self.n_bytes += n as u64;
    }

    /// Returns the bytes of all files so far.
    pub(crate) fn n_bytes(&self) -> u64 {
        self.n_bytes
    }

    /// Counts triangles before they are made. An error if they are too many for the files.
    pub(crate) fn count_triangles(&mut self, n: usize) -> Result<(), String> {
        self.n_triangles = self.n_triangles.saturating_add(n as u64);
        check_triangles(self.n_triangles, self.n_bytes, self.options)
    }

    /// Returns an error if `n` more triangles in memory would be too many for the files.
    pub(crate) fn check_count(&self, n: usize) -> Result<(), String> {
        check_triangles(self.n_triangles.saturating_add(n as u64), self.n_bytes, self.options)
    }

    /// Counts the triangles of a part or a shape before it is placed. An error if all placed
    /// triangles are too many for the files.
    pub(crate) fn count_placed(&mut self, n: usize) -> Result<(), String> {
        self.n_placed = self.n_placed.saturating_add(n as u64);
        check_triangles(self.n_placed, self.n_bytes, self.options)
    }

    /// Returns an error if a mesh has too many triangles for the files.
    pub(crate) fn check_mesh(&self, mesh: &RawMesh) -> Result<(), String> {
        check_triangles(mesh.triangles.len() as u64, self.n_bytes, self.options)
    }

    /// Counts the values of a sparse accessor before they are applied. An error if they are too
    /// many for the files.
    pub(crate) fn count_sparse(&mut self, n: usize) -> Result<(), String> {
        self.n_sparse = self.n_sparse.saturating_add(n as u64);
        let limit = self.n_bytes.saturating_mul(SPARSE_VALUES_PER_BYTE);
        if self.n_sparse <= limit {
            return Ok(());
        }
        Err(format!("sparse accessors are applied to more than {limit} values in all"))
    }

    /// Counts numbers of skins, morph targets and animations before they are kept. An error if they
    /// are too many for the files.
    pub(crate) fn count_numbers(&mut self, n: usize) -> Result<(), String> {
        self.n_numbers = self.n_numbers.saturating_add(n as u64);
        let limit = FREE_NUMBERS.saturating_add(self.n_bytes.saturating_mul(NUMBERS_PER_BYTE));
        if self.n_numbers <= limit {
            return Ok(());
        }
        Err(format!("skins, morph targets and animations have more than {limit} numbers in all"))
    }

    /// Counts the displacements and joint weights of the vertices of a part. An error if those of
    /// all parts are too many for the files.
    pub(crate) fn count_terms(&mut self, n: u64) -> Result<(), String> {
        self.n_terms = self.n_terms.saturating_add(n);
        let limit = FREE_TERMS.saturating_add(self.n_bytes.saturating_mul(TERMS_PER_BYTE));
        if self.n_terms <= limit {
            return Ok(());
        }
        Err(format!("skins and morph targets move vertices by more than {limit} terms in all"))
    }

    /// Reads a whole file.
    pub(crate) fn read(&mut self, path: &Path) -> Result<Vec<u8>, ReadError> {
        self.read_start(path, MAX_FILE_BYTES)
    }

    /// Reads the first bytes of a file.
    fn read_start(&mut self, path: &Path, n: u64) -> Result<Vec<u8>, ReadError> {
        let bytes = read_regular(path, n)?;
        self.n_bytes += bytes.len() as u64;
        Ok(bytes)
    }

    /// Returns at least the first `n` bytes of a buffer, or the whole file if it is shorter.
    ///
    /// If a later call needs more bytes, the file is read again, with at least twice the length. So
    /// the bytes read are in proportion to the file.
    pub(crate) fn buffer(&mut self, path: &Path, n: u64) -> Result<Arc<Vec<u8>>, ReadError> {
        let key = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        let mut wanted = n;
        if let Some(Buffer { bytes, is_whole }) = self.buffers.get(&key) {
            let known = bytes.len() as u64;
            if *is_whole || n <= known {
                return Ok(bytes.clone());
            }
            wanted = n.max(2 * known);
            self.n_bytes -= known;
        }
        let bytes = Arc::new(self.read_start(path, wanted)?);
        let is_whole = (bytes.len() as u64) < wanted;
        self.buffers.insert(key, Buffer { bytes: bytes.clone(), is_whole });
        Ok(bytes)
    }

    /// Returns the meshes of a file; each file is read once.
    pub(crate) fn mesh(&mut self, path: &Path) -> Result<Rc<MeshFile>, String> {
        let key = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        if let Some(known) = self.meshes.get(&key) {
            return known.clone();
        }
        let read = self.read_mesh_file(path).map(Rc::new).map_err(|e| e.to_string());
        self.meshes.insert(key, read.clone());
        read
    }

    fn read_mesh_file(&mut self, path: &Path) -> Result<MeshFile, ReadError> {
        let format = Format::of(path).ok_or_else(|| ReadError::UnknownFormat { path: path.to_path_buf() })?;
        if matches!(format, Format::Urdf | Format::Scene) {
            return Err(ReadError::at(path, Location::File, "a scene, where one mesh is needed"));
        }
        let bytes = self.read(path)?;
        let Model { parts, notes, unread, unit, metres, up, .. } =
            crate::parse_in(&bytes, format, path, self)?;
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let named = |notes: Vec<String>| -> Vec<String> {
            notes.iter().map(|note| format!("{file}: {note}")).collect()
        };
        let mut pieces: Vec<Piece> = parts.into_iter().flat_map(|part| part.pieces).collect();
        for piece in &mut pieces {
            // Each instance has all vertices of the mesh, so vertices without a triangle are
            // dropped.
            let used = used_vertices(&piece.mesh.triangles);
            if used.len() < piece.mesh.vertices.len() {
                piece.mesh = Arc::new(piece.mesh.with_used_vertices(piece.mesh.triangles.clone()));
            }
        }
        Ok(MeshFile { pieces, unit, metres, up, notes: RefCell::new(named(notes)), unread: named(unread) })
    }

    /// Returns the file that a document names. An error if it lies outside of the folder `root` and
    /// [`Options::allow_outside`] is not set.
    pub(crate) fn inside(&self, file: PathBuf, root: &Path) -> Result<PathBuf, String> {
        if self.options.allow_outside {
            return Ok(file);
        }
        let root = if root.as_os_str().is_empty() { Path::new(".") } else { root };
        let is_inside = match (file.canonicalize(), root.canonicalize()) {
            (Ok(file), Ok(root)) => file.starts_with(root),
            // The path of a file that does not exist cannot be resolved; its name alone decides.
            _ => !escapes_folder(file.strip_prefix(root).unwrap_or(&file), root),
        };
        if is_inside {
            return Ok(file);
        }
        let root = root.display();
        Err(format!(
            "{} lies outside of the document's folder {root}; --allow-outside reads it",
            file.display()
        ))
    }
}

/// Reads at most `n` bytes of a regular file.
pub(crate) fn read_regular(path: &Path, n: u64) -> Result<Vec<u8>, ReadError> {
    let open = |error| ReadError::Open { path: path.to_path_buf(), error };
    let length = {
        // Checked before the file is opened, because opening a pipe may wait for ever.
        let data = std::fs::metadata(path).map_err(open)?;
        if !data.is_file() {
            let what = if data.is_dir() { "a folder" } else { "a device or pipe" };
            return Err(ReadError::at(path, Location::File, format!("{what}, not a regular file")));
        }
        data.len()
    };
    if MAX_FILE_BYTES < length.min(n.saturating_add(1)) {
        let reason = format!("{length} bytes: more than the limit of {MAX_FILE_BYTES}");
        return Err(ReadError::at(path, Location::File, reason));
    }
    let file = std::fs::File::open(path).map_err(open)?;
    let mut bytes = Vec::with_capacity(usize::try_from(length.min(n)).unwrap_or(0));
    // The file may have grown since its length was read.
    file.take(length.min(n)).read_to_end(&mut bytes).map_err(open)?;
    Ok(bytes)
}

/// Whether a relative name leaves its folder, or an absolute one lies outside of `root`.
fn escapes_folder(name: &Path, root: &Path) -> bool {
    let mut depth = 0_i64;
    for component in name.components() {
        depth += match component {
            Component::Normal(_) => 1,
            Component::ParentDir => -1,
            Component::CurDir => 0,
            Component::RootDir | Component::Prefix(_) => return !name.starts_with(root),
        };
        if depth < 0 {
            return true;
        }
    }
    false
}

/// Returns an error if `n` triangles are too many for files of `n_bytes` in all.
pub(crate) fn check_triangles(n: u64, n_bytes: u64, options: &Options) -> Result<(), String> {
    let limit = options.triangle_limit(n_bytes);
    if n <= limit {
        return Ok(());
    }
    Err(format!(
        "{n} triangles or more, in {n_bytes} bytes of files: the limit is {limit}; --max-triangles raises it"
    ))
}

/// Returns the text without a UTF-8 byte order mark. UTF-16 text is an error.
pub(crate) fn without_mark(bytes: &[u8]) -> Result<&[u8], String> {
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err("UTF-16 text; UTF-8 is needed".to_owned());
    }
    Ok(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes))
}
