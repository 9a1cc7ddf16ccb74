//! The bounds of a reader: the options, and all limits that keep memory and time in proportion to
//! the files.
//!
//! Reference: none; the tests of `hostile` hold the bounds.

/// How files are read. The default refuses what it does not understand and stays in the document's
/// folder.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Options {
    /// Keeps the good links, parts and nodes of a document; the others are listed in
    /// [`crate::Model::unread`].
    pub keep_going: bool,
    /// Reads files that a document names outside of its folder.
    pub allow_outside: bool,
    /// Each object and group of an OBJ file is a part.
    pub split_objects: bool,
    /// The most triangles that a document may have when it is placed; `None` goes by the size of
    /// its files.
    pub max_triangles: Option<u64>,
    /// Poses glTF scenes as their animations have them at this time in seconds; `None` leaves them
    /// at rest.
    pub time: Option<f64>,
}

impl Options {
    /// With [`Options::keep_going`].
    #[must_use]
    pub fn with_keep_going(mut self, keep_going: bool) -> Options {
        self.keep_going = keep_going;
        self
    }

    /// With [`Options::allow_outside`].
    #[must_use]
    pub fn with_allow_outside(mut self, allow_outside: bool) -> Options {
        self.allow_outside = allow_outside;
        self
    }

    /// With [`Options::split_objects`].
    #[must_use]
    pub fn with_split_objects(mut self, split_objects: bool) -> Options {
        self.split_objects = split_objects;
        self
    }

    /// With [`Options::max_triangles`].
    #[must_use]
    pub fn with_max_triangles(mut self, max_triangles: Option<u64>) -> Options {
        self.max_triangles = max_triangles;
        self
    }

    /// With [`Options::time`].
    #[must_use]
    pub fn with_time(mut self, time: Option<f64>) -> Options {
        self.time = time;
        self
    }

    /// The most triangles of a document whose files have so many bytes.
    pub(crate) fn triangle_limit(&self, n_bytes: u64) -> u64 {
        self.max_triangles.unwrap_or(FREE_TRIANGLES + n_bytes / BYTES_PER_TRIANGLE)
    }
}

/// Bytes of one file.
pub(crate) const MAX_FILE_BYTES: u64 = 1 << 32;

/// Triangles that the smallest document may have.
pub(crate) const FREE_TRIANGLES: u64 = 100_000;

/// Bytes of files that allow one more triangle; the densest formats take about 8.
pub(crate) const BYTES_PER_TRIANGLE: u64 = 5;

/// A part counts as this many triangles beside its own.
pub(crate) const TRIANGLES_PER_PART: u64 = 4;

/// Elements inside elements of XML: real files have about five.
pub(crate) const MAX_XML_DEPTH: usize = 64;

/// Attributes of one element of XML.
pub(crate) const MAX_XML_ATTRIBUTES: usize = 256;

/// Characters of one part of a scene file, or of one item of a glTF file that has no list.
pub(crate) const MAX_ITEM_CHARS: usize = 1 << 16;

/// Corners of a polygon that crosses itself.
pub(crate) const MAX_CROSSING_CORNERS: usize = 2048;

/// Crossings of such a polygon for each corner.
pub(crate) const MAX_CROSSINGS_PER_CORNER: usize = 8;

/// Notes of one kind that are written out; the others are counted.
pub(crate) const MAX_NOTES: usize = 50;

/// Tests of two edges of polygons that cross themselves, for the smallest file.
pub(crate) const FREE_CROSSING_TESTS: usize = 1 << 21;

/// The same for each corner of a file's polygons.
pub(crate) const CROSSING_TESTS_PER_CORNER: usize = 200;

/// Characters of a part's name; a longer one is cut, which is noted.
pub(crate) const MAX_NAME_CHARS: usize = 200;

/// Characters of a note.
pub(crate) const MAX_NOTE_CHARS: usize = 400;

/// Values of sparse accessors that may be applied, for each byte of the files.
pub(crate) const SPARSE_VALUES_PER_BYTE: u64 = 2;

/// Numbers of skins, morph targets and animations that the smallest file may have in memory.
pub(crate) const FREE_NUMBERS: u64 = 1 << 20;

/// The same for each byte of the files; they take a byte each at least, unless they are shared.
pub(crate) const NUMBERS_PER_BYTE: u64 = 2;

/// Displacements and joints of vertices that one pose of the smallest file may add up.
pub(crate) const FREE_TERMS: u64 = 1 << 20;

/// The same for each byte of the files.
pub(crate) const TERMS_PER_BYTE: u64 = 64;
