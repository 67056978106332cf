//! `godot_scripts_get_parse_errors`.

use godot::{classes::EditorInterface, prelude::*};
use protocol::{
    Fault, Required, ResPath,
    tools::scripts::{Diagnostic, GetParseErrors, ParseErrors},
};

use super::{
    beside, check_script, dotnet,
    text::{Source, without_bom},
};
use crate::{
    background::Pending,
    files::{content, located},
    language_server::{Finding, Question, Trouble, ask},
    plan::{Context, Progress, Run},
    refresh::is_scanning,
    resource::on_disk,
    throwaway,
};

/// Of how many errors and of how many warnings an answer tells.
const TOLD: usize = 50;

impl Run for GetParseErrors {
    fn run(self, context: &Context) -> Result<Progress<ParseErrors>, Fault> {
        let path = self.script_path;
        check_script(&path)?;
        if path.extension() == "cs" {
            if self.content.is_some() {
                return Err(Fault::invalid("C# is built from its files; leave 'content' out.")
                    .requiring(Required::parameter("content")));
            }
            content(&path, "script_path")?;
            return dotnet::build(context, path);
        }
        let text = match self.content {
            Some(text) => located(&path, "script_path").map(|_| text)?,
            None => Source::of(&path, content(&path, "script_path")?)?.plain(),
        };
        Ok(ask_server(context, path, without_bom(text)))
    }
}

/// Asks the language server; where it cannot answer, the compiler.
fn ask_server(context: &Context, path: ResPath, text: String) -> Progress<ParseErrors> {
    let answer = begin(context, &path, text.clone());
    Progress::Waiting(Box::new(move |context| {
        let nothing = ParseErrors {
            script_path: path.to_string(),
            ok: true,
            errors: Vec::new(),
            warnings: Vec::new(),
            method: "language_server".to_owned(),
            rescan_pending: is_scanning(),
            truncated: false,
            hint: None,
        };
        let trouble = match answer.look()? {
            Ok(Ok(findings)) => {
                let findings = findings.into_iter().map(|it| (it.is_error, diagnostic(&path, it)));
                return Some(Ok(told(nothing, findings)));
            }
            Ok(Err(trouble)) => trouble.to_string(),
            Err(fault) => return Some(Err(fault)),
        };
        Some(compile(context, &path, &text, &trouble).map(|(errors, hint)| {
            let nothing =
                ParseErrors { method: "compiler".to_owned(), hint: Some(hint), ..nothing };
            told(nothing, errors.into_iter().map(|it| (true, it)))
        }))
    }))
}

/// Asks the compiler, as the language server has not answered. Gives its errors, and what is to be
/// known of these.
pub(super) fn compile(
    context: &Context,
    path: &ResPath,
    text: &str,
    trouble: &str,
) -> Result<(Vec<Diagnostic>, String), Fault> {
    if let Some(tool) = beside::would_run(path.as_str(), text) {
        return Err(Fault::unsupported(format!(
            "The script was not checked. The editor's language server was not asked: {trouble}. The \
             compiler was not asked either: it would load '{tool}', which the editor has not loaded \
             yet, and run its static variables, as it is a @tool script or may lead to one. Read that \
             with godot_scripts_read; a human can open it in the editor, or let the editor have its \
             language server. Then call godot_scripts_get_parse_errors."
        ))
        .with("would_run", tool));
    }
    let errors = throwaway::check(&context.log, path.as_str(), text);
    let hint = format!(
        "The editor's language server was not asked: {trouble}. So only the compiler's errors are \
         told: of those in the syntax the first, without columns and warnings."
    );
    Ok((errors, hint))
}

/// Begins to ask the language server about a text.
pub(super) fn begin(
    context: &Context,
    path: &ResPath,
    text: String,
) -> Pending<Result<Vec<Finding>, Trouble>> {
    let project = on_disk("res://").to_string_lossy().into_owned();
    context.background.run(ask(Question { port: port(), project, path: path.to_string(), text }))
}

/// The errors among the findings, as many as are told.
pub(super) fn errors(path: &ResPath, findings: Vec<Finding>) -> Vec<Diagnostic> {
    let errors = findings.into_iter().filter(|finding| finding.is_error);
    errors.take(TOLD).map(|finding| diagnostic(path, finding)).collect()
}

/// The answer with these findings, each an error or a warning.
pub(super) fn told(
    nothing: ParseErrors,
    findings: impl Iterator<Item = (bool, Diagnostic)>,
) -> ParseErrors {
    let (mut errors, mut warnings) = (Vec::new(), Vec::new());
    for (is_error, finding) in findings {
        if is_error { &mut errors } else { &mut warnings }.push(finding);
    }
    let (ok, truncated) = (errors.is_empty(), errors.len() > TOLD || warnings.len() > TOLD);
    errors.truncate(TOLD);
    warnings.truncate(TOLD);
    ParseErrors { ok, errors, warnings, truncated, ..nothing }
}

/// A finding as it is told. A warning begins with its name: `(UNUSED_VARIABLE): …`.
pub(super) fn diagnostic(path: &ResPath, finding: Finding) -> Diagnostic {
    let named = finding.message.strip_prefix('(').and_then(|rest| rest.split_once("): "));
    let is_name = |name: &str| name.bytes().all(|it| it.is_ascii_uppercase() || it == b'_');
    let (code, message) = match named {
        Some((name, message)) if is_name(name) => (Some(name.to_owned()), message.to_owned()),
        _ => (None, finding.message),
    };
    Diagnostic {
        message,
        source: Some(path.to_string()),
        line: Some(finding.line),
        column: Some(finding.column),
        code,
    }
}

/// Where the language server listens: as the command line says, else the editor's settings.
pub(super) fn port() -> u16 {
    const DEFAULT: u16 = 6005;
    let mut arguments = std::env::args().skip_while(|argument| argument != "--lsp-port").skip(1);
    if let Some(port) = arguments.next().and_then(|port| port.parse().ok()) {
        return port;
    }
    let name = "network/language_server/remote_port";
    let settings = EditorInterface::singleton().get_editor_settings();
    let settings = settings.filter(|settings| settings.has_setting(name));
    let port = settings.and_then(|settings| settings.get_setting(name).try_to::<i64>().ok());
    port.and_then(|port| u16::try_from(port).ok()).unwrap_or(DEFAULT)
}
