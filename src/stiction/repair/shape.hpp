// The colliding primitives of one body where it starts, and whether two bodies are clear of each other when one of them
// is moved without turning.
#pragma once

#include "stiction/audit/box_tree.hpp"
#include "stiction/world/world.hpp"

#include <array>
#include <optional>
#include <vector>

namespace stiction::repair {

/// Points, segments or triangles of one body (m), with a tree of their boxes.
template <std::size_t N>
struct Primitives {
    std::vector<std::array<Vec3, N>> corners;
    Vec3 low = Vec3::Zero(), high = Vec3::Zero();  ///< bounding box of all
    std::optional<audit::BoxTree> tree;            ///< nothing where there are no primitives
};

/// What a body's surface holds.
enum class Inside : std::uint8_t {
    none,    ///< the surface is not closed
    solid,   ///< material, where no other body can be
    hollow,  ///< perhaps nothing: a closed sheet, or an obstacle of triangles, in which other bodies may lie
};

/// The surface of one body of the world.
struct Shape {
    Index body = -1;
    Vec3 low = Vec3::Zero(), high = Vec3::Zero();  ///< bounding box
    Primitives<1> points;                          ///< all colliding vertices
    Primitives<2> edges;                           ///< all, those of triangles included
    Primitives<3> triangles;
    Primitives<2> bare_edges;
    Primitives<1> bare_points;
    Inside inside = Inside::none;
    std::vector<Vec3> pieces;  ///< a vertex of each connected piece
};

/// The shape of a body that is no half-space.
/// @param x      stacked positions of all vertices (m)
/// @param solid  whether a closed surface holds material
/// The world must outlive the shape.
Shape make_shape(const World& world, const VecX& x, Index body, bool solid);

/// Whether a point lies in a closed surface: the winding number is nearer to one, of either sign, than to zero.
bool encloses(const Shape& shape, const Vec3& point);

/// Two bodies, the first of which is moved against the second.
struct ShapePair {
    const Shape* first = nullptr;
    const Shape* second = nullptr;
    // On which side of a hollow surface the other body stays: where most of its vertices start.
    bool first_within = false;   ///< the first body stays in the second
    bool second_within = false;  ///< the second body stays in the first
    bool sides_matter = true;    ///< false: surfaces alone are looked at, as a run does
};

/// The pair with its sides, which are those of the start.
ShapePair make_pair_of(const Shape& first, const Shape& second);

/// Whether the surfaces are at least `distance` (m, above 0) apart and no body lies on the wrong side of the other,
/// with the first body moved by `shift` (m). Crossings are found without rounding, distances in plain doubles.
bool is_clear(const ShapePair& pair, const Vec3& shift, double distance);

/// Directions that the first body may leave the second in, unit length: the normals of triangles that are crossed,
/// those of most crossings first.
std::vector<Vec3> crossed_normals(const ShapePair& pair, const Vec3& shift);

/// From the vertex of either body that is deepest in the other to the nearest point of the other's surface, as the way
/// of the first body (m). Nothing where no vertex is inside.
std::optional<Vec3> deepest_exit(const ShapePair& pair, const Vec3& shift);

/// From the second body to the first, which is moved by `shift`, where they are nearest (m). Nothing where no two
/// primitives are within `reach` (m).
std::optional<Vec3> nearest_difference(const ShapePair& pair, const Vec3& shift, double reach);

}  // namespace stiction::repair
