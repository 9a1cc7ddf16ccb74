//! What can be wrong with a file, said in one line with the file and the place.

use core::fmt;
use std::path::PathBuf;

/// Where in a file something was found.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// The file as a whole.
    File,
    /// A line of text, counted from 1.
    Line(usize),
    /// A part of the file by its own name: `face 12`, `parts[3].pose`, `joint elbow`.
    Item(String),
}

/// Why a file could not be read.
#[derive(Debug)]
#[non_exhaustive]
pub enum ReadError {
    /// The file is not there or may not be read.
    Open {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
    /// The name's ending is that of no known format.
    UnknownFormat {
        /// The file.
        path: PathBuf,
    },
    /// The file does not say what its format demands.
    Syntax {
        /// The file.
        path: PathBuf,
        /// Where.
        place: Place,
        /// What is wrong there.
        reason: String,
    },
}

impl ReadError {
    /// A finding in a file.
    pub(crate) fn at(path: &std::path::Path, place: Place, reason: impl Into<String>) -> ReadError {
        // Libraries' messages may span lines; one line is promised.
        let reason = reason.into().split_whitespace().collect::<Vec<_>>().join(" ");
        ReadError::Syntax { path: path.to_path_buf(), place, reason: shortened(&reason, 300) }
    }

    /// The file that is meant.
    pub fn path(&self) -> &std::path::Path {
        match self {
            ReadError::Open { path, .. }
            | ReadError::UnknownFormat { path }
            | ReadError::Syntax { path, .. } => path,
        }
    }
}

/// The most characters of a file's name in a message.
const MAX_NAME: usize = 200;

/// The name without line feeds and the like, and of a long one its end.
fn name_on_one_line(path: &std::path::Path) -> String {
    let name = path.display().to_string();
    let n = name.chars().count();
    let dots = if MAX_NAME < n { "..." } else { "" };
    let mut shown = String::from(dots);
    for c in name.chars().skip(n.saturating_sub(MAX_NAME)) {
        if c.is_control() { shown.extend(c.escape_default()) } else { shown.push(c) }
    }
    shown
}

/// The first `n` characters, and dots where there are more.
fn shortened(text: &str, n: usize) -> String {
    match text.char_indices().nth(n) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&name_on_one_line(self.path()))?;
        match self {
            ReadError::Open { error, .. } => write!(f, ": {error}"),
            ReadError::UnknownFormat { .. } => {
                write!(f, ": unknown format; known are .obj .stl .ply .gltf .glb .urdf and scene .json")
            }
            ReadError::Syntax { place: Place::File, reason, .. } => write!(f, ": {reason}"),
            ReadError::Syntax { place: Place::Line(line), reason, .. } => {
                write!(f, ": line {line}: {reason}")
            }
            ReadError::Syntax { place: Place::Item(item), reason, .. } => write!(f, ": {item}: {reason}"),
        }
    }
}

impl core::error::Error for ReadError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            ReadError::Open { error, .. } => Some(error),
            _ => None,
        }
    }
}
