#include "stiction/dynamics/target_pull.hpp"

namespace stiction {

Vec3 TargetPull::masked(std::size_t i, Vec3 u) const {
    for (int axis = 0; axis < 3; ++axis) {
        if (!(axes[i] >> axis & 1)) u[axis] = 0.0;
    }
    return u;
}

double TargetPull::difference(const VecX& x0, const VecX& x1) const {
    double sum = 0.0;
    for (std::size_t i = 0; i < vertices.size(); ++i) {
        const Eigen::Index at = 3 * vertices[i];
        const Vec3 step = masked(i, x1.segment<3>(at) - x0.segment<3>(at));
        const Vec3 middle = 0.5 * (x0.segment<3>(at) + x1.segment<3>(at)) - target.segment<3>(at);
        sum += stiffness * mass[i] * step.dot(middle) - multipliers.segment<3>(at).dot(step);
    }
    return sum;
}

void TargetPull::add_gradient(const VecX& x, VecX& gradient) const {
    for (std::size_t i = 0; i < vertices.size(); ++i) {
        const Eigen::Index at = 3 * vertices[i];
        gradient.segment<3>(at) +=
            masked(i, stiffness * mass[i] * (x.segment<3>(at) - target.segment<3>(at)) - multipliers.segment<3>(at));
    }
}

void TargetPull::add_hessian(HessianAssembly& assembly) const {
    for (std::size_t i = 0; i < vertices.size(); ++i)
        assembly.add_diagonal(vertices[i], masked(i, Vec3::Constant(stiffness * mass[i])));
}

}  // namespace stiction
