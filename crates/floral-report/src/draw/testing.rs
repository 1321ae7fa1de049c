//! Shared helpers for tests of markup.

/// HTML elements without an end tag.
const VOID: [&str; 3] = ["meta", "br", "!doctype"];

/// Asserts that every opened element is closed, in reverse order.
pub fn assert_well_formed(markup: &str) {
    let mut open: Vec<String> = Vec::new();
    for part in markup.split('<').skip(1) {
        let (tag, text) = part.split_once('>').expect("a tag ends");
        assert!(!text.contains('>'), "unescaped > in {text:?}");
        let name: String = tag
            .trim_start_matches('/')
            .chars()
            .take_while(|c| !c.is_whitespace() && *c != '/')
            .collect();
        if VOID.contains(&name.to_lowercase().as_str()) || tag.ends_with('/') {
            continue;
        }
        if tag.starts_with('/') {
            assert_eq!(open.pop().as_deref(), Some(name.as_str()), "at {tag}");
        } else {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "not closed: {open:?}");
}
