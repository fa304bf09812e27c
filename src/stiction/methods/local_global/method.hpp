// The method `local_global`: projective dynamics with a constant matrix, for real time (Zeng, Luo, Shi and Zhang 2025).
#pragma once

#include "stiction/dynamics/method.hpp"
#include "stiction/methods/local_global/options.hpp"

#include <memory>

namespace stiction {

struct LocalGlobalWorkspace;

/// Steps of backward Euler in a fixed number of iterations, contact as complementarity of what is found near at the
/// start of each.
class LocalGlobal final : public Method {
public:
    explicit LocalGlobal(const LocalGlobalOptions& options);
    ~LocalGlobal() override;
    std::string_view name() const override { return "local_global"; }
    double contact_distance(const World& world) const override;
    bool promises_separation() const override { return options_.certify; }
    const LocalGlobalOptions& options() const { return options_; }
    /// Throws InputError for rigid bodies, fillings, hinges, strain limits, vertices that are driven along some axes
    /// only, and kinetic friction of its own.
    void check(const World& world) const override;
    void step(const World& world, const State& state, const StepInput& input, StepResult& result) override;

private:
    LocalGlobalOptions options_;
    std::unique_ptr<LocalGlobalWorkspace> workspace_;
};

}  // namespace stiction
