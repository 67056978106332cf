//! `godot_project_resolve_uid`.

use godot::{classes::ResourceUid, prelude::*};
use protocol::{
    Fault, Required, ResPath,
    tools::project::{ResolveUid, UidResolved},
};

use crate::{
    files::located,
    plan::{Context, Read},
    resource::{NO_UID, resolved_uid, uid_of},
};

impl Read for ResolveUid {
    fn read(self, _: &Context) -> Result<UidResolved, Fault> {
        let refuse = |why: String| Err(Fault::invalid(why).requiring(Required::parameter("value")));
        if self.value.starts_with("uid://") {
            if ResourceUid::singleton().text_to_id(&self.value) == NO_UID {
                return refuse(format!("'{}' is no UID; one looks like 'uid://b1…'.", self.value));
            }
            let path = resolved_uid(&self.value);
            return Ok(UidResolved { uid: Some(self.value), path });
        }
        let path = match ResPath::try_from(self.value) {
            Ok(path) => path,
            Err(why) => return refuse(format!("Give a 'uid://…' or a path: {why}.")),
        };
        if !located(&path, "value")?.exists() {
            return Err(Fault::not_found(format!("There is no file '{path}'."))
                .requiring(Required::parameter("value")));
        }
        Ok(UidResolved { uid: uid_of(path.as_str()), path: Some(path.into()) })
    }
}
