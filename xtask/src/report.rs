//! The results of the benches: a table, a CSV file, and a page with log-log plots.

use crate::Error;
use crate::bench::Row;
use plotters::prelude::*;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Returns the table, with one line per workload and size: carom, the best peer, and how many
/// times faster carom is.
pub(crate) fn table(rows: &[Row]) -> String {
    let mut out = format!(
        "{:<10} {:<28} {:>8} {:>4} {:>9} {:>9}  {:<16} {:>6}  {}\n",
        "group", "workload", "size", "unit", "carom", "best peer", "", "ratio", "answers that differ"
    );
    for row in rows {
        let (name, best) = row.best_peer().map_or(("", f64::NAN), |peer| (peer.name.as_str(), peer.typical));
        let _ = writeln!(
            out,
            "{:<10} {:<28} {:>8} {:>4} {:>9} {:>9}  {:<16} {:>6.2}  {} of {}",
            row.group,
            row.workload,
            row.size,
            row.unit,
            number(row.carom()),
            number(best),
            name,
            row.ratio(),
            row.differ,
            row.compared
        );
    }
    out
}

/// The reference algorithm. It keeps no state between frames, so its worst frame is like its
/// typical one.
pub(crate) const YARDSTICK: &str = "carom box-pruning";

/// Returns one line for each entry that has more than times. A line holds the worst time, relative
/// to the typical one and to the worst of box pruning. Tests per pair found, bytes per body and
/// the exponent of the times over all sizes follow.
pub(crate) fn details(rows: &[Row]) -> String {
    let is_known = |row: &&Row| row.entries.iter().any(|c| c.tests_per_pair.is_some());
    let mut out = String::new();
    for row in rows.iter().filter(is_known) {
        let yardstick = row.entries.iter().find(|c| c.name == YARDSTICK);
        let _ = writeln!(
            out,
            "{:<58} {:>9} {:>9} {:>8} {:>8} {:>10} {:>10} {:>8}",
            format!("{}, {}, {}, {}", row.group, row.workload, row.size, row.unit),
            "typical",
            "worst",
            "/typical",
            "/pruning",
            "tests/pair",
            "bytes/body",
            "exponent"
        );
        for c in &row.entries {
            let known = |value: Option<f64>| value.map_or_else(|| "-".to_string(), |v| format!("{v:.1}"));
            let _ = writeln!(
                out,
                "    {:<54} {:>9} {:>9} {:>8.1} {:>8} {:>10} {:>10} {:>8}",
                c.name,
                number(c.typical),
                number(c.worst),
                c.worst / c.typical,
                known(yardstick.map(|yardstick| c.worst / yardstick.worst)),
                known(c.tests_per_pair),
                known(c.bytes_per_body),
                exponent(rows, row, &c.name).map_or_else(|| "-".to_string(), |power| format!("{power:.2}"))
            );
        }
    }
    out
}

/// Returns one line for each entry with counted work: the prediction of the cost function t = n_v
/// c_v + n_p c_p + n_u c_u.
pub(crate) fn work(rows: &[Row]) -> String {
    let mut out = String::new();
    for row in rows.iter().filter(|row| row.entries.iter().any(|c| c.work.is_some())) {
        let _ = writeln!(
            out,
            "{:<58} {:>9} {:>9} {:>11} {:>11} {:>11}",
            format!("{}, {}, {}, {}", row.group, row.workload, row.size, row.unit),
            "measured",
            "predicted",
            "n_v",
            "n_p",
            "n_u"
        );
        for c in &row.entries {
            let Some([tests, primitives, placed, predicted]) = c.work else { continue };
            let _ = writeln!(
                out,
                "    {:<54} {:>9} {:>9} {:>11} {:>11} {:>11}",
                c.name,
                number(c.typical),
                number(predicted),
                number(tests),
                number(primitives),
                number(placed)
            );
        }
    }
    out
}

/// Returns the exponent of an entry's times over all sizes of a workload: the slope of the
/// least-squares line through the logarithms. `None` for a single size.
pub(crate) fn exponent(rows: &[Row], of: &Row, name: &str) -> Option<f64> {
    let points: Vec<(f64, f64)> = rows
        .iter()
        .filter(|row| row.group == of.group && row.workload == of.workload)
        .flat_map(|row| row.entries.iter().map(|entry| (row.size, entry)))
        .filter(|(_, entry)| entry.name == name && 0.0 < entry.typical)
        .map(|(size, entry)| ((size as f64).ln(), entry.typical.ln()))
        .collect();
    let n = points.len() as f64;
    let (x, y) = points.iter().fold((0.0, 0.0), |(x, y), point| (x + point.0 / n, y + point.1 / n));
    let (xx, xy) = points.iter().fold((0.0, 0.0), |(xx, xy), point| {
        (xx + (point.0 - x) * (point.0 - x), xy + (point.0 - x) * (point.1 - y))
    });
    (0.0 < xx).then(|| xy / xx)
}

/// Returns the rows as comma-separated values, one line per entry.
pub(crate) fn csv(rows: &[Row]) -> String {
    let mut out = String::from(
        "group,workload,size,unit,entry,typical,worst,compared,differ,tests_per_pair,bytes_per_body,exponent,n_v,n_p,n_u,predicted\n",
    );
    let known = |value: Option<f64>| value.map(number).unwrap_or_default();
    for row in rows {
        for entry in &row.entries {
            let _ = writeln!(
                out,
                "{},{},{},{},{},{},{},{},{},{},{},{},{}",
                row.group,
                field(&row.workload),
                row.size,
                row.unit,
                field(&entry.name),
                number(entry.typical),
                number(entry.worst),
                row.compared,
                row.differ,
                known(entry.tests_per_pair),
                known(entry.bytes_per_body),
                exponent(rows, row, &entry.name).map(|power| format!("{power:.2}")).unwrap_or_default(),
                entry.work.map_or_else(|| ",,,".to_string(), |work| work.map(number).join(","))
            );
        }
    }
    out
}

/// Returns a name as one field of a line, in quotes if it has a comma (RFC 4180).
fn field(name: &str) -> String {
    if name.contains([',', '"']) { format!("\"{}\"", name.replace('"', "\"\"")) } else { name.into() }
}

/// Returns a page with the table, and a log-log plot for each workload of more than one size.
pub(crate) fn html(rows: &[Row], machine: &str, day: &str) -> Result<String, Error> {
    let mut page = String::from(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>carom: benches</title>\n\
         <style>body { font: 15px sans-serif; margin: 2em } pre { font-size: 13px } svg { margin: 4px }</style>\n",
    );
    let _ = writeln!(page, "<h1>carom and its peers</h1>\n<p>{}, {day}</p>", escape(machine));
    let _ = writeln!(page, "<pre>{}</pre>", escape(&table(rows)));
    let _ = writeln!(page, "<pre>{}</pre>", escape(&details(rows)));
    let _ = writeln!(page, "<pre>{}</pre>", escape(&work(rows)));
    for (_, svg) in plots(rows)? {
        page += &svg;
    }
    page += "</html>\n";
    Ok(page)
}

/// Returns the name of a file and a plot for each workload of more than one size.
pub(crate) fn plots(rows: &[Row]) -> Result<Vec<(String, String)>, Error> {
    let mut workloads: Vec<(&str, &str)> = Vec::new();
    for row in rows {
        if !workloads.contains(&(&row.group, &row.workload)) {
            workloads.push((&row.group, &row.workload));
        }
    }
    let mut all = Vec::new();
    for (group, workload) in workloads {
        let rows: Vec<&Row> =
            rows.iter().filter(|row| row.group == group && row.workload == workload).collect();
        if 1 < rows.len() {
            let svg = plot(&format!("{group}: {workload}"), &rows)?;
            all.push((format!("{group}-{workload}").replace(|c: char| !c.is_alphanumeric(), "-"), svg));
        }
    }
    Ok(all)
}

/// Returns a plot of time over size, both on logarithmic axes, with one line per entry.
fn plot(title: &str, rows: &[&Row]) -> Result<String, Error> {
    let mut lines: BTreeMap<&str, Vec<(f64, f64)>> = BTreeMap::new();
    for row in rows {
        for entry in row.entries.iter().filter(|entry| 0.0 < entry.typical) {
            lines.entry(&entry.name).or_default().push((row.size as f64, entry.typical));
        }
    }
    let (mut x, mut y) = ((f64::INFINITY, 0.0_f64), (f64::INFINITY, 0.0_f64));
    for &(size, time) in lines.values().flatten() {
        x = (x.0.min(size), x.1.max(size));
        y = (y.0.min(time), y.1.max(time));
    }
    let mut svg = String::new();
    if !(x.0 < x.1 && 0.0 < y.0) {
        return Ok(svg);
    }
    {
        // Many names stand to the right of the lines.
        let is_crowded = 8 <= lines.len();
        let (size, end, position) = if is_crowded {
            ((900, 640), x.1 * (x.1 / x.0).powf(0.5), SeriesLabelPosition::MiddleRight)
        } else {
            ((520, 360), x.1 * 1.25, SeriesLabelPosition::UpperLeft)
        };
        let area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        area.fill(&WHITE)?;
        let unit = rows.first().map_or("", |row| row.unit.as_str());
        let mut chart = ChartBuilder::on(&area)
            .caption(title, ("sans-serif", 18))
            .margin(8)
            .margin_right(32)
            .x_label_area_size(36)
            .y_label_area_size(64)
            .build_cartesian_2d((x.0 * 0.8..end).log_scale(), (y.0 * 0.7..y.1 * 1.5).log_scale())?;
        chart
            .configure_mesh()
            .x_desc("size")
            .y_desc(unit)
            .x_label_formatter(&|size| format!("{size:.0}"))
            .y_label_formatter(&|time| format!("{time}"))
            .draw()?;
        for (i, (name, points)) in lines.into_iter().enumerate() {
            // Hues are a golden angle apart, and none is pale. Peers have thick lines.
            let hue = (i as f64 * 0.618_034).fract();
            let width = if name.starts_with("carom") { 2 } else { 4 };
            let colour = HSLColor(hue, 0.85, 0.25 + 0.2 * (i % 2) as f64).stroke_width(width);
            chart.draw_series(points.iter().map(|&point| Circle::new(point, 3, colour.filled())))?;
            chart
                .draw_series(LineSeries::new(points, colour))?
                .label(name)
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], colour));
        }
        chart
            .configure_series_labels()
            .position(position)
            .background_style(WHITE.mix(0.8))
            .border_style(BLACK)
            .draw()?;
        area.present()?;
    }
    Ok(svg + "\n")
}

/// Formats a number with four significant digits.
pub(crate) fn number(value: f64) -> String {
    match value {
        v if !v.is_finite() => "-".to_string(),
        v if 1000.0 <= v => format!("{v:.0}"),
        v if 100.0 <= v => format!("{v:.1}"),
        v if 10.0 <= v => format!("{v:.2}"),
        v => format!("{v:.4}"),
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::Entry;

    fn row(size: u64, carom: f64, peer: f64) -> Row {
        let entry = |name: &str, typical| Entry {
            name: name.to_string(),
            typical,
            worst: typical,
            tests_per_pair: (name == "carom").then_some(3.0),
            bytes_per_body: None,
            work: (name == "slow").then_some([8.0, 64.0, 1.0, 5.5]),
        };
        Row {
            group: "broad".to_string(),
            workload: "uniform".to_string(),
            size,
            unit: "ms".to_string(),
            entries: vec![entry("carom", carom), entry("slow", peer * 2.0), entry("peer", peer)],
            compared: 10,
            differ: 1,
        }
    }

    #[test]
    fn the_best_peer_counts() {
        let row = row(1000, 0.5, 2.0);
        assert_eq!(row.best_peer().unwrap().name, "peer");
        assert_eq!(row.ratio(), 4.0);
        assert!(table(std::slice::from_ref(&row)).contains("4.00  1 of 10"));
        let csv = csv(std::slice::from_ref(&row));
        assert!(csv.lines().count() == 4 && csv.contains(",8.0000,64.00,1.0000,5.5000"), "{csv}");
        assert!(work(&[row]).contains("5.5000"));
    }

    #[test]
    fn a_name_with_a_comma_is_one_field() {
        let mut row = row(1000, 0.5, 2.0);
        row.entries[1].name = "carom, \"as it was\"".to_string();
        let csv = csv(&[row]);
        assert!(csv.contains("broad,uniform,1000,ms,\"carom, \"\"as it was\"\"\",4.0000,"), "{csv}");
    }

    #[test]
    fn exponents_are_slopes() {
        let rows = [row(1000, 0.5, 2.0), row(10_000, 5.0, 200.0), row(100_000, 50.0, 20_000.0)];
        assert!((exponent(&rows, &rows[0], "carom").unwrap() - 1.0).abs() < 1e-9);
        assert!((exponent(&rows, &rows[0], "peer").unwrap() - 2.0).abs() < 1e-9);
        assert_eq!(exponent(&rows[..1], &rows[0], "peer"), None);
        assert_eq!(exponent(&rows, &rows[0], "no such program"), None);
        let details = details(&rows);
        assert!(details.contains("3.0          -     1.00") && details.contains("2.00"), "{details}");
        assert!(csv(&rows).contains("broad,uniform,1000,ms,peer,2.0000,2.0000,10,1,,,2.00,,,,\n"));
    }

    #[test]
    fn plots_have_a_line_for_each() {
        let page = html(&[row(1000, 0.5, 2.0), row(10_000, 5.0, 30.0)], "a <machine>", "2026-01-02").unwrap();
        assert!(page.contains("<svg") && page.contains("a &lt;machine&gt;") && page.contains("peer"));
        assert!(!html(&[row(1000, 0.5, 2.0)], "m", "d").unwrap().contains("<svg"));
    }
}
