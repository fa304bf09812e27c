// What the iterations of a barrier solve move: all unknowns, or those of a region.
#pragma once

#include "stiction/dynamics/hessian_assembly.hpp"
#include "stiction/dynamics/region_detection.hpp"

#include <array>
#include <vector>

namespace stiction {

/// Unknowns, contacts and certified moves of the whole scene, or of a region of it.
class SearchDomain {
public:
    /// The whole. @param dhat  distance at which contacts act (m); everything else is kept by reference
    SearchDomain(ContactDetection& detection, HessianAssembly& assembly, double dhat)
        : detection_(&detection), assembly_(&assembly), dhat_(dhat) {}
    /// A part. @param region  what may move, kept by reference   @param assembly  of its unknowns
    SearchDomain(const SearchDomain& whole, HessianAssembly& assembly, RegionDetection& region)
        : detection_(whole.detection_), assembly_(&assembly), region_(&region), dhat_(whole.dhat_) {}

    bool is_region() const { return region_ != nullptr; }
    HessianAssembly& assembly() const { return *assembly_; }
    /// Marks of vertices that may move; empty: all.
    const std::vector<char>& moving() const {
        static const std::vector<char> all;
        return region_ ? region_->moving() : all;
    }
    /// Contacts at x: all, or those of the region.
    ContactSet contacts(const VecX& x) const {
        return region_ ? region_->contacts(x, dhat_) : detection_->contacts(x, dhat_);
    }
    /// Stencils of pairs within reach at x, which the matrix is to have room for.
    std::vector<std::array<Index, 4>> near(const VecX& x) const {
        return region_ ? region_->near(x) : detection_->near(x, detection_->reach());
    }
    /// How far a move (stacked, m) is free of intersections and inversions; leaves candidates that are valid on it.
    StepBound step_bound(const World& world, const VecX& x, const VecX& move, double slack) const {
        return region_ ? region_->step_bound(world, x, move, slack)
                       : feasible_step_bound(world, *detection_, x, move, slack);
    }

private:
    ContactDetection* detection_;
    HessianAssembly* assembly_;
    RegionDetection* region_ = nullptr;
    double dhat_;
};

}  // namespace stiction
