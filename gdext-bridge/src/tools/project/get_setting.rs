//! `godot_project_get_setting`.

use protocol::{
    Fault, GodotValue,
    tools::project::{GetSetting, SettingValue},
};

use crate::{
    plan::{Context, Read},
    property::PropertyInfo,
    secrets, settings, variant,
};

impl Read for GetSetting {
    fn read(self, _: &Context) -> Result<SettingValue, Fault> {
        let value = settings::value(&self.name);
        let info = settings::described(&self.name);
        let suggestion = match value {
            Some(_) => None,
            None => settings::nearest_name(&self.name),
        };
        let exists = value.is_some();
        let mut told = value.map(|value| variant::to_json(&value));
        let is_masked = told.as_mut().is_some_and(|value| secrets::mask(&self.name, value));
        Ok(SettingValue {
            exists,
            kind: info.as_ref().filter(|_| exists).map(PropertyInfo::type_name),
            value: told.map(GodotValue),
            hint: is_masked.then(|| secrets::MASKED.to_owned()),
            name: self.name,
            suggestion,
        })
    }
}
