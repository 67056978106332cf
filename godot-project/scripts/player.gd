class_name Player
extends CharacterBody2D
## The keeper of the cellar, steered with the arrow keys or WASD.

signal health_changed(health: int)
signal died

## In pixels a second.
@export_range(10.0, 400.0, 1.0) var speed: float = 160.0
@export var max_health: int = 3
## How long nothing can hurt after a hit.
@export var grace_seconds: float = 1.0
@export var hurt_color: Color = Color(1.0, 0.4, 0.4)

var health: int = 3
var _safe_for := 0.0

@onready var _sprite: Sprite2D = %PlayerSprite


func _ready() -> void:
	health = max_health


func _physics_process(delta: float) -> void:
	_safe_for = maxf(0.0, _safe_for - delta)
	_sprite.modulate = hurt_color if _safe_for > 0.0 else Color.WHITE
	velocity = Input.get_vector("move_left", "move_right", "move_up", "move_down") * speed
	move_and_slide()


func hurt(damage: int) -> void:
	if _safe_for > 0.0 or health <= 0:
		return
	_safe_for = grace_seconds
	health = maxi(0, health - damage)
	health_changed.emit(health)
	if health == 0:
		died.emit()
