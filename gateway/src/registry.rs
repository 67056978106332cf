//! From a tool to its types.
//!
//! All that is generic over the tools is here, and each part is small. The rest of the gateway is
//! written once, against [`Spec`]. Nothing is built before it is asked for: a server that starts
//! pays for no schema.

use std::{pin::Pin, sync::OnceLock};

use jsonschema::Validator;
use protocol::{
    Command, Fault, Tool,
    stamp::{NEW_ERRORS, Stamped},
};
use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value, value::RawValue};

use crate::{
    Gateway,
    caller::Caller,
    safety::{self, flags_of},
    schema,
};

/// A JSON object.
pub type JsonObject = Map<String, Value>;

/// The future of a tool that the gateway answers.
pub type LocalAnswer<'a> = Pin<Box<dyn Future<Output = Result<Value, Fault>> + Send + 'a>>;

/// Runs a tool that the gateway answers.
pub type LocalTool = for<'a> fn(&'a Gateway, Box<RawValue>, &'a Caller) -> LocalAnswer<'a>;

/// The parameter that is wrong, and what is wrong with it.
pub(crate) type Misfit = (String, String);

/// One tool, erased from its Rust types.
pub struct Spec {
    tool: Tool,
    schemas: fn() -> (schema::Described, JsonObject),
    parse: fn(Value) -> Result<Box<RawValue>, Misfit>,
    conform: fn(&Value) -> Result<(), String>,
    local: Option<LocalTool>,
    surface: OnceLock<Surface>,
    validator: OnceLock<Option<Validator>>,
}

/// What an agent is told of a tool.
#[derive(Debug, Clone)]
pub struct Surface {
    /// The tool's name in words.
    pub title: String,
    /// What it does.
    pub description: String,
    /// The schema of its arguments, flags included.
    pub input: JsonObject,
    /// The schema of its result.
    pub output: JsonObject,
    /// The input schema with the `format` keywords that arguments are checked by.
    checked: JsonObject,
}

// One arm a tool: a tool without one does not compile, and neither does a `local` tool whose file
// `local/<toolset>/<action>.rs` is missing.
macro_rules! specs {
    ($root:tt, $($set:ident / $Set:ident $prefix:literal {
        $($name:ident $wire:literal $verb:ident $Params:ident -> $Output:ident;)*
    })*) => {
        /// The spec of a tool.
        pub fn spec(tool: Tool) -> &'static Spec {
            match tool {
                $($(Tool::$Params => {
                    static SPEC: Spec = spec_of!($verb $set $name $Params);
                    &SPEC
                })*)*
            }
        }
    };
}

macro_rules! spec_of {
    (reads $set:ident $name:ident $Params:ident) => {
        Spec::plain::<protocol::tools::$set::$Params>()
    };
    (asks $set:ident $name:ident $Params:ident) => {
        Spec::plain::<protocol::tools::$set::$Params>()
    };
    (edits $set:ident $name:ident $Params:ident) => {
        Spec::edits::<protocol::tools::$set::$Params>()
    };
    (overwrites $set:ident $name:ident $Params:ident) => {
        Spec::edits::<protocol::tools::$set::$Params>()
    };
    (batches $set:ident $name:ident $Params:ident) => {
        Spec::edits::<protocol::tools::$set::$Params>()
    };
    (games $set:ident $name:ident $Params:ident) => {
        Spec::plain::<protocol::tools::$set::$Params>()
    };
    (runs $set:ident $name:ident $Params:ident) => {
        Spec::plain::<protocol::tools::$set::$Params>()
    };
    (local $set:ident $name:ident $Params:ident) => {
        Spec::answered_here::<protocol::tools::$set::$Params>(|gateway, params, caller| {
            Box::pin(async move {
                to_value(&crate::local::$set::$name::run(gateway, parsed(&params)?, caller).await?)
            })
        })
    };
}

protocol::for_each_tool!(specs);

impl Spec {
    /// A call that answers with its result as it is.
    const fn plain<C: Command + JsonSchema>() -> Spec
    where
        C::Output: JsonSchema,
    {
        Spec::new::<C, C::Output>(None)
    }

    /// An edit answers with its stamp, preview or not.
    const fn edits<C: Command + JsonSchema>() -> Spec
    where
        C::Output: JsonSchema + protocol::Effect,
    {
        Spec::new::<C, Stamped<C::Output>>(None)
    }

    const fn answered_here<C: Command + JsonSchema>(run: LocalTool) -> Spec
    where
        C::Output: JsonSchema,
    {
        Spec::new::<C, C::Output>(Some(run))
    }

    const fn new<C, Output>(local: Option<LocalTool>) -> Spec
    where
        C: Command + JsonSchema,
        Output: DeserializeOwned + JsonSchema,
    {
        Spec {
            tool: C::TOOL,
            schemas: || (schema::input::<C>(), schema::output::<Output>()),
            parse: parse::<C>,
            conform: |result| Output::deserialize(result).map(drop).map_err(|e| e.to_string()),
            local,
            surface: OnceLock::new(),
            validator: OnceLock::new(),
        }
    }

    /// The tool.
    pub fn tool(&self) -> Tool {
        self.tool
    }

    /// How the gateway answers it, where it does.
    pub fn local(&self) -> Option<LocalTool> {
        self.local
    }

    /// What agents are told of it.
    pub fn surface(&self) -> &Surface {
        self.surface.get_or_init(|| {
            let (described, mut output) = (self.schemas)();
            if self.tool.is_about_the_game() {
                schema::add_new_errors(&mut output);
            }
            let mut checked = described.schema;
            schema::add_flags(&mut checked, flags_of(self.tool));
            Surface {
                title: title(self.tool.name()),
                description: described.description,
                input: schema::advertised(&checked),
                output,
                checked,
            }
        })
    }

    /// The input schema that arguments are checked by.
    pub(crate) fn checked_schema(&self) -> &JsonObject {
        &self.surface().checked
    }

    /// The validator of [`Self::checked_schema`]; none if it does not compile, which a test rules
    /// out for every tool.
    pub(crate) fn validator(&self) -> Option<&Validator> {
        self.validator
            .get_or_init(|| {
                schema::validator(&self.surface().checked)
                    .inspect_err(|error| tracing::error!(tool = self.tool.name(), error, "schema"))
                    .ok()
            })
            .as_ref()
    }

    /// The tool's own parameters, typed and written down again, and the flags.
    pub(crate) fn parse(
        &self,
        mut arguments: JsonObject,
    ) -> Result<(Box<RawValue>, safety::Asked), Misfit> {
        let asked = safety::Asked::take(&mut arguments, flags_of(self.tool));
        Ok(((self.parse)(Value::Object(arguments))?, asked))
    }

    /// Checks that an answer is the result that the schema promises.
    ///
    /// # Errors
    /// If it is not: the two builds do not belong together, or one has a defect.
    pub fn conform(&self, result: &Value) -> Result<(), Fault> {
        let counts_errors =
            !self.tool.is_about_the_game() || result.get(NEW_ERRORS).is_some_and(Value::is_u64);
        let missing = || format!("it does not tell {NEW_ERRORS}");
        let fits = if counts_errors { (self.conform)(result) } else { Err(missing()) };
        fits.map_err(|error| {
            Fault::internal(format!(
                "The editor broke the contract of {}: {error}. Check that add-on and server are of \
                 one version with godot_health_check.",
                self.tool.name()
            ))
        })
    }
}

fn parse<C: Command>(arguments: Value) -> Result<Box<RawValue>, Misfit> {
    let command: C = serde_path_to_error::deserialize(arguments)
        .map_err(|error| (error.path().to_string(), error.inner().to_string()))?;
    to_raw(&command).map_err(|fault| (String::new(), fault.hint))
}

fn parsed<C: DeserializeOwned>(params: &RawValue) -> Result<C, Fault> {
    serde_json::from_str(params.get()).map_err(|error| Fault::internal(error.to_string()))
}

/// A result as JSON.
///
/// # Errors
/// If it cannot be written as JSON, which no type of the contract allows.
pub fn to_value<T: Serialize>(result: &T) -> Result<Value, Fault> {
    serde_json::to_value(result).map_err(|error| Fault::internal(error.to_string()))
}

/// Parameters as JSON text.
///
/// # Errors
/// If they cannot be written as JSON, which no type of the contract allows.
pub fn to_raw<T: Serialize>(params: &T) -> Result<Box<RawValue>, Fault> {
    serde_json::value::to_raw_value(params).map_err(|error| Fault::internal(error.to_string()))
}

/// `godot_scene_edit_create_node` in words.
fn title(name: &str) -> String {
    let words = name.split('_').map(|word| {
        let mut letters = word.chars();
        letters.next().map(|first| first.to_uppercase().chain(letters).collect::<String>())
    });
    words.flatten().collect::<Vec<_>>().join(" ")
}
