extends Node
## What outlives a level: the score and the best score so far.

signal score_changed(score: int)

var score := 0
var best := 0


func add_score(points: int) -> void:
	score += points
	best = maxi(best, score)
	score_changed.emit(score)


func reset() -> void:
	score = 0
	score_changed.emit(score)
