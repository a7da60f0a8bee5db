//! A sequence as a picture: lifelines and arrows, time running down, as an SVG file that stands on its own. A row is
//! as high as its words need and nothing else stands in it, so words never overlap.

use super::{Line, Mark, Party, Row, Sequence, broken_by, is_wide};
use std::fmt::Write;

const WIDTH: i32 = 1180;
const MARGIN: i32 = 24;
/// Times end here.
const TIMES: i32 = 124;
/// The first lifeline, and from one to the next.
const FIRST: i32 = 186;
const APART: i32 = 226;
const TEXT: i32 = 13;
const SMALL: i32 = 11;
const LEADING: i32 = 17;
const LEADING_SMALL: i32 = 15;

const STYLE: &str = "\
text{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,'Noto Sans',sans-serif;font-size:13px;\
fill:#1b1f24}.h{font-size:20px;font-weight:600}.b{font-weight:600}.s{font-size:11px}.d{fill:#57606a}.n{font-variant-\
numeric:tabular-nums}.m{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;font-size:\
12px}.o{paint-order:stroke;stroke:#fff;stroke-width:5px;stroke-linejoin:round}.bg{fill:#fff}.box{fill:#eef1f5;stroke:\
#c3cbd5}.life{stroke:#c3cbd5;stroke-dasharray:3 4}.band{fill:#eef1f5}.alarm{fill:#fdece4}.l{stroke:#3d4650;stroke-width:\
1.4;fill:none}.f{fill:#3d4650}.t-cut,.t-crash,.t-duplicate{fill:#b3390a;font-weight:600}.l-cut,.l-crash,.l-duplicate{\
stroke:#c8440f}.f-cut,.f-crash,.f-duplicate{fill:#c8440f}.t-replay,.t-trouble{fill:#7a5200}.l-replay,.l-trouble{stroke:\
#a06c00}.f-replay,.f-trouble{fill:#a06c00}.t-effect{fill:#0a4f9e;font-weight:600}.l-effect{stroke:#0b62c4}.f-effect{\
fill:#0b62c4}.t-done{fill:#14632b}.l-done{stroke:#1a7f37}.f-done{fill:#1a7f37}\
@media (prefers-color-scheme:dark){text{fill:#e2e8ef}.d{fill:#9aa5b1}.o{stroke:#11161c}.bg{fill:#11161c}.box{fill:#1e262f;\
stroke:#3a4552}.life{stroke:#3a4552}.band{fill:#1e262f}.alarm{fill:#3a1d12}.l{stroke:#aeb9c5}.f{fill:#aeb9c5}.t-cut,\
.t-crash,.t-duplicate{fill:#ff9d76}.l-cut,.l-crash,.l-duplicate{stroke:#ff8354}.f-cut,.f-crash,.f-duplicate{fill:#ff8354}\
.t-replay,.t-trouble{fill:#e8bd62}.l-replay,.l-trouble{stroke:#d6a843}.f-replay,.f-trouble{fill:#d6a843}.t-effect{fill:\
#84b9ff}.l-effect{stroke:#5ca2ff}.f-effect{fill:#5ca2ff}.t-done{fill:#71cf8b}.l-done{stroke:#4fb56c}.f-done{fill:#4fb56c}}";

/// The sequence as an SVG document.
#[must_use]
pub fn render(sequence: &Sequence) -> String {
    let mut canvas = Canvas { body: String::new(), y: MARGIN };
    canvas.head(sequence);
    let top = canvas.y;
    canvas.parties();
    let start = canvas.y;
    let mut last = (String::new(), String::new());
    let mut rows = Canvas { body: String::new(), y: start + 8 };
    for row in &sequence.rows {
        match row {
            Row::Heading(heading) => rows.heading(heading),
            Row::Line(line) => rows.line(line, &mut last),
        }
    }
    let end = rows.y + 8;
    for party in Party::ALL {
        let x = lifeline(*party);
        write_to(&mut canvas.body, format_args!(r#"<path class="life" d="M{x} {start}V{end}"/>"#));
    }
    canvas.body += &rows.body;
    canvas.y = end;
    if end - top > 700 {
        canvas.parties();
    }
    canvas.closing(sequence);
    let height = canvas.y + MARGIN;
    let title = escaped(&sequence.title);
    let about = escaped(&sequence.subtitle.join(". "));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" viewBox=\"0 0 {WIDTH} {height}\" \
         role=\"img\" aria-labelledby=\"t d\">\n<title id=\"t\">{title}</title>\n<desc id=\"d\">{about}</desc>\n\
         <style>{STYLE}</style>\n<rect class=\"bg\" width=\"{WIDTH}\" height=\"{height}\"/>\n{}</svg>\n",
        canvas.body
    )
}

/// What has been drawn, and how far down.
struct Canvas {
    body: String,
    y: i32,
}

impl Canvas {
    fn text(&mut self, class: &str, (x, y): (i32, i32), anchor: &str, text: &str) {
        let text = escaped(text);
        let line = format_args!(r#"<text class="{class}" x="{x}" y="{y}" text-anchor="{anchor}">{text}</text>"#);
        write_to(&mut self.body, line);
    }

    fn head(&mut self, sequence: &Sequence) {
        for line in broken(&sequence.title, WIDTH - 2 * MARGIN, 20) {
            self.y += 24;
            self.text("h", (MARGIN, self.y - 4), "start", &line);
        }
        for line in &sequence.subtitle {
            self.paragraph("d", line, TEXT);
        }
        self.paragraph("d s", &format!("Time runs downwards, not to scale. {}", sequence.times), SMALL);
        self.y += 14;
    }

    /// A line of text over the whole width, in as many lines as it takes.
    fn paragraph(&mut self, class: &str, text: &str, size: i32) {
        let size = if class.contains('m') { size * 5 / 4 } else { size };
        for line in broken(text, WIDTH - 2 * MARGIN, size) {
            self.y += LEADING + 1;
            self.text(class, (MARGIN, self.y - 2), "start", &line);
        }
    }

    /// The boxes that the lifelines hang from.
    fn parties(&mut self) {
        for party in Party::ALL {
            let x = lifeline(*party);
            let (left, top) = (x - 62, self.y);
            let shape = format_args!(r#"<rect class="box" x="{left}" y="{top}" width="124" height="28" rx="6"/>"#);
            write_to(&mut self.body, shape);
            self.text("b", (x, self.y + 19), "middle", party.name());
        }
        self.y += 28;
    }

    fn heading(&mut self, heading: &str) {
        let (y, width) = (self.y + 10, WIDTH - 2 * MARGIN);
        write_to(
            &mut self.body,
            format_args!(r#"<rect class="band" x="{MARGIN}" y="{y}" width="{width}" height="24" rx="4"/>"#),
        );
        self.text("b", (MARGIN + 10, y + 17), "start", heading);
        self.y += 40;
    }

    fn line(&mut self, line: &Line, last: &mut (String, String)) {
        let place = Place::of(line);
        let what = broken(&line.what, place.room, TEXT);
        let aside = broken(&line.aside, place.room, SMALL);
        let (above, below) = (LEADING * what.len() as i32, LEADING_SMALL * aside.len() as i32);
        let message = line.from != line.to;
        // A cross is taller than an arrow.
        let cross = if line.mark == Mark::Cut { 5 } else { 0 };
        let height = (8 + above + if message { 10 + cross } else { 2 } + below + 4).max(36);
        let top = self.y;
        if line.mark == Mark::Duplicate {
            let width = WIDTH - 2 * MARGIN;
            let band = format_args!(
                r#"<rect class="alarm" x="{MARGIN}" y="{top}" width="{width}" height="{height}" rx="4"/>"#
            );
            write_to(&mut self.body, band);
        }
        let arrow = top + 8 + above + 3 + cross;
        let level = if message { arrow } else { top + 8 + LEADING / 2 };
        self.time(line, level, last);
        if message {
            self.arrow(line, arrow)
        } else {
            self.dot(line, level)
        }
        let mark = line.mark;
        let halo = if mark == Mark::Duplicate { "" } else { "o " };
        let mut y = top + 8;
        for piece in &what {
            y += LEADING;
            self.text(&format!("{halo}t-{mark}"), (place.x, y - 4), place.anchor, piece);
        }
        y += if message { 10 + cross } else { 0 };
        for piece in &aside {
            y += LEADING_SMALL;
            self.text("o s d n", (place.x, y - 2), place.anchor, piece);
        }
        self.y += height;
    }

    /// Time and whose line it is, where they are not those of the line above.
    fn time(&mut self, line: &Line, y: i32, last: &mut (String, String)) {
        let (time, tag) = (line.time.clone(), line.tag.clone());
        let own = if tag == last.1 || tag.is_empty() { y + 4 } else { y - 2 };
        if !time.is_empty() && (time != last.0 || tag != last.1) {
            self.text("n", (TIMES, own), "end", &time);
        }
        if tag != last.1 && !tag.is_empty() {
            self.text("s d", (TIMES, y + 11), "end", &tag);
        }
        *last = (time, tag);
    }

    fn arrow(&mut self, line: &Line, y: i32) {
        let mark = line.mark;
        let (from, to) = (lifeline(line.from), lifeline(line.to));
        let way = (to - from).signum();
        if mark == Mark::Cut {
            // Broken off half-way.
            let middle = (from + to) / 2;
            write_to(
                &mut self.body,
                format_args!(r#"<path class="l l-cut" stroke-dasharray="5 4" d="M{from} {y}H{middle}"/>"#),
            );
            return self.cross("cut", middle, y);
        }
        let head = to - 9 * way;
        let (up, down) = (y - 4, y + 4);
        write_to(&mut self.body, format_args!(r#"<path class="l l-{mark}" d="M{from} {y}H{head}"/>"#));
        write_to(&mut self.body, format_args!(r#"<path class="f f-{mark}" d="M{to} {y}L{head} {up}V{down}Z"/>"#));
    }

    fn dot(&mut self, line: &Line, y: i32) {
        let x = lifeline(line.from);
        let mark = line.mark;
        let radius = match mark {
            Mark::Crash => return self.cross("crash", x, y),
            Mark::Duplicate => 8,
            Mark::Effect => 6,
            _ => 4,
        };
        write_to(&mut self.body, format_args!(r#"<circle class="f f-{mark}" cx="{x}" cy="{y}" r="{radius}"/>"#));
    }

    fn cross(&mut self, mark: &str, x: i32, y: i32) {
        let (left, right, up, down) = (x - 7, x + 7, y - 7, y + 7);
        let path = format_args!(
            r#"<path class="l l-{mark}" stroke-width="3" style="stroke-width:3" d="M{left} {up}L{right} {down}M{right} {up}L{left} {down}"/>"#
        );
        write_to(&mut self.body, path);
    }

    fn closing(&mut self, sequence: &Sequence) {
        for (heading, lines) in &sequence.closing {
            self.y += 18;
            self.paragraph("b", heading, TEXT);
            for line in lines {
                self.paragraph("", line, TEXT);
            }
        }
    }
}

/// Where the words of a line stand.
struct Place {
    x: i32,
    anchor: &'static str,
    room: i32,
}

impl Place {
    fn of(line: &Line) -> Place {
        let (from, to) = (lifeline(line.from), lifeline(line.to));
        let right = WIDTH - MARGIN;
        if from == to && line.from == Party::Downstream {
            return Place { x: from - 16, anchor: "end", room: 2 * APART - 32 };
        }
        if from == to {
            return Place { x: from + 16, anchor: "start", room: (right - from - 16).min(2 * APART - 32) };
        }
        let room = (to - from).abs().max(APART) + 110;
        let middle = (from + to) / 2;
        // Kept off the times on the left and the edge on the right.
        let x = middle.clamp(TIMES + 10 + room / 2, right - room / 2);
        Place { x, anchor: "middle", room }
    }
}

fn lifeline(party: Party) -> i32 {
    FIRST + APART * party.index() as i32
}

/// `text` in lines no wider than `room`, by widths that hold for the widest of the usual fonts.
fn broken(text: &str, room: i32, size: i32) -> Vec<String> {
    // In hundredths of the letter's height.
    let measure = |letter: char| match letter {
        'i' | 'j' | 'l' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | '(' | ')' | '[' | ']' | ' ' => 36,
        'm' | 'w' | 'M' | 'W' | '@' | '%' | '…' | '—' | '→' => 98,
        'A'..='Z' => 74,
        letter if letter.is_ascii() => 63,
        letter if is_wide(letter) => 115,
        _ => 80,
    };
    broken_by(text, (room * 100 / size) as u32, measure)
}

/// Text as it may stand in XML: what XML has no way to say is replaced.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\t' | '\n' | '\r' => escaped.push(' '),
            '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            letter => escaped.push(letter),
        }
    }
    escaped
}

fn write_to(body: &mut String, line: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    _ = writeln!(body, "{line}");
}
