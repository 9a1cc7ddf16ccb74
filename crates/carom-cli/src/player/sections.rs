//! The binary sections of a recording.

use serde_json::{Value, json};

/// The bytes after the description. The start and the length name a section.
#[derive(Default)]
pub(super) struct Sections {
    pub(super) bytes: Vec<u8>,
}

impl Sections {
    pub(super) fn push(&mut self, bytes: impl IntoIterator<Item = u8>) -> Value {
        let start = self.bytes.len();
        self.bytes.extend(bytes);
        json!([start, self.bytes.len() - start])
    }
}
