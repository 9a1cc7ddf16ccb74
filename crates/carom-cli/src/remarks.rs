//! Remarks on the files behind an answer: how they were read, and what was not read.

use crate::report::Outcome;
use carom_io::{Model, Placement, StatedFrames, without_controls};
use serde_json::{Map, Value, json};
use std::collections::HashSet;
use std::path::Path;

/// Remarks on files, each a line that begins with the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Remarks {
    /// Notes on how something was read, and on what cannot be answered about it.
    pub notes: Vec<String>,
    /// Things that were not read. If there are any, no answer about the files is complete.
    pub unread: Vec<String>,
    /// The units and up axes of the files. Remarks of several files note a difference.
    pub(crate) frames: StatedFrames,
}

impl Remarks {
    /// Returns the remarks of a reader on one file.
    pub fn of_file(path: &Path, notes: Vec<String>, unread: Vec<String>) -> Remarks {
        let named = |lines: Vec<String>| {
            lines.into_iter().map(|line| format!("{}: {line}", path.display())).collect()
        };
        Remarks { notes: named(notes), unread: named(unread), frames: StatedFrames::default() }
    }

    /// These remarks on a file that states its unit of length, by name and in metres, and its up
    /// axis.
    #[must_use]
    pub fn with_frame(
        mut self,
        path: &Path,
        (unit, metres): (Option<&'static str>, Option<f64>),
        up: Option<&'static str>,
    ) -> Remarks {
        let file = path.display().to_string();
        metres.into_iter().for_each(|metres| self.frames.add_unit(&file, unit, metres));
        up.into_iter().for_each(|up| self.frames.add_up(&file, up));
        self
    }

    /// These remarks on a file that the user scales and places.
    #[must_use]
    pub fn placed(self, scale: f64, placement: &Placement) -> Remarks {
        Remarks { frames: self.frames.placed(scale, placement), ..self }
    }

    /// Moves the remarks out of a model that was read from this file.
    pub fn of_model(path: &Path, model: &mut Model) -> Remarks {
        Remarks::of_file(path, core::mem::take(&mut model.notes), core::mem::take(&mut model.unread))
            .with_frame(path, (model.unit, model.metres), model.up)
    }

    /// Adds a note that is not there yet.
    pub fn note(&mut self, note: String) {
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Adds the remarks that are not there yet.
    pub fn add(&mut self, other: &Remarks) {
        self.add_all([other]);
    }

    /// Does the same as [`Remarks::add`] for many.
    pub fn add_all<'a>(&mut self, others: impl IntoIterator<Item = &'a Remarks>) {
        let [mut notes, mut unread] =
            [&self.notes, &self.unread].map(|lines| lines.iter().cloned().collect::<HashSet<String>>());
        for other in others {
            self.notes.extend(other.notes.iter().filter(|line| notes.insert((*line).clone())).cloned());
            self.unread.extend(other.unread.iter().filter(|line| unread.insert((*line).clone())).cloned());
            self.frames.add_all(&other.frames);
        }
        self.frames.notes().into_iter().for_each(|note| self.note(note));
    }

    /// Returns all remarks, a line each.
    pub fn lines(&self) -> impl Iterator<Item = String> {
        let notes = self.notes.iter().map(|note| format!("note: {}", without_controls(note)));
        notes.chain(self.unread.iter().map(|what| format!("not read: {}", without_controls(what))))
    }

    /// Writes all remarks to standard error.
    pub fn print(&self) {
        self.lines().for_each(|line| eprintln!("{line}"));
    }

    /// Adds the members `notes` and `unread` to a document, also if they are empty.
    pub fn add_to(&self, document: &mut Map<String, Value>) {
        document.insert("notes".to_owned(), json!(self.notes));
        document.insert("unread".to_owned(), json!(self.unread));
    }

    /// Returns the outcome of a command, by whether it found something. An answer with unread parts
    /// is not complete.
    pub fn outcome(&self, is_found: bool) -> Outcome {
        match (self.unread.is_empty(), is_found) {
            (false, _) => Outcome::BadInput,
            (true, true) => Outcome::Something,
            (true, false) => Outcome::Nothing,
        }
    }
}
