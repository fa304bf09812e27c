// The momentum that a step leaves unbalanced within its tolerances, and that later steps make up for.
#pragma once

#include "stiction/methods/mlcp/problem/contact_problem.hpp"
#include "stiction/world/state.hpp"
#include "stiction/world/world.hpp"

#include <vector>

namespace stiction::mlcp {

/// Of each body (kg m/s): what the next step makes up for, and what is postponed until it is worth a solve. Without
/// that no body at rest would begin a step with its solution.
struct CarriedMomentum {
    std::vector<Vec3> due, postponed;

    explicit CarriedMomentum(std::size_t bodies = 0) : due(bodies, Vec3::Zero()), postponed(bodies, Vec3::Zero()) {}
    /// Adds to what is postponed of a body; due where the sum exceeds a third of the tolerance times `change_bound`.
    /// Along axes of driven vertices nothing is carried.
    void add(const BodyMomentum& body, Vec3 unbalanced, double tolerance);
    bool operator==(const CarriedMomentum&) const = default;
};

/// As the step before stored it in a state; zero where it stored none.
CarriedMomentum read_carried_momentum(const World& world, const State& state);
/// Stores it for the next step. All zero: nothing is stored.
void store_carried_momentum(const CarriedMomentum& carried, State& state);

/// External forces (stacked over vertices, N) that add a momentum to each body (kg m/s) within h, spread by mass: no
/// part of a body accelerates against another.
VecX add_carried_momentum(const World& world, const std::vector<Vec3>& carried, double h, VecX external_force);

/// Sum over the nodes of each of problem.bodies of b - A v - L^T m (kg m/s), where m has no contact that pulls, and all
/// friction within its cone, that of sliding contacts on it. A residual within the tolerance may have a sign that stays
/// the same from step to step, and so may friction whose change was postponed.
/// @return  for each of problem.bodies; not longer than a residual of the norm `tolerance` times `change_bound` can be
std::vector<Vec3> unbalanced_momentum(const ContactProblem& problem, const ContactSolution& solution, double tolerance);

}  // namespace stiction::mlcp
