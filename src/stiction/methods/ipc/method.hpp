// The method `ipc`: incremental potential contact with lagged friction (Li et al. 2020).
#pragma once

#include "stiction/dynamics/method.hpp"
#include "stiction/dynamics/stage.hpp"
#include "stiction/methods/ipc/options.hpp"

#include <memory>

namespace stiction {
struct BarrierWorkspace;
}

namespace stiction::ipc {

/// Intersection- and inversion-free at every accepted iterate. Keeps trees and factorisations of the world it saw last.
class Ipc final : public Method {
public:
    explicit Ipc(const Options& options, Integrator integrator = Integrator::backward_euler);
    ~Ipc() override;
    std::string_view name() const override { return "ipc"; }
    double contact_distance(const World& world) const override;
    double arc_sagitta(const World& world, double length) const override;
    Integrator integrator() const override { return integrator_; }
    bool may_gain_energy(const State& state, const StepInput& input) const override {
        return stiction::may_gain_energy(integrator_, state, input);
    }
    const Options& options() const { return options_; }
    void step(const World& world, const State& state, const StepInput& input, StepResult& result) override;

private:
    Options options_;
    Integrator integrator_;
    std::unique_ptr<BarrierWorkspace> workspace_;
};

}  // namespace stiction::ipc
