//! The tools of `asset_import`: what comes into the project, from where, and what can be used then.

use std::{
    collections::BTreeMap,
    fs,
    io::{BufRead, BufReader, Write},
    net::TcpListener,
    path::PathBuf,
    process::ExitCode,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use e2e::{
    cases::{Case, Test, case, run},
    client::Client,
    model::{self, PIXEL},
    world::wait_connected,
};
use serde_json::{Value, json};

const IMPORT: &str = "asset_import_asset";
const MATERIAL: &str = "asset_import_create_material_from_textures";

fn main() -> ExitCode {
    let cases = importing().into_iter().chain(made_beside()).chain(copying());
    run(cases.chain(downloading()).chain(refusing()).chain(materials()).collect())
}

/// A tenth of a second of silence.
fn wave() -> Vec<u8> {
    let samples = [0u8; 1600];
    let size = u32::try_from(samples.len()).unwrap();
    let mut wave = b"RIFF".to_vec();
    wave.extend((36 + size).to_le_bytes());
    wave.extend(b"WAVEfmt ");
    wave.extend(16u32.to_le_bytes());
    wave.extend([1, 0, 1, 0]);
    wave.extend(8000u32.to_le_bytes());
    wave.extend(16000u32.to_le_bytes());
    wave.extend([2, 0, 16, 0]);
    wave.extend(b"data");
    wave.extend(size.to_le_bytes());
    wave.extend(samples);
    wave
}

/// A file of the project in a folder that the editor does not look into.
fn source(t: &Test<'_>, name: &str, content: &[u8]) -> String {
    let folder = t.project().folder().join(".incoming");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join(name), content).unwrap();
    format!("res://.incoming/{name}")
}

fn call(source: &str, target: &str) -> Value {
    json!({"source": source, "target_path": target, "wait_for_scan": true})
}

fn status(t: &mut Test<'_>, path: &str) -> Value {
    t.ok("asset_import_get_status", json!({"target_path": path}))
}

fn importing() -> Vec<Case> {
    vec![
        case("an image is copied, imported and can be used, until undo", |t| {
            let from = source(t, "pixel.png", PIXEL);
            let path = t.path("new/pixel.png");
            let edit = t.edit_file(IMPORT, call(&from, &path), &path);
            assert_eq!(fs::read(t.project().file(&path)).unwrap(), PIXEL);
            assert_eq!(
                (&edit.answer["imported"], &edit.answer["scan_complete"]),
                (&json!(true), &json!(true))
            );
            assert_eq!(edit.answer["detected_type"], "CompressedTexture2D", "{}", edit.answer);
            let now = status(t, &path);
            assert_eq!(
                (&now["imported"], &now["type"]),
                (&json!(true), &json!("CompressedTexture2D")),
                "{now}"
            );
            assert!(now["last_modified"].as_str().unwrap().contains('T'), "{now}");
            let scene = t.path("holder.tscn");
            t.ok("scene_edit_create_scene", json!({"root_type": "Sprite2D", "scene_path": scene}));
            t.close_at_end(&scene);
            t.ok(
                "scene_edit_set_node_property",
                json!({"node_path": ".", "property": "texture", "value": path}),
            );
        }),
        case("undo takes the file away with what lies beside it", |t| {
            let from = source(t, "pixel.png", PIXEL);
            let path = t.path("gone/pixel.png");
            t.ok(IMPORT, call(&from, &path));
            assert!(t.project().file(&format!("{path}.import")).exists());
            t.undo(1);
            assert!(!t.project().file(&path).exists());
            assert!(!t.project().file(&format!("{path}.import")).exists());
            assert_eq!(status(t, &path)["reason"], "no_such_file");
        }),
        case("undo takes away what was made of a table of translations", |t| {
            let from = source(t, "words.csv", b"keys,en,de\nHELLO,Hello,Hallo\n");
            let path = t.path("words.csv");
            let made = ["en", "de"]
                .map(|it| t.project().file(&t.path(&format!("words.{it}.translation"))));
            let mine = t.project().file(&t.path("words.fr.translation"));
            fs::write(&mine, "none of it").unwrap();
            t.ok(IMPORT, call(&from, &path));
            assert!(made.iter().all(|file| file.exists()));
            t.undo(1);
            assert!(!t.project().file(&path).exists());
            assert!(!made.iter().any(|file| file.exists()), "what was made is left");
            assert!(mine.exists(), "somebody's file is gone");
            t.redo(1);
            assert!(t.project().file(&path).exists());
            t.undo(1);
        }),
        case("an absolute path inside the project is as good", |t| {
            let path = t.path("coin.svg");
            let mut nothing = call("res://art/coin.svg", &path);
            nothing["options"] = Value::Null;
            nothing["dry_run"] = json!(true);
            t.ok(IMPORT, nothing);
            let from = t.project().file("res://art/coin.svg").canonicalize().unwrap();
            t.edit_file(IMPORT, call(from.to_str().unwrap(), &path), &path);
        }),
        case("without waiting, the status tells when it is ready", |t| {
            let from = source(t, "pixel.png", PIXEL);
            let path = t.path("pixel.png");
            let mut call = call(&from, &path);
            call["wait_for_scan"] = json!(false);
            let answer = t.ok(IMPORT, call);
            // Within a second or not, but never both.
            assert_ne!(answer["scan_complete"], answer["scan_deferred"], "{answer}");
            let ready =
                t.ok("asset_import_get_status", json!({"target_path": path, "wait_ms": 20_000}));
            assert_eq!(ready["imported"], true, "{ready}");
        }),
        case("import settings are those of the importer", |t| {
            let from = source(t, "hum.wav", &wave());
            let path = t.path("hum.wav");
            let mut call = call(&from, &path);
            call["options"] = json!({"import_settings": {"loop_mode": 2}});
            let edit = t.edit_file(IMPORT, call.clone(), &path);
            assert_eq!(edit.answer["detected_type"], "AudioStreamWAV", "{}", edit.answer);
            let beside = t.project().read(&format!("{path}.import"));
            assert!(beside.contains("edit/loop_mode=2"), "{beside}");
            assert_eq!(edit.answer["loop_applied"], true, "{}", edit.answer);
            call["options"] = json!({"import_settings": {"edit/lop_mode": 2}});
            call["confirm"] = json!(true);
            let fault = t.edit_file_fault(IMPORT, call.clone(), "VALIDATION_ERROR", &path);
            assert_eq!(fault["required"], "options", "{fault}");
            assert!(fault["hint"].as_str().unwrap().contains("'edit/loop_mode'?"), "{fault}");
            assert_eq!(t.project().read(&format!("{path}.import")), beside);
        }),
        case("settings that the importer does not have leave nothing behind", |t| {
            let from = source(t, "hum.wav", &wave());
            let steps = t.steps();
            for (name, settings, told) in [
                ("new.wav", json!({"lop_mode": 2, "edit/trim": true}), "'edit/loop_mode'?"),
                ("typed.wav", json!({"edit/trim": "what"}), "edit/trim"),
            ] {
                let path = t.path(name);
                let mut call = call(&from, &path);
                call["options"] = json!({"import_settings": settings});
                let fault = t.fault(IMPORT, call.clone(), "VALIDATION_ERROR");
                assert_eq!(fault["required"], "options", "{fault}");
                assert!(fault["hint"].as_str().unwrap().contains(told), "{fault}");
                for file in [path.clone(), format!("{path}.import")] {
                    assert!(!t.project().file(&file).exists(), "{file} is there");
                }
                assert_eq!(t.steps(), steps);

                let entry = json!({"command": "import_asset", "params": call});
                let batch = json!({"commands": [entry]});
                let fault = t.call("composite_run_commands", batch);
                assert_eq!(fault.value["rolled_back"], true, "{:?}", fault.value);
                assert!(!t.project().file(&path).exists(), "{path} is there");
            }
        }),
        case(
            "a value that is not on the importer's list is refused, and what is can be named",
            |t| {
                let from = source(t, "hum.wav", &wave());
                let pixel = source(t, "pixel.png", PIXEL);
                for (from, name, key, bad, named, number, listed) in [
                    (&from, "hum.wav", "edit/loop_mode", 99, "Forward", 2, "Ping-Pong = 3"),
                    (&pixel, "pixel.png", "compress/mode", -1, "lossy", 1, "VRAM Compressed = 2"),
                ] {
                    let path = t.path(name);
                    let with = |value: Value| {
                        let mut call = call(from, &path);
                        call["options"] = json!({"import_settings": {key: value}});
                        call
                    };
                    // Of a new file, the importer tells its settings only when it has the file.
                    let steps = t.steps();
                    let fault = t.fault(IMPORT, with(json!(bad)), "VALIDATION_ERROR");
                    assert_eq!(fault["required"], "options", "{fault}");
                    assert!(fault["hint"].as_str().unwrap().contains(listed), "{fault}");
                    for file in [path.clone(), format!("{path}.import")] {
                        assert!(!t.project().file(&file).exists(), "{file} is there");
                    }
                    assert_eq!(t.steps(), steps);

                    t.ok(IMPORT, with(json!(named)));
                    let beside = t.project().read(&format!("{path}.import"));
                    assert!(beside.contains(&format!("{key}={number}\n")), "{beside}");
                    for bad in [json!(bad), json!("No Such")] {
                        let mut call = with(bad);
                        call["confirm"] = json!(true);
                        let fault = t.edit_file_fault(IMPORT, call, "VALIDATION_ERROR", &path);
                        assert!(fault["hint"].as_str().unwrap().contains(listed), "{fault}");
                    }
                    assert_eq!(t.project().read(&format!("{path}.import")), beside);
                }
            },
        ),
        case("two imports at once are each done with their settings", |t| {
            let from = source(t, "hum.wav", &wave());
            let paths = [t.path("one.wav"), t.path("two.wav")];
            let begun = paths.clone().map(|path| {
                let mut call = call(&from, &path);
                call["options"] = json!({"import_settings": {"loop_mode": 2}});
                t.client().begin(IMPORT, &call).1
            });
            for (path, reply) in paths.iter().zip(begun) {
                let reply = reply.recv_timeout(Duration::from_secs(30)).unwrap();
                let answer = &reply["result"]["structuredContent"];
                assert_eq!(
                    (&answer["scan_complete"], &answer["loop_applied"]),
                    (&json!(true), &json!(true)),
                    "{reply}"
                );
                let read = json!({"resource_path": path});
                let sound = t.ok("resources_edit_read_resource_file", read);
                assert_eq!(sound["properties"]["loop_mode"], 1, "{sound}");
            }
        }),
        case("a file that needs no import can be used at once", |t| {
            let from = source(t, "words.txt", b"words");
            let path = t.path("words.txt");
            let edit = t.edit_file(IMPORT, call(&from, &path), &path);
            assert_eq!(edit.answer["scan_complete"], true, "{}", edit.answer);
            assert_eq!(status(t, &path)["imported"], true);
        }),
        case("a file is replaced only with confirm, and comes back", |t| {
            let path = t.path("coin.svg");
            t.ok(IMPORT, call("res://art/coin.svg", &path));
            let mut other = call("res://art/crown.svg", &path);
            let refused = t.refused(IMPORT, other.clone(), "confirm");
            assert!(refused["discards"].as_str().unwrap().contains(&path), "{refused}");
            other["confirm"] = json!(true);
            let edit = t.edit_file(IMPORT, other.clone(), &path);
            assert_eq!(edit.answer["overwrote"], true);
            other["options"] = json!({"overwrite": false});
            let fault = t.edit_file_fault(IMPORT, other, "VALIDATION_ERROR", &path);
            assert_eq!(fault["required"], "target_path");
        }),
    ]
}

/// All files and folders below a folder, with their content.
fn all_of(t: &Test<'_>, folder: &str) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![t.project().file(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            found.insert(path.clone(), fs::read(&path).ok());
            folders.extend(path.is_dir().then_some(path));
        }
    }
    found
}

fn names(all: &BTreeMap<PathBuf, Option<Vec<u8>>>) -> Vec<String> {
    let name = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
    all.keys().map(name).collect()
}

/// What an importer leaves beside what it imports.
fn made_beside() -> Vec<Case> {
    vec![
        case("a preview of a model with a picture in it leaves nothing", |t| {
            let from = source(t, "hero.glb", &model::glb("skin", PIXEL));
            let path = t.path("new/hero.glb");
            fs::remove_dir(t.project().file(&t.path("new"))).unwrap();
            let root = t.project().file("res://_skin.png");
            let before = all_of(t, &t.path("."));
            let mut call = call(&from, &path);
            call["dry_run"] = json!(true);
            t.ok(IMPORT, call);
            t.ok("scene_edit_rescan_filesystem", json!({}));
            assert!(!root.exists() && all_of(t, &t.path(".")) == before);
        }),
        case("undo takes away the pictures that were taken out of a model", |t| {
            let from = source(t, "hero.glb", &model::glb("skin", PIXEL));
            let mine = t.project().file(&t.path("hero_mine.png"));
            fs::write(&mine, PIXEL).unwrap();
            t.ok("scene_edit_rescan_filesystem", json!({}));
            let before = all_of(t, &t.path("."));
            let folder = format!("{}/new", t.path("x").trim_end_matches("/x"));
            let path = format!("{folder}/hero.glb");
            for path in [path, t.path("hero.glb")] {
                t.ok(IMPORT, call(&from, &path));
                let skin = path.replace(".glb", "_skin.png");
                assert!(t.project().file(&format!("{skin}.import")).exists(), "no {skin}");
                let after = all_of(t, &t.path("."));
                t.undo(1);
                let undone = all_of(t, &t.path("."));
                assert!(undone == before, "{path}: {:?}", names(&undone));
                t.redo(1);
                let import = json!({"target_path": path, "wait_ms": 20_000});
                assert_eq!(t.ok("asset_import_get_status", import)["imported"], true);
                let redone = all_of(t, &t.path("."));
                assert_eq!(names(&redone), names(&after));
                t.undo(1);
                assert!(all_of(t, &t.path(".")) == before, "{path}");
            }
            assert!(!t.project().file("res://_skin.png").exists());
        }),
        case("undo gives back the pictures of the model that was replaced", |t| {
            let path = t.path("hero.glb");
            let from = source(t, "hero.glb", &model::glb("skin", PIXEL));
            t.ok(IMPORT, call(&from, &path));
            let before = all_of(t, &t.path("."));
            let from = source(t, "other.glb", &model::glb("coat", PIXEL));
            let mut call = call(&from, &path);
            call["confirm"] = json!(true);
            t.ok(IMPORT, call);
            assert!(names(&all_of(t, &t.path("."))).contains(&"hero_coat.png".to_owned()));
            t.undo(1);
            let undone = all_of(t, &t.path("."));
            assert_eq!(names(&undone), names(&before));
            for end in ["hero.glb", "hero_skin.png", "hero_skin.png.import"] {
                let file = t.project().file(&t.path(end));
                assert!(undone[&file] == before[&file], "{end}");
            }
        }),
        case("undo takes away translations that the import file does not name any more", |t| {
            let path = t.path("words.csv");
            let before = all_of(t, &t.path("."));
            let from = source(t, "words.csv", b"keys,en,de\nHELLO,Hello,Hallo\n");
            let mut split = call(&from, &path);
            split["options"] = json!({"import_settings": {"delimiter": 1}});
            t.ok(IMPORT, split);
            t.undo(1);
            let undone = all_of(t, &t.path("."));
            assert!(undone == before, "{:?}", names(&undone));
            // And those of languages that only the new table has.
            t.ok(IMPORT, call(&from, &path));
            let before = names(&all_of(t, &t.path(".")));
            let from = source(t, "other.csv", b"keys,en,fr\nHELLO,Hello,Bonjour\n");
            let mut call = call(&from, &path);
            call["confirm"] = json!(true);
            t.ok(IMPORT, call);
            assert!(t.project().file(&t.path("words.fr.translation")).exists());
            t.undo(1);
            assert_eq!(names(&all_of(t, &t.path("."))), before);
        }),
    ]
}

fn path_of(t: &mut Test<'_>, value: &str) -> Value {
    t.ok("project_resolve_uid", json!({"value": value}))["path"].take()
}

fn uid_of(t: &mut Test<'_>, path: &str) -> String {
    let uid = t.ok("project_resolve_uid", json!({"value": path}))["uid"].take();
    uid.as_str().unwrap().to_owned()
}

fn copying() -> Vec<Case> {
    vec![case("a copy of a file of the project gets a UID of its own, until undo", |t| {
        let scene = t.path("first.tscn");
        t.ok("scene_edit_create_scene", json!({"root_type": "Node2D", "scene_path": scene}));
        t.close_at_end(&scene);
        t.ok("scene_edit_save_scene", json!({}));
        let mut sources = vec![(scene, "tscn")];
        for end in ["tres", "res"] {
            let path = t.path(&format!("first.{end}"));
            let create = json!({"resource_path": path, "type": "Gradient", "confirm": true});
            t.ok("resources_edit_create_resource", create);
            sources.push((path, end));
        }
        for (original, end) in sources {
            let uid = uid_of(t, &original);
            assert_eq!(path_of(t, &uid), json!(original));
            let content = fs::read(t.project().file(&original)).unwrap();
            let path = t.path(&format!("copy.{end}"));
            t.edit_file(IMPORT, call(&original, &path), &path);
            let other = uid_of(t, &path);
            assert_ne!(uid, other, "{path}");
            assert_eq!(path_of(t, &uid), json!(original));
            assert_eq!(path_of(t, &other), json!(path));
            let copied = fs::read(t.project().file(&path)).unwrap();
            assert!(end == "res" || copied.len().abs_diff(content.len()) <= 2, "{path}");
            // What takes the place of the copy takes its UID.
            let mut again = call(&original, &path);
            again["confirm"] = json!(true);
            again["options"] = json!({"overwrite": true});
            t.ok(IMPORT, again);
            assert_eq!(uid_of(t, &path), other, "{path}");
            t.undo(2);
            assert_eq!(path_of(t, &uid), json!(original));
            assert!(path_of(t, &other).is_null(), "{other} is still known");
        }
    })]
}

/// A server on this machine that has one image: its address, and how often it was asked.
fn web() -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    // Nothing of it looks like an image.
    let address = format!("http://{}/download?id=7", listener.local_addr().unwrap());
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            count.fetch_add(1, Ordering::SeqCst);
            let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
            lines.find(|line| line.as_ref().is_ok_and(String::is_empty));
            let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", PIXEL.len());
            stream.write_all(&[head.as_bytes(), PIXEL].concat()).unwrap();
        }
    });
    (address, asked)
}

fn downloading() -> Vec<Case> {
    vec![case("an image is downloaded where the user allows it, imported, and undone", |t| {
        let (address, asked) = web();
        let path = t.path("downloaded.png");
        let mut client = Client::start_with(t.project(), |command| {
            command.env("GODOT_MCP_DEFAULT_TOOLSETS", "all").arg("--allow-downloads")
        });
        wait_connected(&mut client, t.editor());

        let mut preview = call(&address, &path);
        preview["dry_run"] = json!(true);
        let preview = client.call(IMPORT, preview);
        assert!(preview.ok, "{}", preview.value);
        assert_eq!(
            (&preview.value["dry_run"], &preview.value["imported"]),
            (&json!(true), &json!(false))
        );
        assert_eq!(preview.value["undoable"], true, "{}", preview.value);
        let next = preview.value["next"].as_str().unwrap_or_default();
        assert!(next.contains("not known"), "{}", preview.value);
        assert_eq!(asked.load(Ordering::SeqCst), 0, "a preview downloads");
        assert!(!t.project().file(&path).exists());

        let answer = client.call(IMPORT, call(&address, &path));
        assert!(answer.ok, "{}", answer.value);
        assert_eq!(asked.load(Ordering::SeqCst), 1);
        assert_eq!(fs::read(t.project().file(&path)).unwrap(), PIXEL);
        assert_eq!(answer.value["detected_type"], "CompressedTexture2D", "{}", answer.value);
        assert_eq!(status(t, &path)["imported"], true);

        let undone = t.undo(1);
        assert_eq!(undone["steps"][0]["by"], "agent", "{undone}");
        assert!(!t.project().file(&path).exists());

        // A name that the content does not fit, and a file that is there.
        let other = t.path("downloaded.jpg");
        let fault = client.call(IMPORT, call(&address, &other));
        assert_eq!(
            (fault.code(), fault.required()),
            ("VALIDATION_ERROR", "source"),
            "{}",
            fault.value
        );
        assert!(fault.value["hint"].as_str().unwrap().contains(&address), "{}", fault.value);
        assert!(!t.project().file(&other).exists());
        let there = t.path("there.png");
        let from = source(t, "pixel.png", PIXEL);
        t.ok(IMPORT, call(&from, &there));
        let refused = client.call(IMPORT, call(&address, &there));
        assert_eq!(refused.required(), "confirm", "{}", refused.value);
        client.assert_clean();
        client.close();
    })]
}

fn refusing() -> Vec<Case> {
    vec![
        case("a broken file is refused with what the engine says of it", |t| {
            for name in [
                "broken.png",
                "broken.jpg",
                "broken.svg",
                "broken.wav",
                "broken.ogg",
                "broken.mp3",
                "broken.glb",
                "broken.ttf",
            ] {
                let from = source(t, name, b"this is none");
                let path = t.path(name);
                let fault =
                    t.edit_file_fault(IMPORT, call(&from, &path), "VALIDATION_ERROR", &path);
                assert_eq!(fault["required"], "source", "{name}: {fault}");
                assert!(
                    fault["engine_errors"].as_array().is_some_and(|it| !it.is_empty()),
                    "{name}: {fault}"
                );
            }
            // What is used as it is is tried as well.
            let tables: [(&str, &[u8]); 11] = [
                (
                    "broken.tres",
                    b"[gd_resource type=\"BoxMesh\" format=3]\n[resource]\nsize = Vector3(\n",
                ),
                ("broken.tscn", b"[gd_scene format=3]\n[node name=\n"),
                ("unknown.tres", b"[gd_resource type=\"NoSuchClass\" format=3]\n[resource]\n"),
                ("broken.ogv", b"this is none"),
                ("broken.res", b"this is none"),
                ("broken.po", b"this is none\n"),
                ("pixel.gd", PIXEL),
                ("pixel.tscn", PIXEL),
                ("short.wav", b"RIFFxxxxWAVE"),
                ("broken.fnt", b"this is none"),
                ("broken.csv", b"k\0e\0y\0,\0e\0n\0"),
            ];
            for (name, content) in tables {
                let from = source(t, name, content);
                let path = t.path(name);
                let fault =
                    t.edit_file_fault(IMPORT, call(&from, &path), "VALIDATION_ERROR", &path);
                assert_eq!(fault["required"], "source", "{name}: {fault}");
            }
            let from = source(t, "broken.json", b"{\n\t\"a\": 1,\n\t\"b\" 2\n}\n");
            let path = t.path("broken.json");
            let fault = t.edit_file_fault(IMPORT, call(&from, &path), "VALIDATION_ERROR", &path);
            assert!(fault["hint"].as_str().unwrap().contains("line 3: "), "{fault}");
            // What only the importer can tell is taken back.
            for (name, content) in
                [("broken.obj", &b"v 1\nf 1 2 3\n"[..]), ("broken.exr", b"this is none")]
            {
                let from = source(t, name, content);
                let path = t.path(name);
                let steps = t.steps();
                let fault = t.fault(IMPORT, call(&from, &path), "VALIDATION_ERROR");
                assert_eq!(fault["required"], "source", "{name}: {fault}");
                let errors = fault["engine_errors"].as_array().unwrap();
                assert!(!errors.is_empty(), "{name}: {fault}");
                let about_others = |it: &Value| {
                    let told = it.as_str().unwrap();
                    told.contains("res://") && !told.contains(&path)
                };
                assert!(!errors.iter().any(about_others), "{name}: {fault}");
                for file in [path.clone(), format!("{path}.import")] {
                    assert!(!t.project().file(&file).exists(), "{file} is there");
                }
                assert_eq!(t.steps(), steps);
            }
            // What it is goes by the name, as for the importer.
            let from = source(t, "pixel.png", PIXEL);
            let path = t.path("pixel.jpg");
            t.edit_file_fault(IMPORT, call(&from, &path), "VALIDATION_ERROR", &path);
        }),
        case("a resource or a scene that the engine reads comes in, and says what it lacks", |t| {
            let scene = b"[gd_scene format=3]\n\n[node name=\"One\" type=\"Node2D\"]\n";
            let lacking = b"[gd_scene format=3]\n\n[ext_resource type=\"Texture2D\" \
                path=\"res://nope.png\" id=\"1\"]\n\n[node name=\"One\" type=\"Sprite2D\"]\n\
                texture = ExtResource(\"1\")\n";
            let po =
                b"msgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n\nmsgid \"yes\"\nmsgstr \"ja\"\n";
            for (name, content) in
                [("one.tscn", &scene[..]), ("words.po", po), ("code.gd", b"extends Node\n")]
            {
                let from = source(t, name, content);
                let path = t.path(name);
                let edit = t.edit_file(IMPORT, call(&from, &path), &path);
                assert_eq!(edit.answer["imported"], true, "{}", edit.answer);
                assert_eq!(edit.answer.get("next"), None, "{}", edit.answer);
            }
            let from = source(t, "lacking.tscn", lacking);
            let answer = t.ok(IMPORT, call(&from, &t.path("lacking.tscn")));
            assert!(answer["next"].as_str().unwrap().contains("res://nope.png"), "{answer}");
        }),
        case("a model needs its data beside it where it is to lie, and says so", |t| {
            source(t, "my points.bin", &model::triangle());
            let from = source(t, "thing.gltf", &model::gltf("my%20points.bin"));
            let path = t.path("thing.gltf");
            let fault = t.edit_file_fault(IMPORT, call(&from, &path), "VALIDATION_ERROR", &path);
            assert_eq!(fault["required"], "source", "{fault}");
            let data = t.path("my points.bin");
            let hint = fault["hint"].as_str().unwrap();
            assert!(hint.contains(&data) && hint.contains("/.incoming/my points.bin"), "{fault}");
            t.ok(IMPORT, call("res://.incoming/my points.bin", &data));
            let edit = t.edit_file(IMPORT, call(&from, &path), &path);
            assert_eq!(edit.answer["detected_type"], "PackedScene", "{}", edit.answer);
            t.undo(2);
        }),
        case("nothing comes into a folder that the editor passes over", |t| {
            let from = source(t, "pixel.png", PIXEL);
            let folder = t.path("over");
            fs::create_dir_all(t.project().file(&format!("{folder}/deep"))).unwrap();
            fs::write(t.project().file(&format!("{folder}/.gdignore")), "").unwrap();
            for wait in [true, false] {
                for path in [format!("{folder}/pixel.png"), format!("{folder}/deep/er/pixel.png")] {
                    let mut call = call(&from, &path);
                    call["wait_for_scan"] = json!(wait);
                    let fault = t.edit_file_fault(IMPORT, call, "VALIDATION_ERROR", &path);
                    assert_eq!(fault["required"], "target_path", "{fault}");
                    assert!(fault["hint"].as_str().unwrap().contains(".gdignore"), "{fault}");
                }
            }
        }),
        case("a broken file that replaces one gives that back", |t| {
            let (good, bad) = (&b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"[..], b"v 1\nf 1 2 3\n");
            let path = t.path("shape.obj");
            let from = source(t, "good.obj", good);
            assert_eq!(t.ok(IMPORT, call(&from, &path))["scan_complete"], true);
            let from = source(t, "bad.obj", bad);
            let mut call = call(&from, &path);
            call["confirm"] = json!(true);
            t.fault(IMPORT, call, "VALIDATION_ERROR");
            assert_eq!(t.project().read(&path).as_bytes(), good);
            let ready =
                t.ok("asset_import_get_status", json!({"target_path": path, "wait_ms": 20_000}));
            assert_eq!(ready["imported"], true, "{ready}");
        }),
        case("a preview tells of settings what can be known of them", |t| {
            let from = source(t, "pixel.png", PIXEL);
            let path = t.path("pixel.png");
            let mut call = call(&from, &path);
            call["options"] = json!({"import_settings": {"compress/mod": 1}});
            let fault = t.edit_file_fault(IMPORT, call, "VALIDATION_ERROR", &path);
            assert!(fault["hint"].as_str().unwrap().contains("'compress/mode'?"), "{fault}");
            // Of SVG the importer has more settings than it lists, so a preview cannot tell.
            let path = t.path("shape.svg");
            let mut call = self::call("res://art/coin.svg", &path);
            call["options"] = json!({"import_settings": {"svg/scale": 2.0}});
            call["dry_run"] = json!(true);
            let preview = t.ok(IMPORT, call.clone());
            assert!(preview["next"].as_str().unwrap().contains("settings"), "{preview}");
            call["dry_run"] = json!(false);
            let answer = t.ok(IMPORT, call);
            assert!(answer.get("next").is_none(), "{answer}");
            t.undo(1);
        }),
        case("a batch does not use what it imports only at its end", |t| {
            t.open("res://scenes/main.tscn");
            let path = t.path("coin.svg");
            let entry =
                |command: &str, params: Value| json!({"command": command, "params": params});
            let import = entry("import_asset", call("res://art/coin.svg", &path));
            let sprite = json!({"parent_path": ".", "node_type": "Sprite2D", "node_name": "S"});
            let set = json!({"node_path": "S", "property": "texture", "value": path});
            let use_it = [entry("create_node", sprite), entry("set_node_property", set)];
            let batch = json!({"commands": [import.clone(), use_it[0].clone(), use_it[1].clone()]});
            let fault = t.edit_fault("composite_run_commands", batch, "PRECONDITION_FAILED");
            assert_eq!((&fault["aborted_at"], &fault["required"]), (&json!(2), &json!("commands")));
            assert!(!t.project().file(&path).exists() && !t.exists("S"));
            // What its importer cannot read is taken back with all the rest.
            let from = source(t, "bad.obj", b"v 1\nf 1 2 3\n");
            let bad = t.path("bad.obj");
            let batch = [use_it[0].clone(), entry("import_asset", call(&from, &bad))];
            let batch = json!({"commands": batch});
            let fault = t.fault("composite_run_commands", batch, "VALIDATION_ERROR");
            assert_eq!(fault["rolled_back"], true, "{fault}");
            assert!(fault.get("outcome").is_none(), "{fault}");
            assert!(!t.project().file(&bad).exists() && !t.exists("S"), "{fault}");
            // As the hint says.
            t.ok(IMPORT, import["params"].clone());
            t.ok("composite_run_commands", json!({"commands": use_it}));
            assert!(t.property("S", "texture").to_string().contains(&path));
            t.undo(2);
        }),
        case("nothing comes from outside of the project", |t| {
            let path = t.path("secret.txt");
            let secret = t.project().work().join("secret.txt");
            fs::write(&secret, "secret").unwrap();
            for from in ["/etc/passwd", secret.to_str().unwrap(), "res://../work/secret.txt"] {
                let fault = t.edit_file_fault(IMPORT, call(from, &path), "VALIDATION_ERROR", &path);
                assert_eq!(fault["required"], "source", "{from}: {fault}");
            }
            let fault = t.fault(IMPORT, call("https://example.org/a.png", &path), "UNSUPPORTED");
            assert_eq!(fault["required"], "source", "{fault}");
            let batch = json!({"commands": [{"command": "import_asset", "params": call("/etc/passwd", &path)}]});
            let fault = t.call("composite_run_commands", batch);
            assert!(
                !fault.ok && fault.value.to_string().contains("--import-root"),
                "{}",
                fault.value
            );
            assert!(!t.project().file(&path).exists());
        }),
        case("what is no asset is not replaced by one", |t| {
            let from = source(t, "words.txt", b"words");
            for path in [
                "res://project.godot",
                "res://art/coin.svg.import",
                "res://x.gdextension",
                "res://x.so",
                "res://x.png.remap",
                "res://scripts/x.gd.uid",
                "res://art/.gdignore",
                "res://.hidden/x.txt",
                "res://override.cfg",
                "res://export_presets.cfg",
                "res://addons/mine/plugin.cfg",
                "res://.godot/x.txt",
                "res://addons/godot_mcp/x.txt",
                "res://art",
            ] {
                let fault = t.edit_file_fault(IMPORT, call(&from, path), "VALIDATION_ERROR", path);
                assert_eq!(fault["required"], "target_path", "{path}: {fault}");
            }
            let fault = t.edit_file_fault(
                IMPORT,
                call("res://art/coin.svg", "res://art/coin.svg"),
                "VALIDATION_ERROR",
                "res://art/coin.svg",
            );
            assert_eq!(fault["required"], "source");
            t.fault(IMPORT, call("res://nope.png", "res://nope2.png"), "RESOURCE_NOT_FOUND");
        }),
    ]
}

fn materials() -> Vec<Case> {
    vec![
        case("a material is made of the textures that are there", |t| {
            let path = t.path("wood.tres");
            let call = json!({
                "albedo": "res://art/coin.svg", "normal": "res://art/tiles.svg", "roughness": "0.25",
                "metallic": "res://art/crown.svg", "ao": "res://art/icon.svg",
                "emission": "res://art/enemy.svg", "emission_enabled": "2.5", "path": path,
            });
            let edit = t.edit_file(MATERIAL, call, &path);
            let channels =
                ["albedo", "normal", "roughness", "metallic", "ao", "emission", "emission_enabled"];
            assert_eq!(edit.answer["channels_set"], json!(channels));
            for line in [
                "type=\"StandardMaterial3D\"",
                "path=\"res://art/coin.svg\"",
                "normal_enabled = true",
                "roughness = 0.25",
                "metallic = 1.0",
                "ao_enabled = true",
                "emission_enabled = true",
                "emission_energy_multiplier = 2.5",
            ] {
                assert!(edit.text.contains(line), "no {line} in {}", edit.text);
            }
            let mut again = json!({"albedo": "res://art/coin.svg", "path": path});
            t.refused(MATERIAL, again.clone(), "confirm");
            again["confirm"] = json!(true);
            t.edit_file(MATERIAL, again, &path);
        }),
        case("without a path the material lies beside its first texture", |t| {
            let call = json!({"albedo": "res://art/coin.svg", "metallic": "0.5"});
            let edit = t.edit_file(MATERIAL, call, "res://art/coin_material.tres");
            assert_eq!(edit.answer["material_path"], "res://art/coin_material.tres");
            t.undo(1);
        }),
        case("every channel is checked", |t| {
            let path = t.path("bad.tres");
            for (channel, value, code) in [
                ("albedo", "res://nope.png", "RESOURCE_NOT_FOUND"),
                ("albedo", "0.5", "VALIDATION_ERROR"),
                ("normal", "res://scripts/player.gd", "VALIDATION_ERROR"),
                ("normal", "/etc/passwd", "VALIDATION_ERROR"),
                ("roughness", "1.5", "VALIDATION_ERROR"),
                ("metallic", "nan", "VALIDATION_ERROR"),
                ("emission_enabled", "much", "VALIDATION_ERROR"),
                ("emission_enabled", "-1", "VALIDATION_ERROR"),
            ] {
                let fault =
                    t.edit_file_fault(MATERIAL, json!({channel: value, "path": path}), code, &path);
                assert_eq!(fault["required"], channel, "{channel} {value}: {fault}");
            }
            t.edit_file_fault(MATERIAL, json!({"path": path}), "VALIDATION_ERROR", &path);
            let fault = t.fault(MATERIAL, json!({"roughness": "0.5"}), "VALIDATION_ERROR");
            assert_eq!(fault["required"], "path", "{fault}");
            let call = json!({"albedo": "res://art/coin.svg", "path": t.path("x.gd")});
            t.edit_file_fault(MATERIAL, call, "VALIDATION_ERROR", &t.path("x.gd"));
        }),
    ]
}
