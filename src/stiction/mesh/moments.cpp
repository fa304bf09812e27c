#include "stiction/mesh/moments.hpp"

#include "stiction/mesh/curved_volume.hpp"

#include <Eigen/Geometry>

#include <array>

namespace stiction {
namespace {

/// Moments about a point near the solid, so that one far from the origin loses no digits.
class MomentSum {
public:
    explicit MomentSum(const Vec3& origin) : origin_(origin) {}

    void add(const std::array<Vec3, 4>& corners) {
        std::array<Vec3, 4> r;
        Vec3 sum = Vec3::Zero();
        Mat3 squares = Mat3::Zero();
        for (std::size_t k = 0; k < 4; ++k) {
            r[k] = corners[k] - origin_;
            sum += r[k];
            squares += r[k] * r[k].transpose();
        }
        const double volume = (r[1] - r[0]).cross(r[2] - r[0]).dot(r[3] - r[0]) / 6.0;
        volume_ += volume;
        first_ += 0.25 * volume * sum;
        second_ += volume / 20.0 * (squares + sum * sum.transpose());
    }

    void add_curved(TetNodes nodes) {
        for (Vec3& node : nodes) node -= origin_;
        const CurvedIntegrals tet = curved_integrals(nodes);
        volume_ += tet.volume;
        first_ += tet.first;
        second_ += tet.second;
    }

    VolumeMoments moments() const {
        const Vec3 shift = first_ / volume_;
        return {volume_, origin_ + shift, second_ - volume_ * shift * shift.transpose()};
    }

private:
    Vec3 origin_;
    double volume_ = 0.0;
    Vec3 first_ = Vec3::Zero();
    Mat3 second_ = Mat3::Zero();
};

const Vec3& at(const std::vector<Vec3>& vertices, Index vertex) {
    return vertices[static_cast<std::size_t>(vertex)];
}

}  // namespace

VolumeMoments moments_of_tets(const std::vector<Vec3>& vertices, const std::vector<Tet>& tets) {
    MomentSum sum(tets.empty() ? Vec3(Vec3::Zero()) : at(vertices, tets[0][0]));
    for (const Tet& t : tets) sum.add({at(vertices, t[0]), at(vertices, t[1]), at(vertices, t[2]), at(vertices, t[3])});
    return sum.moments();
}

VolumeMoments moments_of_tets(const Mesh& mesh) {
    if (mesh.mid_nodes.empty()) return moments_of_tets(mesh.vertices, mesh.tets);
    MomentSum sum(at(mesh.vertices, mesh.tets[0][0]));
    for (std::size_t t = 0; t < mesh.tets.size(); ++t) sum.add_curved(tet_nodes(mesh, t));
    return sum.moments();
}

VolumeMoments moments_of_surface(const std::vector<Vec3>& vertices, const std::vector<Triangle>& triangles) {
    const Vec3 apex = triangles.empty() ? Vec3(Vec3::Zero()) : at(vertices, triangles[0][0]);
    MomentSum sum(apex);
    // Positive where the triangle turns its outer side away from the common point.
    for (const Triangle& t : triangles) sum.add({apex, at(vertices, t[0]), at(vertices, t[1]), at(vertices, t[2])});
    return sum.moments();
}

}  // namespace stiction
