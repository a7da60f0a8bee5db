//! The command that gives a report again.

use super::build::Asked;
use crate::scenario::{EMBEDDED, Scenario, sha256_of};
use crate::sim::Sampling;

/// For a shell, whichever folder it stands in; the report names the file's hash, so that it can be told from others
/// of its name.
pub(super) fn of(scenario: &Scenario, asked: Asked<'_>, sampling: Sampling) -> String {
    let name = &scenario.name;
    let built_in = EMBEDDED.iter().any(|(known, text)| known == name && sha256_of(text) == scenario.sha256);
    let file = if built_in { name.clone() } else { format!("{name}.toml") };
    let sets: String = asked.set.iter().map(|set| format!(" --set {}", quoted(set))).collect();
    let sampling = match sampling {
        Sampling::Every => String::new(),
        other => format!(" --sampling {other}"),
    };
    format!("doublefire run {file} --turns {} --seed {}{sampling}{sets} --output output", asked.turns, asked.seed)
}

/// One word for a POSIX shell.
#[must_use]
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./=:%+,@".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_shell_would_read_otherwise_is_quoted() {
        for (word, text) in
            [("a.b=1%", "a.b=1%"), ("route.sdk retry.max=3", "'route.sdk retry.max=3'"), ("x=it's", "'x=it'\\''s'")]
        {
            assert_eq!(quoted(word), text);
        }
    }

    #[test]
    fn words_are_quoted_where_a_shell_would_take_them_apart() {
        assert_eq!((quoted("payments"), quoted("it's a b")), ("payments".to_owned(), r"'it'\''s a b'".to_owned()));
    }
}
