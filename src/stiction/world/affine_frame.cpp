#include "stiction/world/affine_frame.hpp"

#include "stiction/base/error.hpp"

#include <Eigen/Dense>

#include <utility>

namespace stiction {
namespace {

/// The vertex with the largest measure, the first of equal ones.
template <class Measure>
Index farthest(const std::vector<Vec3>& vertices, const Measure& measure) {
    Index best = 0;
    double largest = -1.0;
    for (std::size_t v = 0; v < vertices.size(); ++v) {
        const double size = measure(vertices[v]);
        // Rounding must not choose among vertices that are equally far.
        if (size <= largest * (1.0 + 1e-9)) continue;
        largest = size;
        best = static_cast<Index>(v);
    }
    return best;
}

}  // namespace

Tet choose_frame(const std::vector<Vec3>& vertices, const Vec3& centre) {
    const auto at = [&](Index v) -> const Vec3& { return vertices[static_cast<std::size_t>(v)]; };
    Tet frame;
    frame[0] = farthest(vertices, [&](const Vec3& x) { return (x - centre).norm(); });
    const Vec3 origin = at(frame[0]);
    frame[1] = farthest(vertices, [&](const Vec3& x) { return (x - origin).norm(); });
    const Vec3 line = (at(frame[1]) - origin).normalized();
    frame[2] = farthest(vertices, [&](const Vec3& x) { return line.cross(x - origin).norm(); });
    const Vec3 normal = line.cross(at(frame[2]) - origin).normalized();
    frame[3] = farthest(vertices, [&](const Vec3& x) { return std::abs(normal.dot(x - origin)); });
    const double side = normal.dot(at(frame[3]) - origin);
    STICTION_CHECK(side != 0.0, "the vertices of a rigid body lie in one plane");
    if (side < 0.0) std::swap(frame[2], frame[3]);
    return frame;
}

FrameCoordinates::FrameCoordinates(const std::vector<Vec3>& vertices, const Tet& frame)
    : origin_(vertices[static_cast<std::size_t>(frame[0])]) {
    Mat3 edges;
    for (int a = 0; a < 3; ++a)
        edges.col(a) = vertices[static_cast<std::size_t>(frame[static_cast<std::size_t>(a) + 1])] - origin_;
    inverse_ = edges.inverse();
}

std::array<double, 4> FrameCoordinates::operator()(const Vec3& point) const {
    const Vec3 b = inverse_ * (point - origin_);
    return {1.0 - b.sum(), b[0], b[1], b[2]};
}

Eigen::Matrix4d FrameCoordinates::mass(const RigidBody& body) const {
    // b is affine in X: b(centre) + G (X - centre), and the first moment about the centre vanishes.
    const std::array<double, 4> centre = (*this)(body.centre);
    const Eigen::Map<const Eigen::Vector4d> b(centre.data());
    Eigen::Matrix<double, 4, 3> gradient;
    gradient.bottomRows<3>() = inverse_;
    gradient.row(0) = -inverse_.colwise().sum();
    return body.mass * b * b.transpose() + gradient * body.covariance * gradient.transpose();
}

}  // namespace stiction
