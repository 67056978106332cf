//! Linux and macOS: modes and owners, socket files, peer credentials.

use std::{
    fs, io,
    os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

use interprocess::{
    local_socket::{
        GenericFilePath, ListenerOptions, Name, ToFsName,
        tokio::{Listener, Stream, prelude::*},
        traits::StreamCommon,
    },
    os::unix::local_socket::ListenerOptionsExt,
};

/// `/run/user/<uid>/godot-mcp` where that is a private folder, else `/tmp/godot-mcp-<uid>`.
pub(crate) fn runtime_dir() -> io::Result<PathBuf> {
    let uid = user();
    let run = PathBuf::from(format!("/run/user/{uid}"));
    Ok(match fs::symlink_metadata(&run) {
        Ok(facts) if is_private_dir(&facts) => run.join("godot-mcp"),
        _ => PathBuf::from(format!("/tmp/godot-mcp-{uid}")),
    })
}

/// Makes the folder if it is missing, and refuses one that others could use. Looked at without
/// following a link, as anybody may plant one in `/tmp`.
pub(crate) fn make_private_dir(path: &Path) -> io::Result<()> {
    match fs::DirBuilder::new().mode(0o700).create(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    if is_private_dir(&fs::symlink_metadata(path)?) { Ok(()) } else { Err(not_private(path)) }
}

/// Refuses a file that others could have written or read.
pub(crate) fn check_private_file(path: &Path) -> io::Result<()> {
    let facts = fs::symlink_metadata(path)?;
    let private = facts.is_file() && is_private_to(user(), &facts);
    if private { Ok(()) } else { Err(not_private(path)) }
}

/// Makes a file that only this user can open.
pub(crate) fn create_private_file(path: &Path) -> io::Result<fs::File> {
    fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path)
}

/// Whether an open file is the one that has this path now.
pub(crate) fn is_at(file: &fs::File, path: &Path) -> bool {
    let same = |a: &fs::Metadata, b: &fs::Metadata| (a.dev(), a.ino()) == (b.dev(), b.ino());
    match (file.metadata(), fs::symlink_metadata(path)) {
        (Ok(opened), Ok(there)) => same(&opened, &there),
        _ => false,
    }
}

/// Listens on a socket that is private from the moment it exists.
pub(crate) fn listen(socket: &Path) -> io::Result<Listener> {
    ListenerOptions::new().name(name(socket)?).try_overwrite(true).mode(0o600).create_tokio()
}

/// Connects to a socket.
pub(crate) async fn connect(socket: &Path) -> io::Result<Stream> {
    Stream::connect(name(socket)?).await
}

/// Whether the process at the other end belongs to this user.
pub(crate) fn is_same_user(stream: &Stream) -> io::Result<bool> {
    Ok(stream.peer_creds()?.euid() == Some(user()))
}

fn name(socket: &Path) -> io::Result<Name<'_>> {
    socket.to_fs_name::<GenericFilePath>()
}

fn user() -> u32 {
    rustix::process::geteuid().as_raw()
}

fn is_private_dir(facts: &fs::Metadata) -> bool {
    facts.is_dir() && is_private_to(user(), facts)
}

/// Whether a file or a folder belongs to `user`, and nobody else may do anything with it.
fn is_private_to(user: u32, facts: &fs::Metadata) -> bool {
    facts.uid() == user && facts.mode() & 0o077 == 0
}

fn not_private(path: &Path) -> io::Error {
    io::Error::new(
        io::ErrorKind::PermissionDenied,
        format!("{} is not private to user {}: its owner or mode is wrong", path.display(), user()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_belongs_to_somebody_else_is_not_private() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("run");
        make_private_dir(&folder).unwrap();
        let facts = fs::symlink_metadata(&folder).unwrap();
        assert!(is_private_to(user(), &facts));
        assert!(!is_private_to(user() + 1, &facts));
        // Only root can give a folder away.
        if std::os::unix::fs::chown(&folder, Some(user() + 1), None).is_ok() {
            let refused = make_private_dir(&folder).unwrap_err();
            assert_eq!(refused.kind(), io::ErrorKind::PermissionDenied);
            assert!(refused.to_string().contains("owner"), "{refused}");
        }
    }
}
