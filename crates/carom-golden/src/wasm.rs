//! The functions that JavaScript calls. They run the report, and return its place in the module's
//! memory.

use std::sync::OnceLock;

static REPORT: OnceLock<String> = OnceLock::new();

fn report() -> &'static str {
    REPORT.get_or_init(crate::report)
}

/// Returns the address of the report.
#[unsafe(no_mangle)]
pub extern "C" fn carom_report() -> *const u8 {
    report().as_ptr()
}

/// Returns the length of the report in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn carom_report_length() -> usize {
    report().len()
}
