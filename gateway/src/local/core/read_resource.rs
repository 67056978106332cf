//! `godot_read_resource`: resources for clients that cannot read them as such.

use protocol::{
    Fault,
    tools::core::{ReadResource, ResourceText},
};
use tokio_util::sync::CancellationToken;

use crate::{Gateway, resources};

/// Answers the call.
pub(crate) async fn run(
    gateway: &Gateway,
    params: ReadResource,
    cancel: &CancellationToken,
) -> Result<ResourceText, Fault> {
    let wanted = resources::parse(&params.uri)?;
    let text = resources::read(gateway, wanted, cancel).await?;
    Ok(ResourceText { result: resources::bounded_as_string(text) })
}
