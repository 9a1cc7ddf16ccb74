//! The links of the site: each leads to a file of the folder, and no page names an outside address.
//!
//! Reference: HTML Living Standard, 2.5 (URLs).

use crate::Error;
use std::path::Path;

/// Names in drawings that look like addresses, and load nothing.
const NAMESPACE: &str = "http://www.w3.org/";

/// Returns the values of the attributes that load or lead to something.
fn links(page: &str) -> impl Iterator<Item = &str> {
    let values = |name: &'static str| page.split(name).skip(1).filter_map(|rest| rest.split('"').next());
    values(" href=\"").chain(values(" src=\""))
}

/// Returns a line for each link of these pages that leads nowhere or outside.
pub(super) fn wrong(folder: &Path, pages: &[&str]) -> Result<Vec<String>, Error> {
    let mut wrong = Vec::new();
    for name in pages {
        let page = std::fs::read_to_string(folder.join(name))?;
        for link in links(&page) {
            let file = link.split(['#', '?']).next().unwrap_or_default();
            if link.contains("://") || link.starts_with("//") {
                wrong.push(format!("{name}: an outside address: {link}"));
            } else if link == "data:," || file.is_empty() {
                continue;
            } else if !folder.join(file).is_file() {
                wrong.push(format!("{name}: no such file: {link}"));
            } else if file.ends_with(".svg") {
                let drawing = std::fs::read_to_string(folder.join(file))?;
                if drawing.replace(NAMESPACE, "").contains("://") {
                    wrong.push(format!("{file}: an outside address"));
                }
            }
        }
    }
    Ok(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_that_lead_nowhere_are_listed() -> Result<(), Error> {
        let folder = tempfile::tempdir()?;
        let page = "<a href=\"b.html#x\"></a><img src=\"c.svg\"><a href=\"#y\"></a><link rel=\"icon\" href=\"data:,\">\
                    <a href=\"https://example.org\"></a><img src=\"none.png\">";
        std::fs::write(folder.path().join("a.html"), page)?;
        std::fs::write(folder.path().join("b.html"), "")?;
        std::fs::write(folder.path().join("c.svg"), format!("<svg xmlns=\"{NAMESPACE}2000/svg\"></svg>"))?;
        let wrong = wrong(folder.path(), &["a.html"])?;
        assert_eq!(
            wrong,
            ["a.html: an outside address: https://example.org", "a.html: no such file: none.png"]
        );
        Ok(())
    }
}
