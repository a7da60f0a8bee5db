//! What is wrong with a scenario, in the words and the look of a compiler: the place, the line with a marker, what
//! is allowed, the nearest name.

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use std::fmt;
use std::ops::Range;

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// The scenario cannot be run.
    Error,
    /// It can, but some of it may not mean what was intended.
    Warning,
}

/// A stretch of one of the texts that make up a scenario: the file, or a `--set`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    /// Which text, by its number in [`Diagnostics`].
    pub(super) source: usize,
    /// First byte.
    pub(super) start: usize,
    /// One past the last byte.
    pub(super) end: usize,
}

/// A text with the name under which it is shown.
#[derive(Debug, Clone)]
struct Source {
    origin: String,
    text: String,
}

/// One finding about a scenario.
#[derive(Debug, Clone)]
pub struct Diagnostic {
    /// Whether the scenario can be run all the same.
    pub severity: Severity,
    /// Path of the key it is about, arrays by name: `tool.send_payment.latency`. Empty for the file as a whole.
    pub key: String,
    /// What is wrong, in one line.
    pub message: String,
    /// The text it was found in: the path of the file, or `--set`.
    pub origin: String,
    /// Line of that text, from 1.
    pub line: usize,
    /// Character of that line, from 1.
    pub column: usize,
    place: Place,
    label: String,
    context: Vec<(Place, String)>,
    help: Vec<String>,
}

impl Diagnostic {
    /// Words under the marker.
    pub(super) fn label(&mut self, text: impl Into<String>) -> &mut Self {
        self.label = text.into();
        self
    }

    /// A second place that has a part in it; the words may be empty.
    pub(super) fn also(&mut self, place: Place, text: impl Into<String>) -> &mut Self {
        self.context.push((place, text.into()));
        self
    }

    /// What to do about it.
    pub(super) fn help(&mut self, text: impl Into<String>) -> &mut Self {
        self.help.push(text.into());
        self
    }

    /// What to do about it, where there is something to say.
    pub(super) fn help_maybe(&mut self, text: Option<String>) -> &mut Self {
        self.help.extend(text);
        self
    }

    /// The advice that follows the marked lines.
    pub fn advice(&self) -> impl Iterator<Item = &str> {
        self.help.iter().map(String::as_str)
    }
}

/// Everything found in one scenario, in the order of the text.
#[derive(Debug, Clone, Default)]
pub struct Diagnostics {
    sources: Vec<Source>,
    items: Vec<Diagnostic>,
}

impl Diagnostics {
    /// Adds a text and returns its number.
    pub(super) fn add_source(&mut self, origin: &str, text: &str) -> usize {
        self.sources.push(Source { origin: origin.to_owned(), text: text.to_owned() });
        self.sources.len() - 1
    }

    /// Reports an error about `key`, found at `place`.
    pub(super) fn error(&mut self, key: &str, place: Place, message: impl Into<String>) -> &mut Diagnostic {
        self.report(Severity::Error, key, place, message.into())
    }

    /// Reports a warning about `key`, found at `place`.
    pub(super) fn warning(&mut self, key: &str, place: Place, message: impl Into<String>) -> &mut Diagnostic {
        self.report(Severity::Warning, key, place, message.into())
    }

    fn report(&mut self, severity: Severity, key: &str, place: Place, message: String) -> &mut Diagnostic {
        let source = &self.sources[place.source];
        let (line, column) = position(&source.text, place.start);
        let (origin, key) = (source.origin.clone(), key.to_owned());
        let (label, context, help) = (String::new(), Vec::new(), Vec::new());
        let found = Diagnostic { severity, key, message, origin, line, column, place, label, context, help };
        self.items.push(found);
        self.items.last_mut().expect("it was pushed just now")
    }

    /// Puts the findings in the order of the text.
    pub(super) fn sort(&mut self) {
        self.items.sort_by_key(|d| d.place);
    }

    /// All findings in the order of the text.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.items.iter()
    }

    /// The findings that keep the scenario from being run.
    pub fn errors(&self) -> impl Iterator<Item = &Diagnostic> {
        self.items.iter().filter(|d| d.severity == Severity::Error)
    }

    /// Whether nothing was found.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// How many findings there are, warnings among them.
    #[must_use]
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether some finding is an error.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.errors().next().is_some()
    }

    /// The findings as text for people, in the look of a compiler, each followed by an empty line; with terminal
    /// colours if asked.
    #[must_use]
    pub fn render(&self, colour: bool) -> String {
        let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
        self.items.iter().map(|found| self.render_one(found, &renderer) + "\n\n").collect()
    }

    fn render_one(&self, found: &Diagnostic, renderer: &Renderer) -> String {
        let level = match found.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        let mut group = level.primary_title(found.message.as_str()).elements(self.snippets(found));
        for help in &found.help {
            group = group.element(Level::HELP.message(help.as_str()));
        }
        renderer.render(&[group])
    }

    /// The marked text: one piece for the place itself and the labels that stand in the same text, one for each
    /// label elsewhere.
    fn snippets<'a>(&'a self, found: &'a Diagnostic) -> Vec<Snippet<'a, annotate_snippets::Annotation<'a>>> {
        let mut order: Vec<usize> = vec![found.place.source];
        for (place, _) in &found.context {
            if !order.contains(&place.source) {
                order.push(place.source);
            }
        }
        order.into_iter().map(|source| self.snippet(found, source)).collect()
    }

    fn snippet<'a>(&'a self, found: &'a Diagnostic, number: usize) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
        let Source { origin, text } = &self.sources[number];
        let own = std::iter::once((&found.place, found.label.as_str(), AnnotationKind::Primary));
        let context = found.context.iter().map(|(place, label)| (place, label.as_str(), AnnotationKind::Context));
        let marks: Vec<(Range<usize>, &str, AnnotationKind)> = own
            .chain(context)
            .filter(|(place, ..)| place.source == number)
            .map(|(place, label, kind)| (first_line(text, place), label, kind))
            .collect();
        // Only the lines between the first and the last mark are handed over: the renderer reads all it is given.
        let start = marks.iter().map(|(range, ..)| range.start).min().unwrap_or(0);
        let end = marks.iter().map(|(range, ..)| range.end).max().unwrap_or(0);
        let start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let end = text[end..].find('\n').map_or(text.len(), |at| end + at);
        let mut snippet = Snippet::source(&text[start..end]).path(origin.as_str()).line_start(position(text, start).0);
        for (range, label, kind) in marks {
            let annotation = kind.span(range.start - start..range.end - start);
            snippet = snippet.annotation(if label.is_empty() { annotation } else { annotation.label(label) });
        }
        snippet
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

impl std::error::Error for Diagnostics {}

impl<'a> IntoIterator for &'a Diagnostics {
    type Item = &'a Diagnostic;
    type IntoIter = std::slice::Iter<'a, Diagnostic>;
    fn into_iter(self) -> Self::IntoIter {
        self.items.iter()
    }
}

/// The part of a place on its first line, on character boundaries of the text whatever the place says.
fn first_line(text: &str, place: &Place) -> Range<usize> {
    let start = boundary_before(text, place.start);
    let end = boundary_before(text, place.end).max(start);
    let line = text[start..end].find(['\n', '\r']).map_or(end, |at| start + at);
    start..line
}

/// The last boundary between characters that is not after `offset`.
fn boundary_before(text: &str, offset: usize) -> usize {
    let offset = offset.min(text.len());
    (0..=offset).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// Line and character of the byte at `offset`, both from 1.
fn position(text: &str, offset: usize) -> (usize, usize) {
    let before = &text[..boundary_before(text, offset)];
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}

/// The nearest of `names` to `word`, where one is near enough to be meant: by spelling, else the only one that
/// holds the word.
pub(super) fn nearest<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
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
