@tool
extends Node
## Variables whose values cannot come from outside.

var an_object: Object
var a_callable: Callable
var a_signal: Signal
var an_rid: RID
