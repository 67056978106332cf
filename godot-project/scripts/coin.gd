class_name Coin
extends Area2D
## Worth picking up.

signal collected(value: int)

@export var value: int = 10


func _on_body_entered(body: Node2D) -> void:
	if body is Player:
		collected.emit(value)
		queue_free()
