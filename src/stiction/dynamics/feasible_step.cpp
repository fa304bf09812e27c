#include "stiction/dynamics/feasible_step.hpp"

#include "stiction/dynamics/common_motion.hpp"
#include "stiction/dynamics/pair_step_bound.hpp"
#include "stiction/fem/inversion.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace stiction {
namespace {

/// Part of its volume that a tet of a barrier law keeps in one move.
constexpr double remaining_volume = 0.2;

}  // namespace

double element_step_bound(const World& world, const VecX& x, const VecX& p, const std::vector<char>& marked) {
    double fraction = 1.0;
    world.for_each_tet_group([&](const auto& group) {
        if (!group.keeps_orientation()) return;
        fraction = std::min(fraction, inversion_step_bound(group.elements, x, p, remaining_volume, marked));
    });
    for (const SheetGroup& group : world.sheets)
        fraction = std::min(fraction, strain_limit_step_bound(group.elements, x, p));
    return fraction;
}

StepBound feasible_step_bound(const World& world, ContactDetection& detection, const VecX& x, const VecX& p,
                              double slack) {
    StepBound bound;
    bound.fraction = element_step_bound(world, x, p);
    // Known near pairs first: they usually limit the step, and a shorter sweep meets fewer pairs.
    const ContactScene& scene = detection.scene();
    const Candidates known = detection.candidates();
    StepBound part;
    VecX end = x + bound.fraction * p;
    bound_pairs(scene, known, {}, x, end, slack, part);
    bound_half_spaces(scene, x, end, slack, part);
    shorten(part, bound);
    end = x + bound.fraction * p;
    VecX way = end;
    remove_common_motion(world, x, way);
    detection.update_swept(x, way);
    part = {};
    bound_pairs(scene, detection.candidates(), known, x, end, slack, part);
    shorten(part, bound);
    return bound;
}

std::string describe_stencil(const World& world, const std::array<Index, 4>& stencil) {
    if (stencil == std::array<Index, 4>{-1, -1, -1, -1}) return "elements that would turn over or pass a strain limit";
    std::string text;
    for (const Index vertex : stencil) {
        if (vertex < 0) continue;
        const Body& body =
            world.bodies[static_cast<std::size_t>(world.body_of_vertex[static_cast<std::size_t>(vertex)])];
        text += fmt::format("{}{} vertex {}", text.empty() ? "" : ", ", body.name, vertex - body.first_vertex);
    }
    return text;
}

}  // namespace stiction
