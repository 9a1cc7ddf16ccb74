//! Zip packages: their entries by name, unpacked while they are read.
//!
//! 1. The bytes of all entries together may be [`UNPACKED_PER_BYTE`] times those of the file, and
//!    [`FREE_UNPACKED`] more. Entries that share their packed bytes count each time.
//! 2. An entry is not held in memory; its reader holds one element of the XML in it, of limited
//!    length.
//! 3. Checksum and length are compared at the end of an entry, by the crate `rawzip`.
//!
//! Reference: PKWARE, APPNOTE.TXT - .ZIP File Format Specification; the crates `rawzip` and
//! `flate2` read it.

use crate::limits::{FREE_UNPACKED, MAX_XML_EVENT_BYTES, UNPACKED_PER_BYTE};
use flate2::bufread::DeflateDecoder;
use rawzip::{CompressionMethod, ZipArchive, ZipArchiveEntryWayfinder, ZipSliceArchive};
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Error, Read};

/// The entries of a zip file in memory.
pub(crate) struct Package<'a> {
    archive: ZipSliceArchive<&'a [u8]>,
    /// By name, in lower case and without a leading slash, because names are compared like that.
    entries: HashMap<String, Entry>,
    /// The bytes that may still be unpacked.
    left: u64,
    /// The bytes that were unpacked.
    unpacked: u64,
}

struct Entry {
    wayfinder: ZipArchiveEntryWayfinder,
    method: CompressionMethod,
    is_encrypted: bool,
}

impl<'a> Package<'a> {
    /// Returns the package of a zip file. Two entries of one name are an error.
    pub(crate) fn new(bytes: &'a [u8]) -> Result<Package<'a>, String> {
        let archive = ZipArchive::from_slice(bytes).map_err(|e| format!("not a zip file: {e}"))?;
        let mut entries = HashMap::new();
        let mut records = archive.entries();
        while let Some(record) = records.next_entry().map_err(|e| format!("the zip file is broken: {e}"))? {
            let path = record.file_path();
            let Ok(name) = core::str::from_utf8(path.as_ref()) else { continue };
            if record.is_dir() {
                continue;
            }
            let entry = Entry {
                wayfinder: record.wayfinder(),
                method: record.compression_method(),
                is_encrypted: record.flags().is_encrypted(),
            };
            if entries.insert(key(name), entry).is_some() {
                return Err(format!("two entries {name} in the zip file"));
            }
        }
        let left = FREE_UNPACKED.saturating_add((bytes.len() as u64).saturating_mul(UNPACKED_PER_BYTE));
        Ok(Package { archive, entries, left, unpacked: 0 })
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.entries.contains_key(&key(name))
    }

    /// Returns the bytes that were unpacked so far.
    pub(crate) fn unpacked(&self) -> u64 {
        self.unpacked
    }

    /// Reads an entry with `read`.
    pub(crate) fn read<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(&mut EventInput<'_>) -> Result<T, String>,
    ) -> Result<T, String> {
        let entry = self.entries.get(&key(name)).ok_or_else(|| format!("no entry {name} in the zip file"))?;
        if entry.is_encrypted {
            return Err(format!("{name} is encrypted"));
        }
        let packed = self.archive.get_entry(entry.wayfinder).map_err(|e| format!("{name}: {e}"))?;
        let inner: Box<dyn BufRead + '_> = match entry.method {
            CompressionMethod::STORE => Box::new(BufReader::new(packed.verifying_reader(packed.data()))),
            CompressionMethod::DEFLATE => {
                Box::new(BufReader::new(packed.verifying_reader(DeflateDecoder::new(packed.data()))))
            }
            _ => return Err(format!("{name}: packed by a method other than deflate")),
        };
        let mut input = EventInput { inner, left: self.left, left_of_event: 0 };
        let answer = read(&mut input);
        self.unpacked += self.left - input.left;
        self.left = input.left;
        answer.map_err(|e| format!("{name}: {e}"))
    }
}

/// Returns a name as entries are compared.
pub(crate) fn key(name: &str) -> String {
    name.trim_start_matches('/').to_ascii_lowercase()
}

/// The bytes of an entry. They are limited in all and from one event of a parser to the next.
pub(crate) struct EventInput<'a> {
    inner: Box<dyn BufRead + 'a>,
    left: u64,
    left_of_event: u64,
}

impl EventInput<'_> {
    /// Begins an event, which may take [`MAX_XML_EVENT_BYTES`].
    pub(crate) fn begin_event(&mut self) {
        self.left_of_event = MAX_XML_EVENT_BYTES;
    }
}

impl Read for EventInput<'_> {
    fn read(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
        let from = self.fill_buf()?;
        let n = from.len().min(to.len());
        to[..n].copy_from_slice(&from[..n]);
        self.consume(n);
        Ok(n)
    }
}

impl BufRead for EventInput<'_> {
    fn fill_buf(&mut self) -> std::io::Result<&[u8]> {
        let bytes = self.inner.fill_buf()?;
        if bytes.is_empty() {
            return Ok(bytes);
        }
        let n = (bytes.len() as u64).min(self.left).min(self.left_of_event);
        match (n, self.left) {
            (0, 0) => Err(Error::other(format!(
                "it unpacks to more than {FREE_UNPACKED} bytes and {UNPACKED_PER_BYTE} for each byte of the file"
            ))),
            (0, _) => {
                Err(Error::other(format!("an element or a text of more than {MAX_XML_EVENT_BYTES} bytes")))
            }
            _ => Ok(&bytes[..n as usize]),
        }
    }

    fn consume(&mut self, n: usize) {
        self.inner.consume(n);
        self.left = self.left.saturating_sub(n as u64);
        self.left_of_event = self.left_of_event.saturating_sub(n as u64);
    }
}
