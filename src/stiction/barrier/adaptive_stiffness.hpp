// How stiff the barrier of a stage is.
#pragma once

#include "stiction/barrier/iterate.hpp"
#include "stiction/barrier/potential.hpp"
#include "stiction/barrier/stage_model.hpp"
#include "stiction/barrier/workspace.hpp"

#include <string>

namespace stiction {

/// Chooses the stiffness of a stage's potential from the last step's, from the loads and from inertia, and lets it grow
/// while a tiny gap shrinks. A stiffness that is given stays.
class AdaptiveStiffness {
public:
    /// Where State::warm_start keeps the barrier stiffness divided by s^2 (J/m^4, or Pa with weights), and its bytes.
    /// With weights a mark follows the number: the one stiffness must not be taken for the other.
    static constexpr const char* warm_start_key = "barrier_stiffness";
    static constexpr char weighted_mark = 'w';

    /// Model and potential are kept by reference.
    AdaptiveStiffness(const StageModel& model, BarrierPotential& potential, const BarrierWorkspace& workspace);

    /// A guard that has seen no contacts.
    StiffnessGuard guard() const;
    /// What the last step left, for this stage; 0: nothing.
    double last() const;
    std::string warm_start() const;
    /// Remembers the stiffness at which the most loaded contact would sit at a fixed fraction of its distance, if the
    /// contacts have this one now.
    void measure_loads(const ContactSet& contacts, double stiffness);
    /// The stiffness to begin with. @param map  of the unknowns
    void start(const Iterate& iterate, const DofMap& map);
    /// As stiff as the loads ask for that were measured last, where it may adapt.
    void meet_loads();
    /// Looks at the contacts of an iterate once. @return whether the stiffness has grown
    bool grow(Iterate& iterate);

private:
    bool is_given() const { return model_.options.barrier_stiffness > 0.0; }
    bool is_weighted() const { return model_.options.barrier_weights != BarrierWeights::none; }
    /// The stiffness that balances the barrier's gradient at an iterate against all others.
    double balance(const Iterate& iterate, const DofMap& map) const;

    const StageModel& model_;
    BarrierPotential& potential_;
    StiffnessBounds bounds_;
    double loaded_ = 0.0;  ///< see measure_loads()
};

}  // namespace stiction
