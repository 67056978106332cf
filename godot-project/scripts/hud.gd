class_name Hud
extends CanvasLayer
## Shows score, health and time, and how the level ended.

@onready var _score: Label = %Score
@onready var _health: ProgressBar = %Health
@onready var _time: Label = %Time
@onready var _end: PanelContainer = %End


func _ready() -> void:
	GameState.score_changed.connect(_on_score_changed)


func show_health(health: int) -> void:
	_health.value = health


func show_time(seconds: int) -> void:
	_time.text = "%d s" % seconds


func show_end(message: String, won: bool) -> void:
	%Message.text = message
	%TrophyView.visible = won
	_end.show()


func _on_score_changed(score: int) -> void:
	_score.text = str(score)
