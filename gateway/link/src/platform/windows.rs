//! Windows: named pipes and folders that only their owner can open.
//!
//! The pipe of `gw-<pid>.sock` is called `\\.\pipe\godot-mcp-<user>-gw-<pid>`. Its security
//! descriptor names the user's own SID as owner and as the only one with access: not the default
//! owner, which is the group of administrators in an elevated process.

use std::{
    env, fs, io,
    os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle},
    path::{Path, PathBuf},
    ptr,
};

use interprocess::{
    local_socket::{
        GenericNamespaced, ListenerOptions, Name, ToNsName,
        tokio::{Listener, Stream, prelude::*},
        traits::StreamCommon,
    },
    os::windows::{local_socket::ListenerOptionsExt, security_descriptor::SecurityDescriptor},
};
use windows_sys::Win32::{
    Foundation::{HANDLE, LocalFree},
    Security::{
        Authorization::ConvertSidToStringSidW, GetTokenInformation, TOKEN_QUERY, TOKEN_USER,
        TokenUser,
    },
    System::Threading::{
        GetCurrentProcess, OpenProcess, OpenProcessToken, PROCESS_QUERY_LIMITED_INFORMATION,
    },
};

/// `%LOCALAPPDATA%\godot-mcp`: below the user's profile, which other users cannot read. MCP
/// clients pass this variable on.
pub(crate) fn runtime_dir() -> io::Result<PathBuf> {
    let base = env::var_os("LOCALAPPDATA")
        .ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "LOCALAPPDATA is not set"))?;
    Ok(PathBuf::from(base).join("godot-mcp"))
}

/// Makes the folder if it is missing. Access follows from the profile that it lies in.
pub(crate) fn make_private_dir(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)?;
    if fs::symlink_metadata(path)?.is_dir() {
        Ok(())
    } else {
        let reason = format!("{} is not a folder of its own", path.display());
        Err(io::Error::new(io::ErrorKind::PermissionDenied, reason))
    }
}

/// Access follows from the folder.
pub(crate) fn check_private_file(path: &Path) -> io::Result<()> {
    fs::symlink_metadata(path).map(drop)
}

/// Makes a file in a folder that only this user can open.
pub(crate) fn create_private_file(path: &Path) -> io::Result<fs::File> {
    fs::OpenOptions::new().write(true).create(true).truncate(true).open(path)
}

/// Whether an open file is the one that has this path now.
pub(crate) fn is_at(_: &fs::File, path: &Path) -> bool {
    path.exists()
}

/// Listens on a pipe that only this user can open.
pub(crate) fn listen(socket: &Path) -> io::Result<Listener> {
    let user = current_user()?;
    let text = widestring::U16CString::from_str(format!("O:{user}D:P(A;;GA;;;{user})"))
        .map_err(io::Error::other)?;
    let descriptor = SecurityDescriptor::deserialize(&text)?;
    ListenerOptions::new().name(name(socket)?).security_descriptor(descriptor).create_tokio()
}

/// Connects to a pipe.
pub(crate) async fn connect(socket: &Path) -> io::Result<Stream> {
    Stream::connect(name(socket)?).await
}

/// Whether the process at the other end belongs to this user.
pub(crate) fn is_same_user(stream: &Stream) -> io::Result<bool> {
    let pid = stream.peer_creds()?.pid().ok_or_else(|| io::Error::other("the peer has no pid"))?;
    // SAFETY: plain values in; the handle that comes out is checked and owned at once.
    let process = unsafe { OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, 0, pid) };
    if process.is_null() {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the handle is open and nobody else owns it.
    let process = unsafe { OwnedHandle::from_raw_handle(process) };
    Ok(user_of(process.as_raw_handle())? == current_user()?)
}

fn name(socket: &Path) -> io::Result<Name<'static>> {
    let stem = socket.file_stem().and_then(|stem| stem.to_str()).unwrap_or("gw");
    format!("godot-mcp-{}-{stem}", current_user()?).to_ns_name::<GenericNamespaced>()
}

fn current_user() -> io::Result<String> {
    // SAFETY: takes nothing and gives a pseudo handle that needs no closing.
    user_of(unsafe { GetCurrentProcess() })
}

/// The SID of the user that a process runs as, as text.
fn user_of(process: HANDLE) -> io::Result<String> {
    let mut token: HANDLE = ptr::null_mut();
    // SAFETY: `token` is a valid place for the handle that comes out.
    if unsafe { OpenProcessToken(process, TOKEN_QUERY, &mut token) } == 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the call succeeded, so the handle is open and ours.
    let token = unsafe { OwnedHandle::from_raw_handle(token) };

    // Of words, so that it is aligned for the structure; a SID has at most 68 bytes.
    let mut buffer = [0_u64; 32];
    let size = u32::try_from(size_of_val(&buffer)).map_err(io::Error::other)?;
    let mut used = 0;
    // SAFETY: the buffer is as long as the call is told.
    let read = unsafe {
        GetTokenInformation(
            token.as_raw_handle(),
            TokenUser,
            buffer.as_mut_ptr().cast(),
            size,
            &mut used,
        )
    };
    if read == 0 {
        return Err(io::Error::last_os_error());
    }
    let mut text: *mut u16 = ptr::null_mut();
    // SAFETY: the call before filled the buffer with this structure; its SID lies in the buffer.
    let converted = unsafe {
        let user = &*buffer.as_ptr().cast::<TOKEN_USER>();
        ConvertSidToStringSidW(user.User.Sid, &mut text)
    };
    if converted == 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the call gave a text that ends in NUL, to be freed with LocalFree and not used after.
    unsafe {
        let sid = widestring::U16CStr::from_ptr_str(text).to_string_lossy();
        LocalFree(text.cast());
        Ok(sid)
    }
}
