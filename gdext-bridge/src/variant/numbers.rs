//! Structs of the engine as rows of numbers, in the order of their fields.

use godot::{builtin::*, meta::ToGodot};

/// The numbers of `value`: one for a number, those of its fields for a struct; `None` for all else.
pub(crate) fn numbers_of(value: &Variant) -> Option<Vec<f64>> {
    match value.get_type() {
        VariantType::INT => value.try_to::<i64>().ok().map(|number| vec![number as f64]),
        VariantType::FLOAT => value.try_to().ok().map(|number| vec![number]),
        _ => numbers(value),
    }
}

/// The numbers of `value`, if it is a struct.
pub(super) fn numbers(value: &Variant) -> Option<Vec<f64>> {
    let numbers = match value.get_type() {
        VariantType::VECTOR2 => vector2(value.try_to().ok()?).to_vec(),
        VariantType::VECTOR2I => vector2i(value.try_to().ok()?).to_vec(),
        VariantType::VECTOR3 => vector3(value.try_to().ok()?).to_vec(),
        VariantType::VECTOR3I => vector3i(value.try_to().ok()?),
        VariantType::VECTOR4 => vector4(value.try_to().ok()?).to_vec(),
        VariantType::VECTOR4I => vector4i(value.try_to().ok()?),
        VariantType::RECT2 => rect2(value.try_to().ok()?),
        VariantType::RECT2I => rect2i(value.try_to().ok()?),
        VariantType::TRANSFORM2D => transform2d(value.try_to().ok()?),
        VariantType::PLANE => plane(value.try_to().ok()?),
        VariantType::QUATERNION => quaternion(value.try_to().ok()?),
        VariantType::AABB => aabb(value.try_to().ok()?),
        VariantType::BASIS => basis(value.try_to().ok()?),
        VariantType::TRANSFORM3D => transform3d(value.try_to().ok()?),
        VariantType::PROJECTION => projection(value.try_to().ok()?),
        VariantType::COLOR => color(value.try_to().ok()?).to_vec(),
        _ => return None,
    };
    Some(numbers)
}

/// A struct of type `kind` with these numbers; `None` where they are too few or too many.
#[allow(clippy::cast_possible_truncation, reason = "whoever read the numbers checked their range")]
pub(super) fn build(kind: VariantType, numbers: &[f64]) -> Option<Variant> {
    let int = |number: f64| number as i32;
    Some(match (kind, numbers) {
        (VariantType::VECTOR2, n) => to_vector2(n)?.to_variant(),
        (VariantType::VECTOR2I, &[x, y]) => Vector2i::new(int(x), int(y)).to_variant(),
        (VariantType::VECTOR3, n) => to_vector3(n)?.to_variant(),
        (VariantType::VECTOR3I, &[x, y, z]) => Vector3i::new(int(x), int(y), int(z)).to_variant(),
        (VariantType::VECTOR4, n) => to_vector4(n)?.to_variant(),
        (VariantType::VECTOR4I, &[x, y, z, w]) => {
            Vector4i::new(int(x), int(y), int(z), int(w)).to_variant()
        }
        (VariantType::RECT2, [position @ .., w, h]) => {
            Rect2::new(to_vector2(position)?, to_vector2(&[*w, *h])?).to_variant()
        }
        (VariantType::RECT2I, &[x, y, w, h]) => {
            Rect2i::new(Vector2i::new(int(x), int(y)), Vector2i::new(int(w), int(h))).to_variant()
        }
        (VariantType::TRANSFORM2D, &[xx, xy, yx, yy, ref origin @ ..]) => {
            let (a, b) = (to_vector2(&[xx, xy])?, to_vector2(&[yx, yy])?);
            Transform2D { a, b, origin: to_vector2(origin)? }.to_variant()
        }
        (VariantType::PLANE, [normal @ .., d]) => {
            Plane { normal: to_vector3(normal)?, d: real(*d) }.to_variant()
        }
        (VariantType::QUATERNION, &[x, y, z, w]) => {
            Quaternion { x: real(x), y: real(y), z: real(z), w: real(w) }.to_variant()
        }
        (VariantType::AABB, &[x, y, z, ref size @ ..]) => {
            Aabb { position: to_vector3(&[x, y, z])?, size: to_vector3(size)? }.to_variant()
        }
        (VariantType::BASIS, n) => to_basis(n)?.to_variant(),
        (VariantType::TRANSFORM3D, [basis @ .., x, y, z]) => {
            Transform3D { basis: to_basis(basis)?, origin: to_vector3(&[*x, *y, *z])? }.to_variant()
        }
        (VariantType::PROJECTION, n) => to_projection(n)?.to_variant(),
        (VariantType::COLOR, n) => to_color(n)?.to_variant(),
        _ => return None,
    })
}

/// `numbers` as a vector.
pub(super) fn to_vector2(numbers: &[f64]) -> Option<Vector2> {
    let &[x, y] = numbers else { return None };
    Some(Vector2::new(real(x), real(y)))
}

/// `numbers` as a vector.
pub(super) fn to_vector3(numbers: &[f64]) -> Option<Vector3> {
    let &[x, y, z] = numbers else { return None };
    Some(Vector3::new(real(x), real(y), real(z)))
}

/// `numbers` as a vector.
pub(super) fn to_vector4(numbers: &[f64]) -> Option<Vector4> {
    let &[x, y, z, w] = numbers else { return None };
    Some(Vector4::new(real(x), real(y), real(z), real(w)))
}

/// `numbers` as a color.
pub(super) fn to_color(numbers: &[f64]) -> Option<Color> {
    let &[r, g, b, a] = numbers else { return None };
    Some(Color { r: real(r), g: real(g), b: real(b), a: real(a) })
}

/// The numbers of a vector.
pub(super) fn vector2(v: Vector2) -> [f64; 2] {
    [v.x, v.y].map(f64::from)
}

/// The numbers of a vector.
pub(super) fn vector3(v: Vector3) -> [f64; 3] {
    [v.x, v.y, v.z].map(f64::from)
}

/// The numbers of a vector.
pub(super) fn vector4(v: Vector4) -> [f64; 4] {
    [v.x, v.y, v.z, v.w].map(f64::from)
}

/// The numbers of a color.
pub(super) fn color(c: Color) -> [f64; 4] {
    [c.r, c.g, c.b, c.a].map(f64::from)
}

fn vector2i(v: Vector2i) -> [f64; 2] {
    [v.x, v.y].map(f64::from)
}

fn vector3i(v: Vector3i) -> Vec<f64> {
    [v.x, v.y, v.z].map(f64::from).to_vec()
}

fn vector4i(v: Vector4i) -> Vec<f64> {
    [v.x, v.y, v.z, v.w].map(f64::from).to_vec()
}

fn rect2(r: Rect2) -> Vec<f64> {
    [vector2(r.position), vector2(r.size)].concat()
}

fn rect2i(r: Rect2i) -> Vec<f64> {
    [vector2i(r.position), vector2i(r.size)].concat()
}

fn transform2d(t: Transform2D) -> Vec<f64> {
    [vector2(t.a), vector2(t.b), vector2(t.origin)].concat()
}

fn plane(p: Plane) -> Vec<f64> {
    [&vector3(p.normal)[..], &[f64::from(p.d)]].concat()
}

fn quaternion(q: Quaternion) -> Vec<f64> {
    [q.x, q.y, q.z, q.w].map(f64::from).to_vec()
}

fn aabb(b: Aabb) -> Vec<f64> {
    [vector3(b.position), vector3(b.size)].concat()
}

fn basis(b: Basis) -> Vec<f64> {
    [vector3(b.col_a()), vector3(b.col_b()), vector3(b.col_c())].concat()
}

fn transform3d(t: Transform3D) -> Vec<f64> {
    [basis(t.basis), vector3(t.origin).to_vec()].concat()
}

fn projection(p: Projection) -> Vec<f64> {
    p.cols.map(vector4).concat()
}

fn to_basis(numbers: &[f64]) -> Option<Basis> {
    let &[xx, xy, xz, yx, yy, yz, ref z @ ..] = numbers else { return None };
    let (x, y) = (to_vector3(&[xx, xy, xz])?, to_vector3(&[yx, yy, yz])?);
    Some(Basis::from_cols(x, y, to_vector3(z)?))
}

fn to_projection(numbers: &[f64]) -> Option<Projection> {
    let mut columns = numbers.chunks(4).map(to_vector4);
    let mut next = || columns.next().flatten();
    let cols = [next()?, next()?, next()?, next()?];
    columns.next().is_none().then_some(Projection { cols })
}

/// The numbers are those of the engine's own type, or were checked to fit it.
#[allow(clippy::cast_possible_truncation, reason = "whoever read the numbers checked their range")]
fn real(number: f64) -> godot::builtin::real {
    number as godot::builtin::real
}
