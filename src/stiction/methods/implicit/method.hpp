// The method `implicit`: friction, contact and elasticity solved together (Larionov et al. 2022), with barrier or
// penalty as contact.
#pragma once

#include "stiction/dynamics/method.hpp"
#include "stiction/dynamics/stage.hpp"
#include "stiction/methods/implicit/options.hpp"

#include <memory>

namespace stiction::implicit {

class StageSolver;

/// Normal forces, tangent planes and closest points of friction are those at the end of the step. With the barrier
/// every accepted iterate is free of intersections and inversions; with the penalty of inversions only. With the
/// barrier a stage whose Newton iteration stalls takes the solution with lagged friction and says so
/// (Status::friction_not_converged).
class Implicit final : public Method {
public:
    explicit Implicit(const Options& options, Integrator integrator = Integrator::backward_euler);
    ~Implicit() override;
    std::string_view name() const override { return "implicit"; }
    double contact_distance(const World& world) const override;
    double arc_sagitta(const World& world, double length) const override;
    bool promises_separation() const override { return options_.contact == ContactModel::barrier; }
    void check(const World& world) const override;
    Integrator integrator() const override { return integrator_; }
    bool may_gain_energy(const State& state, const StepInput& input) const override {
        return stiction::may_gain_energy(integrator_, state, input);
    }
    const Options& options() const { return options_; }
    void step(const World& world, const State& state, const StepInput& input, StepResult& result) override;

private:
    struct Workspace;
    /// All stages of a step, one after the other.
    /// @param end  set when all could be solved: the state at the end of the step
    /// @return whether they could; else the report of the step says why not
    bool solve_stages(StageSolver& solver, const State& state, const StepInput& input, State& end) const;

    Options options_;
    Integrator integrator_;
    std::unique_ptr<Workspace> workspace_;
};

}  // namespace stiction::implicit
