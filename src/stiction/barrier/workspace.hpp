// Scratch of barrier solves that is kept from step to step.
#pragma once

#include "stiction/barrier/options.hpp"
#include "stiction/dynamics/contact_detection.hpp"
#include "stiction/dynamics/hessian_assembly.hpp"

#include <memory>

namespace stiction {

/// Contact detection and matrix of one world. Nothing in it decides a result.
struct BarrierWorkspace {
    BarrierWorkspace(const World& w, const BarrierOptions& options);
    bool is_of(const World& w) const { return world == &w && identity == w.identity; }

    const World* world;
    std::shared_ptr<const char> identity;
    ContactDetection detection;
    HessianAssembly assembly;
    HessianAssembly region_assembly;
    /// Weight of a mean vertex at a half-space (1/m), obstacles left out; 1 where contacts are not weighted.
    double mean_weight = 1.0;
    /// The smaller of mean_weight and that of the lightest bare point, of obstacles too (1/m).
    double least_weight = 1.0;
};

}  // namespace stiction
