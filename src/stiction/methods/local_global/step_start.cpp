// The beginning of a step: the constant matrix, and the first guess.
#include "stiction/methods/local_global/step.hpp"

namespace stiction::local_global {

/// The constant matrix A is factored again only where step size or driven vertices changed.
bool Step::factorise() {
    const ScopedTimer timer(timers_, "factorisation");
    const int before = workspace_.factorisations;
    try {
        system_ = &workspace_.system(world_, options_, input_);
    } catch (const NotPositiveDefinite& error) {
        report_.status = Status::linear_solve_failed;
        report_.cause = error.what();
        return false;
    }
    if (workspace_.factorisations > before && !system_->note().empty()) report_.notes.push_back(system_->note());
    return true;
}

/// The first guess is q_t + h v_t. Where its energy is not finite it is q_t. Driven vertices are at their targets.
bool Step::predict() {
    workspace_.objective.begin(state_, input_, system_->unknowns());
    guess_along(input_.h);
    if (begin_at_guess()) return true;
    guess_along(0.0);
    if (begin_at_guess()) return true;
    report_.status = Status::infeasible_start;
    report_.cause = "the energy is not finite at the start of the step: an element or a filled region is collapsed";
    return false;
}

/// The guess x_t + dt v_t of what is not driven.
void Step::guess_along(double dt) {
    VecX& guess = workspace_.guess;
    guess = input_.target;
    for (const Index v : system_->unknowns()) {
        const Eigen::Index at = 3 * static_cast<Eigen::Index>(v);
        const Vec3 free = state_.x.segment<3>(at) + dt * state_.v.segment<3>(at);
        const std::uint8_t driven = input_.driven_axes[static_cast<std::size_t>(v)];
        for (int axis = 0; axis < 3; ++axis) {
            if ((driven >> axis & 1) == 0) guess[at + axis] = free[axis];
        }
    }
}

bool Step::begin_at_guess() {
    const ScopedTimer timer(timers_, "solve");
    workspace_.rigid.straighten(workspace_.guess);
    carry(world_.embedded, workspace_.guess);
    return workspace_.solver->start(*system_, workspace_.guess);
}

}  // namespace stiction::local_global
