#include "stiction/sim/program_input.hpp"

#include "stiction/base/error.hpp"

#include <fmt/format.h>

#include <utility>

namespace stiction {

ProgramInput::ProgramInput(const World& world) {
    for (const Motion& motion : world.motions) {
        if (!motion.commanded) continue;
        commandable_.resize(world.body_of_vertex.size(), 0);
        for (const Index v : motion.vertices) commandable_[at(v)] = 1;
    }
}

void ProgramInput::command(const World& world, const VecX& x, const std::vector<Index>& vertices,
                           const VecX& positions) {
    STICTION_CHECK(positions.size() == 3 * static_cast<Eigen::Index>(vertices.size()), "one position a vertex");
    if (!positions.allFinite()) throw InputError("", "target", "a position that is not finite", "finite positions");
    for (const Index v : vertices) {
        if (v < 0 || v >= world.vertex_count() || commandable_.empty() || !commandable_[at(v)])
            throw InputError("", "target", fmt::format("vertex {}", v), "a vertex that a motion says is `commanded`");
    }
    if (commanded_.empty()) {
        commanded_.assign(commandable_.size(), 0);
        target_ = x;
    }
    for (std::size_t k = 0; k < vertices.size(); ++k) {
        commanded_[at(vertices[k])] = 1;
        target_.segment<3>(3 * static_cast<Eigen::Index>(vertices[k])) =
            positions.segment<3>(3 * static_cast<Eigen::Index>(k));
    }
}

void ProgramInput::apply(const World& world, VecX force) {
    const Eigen::Index size = 3 * static_cast<Eigen::Index>(world.vertex_count());
    if (force.size() != 0 && force.size() != size)
        throw InputError("", "force", fmt::format("{} numbers", force.size()),
                         fmt::format("{}, three for each vertex of the world", size));
    if (!force.allFinite()) throw InputError("", "force", "a force that is not finite", "finite forces");
    force_ = std::move(force);
}

void ProgramInput::follow(const World& world, const State& from, double end, StepInput& input) const {
    if (force_.size() > 0) input.external_force += force_;
    if (commanded_.empty()) return;
    // The last piece, and a step in one piece, end on the target itself.
    const bool last = from.t + input.h >= end - 1e-6 * input.h;
    const double part = last ? 1.0 : input.h / (end - from.t);
    for (std::size_t v = 0; v < commanded_.size(); ++v) {
        const Index motion = input.active_motion[v];
        if (!commanded_[v] || motion < 0 || !world.motions[at(motion)].commanded) continue;
        const Eigen::Index i = 3 * static_cast<Eigen::Index>(v);
        const Vec3 x = from.x.segment<3>(i), goal = target_.segment<3>(i);
        input.target.segment<3>(i) = last ? goal : Vec3(x + part * (goal - x));
    }
}

}  // namespace stiction
