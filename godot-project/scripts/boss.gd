class_name Boss
extends Enemy
## Follows the player once the player comes near.

@export var sight: float = 140.0


func next_goal() -> Vector2:
	var player := get_tree().get_first_node_in_group("player") as Node2D
	if player and global_position.distance_to(player.global_position) < sight:
		return player.position
	return super()
