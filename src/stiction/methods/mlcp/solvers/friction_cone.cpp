#include "stiction/methods/mlcp/solvers/friction_cone.hpp"

#include <algorithm>

namespace stiction::mlcp {

ConeProjection project_onto_cone(const Vec3& f, double friction) {
    const Vec2 tangential = f.tail<2>();
    const double size = tangential.norm();
    if (friction == 0.0 || size == 0.0) {
        const bool pushes = f[0] > 0.0;
        ConeProjection result{Vec3(std::max(f[0], 0.0), 0.0, 0.0), Mat3::Zero()};
        if (pushes) result.derivative(0, 0) = 1.0;
        if (pushes && friction > 0.0) result.derivative.setIdentity();
        return result;
    }
    if (size <= friction * f[0]) return {f, Mat3::Identity()};
    if (friction * size <= -f[0]) return {Vec3::Zero(), Mat3::Zero()};
    const Vec2 direction = tangential / size;
    const double normal = (f[0] + friction * size) / (1.0 + friction * friction);
    Vec3 edge;
    edge << 1.0, friction * direction;
    const Vec2 across(-direction.y(), direction.x());
    ConeProjection result{normal * edge, edge * edge.transpose() / (1.0 + friction * friction)};
    result.derivative.bottomRightCorner<2, 2>() += normal * friction / size * across * across.transpose();
    return result;
}

}  // namespace stiction::mlcp
