#include "stiction/dynamics/flight.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <cstddef>

namespace stiction {
namespace {

using MoveBox = Eigen::AlignedBox3d;

MoveBox box_around(const Body& body, const VecX& x, const VecX& move) {
    MoveBox box;
    for (Index v = body.first_vertex; v < body.first_vertex + body.vertex_count(); ++v) {
        const Vec3 start = x.segment<3>(3 * v);
        box.extend(start);
        box.extend(Vec3(start + move.segment<3>(3 * v)));
    }
    return box;
}

bool is_driven(const Body& body, const StepInput& input) {
    const auto first = input.driven_axes.begin() + body.first_vertex;
    return std::any_of(first, first + body.vertex_count(), [](std::uint8_t axes) { return axes != 0; });
}

/// Whether both ends of a box's move, and so all of it, are above a plane by more than `room`.
bool is_above(const MoveBox& box, const Vec3& normal, const Vec3& origin, double room) {
    const Vec3 lowest = (normal.array() > 0.0).select(box.min(), box.max());
    return normal.dot(lowest - origin) > room;
}

}  // namespace

std::vector<char> bodies_in_flight(const World& world, const StepInput& input, const ContactScene& scene, const VecX& x,
                                   const VecX& move, double reach, double room) {
    const std::size_t count = world.bodies.size();
    std::vector<MoveBox> boxes;
    for (const Body& body : world.bodies) boxes.push_back(box_around(body, x, move));
    const auto meets = [&](std::size_t a, std::size_t b) {
        if (!world.contact_pairs.allowed(static_cast<Index>(a), static_cast<Index>(b))) return false;
        const Body& other = world.bodies[b];
        const auto i = static_cast<Index>(a), j = static_cast<Index>(b);
        const double free = room + scene.share(i, j) * reach + scene.offset(i, j);
        if (other.kind != BodyKind::half_space) return boxes[a].squaredExteriorDistance(boxes[b]) <= free * free;
        const Vec3 origin = x.segment<3>(3 * other.first_vertex), shift = move.segment<3>(3 * other.first_vertex);
        return !is_above(boxes[a], other.normal, origin, free) ||
               !is_above(boxes[a], other.normal, origin + shift, free);
    };
    std::vector<char> flying(count, 0);
    for (std::size_t a = 0; a < count; ++a) {
        if (world.bodies[a].is_obstacle() || is_driven(world.bodies[a], input)) continue;
        flying[a] = 1;
        for (std::size_t b = 0; b < count && flying[a]; ++b) flying[a] = a == b || !meets(a, b);
    }
    return flying;
}

}  // namespace stiction
