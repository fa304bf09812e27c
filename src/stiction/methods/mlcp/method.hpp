// The method `mlcp` (Verschoor and Jalba 2019): a velocity step as a mixed linear complementarity problem, solved by
// conjugate residuals.
#pragma once

#include "stiction/dynamics/method.hpp"
#include "stiction/methods/mlcp/options.hpp"

#include <memory>

namespace stiction::mlcp {

struct Workspace;

/// Steps of backward Euler, with elasticity linearised or by Newton's method. Accepted states are free of
/// intersections.
class Mlcp final : public Method {
public:
    explicit Mlcp(const Options& options);
    ~Mlcp() override;
    std::string_view name() const override { return "mlcp"; }
    double contact_distance(const World& world) const override;
    /// Its contacts have no thickness: 5e-4 of a body, half the default distance of the other methods.
    double arc_sagitta(const World& world, double length) const override;
    bool exactly_rigid() const override { return true; }
    bool balances_forces() const override { return false; }
    void step(const World& world, const State& state, const StepInput& input, StepResult& result) override;

    /// Reports of all contact problems of the last step, in order.
    const std::vector<SolverReport>& solves() const;
    /// Whether these reports hold the residuals after every iteration.
    void record_residuals(bool record);

private:
    Options options_;
    bool record_residuals_ = false;
    std::vector<SolverReport> solves_;
    std::unique_ptr<Workspace> workspace_;
};

}  // namespace stiction::mlcp
