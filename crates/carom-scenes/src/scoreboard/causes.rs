//! The causes of the figures that carom fails.
//!
//! Reference: the notes of the benches on carom-world, where they were found.

/// Rows that carom fails, and the cause of each.
const CAUSES: [(&str, &str); 4] = [
    ("tower-20", TOWER),
    ("tower-40", TOWER),
    (
        "coin-circle",
        "Levers and inertia of a contact are those at the start of a step. The coin rolls on by 1.5 degrees in a \
         step, so the contact pushes at a point that it has left. The push out of the overlap then adds energy: \
         without it nothing is gained. More substeps do not help.",
    ),
    (
        "screw",
        "The nut rattles between the two flanks of the thread, at 0.2 to 0.4 m/s sideways. These knocks are not \
         elastic, and so the nut loses a part of its energy.",
    ),
];

const TOWER: &str = "A tower that is put down hops at 4 Hz for two seconds, and each hop tilts it a little. The \
                     column is a spring that one pass in a substep damps too slowly. It comes to rest, and then \
                     stands.";

/// Returns the cause for which carom fails a row; `None` for rows that it passes.
pub fn cause(row: &str) -> Option<&'static str> {
    CAUSES.iter().find(|(name, _)| *name == row).map(|(_, cause)| *cause)
}

/// Returns the names of all rows with a cause.
pub fn rows_with_cause() -> impl Iterator<Item = &'static str> {
    CAUSES.iter().map(|(name, _)| *name)
}
