//! The guide as a page for browsers.
//!
//! Links to files of the repository lead to nothing here, so their texts alone are kept. Lines of
//! examples that rustdoc hides are left out.
//!
//! Reference: CommonMark 0.31, 2024.

use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, TagEnd, html};

/// Returns a text without the lines of examples that rustdoc hides.
fn without_hidden_lines(guide: &str) -> String {
    let mut text = String::new();
    let mut is_code = false;
    for line in guide.lines() {
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

/// Returns the title of the heading at whose content `events` begin.
fn title(events: &[Event<'_>]) -> String {
    let inside = events.iter().take_while(|event| !matches!(event, Event::End(TagEnd::Heading(_))));
    let texts = inside.filter_map(|event| match event {
        Event::Text(text) | Event::Code(text) => Some(text.as_ref()),
        _ => None,
    });
    texts.collect()
}

/// Returns the body of the page.
pub(super) fn body(guide: &str) -> String {
    let text = without_hidden_lines(guide);
    let mut is_kept = false;
    let events: Vec<Event<'_>> = Parser::new_ext(&text, Options::ENABLE_TABLES)
        .filter(|event| match event {
            Event::Start(Tag::Link { dest_url, .. }) => {
                is_kept = dest_url.starts_with('#');
                is_kept
            }
            Event::End(TagEnd::Link) => is_kept,
            _ => true,
        })
        .collect();
    let mut out = Vec::new();
    for (k, event) in events.iter().enumerate() {
        out.push(match event {
            Event::Start(Tag::Heading { level, .. }) => Event::Start(Tag::Heading {
                level: *level,
                id: Some(CowStr::from(anchor(&title(&events[k + 1..])))),
                classes: Vec::new(),
                attrs: Vec::new(),
            }),
            other => other.clone(),
        });
    }
    let mut page = String::from("<main>\n");
    html::push_html(&mut page, out.into_iter());
    page + "</main>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_guide_becomes_a_page() {
        let lines = [
            "# A guide",
            "",
            "- [One & two](#one-two)",
            "",
            "A [`World`] and [words](x.rs).",
            "",
            "## One & two",
            "",
            "```",
            "let a = 1 < 2;",
            "# hidden();",
            "```",
            "| a | b |",
            "|---|---|",
            "| c | d |",
            "",
            "[`World`]: world.rs",
        ];
        let page = body(&lines.join("\n"));
        assert!(page.contains("A <code>World</code> and words."), "{page}");
        assert!(
            page.contains("<h2 id=\"one-two\">One &amp; two</h2>") && page.contains("href=\"#one-two\""),
            "{page}"
        );
        assert!(page.contains("<h1 id=\"a-guide\">A guide</h1>"), "{page}");
        assert!(page.contains("1 &lt; 2") && !page.contains("hidden") && !page.contains(".rs"), "{page}");
        assert!(page.contains("<td>c</td>"), "{page}");
    }
}
