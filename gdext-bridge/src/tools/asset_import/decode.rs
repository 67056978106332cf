//! Whether the engine can read a file, tried before the file is in the project: an importer that
//! fails only prints, and leaves the file there.

use std::path::Path;

use godot::{
    classes::{
        AudioStreamMp3, AudioStreamOggVorbis, AudioStreamWav, FontFile, Image, Json, PackedScene,
        Resource, ResourceLoader,
    },
    global::Error,
    prelude::*,
};
use protocol::ResPath;

use super::{gltf, is_imported_kind};
use crate::resource_file;

/// What is wrong with the content of `source` that is to be at `path`, in a few words; `None` where the
/// engine reads it, or where that cannot be tried.
pub(super) fn fault_of(source: &Path, path: &ResPath, content: &[u8]) -> Option<String> {
    let extension = path.extension();
    let told = |why: &str| Some(why.to_owned());
    if content.is_empty() {
        return told("it is empty");
    }
    if TEXTS.contains(&extension.as_str()) && !is_text(content) {
        return told("it is no text");
    }
    let bytes = PackedByteArray::from(content);
    let mut image = Image::new_gd();
    let read = match extension.as_str() {
        "png" => image.load_png_from_buffer(&bytes),
        "jpg" | "jpeg" => image.load_jpg_from_buffer(&bytes),
        "webp" => image.load_webp_from_buffer(&bytes),
        "bmp" => image.load_bmp_from_buffer(&bytes),
        "tga" => image.load_tga_from_buffer(&bytes),
        "svg" => image.load_svg_from_buffer(&bytes),
        "ktx" => image.load_ktx_from_buffer(&bytes),
        "wav" => {
            let stream = AudioStreamWav::load_from_buffer(&bytes);
            is_there(stream.filter(|stream| !stream.get_data().is_empty()))
        }
        "ogg" => is_there(AudioStreamOggVorbis::load_from_buffer(&bytes)),
        "ogv" if content.starts_with(b"OggS") => Error::OK,
        "ogv" => Error::ERR_INVALID_DATA,
        "mp3" => {
            let stream = AudioStreamMp3::load_from_buffer(&bytes);
            is_there(stream.filter(|stream| stream.get_length() > 0.0))
        }
        "otf" | "ttc" | "ttf" | "woff" | "woff2" => {
            let mut font = FontFile::new_gd();
            font.set_data(&bytes);
            if font.get_face_count() > 0 {
                Error::OK
            } else {
                // Only asked for more does the engine say why it cannot read it.
                font.get_font_name();
                Error::ERR_INVALID_DATA
            }
        }
        "glb" | "gltf" => match gltf::missing(source, path, content) {
            Some(why) => return Some(why),
            None => gltf::read(path, &bytes),
        },
        "json" => match json_error(content) {
            Some(why) => return Some(why),
            None => Error::OK,
        },
        // What has no line of those, the importer makes a font without letters of.
        "fnt" | "font" if !is_bitmap_font(content) => return told("it has no letters of a font"),
        // Nor does it read other encodings, and it would make words of the bytes.
        "csv" if content.contains(&0) => return told("it is no text in UTF-8"),
        kind if is_resource(path) => match resource_file::read_as(kind, content) {
            Ok(read) if read.missing.is_empty() => is_there(read.resource.filter(is_usable)),
            // What it needs may come later.
            _ => Error::OK,
        },
        _ => return None,
    };
    if read == Error::OK { None } else { told("the engine cannot read it; see engine_errors") }
}

/// What the engine says of a JSON file that it cannot read, with the line. It has no importer that would
/// say so, and the file would look well until the game reads it.
fn json_error(content: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(content);
    let mut json = Json::new_gd();
    if json.parse(text.trim_start_matches('\u{feff}')) == Error::OK {
        return None;
    }
    // The engine counts from 0.
    Some(format!("line {}: {}", json.get_error_line() + 1, json.get_error_message()))
}

/// Whether a file looks like a font of AngelCode: the binary form, or the text with its letters.
fn is_bitmap_font(content: &[u8]) -> bool {
    let mut lines = content.split(|byte| *byte == b'\n');
    content.starts_with(b"BMF") || lines.any(|line| line.starts_with(b"char "))
}

/// Files that are text, whatever it says.
const TEXTS: &[&str] = &["cs", "gd", "gdshader", "gdshaderinc", "json", "po", "tres", "tscn"];

fn is_text(content: &[u8]) -> bool {
    !content.contains(&0) && std::str::from_utf8(content).is_ok()
}

/// Whether a file is a resource as it is. Code may have errors for a while, and data other readers.
fn is_resource(path: &ResPath) -> bool {
    const OTHERS: [&str; 5] = ["cs", "gd", "gdshader", "gdshaderinc", "json"];
    let extension = path.extension();
    let known = ResourceLoader::singleton().get_recognized_extensions_for_type("");
    let is_known = known.as_slice().iter().any(|it| it.to_string() == extension);
    is_known && !is_imported_kind(path) && !OTHERS.contains(&extension.as_str())
}

/// Whether a resource is what its file says. The editor has something in place of one whose class there is
/// not.
fn is_usable(resource: &Gd<Resource>) -> bool {
    let scene = resource.clone().try_cast::<PackedScene>();
    !resource.is_class("MissingResource") && scene.map_or(true, |scene| scene.can_instantiate())
}

fn is_there<T>(made: Option<T>) -> Error {
    if made.is_some() { Error::OK } else { Error::ERR_INVALID_DATA }
}
