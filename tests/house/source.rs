//! Rust source with everything blanked that is not code: comments, the insides of literals and, where asked, tests.
//! Lengths and line breaks stay, so a place in the blanked text is the same place in the file.

/// The text with comments and the insides of string and character literals turned into spaces.
pub(crate) fn code(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while at < chars.len() {
        let end = literal_or_comment(&chars, at).unwrap_or(at);
        if end == at {
            out.push(chars[at]);
            at += 1;
        } else {
            out.extend(chars[at..end].iter().map(|c| if *c == '\n' { '\n' } else { ' ' }));
            at = end;
        }
    }
    out
}

/// Where the comment or literal ends that begins at `at`, if one does.
fn literal_or_comment(chars: &[char], at: usize) -> Option<usize> {
    let next = |i: usize| chars.get(at + i).copied().unwrap_or('\0');
    let in_word = at > 0 && (chars[at - 1].is_alphanumeric() || chars[at - 1] == '_');
    match (next(0), next(1)) {
        ('/', '/') => Some(chars[at..].iter().position(|c| *c == '\n').map_or(chars.len(), |n| at + n)),
        ('/', '*') => Some(block_comment_end(chars, at)),
        ('"', _) => Some(string_end(chars, at + 1)),
        ('r', '"' | '#') if !in_word || chars[at - 1] == 'b' => raw_string_end(chars, at + 1),
        ('\'', '\\') => chars[at + 3..].iter().position(|c| *c == '\'').map(|n| at + 4 + n),
        // A lifetime has no closing quote after one character.
        ('\'', _) if next(2) == '\'' => Some(at + 3),
        _ => None,
    }
}

fn block_comment_end(chars: &[char], at: usize) -> usize {
    let (mut depth, mut i) = (0, at);
    while i < chars.len() {
        match (chars[i], chars.get(i + 1)) {
            ('/', Some('*')) => (depth, i) = (depth + 1, i + 2),
            ('*', Some('/')) if depth == 1 => return i + 2,
            ('*', Some('/')) => (depth, i) = (depth - 1, i + 2),
            _ => i += 1,
        }
    }
    i
}

fn string_end(chars: &[char], mut at: usize) -> usize {
    while at < chars.len() && chars[at] != '"' {
        at += if chars[at] == '\\' { 2 } else { 1 };
    }
    (at + 1).min(chars.len())
}

/// The end of `#…#"…"#…#` at `at`; none where the hashes belong to a raw identifier.
fn raw_string_end(chars: &[char], at: usize) -> Option<usize> {
    let hashes = chars[at..].iter().take_while(|c| **c == '#').count();
    let open = at + hashes;
    if chars.get(open) != Some(&'"') {
        return None;
    }
    let closes =
        |i: usize| chars[i] == '"' && chars[i + 1..].iter().take(hashes).filter(|c| **c == '#').count() == hashes;
    Some((open + 1..chars.len()).find(|i| closes(*i)).map_or(chars.len(), |i| i + 1 + hashes))
}

/// Blanked code with every item under `#[cfg(test)]` blanked too.
pub(crate) fn without_tests(code: &str) -> String {
    const MARK: &str = "#[cfg(test)]";
    let mut out = String::with_capacity(code.len());
    let mut rest = code;
    while let Some(start) = rest.find(MARK) {
        let item = &rest[start + MARK.len()..];
        let end = start + MARK.len() + item_end(item);
        out.push_str(&rest[..start]);
        out.extend(rest[start..end].chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
        rest = &rest[end..];
    }
    out + rest
}

/// Where an item ends: at its closing brace, or at the semicolon if that comes before any brace.
fn item_end(item: &str) -> usize {
    match item.find(['{', ';']) {
        None => item.len(),
        Some(at) if item[at..].starts_with(';') => at + 1,
        Some(at) => at + block_end(&item[at..]),
    }
}

/// The length of the block that `code` begins with.
pub(crate) fn block_end(code: &str) -> usize {
    let mut depth = 0_usize;
    for (at, c) in code.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth <= 1 => return at + 1,
            '}' => depth -= 1,
            _ => {}
        }
    }
    code.len()
}

/// The 1-based line of a byte.
pub(crate) fn line_of(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
}

/// Every place where `word` stands by itself, not inside a longer identifier.
pub(crate) fn words<'a>(code: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    code.match_indices(word).map(|(at, _)| at).filter(move |at| {
        let before = code[..*at].chars().next_back();
        let after = code[at + word.len()..].chars().next();
        let open = word.starts_with(part) && before.is_some_and(part);
        let close = word.ends_with(part) && after.is_some_and(part);
        !open && !close
    })
}

#[test]
fn comments_and_literals_are_blank_and_code_is_not() {
    for (text, left) in [
        ("a // b\nc", "a     \nc"),
        ("a /* b /* c */ d */ e", "a                   e"),
        (r#"f("x \" y")"#, "f(        )"),
        (r##"f(r#"x " y"#)"##, "f(          )"),
        (r#"f(b"x", br"y")"#, "f(b   , b    )"),
        ("g('\"', 'a', '\\'', '\\u{1}')", "g(   ,    ,     ,        )"),
        ("fn f<'a>(x: &'a str) { r#type }", "fn f<'a>(x: &'a str) { r#type }"),
        ("for r in 0..3 {}", "for r in 0..3 {}"),
    ] {
        assert_eq!(code(text), left, "{text}");
    }
}

#[test]
fn items_under_test_are_blank() {
    let text = "fn a() {}\n#[cfg(test)]\nmod tests { fn b() { {} } }\nfn c() {}\n#[cfg(test)]\nmod tests;\nfn d() {}";
    let left = without_tests(text);
    assert!(!left.contains("mod") && !left.contains("fn b"));
    assert!(left.contains("fn a") && left.contains("fn c") && left.contains("fn d"));
    assert_eq!(left.matches('\n').count(), text.matches('\n').count());
}

#[test]
fn a_word_is_not_found_inside_another() {
    assert_eq!(words("HashMap FxHashMap HashMapper x.HashMap", "HashMap").count(), 2);
    assert_eq!(words("x.ln() ln(x) ln_1p(x)", ".ln(").count(), 1);
}
