//! A sequence of messages between the parties of a turn, as text and as a picture. Whoever has such a sequence to show
//! (a simulated turn, a counterexample of an exploration) hands over plain lines; nothing here knows where they come
//! from.

pub mod svg;
pub mod text;

use crate::turn::vocabulary;

vocabulary! {
    /// Who takes part, in the order of the lifelines.
    Party {
        /// Whoever asks.
        User = "user",
        /// The application: it reads the stream, dispatches calls, and replays.
        Handler = "handler",
        /// The model's provider.
        Provider = "provider",
        /// Where rows live.
        Ledger = "ledger",
        /// The tool and the world behind it.
        Downstream = "downstream",
    }
}

vocabulary! {
    /// What makes a line stand out.
    Mark {
        /// Nothing.
        Plain = "plain",
        /// Something happened in the world.
        Effect = "effect",
        /// It happened once too often.
        Duplicate = "duplicate",
        /// The stream is cut, or ends early.
        Cut = "cut",
        /// The process dies.
        Crash = "crash",
        /// The turn is issued again.
        Replay = "replay",
        /// Something is refused, lost or given up.
        Trouble = "trouble",
        /// It ended well.
        Done = "done",
    }
}

/// One message, or something that a party does by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// When, as people read it; may be empty.
    pub time: String,
    /// Whose it is: the attempt's number, or another turn; may be empty.
    pub tag: String,
    /// Who.
    pub from: Party,
    /// To whom; the same party where it is nobody else.
    pub to: Party,
    /// What, in a few words.
    pub what: String,
    /// The figures behind it; may be empty.
    pub aside: String,
    /// What makes it stand out.
    pub mark: Mark,
}

/// A row of the sequence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Row {
    /// Something new begins.
    Heading(String),
    /// Something happens.
    Line(Line),
}

/// All of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sequence {
    /// What is shown.
    pub title: String,
    /// Lines below the title.
    pub subtitle: Vec<String>,
    /// What the times count, as a sentence; empty where lines have none.
    pub times: String,
    /// In order of time.
    pub rows: Vec<Row>,
    /// What it comes to: lines below the rows, each with a heading.
    pub closing: Vec<(String, Vec<String>)>,
}

/// `text` in lines whose letters measure at most `width` together, broken between words, and within those that are
/// longer than a line. Control characters count as space.
pub(super) fn broken_by(text: &str, width: u32, measure: impl Fn(char) -> u32) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut used = 0;
    let space = |letter: char| letter.is_whitespace() || letter.is_control();
    for word in text.split(space).filter(|word| !word.is_empty()) {
        let needs: u32 = word.chars().map(&measure).sum();
        if !lines.is_empty() && used + measure(' ') + needs <= width {
            used += measure(' ') + needs;
            lines.last_mut().into_iter().for_each(|line| *line += &format!(" {word}"));
            continue;
        }
        lines.push(String::new());
        used = 0;
        for letter in word.chars() {
            if used > 0 && used + measure(letter) > width {
                lines.push(String::new());
                used = 0;
            }
            used += measure(letter);
            lines.last_mut().into_iter().for_each(|line| line.push(letter));
        }
    }
    lines
}

/// As [`broken_by`], in columns of text.
pub(super) fn broken(text: &str, columns: usize) -> Vec<String> {
    broken_by(text, columns as u32, |letter| if is_wide(letter) { 2 } else { 1 })
}

/// Whether a letter takes two columns: Chinese, Japanese, Korean, and pictures.
pub(super) fn is_wide(letter: char) -> bool {
    matches!(letter, '\u{1100}'..='\u{115f}' | '\u{2e80}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}'
        | '\u{fe30}'..='\u{fe6f}' | '\u{ff00}'..='\u{ff60}' | '\u{1f300}'..='\u{3fffd}')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What an exploration has to show: steps without times.
    fn steps() -> Sequence {
        let line = |from, to, what: &str, mark| {
            let (time, tag, aside) = (String::new(), "#1".to_owned(), String::new());
            Row::Line(Line { time, tag, from, to, what: what.to_owned(), aside, mark })
        };
        Sequence {
            title: "A counterexample".to_owned(),
            subtitle: Vec::new(),
            times: String::new(),
            rows: vec![
                Row::Heading("Worker A".to_owned()),
                line(Party::Handler, Party::Ledger, "claims pay", Mark::Plain),
                line(Party::Downstream, Party::Downstream, "pay happens again", Mark::Duplicate),
            ],
            closing: vec![("Broken".to_owned(), vec!["at most once".to_owned()])],
        }
    }

    #[test]
    fn steps_without_times_are_a_sequence_as_well() {
        let text = anstream::adapter::strip_str(&text::render(&steps())).to_string();
        let expected = "A counterexample\n\n\nWorker A\n  #1  handler → ledger      claims pay\n\
                        ! #1  downstream            pay happens again\n\nBroken\n  at most once\n";
        assert_eq!(text, expected);
        let picture = svg::render(&steps());
        let document = roxmltree::Document::parse(&picture).expect("well-formed XML");
        let words: Vec<&str> = document.descendants().filter_map(|node| node.text()).collect();
        assert!(words.contains(&"pay happens again") && words.contains(&"Time runs downwards, not to scale."));
    }

    #[test]
    fn text_is_broken_between_words_and_in_words_longer_than_a_line() {
        assert_eq!(broken("ab cd efghijk l", 5), ["ab cd", "efghi", "jk l"]);
        assert_eq!(broken("  ", 5), Vec::<String>::new());
    }
}
