//! Scripts that use others which go elsewhere.
//!
//! The engine keeps in mind where the scripts are that a script was seen to use, until it compiles that
//! one the next time; and then it fails where one of them has gone.

use godot::{
    classes::{Engine, Script},
    prelude::*,
};
use protocol::ResPath;

use crate::{
    autoload, folder::Folder, refresh::loaded, resource::global_classes,
    script_tabs::has_unsaved_text,
};

/// Has the engine compile the scripts that use one of these, as long as all of them are where they
/// were, so that nothing is kept in mind. It does not matter which way they go.
pub(crate) fn compile(files: &[(String, String)]) {
    let paths = files.iter().flat_map(|(old, new)| [old.as_str(), new.as_str()]);
    let moved: Vec<&str> = paths.filter(|path| is_script(path)).collect();
    if moved.is_empty() {
        return;
    }
    let names = names(&moved);
    let mut engine = Engine::singleton();
    // What is wrong with them is no news, and not by this.
    let was_heard = engine.is_printing_error_messages();
    engine.set_print_error_messages(false);
    let top = ResPath::try_from("res://".to_owned()).ok();
    if let Some(top) = top.and_then(|top| Folder::find(&top, "path").ok()) {
        // Of what cannot be listed, nothing is known that could be compiled.
        let _ = top.each_file(&mut |path| {
            if is_script(path) {
                compile_user(path, &names);
            }
            true
        });
    }
    engine.set_print_error_messages(was_heard);
}

/// Compiles a script if it is loaded and speaks of one of these names.
fn compile_user(path: &str, names: &[String]) {
    let Some(Ok(mut script)) = loaded(path).map(Gd::try_cast::<Script>) else { return };
    let text = script.get_source_code().to_string();
    if names.iter().any(|name| text.contains(name.as_str())) && !has_unsaved_text(path) {
        script.reload_ex().keep_state(true).done();
    }
}

/// What other scripts may call these: by the name of the class, of the autoload or of the file.
fn names(scripts: &[&str]) -> Vec<String> {
    let classes = global_classes().into_iter().filter(|class| scripts.contains(&&*class.path));
    let autoloads = autoload::names_of(scripts).into_iter();
    let files = scripts.iter().filter_map(|path| path.rsplit('/').next()).map(str::to_owned);
    classes.map(|class| class.name).chain(autoloads).chain(files).collect()
}

fn is_script(path: &str) -> bool {
    path.ends_with(".gd")
}
