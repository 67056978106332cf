//! `shader`: shader files, and shader materials of nodes.

mod assign_material;
mod create;
mod declared;
mod get_param;
mod kept;
mod read;
mod set_param;
mod validate;

use godot::{
    classes::{FileAccess, Shader, ShaderMaterial, shader},
    prelude::*,
};
use protocol::{Fault, Required, ResPath, tools::shader::ShaderError};

use crate::{
    engine_log::EngineLog, files::content, outside, property::PropertyInfo, resource::nearest,
    resource_file::ResourceFile, scene::Scene,
};

/// What shaders can be for.
const MODES: [&str; 5] = ["canvas_item", "spatial", "particles", "sky", "fog"];

/// The text of a shader file, or the code of a resource that is a shader.
fn code_of(path: &ResPath) -> Result<String, Fault> {
    if is_include(path) || path.extension() == "gdshader" {
        return text_of(path);
    }
    let file = ResourceFile::open(path, "shader_path")?;
    let shader = file.resource.try_cast::<Shader>().map_err(|other| {
        Fault::invalid(format!("'{path}' is a {}, no shader.", other.get_class()))
            .requiring(Required::parameter("shader_path"))
    })?;
    Ok(shader.get_code().to_string())
}

/// Whether a file is code for other shaders to include.
fn is_include(path: &ResPath) -> bool {
    path.extension() == "gdshaderinc"
}

fn text_of(path: &ResPath) -> Result<String, Fault> {
    let text = String::from_utf8(content(path, "shader_path")?).map_err(|_| {
        Fault::invalid(format!("'{path}' is no text in UTF-8."))
            .requiring(Required::parameter("shader_path"))
    })?;
    Ok(without_mark(&text).to_owned())
}

/// The code without the byte order mark that its file may begin with, as the engine reads it.
fn without_mark(code: &str) -> &str {
    code.strip_prefix('\u{feff}').unwrap_or(code)
}

/// What the compiler makes of some code.
pub(super) struct Compiled {
    /// A shader with the code, which nobody else has.
    shader: Gd<Shader>,
    /// The first error.
    pub(super) errors: Vec<ShaderError>,
}

/// Has the engine compile code that is to be that of the file at `path`. Runs nothing: a shader runs
/// only where something is drawn with it.
pub(super) fn compile(code: &str, path: &ResPath, log: &EngineLog) -> Result<Compiled, Fault> {
    if !log.hears() {
        return Err(Fault::unsupported(
            "Godot tells what its shader compiler says from version 4.5 on.",
        )
        .requiring(Required::GODOT_VERSION));
    }
    let code = without_mark(code);
    let mut shader = Shader::new_gd();
    // For relative includes, without a place in the cache.
    shader.set_path_cache(path.as_str());
    if let Some(error) = before_compiling(code, path) {
        return Ok(Compiled { shader, errors: vec![error] });
    }
    log.take();
    shader.set_code(code);
    // The engine compiles when the shader is first needed.
    shader.get_rid();
    let heard = log.shader_errors();
    let printed = log.take();
    let mut errors: Vec<ShaderError> = heard
        .into_iter()
        .map(|(message, file, line)| ShaderError {
            message: explained(message, code, line),
            source: Some(if file.is_empty() { path.to_string() } else { file }),
            line: Some(line),
        })
        .collect();
    let failed = printed.iter().find(|line| line.contains("compilation failed"));
    if errors.is_empty()
        && let Some(failed) = failed
    {
        let source = Some(path.to_string());
        errors.push(ShaderError { message: failed.clone(), source, line: None });
    }
    Ok(Compiled { shader, errors })
}

/// Where a directive failed, the compiler is given the code with its directives and complains of
/// the first sign of one.
fn explained(message: String, code: &str, line: i64) -> String {
    let at = usize::try_from(line - 1).unwrap_or_default();
    match code.lines().nth(at).map(str::trim) {
        Some(directive) if directive.starts_with('#') && message.contains("#35") => {
            format!(
                "The preprocessor refuses the code; see '{directive}' and the other directives."
            )
        }
        _ => message,
    }
}

/// What is wrong that the compiler has no good words for: no type, or a file that is not there.
fn before_compiling(code: &str, path: &ResPath) -> Option<ShaderError> {
    let error = |message: String, line: usize| {
        let line = i64::try_from(line).ok();
        Some(ShaderError { message, source: Some(path.to_string()), line })
    };
    let plain = without_comments(code);
    // The name of a file may look like a comment, so it is taken from the code itself.
    for (index, (plain, line)) in plain.lines().zip(code.lines()).enumerate() {
        let named = line.split('"').nth(1).unwrap_or_default();
        if !plain.trim().starts_with("#include") || named.is_empty() {
            continue;
        }
        let file = if named.starts_with("res://") {
            named.to_owned()
        } else {
            format!("{}/{named}", path.folder().trim_end_matches('/'))
        };
        if !FileAccess::file_exists(&file) {
            return error(format!("There is no file '{named}' to include."), index + 1);
        }
    }
    let mut words = plain.split_whitespace().skip_while(|word| *word != "shader_type");
    let kind = words.nth(1).unwrap_or_default().trim_end_matches(';');
    if MODES.contains(&kind) {
        return None;
    }
    let line = plain.lines().position(|line| line.contains("shader_type")).unwrap_or_default();
    let first = format!("The code must begin with 'shader_type x;', x being {}", MODES.join(", "));
    match kind {
        "" => error(format!("{first}."), line + 1),
        kind => error(format!("{first}; not '{kind}'."), line + 1),
    }
}

/// The code with blanks for its comments, so that lines stay where they are.
fn without_comments(code: &str) -> String {
    let mut plain = String::with_capacity(code.len());
    let mut rest = code;
    while let Some(at) = rest.find('/') {
        let (before, comment) = rest.split_at(at);
        plain.push_str(before);
        let end = if comment.starts_with("//") {
            comment.find('\n').unwrap_or(comment.len())
        } else if comment.starts_with("/*") {
            comment.find("*/").map_or(comment.len(), |end| end + 2)
        } else {
            plain.push('/');
            rest = comment.strip_prefix('/').unwrap_or_default();
            continue;
        };
        let (comment, after) = comment.split_at(end);
        plain.extend(comment.chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
        rest = after;
    }
    plain.push_str(rest);
    plain
}

/// What a shader is for, as its code says it.
fn mode_name(shader: &Gd<Shader>) -> &'static str {
    mode_named(shader.get_mode())
}

/// A mode as code says it.
pub(super) fn mode_named(mode: shader::Mode) -> &'static str {
    match mode {
        shader::Mode::CANVAS_ITEM => "canvas_item",
        shader::Mode::PARTICLES => "particles",
        shader::Mode::SKY => "sky",
        shader::Mode::FOG => "fog",
        _ => "spatial",
    }
}

/// A shader with the same code that nobody else has. Without a display, one that got other code
/// still lists the uniforms of the code before.
fn fresh(shader: &Gd<Shader>) -> Gd<Shader> {
    let mut fresh = Shader::new_gd();
    fresh.set_path_cache(&shader.get_path());
    fresh.set_code(&shader.get_code());
    fresh
}

/// The parameters of a shader that a material can set.
fn uniforms(shader: &Gd<Shader>) -> Vec<PropertyInfo> {
    let list = shader.clone().get_shader_uniform_list();
    let entries = list.iter_shared().filter_map(|entry| entry.to_variant().try_to().ok());
    entries.filter_map(|entry: VarDictionary| PropertyInfo::from_dictionary(&entry)).collect()
}

/// Where a node can hold a material.
const SLOTS: [&str; 4] = ["material_override", "material", "process_material", "material_overlay"];

/// The shader material of a node.
struct Held {
    material: Gd<ShaderMaterial>,
    /// The property of the node.
    slot: String,
    /// Its shader, as one of our own.
    shader: Gd<Shader>,
}

/// The shader material of a node, with its shader.
fn held(scene: &Scene, node: &Gd<Node>) -> Result<Held, Fault> {
    let object = node.clone().upcast::<Object>();
    let surfaces = PropertyInfo::all(&object).into_iter().map(|info| info.name);
    let surfaces = surfaces.filter(|name| name.starts_with("surface_material_override/"));
    let slots = SLOTS.iter().map(|slot| (*slot).to_owned()).chain(surfaces);
    for slot in slots {
        let value = object.get(slot.as_str());
        let Ok(material) = value.try_to::<Gd<ShaderMaterial>>() else { continue };
        let shader = material.get_shader().ok_or_else(|| {
            Fault::precondition(
                Required::parameter("node_path"),
                format!(
                    "The shader material of '{}' has no shader. Assign one with \
                     godot_shader_assign_material.",
                    scene.path_of(node)
                ),
            )
        })?;
        outside::take_in(&shader.get_path().to_string());
        return Ok(Held { material, slot, shader: fresh(&shader) });
    }
    Err(Fault::precondition(
        Required::parameter("node_path"),
        format!(
            "'{}' has no shader material. Assign one with godot_shader_assign_material.",
            scene.path_of(node)
        ),
    ))
}

/// Names of uniforms like the one that there is not.
fn near(name: &str, uniforms: &[PropertyInfo]) -> Vec<String> {
    let near = nearest(name, uniforms.iter().map(|info| info.name.as_str()));
    near.map(str::to_owned).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(code: &str) -> Option<(String, Option<i64>)> {
        let path = ResPath::try_from("res://a/b.gdshader".to_owned()).unwrap();
        before_compiling(code, &path).map(|error| (error.message, error.line))
    }

    #[test]
    fn comments_become_blanks_and_lines_stay() {
        let code = "a // b\n/* c\nd */ e / f";
        assert_eq!(without_comments(code), "a     \n    \n     e / f");
    }

    #[test]
    fn the_type_must_be_one_that_there_is() {
        assert_eq!(check("/* x */\nshader_type  sky ;"), None);
        let (message, line) = check("// shader_type sky;\n\nshader_type cloud;").unwrap();
        assert!(message.contains("cloud"), "{message}");
        assert_eq!(line, Some(3));
        assert!(check("void fragment() {}").is_some());
    }
}
