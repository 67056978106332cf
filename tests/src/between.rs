//! Stands between an editor and a gateway, where raw bytes can be slipped in.

use std::{
    fs,
    io::{self, Read, Write},
    os::unix::net::{UnixListener, UnixStream},
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
    thread,
};

use link::Directory;

/// Carries frames between an editor and a gateway that meet in different folders, for who has something
/// to add.
#[derive(Debug)]
pub struct Between {
    editor: Arc<Mutex<Option<UnixStream>>>,
    lock: Option<fs::File>,
    folder: PathBuf,
}

/// Names the sign of a gateway that is nobody's process.
const SIGN: &str = "gw-7";

impl Between {
    /// Stands as a gateway in the folder `here` and leads to the one in the folder `there`.
    pub fn stand(here: &Path, there: &Path) -> Between {
        let (editors, gateways) =
            (Directory::at(here.into()).unwrap(), Directory::at(there.into()));
        let gateways = gateways.unwrap();
        gateways.secret().unwrap();
        fs::copy(there.join("secret"), here.join("secret")).unwrap();
        let gateway = gateways.live_gateways().unwrap().remove(0).to_string();
        let lock = fs::File::create(editors.path().join(SIGN).with_extension("lock")).unwrap();
        lock.lock().unwrap();
        let listener =
            UnixListener::bind(editors.path().join(SIGN).with_extension("sock")).unwrap();
        let editor: Arc<Mutex<Option<UnixStream>>> = Arc::default();
        let shared = editor.clone();
        thread::spawn(move || {
            for dialed in listener.incoming() {
                let (Ok(dialed), Ok(gateway)) = (dialed, UnixStream::connect(&gateway)) else {
                    return;
                };
                let both = (dialed.try_clone().unwrap(), gateway.try_clone().unwrap());
                let shown = shared.clone();
                let up = dialed.try_clone().unwrap();
                thread::spawn(move || {
                    carry(gateway, dialed, |frames| {
                        // What the gateway says of itself is its third frame: now commands may come.
                        if frames == 3 {
                            *shown.lock().unwrap() = up.try_clone().ok();
                        }
                    })
                });
                carry(both.0, both.1, |_| {});
                shared.lock().unwrap().take();
            }
        });
        Between { editor, lock: Some(lock), folder: here.to_owned() }
    }

    /// The way to the editor, once both sides know each other.
    pub fn editor(&self) -> Option<UnixStream> {
        self.editor.lock().unwrap().as_ref().and_then(|stream| stream.try_clone().ok())
    }

    /// Whether both sides know each other.
    pub fn is_up(&self) -> bool {
        self.editor.lock().unwrap().is_some()
    }
}

impl Drop for Between {
    fn drop(&mut self) {
        self.lock = None;
        for extension in ["sock", "lock"] {
            let _ = fs::remove_file(self.folder.join(SIGN).with_extension(extension));
        }
        if let Some(stream) = self.editor() {
            let _ = stream.shutdown(std::net::Shutdown::Both);
        }
    }
}

/// Carries whole frames one way until either end hangs up, and counts them.
fn carry(mut from: UnixStream, mut to: UnixStream, mut seen: impl FnMut(usize)) {
    let mut count = 0;
    let mut pass = || -> io::Result<()> {
        let mut length = [0; 4];
        from.read_exact(&mut length)?;
        let mut body = vec![0; usize::try_from(u32::from_be_bytes(length)).unwrap()];
        from.read_exact(&mut body)?;
        to.write_all(&[&length[..], &body].concat())?;
        count += 1;
        seen(count);
        Ok(())
    };
    while pass().is_ok() {}
    let _ = to.shutdown(std::net::Shutdown::Both);
}
