// The move of a certified step, as far as it is proven free of intersections and inversions.
#pragma once

#include "stiction/dynamics/contact_detection.hpp"
#include "stiction/methods/local_global/rigid_motions.hpp"
#include "stiction/world/step.hpp"

#include <memory>
#include <optional>

namespace stiction::local_global {

/// Shortens the straight move of a step by conservative continuous collision detection (Options::certify).
class CertifiedMove {
public:
    /// @param world, rigid  kept by reference
    /// @param reach         m: gap up to which pairs of the largest body are looked for
    CertifiedMove(const World& world, const RigidMotions& rigid, double reach)
        : world_(world), rigid_(rigid), reach_(reach) {}

    /// Shortens the move from state.x to x, both stacked (m), to the part that is proven free and keeps a tenth of
    /// every gap; a note in the report says so.
    /// @return the fraction that was made; nothing, with status and cause in the report, where the move cannot be
    /// shortened: a driven vertex would miss its target, or a rigid body that turns would be deformed
    std::optional<double> shorten(const State& state, const StepInput& input, VecX& x, StepReport& report);

private:
    const char* why_not_shorter(const StepInput& input, const VecX& move, const VecX& x) const;

    const World& world_;
    const RigidMotions& rigid_;
    double reach_;
    std::unique_ptr<ContactDetection> detection_;  ///< made by the first call
};

}  // namespace stiction::local_global
