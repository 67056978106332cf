//! The 39 types of Godot's Variant and their names.

use godot::builtin::VariantType;

/// What Godot calls `kind`; `Variant` for the type of null, as a slot of it holds anything.
pub(crate) fn name_of_kind(kind: VariantType) -> &'static str {
    KINDS.iter().find(|(known, _)| *known == kind).map_or("Variant", |(_, name)| name)
}

/// The type that Godot calls `name`.
pub(crate) fn kind_named(name: &str) -> Option<VariantType> {
    KINDS.iter().find(|(_, known)| *known == name).map(|(kind, _)| *kind)
}

/// Every type, in Godot's order.
pub(super) const KINDS: [(VariantType, &str); 39] = [
    (VariantType::NIL, "Variant"),
    (VariantType::BOOL, "bool"),
    (VariantType::INT, "int"),
    (VariantType::FLOAT, "float"),
    (VariantType::STRING, "String"),
    (VariantType::VECTOR2, "Vector2"),
    (VariantType::VECTOR2I, "Vector2i"),
    (VariantType::RECT2, "Rect2"),
    (VariantType::RECT2I, "Rect2i"),
    (VariantType::VECTOR3, "Vector3"),
    (VariantType::VECTOR3I, "Vector3i"),
    (VariantType::TRANSFORM2D, "Transform2D"),
    (VariantType::VECTOR4, "Vector4"),
    (VariantType::VECTOR4I, "Vector4i"),
    (VariantType::PLANE, "Plane"),
    (VariantType::QUATERNION, "Quaternion"),
    (VariantType::AABB, "AABB"),
    (VariantType::BASIS, "Basis"),
    (VariantType::TRANSFORM3D, "Transform3D"),
    (VariantType::PROJECTION, "Projection"),
    (VariantType::COLOR, "Color"),
    (VariantType::STRING_NAME, "StringName"),
    (VariantType::NODE_PATH, "NodePath"),
    (VariantType::RID, "RID"),
    (VariantType::OBJECT, "Object"),
    (VariantType::CALLABLE, "Callable"),
    (VariantType::SIGNAL, "Signal"),
    (VariantType::DICTIONARY, "Dictionary"),
    (VariantType::ARRAY, "Array"),
    (VariantType::PACKED_BYTE_ARRAY, "PackedByteArray"),
    (VariantType::PACKED_INT32_ARRAY, "PackedInt32Array"),
    (VariantType::PACKED_INT64_ARRAY, "PackedInt64Array"),
    (VariantType::PACKED_FLOAT32_ARRAY, "PackedFloat32Array"),
    (VariantType::PACKED_FLOAT64_ARRAY, "PackedFloat64Array"),
    (VariantType::PACKED_STRING_ARRAY, "PackedStringArray"),
    (VariantType::PACKED_VECTOR2_ARRAY, "PackedVector2Array"),
    (VariantType::PACKED_VECTOR3_ARRAY, "PackedVector3Array"),
    (VariantType::PACKED_COLOR_ARRAY, "PackedColorArray"),
    (VariantType::PACKED_VECTOR4_ARRAY, "PackedVector4Array"),
];

#[cfg(test)]
mod tests {
    use godot::obj::EngineEnum;

    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_engine() {
        for (ord, (kind, name)) in KINDS.iter().enumerate() {
            assert_eq!(kind.ord(), i32::try_from(ord).unwrap(), "{name}");
            assert_eq!(kind_named(name), Some(*kind));
            assert_eq!(name_of_kind(*kind), *name);
        }
    }
}
