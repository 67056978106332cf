//! Resource files of the project: read past the cache, changed as copies, written as undo steps.
//!
//! What the editor holds of a file may differ from the file and is shared by everything that shows
//! it, so a plan works on a copy of its own. The copy is written to a scratch file outside of the
//! project and read again; its bytes become the step.

use std::{fs, path::PathBuf};

use godot::{
    classes::{
        ClassDb, EditorInterface, PackedScene, Resource, ResourceLoader, ResourceSaver,
        ResourceUid, Script, Shader, resource_loader::CacheMode,
    },
    global::Error,
    prelude::*,
};
use protocol::{Fault, Required, ResPath};

use crate::{
    file_change::FileChange,
    files::{self, located},
    line_ends, outside,
    resource::{
        NO_UID, check_target, dependencies, file_exists, missing_dependencies, on_disk, way_to_file,
    },
    undo::Step,
};

/// A resource as its file has it, apart from what the editor holds of it.
pub(crate) struct ResourceFile {
    /// The file.
    pub(crate) path: ResPath,
    /// The copy.
    pub(crate) resource: Gd<Resource>,
    parameter: &'static str,
    uid: i64,
}

impl ResourceFile {
    /// Reads a file. `parameter` is the argument that names it.
    pub(crate) fn open(path: &ResPath, parameter: &'static str) -> Result<ResourceFile, Fault> {
        let refuse =
            |why: String| Err(Fault::invalid(why).requiring(Required::parameter(parameter)));
        located(path, parameter)?;
        if !file_exists(path) {
            return Err(Fault::not_found(format!("There is no file '{path}'."))
                .requiring(Required::parameter(parameter)));
        }
        let mut loader = ResourceLoader::singleton();
        if !loader.exists(path.as_str()) {
            return refuse(format!("'{path}' is no file that the engine has as a resource."));
        }
        // A script that it uses is shared, and says what the copy exports.
        dependencies(path.as_str()).iter().for_each(|(_, used)| outside::take_in(used));
        let Some(resource) = loader.load_ex(path.as_str()).cache_mode(CacheMode::IGNORE).done()
        else {
            return refuse(format!("'{path}' cannot be read: it is broken. See engine_errors."));
        };
        let uid = loader.get_resource_uid(path.as_str());
        Ok(ResourceFile { path: path.clone(), resource, parameter, uid })
    }

    /// Reads a file that is to be changed. Refuses what is not kept as a resource file, and what the
    /// human has changed and not saved.
    pub(crate) fn open_to_change(
        path: &ResPath,
        parameter: &'static str,
    ) -> Result<ResourceFile, Fault> {
        let file = ResourceFile::open(path, parameter)?;
        let refuse =
            |why: String| Err(Fault::invalid(why).requiring(Required::parameter(parameter)));
        if let Some(why) = kept_otherwise(&file.resource, path) {
            return refuse(format!("'{path}' is {why}."));
        }
        file.check_complete()?;
        if has_unsaved_changes(path) {
            return Err(Fault::precondition(
                Required::parameter(parameter),
                format!(
                    "The editor holds changes of '{path}' that are not saved, and writing the file \
                     would lose them. Save them first: godot_scene_edit_save_scene saves the resources \
                     that the scene uses as well."
                ),
            ));
        }
        Ok(file)
    }

    /// Refuses a file that names files which are not there: what the copy lacks, the file would lack
    /// as well.
    pub(crate) fn check_complete(&self) -> Result<(), Fault> {
        let missing = missing_dependencies(self.path.as_str());
        if missing.is_empty() {
            return Ok(());
        }
        Err(Fault::precondition(
            Required::parameter(self.parameter),
            format!(
                "'{}' names files that are missing: {}. Writing it would drop what refers to them. Put \
                 them back, or mend the references in the file. Nothing was changed.",
                self.path,
                missing.join(", ")
            ),
        )
        .with("missing", missing))
    }

    /// The same file with another resource in it.
    pub(crate) fn holding(self, resource: Gd<Resource>) -> ResourceFile {
        ResourceFile { resource, ..self }
    }

    /// The same file, which lies elsewhere by now.
    pub(crate) fn moved_to(self, path: ResPath) -> ResourceFile {
        ResourceFile { path, ..self }
    }

    /// A new resource that is to be written to a file. Refuses a path that no such file can have.
    pub(crate) fn new(
        path: &ResPath,
        parameter: &'static str,
        resource: Gd<Resource>,
    ) -> Result<ResourceFile, Fault> {
        check_target(path, parameter)?;
        let saver = ResourceSaver::singleton();
        let known = saver.get_recognized_extensions(&resource);
        let known: Vec<String> = known.as_slice().iter().map(ToString::to_string).collect();
        if !known.contains(&path.extension()) {
            return Err(Fault::invalid(format!(
                "A {} cannot be saved as '{path}'. The file must end in {}.",
                resource.get_class(),
                known.iter().map(|it| format!("'.{it}'")).collect::<Vec<_>>().join(" or ")
            ))
            .requiring(Required::parameter(parameter)));
        }
        let there = if file_exists(path) {
            ResourceLoader::singleton().get_resource_uid(path.as_str())
        } else {
            NO_UID
        };
        // A file that takes the place of another one takes its identity, too.
        let uid = if there == NO_UID { ResourceUid::singleton().create_id() } else { there };
        Ok(ResourceFile { path: path.clone(), resource, parameter, uid })
    }

    /// The step that writes the file as the copy is now, and the file read again.
    pub(crate) fn written(&self) -> Result<(Step, Gd<Resource>), Fault> {
        let scratch = Scratch::new(&self.path.extension())?;
        let at = scratch.0.to_string_lossy().into_owned();
        self.keep_names(&at);
        let saved = ResourceSaver::singleton().save_ex(&self.resource).path(&at).done();
        if saved != Error::OK {
            return Err(self.unwritable(&format!("the engine cannot save it ({saved:?})")));
        }
        self.check_no_circle(&at)?;
        let is_text = !["res", "scn"].contains(&self.path.extension().as_str());
        if self.uid != NO_UID && !is_text {
            set_uid(&at, self.uid);
        }
        let mut content =
            fs::read(&scratch.0).map_err(|error| self.unwritable(&error.to_string()))?;
        if self.uid != NO_UID {
            let uid = ResourceUid::singleton().id_to_text(self.uid).to_string();
            content = with_uid(content, &uid);
        }
        if is_text {
            let before = files::read(&on_disk(self.path.as_str())).ok().flatten();
            content = line_ends::kept(&before.unwrap_or_default(), content);
        }
        let again = ResourceLoader::singleton().load_ex(&at).cache_mode(CacheMode::IGNORE).done();
        let again = again.ok_or_else(|| self.unwritable("what was saved cannot be read again"))?;
        Ok((Step::File(FileChange::write(&self.path, content)), again))
    }

    /// Refuses what leads back to the file, as it was saved to `at`: the engine would not load it again.
    fn check_no_circle(&self, at: &str) -> Result<(), Fault> {
        let path = self.path.as_str();
        let Some(way) = way_to_file(at, path) else { return Ok(()) };
        if file_exists(&self.path) && way_to_file(path, path).is_some() {
            // It was so before, and may be what is being mended.
            return Ok(());
        }
        Err(Fault::invalid(format!(
            "'{}' would need itself to be loaded, and could not be loaded again: {} → {}. Give a resource that \
             does not lead back to it. Nothing was changed.",
            self.path,
            self.path,
            way.join(" → ")
        ))
        .requiring(Required::parameter("value"))
        .with("circle", way))
    }

    /// Keeps the names by which the file refers to other files, so that only what is changed
    /// changes.
    fn keep_names(&self, scratch: &str) {
        if !file_exists(&self.path) {
            return;
        }
        let mut loader = ResourceLoader::singleton();
        for (_, path) in dependencies(self.path.as_str()) {
            if let Some(mut used) = loader.has_cached(&path).then(|| loader.load(&path)).flatten() {
                let name = used.get_id_for_path(self.path.as_str());
                used.set_id_for_path(scratch, &name);
            }
        }
    }

    fn unwritable(&self, why: &str) -> Fault {
        Fault::invalid(format!("'{}' cannot be written: {why}. Nothing was changed.", self.path))
            .requiring(Required::parameter(self.parameter))
    }
}

/// What the engine makes of content that is to be a resource file.
pub(crate) struct Readable {
    /// The resource; `None` where the engine cannot read it.
    pub(crate) resource: Option<Gd<Resource>>,
    /// The files that it names and that are not there.
    pub(crate) missing: Vec<String>,
}

/// Has the engine read content as a file with that extension, outside of the project.
pub(crate) fn read_as(extension: &str, content: &[u8]) -> Result<Readable, Fault> {
    let scratch = Scratch::holding(extension, content)?;
    let at = scratch.0.to_string_lossy().into_owned();
    let missing = missing_dependencies(&at);
    let resource = ResourceLoader::singleton().load_ex(&at).cache_mode(CacheMode::IGNORE).done();
    Ok(Readable { resource, missing })
}

/// The UID of content that is a resource file with that extension; [`NO_UID`] where it has none.
pub(crate) fn uid_in(extension: &str, content: &[u8]) -> Result<i64, Fault> {
    let scratch = Scratch::holding(extension, content)?;
    Ok(ResourceLoader::singleton().get_resource_uid(&*scratch.0.to_string_lossy()))
}

/// The content of such a file that is no text, with another UID; `None` where this Godot cannot do that.
pub(crate) fn with_id(extension: &str, content: &[u8], uid: i64) -> Result<Option<Vec<u8>>, Fault> {
    let scratch = Scratch::holding(extension, content)?;
    let at = scratch.0.to_string_lossy().into_owned();
    set_uid(&at, uid);
    if ResourceLoader::singleton().get_resource_uid(&at) != uid {
        return Ok(None);
    }
    let with = fs::read(&scratch.0);
    with.map(Some).map_err(|error| Fault::internal(format!("The copy cannot be read: {error}.")))
}

/// Writes a UID into a file that is no text, where this Godot can do that.
fn set_uid(at: &str, uid: i64) {
    // By name, as the method is younger than the oldest Godot that we load in.
    let _ = ResourceSaver::singleton().try_call("set_uid", &[at.to_variant(), uid.to_variant()]);
}

/// How a resource that is no plain resource file is kept, and which tools change it.
fn kept_otherwise(resource: &Gd<Resource>, path: &ResPath) -> Option<String> {
    let is = |text: &str| Some(text.to_owned());
    let import = ResPath::try_from(format!("{path}.import"));
    if import.is_ok_and(|import| file_exists(&import)) {
        return is("imported from another format; change the source or its import settings");
    }
    let object = resource.clone().upcast::<Object>();
    if object.clone().try_cast::<PackedScene>().is_ok() {
        return is("a scene; open it and use the tools of scene_edit");
    }
    if object.clone().try_cast::<Script>().is_ok() {
        return is("a script; use godot_scripts_patch");
    }
    let is_code = ["gdshader", "gdshaderinc"].contains(&path.extension().as_str());
    if is_code && object.try_cast::<Shader>().is_ok() || path.extension() == "gdshaderinc" {
        return is("shader code; use godot_shader_create");
    }
    None
}

/// Whether the editor holds changes of a file that it has not saved; `false` where this Godot does
/// not tell.
pub(crate) fn has_unsaved_changes(path: &ResPath) -> bool {
    let mut loader = ResourceLoader::singleton();
    if !loader.has_cached(path.as_str())
        || !ClassDb::singleton().class_has_method("EditorInterface", "is_object_edited")
    {
        return false;
    }
    let Some(loaded) = loader.load(path.as_str()) else { return false };
    let edited = EditorInterface::singleton().try_call("is_object_edited", &[loaded.to_variant()]);
    edited.is_ok_and(|edited| edited.booleanize())
}

/// A file of our own in the editor's cache folder, which is the user's alone; outside of the project,
/// so that the editor takes no notice of it. Goes away with this.
struct Scratch(PathBuf);

impl Scratch {
    fn new(extension: &str) -> Result<Scratch, Fault> {
        let paths = EditorInterface::singleton().get_editor_paths();
        let folder = paths.ok_or_else(|| Fault::internal("The editor has no folders."))?;
        let folder = PathBuf::from(folder.get_cache_dir().to_string());
        let name = format!("godot-mcp-{}.{extension}", std::process::id());
        Ok(Scratch(folder.join(name)))
    }

    fn holding(extension: &str, content: &[u8]) -> Result<Scratch, Fault> {
        let scratch = Scratch::new(extension)?;
        match fs::write(&scratch.0, content) {
            Ok(()) => Ok(scratch),
            Err(error) => Err(Fault::internal(format!("The file cannot be tried: {error}."))),
        }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // It is not there if the engine could not write it.
        let _ = fs::remove_file(&self.0);
    }
}

/// A text resource with its UID in the first line. The engine writes none outside of the project.
fn with_uid(content: Vec<u8>, uid: &str) -> Vec<u8> {
    let is_text = [&b"[gd_resource "[..], b"[gd_scene "].iter().any(|it| content.starts_with(it));
    let first = content.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let end = first.iter().rposition(|byte| *byte == b']');
    match end.filter(|_| is_text) {
        Some(end) => {
            let mut with = content;
            with.splice(end..end, format!(" uid=\"{uid}\"").into_bytes());
            with
        }
        None => content,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_uid_stands_in_the_first_line() {
        let text = "[gd_resource type=\"BoxMesh\" format=3]\n\n[resource]\n";
        let with = with_uid(text.into(), "uid://abc");
        let expected = "[gd_resource type=\"BoxMesh\" format=3 uid=\"uid://abc\"]\n\n[resource]\n";
        assert_eq!(String::from_utf8(with).unwrap(), expected);
        let scene = with_uid(b"[gd_scene format=3]\n".to_vec(), "uid://abc");
        assert_eq!(scene, b"[gd_scene format=3 uid=\"uid://abc\"]\n");
        assert_eq!(with_uid(b"RSRC]".to_vec(), "uid://abc"), b"RSRC]");
    }
}
