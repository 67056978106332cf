//! `scripts`: the project's scripts as text.

mod beside;
mod check_all;
mod class_name;
mod dotnet;
mod get_for_node;
mod get_parse_errors;
mod list;
mod patch;
mod read;
pub(in crate::tools) mod text;
mod write;

pub(in crate::tools) use check_all::CheckAll;

use std::time::{Duration, Instant};

use godot::{
    classes::{EditorInterface, FileAccess},
    prelude::*,
};
use protocol::{Fault, Required, ResPath, tools::scripts::Diagnostic};
use sha2::{Digest, Sha256};

pub(crate) use self::class_name::class_name;
use self::text::without_bom;
use crate::{
    autoload::hides_class,
    files,
    language_server::{Finding, Trouble},
    plan::{Context, Progress},
    resource::{GlobalClass, global_classes, on_disk},
};

/// How long a write waits at most for the editor to take in the file.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long it waits at most for the text to be checked.
const CHECK: Duration = Duration::from_secs(1);

/// Refuses a file that is no script.
fn check_script(path: &ResPath) -> Result<(), Fault> {
    if ["gd", "cs"].contains(&path.extension().as_str()) {
        return Ok(());
    }
    Err(Fault::invalid(format!("'{path}' is no script: its name must end in '.gd' or '.cs'."))
        .requiring(Required::parameter("script_path")))
}

/// The SHA-256 of a file's bytes.
fn hash(content: &[u8]) -> String {
    Sha256::digest(content).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Refuses where the file is not the one that the caller has read.
fn check_hash(path: &ResPath, now: Option<&[u8]>, wanted: Option<&str>) -> Result<(), Fault> {
    let Some(wanted) = wanted else { return Ok(()) };
    let now = now.map(hash);
    if now.as_deref().is_some_and(|now| now.eq_ignore_ascii_case(wanted)) {
        return Ok(());
    }
    let is = if now.is_some() { "was changed since you read it" } else { "is not there any more" };
    Err(Fault::precondition(
        Required::parameter("if_hash"),
        format!(
            "'{path}' {is}. Nothing was changed. Read it again with godot_scripts_read, and repeat \
             with what is in it now."
        ),
    )
    .with("hash", now))
}

/// Refuses a GDScript whose class name another script has: the editor would take it away from that
/// one. `parameter` is the argument that the text came in.
fn check_class(path: &ResPath, text: &str, parameter: &'static str) -> Result<(), Fault> {
    let name = class_name(text).filter(|_| path.extension() == "gd");
    let classes = global_classes();
    let other = classes.iter().find(|it| Some(&*it.name) == name && it.path != path.as_str());
    match other.filter(|other| FileAccess::file_exists(&other.path)) {
        Some(GlobalClass { name, path: other, .. }) => Err(Fault::invalid(format!(
            "The class name '{name}' is that of '{other}' already. Give this script another name, or \
             take the name from that one first."
        ))
        .requiring(Required::parameter(parameter))),
        None => Ok(()),
    }
}

/// What became of a script that was written.
struct Settled {
    /// The class that the editor knows it by.
    class: Option<String>,
    /// Whether the editor has not yet taken it in.
    is_pending: bool,
    /// What is wrong with it, if that could be found out.
    errors: Option<Vec<Diagnostic>>,
    /// What is to be known of that.
    hint: Option<String>,
}

/// What is said of a text that was not looked at.
const UNCHECKED: &str = "The text was not checked for errors, as the editor has not taken in the file \
     yet. Check it with godot_scripts_get_parse_errors.";

/// Waits until the editor knows the file and its class, and then has the text checked. Does neither
/// when the file is not any more what was written, by its hash: a later command has replaced it.
fn settle<T: 'static>(
    path: &ResPath,
    text: String,
    written: String,
    finish: impl FnOnce(Settled) -> T + 'static,
) -> Progress<T> {
    let is_gdscript = path.extension() == "gd";
    // What means something else already is a parse error, even where the editor lists the class.
    let wanted = class_name(&text).filter(|name| is_gdscript && !hides_class(name));
    let wanted = wanted.map(str::to_owned);
    let path = path.clone();
    let (mut text, mut finish) = (Some(without_bom(text)).filter(|_| is_gdscript), Some(finish));
    let (mut start, mut asked) = (Instant::now(), None);
    Progress::Waiting(Box::new(move |context| {
        let class = global_classes().into_iter().find(|class| class.path == path.as_str());
        let class = class.map(|class| class.name).filter(|class| !hides_class(class));
        let is_known = is_known(&path) && class == wanted;
        let class = class.filter(|class| Some(class) == wanted.as_ref());
        let is_replaced = asked.is_none() && !is_known && !holds(&path, &written);
        if asked.is_none() && !is_known && !is_replaced && start.elapsed() < PATIENCE {
            return None;
        }
        if asked.is_none()
            && let Some(text) = text.as_ref().filter(|_| is_known)
        {
            start = Instant::now();
            asked = Some(get_parse_errors::begin(context, &path, text.clone()));
        }
        let answer = asked.as_ref().map(|asked| asked.look());
        if matches!(answer, Some(None)) && start.elapsed() < CHECK {
            return None;
        }
        let is_pending = !is_known && !is_replaced;
        let (errors, hint) = match (answer, text.take()) {
            (Some(answer), Some(text)) => checked(context, &path, &text, answer),
            (_, text) => (None, text.filter(|_| is_pending).map(|_| UNCHECKED.to_owned())),
        };
        let finish = finish.take()?;
        Some(Ok(finish(Settled { class, is_pending, errors, hint })))
    }))
}

/// What is wrong with a text, by the answer of the language server, or else by the compiler; and what
/// is to be known of that.
fn checked(
    context: &Context,
    path: &ResPath,
    text: &str,
    answer: Option<Result<Result<Vec<Finding>, Trouble>, Fault>>,
) -> (Option<Vec<Diagnostic>>, Option<String>) {
    let trouble = match answer.unwrap_or(Ok(Err(Trouble::Silent))) {
        Ok(Ok(findings)) => return (Some(get_parse_errors::errors(path, findings)), None),
        Ok(Err(trouble)) => trouble.to_string(),
        Err(fault) => fault.hint,
    };
    match get_parse_errors::compile(context, path, text, &trouble) {
        Ok((errors, hint)) => (Some(errors), Some(hint)),
        Err(fault) => (None, Some(fault.hint)),
    }
}

/// Whether the file is what was written, by its hash.
fn holds(path: &ResPath, written: &str) -> bool {
    let content = files::read(&on_disk(path.as_str())).ok().flatten();
    content.is_some_and(|content| hash(&content) == written)
}

/// Whether the editor has the file in its list.
fn is_known(path: &ResPath) -> bool {
    let files = EditorInterface::singleton().get_resource_filesystem();
    files.is_some_and(|files| !files.get_file_type(path.as_str()).is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_is_that_of_the_bytes() {
        assert_eq!(
            hash(b"abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }
}
