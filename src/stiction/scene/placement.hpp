// Meshes of a scene: loaded or generated, and put in their place.
#pragma once

#include "stiction/mesh/mesh.hpp"
#include "stiction/scene/spec.hpp"

#include <numbers>
#include <string>
#include <vector>

namespace stiction {

/// Radians in a degree.
constexpr double degree = std::numbers::pi / 180.0;

/// An affine map as TransformSpec describes it: x -> R S (x - c) + t.
struct Placement {
    Vec3 center = Vec3::Zero();  ///< moved to the origin first
    Vec3 factors = Vec3::Ones();
    Mat3 rotation = Mat3::Identity();
    Vec3 translation = Vec3::Zero();

    Vec3 operator()(const Vec3& x) const { return rotation * factors.cwiseProduct(x - center) + translation; }
};

/// The map for a mesh with these vertices (m). `file` and `field` (path of the transform) are for messages.
/// Throws InputError when `dimensions` asks for an extent that the mesh does not have.
Placement make_placement(const TransformSpec& transform, const std::vector<Vec3>& vertices, const std::string& file,
                         const std::string& field);

/// Where a path of a scene leads.
std::filesystem::path resolve_path(const SceneOrigin& origin, const std::string& path);

/// The mesh as the file or generator gives it. `field` is the path of the mesh key. Throws InputError, also for an
/// empty mesh.
Mesh load_mesh(const MeshSpec& spec, const SceneOrigin& origin, const std::string& field);

/// Reads a mesh file that a scene names, or takes the mesh of this path from memory; messages name the scene's field,
/// too.
Mesh read_scene_mesh(const std::string& path, const SceneOrigin& origin, const std::string& field);

/// Lower and upper corner of the bounding box (m) of at least one vertex.
std::pair<Vec3, Vec3> bounding_box(const std::vector<Vec3>& vertices);

/// The order of file names: "frame2" before "frame10", digits compare as numbers.
bool natural_less(const std::string& a, const std::string& b);

/// The files of a sequence in order, as paths of the scene. Throws InputError when there are fewer than two.
std::vector<std::string> sequence_files(const SequenceSpec& sequence, const SceneOrigin& origin,
                                        const std::string& field);

/// Of a list with one entry a vertex of the mesh file those of the vertices that were kept, in their new order.
/// @param new_id  for each vertex of the file its new index, -1 when it was dropped
/// @throws InputError when the list is of another length
std::vector<Vec3> kept_entries(const std::vector<Vec3>& list, const std::vector<Index>& new_id, const std::string& file,
                               const std::string& field);

/// Where the vertices of a placed mesh start (m). `new_id`, `file`, `field`: see kept_entries()
std::vector<Vec3> start_positions(const StartSpec& start, std::vector<Vec3> placed, const std::vector<Index>& new_id,
                                  const std::string& file, const std::string& field);

}  // namespace stiction
