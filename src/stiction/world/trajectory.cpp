#include "stiction/world/trajectory.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>

namespace stiction {
namespace {

Vec3 interpolate(const std::vector<Keyframe>& keys, double t) {
    if (keys.empty()) return Vec3::Zero();
    if (t <= keys.front().time) return keys.front().displacement;
    if (t >= keys.back().time) return keys.back().displacement;
    const auto next =
        std::upper_bound(keys.begin(), keys.end(), t, [](double time, const Keyframe& key) { return time < key.time; });
    const auto last = next - 1;
    const double weight = (t - last->time) / (next->time - last->time);
    return (1.0 - weight) * last->displacement + weight * next->displacement;
}

}  // namespace

Vec3 RigidTrajectory::position(double t, const ScheduledVertex& vertex) const {
    const double elapsed = t - vertex.anchor_time;
    Vec3 result = vertex.anchor;
    if (angular_velocity != 0.0) {
        result = centre + Eigen::AngleAxisd(angular_velocity * elapsed, axis) * (vertex.anchor - centre);
    }
    return result + velocity * elapsed + interpolate(keys, t) - interpolate(keys, vertex.anchor_time);
}

Vec3 SequenceTrajectory::position(double t, const ScheduledVertex& vertex) const {
    const auto index = static_cast<std::size_t>(vertex.index_in_motion);
    const double place = std::max(0.0, (t - start) / interval);
    const std::size_t last = frames.size() - 1;
    if (place >= static_cast<double>(last)) return frames[last][index];
    const auto frame = static_cast<std::size_t>(std::floor(place));
    const double weight = place - static_cast<double>(frame);
    return (1.0 - weight) * frames[frame][index] + weight * frames[frame + 1][index];
}

}  // namespace stiction
