#include "stiction/dynamics/common_motion.hpp"

namespace stiction {

void remove_common_motion(const World& world, const VecX& x0, VecX& x1) {
    Vec3 sum = Vec3::Zero();
    Index count = 0;
    for (const Index v : world.surface.vertices) {
        if (world.is_obstacle(v)) continue;
        sum += x1.segment<3>(3 * v) - x0.segment<3>(3 * v);
        ++count;
    }
    if (count == 0) return;
    const Vec3 common = sum / static_cast<double>(count);
    for (Eigen::Index v = 0; v < x1.size() / 3; ++v) x1.segment<3>(3 * v) -= common;
}

}  // namespace stiction
