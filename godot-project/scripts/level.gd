extends Node2D
## Counts the coins, and ends the level.

## How long the level lasts.
@export var seconds: int = 60

@onready var _player: Player = $Player
@onready var _coins: Node2D = $Coins
@onready var _clock: Timer = $Clock
@onready var _hud: Hud = $HUD


func _ready() -> void:
	GameState.reset()
	for coin: Coin in _coins.get_children():
		coin.collected.connect(_on_coin_collected)
	_hud.show_health(_player.max_health)
	_hud.show_time(seconds)
	$Intro.play(&"appear")


func _unhandled_input(event: InputEvent) -> void:
	if event.is_action_pressed(&"restart"):
		get_tree().paused = false
		get_tree().reload_current_scene()


func _on_coin_collected(value: int) -> void:
	GameState.add_score(value)
	# The last coin is still a child until the end of this frame.
	if _coins.get_child_count() <= 1:
		_end("All coins found!", true)


func _on_clock_timeout() -> void:
	seconds -= 1
	_hud.show_time(seconds)
	if seconds <= 0:
		_end("Out of time.", false)


func _on_player_died() -> void:
	_end("Caught.", false)


func _end(message: String, won: bool) -> void:
	_clock.stop()
	_player.set_physics_process(false)
	_hud.show_end(message, won)
