//! The `pipe` scheme against Python itself: `pipe-vectors.py` wrote the file with CPython 3.11's json module.

use doublefire::dispatch::{Why, pipe};

#[test]
fn arguments_are_written_as_python_writes_them() {
    let vectors: Vec<(String, String)> = serde_json::from_str(include_str!("pipe-vectors.json")).expect("valid file");
    assert_eq!(vectors.len(), 2000);
    for (arguments, python) in vectors {
        assert_eq!(pipe::python_json(&arguments).as_deref(), Ok(python.as_str()), "{arguments}");
    }
}

#[test]
fn two_different_calls_can_share_a_pipe_key() {
    let one = pipe::derive("a|0", 1, "x", 0, "{}").expect("valid");
    let other = pipe::derive("a", 0, "1|x", 0, "{}").expect("valid");
    assert_eq!(one, other);
}

#[test]
fn what_python_reads_and_json_cannot_say_is_refused() {
    for (arguments, why) in [
        (r#"{"a":NaN}"#, Why::NotANumber),
        (r#"{"a":-Infinity}"#, Why::NotANumber),
        (r#"{"a":1e400}"#, Why::Overflow),
        (r#"{"a":"\ud800"}"#, Why::LoneSurrogate),
        (r#"{"a":1,"a":2}"#, Why::DuplicateName),
        ("[1]", Why::NotAnObject),
    ] {
        assert_eq!(pipe::python_json(arguments).map_err(|refused| refused.why), Err(why), "{arguments}");
    }
}
