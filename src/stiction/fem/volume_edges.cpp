#include "stiction/fem/volume_edges.hpp"

#include "stiction/base/error.hpp"
#include "stiction/base/parallel.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <map>

namespace stiction {

std::vector<Tet> volume_edges(const VolumeZone& zone) {
    struct Apexes {
        std::vector<Index> forward, backward;
    };
    std::map<Edge, Apexes> edges;
    for (const Triangle& t : zone.triangles()) {
        for (std::size_t k = 0; k < 3; ++k) {
            const Index a = t[k], b = t[(k + 1) % 3], c = t[(k + 2) % 3];
            if (a < b)
                edges[{a, b}].forward.push_back(c);
            else
                edges[{b, a}].backward.push_back(c);
        }
    }
    std::vector<Tet> result;
    for (const auto& [edge, apexes] : edges) {
        STICTION_CHECK(apexes.forward.size() == apexes.backward.size(), "the surface of a zone is closed");
        for (std::size_t i = 0; i < apexes.forward.size(); ++i)
            result.push_back({edge[0], edge[1], apexes.forward[i], apexes.backward[i]});
    }
    return result;
}

void volume_edge_hessians(const std::vector<Tet>& edges, const VecX& x, double scale, bool project, std::size_t begin,
                          std::size_t end, Mat12* out) {
    parallel_for(end - begin, [&](std::size_t i) {
        const std::size_t e = begin + i;
        Mat12& H = out[i];
        H.setZero();
        const Vec3 u = -scale / 6.0 * (x.segment<3>(3 * edges[e][2]) - x.segment<3>(3 * edges[e][3]));
        Mat3 B;
        B << 0.0, -u.z(), u.y(), u.z(), 0.0, -u.x(), -u.y(), u.x(), 0.0;
        // B is skew: |H| has the blocks sqrt(B B^T) = |u| (I - u u^T / |u|^2) on its diagonal, and its positive part is
        // (H + |H|) / 2.
        const double factor = project ? 0.5 : 1.0, length = u.norm();
        H.block<3, 3>(0, 3) = factor * B;
        H.block<3, 3>(3, 0) = -factor * B;
        if (!project || !(length > 0.0)) return;
        const Mat3 magnitude = 0.5 * (length * Mat3::Identity() - u * u.transpose() / length);
        H.block<3, 3>(0, 0) = magnitude;
        H.block<3, 3>(3, 3) = magnitude;
    });
}

}  // namespace stiction
