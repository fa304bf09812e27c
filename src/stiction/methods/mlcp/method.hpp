// The method `mlcp`: conjugate residuals on the mixed complementarity problem of a velocity step (Verschoor and Jalba
// 2019).
#pragma once

#include "stiction/dynamics/method.hpp"
#include "stiction/methods/mlcp/options.hpp"

#include <memory>

namespace stiction::mlcp {

struct Workspace;

/// Semi-implicit steps of backward Euler; accepted states are free of intersections.
class Mlcp final : public Method {
public:
    explicit Mlcp(const Options& options);
    ~Mlcp() override;
    std::string_view name() const override { return "mlcp"; }
    double contact_distance(const World& world) const override;
    bool exactly_rigid() const override { return true; }
    const Options& options() const { return options_; }
    void step(const World& world, const State& state, const StepInput& input, StepResult& result) override;

private:
    Options options_;
    std::unique_ptr<Workspace> workspace_;
};

}  // namespace stiction::mlcp
