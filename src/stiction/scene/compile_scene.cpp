// A scene with its method.
#include "stiction/base/error.hpp"
#include "stiction/scene/compile.hpp"
#include "stiction/scene/method_factory.hpp"
#include "stiction/world/turns.hpp"

#include <fmt/format.h>

#include <numbers>
#include <utility>

namespace stiction {
namespace {

/// Refuses a step that would be made in more pieces than anybody waits for (Simulator::advance).
void check_turns(const SceneSpec& spec, const World& world, const State& state, const Method& method) {
    constexpr long most_pieces = 10'000;
    const double sagitta = method.arc_sagitta(world, length_near_turns(world, state, spec.time.step));
    const Turn turn = largest_turn(world, spec.time.step, sagitta);
    if (turn.pieces <= most_pieces) return;
    throw InputError(
        spec.origin.file, world.motions[static_cast<std::size_t>(turn.motion)].name,
        fmt::format("turns by {:.6g} degrees in a step, {:.3g} m from its axis", turn.angle * 180.0 / std::numbers::pi,
                    turn.radius),
        fmt::format("at most {} pieces a step whose moves are within {:.3g} m of their arcs, not {}; a smaller "
                    "time.step has fewer",
                    most_pieces, sagitta, turn.pieces));
}

}  // namespace

CompiledScene compile_scene(const SceneSpec& spec) {
    auto [world, state] = compile_world(spec);
    auto method = scene_method(spec).make(spec);
    try {
        method->check(world);
    } catch (const InputError& error) {
        throw InputError(spec.origin.file.empty() ? error.what()
                                                  : fmt::format("{}: {}", spec.origin.file, error.what()));
    }
    check_turns(spec, world, state, *method);
    return {spec, std::move(world), std::move(state), std::move(method)};
}

}  // namespace stiction
