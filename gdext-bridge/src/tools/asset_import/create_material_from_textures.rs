//! `godot_asset_import_create_material_from_textures`.

use godot::{
    classes::{
        ResourceLoader, StandardMaterial3D, Texture2D,
        base_material_3d::{Feature, TextureParam},
    },
    prelude::*,
};
use protocol::{
    Fault, Required, ResPath, Verdict,
    tools::asset_import::{CreateMaterialFromTextures, MaterialCreated},
};

use crate::{
    plan::{Context, Edit, Plan},
    resource::file_exists,
    resource_file::ResourceFile,
};

impl Edit for CreateMaterialFromTextures {
    /// The textures may be ones that are just being imported.
    const AWAITS_SCAN: bool = true;

    fn plan(self, _: &Context) -> Result<Plan<MaterialCreated>, Fault> {
        let mut material = StandardMaterial3D::new_gd();
        let channels_set = fill(&self, &mut material)?;
        let path = match self.path {
            Some(path) => path,
            None => beside_the_first(&self)?,
        };
        let file = ResourceFile::new(&path, "path", material.upcast())?;
        let overwrote = file_exists(&path);
        let (step, _) = file.written()?;
        let result = MaterialCreated {
            material_path: path.to_string(),
            created: true,
            overwrote,
            channels_set,
        };
        let plan = Plan::project_steps(result, format!("Create {path}"), vec![step])
            .with_verdict(Verdict::kept());
        Ok(if overwrote { plan.discarding(format!("what '{path}' holds now")) } else { plan })
    }
}

/// Gives the material what the call names. Tells which channels that are.
fn fill(
    call: &CreateMaterialFromTextures,
    material: &mut Gd<StandardMaterial3D>,
) -> Result<Vec<String>, Fault> {
    let mut set = Vec::new();
    for (channel, value, slot, feature) in [
        ("albedo", &call.albedo, TextureParam::ALBEDO, None),
        ("normal", &call.normal, TextureParam::NORMAL, Some(Feature::NORMAL_MAPPING)),
        ("roughness", &call.roughness, TextureParam::ROUGHNESS, None),
        ("metallic", &call.metallic, TextureParam::METALLIC, None),
        ("ao", &call.ao, TextureParam::AMBIENT_OCCLUSION, Some(Feature::AMBIENT_OCCLUSION)),
        ("emission", &call.emission, TextureParam::EMISSION, Some(Feature::EMISSION)),
    ] {
        if value.is_empty() {
            continue;
        }
        match (channel, share(value)) {
            ("roughness", Some(share)) => material.set_roughness(within(share, channel)?),
            ("metallic", Some(share)) => material.set_metallic(within(share, channel)?),
            _ => {
                let texture = texture(value, channel)?;
                material.set_texture(slot, &texture);
                if let Some(feature) = feature {
                    material.set_feature(feature, true);
                }
                // The texture is multiplied by the number, which is 0 by default.
                if channel == "metallic" {
                    material.set_metallic(1.0);
                }
            }
        }
        set.push(channel.to_owned());
    }
    if !call.emission_enabled.is_empty() {
        let Some(energy) = share(&call.emission_enabled).filter(|energy| *energy >= 0.0) else {
            return Err(refused("emission_enabled", "needs a number of 0 or more as text"));
        };
        material.set_feature(Feature::EMISSION, energy > 0.0);
        material.set_emission_energy_multiplier(energy);
        set.push("emission_enabled".to_owned());
    }
    if set.is_empty() {
        return Err(refused("albedo", "or another channel is needed; the call names none"));
    }
    Ok(set)
}

fn share(value: &str) -> Option<f32> {
    value.trim().parse().ok().filter(|number: &f32| number.is_finite())
}

fn within(share: f32, channel: &'static str) -> Result<f32, Fault> {
    if (0.0..=1.0).contains(&share) {
        return Ok(share);
    }
    Err(refused(channel, "needs a number from 0 to 1, or a texture"))
}

fn texture(value: &str, channel: &'static str) -> Result<Gd<Texture2D>, Fault> {
    let path = ResPath::try_from(value.to_owned())
        .map_err(|why| refused(channel, &format!("needs a texture of the project: {why}")))?;
    if !file_exists(&path) {
        return Err(Fault::not_found(format!("There is no file '{path}' for '{channel}'."))
            .requiring(Required::parameter(channel)));
    }
    let mut loader = ResourceLoader::singleton();
    if !loader.exists(path.as_str()) {
        return Err(refused(
            channel,
            &format!("needs '{path}' to be imported; see godot_asset_import_get_status"),
        ));
    }
    let loaded = loader.load(path.as_str());
    let loaded = loaded.ok_or_else(|| refused(channel, &format!("cannot load '{path}'")))?;
    loaded.try_cast::<Texture2D>().map_err(|other| {
        refused(channel, &format!("needs a texture; '{path}' is a {}", other.get_class()))
    })
}

fn refused(channel: &'static str, why: &str) -> Fault {
    Fault::invalid(format!("'{channel}' {why}.")).requiring(Required::parameter(channel))
}

/// The file beside the first texture that the call names.
fn beside_the_first(call: &CreateMaterialFromTextures) -> Result<ResPath, Fault> {
    let channels =
        [&call.albedo, &call.normal, &call.roughness, &call.metallic, &call.ao, &call.emission];
    let first = channels.into_iter().find(|value| value.starts_with("res://"));
    let stem = first.and_then(|path| path.rsplit_once('.')).map(|(stem, _)| stem);
    let Some(stem) = stem else {
        return Err(refused(
            "path",
            "is needed, as there is no texture to put the material beside",
        ));
    };
    ResPath::try_from(format!("{stem}_material.tres")).map_err(Fault::invalid)
}
