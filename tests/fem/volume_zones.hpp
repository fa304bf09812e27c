// Zones of every kind, and the derivatives of their volume over all vertices.
#pragma once

#include "stiction/fem/volume_zone.hpp"
#include "stiction/mesh/components.hpp"
#include "stiction/mesh/generate_hollow.hpp"

#include "fem/small_mesh.hpp"

#include <random>
#include <vector>

namespace stiction::testing {

inline VecX zone_gradient(const VolumeZone& zone, const VecX& x) {
    VecX g, out = VecX::Zero(x.size());
    zone.gradient(x, g);
    zone.add(g, 1.0, out);
    return out;
}

inline Eigen::MatrixXd sparse_hessian(const VolumeZone& zone, const VecX& x, double scale) {
    std::vector<Mat9> blocks;
    zone.hessian_blocks(x, scale, blocks);
    Eigen::MatrixXd H = Eigen::MatrixXd::Zero(x.size(), x.size());
    for (std::size_t t = 0; t < blocks.size(); ++t) {
        for (std::size_t a = 0; a < 3; ++a) {
            for (std::size_t b = 0; b < 3; ++b) {
                H.block<3, 3>(3 * zone.triangles()[t][a], 3 * zone.triangles()[t][b]) +=
                    blocks[t].block<3, 3>(3 * static_cast<int>(a), 3 * static_cast<int>(b));
            }
        }
    }
    return H;
}

struct NamedZone {
    const char* name;
    VecX rest;
    VolumeZone zone;
};

/// A tet union, a surface, a cavity behind a vertex offset, and a surface with a hole and a second part.
inline std::vector<NamedZone> zones(std::mt19937_64& generator) {
    std::vector<NamedZone> result;
    const SmallMesh block = irregular_block(2, 0.4, generator);
    result.push_back({"tets", stacked(block.rest), VolumeZone::from_tets(block.rest, block.tets)});
    const Mesh sphere = generate_icosphere(0.2, 1);
    result.push_back(
        {"surface", stacked(sphere.vertices), VolumeZone::from_surface(sphere.vertices, sphere.triangles)});
    const Mesh hollow = generate_hollow_ball(0.3, 0.1, 1);
    std::vector<Vec3> shifted(4, Vec3(7, 8, 9));  // another body's vertices come first
    shifted.insert(shifted.end(), hollow.vertices.begin(), hollow.vertices.end());
    result.push_back({"cavity", stacked(shifted), VolumeZone::cavity(hollow.vertices, cavity_walls(hollow)[0], 4)});
    Mesh both = generate_hollow_ball(0.3, 0.1, 1, 1, Fill::surface);
    const auto offset = static_cast<Index>(both.vertices.size());
    const Mesh box = generate_box({0.2, 0.1, 0.3}, {1, 1, 1}, Fill::surface);
    for (const Vec3& v : box.vertices) both.vertices.push_back(v + Vec3(1, 0, 0));
    for (const auto& [a, b, c] : box.triangles) both.triangles.push_back({a + offset, b + offset, c + offset});
    result.push_back({"parts", stacked(both.vertices), VolumeZone::from_surface(both.vertices, both.triangles)});
    return result;
}

}  // namespace stiction::testing
