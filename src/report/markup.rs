//! Texts of a scenario inside markup: they say what they like and change nothing.

/// For text and quoted attributes of HTML and SVG. Control characters, which XML forbids, become blanks.
#[must_use]
pub fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            '\u{fffe}' | '\u{ffff}' => safe.push('\u{fffd}'),
            c if c.is_control() => safe.push(' '),
            c => safe.push(c),
        }
    }
    safe
}

/// For a paragraph or a table cell of Markdown: nothing in it is markup there, or HTML.
#[must_use]
pub fn in_markdown(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '#' | '!' | '$' => safe.extend(['\\', character]),
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '@' => safe.push_str("&#64;"),
            c if c.is_control() => safe.push(' '),
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_opens_a_tag_or_leaves_an_attribute() {
        let hostile = "</title><script>alert(\"1\" & '2')</script>\u{0}";
        assert_eq!(
            escaped(hostile),
            "&lt;/title&gt;&lt;script&gt;alert(&quot;1&quot; &amp; &#39;2&#39;)&lt;/script&gt; "
        );
        let hostile = "a|b <img src=x> [x](y) `c`\nd";
        assert_eq!(in_markdown(hostile), "a\\|b &lt;img src=x&gt; \\[x\\](y) \\`c\\` d");
    }
}
