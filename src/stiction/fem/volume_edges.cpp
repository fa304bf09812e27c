#include "stiction/fem/volume_edges.hpp"

#include "stiction/base/error.hpp"
#include "stiction/base/parallel.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
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

void volume_triangle_hessians(const VolumeZone& zone, const VecX& x, double scale, std::vector<Mat12>& out) {
    const std::vector<Triangle>& triangles = zone.triangles();
    const auto middle_of = [&](const Triangle& t) {
        return Vec3((x.segment<3>(3 * t[0]) + x.segment<3>(3 * t[1]) + x.segment<3>(3 * t[2])) / 3.0);
    };
    struct Component {
        Vec3 sum = Vec3::Zero();
        double count = 0.0;
    };
    std::map<Index, Component> components;
    for (std::size_t t = 0; t < triangles.size(); ++t) {
        Component& component = components[zone.references()[t]];
        component.sum += middle_of(triangles[t]) - x.segment<3>(3 * zone.references()[t]);
        component.count += 1.0;
    }
    out.resize(triangles.size());
    parallel_for(triangles.size(), [&](std::size_t t) {
        const Index reference = zone.references()[t];
        const Component& component = components.at(reference);
        const Vec3 arm = middle_of(triangles[t]) - x.segment<3>(3 * reference) - component.sum / component.count;
        // In the orthonormal coordinates q1 = (p_b - p_a) / sqrt(2), q2 = (2 p_c - p_a - p_b) / sqrt(6) the block is
        // [[0, -[u]], [[u], 0]]: with |u| (I - u u^T / |u|^2) on the diagonal of its magnitude, as that of an edge.
        const Vec3 u = 0.5 * std::sqrt(3.0) * scale * arm;
        const double length = u.norm();
        Mat3 cross, magnitude = Mat3::Zero();
        cross << 0.0, -u.z(), u.y(), u.z(), 0.0, -u.x(), -u.y(), u.x(), 0.0;
        if (length > 0.0) magnitude = length * Mat3::Identity() - u * u.transpose() / length;
        const double s = 1.0 / std::sqrt(2.0), r = 1.0 / std::sqrt(6.0);
        const double first[3] = {-s, s, 0.0}, second[3] = {-r, -r, 2.0 * r};
        out[t].setZero();
        for (int a = 0; a < 3; ++a) {
            for (int b = 0; b < 3; ++b) {
                out[t].block<3, 3>(3 * a, 3 * b) = 0.5 * ((first[a] * first[b] + second[a] * second[b]) * magnitude +
                                                          (second[a] * first[b] - first[a] * second[b]) * cross);
            }
        }
    });
}

}  // namespace stiction
