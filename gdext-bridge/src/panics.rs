//! Our own defects, made answers: whoever asked must not be left without one.

use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind},
};

use protocol::Fault;

/// Does a part of a handler's work. Where that panics, the process lives on, and the fault says so.
pub(crate) fn caught<T>(run: impl FnOnce() -> Result<T, Fault>) -> Result<T, Fault> {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| Err(panicked(&*panic)))
}

fn panicked(panic: &(dyn Any + Send)) -> Fault {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
    Fault::internal(format!("The handler failed: {text}. Read the state back before you go on."))
}

#[cfg(test)]
mod tests {
    use protocol::ErrorCode;

    use super::*;

    #[test]
    fn a_panic_is_an_answer() {
        let fault = caught::<()>(|| panic!("no {}", "way")).unwrap_err();
        assert_eq!(fault.code, ErrorCode::InternalError);
        assert!(fault.hint.contains("no way"), "{}", fault.hint);
        assert_eq!(caught(|| Ok(1)), Ok(1));
    }
}
