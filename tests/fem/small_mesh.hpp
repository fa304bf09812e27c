// A small irregular tet mesh and element groups over it, for tests.
#pragma once

#include "stiction/fem/tet10_elements.hpp"
#include "stiction/fem/tet_elements.hpp"
#include "stiction/mesh/second_order.hpp"

#include <Eigen/LU>

#include <numbers>
#include <random>

namespace stiction::testing {

inline constexpr double pi = std::numbers::pi;

struct SmallMesh {
    std::vector<Vec3> rest;
    std::vector<Tet> tets;
    std::vector<bool> interior;
};

/// An n x n x n block of cells, each cut into six tets around its diagonal (Kuhn), interior nodes moved at random.
inline SmallMesh irregular_block(int n, double size, std::mt19937_64& generator) {
    std::uniform_real_distribution<double> jitter(-0.15, 0.15);
    SmallMesh mesh;
    const auto id = [&](int i, int j, int k) { return static_cast<Index>((i * (n + 1) + j) * (n + 1) + k); };
    for (int i = 0; i <= n; ++i) {
        for (int j = 0; j <= n; ++j) {
            for (int k = 0; k <= n; ++k) {
                const bool inside = i > 0 && i < n && j > 0 && j < n && k > 0 && k < n;
                Vec3 position(i, j, k);
                if (inside) position += Vec3(jitter(generator), jitter(generator), jitter(generator));
                mesh.rest.push_back(size / n * position);
                mesh.interior.push_back(inside);
            }
        }
    }
    constexpr int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (int cell = 0; cell < n * n * n; ++cell) {
        for (const auto& order : orders) {
            int corner[3] = {cell / (n * n), cell / n % n, cell % n};
            Tet tet{id(corner[0], corner[1], corner[2])};
            for (std::size_t step = 0; step < 3; ++step) {
                ++corner[order[step]];
                tet[step + 1] = id(corner[0], corner[1], corner[2]);
            }
            const auto at = [&](std::size_t a) { return mesh.rest[static_cast<std::size_t>(tet[a])]; };
            if ((at(1) - at(0)).cross(at(2) - at(0)).dot(at(3) - at(0)) < 0.0) std::swap(tet[2], tet[3]);
            mesh.tets.push_back(tet);
        }
    }
    return mesh;
}

inline VecX stacked(const std::vector<Vec3>& positions) {
    VecX x(3 * static_cast<Eigen::Index>(positions.size()));
    for (std::size_t v = 0; v < positions.size(); ++v) x.segment<3>(3 * static_cast<Eigen::Index>(v)) = positions[v];
    return x;
}

/// x -> A x + b, vertex by vertex.
inline VecX mapped(const VecX& x, const Mat3& A, const Vec3& b = Vec3::Zero()) {
    VecX y(x.size());
    for (Eigen::Index v = 0; v < x.size() / 3; ++v) y.segment<3>(3 * v) = A * x.segment<3>(3 * v) + b;
    return y;
}

inline VecX random_vector(Eigen::Index size, double amplitude, std::mt19937_64& generator) {
    std::uniform_real_distribution<double> uniform(-amplitude, amplitude);
    VecX x(size);
    for (Eigen::Index i = 0; i < size; ++i) x[i] = uniform(generator);
    return x;
}

/// A law, or a barrier law continued below a volume ratio.
struct ElasticLaw {
    MaterialLaw law;
    double extrapolate_below = 0.0;
};

/// Every law, and the barrier law continued below two volume ratios.
inline std::vector<ElasticLaw> all_elastic_laws() {
    std::vector<ElasticLaw> laws;
    for (const MaterialLaw law : objective_laws) laws.push_back({law});
    for (const double volume_ratio : {0.7, 0.97}) laws.push_back({MaterialLaw::neo_hookean, volume_ratio});
    return laws;
}

inline TetElements elements_of(const SmallMesh& mesh, const ElasticLaw& law,
                               const LameParameters& lame = lame_parameters(1e5, 0.35)) {
    TetElements elements;
    elements.law = law.law;
    elements.extrapolate_below = law.extrapolate_below;
    append_tets(elements, mesh.rest, mesh.tets, lame);
    return elements;
}
inline TetElements elements_of(const SmallMesh& mesh, MaterialLaw law) {
    return elements_of(mesh, ElasticLaw{law});
}

/// The mesh with nodes in the middle of its edges, which are moved by up to `bend` along each axis where they are
/// inside.
struct SmallMesh10 {
    std::vector<Vec3> rest;
    std::vector<Tet10> tets;
    std::vector<bool> interior;
};
inline SmallMesh10 second_order(const SmallMesh& linear, double bend, std::mt19937_64& generator) {
    Mesh mesh;
    mesh.vertices = linear.rest;
    mesh.tets = linear.tets;
    add_mid_nodes(mesh);
    SmallMesh10 result{mesh.vertices, {}, linear.interior};
    Vec3 upper = Vec3::Zero();
    for (const Vec3& vertex : mesh.vertices) upper = upper.cwiseMax(vertex);
    std::uniform_real_distribution<double> move(-bend, bend);
    for (std::size_t v = linear.rest.size(); v < result.rest.size(); ++v) {
        const bool inside = result.rest[v].minCoeff() > 0.0 && ((upper - result.rest[v]).array() > 0.0).all();
        result.interior.push_back(inside);
        if (inside) result.rest[v] += Vec3(move(generator), move(generator), move(generator));
    }
    for (std::size_t t = 0; t < mesh.tets.size(); ++t) result.tets.push_back(tet10(mesh, t));
    return result;
}
inline Tet10Elements elements_of(const SmallMesh10& mesh, const ElasticLaw& law,
                                 const LameParameters& lame = lame_parameters(1e5, 0.35)) {
    Tet10Elements elements;
    elements.law = law.law;
    elements.extrapolate_below = law.extrapolate_below;
    append_tets(elements, mesh.rest, mesh.tets, lame);
    return elements;
}

}  // namespace stiction::testing
