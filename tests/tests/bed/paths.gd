extends Node
## Holds paths in every way that a variable can.

@export var one: NodePath
@export var several: Array[NodePath]
@export var loose: Array
@export var by_name: Dictionary
@export var typed: Dictionary[String, NodePath]
@export var through_unique: NodePath
@export var unique: NodePath
@export var elsewhere: NodePath
@export var holder: Resource
@export var node: Node2D
