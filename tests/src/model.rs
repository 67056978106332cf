//! Models as others make them.

use serde_json::{Value, json};

/// A triangle: three points of three numbers.
pub fn triangle() -> Vec<u8> {
    [0f32, 0., 0., 1., 0., 0., 0., 1., 0.].iter().flat_map(|it| it.to_le_bytes()).collect()
}

/// A glTF file with a triangle whose points are in the file of that name.
pub fn gltf(buffer: &str) -> Vec<u8> {
    let mut model = model();
    model["buffers"] = json!([{"uri": buffer, "byteLength": triangle().len()}]);
    serde_json::to_vec(&model).unwrap()
}

/// A GLB file with a triangle and a picture by the name of `skin`.
pub fn glb(skin: &str, picture: &[u8]) -> Vec<u8> {
    let mut data = triangle();
    let start = data.len();
    data.extend(picture);
    let mut model = model();
    model["buffers"] = json!([{"byteLength": data.len()}]);
    let view = json!({"buffer": 0, "byteOffset": start, "byteLength": picture.len()});
    model["bufferViews"].as_array_mut().unwrap().push(view);
    model["materials"][0]["pbrMetallicRoughness"] = json!({"baseColorTexture": {"index": 0}});
    model["textures"] = json!([{"source": 0}]);
    model["images"] = json!([{"name": skin, "mimeType": "image/png", "bufferView": 1}]);
    let mut text = serde_json::to_vec(&model).unwrap();
    text.resize(text.len().next_multiple_of(4), b' ');
    data.resize(data.len().next_multiple_of(4), 0);
    let parts = [(b"JSON", text), (b"BIN\0", data)];
    let size = |it: usize| u32::try_from(it).unwrap().to_le_bytes();
    let whole: usize = 12 + parts.iter().map(|(_, part)| part.len() + 8).sum::<usize>();
    let mut file = [&b"glTF"[..], &2u32.to_le_bytes(), &size(whole)].concat();
    for (kind, part) in parts {
        file.extend([&size(part.len())[..], kind, &part].concat());
    }
    file
}

/// A picture of one red pixel.
pub const PIXEL: &[u8] = &[
    0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0x00, 0x00, 0x00, 0x0D, 0x49, 0x48, 0x44, 0x52,
    0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x02, 0x00, 0x00, 0x00, 0x90, 0x77, 0x53,
    0xDE, 0x00, 0x00, 0x00, 0x0C, 0x49, 0x44, 0x41, 0x54, 0x08, 0xD7, 0x63, 0xF8, 0xCF, 0xC0, 0x00,
    0x00, 0x03, 0x01, 0x01, 0x00, 0x18, 0xDD, 0x8D, 0xB0, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4E,
    0x44, 0xAE, 0x42, 0x60, 0x82,
];

fn model() -> Value {
    json!({
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
        "nodes": [{"name": "Thing", "mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "material": 0}]}],
        "accessors": [{
            "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3",
            "min": [0, 0, 0], "max": [1, 1, 0],
        }],
        "bufferViews": [{"buffer": 0, "byteLength": triangle().len()}],
        "materials": [{"name": "Skin"}],
    })
}
