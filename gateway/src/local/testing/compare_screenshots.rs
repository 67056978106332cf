//! `godot_testing_compare_screenshots`: where two images differ.

use std::{fs, path::Path, sync::Arc};

use base64::{Engine, prelude::BASE64_STANDARD};
use protocol::{
    Fault, Required, ResPath,
    tools::testing::{CompareScreenshots, ScreenshotsCompared},
};
use tokio::task::spawn_blocking;

use crate::{Gateway, caller::Caller, captures, images::Image};

/// The largest file that is read.
const LARGEST: u64 = 64 << 20;

/// Answers the call.
pub(crate) async fn run(
    gateway: &Gateway,
    params: CompareScreenshots,
    _: &Caller,
) -> Result<ScreenshotsCompared, Fault> {
    let a = png(gateway, &params.image_a, "image_a").await?;
    let b = png(gateway, &params.image_b, "image_b").await?;
    let (a, b) = tokio::try_join!(decoded(a, "image_a"), decoded(b, "image_b"))?;
    let compared = spawn_blocking(move || a.compare(&b, params.tolerance));
    compared.await.map_err(|error| Fault::internal(error.to_string()))
}

/// The image in a PNG, beside other work.
async fn decoded(png: Arc<Vec<u8>>, parameter: &'static str) -> Result<Image, Fault> {
    let image = spawn_blocking(move || Image::decode(&png));
    let image = image.await.map_err(|error| Fault::internal(error.to_string()))?;
    image.map_err(|fault| fault.requiring(Required::parameter(parameter)))
}

/// The PNG that an argument names or holds.
async fn png(
    gateway: &Gateway,
    given: &str,
    parameter: &'static str,
) -> Result<Arc<Vec<u8>>, Fault> {
    let found = if captures::is_id(given) {
        gateway.captures.get(given)
    } else if given.contains("://") {
        let editor = gateway.editors.choose().await?;
        file(given, editor.project_dir()).map(Arc::new)
    } else {
        let text = given.strip_prefix("data:image/png;base64,").unwrap_or(given).trim();
        BASE64_STANDARD.decode(text).map(Arc::new).map_err(|_| {
            Fault::invalid(
                "This is neither the capture_id of a screenshot, such as \"c1\", nor a res:// path, \
                 nor an image in base64.",
            )
        })
    };
    found.map_err(|fault| fault.requiring(Required::parameter(parameter)))
}

/// A PNG file of the project.
fn file(given: &str, project: &Path) -> Result<Vec<u8>, Fault> {
    let path = ResPath::try_from(given.to_owned()).map_err(Fault::invalid)?;
    let missing = |_| Fault::not_found(format!("There is no file '{path}'."));
    if !path.as_str().to_lowercase().ends_with(".png") {
        return Err(Fault::invalid(format!("'{path}' is no PNG file.")));
    }
    let real = project.join(path.relative()).canonicalize().map_err(missing)?;
    if !real.starts_with(project) {
        return Err(Fault::invalid(format!("'{path}' leads out of the project.")));
    }
    let facts = real.metadata().map_err(missing)?;
    if !facts.is_file() || facts.len() > LARGEST {
        return Err(Fault::invalid(format!(
            "'{path}' is no file, or has more than {} MiB.",
            LARGEST >> 20
        )));
    }
    fs::read(&real).map_err(missing)
}
