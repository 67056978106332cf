@tool
extends Node2D
## Adds a node that no scene owns, as a script of a game may do.


func _enter_tree() -> void:
	if has_node("Loose"):
		return
	var loose := Node2D.new()
	loose.name = "Loose"
	loose.add_to_group("part")
	add_child(loose)
