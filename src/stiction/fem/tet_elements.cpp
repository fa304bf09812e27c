#include "stiction/fem/tet_elements.hpp"

#include <Eigen/LU>
#include <fmt/format.h>

namespace stiction {
namespace {

void check_vertices(const Tet& tet, std::size_t vertex_count, std::size_t index, std::string_view source) {
    for (const Index vertex : tet) {
        if (vertex < 0 || static_cast<std::size_t>(vertex) >= vertex_count) {
            throw InputError(source, fmt::format("tet {}", index), fmt::format("vertex {}", vertex),
                             fmt::format("a vertex index in [0, {})", vertex_count));
        }
    }
}

void check_shape(const Mat3& rest_edges, std::size_t index, std::string_view source) {
    const double determinant = rest_edges.determinant();
    const double reference = rest_edges.colwise().norm().prod();
    if (determinant > 1e-12 * reference) return;  // false for NaN too
    const char* fault = determinant < -1e-12 * reference ? "inverted" : "degenerate";
    throw InputError(source, fmt::format("tet {}", index),
                     fmt::format("{}, volume {:.6g} m^3", fault, determinant / 6.0),
                     "a positively oriented tet of positive volume");
}

}  // namespace

void append_tets(TetElements& elements, const std::vector<Vec3>& rest, const std::vector<Tet>& tets,
                 const LameParameters& lame, Index vertex_offset, std::string_view source) {
    for (std::size_t t = 0; t < tets.size(); ++t) {
        check_vertices(tets[t], rest.size(), t, source);
        const Vec3& origin = rest[static_cast<std::size_t>(tets[t][0])];
        Mat3 rest_edges;
        for (int a = 0; a < 3; ++a) {
            rest_edges.col(a) = rest[static_cast<std::size_t>(tets[t][static_cast<std::size_t>(a) + 1])] - origin;
        }
        check_shape(rest_edges, t, source);
        Tet global = tets[t];
        for (Index& vertex : global) vertex += vertex_offset;
        elements.vertices.push_back(global);
        elements.rest_inverse.push_back(rest_edges.inverse());
        elements.volume.push_back(rest_edges.determinant() / 6.0);
        elements.mu.push_back(lame.mu);
        elements.lambda.push_back(lame.lambda);
    }
}

}  // namespace stiction
