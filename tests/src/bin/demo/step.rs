//! A call of the session, how it must end, and how it is told.

use std::time::{Duration, Instant};

use e2e::client::{Answer, Client};
use serde_json::{Value, json};

/// How long something may take that is waited for.
const PATIENCE: Duration = Duration::from_secs(20);

/// One call of the session: the reason, the tool, its arguments, and how it must end.
pub(crate) struct Step {
    why: &'static str,
    tool: &'static str,
    arguments: Value,
    end: End,
    /// Asked again until this holds of the answer.
    until: Option<fn(&Value) -> bool>,
}

/// How a call must end.
#[derive(Clone, Copy)]
pub(crate) enum End {
    /// With a result; these members of it are shown.
    Shows(&'static [&'static str]),
    /// With an image, and a text beside it that has these members.
    Pictures(&'static [&'static str]),
    /// With a refusal that asks for this token or parameter.
    Asks(&'static str),
}

/// A call of the session.
pub(crate) fn step(why: &'static str, tool: &'static str, arguments: Value, end: End) -> Step {
    Step { why, tool, arguments, end, until: None }
}

impl Step {
    /// The same, asked again until something holds of the answer.
    pub(crate) fn until(self, holds: fn(&Value) -> bool) -> Step {
        Step { until: Some(holds), ..self }
    }
}

/// Makes the call, tells of it, and fails if it does not end as it must.
pub(crate) fn perform(client: &mut Client, step: &Step) -> Result<(), String> {
    println!("{}", step.why);
    let arguments =
        if step.arguments == json!({}) { String::new() } else { step.arguments.to_string() };
    println!("   → godot_{} {arguments}", step.tool);
    let answer = ask(client, step);
    let time = answer.time.as_secs_f64() * 1000.0;
    match step.end {
        End::Shows(members) if answer.ok => {
            println!("   ← {time:.1} ms");
            show_all(members, &answer.value);
        }
        End::Pictures(members) if answer.ok && answer.reply["content"][1]["type"] == "image" => {
            let data = answer.reply["content"][1]["data"].as_str().unwrap_or_default();
            println!("   ← {time:.1} ms, an image of {} kB", data.len() * 3 / 4 / 1000);
            show_all(members, &answer.value);
        }
        End::Asks(required) if !answer.ok && answer.required() == required => {
            println!("   ← {time:.1} ms, refused: {}", answer.code());
            show_all(&["hint", "required"], &answer.value);
        }
        _ => return Err(answer.value.to_string()),
    }
    println!();
    Ok(())
}

fn ask(client: &mut Client, step: &Step) -> Answer {
    let begin = Instant::now();
    loop {
        let answer = client.call(step.tool, step.arguments.clone());
        let is_there = step.until.is_none_or(|holds| holds(&answer.value));
        if is_there || begin.elapsed() > PATIENCE {
            return answer;
        }
    }
}

fn show_all(members: &[&str], value: &Value) {
    for member in members {
        show(member, &value[*member]);
    }
}

/// Prints a member of an answer; text of several lines as it is.
fn show(name: &str, value: &Value) {
    match value {
        Value::String(text) if text.contains('\n') => {
            println!("     {name}:");
            for line in text.trim_end().lines() {
                println!("       {line}");
            }
        }
        Value::Array(items) if name == "recent" => {
            println!("     {name}:");
            for item in items {
                let undone = if item["undone"] == json!(true) { ", undone" } else { "" };
                let text = |key: &str| item[key].as_str().unwrap_or_default().to_owned();
                println!("       {} (by the {}{undone})", text("name"), text("by"));
            }
        }
        Value::String(text) => println!("     {name}: {text}"),
        other => println!("     {name}: {other}"),
    }
}
