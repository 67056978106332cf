@tool
extends EditorPlugin
## The hands of the editor's user, for tests: carries out what is written to the file "do" in the
## folder E2E_HANDS, and answers in the file "done".

var _folder := OS.get_environment("E2E_HANDS")

## The tabs of texts that are no scripts, by the paths that these had when they were opened.
var _texts := {}

## A resource that somebody in the editor has loaded.
var _held: Resource


func _process(_delta: float) -> void:
	var path := _folder.path_join("do")
	if _folder.is_empty() or not FileAccess.file_exists(path):
		return
	var order: Dictionary = JSON.parse_string(FileAccess.get_file_as_string(path))
	DirAccess.remove_absolute(path)
	var answer: Variant = await call("_do_" + str(order["do"]), order)
	var draft := _folder.path_join("done.draft")
	var file := FileAccess.open(draft, FileAccess.WRITE)
	file.store_string(JSON.stringify({"answer": answer}))
	file.close()
	DirAccess.rename_absolute(draft, _folder.path_join("done"))


## Quits as the menu does once all is saved.
func _do_quit(_order: Dictionary) -> Variant:
	get_tree().quit()
	return true


## An edit by the user: one undoable step on a node of the active scene.
func _do_set(order: Dictionary) -> Variant:
	var node := get_editor_interface().get_edited_scene_root().get_node(str(order["node"]))
	var property := str(order["property"])
	var value: Variant = str_to_var(str(order["value"]))
	var manager := get_undo_redo()
	manager.create_action("Set " + property, UndoRedo.MERGE_DISABLE, node)
	manager.add_do_property(node, property, value)
	manager.add_undo_property(node, property, node.get(property))
	manager.commit_action()
	return true


## An edit by the user in the inspector: one undoable step on a resource file, which is not saved.
func _do_set_in_file(order: Dictionary) -> Variant:
	var resource: Resource = load(str(order["path"]))
	var property := str(order["property"])
	var manager := get_undo_redo()
	manager.create_action("Set " + property, UndoRedo.MERGE_DISABLE, resource)
	manager.add_do_property(resource, property, str_to_var(str(order["value"])))
	manager.add_undo_property(resource, property, resource.get(property))
	manager.commit_action()
	return true


## Saves a resource to another file, of the kind that its name says.
func _do_copy_resource(order: Dictionary) -> Variant:
	var resource := ResourceLoader.load(str(order["from"]), "", ResourceLoader.CACHE_MODE_IGNORE)
	return ResourceSaver.save(resource, str(order["to"]))


## Gives a node the material that a resource keeps as its metadata "wave", as a copy from the inspector
## does. The resource stays loaded if "hold" says so.
func _do_give_kept(order: Dictionary) -> Variant:
	var keeper: Resource = load(str(order["path"]))
	var node := get_editor_interface().get_edited_scene_root().get_node(str(order["node"]))
	node.set("material", keeper.get_meta("wave"))
	_held = keeper if order["hold"] else null
	return true


## What an expression gives for the root of the active scene, such as "mesh.size.x".
func _do_evaluate(order: Dictionary) -> Variant:
	var expression := Expression.new()
	expression.parse(str(order["expression"]))
	return expression.execute([], get_editor_interface().get_edited_scene_root())


## Switches the add-on on or off, as its editor setting does.
func _do_enable(order: Dictionary) -> Variant:
	get_editor_interface().get_editor_settings().set_setting("godot_mcp/enabled", order["on"])
	return true


## Changes a setting of the editor. Tells what it was.
func _do_setting(order: Dictionary) -> Variant:
	var settings := get_editor_interface().get_editor_settings()
	var was: Variant = settings.get_setting(str(order["name"]))
	settings.set_setting(str(order["name"]), order["value"])
	return was


## How many nodes hang in no tree, which a leak makes grow.
func _do_orphans(_order: Dictionary) -> Variant:
	return Performance.get_monitor(Performance.OBJECT_ORPHAN_NODE_COUNT)


## Selects every child of the root of the active scene.
func _do_select_all(_order: Dictionary) -> Variant:
	var selection := get_editor_interface().get_selection()
	selection.clear()
	for node in get_editor_interface().get_edited_scene_root().get_children():
		selection.add_node(node)
	return true


func _do_open(order: Dictionary) -> Variant:
	get_editor_interface().open_scene_from_path(str(order["path"]))
	return true


func _do_save(_order: Dictionary) -> Variant:
	return get_editor_interface().save_scene()


## Looks at the dock of the add-on, with its tab in front: how many there are, the words on its
## labels and lists, and where its switches are.
func _do_dock(_order: Dictionary) -> Variant:
	var docks := _docks()
	if docks.is_empty():
		return {"count": 0}
	make_bottom_panel_item_visible(docks[0])
	# It is looked at a few times a second only.
	await get_tree().create_timer(0.6).timeout
	var answer := {"count": docks.size()}
	for name: String in ["Status", "Project", "Error"]:
		answer[name] = docks[0].find_child(name, true, false).text
	for name: String in ["Enabled", "Pause"]:
		answer[name] = docks[0].find_child(name, true, false).button_pressed
	for name: String in ["Gateways", "Commands"]:
		answer[name] = _rows(docks[0].find_child(name, true, false))
	return answer


## Starts the game, without a window, which is set for this run only.
func _do_play(_order: Dictionary) -> Variant:
	ProjectSettings.set_setting("editor/run/main_run_args", "--headless")
	await get_tree().process_frame
	get_editor_interface().play_main_scene()
	return get_editor_interface().is_playing_scene()


func _do_stop(_order: Dictionary) -> Variant:
	get_editor_interface().stop_playing_scene()
	ProjectSettings.set_setting("editor/run/main_run_args", null)
	return get_editor_interface().is_playing_scene()


## Loads a script anew, as the editor does when its file has changed.
func _do_reload_script(order: Dictionary) -> Variant:
	var script: GDScript = load(str(order["path"]))
	script.source_code = FileAccess.get_file_as_string(str(order["path"])) + "\n# changed\n"
	return script.reload(true)


## Keeps the main thread busy for "ms" milliseconds. The file "stalled" says that it has begun.
func _do_stall(order: Dictionary) -> Variant:
	FileAccess.open(_folder.path_join("stalled"), FileAccess.WRITE).close()
	OS.delay_msec(int(order["ms"]))
	return true


## Measures the time from frame to frame for "ms" milliseconds, in milliseconds.
func _do_frames(order: Dictionary) -> Variant:
	FileAccess.open(_folder.path_join("measuring"), FileAccess.WRITE).close()
	var times := PackedFloat64Array()
	var last := Time.get_ticks_usec()
	var end := last + int(order["ms"]) * 1000
	while last < end:
		await get_tree().process_frame
		var now := Time.get_ticks_usec()
		times.append((now - last) / 1000.0)
		last = now
	times.sort()
	return {"count": times.size(), "p50": times[times.size() / 2], "p90": times[times.size() * 9 / 10]}


## Gives the theme of the editor another color for errors, as a new theme does, and tells in which
## color the dock writes them then.
func _do_theme(order: Dictionary) -> Variant:
	var theme := get_editor_interface().get_editor_theme()
	theme.set_color("error_color", "Editor", Color(str(order["color"])))
	make_bottom_panel_item_visible(_docks()[0])
	await get_tree().create_timer(0.6).timeout
	var label: Label = _docks()[0].find_child("Error", true, false)
	return label.get_theme_color("font_color").to_html()


## How large the dock wants to be, and the scale of the editor.
func _do_size(_order: Dictionary) -> Variant:
	var least: Vector2 = _docks()[0].custom_minimum_size
	return {"height": least.y, "scale": get_editor_interface().get_editor_scale()}


## Opens a script in the script editor.
func _do_edit_script(order: Dictionary) -> Variant:
	get_editor_interface().edit_script(load(str(order["path"])))
	return true


## Opens a text that is no script, as a double click in the file dock does.
func _do_edit_text(order: Dictionary) -> Variant:
	var path := str(order["path"])
	get_editor_interface().select_file(path)
	for tree in get_editor_interface().get_file_system_dock().find_children("*", "Tree", true, false):
		if tree.get_selected() and str(tree.get_selected().get_metadata(0)) == path:
			tree.item_activated.emit()
	await get_tree().process_frame
	_texts[path] = get_editor_interface().get_script_editor().get_current_editor().get_base_editor()
	return _texts[path].text


## Has the script editor list only the files whose names have these words.
func _do_filter(order: Dictionary) -> Variant:
	var editor := get_editor_interface().get_script_editor()
	var filter: LineEdit = editor.find_children("*", "LineEdit", true, false)[0]
	filter.text = str(order["words"])
	filter.text_changed.emit(filter.text)
	return filter.text


## Closes the dialogs that the editor shows. Tells their titles.
func _do_dismiss(_order: Dictionary) -> Variant:
	var titles := []
	for dialog: AcceptDialog in get_tree().root.find_children("*", "AcceptDialog", true, false):
		if dialog.visible:
			titles.append(dialog.title)
			dialog.hide()
	return titles


## Types at the end of a script, or of a text that was opened, in its tab.
func _do_type(order: Dictionary) -> Variant:
	var text := _script_text(str(order["path"]))
	text.set_caret_line(text.get_line_count() - 1)
	text.set_caret_column(text.get_line(text.get_line_count() - 1).length())
	text.insert_text_at_caret(str(order["text"]))
	return true


## Opens a shader in the shader editor, and types at its end.
func _do_type_shader(order: Dictionary) -> Variant:
	get_editor_interface().edit_resource(load(str(order["path"])))
	await get_tree().process_frame
	var text := _shader_text(str(order["path"]))
	text.set_caret_line(text.get_line_count() - 1)
	text.set_caret_column(text.get_line(text.get_line_count() - 1).length())
	text.insert_text_at_caret(str(order["text"]))
	return true


## What the tab of a shader shows.
func _do_shader_tab(order: Dictionary) -> Variant:
	return _shader_text(str(order["path"])).text


func _shader_text(path: String) -> CodeEdit:
	for editor in get_tree().root.find_children("*", "TextShaderEditor", true, false):
		var tabs: TabContainer = editor.get_parent()
		var list: ItemList = tabs.get_parent().find_children("*", "ItemList", true, false)[0]
		if list.get_item_tooltip(tabs.get_tab_idx_from_control(editor)) == path:
			return editor.find_children("*", "CodeEdit", true, false)[0]
	return null


## What the tab of a script shows, and whether the editor takes it for unsaved; null without a tab.
func _do_script_tab(order: Dictionary) -> Variant:
	var text := _script_text(str(order["path"]))
	if text == null:
		return null
	return {"text": text.text, "unsaved": text.get_version() != text.get_saved_version()}


## Comes back to the editor from another window. Tells which dialogs that opens.
func _do_come_back(_order: Dictionary) -> Variant:
	get_tree().root.propagate_notification(NOTIFICATION_APPLICATION_FOCUS_IN)
	await get_tree().process_frame
	var dialogs := get_tree().root.find_children("*", "ConfirmationDialog", true, false)
	return dialogs.filter(func(it: Window) -> bool: return it.visible).map(
		func(it: Window) -> String: return it.title)


func _script_text(path: String) -> CodeEdit:
	if _texts.has(path):
		return _texts[path] if is_instance_valid(_texts[path]) else null
	var editor := get_editor_interface().get_script_editor()
	var tabs := editor.get_open_script_editors().filter(
		func(it: Node) -> bool: return it.get_class() == "ScriptTextEditor")
	for index in editor.get_open_scripts().size():
		if editor.get_open_scripts()[index].resource_path == path:
			return tabs[index].get_base_editor()
	return null


## Moves a switch of the dock, as a click does.
func _do_switch(order: Dictionary) -> Variant:
	_docks()[0].find_child(str(order["switch"]), true, false).button_pressed = order["on"]
	return true


func _docks() -> Array[Node]:
	return get_tree().root.find_children("GodotMcpDock*", "Control", true, false)


func _rows(tree: Tree) -> Array:
	var rows := []
	for item in tree.get_root().get_children() if tree.get_root() else []:
		rows.append(range(tree.columns).map(func(column: int) -> String: return item.get_text(column)))
	return rows
