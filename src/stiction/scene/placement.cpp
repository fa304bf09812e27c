#include "stiction/scene/placement.hpp"

#include "stiction/base/error.hpp"
#include "stiction/mesh/generate_hollow.hpp"
#include "stiction/mesh/generate_revolved.hpp"
#include "stiction/mesh/read.hpp"
#include "stiction/mesh/refine.hpp"

#include <Eigen/Geometry>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <numbers>

namespace stiction {
namespace {

Mat3 rotation_matrix(const RotationSpec& rotation) {
    if (rotation.axis)
        return Eigen::AngleAxisd(*rotation.angle * degree, rotation.axis->stableNormalized()).toRotationMatrix();
    if (!rotation.euler) return Mat3::Identity();
    const Vec3 angles = *rotation.euler * degree;
    return (Eigen::AngleAxisd(angles.z(), Vec3::UnitZ()) * Eigen::AngleAxisd(angles.y(), Vec3::UnitY()) *
            Eigen::AngleAxisd(angles.x(), Vec3::UnitX()))
        .toRotationMatrix();
}

int cells_along(double length, const MeshSpec& spec) {
    const double cells = std::round(length / *spec.edge_length);
    if (cells > 1e7)
        throw InputError("", "edge_length", fmt::format("{}", *spec.edge_length),
                         fmt::format("a length that is not tiny beside {} m", length));
    return std::max(1, static_cast<int>(cells));
}

Mesh generate_shape(const MeshSpec& spec) {
    const std::string& shape = *spec.generate;
    if (shape == "hollow_ball") return generate_hollow_ball(spec.radius, spec.thickness, spec.divisions, spec.layers);
    if (shape == "capsule") return generate_capsule(spec.radius, spec.height, spec.divisions, spec.capsule_layers);
    if (shape == "tube") return generate_tube(spec.radius, spec.height, spec.around, spec.along);
    if (shape == "ring") return generate_ring(spec.major_radius, spec.minor_radius, spec.segments, spec.sides);
    if (shape == "tire") return generate_tire(spec.radius, spec.rim_radius, spec.tire_width, spec.around, spec.across);
    if (!spec.edge_length && !spec.cells && !spec.vertices && shape != "icosphere")
        throw InputError("", "edge_length", "none", "a length");
    if (shape == "box") {
        std::array<int, 3> cells{1, 1, 1};
        for (int axis = 0; axis < 3; ++axis) {
            const auto k = static_cast<std::size_t>(axis);
            cells[k] = spec.cells ? (*spec.cells)[k] : cells_along(spec.size[axis], spec);
        }
        return generate_box(spec.size, cells, Fill::solid,
                            spec.diagonals == "alternating" ? Diagonals::alternating : Diagonals::parallel);
    }
    if (shape == "ball") {
        return generate_ball(spec.radius, spec.vertices ? ball_shells_for_vertices(*spec.vertices)
                                                        : ball_shells_for_edge_length(spec.radius, *spec.edge_length));
    }
    if (shape == "cylinder") return generate_cylinder(spec.radius, spec.height, *spec.edge_length);
    if (shape == "torus") return generate_torus(spec.major_radius, spec.minor_radius, *spec.edge_length);
    if (shape == "rod")
        return generate_rod(spec.length, spec.width, cells_along(spec.length, spec), cells_along(spec.width, spec));
    if (shape == "cloth")
        return generate_cloth(spec.extent[0], spec.extent[1], cells_along(spec.extent[0], spec),
                              cells_along(spec.extent[1], spec));
    if (shape == "polyline") return generate_polyline(spec.points, spec.closed, *spec.edge_length);
    if (shape == "icosphere") return generate_icosphere(spec.radius, spec.subdivisions);
    throw InputError("", "generate", shape, "a shape that has a generator");
}

/// Adds the scene's file and path to what the mesh code says.
template <class Load>
Mesh named(const SceneOrigin& origin, const std::string& field, const Load& load) {
    try {
        return load();
    } catch (const InputError& error) {
        throw InputError(fmt::format("{}{}{}: {}", origin.file, origin.file.empty() ? "" : ": ", field, error.what()));
    }
}

}  // namespace

std::pair<Vec3, Vec3> bounding_box(const std::vector<Vec3>& vertices) {
    Vec3 low = vertices.front(), high = low;
    for (const Vec3& x : vertices) low = low.cwiseMin(x), high = high.cwiseMax(x);
    return {low, high};
}

std::filesystem::path resolve_path(const SceneOrigin& origin, const std::string& path) {
    return (origin.directory / path).lexically_normal();
}

Placement make_placement(const TransformSpec& transform, const std::vector<Vec3>& vertices, const std::string& file,
                         const std::string& field) {
    const auto [low, high] = bounding_box(vertices);
    Placement placement;
    if (transform.center) placement.center = 0.5 * (low + high);
    if (transform.scale) placement.factors = *transform.scale;
    if (transform.dimensions) {
        const Vec3 extent = high - low;
        for (int axis = 0; axis < 3; ++axis) {
            const double wanted = (*transform.dimensions)[axis];
            if (wanted == 0.0) continue;
            if (extent[axis] == 0.0) {
                throw InputError(file, fmt::format("{}.dimensions[{}]", field, axis), fmt::format("{}", wanted),
                                 "0: the mesh is flat along this axis");
            }
            placement.factors[axis] = wanted / extent[axis];
        }
    }
    placement.rotation = rotation_matrix(transform.rotation);
    placement.translation = transform.translation;
    return placement;
}

Mesh read_scene_mesh(const std::string& path, const SceneOrigin& origin, const std::string& field) {
    const auto given = origin.meshes.find(path);
    Mesh mesh = given != origin.meshes.end()
                    ? *given->second
                    : named(origin, field, [&] { return read_mesh(resolve_path(origin, path)); });
    if (mesh.vertices.empty()) throw InputError(origin.file, field, path, "a mesh with vertices");
    return mesh;
}

Mesh load_mesh(const MeshSpec& spec, const SceneOrigin& origin, const std::string& field) {
    if (spec.file.has_value() == spec.generate.has_value())
        throw InputError(origin.file, field, "", "either 'file' or 'generate'");
    Mesh mesh = spec.file ? read_scene_mesh(*spec.file, origin, field)
                          : named(origin, field, [&] { return generate_shape(spec); });
    return named(origin, field, [&] { return refined(std::move(mesh), spec.refinements); });
}

bool natural_less(const std::string& a, const std::string& b) {
    const auto digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
    std::size_t i = 0, j = 0;
    while (i < a.size() && j < b.size()) {
        if (!digit(a[i]) || !digit(b[j])) {
            if (a[i] != b[j]) return a[i] < b[j];
            ++i, ++j;
            continue;
        }
        const auto number = [&](const std::string& text, std::size_t& at) {
            while (at + 1 < text.size() && text[at] == '0' && digit(text[at + 1])) ++at;
            const std::size_t begin = at;
            while (at < text.size() && digit(text[at])) ++at;
            return text.substr(begin, at - begin);
        };
        const std::string x = number(a, i), y = number(b, j);
        if (x != y) return x.size() != y.size() ? x.size() < y.size() : x < y;
    }
    if (a.size() - i != b.size() - j) return a.size() - i < b.size() - j;
    return a < b;
}

std::vector<std::string> sequence_files(const SequenceSpec& sequence, const SceneOrigin& origin,
                                        const std::string& field) {
    if (sequence.files) return *sequence.files;
    const std::filesystem::path folder = resolve_path(origin, *sequence.folder);
    if (!std::filesystem::is_directory(folder))
        throw InputError(origin.file, field + ".folder", folder.string(), "a folder of mesh files");
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.is_regular_file() && has_mesh_extension(entry.path()))
            names.push_back(entry.path().filename().string());
    }
    if (names.size() < 2)
        throw InputError(origin.file, field + ".folder", folder.string(), "a folder with at least two mesh files");
    std::sort(names.begin(), names.end(), natural_less);
    for (auto& name : names) name = (std::filesystem::path(*sequence.folder) / name).generic_string();
    return names;
}

std::vector<Vec3> kept_entries(const std::vector<Vec3>& list, const std::vector<Index>& new_id, const std::string& file,
                               const std::string& field) {
    if (list.size() != new_id.size())
        throw InputError(file, field, fmt::format("{} entries", list.size()),
                         fmt::format("{}, one a vertex of the mesh", new_id.size()));
    std::vector<Vec3> kept(list.size());
    std::size_t count = 0;
    for (std::size_t v = 0; v < new_id.size(); ++v) {
        if (new_id[v] < 0) continue;
        kept[static_cast<std::size_t>(new_id[v])] = list[v];
        ++count;
    }
    kept.resize(count);
    return kept;
}

std::vector<Vec3> start_positions(const StartSpec& start, std::vector<Vec3> placed, const std::vector<Index>& new_id,
                                  const std::string& file, const std::string& field) {
    if (start.positions) return kept_entries(*start.positions, new_id, file, field + ".positions");
    Mat3 matrix = Mat3::Identity();
    for (int row = 0; start.matrix && row < 3; ++row) matrix.row(row) = (*start.matrix)[static_cast<std::size_t>(row)];
    for (Vec3& x : placed) x = (matrix * x + start.translation).eval();
    return placed;
}

}  // namespace stiction
