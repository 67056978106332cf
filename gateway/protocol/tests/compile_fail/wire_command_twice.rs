//! Two rows with one command on the link.

pub trait Command {
    const TOOL: Tool;
    type Output;
}

pub mod tools {
    pub mod toys {
        pub struct Look {}
        pub struct Looked {}
        pub struct Paint {}
        pub struct Painted {
            pub painted: bool,
        }
    }
}

macro_rules! for_each_toy {
    ($callback:path) => {
        $callback! {
            crate,
            toys / Toys "godot_toys_" {
                look  "cmd_look" reads Look -> Looked;
                paint "cmd_look" edits Paint -> Painted;
            }
        }
    };
}

for_each_toy!(protocol::define_tools);

/// As in `gateway/src/safety/class.rs`: no default arm.
pub const fn class_of(tool: Tool) -> &'static str {
    match tool {
        Tool::Look => "read_only",
        Tool::Paint => "mutating",
    }
}

/// As in `gdext-bridge/src/dispatch.rs`: every row needs its handler, and an edit needs a plan.
pub trait Effect {}
pub trait Reads: Command {}
pub trait Edits: Command
where
    Self::Output: Effect,
{
}

impl Reads for tools::toys::Look {}
impl Edits for tools::toys::Paint {}

impl Effect for tools::toys::Painted {}

macro_rules! needs_handlers {
    ($root:tt, $($set:ident / $Set:ident $prefix:literal {
        $($name:ident $wire:literal $verb:ident $Params:ident -> $Output:ident;)*
    })*) => { $($(needs_handler!($verb $root::tools::$set::$Params);)*)* };
}

macro_rules! needs_handler {
    (reads $Params:ty) => {
        const _: fn() = || {
            fn reads<T: Reads>() {}
            reads::<$Params>();
        };
    };
    (edits $Params:ty) => {
        const _: fn() = || {
            fn edits<T: Edits>()
            where
                T::Output: Effect,
            {
            }
            edits::<$Params>();
        };
    };
}

for_each_toy!(needs_handlers);

fn main() {
    assert_eq!(class_of(Tool::Look), "read_only");
}
