// The method `local_global`: projective dynamics with a constant matrix, for real time (Zeng, Luo, Shi and Zhang 2025).
#pragma once

#include "stiction/dynamics/method.hpp"
#include "stiction/methods/local_global/options.hpp"

#include <memory>

namespace stiction::local_global {

struct Workspace;

/// Steps of backward Euler in a fixed number of local-global iterations. Contacts are found once a step and solved as
/// complementarity conditions in each iteration.
class LocalGlobal final : public Method {
public:
    explicit LocalGlobal(const Options& options);
    ~LocalGlobal() override;
    std::string_view name() const override { return "local_global"; }
    double contact_distance(const World& world) const override;
    /// One thickness of the smallest body.
    double arc_sagitta(const World& world, double length) const override;
    bool promises_separation() const override { return options_.certify; }
    bool exactly_rigid() const override { return true; }
    bool balances_forces() const override { return false; }
    bool has_joints() const override { return !options_.attachments.empty() || !options_.cables.empty(); }
    const Options& options() const { return options_; }
    /// Throws InputError for rods, strain limits, laws that are not objective or have not two moduli, motions along
    /// some axes of more than 3000 coordinates (fewer in worlds of more than 20 000 vertices), attachments and cables
    /// under an incomplete global step; for rigid bodies, fillings and motions along some axes with a global step other
    /// than `complete`, the scale `mass_inverse` or indicators `as_printed`; for fillings without `exact_matrix`; and
    /// as BilateralConstraints and check_device().
    void check(const World& world) const override;
    /// Ends with Status::not_supported where something touches under an incomplete global step.
    void step(const World& world, const State& state, const StepInput& input, StepResult& result) override;

private:
    Options options_;
    std::unique_ptr<Workspace> workspace_;
};

}  // namespace stiction::local_global
