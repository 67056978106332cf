extends Node2D
## One exported variable of each type that a script can export.

enum State { IDLE, RUN_FAST = 4, JUMP }

@export var a_bool: bool
@export var an_int: int
@export var a_float: float
@export var a_string: String
@export_multiline var a_text: String
@export var a_string_name: StringName
@export var a_node_path: NodePath
@export var a_color: Color

@export var a_vector2: Vector2
@export var a_vector2i: Vector2i
@export var a_vector3: Vector3
@export var a_vector3i: Vector3i
@export var a_vector4: Vector4
@export var a_vector4i: Vector4i
@export var a_rect2: Rect2
@export var a_rect2i: Rect2i
@export var a_transform2d: Transform2D
@export var a_plane: Plane
@export var a_quaternion: Quaternion
@export var an_aabb: AABB
@export var a_basis: Basis
@export var a_transform3d: Transform3D
@export var a_projection: Projection

@export var a_state: State
@export_enum("Slow", "Very fast:7") var a_choice: int
@export_enum("north", "south") var a_side: String
@export_flags("Fire", "Water", "Ice:8") var some_flags: int
@export_flags_2d_physics var some_layers: int

@export var an_array: Array
@export var some_ints: Array[int]
@export var some_floats: Array[float]
@export var some_names: Array[StringName]
@export var some_vectors: Array[Vector3]
@export var some_states: Array[State]
@export var some_paths: Array[NodePath]
@export var some_textures: Array[Texture2D]
@export var some_nodes: Array[Node2D]
@export var a_grid: Array[Array]

@export var a_dictionary: Dictionary
@export var some_counts: Dictionary[String, int]
@export var some_cells: Dictionary[Vector2i, Color]
@export var some_by_state: Dictionary[State, Vector2]

@export var some_bytes: PackedByteArray
@export var some_int32s: PackedInt32Array
@export var some_int64s: PackedInt64Array
@export var some_float32s: PackedFloat32Array
@export var some_float64s: PackedFloat64Array
@export var some_strings: PackedStringArray
@export var some_vector2s: PackedVector2Array
@export var some_vector3s: PackedVector3Array
@export var some_vector4s: PackedVector4Array
@export var some_colors: PackedColorArray

@export var a_resource: Resource
@export var a_texture: Texture2D
@export var a_shape: Shape2D
@export var a_scene: PackedScene
@export_file("*.tscn") var a_scene_path: String
@export var a_node: Node2D
@export var an_item: BedItem
