//! What is wrong with a scenario, in the words and the look of a compiler: the place, the line with a marker, what
//! is allowed, the nearest name.

use annotate_snippets::{AnnotationKind, Element, Level, Origin, Renderer, Snippet};
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
    /// First byte of each line.
    lines: Vec<usize>,
}

/// Findings that are kept; a text that has more is beyond being repaired one by one.
const FINDINGS_MAX: usize = 1000;
/// Bytes of a line, or from the first marked line to the last, that are shown.
const SHOWN_MAX: usize = 20_000;

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
    /// The last of those that were not kept, and how many they are.
    omitted: (Option<Box<Diagnostic>>, usize),
}

impl Diagnostics {
    /// Adds a text and returns its number.
    pub(super) fn add_source(&mut self, origin: &str, text: &str) -> usize {
        let lines = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        self.sources.push(Source { origin: origin.to_owned(), text: text.to_owned(), lines });
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
        let (line, column) = source.position(place.start);
        let (origin, key) = (source.origin.clone(), key.to_owned());
        let (label, context, help) = (String::new(), Vec::new(), Vec::new());
        let found = Diagnostic { severity, key, message, origin, line, column, place, label, context, help };
        if self.items.len() == FINDINGS_MAX {
            self.omitted.1 += 1;
            return self.omitted.0.insert(Box::new(found));
        }
        self.items.push(found);
        self.items.last_mut().expect("it was pushed just now")
    }

    /// Name of the text that holds `place`, and the line there, from 1.
    pub(super) fn line_of(&self, place: Place) -> (String, usize) {
        let source = &self.sources[place.source];
        (source.origin.clone(), source.position(place.start).0)
    }

    /// Puts the findings in the order of the text.
    pub(super) fn sort(&mut self) {
        self.items.sort_by_key(|d| d.place);
    }

    /// All findings in the order of the text; of very many, the first thousand that were made.
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
        self.errors().next().is_some() || self.omitted.1 > 0
    }

    /// The findings as text for people, in the look of a compiler, each followed by an empty line; with terminal
    /// colours if asked.
    #[must_use]
    pub fn render(&self, colour: bool) -> String {
        let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
        let mut text: String = self.items.iter().map(|found| self.render_one(found, &renderer) + "\n\n").collect();
        if self.omitted.1 > 0 {
            let title = Level::ERROR.primary_title(format!("{} more findings are not shown", self.omitted.1));
            text += &(renderer.render(&[annotate_snippets::Group::with_title(title)]) + "\n\n");
        }
        text
    }

    fn render_one(&self, found: &Diagnostic, renderer: &Renderer) -> String {
        let level = match found.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        let title = level.primary_title(found.message.as_str());
        let title = if found.key.is_empty() { title } else { title.id(found.key.as_str()) };
        let mut group = title.elements(self.snippets(found));
        for help in &found.help {
            group = group.element(Level::HELP.message(help.as_str()));
        }
        renderer.render(&[group])
    }

    /// The marked text: one piece for the place itself and the labels that stand in the same text, one for each
    /// other text with labels.
    fn snippets<'a>(&'a self, found: &'a Diagnostic) -> Vec<Element<'a>> {
        let mut order: Vec<usize> = vec![found.place.source];
        for (place, _) in &found.context {
            if !order.contains(&place.source) {
                order.push(place.source);
            }
        }
        order.into_iter().flat_map(|source| self.snippet(found, source)).collect()
    }

    fn snippet<'a>(&'a self, found: &'a Diagnostic, number: usize) -> Vec<Element<'a>> {
        let source = &self.sources[number];
        let own = std::iter::once((&found.place, found.label.as_str(), AnnotationKind::Primary));
        let context = found.context.iter().map(|(place, label)| (place, label.as_str(), AnnotationKind::Context));
        let marks: Vec<(Range<usize>, &str, AnnotationKind)> = own
            .chain(context)
            .filter(|(place, ..)| place.source == number)
            .map(|(place, label, kind)| (source.first_line(place), label, kind))
            .collect();
        // Only the lines between the first and the last mark are handed over: the renderer reads all it is given.
        let first = marks.iter().map(|(range, ..)| range.start).min().unwrap_or(0);
        let last = marks.iter().map(|(range, ..)| range.end).max().unwrap_or(0);
        let (line, start) = source.line_of(first);
        let end = source.text[last..].find('\n').map_or(source.text.len(), |at| last + at);
        if end - start > SHOWN_MAX {
            return source.unseen(&marks);
        }
        let mut snippet = Snippet::source(&source.text[start..end]).path(source.origin.as_str()).line_start(line);
        for (range, label, kind) in marks {
            let annotation = kind.span(range.start - start..range.end - start);
            snippet = snippet.annotation(if label.is_empty() { annotation } else { annotation.label(label) });
        }
        vec![snippet.into()]
    }
}

impl Source {
    /// The marks without the text, which is too long to be shown.
    fn unseen<'a>(&'a self, marks: &[(Range<usize>, &'a str, AnnotationKind)]) -> Vec<Element<'a>> {
        let mut elements = Vec::new();
        for (range, label, _) in marks {
            let (line, column) = self.position(range.start);
            elements.push(Origin::path(self.origin.as_str()).line(line).char_column(column).into());
            if !label.is_empty() {
                elements.push(Level::NOTE.message(*label).into());
            }
        }
        elements
    }

    /// Number and first byte of the line with the byte at `offset`.
    fn line_of(&self, offset: usize) -> (usize, usize) {
        let number = self.lines.partition_point(|start| *start <= offset);
        (number, self.lines[number - 1])
    }

    /// Line and character of the byte at `offset`, both from 1.
    fn position(&self, offset: usize) -> (usize, usize) {
        let offset = self.boundary_before(offset);
        let (line, start) = self.line_of(offset);
        (line, self.text[start..offset].chars().count() + 1)
    }

    /// The part of a place on its first line, on character boundaries of the text whatever the place says.
    fn first_line(&self, place: &Place) -> Range<usize> {
        let start = self.boundary_before(place.start);
        let end = self.boundary_before(place.end).max(start);
        let line = self.text[start..end].find(['\n', '\r']).map_or(end, |at| start + at);
        start..line
    }

    /// The last boundary between characters that is not after `offset`.
    fn boundary_before(&self, offset: usize) -> usize {
        let offset = offset.min(self.text.len());
        (0..=offset).rev().find(|at| self.text.is_char_boundary(*at)).unwrap_or(0)
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
