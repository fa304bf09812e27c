// Contact detection while a few vertices move and all others stand still.
#pragma once

#include "stiction/dynamics/feasible_step.hpp"

#include <array>
#include <vector>

namespace stiction {

/// Candidates with a moving vertex, complete while every moving vertex stays in a box of its own. One broad phase
/// serves all moves within the boxes.
class RegionDetection {
public:
    /// @param detection  with candidates that are valid at the first x; searched anew where a box is left. Kept by
    ///                   reference
    /// @param moving     of every vertex of the world: whether it may move; kept by reference
    /// @param room       of the boxes around a move (m)
    RegionDetection(ContactDetection& detection, const std::vector<char>& moving, double room);

    /// feasible_step_bound() of a move of these vertices alone: p has to be zero at all others. Leaves candidates that
    /// are valid on the certified move.
    StepBound step_bound(const World& world, const VecX& x, const VecX& p, double slack);
    /// Contacts with a gap below dhat at x: those of pairs with a moving vertex, and of all vertices with half-spaces.
    /// Of a contact without a moving vertex the count may be too small.
    ContactSet contacts(const VecX& x, double dhat) const {
        return find_contacts(detection_.scene(), candidates_, x, dhat);
    }
    /// Unreduced stencils of the same pairs and vertices whose gap is below the detection's reach at x.
    std::vector<std::array<Index, 4>> near(const VecX& x) const {
        return near_stencils(detection_.scene(), candidates_, x, detection_.reach());
    }
    const std::vector<char>& moving() const { return moving_; }
    /// Broad phases so far.
    int searches() const { return searches_; }

private:
    void keep_moving();
    /// Makes boxes around the way from x to `end`, and finds their candidates.
    void search(const VecX& x, const VecX& end);

    ContactDetection& detection_;
    const std::vector<char>& moving_;
    double room_;
    VecX low_, high_;  ///< corners of the boxes; empty before the first search
    Candidates candidates_;
    int searches_ = 0;
};

}  // namespace stiction
