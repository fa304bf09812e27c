#include "stiction/output/checkpoint.hpp"

#include "stiction/base/error.hpp"
#include "stiction/output/durable_file.hpp"

#include <fmt/format.h>

namespace stiction {

void write_checkpoint(const std::filesystem::path& path, const State& state) {
    write_durably(path, to_bytes(state));
}

void check_state(const State& state, const World& world, const std::string& source, const std::string& where) {
    const auto vertices = static_cast<Eigen::Index>(world.vertex_count());
    const auto count = static_cast<std::size_t>(vertices);
    for (const VecX* v : {&state.x, &state.v, &state.previous_x, &state.previous_v, &state.anchor}) {
        if (v->size() != 3 * vertices) {
            throw InputError(source, "vertices", fmt::format("{}", v->size() / 3),
                             fmt::format("the {} vertices {}", vertices, where));
        }
    }
    if (state.acceleration.size() != 0 && state.acceleration.size() != 3 * vertices) {
        throw InputError(source, "accelerations", fmt::format("{}", state.acceleration.size() / 3),
                         fmt::format("one for each of the {} vertices {}", vertices, where));
    }
    if (state.anchor_time.size() != count || state.active_motion.size() != count) {
        throw InputError(source, "motions", fmt::format("{}", state.active_motion.size()),
                         fmt::format("one entry for each of {} vertices", vertices));
    }
    for (const Index motion : state.active_motion) {
        if (motion < -1 || motion >= static_cast<Index>(world.motions.size())) {
            throw InputError(source, "motion", fmt::format("{}", motion), fmt::format("a motion {}", where));
        }
    }
}

State read_checkpoint(const std::filesystem::path& path, const World& world) {
    State state = state_from_bytes(read_bytes(path), path.string());
    check_state(state, world, path.string(), "of the scene beside it");
    return state;
}

}  // namespace stiction
