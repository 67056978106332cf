//! `godot_read_resource`: resources for clients that cannot read them as such.

use protocol::{
    Fault,
    tools::core::{ReadResource, ResourceText},
};

use crate::{Gateway, caller::Caller, resources};

/// Answers the call.
pub(crate) async fn run(
    gateway: &Gateway,
    params: ReadResource,
    caller: &Caller,
) -> Result<ResourceText, Fault> {
    let wanted = resources::parse(&params.uri)?;
    let text = resources::read(gateway, wanted, caller).await?;
    Ok(ResourceText { result: resources::bounded_as_string(text) })
}
