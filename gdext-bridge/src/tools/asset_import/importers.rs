//! What importers say of their settings. The API tells it to nobody; but the page "Import Defaults" of
//! the project settings asks them, also where it was never shown, and lists what they say.
//!
//! The editor does not survive that the page is asked about an importer that there is not. Until the
//! human opens the settings, the page itself does not know which there are; so it is asked then only in
//! the version of Godot whose importers are known.

use std::collections::HashMap;

use godot::{
    classes::{
        ClassDb, ConfigFile, Control, EditorInspector, EditorInterface, Engine, OptionButton,
    },
    global::type_convert,
    obj::EngineEnum,
    prelude::*,
};

use super::settings::SECTION;
use crate::{property::PropertyInfo, tabs::find_class};

/// The minor version of Godot 4 in which importers are known to have these names. In another one a name
/// that is wrong would cost the human the editor, and all that this gains is an earlier refusal.
const VERSION: i64 = 6;

/// The importers that have lists of values: as import files name them, as the page does, and their
/// classes.
const NAMES: [(&str, &str, &str); 13] = [
    ("2d_array_texture", "Texture2DArray", "ResourceImporterLayeredTexture"),
    ("3d_texture", "Texture3D", "ResourceImporterLayeredTexture"),
    ("animation_library", "Animation Library", "ResourceImporterScene"),
    ("bitmap", "BitMap", "ResourceImporterBitMap"),
    ("csv_translation", "CSV Translation", "ResourceImporterCSVTranslation"),
    ("cubemap_array_texture", "CubemapArray", "ResourceImporterLayeredTexture"),
    ("cubemap_texture", "Cubemap", "ResourceImporterLayeredTexture"),
    ("font_data_bmfont", "Font Data (AngelCode BMFont)", "ResourceImporterBMFont"),
    ("font_data_dynamic", "Font Data (Dynamic Font)", "ResourceImporterDynamicFont"),
    ("font_data_image", "Font Data (Image Font)", "ResourceImporterImageFont"),
    ("scene", "Scene", "ResourceImporterScene"),
    ("texture", "Texture2D", "ResourceImporterTexture"),
    ("wav", "Microsoft WAV", "ResourceImporterWAV"),
];

/// The extensions that an importer takes whose list of settings is the same for all of its files, with
/// that importer. That of scenes has more for some, and that of textures for SVG.
const WHOLE: [(&str, &[&str]); 4] = [
    ("csv_translation", &["csv"]),
    ("font_data_dynamic", &["otf", "ttc", "ttf", "woff", "woff2"]),
    ("texture", &["bmp", "dds", "exr", "hdr", "jpeg", "jpg", "ktx", "png", "tga", "webp"]),
    ("wav", &["wav"]),
];

/// The settings that a new file with that extension is imported with, as its import file would have
/// them; `None` where that cannot be found out.
pub(super) fn defaults_for(extension: &str) -> Option<Gd<ConfigFile>> {
    let (importer, _) = WHOLE.iter().find(|(_, extensions)| extensions.contains(&extension))?;
    let listed = settings_of(importer);
    let mut config = ConfigFile::new_gd();
    config.set_value("remap", "importer", &importer.to_variant());
    for info in listed.values() {
        let default = type_convert(&Variant::nil(), i64::from(info.kind.ord()));
        config.set_value(SECTION, &info.name, &default);
    }
    (!listed.is_empty()).then_some(config)
}

/// What the settings of an importer may hold, by their names. Empty where that cannot be found out: in
/// other versions of Godot, of importers that plugins bring, and while the human looks at the page.
pub(super) fn settings_of(importer: &str) -> HashMap<String, PropertyInfo> {
    let known = NAMES.iter().find(|(name, ..)| *name == importer);
    let listed = known.and_then(|(_, title, class)| ask(title, class)).unwrap_or_default();
    listed.into_iter().map(|info| (info.name.clone(), info)).collect()
}

fn ask(title: &str, class: &str) -> Option<Vec<PropertyInfo>> {
    let root = EditorInterface::singleton().get_base_control()?.get_tree().get_root()?;
    let pages = root.find_children_ex("*").type_("ImportDefaultsEditor").owned(false).done();
    let page = pages.iter_shared().next()?;
    if page.clone().try_cast::<Control>().ok()?.is_visible_in_tree() {
        return None;
    }
    let mut choice = find_class(&page, "OptionButton")?.try_cast::<OptionButton>().ok()?;
    let mut inspector = find_class(&page, "EditorInspector")?.try_cast::<EditorInspector>().ok()?;
    let (count, before) = (choice.get_item_count(), choice.get_selected());
    let was_used = inspector.get_edited_object().is_some();
    let item = (0..count).find(|item| choice.get_item_text(*item) == title);
    if item.is_none() {
        if count > 0 || !is_there(class) {
            return None;
        }
        choice.add_item(title);
    }
    choose(&mut choice, item.unwrap_or(count));
    let listed = inspector.get_edited_object().map(|listed| PropertyInfo::all(&listed));
    if count == 0 {
        choice.clear();
    }
    if was_used && before >= 0 && !choice.is_item_disabled(before) {
        choose(&mut choice, before);
    } else {
        choice.select(before);
        inspector.edit(Gd::null_arg());
    }
    listed
}

/// As the human does it.
fn choose(choice: &mut Gd<OptionButton>, item: i32) {
    choice.select(item);
    choice.emit_signal("item_selected", vslice![item]);
}

/// Whether this Godot has the importer, and calls it by the name that is known.
fn is_there(class: &str) -> bool {
    let version = Engine::singleton().get_version_info();
    let part = |name: &str| version.get(name).and_then(|part| part.try_to::<i64>().ok());
    part("major") == Some(4)
        && part("minor") == Some(VERSION)
        && ClassDb::singleton().class_exists(class)
}
