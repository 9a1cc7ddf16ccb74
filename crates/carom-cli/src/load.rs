//! Files to parts, for the commands that take several files.

use carom_io::{Model, ReadError};
use std::path::{Path, PathBuf};

/// A file that was read, or why not.
pub(crate) struct Loaded {
    /// The file.
    pub(crate) path: PathBuf,
    /// What it holds.
    pub(crate) model: Model,
}

/// Reads all files; the first that is bad ends it, or, with `keep_going`, is said on standard error and passed over.
///
/// Also says whether any was bad.
pub(crate) fn load_all(files: &[PathBuf], keep_going: bool) -> Result<(Vec<Loaded>, bool), String> {
    let mut loaded = Vec::new();
    let mut has_bad = false;
    for path in files {
        match load(path) {
            Ok(model) => loaded.push(Loaded { path: path.clone(), model }),
            Err(e) if keep_going => {
                eprintln!("error: {e}");
                has_bad = true;
            }
            Err(e) => return Err(e.to_string()),
        }
    }
    if loaded.is_empty() {
        return Err("no file could be read".to_owned());
    }
    Ok((loaded, has_bad))
}

/// Reads a file and says on standard error what was not read as it stands there.
pub(crate) fn load(path: &Path) -> Result<Model, ReadError> {
    let model = carom_io::read(path)?;
    for note in &model.notes {
        eprintln!("note: {}: {note}", path.display());
    }
    Ok(model)
}

/// The unit and the up axis of some files, where all agree: `"m"`, `"z"`.
pub(crate) fn frame_of<'a>(
    models: impl IntoIterator<Item = &'a Model>,
) -> (Option<&'static str>, Option<&'static str>) {
    let mut frames = models.into_iter().map(|m| (m.unit, m.up));
    let Some(first) = frames.next() else { return (None, None) };
    frames.fold(first, |all, one| (all.0.filter(|u| one.0 == Some(*u)), all.1.filter(|u| one.1 == Some(*u))))
}

/// The same for people.
pub(crate) fn frame_text(frame: (Option<&str>, Option<&str>)) -> String {
    let unit = frame.0.map_or("lengths in the unit of the files".to_owned(), |u| format!("lengths in {u}"));
    match frame.1 {
        Some(up) => format!("{unit}, {up} up"),
        None => unit,
    }
}
