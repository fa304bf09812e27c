// The momentum that a step leaves unbalanced within its tolerances, and that the next step makes up for.
#pragma once

#include "stiction/methods/mlcp/problem/contact_problem.hpp"
#include "stiction/world/state.hpp"
#include "stiction/world/world.hpp"

#include <vector>

namespace stiction::mlcp {

/// Of each body (kg m/s), as the step before stored it in a state; zero where it stored none.
std::vector<Vec3> read_carried_momentum(const World& world, const State& state);
/// Stores it for the next step. All zero: nothing is stored.
void store_carried_momentum(const std::vector<Vec3>& carried, State& state);

/// External forces (stacked over vertices, N) that add the carried momentum to the bodies within h, spread by mass: no
/// part of a body accelerates against another.
VecX add_carried_momentum(const World& world, const std::vector<Vec3>& carried, double h, VecX external_force);

/// Sum over the nodes of each of problem.bodies of b - A v - L^T m (kg m/s), where m has no contact that pulls, and all
/// friction within its cone, that of sliding contacts on it. A residual within the tolerance may have a sign that stays
/// the same from step to step, and so may friction whose change was postponed.
/// @return  for each of problem.bodies; not longer than a residual within `tolerance` (of
///          ContactProblem::momentum_error) can be
std::vector<Vec3> unbalanced_momentum(const ContactProblem& problem, const ContactSolution& solution, double tolerance);

}  // namespace stiction::mlcp
