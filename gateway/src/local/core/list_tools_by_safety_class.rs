//! `godot_list_tools_by_safety_class`: what each tool may do.

use protocol::{
    Fault, Tool,
    tools::core::{ListToolsBySafetyClass, ToolsBySafetyClass},
};

use crate::{
    Gateway,
    caller::Caller,
    safety::{SafetyClass, class_of},
};

/// Answers the call.
pub(crate) async fn run(
    _: &Gateway,
    _: ListToolsBySafetyClass,
    _: &Caller,
) -> Result<ToolsBySafetyClass, Fault> {
    let of_class = |class: SafetyClass| {
        let tools = Tool::ALL.iter().filter(|tool| class_of(**tool) == class);
        (class.name().to_owned(), tools.map(|tool| tool.name().to_owned()).collect())
    };
    Ok(ToolsBySafetyClass {
        tools_by_safety_class: SafetyClass::ALL.into_iter().map(of_class).collect(),
    })
}
