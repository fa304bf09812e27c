#include "stiction/dynamics/stage.hpp"

#include "stiction/base/error.hpp"

#include <algorithm>

namespace stiction {

const std::vector<std::string>& integrator_names() {
    static const std::vector<std::string> names{"backward_euler", "trapezoidal"};
    return names;
}

Integrator integrator_from_name(const std::string& name) {
    const auto& names = integrator_names();
    const auto found = std::find(names.begin(), names.end(), name);
    STICTION_CHECK(found != names.end(), "the name of an integrator has been checked");
    return static_cast<Integrator>(found - names.begin());
}

Stage backward_euler_stage(const State& state, double h) { return {1.0, h, state.x, state.v}; }

Stage trapezoidal_stage(const State& state, const StepInput& input) {
    STICTION_CHECK(state.acceleration.size() == state.x.size(), "the trapezoidal rule knows the acceleration it starts from");
    const double s = 0.5 * input.h;
    Stage stage{0.5, input.h, state.x + s * state.v, state.v + s * state.acceleration};
    for (std::size_t v = 0; v < input.driven_axes.size(); ++v) {
        for (int axis = 0; axis < 3; ++axis) {
            if (!(input.driven_axes[v] >> axis & 1)) continue;
            const Eigen::Index i = 3 * static_cast<Eigen::Index>(v) + axis;
            stage.q_bar[i] = 0.5 * (state.x[i] + input.target[i]);
            stage.v_bar[i] = (input.target[i] - state.x[i]) / input.h;
        }
    }
    return stage;
}

Stage make_stage(Integrator integrator, const State& state, const StepInput& input) {
    const bool started = state.acceleration.size() == state.x.size();
    return integrator == Integrator::trapezoidal && started ? trapezoidal_stage(state, input) : backward_euler_stage(state, input.h);
}

}  // namespace stiction
