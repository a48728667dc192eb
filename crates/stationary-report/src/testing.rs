//! What the tests of this crate and of those on top of it share; no part of the interface.

use std::path::{Path, PathBuf};

/// A folder of its own for a test, gone with it.
#[derive(Debug)]
pub struct Scratch(pub PathBuf);

impl Scratch {
    /// A new folder, empty, named after a test.
    pub fn new(test: &str) -> Self {
        let path = std::env::temp_dir().join(format!("stationary-{test}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Scratch(path)
    }

    /// Names and contents of all files, sorted, those in folders too.
    pub fn files(&self) -> Vec<(String, Vec<u8>)> {
        fn walk(folder: &Path, root: &Path, found: &mut Vec<(String, Vec<u8>)>) {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    walk(&path, root, found);
                } else {
                    let name = path.strip_prefix(root).unwrap().display().to_string();
                    found.push((name, std::fs::read(&path).unwrap()));
                }
            }
        }
        let mut found = Vec::new();
        walk(&self.0, &self.0, &mut found);
        found.sort();
        found
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A small well-formedness check: tags balance, attributes are quoted, text holds no stray `<` or `&`.
pub fn check_well_formed(xml: &str) -> Result<(), String> {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = xml.strip_prefix("<!DOCTYPE html>").unwrap_or(xml);
    let entities = |text: &str| {
        text.split('&')
            .skip(1)
            .all(|after| ["amp;", "lt;", "gt;", "quot;", "#39;"].iter().any(|known| after.starts_with(known)))
    };
    while let Some(at) = rest.find('<') {
        if rest[..at].contains('>') || !entities(&rest[..at]) {
            return Err(format!("stray character in text {:?}", &rest[..at]));
        }
        let end = rest[at..].find('>').ok_or("unclosed tag")? + at;
        let tag = &rest[at + 1..end];
        rest = &rest[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            if open.pop() != Some(name) {
                return Err(format!("</{name}> closes nothing"));
            }
            continue;
        }
        if tag.contains('<') || !tag.matches('"').count().is_multiple_of(2) || !entities(tag) {
            return Err(format!("bad tag <{tag}>"));
        }
        if tag.starts_with("script") {
            // What a script says is no markup; what would end it is looked for by a reader of pages too.
            rest = &rest[rest.find("</script>").ok_or("unclosed script")?..];
        }
        if !tag.ends_with('/') {
            open.push(tag.split_whitespace().next().ok_or("empty tag")?);
        }
    }
    if open.is_empty() && entities(rest) { Ok(()) } else { Err(format!("left open: {open:?}")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checker_rejects_what_is_broken() {
        assert!(check_well_formed("<a><b x=\"1\"/>t &amp; u</a>").is_ok());
        for broken in ["<a>", "<a></b>", "<a>&nbsp</a>", "<a>1 > 0</a>", "<a x=\"1></a>", "</a>"] {
            assert!(check_well_formed(broken).is_err(), "{broken}");
        }
    }
}
