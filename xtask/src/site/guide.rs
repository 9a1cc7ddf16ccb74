//! The guide as a page: the documentation of the facade, which is Markdown for rustdoc.
//!
//! Links of rustdoc name items, which have no page here, so their texts alone are kept. Lines of
//! examples that rustdoc hides are left out.
//!
//! Reference: CommonMark 0.31, 2024.

use pulldown_cmark::{BrokenLink, CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};

/// Returns the documentation at the head of a source file and the text after it, as Markdown.
fn documentation(source: &str, rest: &str) -> String {
    let head = source.lines().map_while(|line| line.strip_prefix("//!"));
    let head = head.map(|line| line.strip_prefix(' ').unwrap_or(line));
    let mut text = String::new();
    let mut is_code = false;
    for line in head.chain([""]).chain(rest.lines()) {
        if line.starts_with("```") {
            is_code = !is_code;
        }
        let is_hidden = is_code && (line == "#" || line.starts_with("# "));
        if !is_hidden {
            text += line;
            text.push('\n');
        }
    }
    text
}

/// Returns the name of a heading in addresses.
fn anchor(heading: &str) -> String {
    let words = heading.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join("-")
}

/// Returns the body of the page, with a list of its sections: the head of a source file, and the
/// rest of the guide.
pub(super) fn body(source: &str, rest: &str) -> String {
    let text = documentation(source, rest);
    let mut named = |_: BrokenLink<'_>| Some((CowStr::from(""), CowStr::from("")));
    let parser = Parser::new_with_broken_link_callback(&text, Options::ENABLE_TABLES, Some(&mut named));
    let events: Vec<Event<'_>> = parser
        .filter(|event| !matches!(event, Event::Start(Tag::Link { .. }) | Event::End(TagEnd::Link)))
        .collect();
    let mut sections = Vec::new();
    let mut out = Vec::new();
    for (k, event) in events.iter().enumerate() {
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                let inside = events[k + 1..]
                    .iter()
                    .take_while(|event| !matches!(event, Event::End(TagEnd::Heading(_))));
                let title: String = inside
                    .filter_map(|event| match event {
                        Event::Text(text) | Event::Code(text) => Some(text.as_ref()),
                        _ => None,
                    })
                    .collect();
                let id = anchor(&title);
                if *level == HeadingLevel::H1 {
                    sections.push((title, id.clone()));
                }
                out.push(Event::Start(Tag::Heading {
                    level: below(*level),
                    id: Some(CowStr::from(id)),
                    classes: Vec::new(),
                    attrs: Vec::new(),
                }));
            }
            Event::End(TagEnd::Heading(level)) => out.push(Event::End(TagEnd::Heading(below(*level)))),
            other => out.push(other.clone()),
        }
    }
    let mut list = String::new();
    for (title, id) in sections {
        list += &format!("<li><a href=\"#{id}\">{}</a></li>\n", super::escaped(&title));
    }
    let mut page = format!("<h1>The guide</h1>\n<ul>\n{list}</ul>\n<main>\n");
    html::push_html(&mut page, out.into_iter());
    page + "</main>\n"
}

/// Returns the level below: the page has a heading of its own.
fn below(level: HeadingLevel) -> HeadingLevel {
    match level {
        HeadingLevel::H1 => HeadingLevel::H2,
        HeadingLevel::H2 => HeadingLevel::H3,
        _ => HeadingLevel::H4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documentation_becomes_a_page() {
        let lines = [
            "A [`World`] and [words](crate::x).",
            "",
            "# One & two",
            "",
            "```",
            "let a = 1 < 2;",
            "# hidden();",
            "```",
            "| a | b |",
            "|---|---|",
            "| c | d |",
        ];
        let head: String = lines.iter().map(|line| format!("//! {line}\n")).collect();
        let rest = "# More\n\n```\nlet b = 3;\n# unseen();\n```\n";
        let page = body(&format!("{head}pub fn x() {{}}\n//! not this\n"), rest);
        assert!(page.contains("A <code>World</code> and words."), "{page}");
        assert!(
            page.contains("<h2 id=\"one-two\">One &amp; two</h2>") && page.contains("href=\"#one-two\""),
            "{page}"
        );
        assert!(
            page.contains("1 &lt; 2") && !page.contains("hidden") && !page.contains("not this"),
            "{page}"
        );
        assert!(page.contains("<td>c</td>") && !page.contains("pub fn"), "{page}");
        assert!(page.contains("<h2 id=\"more\">") && page.contains("let b") && !page.contains("unseen"));
    }
}
