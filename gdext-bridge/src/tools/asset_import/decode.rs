//! Whether the engine can read a file, tried before the file is in the project: an importer that
//! fails only prints, and leaves the file there.

use godot::{
    classes::{
        AudioStreamMp3, AudioStreamOggVorbis, AudioStreamWav, FontFile, GltfDocument, GltfState,
        Image, PackedScene, Resource, ResourceLoader,
    },
    global::Error,
    prelude::*,
};
use protocol::ResPath;

use super::is_imported_kind;
use crate::resource_file;

/// What is wrong with the content of a file that is to be at `path`, in a few words; `None` where the
/// engine reads it, or where that cannot be tried.
pub(super) fn fault_of(path: &ResPath, content: &[u8]) -> Option<&'static str> {
    let extension = path.extension();
    if content.is_empty() {
        return Some("it is empty");
    }
    if TEXTS.contains(&extension.as_str()) && !is_text(content) {
        return Some("it is no text");
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
        "glb" | "gltf" => {
            let mut document = GltfDocument::new_gd();
            document.append_from_buffer(&bytes, path.folder(), &GltfState::new_gd())
        }
        kind if is_resource(path) => match resource_file::read_as(kind, content) {
            Ok(read) if read.missing.is_empty() => is_there(read.resource.filter(is_usable)),
            // What it needs may come later.
            _ => Error::OK,
        },
        _ => return None,
    };
    (read != Error::OK).then_some("the engine cannot read it")
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
