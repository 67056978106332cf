//! `godot_shader_set_param`.

use godot::{prelude::*, register::info::PropertyHint};
use protocol::{
    Fault, GodotValue, Required, Verdict,
    tools::shader::{SetShaderParam, ShaderParamSet},
};

use serde_json::Value;

use super::{Held, declared::Declared, held, kept, near, uniforms};
use crate::{
    persistence,
    plan::{Context, Edit, Plan},
    property::PropertyInfo,
    scene::Scene,
    undo::Step,
    variant,
};

impl Edit for SetShaderParam {
    const AWAITS_SCAN: bool = true;

    fn plan(self, _: &Context) -> Result<Plan<ShaderParamSet>, Fault> {
        let scene = Scene::active()?;
        let node = scene.node(&self.node_path)?;
        let Held { material, slot, shader } = held(&scene, &node)?;
        let info = uniform(&self.name, uniforms(&shader), &shader.get_path().to_string())?;
        check_type(&info, &self.param_type)?;
        let json = &self.value.0;
        let value = match json.is_null() {
            true => Variant::nil(),
            false => variant::from_json(json, &info, Some(&scene.root))?,
        };
        check_range(&info, &value)?;
        check_declared(&shader.get_code().to_string(), &self.name, &variant::to_json(&value))?;
        let property = format!("shader_parameter/{}", self.name);
        let result = ShaderParamSet {
            node_path: scene.path_of(&node),
            name: self.name,
            value: GodotValue(variant::to_json(&value)),
            previous: GodotValue(variant::to_json(&material.get(property.as_str()))),
            material_property: slot,
            set: true,
        };
        let label = format!("Set {}:{property}", result.node_path);
        if let Some(steps) = kept::in_file(&scene, &node, &material, (&property, &value))? {
            let plan = Plan::project_steps(result, label, steps);
            return Ok(plan.with_verdict(Verdict::kept()));
        }
        let verdict = persistence::of_resource(&scene, &node, &material.clone().upcast());
        let steps = vec![Step::Set { object: material.upcast(), property, value }];
        Ok(Plan::steps(result, label, scene, steps).with_verdict(verdict))
    }
}

fn uniform(name: &str, uniforms: Vec<PropertyInfo>, shader: &str) -> Result<PropertyInfo, Fault> {
    let suggestions = near(name, &uniforms);
    let names: Vec<String> = uniforms.iter().map(|info| info.name.clone()).collect();
    uniforms.into_iter().find(|info| info.name == name).ok_or_else(|| {
        let hint = match suggestions.first() {
            Some(near) => format!("Did you mean '{near}'?"),
            None if names.is_empty() => "It has none, or does not compile.".to_owned(),
            None => format!("It has {}.", names.join(", ")),
        };
        Fault::invalid(format!("The shader '{shader}' has no uniform '{name}'. {hint}"))
            .requiring(Required::parameter("name"))
            .with("suggestions", suggestions)
    })
}

/// Refuses a uniform that is not of the type that the caller takes it for.
fn check_type(info: &PropertyInfo, wanted: &str) -> Result<(), Fault> {
    let wanted = match wanted {
        "" => return Ok(()),
        "float" => VariantType::FLOAT,
        "int" => VariantType::INT,
        "bool" => VariantType::BOOL,
        "vector2" => VariantType::VECTOR2,
        "vector3" => VariantType::VECTOR3,
        "vector4" => VariantType::VECTOR4,
        "color" => VariantType::COLOR,
        other => {
            return Err(Fault::invalid(format!(
                "'{other}' is no type; give float, int, bool, vector2, vector3, vector4 or color, or \
                 leave param_type out."
            ))
            .requiring(Required::parameter("param_type")));
        }
    };
    if wanted == info.kind {
        return Ok(());
    }
    Err(Fault::invalid(format!("'{}' is a {}.", info.name, info.type_name()))
        .requiring(Required::parameter("param_type")))
}

/// Refuses a number outside of the `hint_range` of its uniform.
fn check_range(info: &PropertyInfo, value: &Variant) -> Result<(), Fault> {
    let number = value.try_to::<f64>().or_else(|_| value.try_to::<i64>().map(|it| it as f64));
    let (PropertyHint::RANGE, Ok(number)) = (info.hint, number) else { return Ok(()) };
    let mut limits = info.hint_string.split(',').filter_map(|part| part.trim().parse::<f64>().ok());
    let (Some(least), Some(most)) = (limits.next(), limits.next()) else { return Ok(()) };
    // The engine keeps the limits in 32 bits.
    let slack = 1e-6 * least.abs().max(most.abs());
    if number >= least - slack && number <= most + slack {
        return Ok(());
    }
    Err(Fault::invalid(format!(
        "'{}' has a hint_range from {least} to {most}, and {number} lies outside of it.",
        info.name
    ))
    .requiring(Required::parameter("value")))
}

/// Refuses what the engine lists no limits of: more or fewer items than an array has, and numbers that one
/// without a sign cannot be. Of a uniform that is declared in an included file, nothing is known.
fn check_declared(code: &str, name: &str, value: &Value) -> Result<(), Fault> {
    let Some(declared) = Declared::find(code, name) else { return Ok(()) };
    let refuse = |why: String| {
        Err(Fault::invalid(format!("'{name}' {why}.")).requiring(Required::parameter("value")))
    };
    if let (Some(size), Value::Array(items)) = (declared.size, value) {
        // Some are kept as one list of all their numbers.
        let is_flat = items.first().is_some_and(Value::is_number);
        let wanted = if is_flat { size * declared.width() } else { size };
        if items.len() != wanted {
            let (kind, has) = (&declared.kind, items.len());
            return refuse(format!(
                "is an array of {size} {kind} and takes {wanted} items, not {has}"
            ));
        }
    }
    let numbers: Vec<i64> = match value {
        Value::Array(items) => items.iter().filter_map(Value::as_i64).collect(),
        Value::Object(fields) => fields.values().filter_map(Value::as_i64).collect(),
        one => one.as_i64().into_iter().collect(),
    };
    let wrong = numbers.into_iter().find(|number| u32::try_from(*number).is_err());
    match wrong.filter(|_| declared.is_unsigned()) {
        Some(wrong) => {
            refuse(format!("is a {}, and {wrong} is not within 0 to {}", declared.kind, u32::MAX))
        }
        None => Ok(()),
    }
}
