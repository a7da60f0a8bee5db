//! A strict reader of JSON (RFC 8259) that refuses what two readers could take for different values. What counts as
//! a number that can be carried is the caller's choice: the two key schemes differ in nothing else.

use crate::dispatch::refused::{Refused, Why, excerpt};
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// Objects and arrays inside one another at most; bounds the reader's recursion and everything's after it.
pub(super) const MAX_DEPTH: usize = 128;

/// A JSON value without duplicate names or lone surrogates. Names are in code-point order; numbers keep their
/// spelling.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Null,
    Bool(bool),
    Number(Box<str>),
    String(String),
    Array(Vec<Value>),
    Object(BTreeMap<String, Value>),
}

/// How a text form spells JSON beyond its punctuation, which has no white space.
pub(super) struct Style {
    /// Writes a literal of JSON's number grammar.
    pub number: fn(&str, &mut String),
    /// Writes a string, quotes included.
    pub string: fn(&str, &mut String),
    /// The order of an object's names.
    pub order: fn(&str, &str) -> Ordering,
}

impl Style {
    pub(super) fn write(&self, value: &Value, out: &mut String) {
        match value {
            Value::Null => out.push_str("null"),
            Value::Bool(true) => out.push_str("true"),
            Value::Bool(false) => out.push_str("false"),
            Value::Number(literal) => (self.number)(literal, out),
            Value::String(string) => (self.string)(string, out),
            Value::Array(items) => {
                out.push('[');
                for (i, item) in items.iter().enumerate() {
                    out.push_str(if i == 0 { "" } else { "," });
                    self.write(item, out);
                }
                out.push(']');
            }
            Value::Object(members) => {
                let mut members: Vec<_> = members.iter().collect();
                members.sort_by(|(a, _), (b, _)| (self.order)(a, b));
                out.push('{');
                for (i, (name, member)) in members.into_iter().enumerate() {
                    out.push_str(if i == 0 { "" } else { "," });
                    (self.string)(name, out);
                    out.push(':');
                    self.write(member, out);
                }
                out.push('}');
            }
        }
    }
}

/// Says of a literal of JSON's number grammar why it cannot be carried.
pub(super) type CheckNumber = fn(&str) -> Result<(), Why>;

/// The object that `text` is, white space around it aside.
pub(super) fn read_object(text: &str, check: CheckNumber) -> Result<Value, Refused> {
    let mut reader = Reader { text, at: 0, check };
    reader.skip_space();
    if reader.at == text.len() {
        return Err(Refused::at(0, Why::Syntax, "no text (a call without arguments is {})"));
    }
    let start = reader.at;
    let value = reader.value(0)?;
    reader.skip_space();
    if reader.at < text.len() {
        return Err(reader.unexpected("the end"));
    }
    match value {
        Value::Object(_) => Ok(value),
        _ => Err(Refused::at(start, Why::NotAnObject, format!("{} instead of an object", excerpt(text.trim())))),
    }
}

struct Reader<'a> {
    text: &'a str,
    /// Bytes read so far; always at a character's boundary.
    at: usize,
    check: CheckNumber,
}

impl Reader<'_> {
    fn value(&mut self, depth: usize) -> Result<Value, Refused> {
        match self.peek() {
            Some(b'{') => self.object(depth),
            Some(b'[') => self.array(depth),
            Some(b'"') => Ok(Value::String(self.string()?)),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ if self.take("null") => Ok(Value::Null),
            _ if self.take("true") => Ok(Value::Bool(true)),
            _ if self.take("false") => Ok(Value::Bool(false)),
            _ => Err(self.no_number().unwrap_or_else(|| self.unexpected("a value"))),
        }
    }

    fn object(&mut self, depth: usize) -> Result<Value, Refused> {
        self.open(depth)?;
        let mut members = BTreeMap::new();
        if self.close(b'}') {
            return Ok(Value::Object(members));
        }
        loop {
            self.skip_space();
            let start = self.at;
            if self.peek() != Some(b'"') {
                return Err(self.unexpected("a name in double quotes"));
            }
            let name = self.string()?;
            self.skip_space();
            if !self.take(":") {
                return Err(self.unexpected("':'"));
            }
            self.skip_space();
            let value = self.value(depth + 1).map_err(|refused| refused.under_name(&name))?;
            if members.contains_key(&name) {
                let found = format!("the name {:?} a second time", excerpt(&name));
                return Err(Refused::at(start, Why::DuplicateName, found));
            }
            members.insert(name, value);
            if self.close(b'}') {
                return Ok(Value::Object(members));
            }
            if !self.take(",") {
                return Err(self.unexpected("',' or '}'"));
            }
        }
    }

    fn array(&mut self, depth: usize) -> Result<Value, Refused> {
        self.open(depth)?;
        let mut items = Vec::new();
        if self.close(b']') {
            return Ok(Value::Array(items));
        }
        loop {
            self.skip_space();
            let value = self.value(depth + 1).map_err(|refused| refused.at_index(items.len()))?;
            items.push(value);
            if self.close(b']') {
                return Ok(Value::Array(items));
            }
            if !self.take(",") {
                return Err(self.unexpected("',' or ']'"));
            }
        }
    }

    /// Steps over an opening bracket, unless it would nest too deep.
    fn open(&mut self, depth: usize) -> Result<(), Refused> {
        if depth == MAX_DEPTH {
            let found = format!("more than {MAX_DEPTH} objects and arrays inside one another");
            return Err(Refused::at(self.at, Why::TooDeep, found));
        }
        self.at += 1;
        Ok(())
    }

    /// Steps over a closing bracket if it comes next.
    fn close(&mut self, bracket: u8) -> bool {
        self.skip_space();
        let closes = self.peek() == Some(bracket);
        self.at += usize::from(closes);
        closes
    }

    fn string(&mut self) -> Result<String, Refused> {
        self.at += 1;
        let mut string = String::new();
        loop {
            let rest = &self.text[self.at..];
            let plain = rest.find(|c: char| c == '"' || c == '\\' || c < ' ').unwrap_or(rest.len());
            string.push_str(&rest[..plain]);
            self.at += plain;
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(string);
                }
                Some(b'\\') => string.push(self.escape()?),
                Some(_) => return Err(self.unexpected("an escape (control characters are not written raw)")),
                None => return Err(self.unexpected("'\"'")),
            }
        }
    }

    /// The character that an escape stands for, a surrogate pair being one.
    fn escape(&mut self) -> Result<char, Refused> {
        let start = self.at;
        self.at += 1;
        let escaped = self.peek();
        let plain = match escaped {
            Some(c @ (b'"' | b'\\' | b'/')) => char::from(c),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                self.at += 1;
                return self.unicode_escape(start);
            }
            _ => return Err(self.unexpected("one of \" \\ / b f n r t u")),
        };
        self.at += 1;
        Ok(plain)
    }

    /// What follows `\u`, the escape having begun at `start`.
    fn unicode_escape(&mut self, start: usize) -> Result<char, Refused> {
        let unit = self.code_unit()?;
        let lone = || Refused::at(start, Why::LoneSurrogate, format!("the lone surrogate \\u{unit:04x}"));
        if !(0xd800..0xdc00).contains(&unit) {
            return char::from_u32(unit).ok_or_else(lone);
        }
        if !self.take("\\u") {
            return Err(lone());
        }
        let low = self.code_unit()?;
        if !(0xdc00..0xe000).contains(&low) {
            return Err(lone());
        }
        char::from_u32(0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00)).ok_or_else(lone)
    }

    /// Four hex digits.
    fn code_unit(&mut self) -> Result<u32, Refused> {
        let mut unit = 0;
        for _ in 0..4 {
            let digit = self.peek().and_then(|c| char::from(c).to_digit(16));
            unit = unit * 16 + digit.ok_or_else(|| self.unexpected("four hex digits"))?;
            self.at += 1;
        }
        Ok(unit)
    }

    fn number(&mut self) -> Result<Value, Refused> {
        let start = self.at;
        if let Some(refused) = self.no_number() {
            return Err(refused);
        }
        self.take("-");
        if !self.take("0") {
            self.digits()?;
        }
        if self.take(".") {
            self.digits()?;
        }
        if self.take("e") || self.take("E") {
            let _signed = self.take("+") || self.take("-");
            self.digits()?;
        }
        let literal = &self.text[start..self.at];
        match (self.check)(literal) {
            Ok(()) => Ok(Value::Number(literal.into())),
            Err(why) => Err(Refused::at(start, why, format!("the number {}", excerpt(literal)))),
        }
    }

    /// One digit or more.
    fn digits(&mut self) -> Result<(), Refused> {
        let rest = &self.text[self.at..];
        match rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len()) {
            0 => Err(self.unexpected("a digit")),
            many => {
                self.at += many;
                Ok(())
            }
        }
    }

    /// The refusal of a NaN or an infinity, if one comes next.
    fn no_number(&self) -> Option<Refused> {
        let rest = &self.text[self.at..];
        let word = ["NaN", "Infinity", "-Infinity"].into_iter().find(|word| rest.starts_with(word))?;
        Some(Refused::at(self.at, Why::NotANumber, word))
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Steps over `word` if it comes next.
    fn take(&mut self, word: &str) -> bool {
        let taken = self.text[self.at..].starts_with(word);
        self.at += if taken { word.len() } else { 0 };
        taken
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn unexpected(&self, expected: &str) -> Refused {
        let found = match self.text[self.at..].chars().next() {
            Some(c) => format!("{c:?} where {expected} was expected"),
            None => format!("the text's end where {expected} was expected"),
        };
        Refused::at(self.at, Why::Syntax, found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(text: &str) -> (Why, String, usize) {
        let refused = read_object(text, |_| Ok(())).expect_err(text);
        (refused.why, refused.path, refused.offset.expect("inside the arguments"))
    }

    #[test]
    fn every_departure_from_the_grammar_is_found_where_it_stands() {
        for (text, offset) in [
            ("", 0),
            ("  \n", 0),
            ("\u{feff}{}", 0),
            ("{", 1),
            ("{}x", 2),
            ("{} {}", 3),
            ("{\"a\"}", 4),
            ("{a:1}", 1),
            ("{'a':1}", 1),
            ("{\"a\":1,}", 7),
            ("{\"a\":[1,]}", 8),
            ("{\"a\":01}", 6),
            ("{\"a\":.5}", 5),
            ("{\"a\":1.}", 7),
            ("{\"a\":1e}", 7),
            ("{\"a\":+1}", 5),
            ("{\"a\":-}", 6),
            ("{\"a\":tru}", 5),
            ("{\"a\":\"\t\"}", 6),
            ("{\"a\":\"\\x\"}", 7),
            ("{\"a\":\"\\u12\"}", 10),
            ("{\"a\":\"", 6),
            ("{\"a\":1 /* c */}", 7),
        ] {
            let (why, _, at) = refusal(text);
            assert_eq!((why, at), (Why::Syntax, offset), "{text:?}");
        }
    }

    #[test]
    fn what_two_readers_could_read_differently_is_refused_at_any_depth() {
        for (text, why, path, offset) in [
            (r#"{"a":1,"a":1}"#, Why::DuplicateName, "$", 7),
            (r#"{"a":1,"\u0061":2}"#, Why::DuplicateName, "$", 7),
            (r#"{"x":[{"y":1,"z":{},"y":2}]}"#, Why::DuplicateName, "$.x[0]", 20),
            (r#"{"a":["\ud800"]}"#, Why::LoneSurrogate, "$.a[0]", 7),
            (r#"{"a":"\ud800x"}"#, Why::LoneSurrogate, "$.a", 6),
            (r#"{"a":"\ud800\ud800"}"#, Why::LoneSurrogate, "$.a", 6),
            (r#"{"a":"\udc00"}"#, Why::LoneSurrogate, "$.a", 6),
            (r#"{"\udfff":1}"#, Why::LoneSurrogate, "$", 2),
            (r#"{"a":NaN}"#, Why::NotANumber, "$.a", 5),
            (r#"{"a":{"b":-Infinity}}"#, Why::NotANumber, "$.a.b", 10),
        ] {
            assert_eq!(refusal(text), (why, path.to_owned(), offset), "{text}");
        }
    }

    #[test]
    fn only_an_object_is_an_argument_list() {
        for text in ["[]", "null", "true", "\"{}\"", " 1 "] {
            assert_eq!(refusal(text).0, Why::NotAnObject, "{text}");
        }
    }

    #[test]
    fn nesting_is_bounded_and_the_bound_itself_is_allowed() {
        let nested = |depth: usize| format!("{{\"a\":{}1{}}}", "[".repeat(depth - 1), "]".repeat(depth - 1));
        assert!(read_object(&nested(MAX_DEPTH), |_| Ok(())).is_ok());
        assert_eq!(refusal(&nested(MAX_DEPTH + 1)).0, Why::TooDeep);
        assert_eq!(refusal(&"{\"a\":".repeat(1_000_000)).0, Why::TooDeep);
    }

    #[test]
    fn escapes_say_the_characters_they_stand_for() {
        let value = read_object(r#"{"a":"\"\\\/\b\f\n\r\t\u00e9\ud83d\uDE00é"}"#, |_| Ok(())).expect("valid");
        let Value::Object(members) = value else { panic!("an object") };
        assert_eq!(members["a"], Value::String("\"\\/\u{8}\u{c}\n\r\té😀é".to_owned()));
    }
}
