//! What the engine says of a property: its type, its hint and what it may hold.

mod class;

use std::collections::HashSet;

use godot::{
    builtin::AnyDictionary,
    classes::{ClassDb, Control, Script},
    obj::{EngineBitfield, EngineEnum},
    prelude::*,
    register::info::{PropertyHint, PropertyUsageFlags},
};

use self::class::Class;
use crate::variant::{
    kind_named, name_of_kind,
    names::{enum_constants, layer_names, parse_names},
};

/// One property of one object.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PropertyInfo {
    /// As scripts name it.
    pub(crate) name: String,
    /// The type of its values; that of null where it takes any.
    pub(crate) kind: VariantType,
    /// How the inspector edits it, which narrows what it may hold.
    pub(crate) hint: PropertyHint,
    /// The names, classes or limits that `hint` speaks of.
    pub(crate) hint_string: String,
    /// Whether it is stored, shown, read-only and so on.
    pub(crate) usage: PropertyUsageFlags,
    /// The class of an object, or the enum of a number, where the engine tells.
    pub(crate) class_name: String,
    /// The native class of the object that has it; empty for an element of a container.
    pub(crate) owner: String,
}

impl PropertyInfo {
    /// The property of `object` called `name`.
    ///
    /// The engine makes the list of an object anew each time, which takes longer than all the rest
    /// of a small call. So what its class says is kept, and the list is asked for only where it can
    /// say more: properties of scripts and of single objects, and a control in a container, whose
    /// place becomes read-only.
    pub(crate) fn of(object: &Gd<Object>, name: &str) -> Option<PropertyInfo> {
        let class = String::from(object.get_class());
        let (of_class, is_control) =
            Class::look_up(&class, |class| (class.property(name).cloned(), class.is_control));
        of_class
            .filter(|_| !is_control || !is_in_container(object))
            .or_else(|| PropertyInfo::listed(object, name))
    }

    /// The property of `object` called `name`, from the object's own list.
    pub(crate) fn listed(object: &Gd<Object>, name: &str) -> Option<PropertyInfo> {
        let keys = Keys::new();
        let wanted = GString::from(name).to_variant();
        let list = object.get_property_list();
        let found = list
            .iter_shared()
            .find(|entry| entry.get_or_nil(&keys.name) == wanted && keys.is_property(entry));
        found.map(|entry| keys.read(&entry, &object.get_class().to_string()))
    }

    /// Every property of `object`, without the headings that the engine lists among them.
    pub(crate) fn all(object: &Gd<Object>) -> Vec<PropertyInfo> {
        let keys = Keys::new();
        let owner = object.get_class().to_string();
        let list = object.get_property_list();
        list.iter_shared()
            .filter(|entry| keys.is_property(entry))
            .map(|entry| keys.read(&entry, &owner))
            .collect()
    }

    /// The properties of `object` that its script declares and the editor knows. In the editor a
    /// script that does not run there is stood in for by its exported variables, which are not
    /// marked as the script's; so the script itself is asked.
    pub(crate) fn of_script(object: &Gd<Object>) -> Vec<PropertyInfo> {
        let script = object.get_script().and_then(|script| script.try_cast::<Script>().ok());
        let Some(script) = script else { return Vec::new() };
        let keys = Keys::new();
        let declared = script.get_script_property_list();
        let declared: HashSet<String> = declared
            .iter_shared()
            .filter(|entry| keys.is_property(entry))
            .map(|entry| text(&entry.get_or_nil(&keys.name)))
            .collect();
        let mut properties = PropertyInfo::all(object);
        properties.retain(|info| declared.contains(&info.name));
        properties
    }

    /// What an entry of a property list says; `None` for a heading.
    pub(crate) fn from_dictionary(entry: &VarDictionary) -> Option<PropertyInfo> {
        let keys = Keys::new();
        keys.is_property(entry).then(|| keys.read(entry, ""))
    }

    /// The description of metadata, which need not exist to be set; `None` where the name is that of no
    /// metadata that could.
    pub(crate) fn of_metadata(name: &str) -> Option<PropertyInfo> {
        let key = name.strip_prefix("metadata/")?;
        let is_plain = key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && !key.starts_with(|c: char| c.is_ascii_digit())
            && !key.is_empty();
        is_plain.then(|| PropertyInfo::untyped(name))
    }

    /// The same of an object that holds this value: the engine says of some lists that they are numbers,
    /// as of the points of a curve.
    pub(crate) fn holding(self, value: &Variant) -> PropertyInfo {
        match value.get_type() {
            kind @ (VariantType::ARRAY | VariantType::DICTIONARY)
                if self.kind == VariantType::INT =>
            {
                PropertyInfo { kind, hint: PropertyHint::NONE, hint_string: String::new(), ..self }
            }
            _ => self,
        }
    }

    /// A property called `name` that takes any value, such as metadata that does not exist yet.
    pub(crate) fn untyped(name: &str) -> PropertyInfo {
        PropertyInfo { name: name.to_owned(), ..PropertyInfo::slot(VariantType::NIL) }
    }

    /// A slot for values of type `kind` that no property describes; of any type for null's.
    pub(crate) fn slot(kind: VariantType) -> PropertyInfo {
        let usage = match kind {
            VariantType::NIL => {
                PropertyUsageFlags::DEFAULT.with(PropertyUsageFlags::NIL_IS_VARIANT)
            }
            _ => PropertyUsageFlags::DEFAULT,
        };
        PropertyInfo {
            name: String::new(),
            kind,
            hint: PropertyHint::NONE,
            hint_string: String::new(),
            usage,
            class_name: String::new(),
            owner: String::new(),
        }
    }

    /// Whether a saved scene keeps it.
    pub(crate) fn is_stored(&self) -> bool {
        self.has(PropertyUsageFlags::STORAGE)
    }

    /// Whether setting it does nothing: the engine says so, or its class has no setter for it.
    pub(crate) fn is_read_only(&self) -> bool {
        self.has(PropertyUsageFlags::READ_ONLY) || self.has_only_a_getter()
    }

    /// Whether a script declares it.
    pub(crate) fn is_script_variable(&self) -> bool {
        self.has(PropertyUsageFlags::SCRIPT_VARIABLE)
    }

    /// Whether the engine's class has it, and not only this one object or its script.
    pub(crate) fn is_of_class(&self) -> bool {
        Class::look_up(&self.owner, |class| class.property(&self.name).is_some())
    }

    /// Whether it takes a value of any type. Without the flag, the type of null means none at all,
    /// as for a function that returns nothing.
    pub(crate) fn accepts_any(&self) -> bool {
        self.kind == VariantType::NIL && self.has(PropertyUsageFlags::NIL_IS_VARIANT)
    }

    /// Whether it takes null: objects and slots of any type do, and null removes metadata.
    pub(crate) fn accepts_null(&self) -> bool {
        matches!(self.kind, VariantType::NIL | VariantType::OBJECT)
            || self.name.starts_with("metadata/")
    }

    /// Its type as scripts write it, such as `Vector2`, `Texture2D` or `Array[int]`.
    pub(crate) fn type_name(&self) -> String {
        match self.kind {
            VariantType::OBJECT => match self.classes() {
                "" => "Object".to_owned(),
                classes => classes.to_owned(),
            },
            VariantType::ARRAY => match self.element() {
                Some(element) => format!("Array[{}]", element.type_name()),
                None => "Array".to_owned(),
            },
            VariantType::DICTIONARY => match self.entry() {
                Some((key, value)) => {
                    format!("Dictionary[{}, {}]", key.type_name(), value.type_name())
                }
                None => "Dictionary".to_owned(),
            },
            kind => name_of_kind(kind).to_owned(),
        }
    }

    /// The classes that an object may have, separated by commas; a `-` in front excludes one.
    pub(crate) fn classes(&self) -> &str {
        let by_hint = matches!(self.hint, PropertyHint::RESOURCE_TYPE | PropertyHint::NODE_TYPE);
        if by_hint && !self.hint_string.is_empty() { &self.hint_string } else { &self.class_name }
    }

    /// What an element of a typed array may be.
    pub(crate) fn element(&self) -> Option<PropertyInfo> {
        let typed = matches!(self.hint, PropertyHint::ARRAY_TYPE | PropertyHint::TYPE_STRING);
        (self.kind == VariantType::ARRAY && typed).then(|| element_of(&self.hint_string))?
    }

    /// What a key and a value of a typed dictionary may be.
    pub(crate) fn entry(&self) -> Option<(PropertyInfo, PropertyInfo)> {
        let typed = matches!(self.hint, PropertyHint::DICTIONARY_TYPE | PropertyHint::TYPE_STRING);
        if self.kind != VariantType::DICTIONARY || !typed {
            return None;
        }
        let (key, value) = self.hint_string.split_once(';')?;
        let any = || PropertyInfo::slot(VariantType::NIL);
        Some((element_of(key).unwrap_or_else(any), element_of(value).unwrap_or_else(any)))
    }

    /// Whether its number is a set of flags.
    pub(crate) fn is_flags(&self) -> bool {
        let flags = self.hint == PropertyHint::FLAGS || self.layers().is_some();
        self.kind == VariantType::INT && (flags || self.has(PropertyUsageFlags::CLASS_IS_BITFIELD))
    }

    /// Whether its number is one of a list.
    pub(crate) fn is_enum(&self) -> bool {
        let listed = self.hint == PropertyHint::ENUM && !self.hint_string.is_empty();
        self.kind == VariantType::INT && (listed || self.has(PropertyUsageFlags::CLASS_IS_ENUM))
    }

    /// The names that the inspector shows for its numbers; for flags, one a bit.
    pub(crate) fn enum_names(&self) -> Vec<(String, i64)> {
        if let Some((setting, count)) = self.layers() {
            return layer_names(setting, count);
        }
        match self.hint {
            PropertyHint::ENUM if self.kind == VariantType::INT => {
                parse_names(&self.hint_string, |_, last| last + 1)
            }
            PropertyHint::FLAGS => parse_names(&self.hint_string, |index, _| 1 << index.min(62)),
            _ => Vec::new(),
        }
    }

    /// The name of `value`; for flags, the names of its bits as `A|B`.
    pub(crate) fn name_of(&self, value: i64) -> Option<String> {
        let names = self.enum_names();
        if let Some((name, _)) = names.iter().find(|(_, known)| *known == value) {
            return Some(name.clone());
        }
        if !self.is_flags() || value == 0 {
            return None;
        }
        let set: Vec<_> =
            names.iter().filter(|(_, bits)| *bits != 0 && value & bits == *bits).collect();
        let covered = set.iter().fold(0, |all, (_, bits)| all | bits);
        let names: Vec<&str> = set.iter().map(|(name, _)| name.as_str()).collect();
        (covered == value).then(|| names.join("|"))
    }

    /// The constants of the enum that it holds, such as `TEXTURE_FILTER_NEAREST`.
    ///
    /// Not cheap: the list of properties does not name the enum, only the getter does.
    pub(crate) fn constants(&self) -> Vec<(String, i64)> {
        let name = match self.class_name.as_str() {
            "" => self.getter_class().unwrap_or_default(),
            name => name.to_owned(),
        };
        enum_constants(&name)
    }

    fn has(&self, flag: PropertyUsageFlags) -> bool {
        self.usage.is_set(flag)
    }

    fn has_only_a_getter(&self) -> bool {
        !self.owner.is_empty()
            && !self.is_script_variable()
            && Class::look_up(&self.owner, |class| class.only_gets(&self.name))
    }

    fn getter_class(&self) -> Option<String> {
        let mut classes = ClassDb::singleton();
        let owner = self.owner.as_str();
        let getter = classes.class_get_property_getter(owner, self.name.as_str());
        if getter.is_empty() {
            return None;
        }
        let keys = Keys::new();
        let getter = getter.to_string();
        let methods = classes.class_get_method_list(owner);
        let method =
            methods.iter_shared().find(|method| text(&method.get_or_nil(&keys.name)) == getter)?;
        let returned: AnyDictionary = method.get("return")?.try_to().ok()?;
        Some(text(&returned.get(&keys.class_name)?))
    }

    /// The project setting that names its layers, and how many there are.
    fn layers(&self) -> Option<(&'static str, u32)> {
        Some(match self.hint {
            PropertyHint::LAYERS_2D_RENDER => ("2d_render", 20),
            PropertyHint::LAYERS_2D_PHYSICS => ("2d_physics", 32),
            PropertyHint::LAYERS_2D_NAVIGATION => ("2d_navigation", 32),
            PropertyHint::LAYERS_3D_RENDER => ("3d_render", 20),
            PropertyHint::LAYERS_3D_PHYSICS => ("3d_physics", 32),
            PropertyHint::LAYERS_3D_NAVIGATION => ("3d_navigation", 32),
            PropertyHint::LAYERS_AVOIDANCE => ("avoidance", 32),
            _ => return None,
        })
    }
}

/// Whether the object is a control that a container puts in its place.
fn is_in_container(object: &Gd<Object>) -> bool {
    let control = object.clone().try_cast::<Control>().ok();
    control.and_then(|control| control.get_parent()).is_some_and(|it| it.is_class("Container"))
}

/// The keys of an entry of a property list, made once for a whole list.
struct Keys {
    name: Variant,
    kind: Variant,
    hint: Variant,
    hint_string: Variant,
    usage: Variant,
    class_name: Variant,
}

impl Keys {
    fn new() -> Keys {
        Keys {
            name: "name".to_variant(),
            kind: "type".to_variant(),
            hint: "hint".to_variant(),
            hint_string: "hint_string".to_variant(),
            usage: "usage".to_variant(),
            class_name: "class_name".to_variant(),
        }
    }

    fn usage(&self, entry: &VarDictionary) -> PropertyUsageFlags {
        let bits: i64 = entry.get_or_nil(&self.usage).try_to().unwrap_or_default();
        u64::try_from(bits)
            .ok()
            .and_then(PropertyUsageFlags::try_from_ord)
            .unwrap_or(PropertyUsageFlags::NONE)
    }

    /// Whether the entry is no heading.
    fn is_property(&self, entry: &VarDictionary) -> bool {
        let usage = self.usage(entry);
        ![PropertyUsageFlags::CATEGORY, PropertyUsageFlags::GROUP, PropertyUsageFlags::SUBGROUP]
            .into_iter()
            .any(|heading| usage.is_set(heading))
    }

    fn read(&self, entry: &VarDictionary, owner: &str) -> PropertyInfo {
        let ord = |key: &Variant| {
            entry.get_or_nil(key).try_to::<i64>().ok().and_then(|ord| i32::try_from(ord).ok())
        };
        PropertyInfo {
            name: text(&entry.get_or_nil(&self.name)),
            kind: ord(&self.kind).and_then(VariantType::try_from_ord).unwrap_or(VariantType::NIL),
            hint: ord(&self.hint)
                .and_then(PropertyHint::try_from_ord)
                .unwrap_or(PropertyHint::NONE),
            hint_string: text(&entry.get_or_nil(&self.hint_string)),
            usage: self.usage(entry),
            class_name: text(&entry.get_or_nil(&self.class_name)),
            owner: owner.to_owned(),
        }
    }
}

fn text(value: &Variant) -> String {
    if value.is_nil() { String::new() } else { value.stringify().to_string() }
}

/// The element that a hint string describes: `24/17:Texture2D`, `2:` or plainly `int`.
fn element_of(hint: &str) -> Option<PropertyInfo> {
    if !hint.starts_with(|c: char| c.is_ascii_digit()) {
        return named_element(hint);
    }
    let (head, rest) = hint.split_once(':').unwrap_or((hint, ""));
    let (kind, hint) = head.split_once('/').unwrap_or((head, "0"));
    let kind = VariantType::try_from_ord(kind.parse().ok()?)?;
    let mut element = PropertyInfo::slot(kind);
    element.hint = PropertyHint::try_from_ord(hint.parse().ok()?)?;
    if element.hint == PropertyHint::NONE && kind == VariantType::ARRAY && !rest.is_empty() {
        element.hint = PropertyHint::TYPE_STRING;
    }
    rest.clone_into(&mut element.hint_string);
    Some(element)
}

fn named_element(name: &str) -> Option<PropertyInfo> {
    if name.is_empty() || name == "Variant" {
        return None;
    }
    if let Some(kind) = kind_named(name) {
        return Some(PropertyInfo::slot(kind));
    }
    let is_enum = !enum_constants(name).is_empty();
    let mut element =
        PropertyInfo::slot(if is_enum { VariantType::INT } else { VariantType::OBJECT });
    if is_enum {
        element.usage = element.usage.with(PropertyUsageFlags::CLASS_IS_ENUM);
    }
    name.clone_into(&mut element.class_name);
    Some(element)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(kind: VariantType, hint: PropertyHint, hint_string: &str) -> PropertyInfo {
        PropertyInfo { hint, hint_string: hint_string.to_owned(), ..PropertyInfo::slot(kind) }
    }

    fn names(info: &PropertyInfo) -> Vec<(String, i64)> {
        info.enum_names()
    }

    #[test]
    fn enum_names_are_numbered_as_the_inspector_does() {
        let info = info(VariantType::INT, PropertyHint::ENUM, "Idle, Run:4,Jump,Dead:-1");
        let expected = [("Idle", 0), ("Run", 4), ("Jump", 5), ("Dead", -1)];
        assert_eq!(names(&info), expected.map(|(name, n)| (name.to_owned(), n)));
        assert_eq!(info.name_of(5).as_deref(), Some("Jump"));
        assert_eq!(info.name_of(7), None);
    }

    #[test]
    fn flags_are_one_a_bit_and_join() {
        let info = info(VariantType::INT, PropertyHint::FLAGS, "Fire,Water,Both:3,Ice:8");
        let expected = [("Fire", 1), ("Water", 2), ("Both", 3), ("Ice", 8)];
        assert_eq!(names(&info), expected.map(|(name, n)| (name.to_owned(), n)));
        assert_eq!(info.name_of(9).as_deref(), Some("Fire|Ice"));
        assert_eq!(info.name_of(4), None);
    }

    #[test]
    fn type_names_are_those_of_scripts() {
        for (info, expected) in [
            (info(VariantType::NIL, PropertyHint::NONE, ""), "Variant"),
            (info(VariantType::VECTOR2, PropertyHint::NONE, ""), "Vector2"),
            (info(VariantType::OBJECT, PropertyHint::RESOURCE_TYPE, "Texture2D"), "Texture2D"),
            (info(VariantType::OBJECT, PropertyHint::NONE, ""), "Object"),
            (info(VariantType::ARRAY, PropertyHint::NONE, ""), "Array"),
            (info(VariantType::ARRAY, PropertyHint::ARRAY_TYPE, "int"), "Array[int]"),
            (info(VariantType::ARRAY, PropertyHint::TYPE_STRING, "2:"), "Array[int]"),
            (
                info(VariantType::ARRAY, PropertyHint::TYPE_STRING, "24/17:Texture2D"),
                "Array[Texture2D]",
            ),
            (info(VariantType::ARRAY, PropertyHint::TYPE_STRING, "28:2:"), "Array[Array[int]]"),
            (
                info(VariantType::DICTIONARY, PropertyHint::DICTIONARY_TYPE, "String;int"),
                "Dictionary[String, int]",
            ),
            (
                info(VariantType::DICTIONARY, PropertyHint::DICTIONARY_TYPE, "4/0:;24/17:Curve"),
                "Dictionary[String, Curve]",
            ),
        ] {
            assert_eq!(info.type_name(), expected);
        }
    }

    #[test]
    fn only_objects_metadata_and_untyped_slots_take_null() {
        assert!(PropertyInfo::slot(VariantType::NIL).accepts_null());
        assert!(PropertyInfo::slot(VariantType::OBJECT).accepts_null());
        assert!(!PropertyInfo::slot(VariantType::INT).accepts_null());
        assert!(PropertyInfo::untyped("metadata/foo").accepts_null());
    }
}
