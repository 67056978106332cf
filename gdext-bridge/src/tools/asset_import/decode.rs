//! Whether the engine can read a file, tried before the file is in the project: an importer that
//! fails only prints, and leaves the file there.

use godot::{
    classes::{
        AudioStreamMp3, AudioStreamOggVorbis, AudioStreamWav, FontFile, GltfDocument, GltfState,
        Image,
    },
    global::Error,
    prelude::*,
};

/// What is wrong with the content of a file with that extension, in a few words; `None` where the
/// engine reads it, or where that cannot be tried.
pub(super) fn fault_of(extension: &str, content: &[u8], folder: &str) -> Option<&'static str> {
    if content.is_empty() {
        return Some("it is empty");
    }
    let bytes = PackedByteArray::from(content);
    let mut image = Image::new_gd();
    let read = match extension {
        "png" => image.load_png_from_buffer(&bytes),
        "jpg" | "jpeg" => image.load_jpg_from_buffer(&bytes),
        "webp" => image.load_webp_from_buffer(&bytes),
        "bmp" => image.load_bmp_from_buffer(&bytes),
        "tga" => image.load_tga_from_buffer(&bytes),
        "svg" => image.load_svg_from_buffer(&bytes),
        "ktx" => image.load_ktx_from_buffer(&bytes),
        "wav" => is_there(AudioStreamWav::load_from_buffer(&bytes)),
        "ogg" => is_there(AudioStreamOggVorbis::load_from_buffer(&bytes)),
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
            document.append_from_buffer(&bytes, folder, &GltfState::new_gd())
        }
        _ => return None,
    };
    (read != Error::OK).then_some("the engine cannot read it")
}

fn is_there<T>(made: Option<T>) -> Error {
    if made.is_some() { Error::OK } else { Error::ERR_INVALID_DATA }
}
