//! Where files may be imported from. The editor may read whatever its user may, and an agent must
//! not get at that by way of an import; so each source is looked at before the editor hears of it.

use std::path::{Path, PathBuf};

use protocol::{Fault, Required, ResPath, Tool, tools::asset_import::is_address};
use serde_json::value::RawValue;

use crate::{
    downloads::{Limits, address::Address},
    registry::{self, JsonObject},
};

/// The parameter that names the file.
const SOURCE: &str = "source";

/// The editor keeps a file whole in its undo history.
const LARGEST: u64 = 256 << 20;

/// Where files may come from beside the project.
#[derive(Debug, Default)]
pub struct Sources {
    roots: Vec<PathBuf>,
    downloads: Option<Limits>,
}

impl Sources {
    /// The folders that the user named, as far as they exist.
    pub fn new(roots: &[PathBuf]) -> Sources {
        let roots = roots.iter().filter_map(|root| root.canonicalize().ok()).collect();
        Sources { roots, downloads: None }
    }

    /// The same, and the network within these limits, if there are some.
    #[must_use]
    pub fn with_downloads(self, downloads: Option<Limits>) -> Sources {
        Sources { downloads, ..self }
    }

    /// What may be downloaded, if anything may.
    pub fn downloads(&self) -> Option<Limits> {
        self.downloads
    }

    /// The parameters of a call for an editor on `project`; those of an import with the path that its
    /// source really has, links followed; an address stays as it is. Other tools name no files outside
    /// of the project.
    ///
    /// # Errors
    /// If the source is not one to be imported from. Nothing tells whether a file is there that must
    /// not be read.
    pub fn settle(
        &self,
        tool: Tool,
        params: Box<RawValue>,
        project: &Path,
    ) -> Result<Box<RawValue>, Fault> {
        if tool != Tool::ImportAsset {
            return Ok(params);
        }
        let mut members: JsonObject = serde_json::from_str(params.get())
            .map_err(|error| Fault::internal(error.to_string()))?;
        let given = members.get(SOURCE).and_then(|source| source.as_str()).unwrap_or_default();
        let file = self
            .locate(given, project)
            .map_err(|fault| fault.requiring(Required::parameter(SOURCE)))?;
        members.insert(SOURCE.to_owned(), file.into());
        registry::to_raw(&members)
    }

    fn allow(&self, address: &str) -> Result<String, Fault> {
        if self.downloads.is_none() {
            return Err(Fault::unsupported(
                "This server downloads nothing: the human has to start it with --allow-downloads. \
                 Download the file into a folder of the project, or into one that the server was \
                 started with as --import-root.",
            ));
        }
        Address::parse(address).map(|_| address.to_owned())
    }

    fn locate(&self, given: &str, project: &Path) -> Result<String, Fault> {
        if is_address(given) {
            return self.allow(given);
        }
        let named = match given.split_once("://") {
            Some(("res", _)) => {
                let path = ResPath::try_from(given.to_owned()).map_err(Fault::invalid)?;
                project.join(path.relative())
            }
            Some((scheme, _)) => {
                return Err(Fault::invalid(format!("Nothing is imported from '{scheme}://'.")));
            }
            None => PathBuf::from(given),
        };
        if !named.is_absolute() {
            return Err(Fault::invalid(format!(
                "'{given}' is neither a res:// path nor an absolute one."
            )));
        }
        let is_allowed = |path: &Path| {
            path.starts_with(project) || self.roots.iter().any(|it| path.starts_with(it))
        };
        // Of what is not there, the folder that it would lie in decides.
        let real =
            named.ancestors().find_map(|above| above.canonicalize().ok()).unwrap_or_default();
        if !is_allowed(&real) {
            return Err(Fault::invalid(format!(
                "'{given}' lies outside of the project and of every folder that files may be imported \
                 from. Put it into the project first; or the human starts the server with \
                 --import-root and the folder of the file."
            )));
        }
        let file = named
            .canonicalize()
            .map_err(|_| Fault::not_found(format!("There is no file '{given}'.")))?;
        if file.starts_with(project.join(".godot")) {
            return Err(Fault::invalid(
                "Nothing is imported from the folder that the editor keeps for itself.",
            ));
        }
        match file.metadata() {
            Ok(facts) if facts.is_file() && facts.len() <= LARGEST => {}
            Ok(facts) if facts.is_file() => {
                return Err(Fault::invalid(format!(
                    "'{given}' has {} MiB; {} are the limit.",
                    facts.len() >> 20,
                    LARGEST >> 20
                )));
            }
            _ => return Err(Fault::invalid(format!("'{given}' is no file."))),
        }
        let text = file.to_str().map(str::to_owned);
        text.ok_or_else(|| Fault::invalid(format!("'{given}' has a name that is no text.")))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use protocol::ErrorCode;
    use serde_json::json;

    use super::*;

    /// A project, a folder that is allowed and one that is not, with a file in each.
    fn world() -> (tempfile::TempDir, Sources) {
        let world = tempfile::tempdir().unwrap();
        for folder in ["project/.godot", "allowed", "private"] {
            fs::create_dir_all(world.path().join(folder)).unwrap();
        }
        for file in ["project/a.png", "project/.godot/a.png", "allowed/a.png", "private/a.png"] {
            fs::write(world.path().join(file), "x").unwrap();
        }
        let sources = Sources::new(&[world.path().join("allowed"), world.path().join("nowhere")]);
        (world, sources)
    }

    fn settle(world: &Path, sources: &Sources, source: &str) -> Result<String, Fault> {
        let source = source.replace("$W", world.to_str().unwrap());
        let params = json!({"source": source, "target_path": "res://b.png"});
        let params = registry::to_raw(&params).unwrap();
        let project = world.join("project").canonicalize().unwrap();
        let settled = sources.settle(Tool::ImportAsset, params, &project)?;
        let settled: JsonObject = serde_json::from_str(settled.get()).unwrap();
        assert_eq!(settled["target_path"], "res://b.png");
        Ok(settled["source"].as_str().unwrap().to_owned())
    }

    #[test]
    fn files_of_the_project_and_of_allowed_folders_may_be_imported() {
        let (world, sources) = world();
        for (source, file) in [
            ("res://a.png", "project/a.png"),
            ("$W/project/a.png", "project/a.png"),
            ("$W/allowed/a.png", "allowed/a.png"),
            ("$W/private/../allowed/a.png", "allowed/a.png"),
        ] {
            let settled = settle(world.path(), &sources, source).unwrap();
            assert_eq!(Path::new(&settled), world.path().join(file).canonicalize().unwrap());
        }
    }

    #[test]
    fn other_files_may_not_whatever_leads_to_them() {
        let (world, sources) = world();
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(
                world.path().join("private"),
                world.path().join("project/link"),
            )
            .unwrap();
        }
        let mut hints = Vec::new();
        for source in [
            "$W/private/a.png",
            "$W/private/nothing.png",
            "$W/private/no/thing.png",
            "$W/allowed/../private/nothing.png",
            "$W/allowed/../private/a.png",
            "$W/project/../private/a.png",
            #[cfg(unix)]
            "$W/project/link/a.png",
            #[cfg(unix)]
            "$W/project/link/nothing.png",
            #[cfg(unix)]
            "res://link/a.png",
            "/etc/passwd",
        ] {
            let fault = settle(world.path(), &sources, source).unwrap_err();
            assert_eq!(fault.code, ErrorCode::ValidationError, "{source}");
            assert_eq!(fault.required, Some(Required::parameter(SOURCE)), "{source}");
            hints.push(fault.hint.split_once("' ").unwrap().1.to_owned());
        }
        hints.dedup();
        assert_eq!(hints.len(), 1, "a hint tells whether a file is there: {hints:?}");
    }

    #[test]
    fn what_is_no_file_is_refused() {
        let (world, sources) = world();
        for (source, code) in [
            ("http://example.org/a.png", ErrorCode::Unsupported),
            ("HTTPS://example.org/a.png", ErrorCode::Unsupported),
            ("file:///etc/passwd", ErrorCode::ValidationError),
            ("res://../private/a.png", ErrorCode::ValidationError),
            ("res://.godot/a.png", ErrorCode::ValidationError),
            ("res://nothing.png", ErrorCode::ResourceNotFound),
            ("$W/allowed/nothing.png", ErrorCode::ResourceNotFound),
            ("$W/allowed", ErrorCode::ValidationError),
            ("a.png", ErrorCode::ValidationError),
            ("", ErrorCode::ValidationError),
        ] {
            let fault = settle(world.path(), &sources, source).unwrap_err();
            assert_eq!(fault.code, code, "{source}: {}", fault.hint);
        }
    }

    #[test]
    fn addresses_are_let_through_where_the_user_allows_it() {
        let (world, sources) = world();
        let sources = sources.with_downloads(Some(Limits::mebibytes(1)));
        let address = "https://example.org/a.png";
        assert_eq!(settle(world.path(), &sources, address).unwrap(), address);
        for source in ["https://user:password@example.org/a.png", "https:///a", "ftp://a/b"] {
            let fault = settle(world.path(), &sources, source).unwrap_err();
            assert_eq!(fault.code, ErrorCode::ValidationError, "{source}: {}", fault.hint);
        }
    }
}
