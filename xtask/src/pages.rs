//! The numbers of the phases with many algorithms, as tables beside the plots.

use crate::bench::{Entry, Row};
use crate::report::{YARDSTICK, exponent, number};
use std::fmt::Write as _;

/// The number of entries in a row from which a group gets a page.
const MANY: usize = 8;

/// A function that returns the number of a cell, if there is one.
type Cell<'a> = &'a dyn Fn(&Row, &Entry) -> Option<f64>;

/// Returns the name and the text of a page for each group with many entries.
pub(crate) fn pages(rows: &[Row], machine: &str, day: &str) -> Vec<(String, String)> {
    let mut groups: Vec<&str> = Vec::new();
    for row in rows.iter().filter(|row| MANY <= row.entries.len()) {
        if !groups.contains(&row.group.as_str()) {
            groups.push(&row.group);
        }
    }
    groups.into_iter().map(|group| (group.to_string(), page(rows, group, machine, day))).collect()
}

fn page(rows: &[Row], group: &str, machine: &str, day: &str) -> String {
    let rows: Vec<&Row> = rows.iter().filter(|row| row.group == group).collect();
    let (compared, differ) = rows.iter().fold((0, 0), |sum, row| (sum.0 + row.compared, sum.1 + row.differ));
    let mut out = format!(
        "# {group}: {machine}, {day}\n\n\
         `cargo xtask bench {group}` writes this page. Its program, `benches/phases/{group}.rs`, says what is\n\
         timed. The CSV file beside this one holds every number. Times are thread CPU times of one thread,\n\
         in a plain `cargo bench`. Those in a column are of one run; compare within a column.\n\
         {compared} comparisons of answers were made in all columns, and {differ} failed. `carom`\n\
         without another name is the algorithm to start with.\n"
    );
    let mut sizes: Vec<u64> = rows.iter().map(|row| row.size).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let of_size = |size: u64| rows.iter().copied().filter(|row| row.size == size).collect::<Vec<_>>();
    let is_known =
        |of: fn(&Entry) -> Option<f64>| rows.iter().any(|row| row.entries.iter().any(|c| of(c).is_some()));
    let has_work = is_known(|c| c.tests_per_pair);
    let units: Vec<&str> = rows.iter().map(|row| row.unit.as_str()).collect();
    let unit = units.first().copied().unwrap_or_default();
    let workloads: Vec<&str> = rows.iter().map(|row| row.workload.as_str()).collect();
    let is_grown = workloads.iter().any(|name| 1 < workloads.iter().filter(|other| *other == name).count());
    if rows.iter().any(|row| row.entries.iter().any(|c| c.work.is_some())) {
        table(&mut out, "Time, in the unit of the workload", &rows, true, &|_, c| Some(c.typical));
        let titles = [
            "n_v: tests of two volumes",
            "n_p: pairs of primitives handed out",
            "n_u: volumes brought into the other frame",
            "t = n_v c_v + n_p c_p + n_u c_u",
        ];
        for (i, title) in titles.into_iter().enumerate() {
            table(&mut out, title, &rows, true, &|_, c| c.work.map(|work| work[i]));
        }
        table(&mut out, "Measured over predicted", &rows, true, &|_, c| {
            c.work.map(|[.., predicted]| c.typical / predicted)
        });
        table(&mut out, "Bytes for each triangle", &rows, true, &|_, c| c.bytes_per_body);
        return out;
    }
    if !is_grown {
        table(&mut out, &format!("Before, {unit}"), &rows, true, &|_, c| Some(c.typical));
        table(&mut out, &format!("Worst, {unit}"), &rows, true, &|_, c| Some(c.worst));
        table(&mut out, "Worst, beside what was before", &rows, true, &|_, c| Some(c.worst / c.typical));
        let beside = |row: &Row, c: &Entry| {
            row.entries.iter().find(|other| other.name == YARDSTICK).map(|other| c.worst / other.worst)
        };
        table(&mut out, &format!("Worst, beside that of {YARDSTICK}"), &rows, true, &beside);
        return out;
    }
    for &size in &sizes {
        table(&mut out, &format!("Size {size}: typical, {unit}"), &of_size(size), false, &|_, c| {
            Some(c.typical)
        });
        table(&mut out, &format!("Size {size}: worst, {unit}"), &of_size(size), false, &|_, c| Some(c.worst));
    }
    let largest = of_size(sizes.last().copied().unwrap_or_default());
    let all: Vec<Row> = rows.iter().map(|row| (*row).clone()).collect();
    let power = |row: &Row, c: &Entry| exponent(&all, row, &c.name);
    table(&mut out, "The power of the size that the times follow", &firsts(&rows), false, &power);
    if has_work {
        for &size in &sizes {
            let of = of_size(size);
            table(&mut out, &format!("Size {size}: tests for each pair found"), &of, false, &|_, c| {
                c.tests_per_pair
            });
        }
        table(&mut out, "Bytes for each body, at the largest size", &largest, false, &|_, c| {
            c.bytes_per_body
        });
    }
    out
}

/// Returns the first row of each workload.
fn firsts<'a>(rows: &[&'a Row]) -> Vec<&'a Row> {
    let mut out: Vec<&Row> = Vec::new();
    for row in rows {
        if out.iter().all(|first| first.workload != row.workload) {
            out.push(row);
        }
    }
    out
}

/// Adds a table with a line for each entry and a column for each row.
fn table(out: &mut String, title: &str, rows: &[&Row], with_size: bool, cell: Cell<'_>) {
    let mut names: Vec<&str> = Vec::new();
    for entry in rows.iter().flat_map(|row| &row.entries) {
        if !names.contains(&entry.name.as_str()) {
            names.push(&entry.name);
        }
    }
    let _ = write!(out, "\n## {title}\n\n|");
    for row in rows {
        let size = if with_size { format!(", {}", row.size) } else { String::new() };
        let _ = write!(out, " | {}{size}", row.workload);
    }
    let _ = writeln!(out, " |\n|---|{}", "--:|".repeat(rows.len()));
    for name in names {
        let _ = write!(out, "| {name}");
        for row in rows {
            let entry = row.entries.iter().find(|c| c.name == name);
            let value = entry.and_then(|c| cell(row, c)).filter(|value| value.is_finite());
            let _ = write!(out, " | {}", value.map(number).unwrap_or_default());
        }
        let _ = writeln!(out, " |");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(workload: &str, size: u64, times: &[f64]) -> Row {
        let entries = times.iter().enumerate().map(|(i, &typical)| Entry {
            name: if i == 1 { YARDSTICK.to_string() } else { format!("number {i}") },
            typical,
            worst: 3.0 * typical,
            tests_per_pair: Some(1.5),
            bytes_per_body: None,
            work: None,
        });
        Row {
            group: "race".to_string(),
            workload: workload.to_string(),
            size,
            unit: "ms".to_string(),
            entries: entries.collect(),
            compared: 5,
            differ: 0,
        }
    }

    #[test]
    fn a_page_has_every_size_and_the_powers() {
        let times = [1.0; MANY];
        let rows =
            [row("up", 10, &times), row("up", 1000, &times.map(|t| 100.0 * t)), row("down", 10, &times)];
        let pages = pages(&rows, "a machine", "a day");
        let [(name, text)] = pages.as_slice() else { panic!("{pages:?}") };
        assert_eq!(name, "race");
        assert!(text.contains("15 comparisons of answers were made in all columns, and 0 failed"), "{text}");
        assert!(
            text.contains("## Size 1000: typical, ms\n\n| | up |\n|---|--:|\n| number 0 | 100"),
            "{text}"
        );
        assert!(text.contains("follow\n\n| | up | down |\n|---|--:|--:|\n| number 0 | 1.00"), "{text}");
    }

    #[test]
    fn few_entries_get_no_page() {
        assert!(pages(&[row("up", 10, &[1.0, 2.0])], "a machine", "a day").is_empty());
    }

    #[test]
    fn workloads_of_one_size_are_held_against_the_yardstick() {
        let mut times = [1.0; MANY];
        times[1] = 2.0;
        let pages = pages(&[row("cliff", 10, &times)], "a machine", "a day");
        let end = "beside that of carom box-pruning\n\n| | cliff, 10 |\n|---|--:|\n| number 0 | 0.5000 |\n";
        assert!(pages.first().is_some_and(|(_, text)| text.contains(end)), "{pages:?}");
    }
}
