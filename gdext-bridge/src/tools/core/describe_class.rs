//! `godot_describe_class`.

use godot::{
    classes::{ClassDb, ResourceLoader, Script},
    prelude::*,
    register::info::MethodFlags,
};
use protocol::{
    Fault, GodotValue, Required,
    tools::core::{
        ClassArgument, ClassConstant, ClassDescription, ClassEnum, ClassMethod, ClassProperty,
        ClassSignal, DescribeClass,
    },
};

use crate::{
    plan::{Context, Read},
    property::PropertyInfo,
    resource::{GlobalClass, global_class, global_classes, nearest},
    tools::page::{PAGE_CHARACTERS, Page},
    variant,
};

impl Read for DescribeClass {
    fn read(self, _: &Context) -> Result<ClassDescription, Fault> {
        let page = Page::parse(&self.cursor)?;
        let mut description = if ClassDb::singleton().class_exists(&self.class_name) {
            of_engine(&self.class_name, self.include_inherited)
        } else {
            of_script(&self.class_name, self.include_inherited)?
        };
        if !self.include_private {
            let is_public = |name: &str| !name.starts_with('_');
            description.properties.retain(|property| is_public(&property.name));
            description.methods.retain(|method| is_public(&method.name));
            description.signals.retain(|signal| is_public(&signal.name));
        }
        Ok(cut(description, &page))
    }
}

/// Keeps of all members those of one page.
fn cut(mut whole: ClassDescription, page: &Page) -> ClassDescription {
    let mut window = page.window(PAGE_CHARACTERS);
    whole.properties.retain(|member| window.admits(member));
    whole.methods.retain(|member| window.admits(member));
    whole.signals.retain(|member| window.admits(member));
    whole.constants.retain(|member| window.admits(member));
    whole.enums.retain(|member| window.admits(member));
    whole.total = window.seen();
    whole.next_cursor = window.next_cursor();
    whole
}

fn of_engine(class: &str, inherited: bool) -> ClassDescription {
    let db = ClassDb::singleton();
    let own = !inherited;
    let chain = chain(class);
    let properties = db.class_get_property_list_ex(class).no_inheritance(own).done();
    let methods = db.class_get_method_list_ex(class).no_inheritance(own).done();
    let signals = db.class_get_signal_list_ex(class).no_inheritance(own).done();
    let constants = db.class_get_integer_constant_list_ex(class).no_inheritance(own).done();
    let enums = db.class_get_enum_list_ex(class).no_inheritance(own).done();
    ClassDescription {
        class_name: class.to_owned(),
        inherits: chain.first().cloned().unwrap_or_default(),
        inherits_chain: chain,
        can_instantiate: db.can_instantiate(class),
        properties: properties
            .iter_shared()
            .filter_map(|entry| PropertyInfo::from_dictionary(&entry))
            .map(|info| ClassProperty {
                kind: info.type_name(),
                default: GodotValue(variant::to_json(
                    &db.class_get_property_default_value(class, info.name.as_str()),
                )),
                name: info.name,
            })
            .collect(),
        methods: methods.iter_shared().map(|entry| method(&entry)).collect(),
        signals: signals.iter_shared().map(|entry| signal(&entry)).collect(),
        constants: constants
            .as_slice()
            .iter()
            .map(|name| {
                let name = name.to_string();
                ClassConstant {
                    value: db.class_get_integer_constant(class, name.as_str()),
                    of_enum: db.class_get_integer_constant_enum(class, name.as_str()).to_string(),
                    name,
                }
            })
            .collect(),
        enums: enums
            .as_slice()
            .iter()
            .map(|name| {
                let name = name.to_string();
                let members = db.class_get_enum_constants(class, name.as_str());
                let members = members.as_slice().iter().map(ToString::to_string).collect();
                ClassEnum { name, members }
            })
            .collect(),
        script: None,
        total: 0,
        next_cursor: None,
    }
}

/// A class of the project: what its script adds, and on request what its base has.
fn of_script(class: &str, inherited: bool) -> Result<ClassDescription, Fault> {
    let global = global_class(class);
    let mut globals = global_classes();
    let Some(global) = global else {
        globals.retain(|other| other.name != class);
        return Err(unknown(class, &globals));
    };
    let script = ResourceLoader::singleton().load(global.path.as_str());
    let Some(script) = script.and_then(|script| script.try_cast::<Script>().ok()) else {
        return Err(Fault::not_found(format!("The script '{}' cannot be loaded.", global.path)));
    };
    let mut bases = Vec::new();
    let mut base = global.base.clone();
    while let Some(next) = globals.iter().find(|other| other.name == base && !bases.contains(&base))
    {
        bases.push(base);
        base = next.base.clone();
    }
    let engine = base.clone();
    bases.push(base);
    bases.extend(chain(&engine));
    let mut description = if inherited {
        of_engine(&engine, true)
    } else {
        ClassDescription {
            properties: Vec::new(),
            methods: Vec::new(),
            signals: Vec::new(),
            constants: Vec::new(),
            enums: Vec::new(),
            ..of_engine(&engine, false)
        }
    };
    description.class_name = class.to_owned();
    description.inherits.clone_from(&global.base);
    description.inherits_chain = bases;
    // `Script.can_instantiate` denies it in the editor for scripts that do not run there.
    description.can_instantiate =
        !global.is_abstract && ClassDb::singleton().can_instantiate(engine.as_str());
    description.script = Some(global.path.clone());
    let properties = script.get_script_property_list();
    description.properties.extend(
        properties.iter_shared().filter_map(|entry| PropertyInfo::from_dictionary(&entry)).map(
            |info| ClassProperty {
                kind: info.type_name(),
                default: GodotValue(variant::to_json(
                    &script.clone().get_property_default_value(info.name.as_str()),
                )),
                name: info.name,
            },
        ),
    );
    let methods = script.get_script_method_list();
    description.methods.extend(methods.iter_shared().map(|entry| method(&entry)));
    let signals = script.get_script_signal_list();
    description.signals.extend(signals.iter_shared().map(|entry| signal(&entry)));
    for (name, value) in script.get_script_constant_map().iter_shared() {
        if let Ok(value) = value.try_to::<i64>() {
            description.constants.push(ClassConstant {
                name: name.to_string(),
                value,
                of_enum: String::new(),
            });
        }
    }
    Ok(description)
}

/// What a class of the engine extends, nearest first.
fn chain(class: &str) -> Vec<String> {
    let db = ClassDb::singleton();
    let mut chain = Vec::new();
    let mut at = db.get_parent_class(class).to_string();
    while !at.is_empty() {
        let next = db.get_parent_class(at.as_str()).to_string();
        chain.push(at);
        at = next;
    }
    chain
}

fn method(entry: &VarDictionary) -> ClassMethod {
    let flags: i64 = entry.get("flags").and_then(|flags| flags.try_to().ok()).unwrap_or_default();
    let mut args = arguments(entry);
    if flags & i64::try_from(MethodFlags::VARARG.ord()).unwrap_or_default() != 0 {
        args.push(ClassArgument { name: "...".to_owned(), kind: "Variant".to_owned() });
    }
    let returns = entry.get("return").and_then(|info| info.try_to::<VarDictionary>().ok());
    ClassMethod {
        name: name(entry),
        args,
        return_type: returns.map_or("void".to_owned(), |info| type_of(&info, "void")),
    }
}

fn signal(entry: &VarDictionary) -> ClassSignal {
    ClassSignal { name: name(entry), args: arguments(entry) }
}

fn arguments(entry: &VarDictionary) -> Vec<ClassArgument> {
    let list = entry.get("args").unwrap_or_default();
    let Ok(list) = list.try_to::<Array<VarDictionary>>() else { return Vec::new() };
    list.iter_shared()
        .map(|info| ClassArgument { name: name(&info), kind: type_of(&info, "Variant") })
        .collect()
}

fn name(entry: &VarDictionary) -> String {
    entry.get("name").map(|name| name.to_string()).unwrap_or_default()
}

/// The type of an argument or a return value; `nil` is what no type means there.
fn type_of(info: &VarDictionary, nil: &str) -> String {
    match PropertyInfo::from_dictionary(info) {
        Some(info) if info.kind == VariantType::NIL && !info.accepts_any() => nil.to_owned(),
        Some(info) => info.type_name(),
        None => nil.to_owned(),
    }
}

fn unknown(class: &str, globals: &[GlobalClass]) -> Fault {
    let names = ClassDb::singleton().get_class_list();
    let names: Vec<String> = names.as_slice().iter().map(ToString::to_string).collect();
    let names = names.iter().map(String::as_str);
    let near = nearest(class, names.chain(globals.iter().map(|global| global.name.as_str())));
    let near = near.map(|near| format!(" Did you mean '{near}'?")).unwrap_or_default();
    Fault::invalid(format!("There is no class '{class}'.{near}"))
        .requiring(Required::parameter("class_name"))
}
