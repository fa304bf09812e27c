#include "stiction/output/start_picture.hpp"

#include "stiction/mesh/write.hpp"

#include <map>

namespace stiction {
namespace {

/// The mesh with its fields, one primitive after the other.
class Picture {
public:
    Picture(const World& world, const State& state) : world_(world), state_(state) {}

    template <std::size_t N>
    void add(const std::array<Index, N>& element, std::size_t problem, std::vector<std::array<Index, N>>& elements) {
        body_.push_back(body_of(element[0]));
        problem_.push_back(static_cast<double>(problem));
        std::array<Index, N> local;
        for (std::size_t k = 0; k < N; ++k) local[k] = point(element[k]);
        elements.push_back(local);
    }

    void add(Index vertex, std::size_t problem) {
        body_.push_back(body_of(vertex));
        problem_.push_back(static_cast<double>(problem));
        mesh.points.push_back(point(vertex));
    }

    void write(const std::filesystem::path& file) const {
        write_vtu(file, mesh, {{"body", 1, point_body_, true}, {"vertex", 1, point_vertex_, true}},
                  {{"body", 1, body_, true}, {"problem", 1, problem_, true}});
    }

    Mesh mesh;

private:
    double body_of(Index vertex) const {
        return static_cast<double>(world_.body_of_vertex[static_cast<std::size_t>(vertex)]);
    }

    Index point(Index vertex) {
        const auto [entry, is_new] = points_.emplace(vertex, static_cast<Index>(mesh.vertices.size()));
        if (is_new) {
            mesh.vertices.push_back(state_.x.segment<3>(3 * static_cast<Eigen::Index>(vertex)));
            point_body_.push_back(body_of(vertex));
            point_vertex_.push_back(
                static_cast<double>(vertex - world_.bodies[static_cast<std::size_t>(body_of(vertex))].first_vertex));
        }
        return entry->second;
    }

    const World& world_;
    const State& state_;
    std::map<Index, Index> points_;  ///< world vertex -> point
    std::vector<double> body_, problem_, point_body_, point_vertex_;
};

}  // namespace

void write_start_picture(const std::filesystem::path& file, const World& world, const State& state,
                         const std::vector<StartProblem>& problems) {
    Picture picture(world, state);
    // In the order of a VTU file's cells: tets, triangles, edges, points.
    for (std::size_t i = 0; i < problems.size(); ++i)
        for (const Tet& tet : problems[i].tets) picture.add(tet, i, picture.mesh.tets);
    for (std::size_t i = 0; i < problems.size(); ++i)
        for (const Triangle& triangle : problems[i].triangles) picture.add(triangle, i, picture.mesh.triangles);
    for (std::size_t i = 0; i < problems.size(); ++i)
        for (const Edge& edge : problems[i].edges) picture.add(edge, i, picture.mesh.edges);
    for (std::size_t i = 0; i < problems.size(); ++i)
        for (const Index vertex : problems[i].points) picture.add(vertex, i);
    picture.write(file);
}

}  // namespace stiction
