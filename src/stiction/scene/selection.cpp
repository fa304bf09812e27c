#include "stiction/scene/selection.hpp"

#include "stiction/base/error.hpp"
#include "stiction/mesh/second_order.hpp"
#include "stiction/mesh/topology.hpp"
#include "stiction/scene/placement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

namespace stiction {
namespace {

class Selector {
public:
    Selector(const Mesh& mesh, const std::vector<Index>& new_id, const SceneOrigin& origin, const std::string& field)
        : mesh_(mesh), new_id_(new_id), origin_(origin), field_(field) {
        std::tie(low_, high_) = bounding_box(mesh.vertices);
        tolerance_ = 1e-9 * (high_ - low_).norm();
        middles_ = middles_of_edges(mesh);
    }

    std::vector<Index> run(const SelectionSpec& select) const {
        std::vector<Index> result;
        if (select.box)
            result = in_box(*select.box);
        else if (select.sphere)
            result = where([&](const Vec3& x) {
                return (x - select.sphere->center).norm() <= select.sphere->radius + tolerance_;
            });
        else if (select.half_space)
            result = in_half_space(*select.half_space);
        else if (select.surface_id)
            result = on_surface(*select.surface_id);
        else if (select.vertices)
            result = by_id(*select.vertices, origin_.file, field_ + ".vertices");
        else if (select.file)
            result = from_file(*select.file);
        else
            result = where([](const Vec3&) { return true; });
        if (result.empty())
            refuse("", "selects no vertex",
                   fmt::format("at least one of the {} vertices, {}", mesh_.vertices.size(), box_text()));
        return result;
    }

private:
    [[noreturn]] void refuse(const std::string& key, const std::string& value, const std::string& expected) const {
        throw InputError(origin_.file, field_ + key, value, expected);
    }

    std::string box_text() const {
        return fmt::format("which lie between [{:g}, {:g}, {:g}] and [{:g}, {:g}, {:g}]", low_.x(), low_.y(), low_.z(),
                           high_.x(), high_.y(), high_.z());
    }

    template <class Test>
    std::vector<Index> where(const Test& test) const {
        std::vector<Index> result;
        for (std::size_t i = 0; i < mesh_.vertices.size(); ++i) {
            if (test(mesh_.vertices[i])) result.push_back(static_cast<Index>(i));
        }
        return result;
    }

    std::vector<Index> in_box(const BoxSelection& box) const {
        const Vec3 extent = high_ - low_;
        const Vec3 low = box.relative ? Vec3(low_ + box.min.cwiseProduct(extent)) : box.min;
        const Vec3 high = box.relative ? Vec3(low_ + box.max.cwiseProduct(extent)) : box.max;
        return where([&](const Vec3& x) {
            return (x.array() >= low.array() - tolerance_).all() && (x.array() <= high.array() + tolerance_).all();
        });
    }

    std::vector<Index> in_half_space(const HalfSpaceSpec& plane) const {
        const Vec3 normal = plane.normal.stableNormalized();
        return where([&](const Vec3& x) { return normal.dot(x - plane.point) >= -tolerance_; });
    }

    /// Its corners, and the mid nodes of its edges.
    void add_triangle(const Triangle& triangle, std::set<Index>& found) const {
        found.insert(triangle.begin(), triangle.end());
        for (std::size_t k = 0; k < 3 && !middles_.empty(); ++k) {
            const auto [low, high] = std::minmax(triangle[k], triangle[(k + 1) % 3]);
            if (const auto middle = middles_.find({low, high}); middle != middles_.end()) found.insert(middle->second);
        }
    }

    std::vector<Index> on_surface(int id) const {
        if (mesh_.triangle_tags.empty()) refuse(".surface_id", std::to_string(id), "a mesh file with surface ids");
        std::set<Index> found;
        std::set<int> ids;
        const auto visit = [&](std::size_t triangle, int tag) {
            ids.insert(tag);
            if (tag == id) add_triangle(mesh_.triangles[triangle], found);
        };
        for (std::size_t i = 0; i < mesh_.triangles.size(); ++i) visit(i, mesh_.triangle_tags[i]);
        for (const FurtherTag& further : mesh_.further_triangle_tags)
            visit(static_cast<std::size_t>(further.element), further.tag);
        if (found.empty()) {
            std::string known;
            for (const int other : ids) known += fmt::format("{}{}", known.empty() ? "" : ", ", other);
            refuse(".surface_id", std::to_string(id), "one of the surface ids of the mesh: " + known);
        }
        return {found.begin(), found.end()};
    }

    std::vector<Index> by_id(const std::vector<Index>& ids, const std::string& file, const std::string& field) const {
        const std::size_t count = new_id_.empty() ? mesh_.vertices.size() : new_id_.size();
        std::set<Index> found;
        for (const Index id : ids) {
            if (id < 0 || static_cast<std::size_t>(id) >= count)
                throw InputError(file, field, std::to_string(id), fmt::format("a vertex id in [0, {}]", count - 1));
            const Index index = new_id_.empty() ? id : new_id_[static_cast<std::size_t>(id)];
            if (index < 0)
                throw InputError(file, field, std::to_string(id), "a vertex that an element of the mesh uses");
            found.insert(index);
        }
        add_middles(found);
        return {found.begin(), found.end()};
    }

    /// Nodes that were added in the middle of edges have no ids in the file: one belongs to a list of ids where both
    /// ends of its edge do, and the edge is one of the boundary or of a tet all of whose corners do.
    void add_middles(std::set<Index>& found) const {
        const auto known =
            static_cast<Index>(new_id_.size() - static_cast<std::size_t>(std::ranges::count(new_id_, Index{-1})));
        if (middles_.empty() || new_id_.empty() || known == static_cast<Index>(mesh_.vertices.size())) return;
        std::set<Index> added;
        const auto add = [&](const auto& corners) {
            if (!std::ranges::all_of(corners, [&](Index v) { return found.contains(v); })) return;
            for (const Index a : corners) {
                for (const Index b : corners) {
                    const auto middle = middles_.find({std::min(a, b), std::max(a, b)});
                    if (middle != middles_.end() && middle->second >= known) added.insert(middle->second);
                }
            }
        };
        for (const Triangle& face : boundary_triangles(mesh_.tets)) {
            add(face);
            for (std::size_t k = 0; k < 3; ++k) add(Edge{face[k], face[(k + 1) % 3]});
        }
        for (const Tet& tet : mesh_.tets) add(tet);
        found.merge(added);
    }

    std::vector<Index> from_file(const std::string& path) const {
        const std::filesystem::path file = resolve_path(origin_, path);
        std::ifstream stream(file);
        if (!stream || !std::filesystem::is_regular_file(file))
            refuse(".file", file.string(), "a text file of vertex ids that can be opened");
        std::vector<Index> ids;
        std::string line;
        for (int number = 1; std::getline(stream, line); ++number) {
            line = line.substr(0, line.find('#'));
            std::replace(line.begin(), line.end(), ',', ' ');
            std::istringstream words(line);
            for (std::string word; words >> word;) {
                Index id = 0;
                const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), id);
                if (error != std::errc() || end != word.data() + word.size()) {
                    throw InputError(file.string(), fmt::format("line {}", number), word, "a vertex id");
                }
                ids.push_back(id);
            }
        }
        return by_id(ids, file.string(), field_ + ".file");
    }

    const Mesh& mesh_;
    const std::vector<Index>& new_id_;
    const SceneOrigin& origin_;
    const std::string& field_;
    Vec3 low_, high_;
    std::map<Edge, Index> middles_;
    double tolerance_ = 0.0;
};

}  // namespace

std::vector<Index> select_vertices(const SelectionSpec& select, const Mesh& mesh, const std::vector<Index>& new_id,
                                   const SceneOrigin& origin, const std::string& field) {
    return Selector(mesh, new_id, origin, field).run(select);
}

}  // namespace stiction
