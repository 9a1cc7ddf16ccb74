//! The plots of the benches as a page, machine by machine and group by group.
//!
//! Reference: crates of benches: `benches/README.md` says how plots are made.

use crate::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The folder of the plots, in that of the site.
const FOLDER: &str = "plots";

/// Returns the sorted paths in a folder with this extension; none if the folder does not exist.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| {
            if extension.is_empty() {
                path.is_dir()
            } else {
                path.extension().is_some_and(|e| e == extension)
            }
        })
        .collect();
    paths.sort();
    paths
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// Returns the name of a machine from the name of its folder.
fn machine(folder: &str) -> String {
    folder.replace("-R-", "(R)").replace('-', " ")
}

/// A group of benches: its name in names of files, and its first sentence.
type Group = (String, String);

/// Returns the groups, the longest names first, so that a prefix is that of one group.
fn groups(phases: &Path) -> Vec<Group> {
    let mut groups: Vec<Group> = files(phases, "rs")
        .iter()
        .map(|path| {
            let source = std::fs::read_to_string(path).unwrap_or_default();
            let head: Vec<&str> =
                source.lines().map_while(|line| line.strip_prefix("//!")).map(str::trim).collect();
            let first =
                head.iter().take_while(|line| !line.is_empty()).copied().collect::<Vec<_>>().join(" ");
            (stem(path).replace('_', "-"), first.replace('`', ""))
        })
        .collect();
    groups.sort_by_key(|(name, _)| core::cmp::Reverse(name.len()));
    groups
}

/// Returns the group of a plot, and the title of the plot in it.
fn split<'a>(groups: &'a [Group], name: &str) -> (&'a str, &'a str, String) {
    let found =
        groups.iter().find_map(|(group, about)| Some((group, about, name.strip_prefix(group.as_str())?)));
    let (group, about, rest) = found.map_or(("", "", name), |(group, about, rest)| (group, about, rest));
    (group, about, rest.trim_start_matches('-').replace("--", ", ").replace('-', " "))
}

/// Copies the plots into the site, and returns the body of their page.
pub(super) fn write(benches: &Path, site: &Path) -> Result<String, Error> {
    let groups = groups(&benches.join("phases"));
    let mut body =
        "<h1>Benchmarks</h1>\n<p class=\"lead\">Times of carom beside those of other libraries, by size of \
                    the work. Answers are compared before times are. Less is better.</p>\n"
            .to_owned();
    for folder in files(&benches.join("results"), "") {
        let name = stem(&folder);
        // A plot without any row is an empty file.
        let is_drawn = |plot: &PathBuf| std::fs::metadata(plot).is_ok_and(|data| 0 < data.len());
        let plots: Vec<PathBuf> = files(&folder.join("plots"), "svg").into_iter().filter(is_drawn).collect();
        if plots.is_empty() {
            continue;
        }
        std::fs::create_dir_all(site.join(FOLDER).join(&name))?;
        let _ = writeln!(body, "<h1>{}</h1>", super::escaped(&machine(&name)));
        let mut last = None;
        for plot in plots {
            let (group, about, title) = split(&groups, &stem(&plot));
            if last != Some(group) {
                if last.is_some() {
                    body += "</div>\n";
                }
                let (heading, about) = (group.replace('-', " "), super::escaped(about));
                let _ = writeln!(
                    body,
                    "<h2>{heading}</h2>\n<p class=\"soft\">{about}</p>\n<div class=\"plots\">"
                );
                last = Some(group);
            }
            let file = plot.file_name().unwrap_or_default().to_string_lossy().into_owned();
            std::fs::copy(&plot, site.join(FOLDER).join(&name).join(&file))?;
            let title = super::escaped(&title);
            let _ = writeln!(
                body,
                "<figure><a href=\"{FOLDER}/{name}/{file}\"><img src=\"{FOLDER}/{name}/{file}\" alt=\"{title}\" width=\"900\" height=\"640\" loading=\"lazy\"></a><figcaption>{title}</figcaption></figure>"
            );
        }
        body += "</div>\n";
    }
    Ok(body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_become_titles() {
        let groups = [("two-objects".to_owned(), "Two.".to_owned()), ("two".to_owned(), String::new())];
        let (group, about, title) = split(&groups, "two-objects-balls--a-corner");
        assert_eq!((group, about, title.as_str()), ("two-objects", "Two.", "balls, a corner"));
        assert_eq!(split(&groups, "other-plot").2, "other plot");
        assert_eq!(machine("Intel-R--Xeon-R--Processor"), "Intel(R) Xeon(R) Processor");
    }
}
