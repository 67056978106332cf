class_name Enemy
extends CharacterBody2D
## Walks to and fro, and hurts who comes too near.

@export var speed: float = 60.0
@export var damage: int = 1
## Where it turns round, from where it starts.
@export var patrol: Vector2 = Vector2(96.0, 0.0)

var _start := Vector2.ZERO
var _outward := true


func _ready() -> void:
	_start = position


func _physics_process(_delta: float) -> void:
	var goal := next_goal()
	velocity = position.direction_to(goal) * speed
	if position.distance_to(goal) < 4.0:
		_outward = not _outward
	move_and_slide()


func next_goal() -> Vector2:
	return _start + patrol if _outward else _start


func _on_hitbox_body_entered(body: Node2D) -> void:
	var player := body as Player
	if player:
		player.hurt(damage)
