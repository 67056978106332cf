//! `godot_project_get_setting`.

use protocol::{
    Fault, GodotValue,
    tools::project::{GetSetting, SettingValue},
};

use crate::{
    plan::{Context, Read},
    property::PropertyInfo,
    settings, variant,
};

impl Read for GetSetting {
    fn read(self, _: &Context) -> Result<SettingValue, Fault> {
        let value = settings::value(&self.name);
        let info = settings::described(&self.name);
        let suggestion = match value {
            Some(_) => None,
            None => settings::nearest_name(&self.name),
        };
        Ok(SettingValue {
            exists: value.is_some(),
            kind: info.as_ref().filter(|_| value.is_some()).map(PropertyInfo::type_name),
            value: value.map(|value| GodotValue(variant::to_json(&value))),
            name: self.name,
            suggestion,
        })
    }
}
