//! A failure that an agent can act on: the only kind of error that crosses the link and becomes a
//! tool result.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What went wrong, what to do next, and which precondition to satisfy first.
///
/// Written as one flat JSON object: `{"error", "hint", "required"?, …details}`.
#[derive(Debug, Clone, PartialEq, thiserror::Error, Serialize, Deserialize)]
#[error("{}: {hint}", code.name())]
pub struct Fault {
    /// The kind of failure.
    #[serde(rename = "error")]
    pub code: ErrorCode,
    /// A way out, written for an agent with no human at hand.
    pub hint: String,
    /// The precondition that is missing, if one is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub required: Option<Required>,
    /// Further facts about this failure, such as `problems`, `candidates` or `outcome`.
    /// Boxed, as a fault is returned by almost every function and most carry none.
    #[serde(flatten)]
    pub details: Box<Map<String, Value>>,
}

/// The closed set of failures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ErrorCode {
    /// Something must be done first; `required` names it.
    PreconditionFailed,
    /// A node, file, class or other thing that was named does not exist.
    ResourceNotFound,
    /// An argument cannot be used as given.
    ValidationError,
    /// No editor is connected, or it went away during the call.
    BridgeDisconnected,
    /// Another editor took over this project.
    PeerReplaced,
    /// No answer in time; `outcome` says whether the call was applied.
    Timeout,
    /// A defect on our side.
    InternalError,
    /// A human, or a rule of theirs, said no.
    ApprovalDenied,
    /// This version of Godot, or this machine, cannot do it.
    Unsupported,
    /// The answer does not fit; ask for less or page.
    ResponseTooLarge,
}

impl ErrorCode {
    /// Every code.
    pub const ALL: [ErrorCode; 10] = [
        ErrorCode::PreconditionFailed,
        ErrorCode::ResourceNotFound,
        ErrorCode::ValidationError,
        ErrorCode::BridgeDisconnected,
        ErrorCode::PeerReplaced,
        ErrorCode::Timeout,
        ErrorCode::InternalError,
        ErrorCode::ApprovalDenied,
        ErrorCode::Unsupported,
        ErrorCode::ResponseTooLarge,
    ];

    /// As it is written on the wire, such as `VALIDATION_ERROR`.
    pub const fn name(self) -> &'static str {
        match self {
            ErrorCode::PreconditionFailed => "PRECONDITION_FAILED",
            ErrorCode::ResourceNotFound => "RESOURCE_NOT_FOUND",
            ErrorCode::ValidationError => "VALIDATION_ERROR",
            ErrorCode::BridgeDisconnected => "BRIDGE_DISCONNECTED",
            ErrorCode::PeerReplaced => "PEER_REPLACED",
            ErrorCode::Timeout => "TIMEOUT",
            ErrorCode::InternalError => "INTERNAL_ERROR",
            ErrorCode::ApprovalDenied => "APPROVAL_DENIED",
            ErrorCode::Unsupported => "UNSUPPORTED",
            ErrorCode::ResponseTooLarge => "RESPONSE_TOO_LARGE",
        }
    }
}

/// The machine-checkable name of what a call lacks: one of a closed set of tokens, or the name of
/// a parameter.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Required(Cow<'static, str>);

macro_rules! tokens {
    ($($(#[$doc:meta])* $NAME:ident = $token:literal;)*) => {
        impl Required {
            $($(#[$doc])* pub const $NAME: Required = Required(Cow::Borrowed($token));)*

            /// Every token that is not the name of a parameter.
            pub const TOKENS: &[&str] = &[$($token),*];
        }
    };
}

tokens! {
    /// A scene must be open and active.
    ACTIVE_SCENE = "active_scene";
    /// An editor must be connected.
    BRIDGE_CONNECTED = "bridge_connected";
    /// The call must carry `confirm: true`.
    CONFIRM = "confirm";
    /// The editor or the game needs a display.
    DISPLAY = "display";
    /// The .NET SDK must be installed.
    DOTNET = "dotnet";
    /// Several editors are connected, and none is chosen.
    EDITOR_SELECTION = "editor_selection";
    /// The game must not be stopped at a breakpoint.
    GAME_NOT_BREAKED = "game_not_breaked";
    /// A Godot executable must be known.
    GODOT_BINARY = "godot_binary";
    /// A newer Godot is needed.
    GODOT_VERSION = "godot_version";
    /// A human must approve the call.
    HUMAN_APPROVAL = "human_approval";
    /// The project must have a main scene.
    MAIN_SCENE = "main_scene";
    /// The node that was named must exist.
    NODE_EXISTS = "node_exists";
    /// The scene that was named must be open.
    OPEN_SCENE = "open_scene";
    /// A game must be running.
    PLAY_SESSION = "play_session";
    /// The project's directory must be known.
    PROJECT_DIR = "project_dir";
    /// The game must have answered our probe.
    RUNTIME_PROBE = "runtime_probe";
    /// The active scene must be the one that `scene` names.
    SCENE_MATCH = "scene_match";
    /// The scene must have been saved to a file.
    SCENE_SAVED = "scene_saved";
    /// The toolset must be enabled.
    TOOLSET = "toolset";
}

impl Required {
    /// The parameter called `name`.
    pub fn parameter(name: impl Into<Cow<'static, str>>) -> Required {
        Required(name.into())
    }

    /// The token.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Fault {
    /// A failure of kind `code`; `hint` is the way out.
    pub fn new(code: ErrorCode, hint: impl Into<String>) -> Fault {
        Fault { code, hint: hint.into(), required: None, details: Box::default() }
    }

    /// `PRECONDITION_FAILED`: `required` must be seen to first.
    pub fn precondition(required: Required, hint: impl Into<String>) -> Fault {
        Fault::new(ErrorCode::PreconditionFailed, hint).requiring(required)
    }

    /// `RESOURCE_NOT_FOUND`.
    pub fn not_found(hint: impl Into<String>) -> Fault {
        Fault::new(ErrorCode::ResourceNotFound, hint)
    }

    /// `VALIDATION_ERROR`.
    pub fn invalid(hint: impl Into<String>) -> Fault {
        Fault::new(ErrorCode::ValidationError, hint)
    }

    /// `UNSUPPORTED`.
    pub fn unsupported(hint: impl Into<String>) -> Fault {
        Fault::new(ErrorCode::Unsupported, hint)
    }

    /// `INTERNAL_ERROR`.
    pub fn internal(hint: impl Into<String>) -> Fault {
        Fault::new(ErrorCode::InternalError, hint)
    }

    /// The same failure, saying what to satisfy first.
    #[must_use]
    pub fn requiring(mut self, required: Required) -> Fault {
        self.required = Some(required);
        self
    }

    /// The same failure, saying that what was asked for may have been done all the same.
    #[must_use]
    pub fn may_have_applied(self) -> Fault {
        self.with("outcome", "may_have_applied").with("may_have_applied", true)
    }

    /// The same failure with one more fact.
    #[must_use]
    pub fn with(mut self, name: &str, fact: impl Into<Value>) -> Fault {
        self.details.insert(name.to_owned(), fact.into());
        self
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_fault_is_one_flat_object_with_the_code_first() {
        let fault = Fault::precondition(Required::CONFIRM, "Set confirm=true.").with("loses", 3);
        let text = serde_json::to_string(&fault).unwrap();
        assert_eq!(
            text,
            r#"{"error":"PRECONDITION_FAILED","hint":"Set confirm=true.","required":"confirm","loses":3}"#
        );
        assert_eq!(serde_json::from_str::<Fault>(&text).unwrap(), fault);
    }

    #[test]
    fn codes_are_written_by_their_names() {
        for code in ErrorCode::ALL {
            assert_eq!(serde_json::to_value(code).unwrap(), json!(code.name()));
        }
    }
}
