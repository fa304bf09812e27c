// Everything that changes from step to step. A copyable value; a checkpoint is a State.
#pragma once

#include "stiction/base/types.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace stiction {

struct State {
    double t = 0.0;   ///< s
    Index step = 0;   ///< completed steps of the scene
    VecX x;           ///< stacked positions of ALL vertices: free, driven, obstacle (m)
    VecX v;           ///< stacked velocities (m/s)
    VecX previous_x;  ///< positions and velocities one step back, for two-step integrators
    VecX previous_v;
    double previous_h = 0.0;  ///< size of the last step (s); 0 before the first
    VecX acceleration;        ///< stacked (m/s^2) at t; empty unless an integrator that needs it made this state
    VecX anchor;              ///< stacked: where each vertex was when its present motion became active
    std::vector<double> anchor_time;
    std::vector<Index> active_motion;               ///< index into World::motions, -1 = free
    std::map<std::string, std::string> warm_start;  ///< bytes that only the method of that name reads, or the simulator

    bool operator==(const State&) const = default;
};

/// Exact bytes of a state, with a version and a checksum.
std::string to_bytes(const State& state);
/// The inverse of to_bytes. Throws InputError naming `source` when the bytes are truncated, altered or of another
/// version.
State state_from_bytes(std::string_view bytes, const std::string& source);

}  // namespace stiction
