//! A place that only this user can look into.

use std::io;

use tempfile::{Builder, TempDir};

/// A new folder among the temporary files. Dropping it removes it with all that is in it.
///
/// # Errors
/// If there is no room for it.
pub(super) fn folder() -> io::Result<TempDir> {
    let mut builder = Builder::new();
    builder.prefix("godot-mcp-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o700));
    }
    // Elsewhere the folder for temporary files is the user's own.
    builder.tempdir()
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use tempfile::NamedTempFile;

    #[test]
    fn nobody_else_can_look_in() {
        let folder = super::folder().unwrap();
        let file = NamedTempFile::new_in(folder.path()).unwrap();
        let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(folder.path()), mode(file.path())), (0o700, 0o600));
    }
}
