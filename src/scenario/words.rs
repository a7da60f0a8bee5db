//! Words of messages: the nearest name, lists of names, text of the file.

/// The nearest of `names` to `word`, where one is near enough to be meant: by spelling, else the only one that
/// holds the word.
#[must_use]
pub fn nearest<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let plain = |text: &str| text.to_lowercase().replace(['-', ' '], "_");
    let word = plain(&word.chars().take(64).collect::<String>());
    let names: Vec<(&str, String)> = names.into_iter().map(|name| (name, plain(name))).collect();
    let likeness = |name: &str| strsim::normalized_damerau_levenshtein(&word, name);
    let by_spelling = names
        .iter()
        .map(|(name, plain)| (*name, likeness(plain)))
        .filter(|(_, likeness)| *likeness >= 0.55)
        .max_by(|a, b| a.1.total_cmp(&b.1));
    let mut holding = names.iter().filter(|(_, plain)| word.len() >= 3 && plain.contains(&word));
    match (by_spelling, holding.next(), holding.next()) {
        (Some((name, _)), ..) | (None, Some(&(name, _)), None) => Some(name),
        _ => None,
    }
}

/// "did you mean …?" for a word that is none of `names`.
pub(super) fn did_you_mean<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> Option<String> {
    nearest(word, names).map(|name| format!("did you mean `{name}`?"))
}

/// "`a`, `b` or `c`"
pub(super) fn alternatives(names: &[&str], last: &str) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((end, rest)) if !rest.is_empty() => format!("{} {last} {end}", rest.join(", ")),
        _ => quoted.concat(),
    }
}

/// Text of a file as it can stand in a message: one line, not too long.
pub(super) fn excerpt(text: &str) -> String {
    let flat: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(61).collect();
    if flat.chars().count() > 60 { flat.chars().take(57).chain("...".chars()).collect() } else { flat }
}

/// A sum as people write it, without the last digits of its binary form.
pub(super) fn tidy(number: f64) -> String {
    let text = format!("{number:.9}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
