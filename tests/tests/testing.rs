//! The toolset `testing`: whether the game does as it should.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

use e2e::cases::{Case, Test, case, run};
use serde_json::{Value, json};

const COMPARE: &str = "testing_compare_screenshots";
const TESTS: &str = "testing_run_tests";

/// Where GUT has the script for its command line.
const GUT: &str = "res://addons/gut/gut_cmdln.gd";

/// Where gdUnit4 has it.
const GDUNIT4: &str = "res://addons/gdUnit4/bin/GdUnitCmdTool.gd";

/// 2 × 2 black pixels.
const BLACK: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAC0lEQVR42mNgQAYAAA4AATo1BFYAAAAASUVORK5CYII=";

/// The same, the last one white.
const ONE_WHITE: &str = "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAD0lEQVR42mNggIP///8DAAYIAv5YIQGsAAAAAElFTkSuQmCC";

/// One black pixel.
const SMALL: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mNgYGAAAAAEAAHI6uv5AAAAAElFTkSuQmCC";

fn main() -> ExitCode {
    run([comparing(), refusals(), testing()].into_iter().flatten().collect())
}

fn comparing() -> Vec<Case> {
    vec![
        case("the same image matches, in whatever way it is named", |t| {
            let data = format!("data:image/png;base64,{BLACK}");
            let compared = t.ok(COMPARE, json!({"image_a": BLACK, "image_b": data}));
            assert_eq!((&compared["match"], &compared["score"]), (&json!(true), &json!(1.0)));
            assert!(compared.get("changed_region").is_none(), "{compared}");
        }),
        case("what differs is counted and framed", |t| {
            let compared = t.ok(COMPARE, json!({"image_a": BLACK, "image_b": ONE_WHITE}));
            assert_eq!(compared["same_size"], true, "{compared}");
            assert_eq!(
                (&compared["diff_pixels"], &compared["total_pixels"], &compared["diff_ratio"]),
                (&json!(1), &json!(4), &json!(0.25)),
                "{compared}"
            );
            assert_eq!(
                compared["changed_region"],
                json!({"x": 1, "y": 1, "width": 1, "height": 1})
            );
            assert_eq!(compared["score"], 0.75, "{compared}");
            assert_eq!(compared["match"], false, "{compared}");
            let tolerant = json!({"image_a": BLACK, "image_b": ONE_WHITE, "tolerance": 1.0});
            assert_eq!(t.ok(COMPARE, tolerant)["match"], true);
        }),
        case("two sizes are told, and nothing else is compared", |t| {
            let compared = t.ok(COMPARE, json!({"image_a": BLACK, "image_b": SMALL}));
            assert_eq!(compared["same_size"], false, "{compared}");
            assert_eq!(compared["other_size"], json!([1, 1]), "{compared}");
            assert_eq!(compared["match"], false, "{compared}");
        }),
    ]
}

fn refusals() -> Vec<Case> {
    vec![case("what is no image of the project is refused", |t| {
        for (image, code) in [
            ("c99", "RESOURCE_NOT_FOUND"),
            ("res://none.png", "RESOURCE_NOT_FOUND"),
            ("res://project.godot", "VALIDATION_ERROR"),
            ("res://../a.png", "VALIDATION_ERROR"),
            ("file:///etc/a.png", "VALIDATION_ERROR"),
            ("no image", "VALIDATION_ERROR"),
            ("bm90IGE=", "VALIDATION_ERROR"),
        ] {
            let fault = t.fault(COMPARE, json!({"image_a": SMALL, "image_b": image}), code);
            assert_eq!(fault["required"], "image_b", "{fault}");
        }
        let path = t.path("false.png");
        fs::write(t.project().file(&path), "text").unwrap();
        t.fault(COMPARE, json!({"image_a": path, "image_b": SMALL}), "VALIDATION_ERROR");
    })]
}

/// Stands in for GUT: takes the same arguments, and prints and writes the same. A test of it returns
/// nothing, or the line and what is wrong there.
const LIKE_GUT: &str = r#"extends SceneTree

func _init():
	var folder := ""
	var report := ""
	for argument in OS.get_cmdline_args():
		if argument.begins_with("-gdir="):
			folder = argument.trim_prefix("-gdir=")
		if argument.begins_with("-gjunit_xml_file="):
			report = argument.trim_prefix("-gjunit_xml_file=")
	print("---  GUT  ---")
	var failed := 0
	var xml := "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"GutTests\" >\n"
	for file in DirAccess.get_files_at(folder):
		if not (file.begins_with("test_") and file.ends_with(".gd")):
			continue
		var path := folder.path_join(file)
		var suite = load(path)
		if suite == null or not suite.can_instantiate():
			continue
		print("\n", path)
		xml += "<testsuite name=\"%s\" >\n" % path.trim_prefix("res://")
		var tests = suite.new()
		for method in suite.get_script_method_list():
			print("* ", method.name)
			var wrong = tests.call(method.name)
			var status := "pass" if wrong == null else "fail"
			xml += "<testcase name=\"%s\" status=\"%s\" >\n" % [method.name, status]
			if wrong != null:
				failed += 1
				print("    [Failed]:  ", wrong[1], "\n      at line ", wrong[0])
				xml += "<failure message=\"failed\"><![CDATA[%s\n            at line %d]]></failure>" % [wrong[1], wrong[0]]
			xml += "</testcase>\n"
		xml += "</testsuite>\n"
	FileAccess.open(report, FileAccess.WRITE).store_string(xml + "</testsuites>")
	quit(1 if failed > 0 else 0)
"#;

/// Stands in for gdUnit4, likewise, with what it would find in one file.
const LIKE_GDUNIT4: &str = r#"extends SceneTree

func _init():
	var arguments := OS.get_cmdline_args()
	var suite := arguments[arguments.find("-a") + 1].path_join("unit_test.gd")
	var reports := arguments[arguments.find("-rd") + 1].path_join("report_1")
	assert(FileAccess.file_exists(suite) and arguments.has("--ignoreHeadlessMode"))
	DirAccess.make_dir_recursive_absolute(reports)
	print("  %s > test_bad STARTED\n  %s > test_bad FAILED 2ms" % [suite, suite])
	var xml := "<testsuites>\n<testsuite name=\"unit_test\" package=\"%s\">\n" % suite.get_base_dir().trim_prefix("res://")
	xml += "<testcase name=\"test_ok\" classname=\"unit_test\"></testcase>\n<testcase name=\"test_bad\">"
	xml += "<failure message=\"FAILED: %s:4\" type=\"FAILURE\">\n<![CDATA[\nExpecting:\n '2'\n]]>\n</failure>\n" % suite
	FileAccess.open(reports.path_join("results.xml"), FileAccess.WRITE).store_string(xml + "</testcase></testsuite></testsuites>")
	quit(100)
"#;

/// Writes a file of the project.
fn write(t: &Test<'_>, path: &str, text: &str) {
    let file = t.project().file(path);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, text).unwrap();
}

/// Does it while the project has these frameworks.
fn with(t: &mut Test<'_>, frameworks: &[(&str, &str)], act: impl FnOnce(&mut Test<'_>)) {
    for (path, text) in frameworks {
        write(t, path, text);
    }
    act(t);
    for (path, _) in frameworks {
        fs::remove_file(t.project().file(path)).unwrap();
    }
}

/// What is in a folder, without what the editor keeps for itself.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if path.is_dir() && !path.ends_with(".godot") && !path.ends_with("addons") {
            found.extend(contents(&path));
        } else if path.is_file() {
            found.insert(path.clone(), fs::read(path).unwrap());
        }
    }
    found
}

/// Runs the tests of a folder, which must leave nothing behind.
fn tested(t: &mut Test<'_>, folder: &str, seconds: u32) -> Value {
    let before = contents(t.project().folder());
    let answer = t.ok(TESTS, json!({"test_dir": folder, "timeout_seconds": seconds}));
    assert!(before == contents(t.project().folder()), "the project has changed");
    let user = t.project().work().with_file_name("data");
    assert!(!holds(&user, "godot_mcp_tests"), "a report was left behind");
    assert_eq!((&answer["ran"], &answer["framework_absent"]), (&json!(true), &json!(false)));
    answer
}

fn holds(folder: &Path, name: &str) -> bool {
    let mut paths = fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path());
    paths.any(|path| path.ends_with(name) || path.is_dir() && holds(&path, name))
}

fn testing() -> Vec<Case> {
    vec![
        case("a project without a framework for tests is told so", |t| {
            let answer = t.ok(TESTS, json!({}));
            assert_eq!(
                (&answer["ran"], &answer["framework_absent"], &answer["total"]),
                (&json!(false), &json!(true), &json!(0)),
                "{answer}"
            );
            assert!(answer["hint"].as_str().unwrap().contains("gut_cmdln.gd"), "{answer}");
        }),
        case("the tests of GUT are run and counted, with the lines of what failed", |t| {
            let folder = t.path("tests");
            write(
                t,
                &format!("{folder}/test_sums.gd"),
                "extends RefCounted\n\nfunc test_ok():\n\treturn null\n\n\
                 func test_bad():\n\treturn [7, \"[1] expected to equal [2]\"]\n",
            );
            with(t, &[(GUT, LIKE_GUT)], |t| {
                let answer = tested(t, &folder, 50);
                assert_eq!(answer["framework"], "gut", "{answer}");
                let counts = [&answer["passed"], &answer["failed"], &answer["total"]];
                assert_eq!(counts, [&json!(1), &json!(1), &json!(2)], "{answer}");
                let expected = json!([{
                    "test": "test_bad",
                    "file": format!("{folder}/test_sums.gd"),
                    "line": 7,
                    "message": "[1] expected to equal [2]",
                }]);
                assert_eq!(answer["failures"], expected, "{answer}");
                assert_eq!(
                    (&answer["exit_code"], &answer["timed_out"]),
                    (&json!(1), &json!(false)),
                    "{answer}"
                );
                assert!(answer["raw_summary"].as_str().unwrap().contains("* test_bad"), "{answer}");
                assert!(answer.get("hint").is_none(), "{answer}");
            });
        }),
        case("tests that do not parse are told, and not passed over", |t| {
            let folder = t.path("tests");
            let broken = format!("{folder}/test_broken.gd");
            write(t, &broken, "extends RefCounted\n\nfunc test_x(:\n");
            with(t, &[(GUT, LIKE_GUT)], |t| {
                let answer = tested(t, &folder, 50);
                assert_eq!(answer["total"], 0, "{answer}");
                assert!(answer["hint"].as_str().unwrap().contains(&broken), "{answer}");
                assert_eq!(answer["errors"][0]["line"], 3, "{answer}");
            });
        }),
        case("a folder without tests is no success in silence", |t| {
            let folder = t.path("tests");
            fs::create_dir_all(t.project().file(&folder)).unwrap();
            with(t, &[(GUT, LIKE_GUT)], |t| {
                let answer = tested(t, &folder, 50);
                assert!(answer["hint"].as_str().unwrap().contains("No test was found"), "{answer}");
            });
        }),
        case("tests that hang are ended, and those before are counted", |t| {
            let folder = t.path("tests");
            write(
                t,
                &format!("{folder}/test_loop.gd"),
                "extends RefCounted\n\nfunc test_bad():\n\treturn [4, \"no\"]\n\n\
                 func test_hangs():\n\twhile true:\n\t\tpass\n",
            );
            with(t, &[(GUT, LIKE_GUT)], |t| {
                let answer = tested(t, &folder, 6);
                assert_eq!(
                    (&answer["timed_out"], &answer["failed"], &answer["passed"]),
                    (&json!(true), &json!(1), &json!(0)),
                    "{answer}"
                );
                assert_eq!(answer["failures"][0]["line"], 4, "{answer}");
                assert!(answer["hint"].as_str().unwrap().contains("test_hangs"), "{answer}");
                assert!(answer.get("exit_code").is_none(), "{answer}");
            });
        }),
        case("of two frameworks the one is taken that the tests are written for", |t| {
            let folder = t.path("tests");
            write(t, &format!("{folder}/unit_test.gd"), "extends GdUnitTestSuite\n");
            with(t, &[(GUT, LIKE_GUT), (GDUNIT4, LIKE_GDUNIT4)], |t| {
                let answer = tested(t, &folder, 50);
                assert_eq!(answer["framework"], "gdunit4", "{answer}");
                let expected = json!([{
                    "test": "test_bad",
                    "file": format!("{folder}/unit_test.gd"),
                    "line": 4,
                    "message": "Expecting:\n '2'",
                }]);
                assert_eq!(answer["failures"], expected, "{answer}");
                let counts = [&answer["passed"], &answer["failed"], &answer["exit_code"]];
                assert_eq!(counts, [&json!(1), &json!(1), &json!(100)], "{answer}");
            });
        }),
        case("a folder that cannot be tested is refused", |t| {
            with(t, &[(GUT, LIKE_GUT)], |t| {
                let commas = t.path("one,two");
                fs::create_dir_all(t.project().file(&commas)).unwrap();
                for (folder, code) in [
                    ("res://none", "RESOURCE_NOT_FOUND"),
                    ("res://scripts/player.gd", "VALIDATION_ERROR"),
                    ("res://../tests", "VALIDATION_ERROR"),
                    ("-gexit", "VALIDATION_ERROR"),
                    (commas.as_str(), "VALIDATION_ERROR"),
                ] {
                    let fault = t.fault(TESTS, json!({"test_dir": folder}), code);
                    assert_eq!(fault["required"], "test_dir", "{fault}");
                }
                // The default is no exception.
                t.fault(TESTS, json!({}), "RESOURCE_NOT_FOUND");
            });
        }),
    ]
}
