#include "stiction/world/twist.hpp"

#include <Eigen/Geometry>

namespace stiction {

Vec3 TwistTrajectory::displacement(const Vec3& x, const Vec3& centre, double h) const {
    const Vec3 angles = angular_velocity * h, arm = x - centre;
    const Vec3 turned =
        Eigen::AngleAxisd(angles.x(), Vec3::UnitX()) *
        (Eigen::AngleAxisd(angles.y(), Vec3::UnitY()) * (Eigen::AngleAxisd(angles.z(), Vec3::UnitZ()) * arm));
    return turned - arm + velocity * h;
}

}  // namespace stiction
