// The move of a certified step, as far as it is proven free of intersections and inversions.
#pragma once

#include "stiction/dynamics/contact_detection.hpp"
#include "stiction/world/step.hpp"

#include <memory>

namespace stiction::local_global {

/// Shortens the straight move of a step by conservative continuous collision detection (Options::certify).
class CertifiedMove {
public:
    /// @param world  kept by reference
    /// @param reach  m: gap up to which pairs are looked for
    CertifiedMove(const World& world, double reach) : world_(world), reach_(reach) {}

    /// Shortens the move from state.x to x, both stacked (m), to the part that is proven free and keeps a tenth of
    /// every gap; a note in the report says so.
    /// @return false, with status and cause in the report, where a vertex that is driven would miss its target
    bool shorten(const State& state, const StepInput& input, VecX& x, StepReport& report);

private:
    const World& world_;
    double reach_;
    std::unique_ptr<ContactDetection> detection_;  ///< made by the first call
};

}  // namespace stiction::local_global
