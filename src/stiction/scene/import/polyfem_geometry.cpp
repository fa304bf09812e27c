#include "stiction/scene/import/polyfem_geometry.hpp"

#include "stiction/base/error.hpp"
#include "stiction/mesh/refine.hpp"
#include "stiction/mesh/topology.hpp"
#include "stiction/scene/import/copies.hpp"
#include "stiction/scene/import/names.hpp"
#include "stiction/scene/import/selection.hpp"
#include "stiction/scene/placement.hpp"

#include <fmt/format.h>
#include <glob.h>

#include <algorithm>
#include <string_view>

namespace stiction::scene {
namespace {

/// A mesh of the scene, where its transformation puts it.
struct PlacedMesh {
    Mesh mesh;  ///< vertices of the file, placed (m)
    TransformSpec transform;
    std::vector<Vec3> used;  ///< those of the vertices that some element uses
    int refinements = 0;     ///< that the mesh has been through
};

class GeometryReader {
public:
    GeometryReader(ImportObject& document, const PolyfemContext& context) : document_(document), context_(context) {}

    PolyfemGeometry run() {
        const auto entries = document_.list("geometry");
        if (entries.empty()) document_.refuse("geometry", "at least one geometry");
        for (std::size_t i = 0; i < entries.size(); ++i) read_entry(*entries[i], document_.entry_path("geometry", i));
        return std::move(result_);
    }

private:
    void read_entry(const Json& json, const std::string& path) {
        ImportObject entry(json, path, context_.notes);
        if (!entry.boolean("enabled", true)) {
            context_.notes.without_effect.push_back(path + " (not enabled)");
            return;
        }
        const bool is_obstacle = entry.boolean("is_obstacle", false);
        const std::string type = entry.text("type", "mesh");
        const std::vector<std::string> types{"mesh", "mesh_array", "plane", "ground", "mesh_sequence"};
        if (std::find(types.begin(), types.end(), type) == types.end()) {
            const std::string nearest = nearest_name(type, types);
            entry.refuse("type",
                         nearest.empty() ? "mesh, mesh_array, plane, ground or mesh_sequence" : "'" + nearest + "'");
        }
        const bool is_mesh = type == "mesh" || type == "mesh_array";
        if (!is_mesh && !is_obstacle) entry.refuse("type", "a mesh, or `is_obstacle` beside it");
        if (is_mesh && is_obstacle)
            read_obstacle(entry);
        else if (is_mesh)
            read_body(entry);
        else if (type == "mesh_sequence")
            read_sequence(entry);
        else
            read_plane(entry, type == "ground");
        entry.finish();
    }

    void read_body(ImportObject& entry) {
        const PlacedMesh placed = read_mesh_keys(entry);
        const Mesh& mesh = placed.mesh;
        if (mesh.tets.empty()) entry.refuse("mesh", "a mesh of tetrahedra, or `is_obstacle` beside it");
        entry.only("extract", "volume", "\"volume\": only obstacles can be of anything else");
        PolyfemBody body;
        body.path = entry.path();
        body.spec.mesh.file = entry.text("mesh", "");
        body.spec.mesh.refinements = placed.refinements;
        read_volume_ids(entry, placed, body);
        const auto faces = boundary_triangles(mesh.tets);
        read_surface_ids(entry, placed, faces, body);
        read_point_ids(entry, placed, body);
        for (auto& [id, vertices] : body.surface_vertices) sort_unique(vertices);
        note_edges(mesh.vertices, unique_edges(faces), result_.shortest_body_edge);
        for (const Vec3& shift : read_array(entry, placed.used)) {
            body.spec.name = names_.next(*body.spec.mesh.file);
            body.spec.transform = placed.transform;
            body.spec.transform.translation += shift;
            result_.bodies.push_back(body);
        }
    }

    void read_surface_ids(ImportObject& entry, const PlacedMesh& placed, const std::vector<Triangle>& faces,
                          PolyfemBody& body) {
        using Parts = PolyfemSelection::Parts;
        const PolyfemSelection surface(entry, "surface_selection", {Parts::Kind::faces, 0}, placed.used, context_);
        const auto& vertices = placed.mesh.vertices;
        for (const Triangle& face : faces) {
            auto& all = body.boundary_vertices;
            all.insert(all.end(), face.begin(), face.end());
            const Vec3 barycentre = (vertices[face[0]] + vertices[face[1]] + vertices[face[2]]) / 3.0;
            PolyfemPart part{barycentre, 0, {face.begin(), face.end()}};
            sort_unique(part.vertices);
            if (const auto id = surface.id(part)) {
                auto& selected = body.surface_vertices[*id];
                selected.insert(selected.end(), face.begin(), face.end());
            }
        }
        sort_unique(body.boundary_vertices);
    }

    /// A condition on an id drives the vertices that a selection of points gives it, too.
    void read_point_ids(ImportObject& entry, const PlacedMesh& placed, PolyfemBody& body) {
        using Parts = PolyfemSelection::Parts;
        const auto& vertices = placed.mesh.vertices;
        const PolyfemSelection points(entry, "point_selection", {Parts::Kind::vertices, vertices.size()}, placed.used,
                                      context_);
        std::vector<Index> candidates = body.boundary_vertices;
        if (points.reaches_inside()) {
            for (const Tet& tet : placed.mesh.tets) candidates.insert(candidates.end(), tet.begin(), tet.end());
            sort_unique(candidates);
        }
        for (const Index v : candidates) {
            const auto index = static_cast<std::size_t>(v);
            const auto& boundary = body.boundary_vertices;
            const bool is_inside = !std::binary_search(boundary.begin(), boundary.end(), v);
            if (const auto id = points.id({vertices[index], index, {}, is_inside}))
                body.surface_vertices[*id].push_back(v);
        }
    }

    void read_volume_ids(ImportObject& entry, const PlacedMesh& placed, PolyfemBody& body) {
        const Mesh& mesh = placed.mesh;
        const Json* json = entry.find("volume_selection");
        int offset = 0;
        std::optional<PolyfemSelection> selection;
        if (json && json->is_object() && json->contains("id_offset")) {
            ImportObject object = entry.object("volume_selection");
            offset = object.integer("id_offset", 0);
            object.finish();
        } else {
            using Parts = PolyfemSelection::Parts;
            selection.emplace(entry, "volume_selection", Parts{Parts::Kind::tets, mesh.tets.size()}, placed.used,
                              context_);
        }
        for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
            Vec3 barycentre = Vec3::Zero();
            for (const Index v : mesh.tets[t]) barycentre += 0.25 * mesh.vertices[static_cast<std::size_t>(v)];
            const int stored = offset + (mesh.tet_tags.empty() ? 0 : mesh.tet_tags[t]);
            body.volume_ids.insert(selection ? selection->id({barycentre, t, {}}).value_or(stored) : stored);
        }
    }

    void read_obstacle(ImportObject& entry) {
        const PlacedMesh placed = read_mesh_keys(entry);
        PolyfemObstacle obstacle;
        obstacle.path = entry.path();
        obstacle.spec.mesh.emplace().file = entry.text("mesh", "");
        obstacle.spec.mesh->refinements = placed.refinements;
        obstacle.spec.use = read_extract(entry);
        entry.without_effect({"volume_selection"});
        entry.only_empty("point_selection", "none: an obstacle moves as a whole");
        if (const Json* id = entry.find("surface_selection")) {
            if (!id->is_number()) entry.refuse("surface_selection", "an id: an obstacle moves as a whole");
            obstacle.surface_id = entry.integer("surface_selection", 0);
        }
        if (obstacle.spec.use != "points")
            note_edges(placed.mesh.vertices, extract_surface(placed.mesh).edges, result_.shortest_obstacle_edge);
        for (const Vec3& shift : read_array(entry, placed.used)) {
            obstacle.spec.name = names_.next(*obstacle.spec.mesh->file);
            obstacle.spec.transform = placed.transform;
            obstacle.spec.transform.translation += shift;
            result_.obstacles.push_back(obstacle);
        }
    }

    std::string read_extract(ImportObject& entry) const {
        const std::string extract = entry.text("extract", "volume");
        if (extract == "volume" || extract == "surface") return "surface";
        if (extract != "edges" && extract != "points")
            entry.refuse("extract", "one of volume, surface, edges and points");
        return extract;
    }

    void read_plane(ImportObject& entry, bool is_ground) {
        HalfSpaceSpec plane;
        if (is_ground) {
            plane.point.y() = polyfem_constant(entry.require("height", "the height of the ground"),
                                               entry.path_of("height"), length_dimension, context_);
        } else {
            plane.point = polyfem_constants(entry.require("point", "a point on the plane"), entry.path_of("point"),
                                            length_dimension, context_);
            plane.normal = polyfem_constants(entry.require("normal", "the normal of the plane"),
                                             entry.path_of("normal"), number_dimension, context_);
            if (plane.normal.isZero(0.0)) entry.refuse("normal", "a direction: not all three may be zero");
        }
        PolyfemObstacle obstacle;
        obstacle.path = entry.path();
        obstacle.spec.name = names_.next(is_ground ? "ground" : "plane");
        obstacle.spec.half_space = plane;
        entry.without_effect({"n_refs", "surface_selection"});
        context_.notes.notes.push_back(entry.path_of(is_ground ? "height" : "point, normal") +
                                       ": PolyFEM's contact passes over planes; here they collide");
        result_.obstacles.push_back(std::move(obstacle));
    }

    void read_sequence(ImportObject& entry) {
        PolyfemObstacle obstacle;
        obstacle.path = entry.path();
        obstacle.spec.name = names_.next("sequence");
        obstacle.spec.use = read_extract(entry);
        SequenceSpec& sequence = obstacle.spec.sequence.emplace();
        const Json& files = entry.require("mesh_sequence", "a folder of meshes or a list of them");
        if (files.is_array()) {
            for (std::size_t i = 0; i < files.size(); ++i) {
                if (!files[i].is_string()) entry.refuse("mesh_sequence", "a list of mesh files");
                if (!sequence.files) sequence.files.emplace();
                sequence.files->push_back(files[i].get<std::string>());
            }
            if (files.size() < 2) entry.refuse("mesh_sequence", "at least two meshes");
        } else {
            read_sequence_folder(entry, sequence);
        }
        entry.require("fps", "meshes per unit of time");
        const double rate = entry.number("fps", 0.0);
        if (!(rate > 0.0)) entry.refuse("fps", "a number > 0");
        sequence.interval = context_.units.time / rate;
        obstacle.spec.transform = read_polyfem_transformation(entry, nullptr, mesh_unit(entry), context_);
        read_mesh_options(entry);
        if (obstacle.spec.use == "edges") entry.only("n_refs", 0, "0: meshes of a sequence are not refined");
        entry.without_effect({"n_refs", "surface_selection"});
        result_.obstacles.push_back(std::move(obstacle));
    }

    /// A folder, or a pattern of file names in one; both in the order of their names.
    void read_sequence_folder(ImportObject& entry, SequenceSpec& sequence) const {
        const std::string name = entry.text("mesh_sequence", "");
        if (std::filesystem::is_directory(resolve_path(context_.origin, name))) {
            sequence.folder = name;
            return;
        }
        sequence.files = files_of_pattern(name);
        if (sequence.files->size() < 2)
            entry.refuse("mesh_sequence", "a folder that is there, a pattern that at least two meshes have, or a list");
    }

    /// Only the name that the scene gives is a pattern: signs in the path of the scene's own folder stand for
    /// themselves.
    std::vector<std::string> files_of_pattern(const std::string& name) const {
        const std::filesystem::path folder = context_.origin.directory;
        std::string plain;
        for (const char c : folder.string()) {
            if (std::string_view("*?[]\\").find(c) != std::string_view::npos) plain += '\\';
            plain += c;
        }
        glob_t found{};
        std::vector<std::string> files;
        if (glob((std::filesystem::path(plain) / name).c_str(), GLOB_NOSORT, nullptr, &found) == 0)
            files.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
        globfree(&found);
        if (!std::filesystem::path(name).is_absolute() && !folder.empty())
            for (std::string& file : files) file = file.substr((folder / "").string().size());
        std::sort(files.begin(), files.end(), natural_less);
        return files;
    }

    double mesh_unit(ImportObject& entry) const {
        const std::string unit = entry.text("unit", "");
        if (unit.empty()) return context_.units.length;
        return unit_factor(unit, length_dimension, context_.notes.file, entry.path_of("unit"));
    }

    /// Of an obstacle only edges are refined there.
    static int read_refinements(ImportObject& entry) {
        const int times = entry.integer("n_refs", 0);
        if (times < 0 || times > 6) entry.refuse("n_refs", "a number from 0 to 6");
        const bool refines = !entry.boolean("is_obstacle", false) || entry.text("extract", "volume") == "edges";
        return refines ? times : 0;
    }

    static void read_mesh_options(ImportObject& entry) {
        ImportObject advanced = entry.object("advanced");
        advanced.only("normalize_mesh", false, "false: meshes are not normalised");
        advanced.only("min_component", -1, "-1: every part of a mesh collides");
        advanced.without_effect({"force_linear_geometry", "refinement_location"});
        advanced.finish();
    }

    PlacedMesh read_mesh_keys(ImportObject& entry) {
        entry.require("mesh", "a mesh file");
        const std::string file = entry.text("mesh", "");
        PlacedMesh placed;
        placed.mesh = read_scene_mesh(file, context_.origin, entry.path_of("mesh"));
        if (placed.mesh.split_cells > 0)
            context_.notes.notes.push_back(fmt::format(
                "{}: {} hexahedra, prisms or pyramids are cut into tetrahedra; PolyFEM has elements of their shape",
                entry.path(), placed.mesh.split_cells));
        placed.refinements = read_refinements(entry);
        try {
            placed.mesh = refined(std::move(placed.mesh), placed.refinements);
        } catch (const InputError&) {  // it names neither file nor key
            entry.refuse("n_refs", "fewer: at most fifty million elements in all");
        }
        Mesh tidy = placed.mesh;
        compact(tidy);
        const auto box = bounding_box(tidy.vertices);
        placed.transform = read_polyfem_transformation(entry, &box, mesh_unit(entry), context_);
        const Placement place = make_placement(placed.transform, tidy.vertices, context_.notes.file, entry.path());
        for (Vec3& x : placed.mesh.vertices) x = place(x);
        for (Vec3& x : tidy.vertices) x = place(x);
        placed.used = std::move(tidy.vertices);
        read_mesh_options(entry);
        entry.only_empty("curve_selection", "none: PolyFEM has no selection of curves either");
        return placed;
    }

    /// Where the copies of an array are, seen from the first; only that one when the entry is no array.
    std::vector<Vec3> read_array(ImportObject& entry, const std::vector<Vec3>& vertices) const {
        if (entry.text("type", "mesh") != "mesh_array") return {Vec3::Zero()};
        entry.require("array", "an object with `offset` and `size`");
        ImportObject array = entry.object("array");
        const auto [low, high] = bounding_box(vertices);
        const bool relative = array.boolean("relative", false);
        const Json& offset = array.require("offset", "the distance between neighbours");
        const double distance =
            polyfem_constant(offset, array.path_of("offset"), relative ? number_dimension : length_dimension, context_);
        const Vec3 spacing = relative ? Vec3(distance * (high - low)) : Vec3::Constant(distance);
        const std::array<int, 3> size = read_array_size(array, static_cast<double>(vertices.size()));
        array.finish();
        std::vector<Vec3> shifts;
        for (int i = 0; i < size[0]; ++i)
            for (int j = 0; j < size[1]; ++j)
                for (int k = 0; k < size[2]; ++k) shifts.push_back(spacing.cwiseProduct(Vec3(i, j, k)));
        return shifts;
    }

    /// @param vertices  of one copy
    std::array<int, 3> read_array_size(ImportObject& array, double vertices) const {
        const char* expected = "a list of three numbers of copies, each at least 1";
        const Json& json = array.require("size", expected);
        if (!json.is_array() || json.size() < 2 || json.size() > 3) array.refuse("size", expected);
        std::array<int, 3> size{1, 1, 1};
        double copies = 1.0;
        for (std::size_t k = 0; k < json.size(); ++k) {
            size[k] = import_integer(json[k], fmt::format("{}[{}]", array.path_of("size"), k), array.notes().file);
            if (size[k] < 1) array.refuse("size", expected);
            copies *= size[k];
        }
        if (copies + static_cast<double>(result_.bodies.size() + result_.obstacles.size()) > most_copies)
            array.refuse("size", fmt::format("at most {} bodies and obstacles in all", most_copies));
        if (copies > 1.0 && copies * vertices > most_copied_vertices)
            array.refuse("size", fmt::format("at most {:g} vertices; a copy has {:g}", most_copied_vertices, vertices));
        return size;
    }

    static void note_edges(const std::vector<Vec3>& vertices, const std::vector<Edge>& edges, double& shortest) {
        for (const Edge& edge : edges) {
            const double length =
                (vertices[static_cast<std::size_t>(edge[0])] - vertices[static_cast<std::size_t>(edge[1])]).norm();
            shortest = std::min(shortest, length);
        }
    }

    static void sort_unique(std::vector<Index>& vertices) {
        std::sort(vertices.begin(), vertices.end());
        vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
    }

    ImportObject& document_;
    const PolyfemContext& context_;
    PolyfemGeometry result_;
    ImportNames names_;
};

}  // namespace

PolyfemGeometry read_polyfem_geometry(ImportObject& document, const PolyfemContext& context) {
    return GeometryReader(document, context).run();
}

}  // namespace stiction::scene
