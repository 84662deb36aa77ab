//! mybot: a bot for the card arena. It always plays its lowest legal card.
//!
//! No crate for JSON: a line of the referee is compact, its fields stand in the order of SPEC.md, and an action
//! is letters and digits. So a field is found as text.

use std::io::{self, BufRead, Write};

// ---- your idea -------------------------------------------------------------------------------------

/// Return one of `legal`. SPEC.md describes `view` (as JSON), game by game.
fn choose<'a>(_decision: &str, legal: &[&'a str], _view: &str) -> &'a str {
    legal
        .iter()
        .copied()
        .min_by_key(|action| value(action))
        .unwrap_or("")
}

/// The number of a card: 7 for G7. Words such as "chip" come last.
fn value(action: &str) -> u32 {
    action
        .get(1..)
        .and_then(|number| number.parse().ok())
        .unwrap_or(u32::MAX)
}

// ---- reading JSON: texts(view, "hand") is ["G2", "B7"] -----------------------------------------------

/// What stands behind the first `opening`, up to the next `closing`.
fn between<'a>(json: &'a str, opening: &str, closing: &str) -> Option<&'a str> {
    let (_, rest) = json.split_once(opening)?;
    rest.split_once(closing).map(|(found, _)| found)
}

/// The list of strings in a field; empty if there is none.
fn texts<'a>(json: &'a str, field: &str) -> Vec<&'a str> {
    let list = between(json, &format!("\"{field}\":["), "]").unwrap_or("");
    list.split(',')
        .map(|text| text.trim_matches('"'))
        .filter(|text| !text.is_empty())
        .collect()
}

// ---- the wire: a line in, a line out -----------------------------------------------------------------

/// The line to answer with, if one is due.
fn answer(line: &str) -> Option<String> {
    match between(line, "\"type\":\"", "\"")? {
        "hello" => Some(r#"{"type":"ready","name":"mybot","language":"Rust"}"#.to_string()),
        "request" => {
            let id = between(line, "\"id\":", ",")?;
            let decision = between(line, "\"decision\":\"", "\"")?;
            let (_, view) = line.split_once("\"view\":")?;
            let action = choose(decision, &texts(line, "legal"), view);
            Some(format!(
                r#"{{"type":"reply","id":{id},"action":"{action}"}}"#
            ))
        }
        _ => None,
    }
}

fn main() -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        if let Some(reply) = answer(&line?) {
            writeln!(stdout, "{reply}")?; // whole lines are flushed; to debug, use eprintln!
        }
    }
    Ok(())
}
