//! Options of a reader, and the limits that keep memory and time in proportion to the files.
//!
//! Reference: none; the tests of `hostile` hold the limits.

/// Options of reading. By default, unsupported content is an error, and files outside of the
/// document's folder are not read.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Options {
    /// Whether to keep the valid links, parts and nodes of a document. The others are listed in
    /// [`crate::Model::unread`]. Default: false.
    pub keep_going: bool,
    /// Whether to read files outside of the document's folder that the document names. Default:
    /// false.
    pub allow_outside: bool,
    /// Whether each object and group of an OBJ file becomes a part. Default: false.
    pub split_objects: bool,
    /// The maximum number of triangles of a document, with all its instances. `None` sets the
    /// limit by the size of its files. Default: `None`.
    pub max_triangles: Option<u64>,
    /// The time in seconds at which animations pose glTF scenes. `None` leaves them at rest.
    /// Default: `None`.
    pub time: Option<f64>,
    /// The distance up to which vertices of a part are merged, a length in the unit of the file.
    /// `None` keeps them as they are.
    ///
    /// Each solid of a part is merged by itself and becomes one piece. No vertex moves by more
    /// than this; triangles that collapse are dropped. A solid of which nothing would remain is
    /// kept as it is. A note has the counts. [`crate::read_animated`] ignores it. Default: `None`.
    pub merge: Option<f64>,
}

impl Options {
    /// Sets [`Options::keep_going`].
    #[must_use]
    pub fn with_keep_going(mut self, keep_going: bool) -> Options {
        self.keep_going = keep_going;
        self
    }

    /// Sets [`Options::allow_outside`].
    #[must_use]
    pub fn with_allow_outside(mut self, allow_outside: bool) -> Options {
        self.allow_outside = allow_outside;
        self
    }

    /// Sets [`Options::split_objects`].
    #[must_use]
    pub fn with_split_objects(mut self, split_objects: bool) -> Options {
        self.split_objects = split_objects;
        self
    }

    /// Sets [`Options::max_triangles`].
    #[must_use]
    pub fn with_max_triangles(mut self, max_triangles: Option<u64>) -> Options {
        self.max_triangles = max_triangles;
        self
    }

    /// Sets [`Options::time`].
    #[must_use]
    pub fn with_time(mut self, time: Option<f64>) -> Options {
        self.time = time;
        self
    }

    /// Sets [`Options::merge`].
    #[must_use]
    pub fn with_merge(mut self, merge: Option<f64>) -> Options {
        self.merge = merge;
        self
    }

    /// Returns the maximum number of triangles of a document whose files have `n_bytes` in all.
    pub(crate) fn triangle_limit(&self, n_bytes: u64) -> u64 {
        self.max_triangles.unwrap_or(FREE_TRIANGLES + n_bytes / BYTES_PER_TRIANGLE)
    }
}

/// The maximum size of one file, in bytes.
pub(crate) const MAX_FILE_BYTES: u64 = 1 << 32;

/// Triangles that any document may have, however small its files are.
pub(crate) const FREE_TRIANGLES: u64 = 100_000;

/// Bytes of files for each further triangle. The densest formats take about 8.
pub(crate) const BYTES_PER_TRIANGLE: u64 = 5;

/// Triangles that a part counts as, in addition to its own.
pub(crate) const TRIANGLES_PER_PART: u64 = 4;

/// The maximum nesting of XML elements; real files have about five levels.
pub(crate) const MAX_XML_DEPTH: usize = 64;

/// The maximum number of attributes of one XML element.
pub(crate) const MAX_XML_ATTRIBUTES: usize = 256;

/// The maximum length of one part of a scene file, or of a glTF item without a list, in bytes.
pub(crate) const MAX_ITEM_CHARS: usize = 1 << 16;

/// The maximum number of corners of a self-intersecting polygon.
pub(crate) const MAX_CROSSING_CORNERS: usize = 2048;

/// The maximum number of crossings of such a polygon for each of its corners.
pub(crate) const MAX_CROSSINGS_PER_CORNER: usize = 8;

/// Notes of one kind that are kept; the others are counted or summed up.
pub(crate) const MAX_NOTES: usize = 50;

/// Edge tests for self-intersecting polygons that any file may use, however small it is.
pub(crate) const FREE_CROSSING_TESTS: usize = 1 << 21;

/// Further edge tests for each corner of a file's polygons.
pub(crate) const CROSSING_TESTS_PER_CORNER: usize = 200;

/// The maximum number of characters of a part's name. A longer one is cut, with a note.
pub(crate) const MAX_NAME_CHARS: usize = 200;

/// The maximum number of characters of a note.
pub(crate) const MAX_NOTE_CHARS: usize = 400;

/// Sparse values that may be applied for each byte of the files.
pub(crate) const SPARSE_VALUES_PER_BYTE: u64 = 2;

/// Numbers of skins, morph targets and animations in memory that any file may have.
pub(crate) const FREE_NUMBERS: u64 = 1 << 20;

/// Further such numbers for each byte of the files. A number takes at least one byte unless it is
/// shared.
pub(crate) const NUMBERS_PER_BYTE: u64 = 2;

/// Displacements and joint weights of vertices that one pose of any file may add up.
pub(crate) const FREE_TERMS: u64 = 1 << 20;

/// Further such terms for each byte of the files.
pub(crate) const TERMS_PER_BYTE: u64 = 64;

/// Bytes that any package may unpack to, however small it is.
pub(crate) const FREE_UNPACKED: u64 = 1 << 20;

/// Further unpacked bytes for each byte of a package. XML packs to about a tenth.
pub(crate) const UNPACKED_PER_BYTE: u64 = 32;

/// Unpacked bytes of XML that count as one byte of a file. A triangle and half a vertex take about
/// 50 unpacked.
pub(crate) const UNPACKED_BYTES_PER_COUNTED: u64 = 8;

/// The maximum length of an element or a text of a package's XML, in bytes.
pub(crate) const MAX_XML_EVENT_BYTES: u64 = 1 << 20;

/// The maximum nesting of XML elements and of instances of nodes in a COLLADA file.
pub(crate) const MAX_COLLADA_DEPTH: usize = 256;

/// Nodes of a COLLADA scene, with those of instances, that any file may have.
pub(crate) const FREE_NODES: usize = 100_000;

/// Further such nodes for each element of the file.
pub(crate) const NODES_PER_ELEMENT: usize = 4;
