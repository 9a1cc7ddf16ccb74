//! The functions that JavaScript calls. Text goes in through the inbox and out through the outbox.
//! Both are in the module's memory, and so are the numbers of the picture.
//!
//! Reference: crates/carom-golden/src/wasm.rs (an export without generated glue).
#![allow(unsafe_code)] // The names of exports and of an import; no memory is touched here.

use crate::live::Live;
use std::cell::RefCell;

#[link(wasm_import_module = "page")]
unsafe extern "C" {
    /// Returns milliseconds of the page's clock, which never goes back.
    safe fn now() -> f64;
}

/// Seconds of the page's clock.
fn seconds() -> f64 {
    now() * 1e-3
}

/// The session, and the texts of the last call.
#[derive(Default)]
struct Page {
    live: Option<Live>,
    inbox: Vec<u8>,
    outbox: String,
}

thread_local! {
    static PAGE: RefCell<Page> = RefCell::default();
}

impl Page {
    /// Runs `work` on the session, which the first call starts. Returns whether it succeeded; an
    /// error is in the outbox.
    fn run(&mut self, work: impl FnOnce(&mut Live, &[u8]) -> Result<String, crate::scenes::Error>) -> bool {
        let live = match self.live.take() {
            Some(live) => Ok(live),
            None => {
                carom_math::clock::provide(seconds);
                Live::new()
            }
        };
        let done = live.and_then(|live| work(self.live.insert(live), &self.inbox));
        let is_done = done.is_ok();
        self.outbox =
            done.unwrap_or_else(|error| serde_json::json!({"error": error.to_string()}).to_string());
        is_done
    }
}

/// Makes room for `length` bytes of text, and returns its address.
#[unsafe(no_mangle)]
pub extern "C" fn carom_inbox(length: usize) -> *mut u8 {
    PAGE.with_borrow_mut(|page| {
        page.inbox.clear();
        page.inbox.resize(length, 0);
        page.inbox.as_mut_ptr()
    })
}

/// Executes the command in the inbox. Returns the length of the answer in the outbox.
#[unsafe(no_mangle)]
pub extern "C" fn carom_command() -> usize {
    PAGE.with_borrow_mut(|page| {
        page.run(|live, inbox| Ok(live.command(&String::from_utf8_lossy(inbox))));
        page.outbox.len()
    })
}

/// Reads the file in the inbox, whose first `name_length` bytes are its name. Returns the length of
/// the answer in the outbox.
#[unsafe(no_mangle)]
pub extern "C" fn carom_read_file(name_length: usize) -> usize {
    PAGE.with_borrow_mut(|page| {
        page.run(|live, inbox| {
            let (name, bytes) = inbox.split_at_checked(name_length).ok_or("a name longer than the file")?;
            Ok(live.read_file(&String::from_utf8_lossy(name), bytes))
        });
        page.outbox.len()
    })
}

/// Runs `work`, which has no answer. Returns 0, or the length of the error in the outbox.
fn done(work: impl FnOnce(&mut Live) -> Result<(), crate::scenes::Error>) -> usize {
    PAGE.with_borrow_mut(|page| {
        let is_done = page.run(|live, _| work(live).map(|()| String::new()));
        if is_done { 0 } else { page.outbox.len() }
    })
}

/// Makes a step. Returns 0, or the length of the error in the outbox.
#[unsafe(no_mangle)]
pub extern "C" fn carom_step() -> usize {
    done(Live::step)
}

/// Reads the picture. Returns 0, or the length of the error in the outbox.
#[unsafe(no_mangle)]
pub extern "C" fn carom_look() -> usize {
    done(Live::update_picture)
}

/// Returns the address of the outbox.
#[unsafe(no_mangle)]
pub extern "C" fn carom_outbox() -> *const u8 {
    PAGE.with_borrow(|page| page.outbox.as_ptr())
}

/// Returns the address and the length of a buffer of the picture: 0 bodies, 1 poses, 2 states,
/// 3 contacts, 4 joints, 5 boxes, 6 sheets, 7 particles, 8 volumes, 9 islands, 10 triangles,
/// 11 milliseconds in each phase of the last step.
fn buffer(number: u32) -> (usize, usize) {
    PAGE.with_borrow(|page| {
        let Some(live) = &page.live else { return (0, 0) };
        let picture = live.picture();
        let floats = match number {
            0 => return (picture.bodies.as_ptr().addr(), picture.bodies.len()),
            1 => &picture.poses,
            2 => return (picture.states.as_ptr().addr(), picture.states.len()),
            3 => &picture.contacts,
            4 => &picture.joints,
            5 => &picture.boxes,
            6 => &picture.sheets,
            7 => &picture.particles,
            8 => &picture.volumes,
            9 => return (picture.islands.as_ptr().addr(), picture.islands.len()),
            10 => &picture.triangles,
            11 => return (live.times().as_ptr().addr(), live.times().len()),
            _ => return (0, 0),
        };
        (floats.as_ptr().addr(), floats.len())
    })
}

/// Returns the address of a buffer of the picture: see [`buffer`].
#[unsafe(no_mangle)]
pub extern "C" fn carom_buffer(number: u32) -> usize {
    buffer(number).0
}

/// Returns the number of elements of a buffer of the picture.
#[unsafe(no_mangle)]
pub extern "C" fn carom_buffer_length(number: u32) -> usize {
    buffer(number).1
}

/// Returns the version of the picture: it changes with the shapes.
#[unsafe(no_mangle)]
pub extern "C" fn carom_version() -> u32 {
    PAGE.with_borrow(|page| page.live.as_ref().map_or(0, |live| live.picture().version()))
}
