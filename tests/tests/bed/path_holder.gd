extends Resource
## A resource with a path in it, which goes from the node that has the resource.

@export var path: NodePath
