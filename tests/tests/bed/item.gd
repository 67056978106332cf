class_name BedItem
extends Resource
## A class of resources of the project's own.

@export var title: String
@export var price: int
@export var tint: Color
## Not of this class itself, as the engine does not free a script that names itself so.
@export var parts: Array[Resource]
