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
        // Shortened at last: what is written for a control character is longer.
        let reason = shortened(&without_controls(&reason), 400);
        ReadError::Syntax { path: path.to_path_buf(), place, reason }
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
const MAX_NAME: usize = 120;

/// The name without characters that steer a terminal; a long name is cut at its beginning.
fn name_on_one_line(path: &std::path::Path) -> String {
    let name = path.display().to_string();
    let n = name.chars().count();
    let dots = if MAX_NAME < n { "..." } else { "" };
    let mut shown = String::from(dots);
    for c in name.chars().skip(n.saturating_sub(MAX_NAME)) {
        shown.push(c);
    }
    without_controls(&shown)
}

/// The text with characters that steer a terminal written as `\u{1b}` and the like.
pub fn without_controls(text: &str) -> String {
    let is_steering = |c: char| {
        // Marks that turn the direction of writing steer too.
        c.is_control()
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if is_steering(c) { shown.extend(c.escape_unicode()) } else { shown.push(c) }
    }
    shown
}

/// The first `n` characters, and dots where there are more.
pub(crate) fn shortened(text: &str, n: usize) -> String {
    match text.char_indices().nth(n) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

/// The name of a format that is not read, and what to export in its place.
fn export_hint(path: &std::path::Path) -> Option<(&'static str, &'static str)> {
    let ending = path.extension()?.to_str()?.to_ascii_lowercase();
    Some(match ending.as_str() {
        "dae" => ("COLLADA", "glTF, OBJ or STL"),
        "step" | "stp" | "iges" | "igs" | "brep" => {
            ("a format of curved solids", "STL, OBJ or glTF from the CAD program")
        }
        "3mf" | "amf" => ("a printer's package", "STL"),
        "off" | "wrl" | "x3d" | "fbx" | "3ds" | "blend" | "usd" | "usdz" => {
            ("this format", "glTF, OBJ or STL")
        }
        "sdf" | "world" => ("SDFormat", "URDF"),
        _ => return None,
    })
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&name_on_one_line(self.path()))?;
        match self {
            ReadError::Open { error, .. } => write!(f, ": {error}"),
            ReadError::UnknownFormat { path } => {
                let known = "known are .obj .stl .ply .gltf .glb .urdf and scene .json";
                write!(f, ": unknown format; {known}")?;
                match export_hint(path) {
                    Some((name, instead)) => write!(f, "; {name} is not read: export {instead}"),
                    None => Ok(()),
                }
            }
            ReadError::Syntax { place, reason, .. } => {
                let reason = without_controls(reason);
                match place {
                    Place::File => write!(f, ": {reason}"),
                    Place::Line(line) => write!(f, ": line {line}: {reason}"),
                    Place::Item(item) => write!(f, ": {}: {reason}", shortened(&without_controls(item), 200)),
                }
            }
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
