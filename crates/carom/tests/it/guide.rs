//! The guide is a page of the repository and a part of the documentation.

const GUIDE: &str = include_str!("../../GUIDE.md");
const LIBRARY: &str = include_str!("../../src/lib.rs");

/// The lines of a text outside of code.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    text.split("```").step_by(2).flat_map(str::lines)
}

/// The labels of the lines that say where a link leads.
fn labels<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    lines.filter_map(|line| Some(line.strip_prefix("[`")?.split_once("`]: ")?.0)).collect()
}

#[test]
fn the_contents_are_the_chapters() {
    let anchor = |title: &str| {
        let title = title.to_lowercase().replace(' ', "-");
        title.chars().filter(|c| c.is_alphanumeric() || *c == '-').collect::<String>()
    };
    let chapters = prose(GUIDE).filter_map(|line| line.strip_prefix("## "));
    let chapters: Vec<String> = chapters.map(|title| format!("- [{title}](#{})", anchor(title))).collect();
    let contents: Vec<&str> = prose(GUIDE).filter(|line| line.contains("](#")).collect();
    assert!(20 <= chapters.len(), "{chapters:?}");
    assert_eq!(contents, chapters);
}

/// A link of the page leads to a file. In the documentation the first line with its label counts,
/// which is that of the library.
#[test]
fn each_link_leads_to_an_item_too() {
    let of_page = labels(prose(GUIDE));
    let of_library = labels(LIBRARY.lines().filter_map(|line| line.strip_prefix("//! ")));
    assert!(30 <= of_page.len(), "{of_page:?}");
    assert_eq!(of_page, of_library);
    for label in of_page {
        assert!(1 < GUIDE.matches(&format!("[`{label}`]")).count(), "nothing links to {label}");
    }
}
