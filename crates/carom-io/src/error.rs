//! Errors of reading a file: one line with the file, the location in it and the reason.

use core::fmt;
use std::path::PathBuf;

/// A location in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Location {
    /// The file as a whole.
    File,
    /// A line of text, counted from 1.
    Line(usize),
    /// A part of the file by its own name: `face 12`, `parts[3].pose`, `joint elbow`.
    Item(String),
}

/// An error of reading a file.
#[derive(Debug)]
#[non_exhaustive]
pub enum ReadError {
    /// The file does not exist or may not be read.
    Open {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        error: std::io::Error,
    },
    /// The extension of the file's name belongs to no known format.
    UnknownFormat {
        /// The file.
        path: PathBuf,
    },
    /// The content of the file breaks a rule of its format.
    Syntax {
        /// The file.
        path: PathBuf,
        /// The location of the error.
        location: Location,
        /// The description of the error.
        reason: String,
    },
}

impl ReadError {
    /// Returns an error at a location in a file, on one line and of limited length.
    pub(crate) fn at(path: &std::path::Path, location: Location, reason: impl Into<String>) -> ReadError {
        // Messages of libraries may span several lines; this error promises one.
        let reason = reason.into().split_whitespace().collect::<Vec<_>>().join(" ");
        // Shortened last, because escaping control characters makes the text longer.
        let reason = shortened(&without_controls(&reason), 400);
        ReadError::Syntax { path: path.to_path_buf(), location, reason }
    }

    /// Returns the file that the error is about.
    pub fn path(&self) -> &std::path::Path {
        match self {
            ReadError::Open { path, .. }
            | ReadError::UnknownFormat { path }
            | ReadError::Syntax { path, .. } => path,
        }
    }
}

/// The maximum number of characters of a file's name in a message.
const MAX_NAME_CHARS: usize = 120;

/// Returns the name with escaped control characters. A long name loses its beginning.
fn name_on_one_line(path: &std::path::Path) -> String {
    let name = path.display().to_string();
    let n = name.chars().count();
    let dots = if MAX_NAME_CHARS < n { "..." } else { "" };
    let mut shown = String::from(dots);
    for c in name.chars().skip(n.saturating_sub(MAX_NAME_CHARS)) {
        shown.push(c);
    }
    without_controls(&shown)
}

/// Returns the text with control characters escaped, such as `\u{1b}`.
pub fn without_controls(text: &str) -> String {
    let is_steering = |c: char| {
        // Marks of the writing direction control a terminal too.
        c.is_control()
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if is_steering(c) { shown.extend(c.escape_unicode()) } else { shown.push(c) }
    }
    shown
}

/// Returns the first `n` characters, followed by dots if the text has more.
pub(crate) fn shortened(text: &str, n: usize) -> String {
    match text.char_indices().nth(n) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

/// Returns the name of a format that is not supported, and the formats to export in its place.
fn export_hint(path: &std::path::Path) -> Option<(&'static str, &'static str)> {
    let ending = path.extension()?.to_str()?.to_ascii_lowercase();
    Some(match ending.as_str() {
        "step" | "stp" | "iges" | "igs" | "brep" => {
            ("a format of curved solids", "STL, 3MF, OBJ or glTF from the CAD program")
        }
        "amf" => ("a printer's package", "3MF or STL"),
        "wrl" | "x3d" | "fbx" | "3ds" | "blend" | "usd" | "usdz" => ("this format", "glTF, OBJ or STL"),
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
                let known = "known are .obj .stl .ply .off .3mf .dae .gltf .glb .urdf and scene .json";
                write!(f, ": unknown format; {known}")?;
                match export_hint(path) {
                    Some((name, instead)) => write!(f, "; {name} is not read: export {instead}"),
                    None => Ok(()),
                }
            }
            ReadError::Syntax { location, reason, .. } => {
                let reason = without_controls(reason);
                match location {
                    Location::File => write!(f, ": {reason}"),
                    Location::Line(line) => write!(f, ": line {line}: {reason}"),
                    Location::Item(item) => {
                        write!(f, ": {}: {reason}", shortened(&without_controls(item), 200))
                    }
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
