//! `doublefire key`.

use crate::{doublefire, stdout_of};
use assert_cmd::Command;

const ARGUMENTS: &str = r#"{"to": "DE02", "amount": "12.00"}"#;

fn key(arguments: &str) -> Command {
    let mut command = doublefire();
    command.args(["key", "--conversation", "c1", "--position", "4", "--tool", "send_payment", "--ordinal", "0"]);
    command.args(["--arguments", arguments]);
    command
}

#[test]
fn the_canonical_text_and_its_key_are_printed() {
    let text = stdout_of(&mut key(ARGUMENTS));
    let (canonical, key) = text.split_once('\n').expect("two lines");
    assert_eq!(canonical, r#"["doublefire/1","c1",4,"send_payment",0,{"amount":"12.00","to":"DE02"}]"#);
    // The first half of what sha256sum says of these bytes.
    assert_eq!(key, "fd1e1f83bb6c243955f884de28a58408\n");
}

#[test]
fn arguments_from_standard_input_are_the_same_arguments() {
    assert_eq!(stdout_of(key("-").write_stdin(ARGUMENTS)), stdout_of(&mut key(ARGUMENTS)));
}

#[test]
fn the_pipe_scheme_joins_the_parts() {
    let text = stdout_of(key(ARGUMENTS).args(["--scheme", "pipe"]));
    assert!(text.starts_with("c1|4|send_payment|0|{\"amount\":\"12.00\",\"to\":\"DE02\"}\n"), "{text}");
}

#[test]
fn json_has_scheme_canonical_text_and_key() {
    let text = stdout_of(key(ARGUMENTS).args(["--format", "json"]));
    let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(json["scheme"], "canonical");
    assert_eq!(json["key"], "fd1e1f83bb6c243955f884de28a58408");
    assert_eq!(json["canonical"], r#"["doublefire/1","c1",4,"send_payment",0,{"amount":"12.00","to":"DE02"}]"#);
}

#[test]
fn what_cannot_be_carried_without_loss_is_refused_with_advice() {
    for (arguments, advice) in [
        (r#"{"id": 9007199254740993}"#, "write ids and amounts as strings"),
        ("-1", "wrap the value in an object"),
        ("{", "one JSON object"),
        (r#"{"a": 1, "a": 2}"#, "keep one of the two"),
    ] {
        let output = key(arguments).assert().code(2).get_output().clone();
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.stdout.is_empty() && message.contains(advice), "{arguments}: {message}");
    }
    key("-").write_stdin(&b"{\"a\": \"\xff\"}"[..]).assert().code(2);
}
