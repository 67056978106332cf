//! Files from the network, for imports, where the user has allowed that at the start.
//!
//! The gate asks for them once everything else is settled. Each is kept in a folder that only this
//! user can open, for as long as the call takes; the editor imports it from there as it does any
//! other file. How it comes here is in [`address`] and [`http`].

pub mod address;
mod http;
mod private;

use std::{
    io,
    time::{Duration, Instant},
};

use protocol::{
    ErrorCode, Fault, Required, Tool, Verb, envelope::Batch, tools::asset_import::is_address,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, value::RawValue};
use tempfile::{NamedTempFile, TempDir, TempPath};

use self::{
    address::Address,
    http::{Source, Stopper},
};
use crate::{batches, caller::Caller, registry};

/// The largest file that is downloaded, unless the user says otherwise, in MiB.
pub const DEFAULT_MEBIBYTES: u64 = 64;

/// How long all downloads of a call may take together.
const TIME: Duration = Duration::from_secs(60);

/// The parameter that names the address.
const SOURCE: &str = "source";

/// How much may be downloaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The size of one file, in bytes.
    pub bytes: u64,
    /// The time that all files of one call may take together.
    pub time: Duration,
}

impl Limits {
    /// Files of this size at the most, in MiB, within the usual time.
    pub fn mebibytes(size: u64) -> Limits {
        Limits { bytes: size << 20, time: TIME }
    }
}

/// The files that were downloaded for one call. Dropping this removes them.
#[derive(Debug, Default)]
pub struct Downloaded {
    /// Each file, and the address that it is from. They go before their folder does.
    files: Vec<(TempPath, String)>,
    folder: Option<TempDir>,
}

/// The parameters of a call, each address in them replaced by the path of what was downloaded from
/// it; of a batch, those of every entry that is not a preview. Other tools name no addresses.
///
/// # Errors
/// If something cannot be downloaded within the limits, or the caller loses interest. Of a batch
/// that goes on after errors, the entry is refused instead.
pub async fn fetch(
    limits: Limits,
    tool: Tool,
    params: Box<RawValue>,
    caller: &Caller,
) -> Result<(Box<RawValue>, Downloaded), Fault> {
    let mut errand = Errand {
        limits,
        until: Instant::now() + limits.time,
        caller,
        downloaded: Downloaded::default(),
    };
    let params = if tool == Tool::ImportAsset {
        errand.replace(params).await?
    } else if tool.verb() == Verb::batches {
        let mut batch: Batch = read(&params)?;
        errand.replace_all(&mut batch).await?;
        registry::to_raw(&batch)?
    } else {
        params
    };
    Ok((params, errand.downloaded))
}

impl Downloaded {
    /// The same fault, speaking of addresses where it spoke of the files that came from them.
    pub fn told(&self, mut fault: Fault) -> Fault {
        for (file, address) in &self.files {
            let file = file.to_string_lossy();
            fault.hint = fault.hint.replace(&*file, address);
            fault.details.values_mut().for_each(|fact| reword(fact, &file, address));
        }
        fault
    }
}

/// What is to be fetched for one call.
struct Errand<'a> {
    limits: Limits,
    until: Instant,
    caller: &'a Caller,
    downloaded: Downloaded,
}

impl Errand<'_> {
    async fn replace_all(&mut self, batch: &mut Batch) -> Result<(), Fault> {
        let total = batch.entries.len();
        for (index, entry) in batch.entries.iter_mut().enumerate() {
            let Some(run) = &mut entry.run else { continue };
            if run.preview || run.wire != Tool::ImportAsset.wire() {
                continue;
            }
            match self.replace(run.params.clone()).await {
                Ok(params) => run.params = params,
                Err(fault) if batch.stop_on_error || self.caller.is_cancelled() => {
                    return Err(batches::refused(&entry.command, index, total, fault));
                }
                Err(fault) => (entry.run, entry.refused) = (None, Some(fault)),
            }
        }
        Ok(())
    }

    /// The parameters of an import with the path of a download in place of the address, if they name
    /// one.
    async fn replace(&mut self, params: Box<RawValue>) -> Result<Box<RawValue>, Fault> {
        let mut import: Value = read(&params)?;
        let Some(source) = import.get_mut(SOURCE) else { return Ok(params) };
        let Some(given) = source.as_str().filter(|given| is_address(given)) else {
            return Ok(params);
        };
        let path = self.get(given.to_owned()).await;
        *source = Value::String(path.map_err(of_source)?);
        registry::to_raw(&import)
    }

    /// Downloads one file. Gives its path.
    async fn get(&mut self, given: String) -> Result<String, Fault> {
        let address = Address::parse(&given)?;
        let folder = match self.downloaded.folder.take() {
            Some(folder) => folder,
            None => private::folder().map_err(|error| unkept(&error))?,
        };
        let folder = self.downloaded.folder.insert(folder);
        let file = NamedTempFile::new_in(folder.path()).map_err(|error| unkept(&error))?;
        let (mut file, path) = file.into_parts();
        let Some(text) = path.to_str().map(str::to_owned) else {
            return Err(Fault::unsupported(
                "The folder for temporary files has a name that is no text, so nothing can be \
                 downloaded. Download the file into a folder of the project instead.",
            ));
        };
        let source = Source::new(self.limits, self.until);
        // However this ends, nothing goes on reading from the network.
        let _stopper = Stopper::of(&source);
        let caller = self.caller.clone();
        let work = tokio::task::spawn_blocking(move || {
            let host = address.host().to_owned();
            let tell = |done, total| caller.tell(done, total, format!("Downloading from {host}"));
            source.download(address, &mut file, &tell)
        });
        tokio::select! {
            biased;
            () = self.caller.cancelled() => return Err(cancelled()),
            done = work => done.map_err(|error| Fault::internal(error.to_string()))??,
        }
        self.downloaded.files.push((path, given));
        Ok(text)
    }
}

fn read<T: DeserializeOwned>(params: &RawValue) -> Result<T, Fault> {
    serde_json::from_str(params.get()).map_err(|error| Fault::internal(error.to_string()))
}

/// The same fault, saying which parameter it is about; if it is about the call as a whole, as it is.
fn of_source(fault: Fault) -> Fault {
    match fault.code {
        ErrorCode::InternalError | ErrorCode::Timeout => fault,
        _ => fault.requiring(Required::parameter(SOURCE)),
    }
}

/// The downloaded file has no place on this machine.
fn unkept(error: &io::Error) -> Fault {
    Fault::unsupported(format!(
        "The server cannot keep a download: {error}. Nothing was changed. Free some space, or download \
         the file into a folder of the project and import it from there."
    ))
}

fn cancelled() -> Fault {
    Fault::new(
        ErrorCode::Timeout,
        "The call was cancelled while it downloaded. Nothing was changed; try again.",
    )
    .with("outcome", "not_applied")
}

fn reword(fact: &mut Value, from: &str, to: &str) {
    match fact {
        Value::String(text) => *text = text.replace(from, to),
        Value::Array(facts) => facts.iter_mut().for_each(|fact| reword(fact, from, to)),
        Value::Object(facts) => facts.values_mut().for_each(|fact| reword(fact, from, to)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn faults_name_the_address_and_not_the_file_of_it() {
        let folder = private::folder().unwrap();
        let path = NamedTempFile::new_in(folder.path()).unwrap().into_temp_path();
        let told = path.to_str().unwrap().to_owned();
        let address = "http://example.org/a.png".to_owned();
        let downloaded = Downloaded { files: vec![(path, address)], folder: Some(folder) };
        let fault = Fault::invalid(format!("'{told}' is broken."))
            .with("results", json!([{"hint": format!("'{told}'!"), "ok": false}]));
        let fault = downloaded.told(fault);
        assert_eq!(fault.hint, "'http://example.org/a.png' is broken.");
        assert_eq!(fault.details["results"][0]["hint"], "'http://example.org/a.png'!");
    }
}
