//! Files to parts, for the commands that take several files.

use carom_io::{Model, Options, ReadError, without_controls};
use std::path::{Path, PathBuf};

/// A file that was read, or why not.
pub(crate) struct Loaded {
    /// The file.
    pub(crate) path: PathBuf,
    /// What it holds.
    pub(crate) model: Model,
}

/// Remarks on the files beside the answer, each line with its file.
#[derive(Default)]
pub(crate) struct Remarks {
    /// How something was read.
    pub(crate) notes: Vec<String>,
    /// The parts that were not read: no answer about the files is complete then.
    pub(crate) unread: Vec<String>,
}

impl Remarks {
    /// Takes over what a reader said of a file, and says it on standard error.
    pub(crate) fn take(&mut self, path: &Path, model: &mut Model) {
        let file = path.display();
        for note in model.notes.drain(..) {
            self.note(format!("{file}: {note}"));
        }
        for what in model.unread.drain(..) {
            let line = format!("{file}: {what}");
            eprintln!("not read: {}", without_controls(&line));
            self.unread.push(line);
        }
    }

    /// Adds a note and says it on standard error.
    pub(crate) fn note(&mut self, note: String) {
        eprintln!("note: {}", without_controls(&note));
        self.notes.push(note);
    }
}

/// Reads all files; the first that is bad ends it, or, with `keep_going`, is listed as unread.
pub(crate) fn load_all(
    files: &[PathBuf],
    options: &Options,
    remarks: &mut Remarks,
) -> Result<Vec<Loaded>, String> {
    let mut loaded = Vec::new();
    for path in files {
        match load(path, options, remarks) {
            Ok(model) => loaded.push(Loaded { path: path.clone(), model }),
            Err(e) if options.keep_going => {
                eprintln!("error: {e}");
                remarks.unread.push(e.to_string());
            }
            Err(e) => return Err(e.to_string()),
        }
    }
    if loaded.is_empty() {
        return Err("no file could be read".to_owned());
    }
    Ok(loaded)
}

/// Reads a file and says on standard error what was not read as it stands there.
pub(crate) fn load(path: &Path, options: &Options, remarks: &mut Remarks) -> Result<Model, ReadError> {
    let mut model = carom_io::read_with(path, options)?;
    remarks.take(path, &mut model);
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
