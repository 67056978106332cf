//! What a call that got no answer tells of itself.

use protocol::{ErrorCode, Fault, Required, envelope::OperationState};

/// The editor went away, before the call was sent or while it ran.
pub(super) fn gone(may_have_applied: bool) -> Fault {
    let (hint, state) = if may_have_applied {
        let hint = "The editor went away during the call, which may have been applied: read the \
                    state before you repeat it. An editor that restarts connects by itself.";
        (hint, None)
    } else {
        let hint = "The editor went away; nothing was changed. An editor that restarts connects \
                    by itself: try again.";
        (hint, Some(OperationState::NotApplied))
    };
    let fault = Fault::new(ErrorCode::BridgeDisconnected, hint);
    told(fault.requiring(Required::BRIDGE_CONNECTED), state)
}

/// The same failure, saying what became of the call, as far as that is known.
pub(super) fn told(fault: Fault, state: Option<OperationState>) -> Fault {
    match state {
        Some(OperationState::Applied) => fault.with("outcome", "applied"),
        Some(OperationState::NotApplied) => fault.with("outcome", "not_applied"),
        Some(OperationState::Running | OperationState::Unknown) | None => fault.may_have_applied(),
    }
}
