//! Tells a client how far its call is, where it gave a token for that.

use std::{pin::pin, time::Duration};

use protocol::envelope::Progress;
use rmcp::{
    RoleServer,
    model::{ProgressNotificationParam, ProgressToken},
    service::RequestContext,
};
use tokio::time::sleep;

use crate::caller::Caller;

/// The least time between two notifications of one call. What is told meanwhile is passed over for
/// what is told last.
const PAUSE: Duration = Duration::from_millis(100);

/// Makes a call, and tells the client how far it is until it has its answer, and not after.
pub(super) async fn told<T>(
    context: &RequestContext<RoleServer>,
    call: impl AsyncFnOnce(&Caller) -> T,
) -> T {
    let Some(token) = context.meta.get_progress_token() else {
        return call(&Caller::new(context.ct.clone())).await;
    };
    let (caller, mut heard) = Caller::listening(context.ct.clone());
    let mut call = pin!(call(&caller));
    let mut steps = Steps::default();
    loop {
        tokio::select! {
            biased;
            answer = &mut call => return answer,
            Ok(()) = heard.changed() => {}
        }
        let progress = heard.borrow_and_update().clone();
        let Some(step) = progress.and_then(|progress| steps.next(progress)) else { continue };
        let mut sent = pin!(context.peer.notify_progress(step.notification(token.clone())));
        tokio::select! {
            // A client that cannot be reached will not get the answer either.
            _ = &mut sent => {}
            answer = &mut call => {
                // What is on its way must not come after the answer.
                let _ = sent.await;
                return answer;
            }
        }
        tokio::select! {
            biased;
            answer = &mut call => return answer,
            () = sleep(PAUSE) => {}
        }
    }
}

/// Counts the progress of one call. The protocol wants each number to be greater than the one
/// before, also where the call has several phases that each count from the start.
#[derive(Debug, Default)]
struct Steps {
    /// What was done before the phase that is told now.
    before: u64,
    last: Option<Progress>,
}

/// One number that is told.
#[derive(Debug, PartialEq)]
struct Step {
    done: u64,
    total: Option<u64>,
    message: String,
}

impl Steps {
    /// What is to be told of this progress; nothing if it says nothing new.
    fn next(&mut self, progress: Progress) -> Option<Step> {
        if let Some(last) = &self.last {
            if *last == progress {
                return None;
            }
            if progress.done <= last.done {
                // A new phase, or another word for what is done: the next number all the same.
                self.before += last.done + 1 - progress.done;
            }
        }
        let step = Step {
            done: self.before + progress.done,
            total: progress.total.map(|total| self.before + total.max(progress.done)),
            message: progress.message.clone(),
        };
        self.last = Some(progress);
        Some(step)
    }
}

impl Step {
    fn notification(self, token: ProgressToken) -> ProgressNotificationParam {
        let told = ProgressNotificationParam::new(token, count(self.done));
        let told = match self.total {
            Some(total) => told.with_total(count(total)),
            None => told,
        };
        told.with_message(self.message)
    }
}

/// A count as the protocol has it. Above 2^53, which no count here reaches, it is not exact.
#[allow(clippy::cast_precision_loss, reason = "no count here is that large")]
fn count(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_grow_whatever_the_phases_count() {
        let mut steps = Steps::default();
        let mut next = |done, total, message: &str| {
            let step = steps.next(Progress { done, total, message: message.to_owned() });
            step.map(|step| (step.done, step.total))
        };
        assert_eq!(next(0, Some(10), "Fetching"), Some((0, Some(10))));
        assert_eq!(next(10, Some(10), "Fetching"), Some((10, Some(10))));
        assert_eq!(next(10, Some(10), "Fetching"), None);
        assert_eq!(next(0, Some(2), "Importing"), Some((11, Some(13))));
        assert_eq!(next(0, Some(2), "Importing, part two"), Some((12, Some(14))));
        assert_eq!(next(3, Some(2), "Importing"), Some((15, Some(15))));
        assert_eq!(next(1, None, "Settling"), Some((16, None)));
    }
}
