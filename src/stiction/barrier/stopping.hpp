// When a Newton solve of a barrier solve is done.
#pragma once

#include "stiction/barrier/iterate.hpp"
#include "stiction/barrier/potential.hpp"
#include "stiction/barrier/stage_model.hpp"

#include <optional>
#include <string>

namespace stiction {

/// Measures of an iterate and of its direction, and what they are held against.
class StoppingRule {
public:
    /// @param assembly  whose map has the unknowns; everything is kept by reference
    StoppingRule(const StageModel& model, const BarrierPotential& potential, const HessianAssembly& assembly)
        : model_(model), potential_(potential), assembly_(assembly) {}

    /// Later Newton solves that are in contact end where a whole direction is at most this part of their first one, for
    /// callers that go on from there; 0: at the tolerances.
    void set_looseness(double part) { looseness_ = part; }
    bool is_loose() const { return looseness_ > 0.0; }

    /// Stopping tolerance on |p|_inf / s (m/s). Where friction is lagged it is at most a tenth of eps_v: from rest, the
    /// first direction is measured by the stiffness of sticking, so its length is below eps_v whether or not the
    /// contact holds. The same cap holds where bodies with friction touch and nothing is lagged yet: they met in this
    /// solve, or the run begins so. The next solve lags friction by the normal forces of this one.
    /// @param share  of l that a body has
    double tolerance(const ContactSet& contacts, double share = 1.0) const;
    /// Speed that a direction means (m/s), to be held against tolerance(): the largest |p| / s of a coordinate, that of
    /// a smaller body as many times larger as its own tolerance is smaller.
    double speed(const VecX& p, const ContactSet& contacts) const;
    /// What is left of the balance of an iterate: the largest entry of the gradient over that of its largest term
    /// (inertia, external forces, barrier, friction), prescribed coordinates left out.
    double imbalance(const Iterate& iterate) const;
    /// Whether the forces of an iterate whose last direction was `residual` fast (m/s) balance well enough.
    bool is_balanced(const Iterate& iterate, double residual) const;
    /// Whether a loose solve may end after an iterate whose whole direction was taken.
    bool is_close_enough(const Iterate& iterate, double residual, double first_residual) const;
    /// Why no equilibrium is near where the iterate of a stage without inertia has left the scene; nothing otherwise.
    std::optional<std::string> flight(const VecX& x) const;

private:
    const StageModel& model_;
    const BarrierPotential& potential_;
    const HessianAssembly& assembly_;
    double looseness_ = 0.0;
};

}  // namespace stiction
