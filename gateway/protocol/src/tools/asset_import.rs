//! `asset_import`: files from elsewhere as assets of the project.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{ResPath, bounds::Bounded, effects, path::empty_is_none};

/// Copy a file into the project and let the editor import it. A broken file is refused with what the
/// engine says of it. To replace an existing file, set `confirm`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ImportAsset {
    /// The file: a "res://" path, or an absolute path inside the project or inside a folder that the
    /// server was started with as --import-root. Other files are refused. An address (http, https)
    /// is downloaded where the server was started with --allow-downloads, but not for a preview,
    /// which then cannot tell what is there.
    pub source: String,
    /// The file to create, such as "res://art/tree.png".
    pub target_path: ResPath,
    /// How to import.
    #[serde(default)]
    pub options: ImportOptions,
    /// Whether to answer only when the editor has imported it, so that it can be used. Otherwise a
    /// second is waited for it.
    #[serde(default)]
    pub wait_for_scan: bool,
    /// How long to wait for that, in milliseconds.
    #[serde(default = "five_seconds")]
    pub timeout_ms: Bounded<1, 600_000>,
}

/// Whether a source is an address of the network.
pub fn is_address(source: &str) -> bool {
    let scheme = source.split_once("://").map(|(scheme, _)| scheme);
    scheme.is_some_and(|it| ["http", "https"].iter().any(|known| it.eq_ignore_ascii_case(known)))
}

fn five_seconds() -> Bounded<1, 600_000> {
    Bounded::of::<5000>()
}

/// How to import.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ImportOptions {
    /// Whether an existing file may be replaced; `confirm` is needed as well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overwrite: Option<bool>,
    /// Settings of the importer by their names in the ".import" file, such as
    /// {"edit/loop_mode": 2} or {"compress/mode": 0}; the part after the "/" is enough. With one
    /// that the importer does not have, a value of another type, or one that is not on its list,
    /// nothing is imported. A value of a list may also be named, such as "Forward".
    #[serde(default)]
    pub import_settings: Map<String, Value>,
}

/// The result of [`ImportAsset`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AssetImported {
    /// The file.
    pub target_path: String,
    /// Whether the file is in the project now.
    pub imported: bool,
    /// Whether a file was replaced.
    pub overwrote: bool,
    /// What it is imported as, such as "CompressedTexture2D"; absent for a file that is not imported
    /// or is not yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detected_type: Option<String>,
    /// Whether the editor has imported it, so that it can be used.
    pub scan_complete: bool,
    /// Whether settings for looping were applied.
    pub loop_applied: bool,
    /// Whether the editor is still to do so: see godot_asset_import_get_status.
    pub scan_deferred: bool,
    /// What the importer says went wrong.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<String>,
    /// What to do next, where there is something to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// Tell whether an asset of the project is imported and can be used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct GetImportStatus {
    /// The file.
    pub target_path: ResPath,
    /// How long to wait until it is, in milliseconds; 0 for not at all.
    #[serde(default = "not_at_all")]
    pub wait_ms: Bounded<0, 600_000>,
}

fn not_at_all() -> Bounded<0, 600_000> {
    Bounded::of::<0>()
}

/// The result of [`GetImportStatus`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ImportStatus {
    /// Whether it can be used: imported as its file is now, or a file that needs no import.
    pub imported: bool,
    /// When the file was last changed, in UTC, such as "2026-01-31T12:00:00".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_modified: Option<String>,
    /// The class of the resource that it is imported as.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Whether the editor is looking at files now.
    pub scanning: bool,
    /// Why it is not imported: `scan_in_flight`, `not_imported`, `import_failed` or `no_such_file`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Create a StandardMaterial3D file from textures of the project, one for each channel. Every
/// texture is checked. To replace an existing file, set `confirm`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CreateMaterialFromTextures {
    /// The texture of the color, such as "res://art/wood_albedo.png".
    #[serde(default)]
    pub albedo: String,
    /// The normal map.
    #[serde(default)]
    pub normal: String,
    /// The texture of the roughness, or a number from 0 to 1 as text.
    #[serde(default)]
    pub roughness: String,
    /// The texture of how metallic it is, or a number from 0 to 1 as text.
    #[serde(default)]
    pub metallic: String,
    /// The texture of the ambient occlusion.
    #[serde(default)]
    pub ao: String,
    /// The texture of the emission.
    #[serde(default)]
    pub emission: String,
    /// How strong the emission is, as a number in a text; "0" turns it off. Empty: 1 where there is
    /// a texture of the emission.
    #[serde(default)]
    pub emission_enabled: String,
    /// The file to create, ending in ".tres", ".res" or ".material"; leave out for one beside the
    /// first texture.
    #[serde(default, deserialize_with = "empty_is_none", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "schema",
        schemars(schema_with = "crate::path::schema::optional_res_path")
    )]
    pub path: Option<ResPath>,
}

/// The result of [`CreateMaterialFromTextures`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MaterialCreated {
    /// The file.
    pub material_path: String,
    /// Whether the file was written.
    pub created: bool,
    /// Whether a file was replaced.
    pub overwrote: bool,
    /// The channels that were set.
    pub channels_set: Vec<String>,
}

effects! {
    AssetImported: imported, overwrote, scan_complete, scan_deferred, loop_applied;
    MaterialCreated: created, overwrote;
}
