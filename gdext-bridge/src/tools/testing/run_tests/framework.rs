//! The frameworks that tests are written for, and how they are started.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU32, Ordering},
};

use protocol::{Fault, Required, ResPath};

use crate::{
    files::{self, unreadable},
    folder::Folder,
    resource::on_disk,
};

/// A framework for tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Framework {
    /// GUT.
    Gut,
    /// gdUnit4.
    GdUnit4,
}

impl Framework {
    const ALL: [Framework; 2] = [Framework::Gut, Framework::GdUnit4];

    /// As agents read it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Framework::Gut => "gut",
            Framework::GdUnit4 => "gdunit4",
        }
    }

    /// The script that runs tests from a command line.
    pub(super) fn script(self) -> &'static str {
        match self {
            Framework::Gut => "res://addons/gut/gut_cmdln.gd",
            Framework::GdUnit4 => "res://addons/gdUnit4/bin/GdUnitCmdTool.gd",
        }
    }

    /// What the files of tests extend.
    fn base(self) -> &'static str {
        match self {
            Framework::Gut => "GutTest",
            Framework::GdUnit4 => "GdUnitTestSuite",
        }
    }

    /// What a file must be like for the framework to find tests in it.
    pub(super) fn finds(self) -> &'static str {
        match self {
            Framework::Gut => "files called test_*.gd that extend GutTest",
            Framework::GdUnit4 => "scripts that extend GdUnitTestSuite",
        }
    }

    /// Those that the project has.
    pub(super) fn installed() -> Vec<Framework> {
        let is_there = |it: &Framework| on_disk(it.script()).is_file();
        Framework::ALL.into_iter().filter(is_there).collect()
    }

    /// The one of these that the tests in a folder are written for; the first if that cannot be told.
    pub(super) fn of(installed: &[Framework], folder: &Folder) -> Result<Option<Framework>, Fault> {
        let mut found = None;
        let look = &mut |path: &str| {
            let is_script = path.ends_with(".gd");
            let text = files::read(&on_disk(path)).ok().flatten().filter(|_| is_script);
            let text = String::from_utf8_lossy(&text.unwrap_or_default()).into_owned();
            found = installed.iter().copied().find(|it| text.contains(it.base()));
            found.is_none()
        };
        if installed.len() > 1 {
            folder.each_file(look).map_err(|error| unreadable(folder.path(), &error))?;
        }
        Ok(found.or(installed.first().copied()))
    }

    /// The arguments that have Godot run the tests of a folder and write a report to `reports`.
    pub(super) fn arguments(self, folder: &ResPath, reports: &str) -> Result<Vec<String>, Fault> {
        if self == Framework::Gut && folder.as_str().contains(',') {
            return Err(Fault::invalid(format!(
                "GUT takes '{folder}' for several folders, as its name has a comma. Nothing was run. \
                 Move the tests to a folder without one."
            ))
            .requiring(Required::parameter("test_dir")));
        }
        let own = |arguments: &[&str]| arguments.iter().map(|it| (*it).to_owned()).collect();
        let mut arguments: Vec<String> = vec!["-s".to_owned(), self.script().to_owned()];
        let more: Vec<String> = match self {
            Framework::Gut => own(&[
                &format!("-gdir={folder}"),
                "-ginclude_subdirs",
                "-gexit",
                "-gdisable_colors",
                &format!("-gjunit_xml_file={reports}/results.xml"),
            ]),
            // It takes a path that begins with "/" for one of the project, but one of the user's
            // folder for what it is.
            Framework::GdUnit4 => {
                own(&["-a", folder.as_str(), "-rd", reports, "-c", "--ignoreHeadlessMode"])
            }
        };
        arguments.extend(more);
        Ok(arguments)
    }
}

/// A folder for reports outside of the project, which goes away with this.
pub(super) struct Reports {
    path: String,
    place: PathBuf,
}

/// Where these folders are.
const FOLDER: &str = "user://godot_mcp_tests";

impl Reports {
    /// A new, empty folder.
    pub(super) fn make() -> Result<Reports, Fault> {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let path = format!("{FOLDER}/{}-{number}", std::process::id());
        let place = on_disk(&path);
        fs::create_dir_all(&place).map_err(|error| {
            Fault::internal(format!(
                "The folder for the report, '{}', cannot be made: {error}. Nothing was run.",
                place.display()
            ))
        })?;
        Ok(Reports { path, place })
    }

    /// The folder, as Godot names it.
    pub(super) fn path(&self) -> &str {
        &self.path
    }

    /// The report, if one was written.
    pub(super) fn read(&self) -> Option<String> {
        let content = fs::read(find(&self.place)?).ok()?;
        Some(String::from_utf8_lossy(&content).into_owned())
    }
}

impl Drop for Reports {
    fn drop(&mut self) {
        // What cannot be removed is small, and outside of the project.
        let _ = fs::remove_dir_all(&self.place);
        if let Some(folder) = self.place.parent() {
            let _ = fs::remove_dir(folder);
        }
    }
}

/// A file with results, in a folder or below it.
fn find(folder: &Path) -> Option<PathBuf> {
    let entries: Vec<PathBuf> =
        fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path()).collect();
    let is_report = |path: &PathBuf| path.extension().is_some_and(|end| end == "xml");
    let here = entries.iter().find(|path| path.is_file() && is_report(path)).cloned();
    here.or_else(|| entries.iter().filter(|path| path.is_dir()).find_map(|path| find(path)))
}
