// Where a solve begins, and the motion of driven vertices and obstacles to their targets, under CCD.
#pragma once

#include "stiction/dynamics/feasible_step.hpp"
#include "stiction/dynamics/incremental_potential.hpp"

#include <array>
#include <functional>
#include <string>
#include <vector>

namespace stiction {

/// Potential at the second configuration less that at the first.
using MoveComparison = std::function<double(const VecX& from, const VecX& to)>;

/// Where a solve begins, and how driven vertices come to their targets. Everything starts along the prediction: driven
/// vertices straight to their targets, free ones at the speed they have. If driven ones fall short, those that move
/// become unknowns that an augmented Lagrangian pulls to their targets during the Newton iterations; as soon as the
/// rest of the way is free they are put exactly there. The motion is done when all are on target, or when 99.9% of it
/// is and nothing more is free.
class DrivenMotion {
public:
    DrivenMotion(const World& world, const StepInput& input, const VecX& x_start);

    /// Changes x to where a solve begins. Everything follows `predicted_step` (stacked, m; what is driven goes to its
    /// target instead) as far as nothing is in the way, or where that was not measured as far as half of each gap
    /// stays. Then what is driven goes on alone as far as half of each gap stays. Or everything makes the move near the
    /// prediction that meets nothing (predicted_start), if there is one and the potential is lower there. Straight
    /// moves under CCD all of them.
    /// @param dhat     distance at which contacts act (m)
    /// @param flying   marks of bodies (bodies_in_flight) that make the whole of their move, whatever is in the way of
    ///                 others
    /// @param compare  of the potential; has to call apply() first, because the pull may have changed
    void start(ContactDetection& detection, VecX& x, const VecX& predicted_step, double dhat,
               const std::vector<char>& flying, const MoveComparison& compare, long& ccd_queries);
    /// True while driven vertices are unknowns.
    bool pulling() const { return pulling_; }
    /// Which coordinates are prescribed at present, for the DofMap.
    const std::vector<std::uint8_t>& driven_axes() const { return axes_; }
    /// Puts the pull into the potential (or takes it out).
    void apply(IncrementalPotential& potential) const;

    /// After an accepted iterate: tries the rest of the way at once, and stops pulling when it is done.
    /// @return true when the unknowns changed
    bool try_finish(ContactDetection& detection, VecX& x, double slack, long& ccd_queries);
    /// The Newton solve converged with the pull still on: stiffen it, then move the multipliers. False when that was
    /// done often enough.
    bool strengthen(const VecX& x);

    /// Least 1 - |target - x| / |target - x_start| of all driven vertices that move; 1 when none does.
    double completion(const VecX& x) const;
    /// Largest distance of a driven vertex from its target (m).
    double largest_error(const VecX& x) const;
    /// How far what is driven stopped short, of which body, and what was in its way at the last try, in words.
    std::string shortfall(const VecX& x) const;

private:
    /// Step that takes every driven coordinate to its target.
    VecX remaining(const VecX& x) const;
    void release();
    void arrive();
    /// Adds to the way where straight moves lead: along that fraction of `step`, or as far as CCD allows if it is 0,
    /// and then to the targets. Releases driven vertices that fall short.
    void follow(ContactDetection& detection, const VecX& step, double fraction, const std::vector<char>& flying,
                std::vector<VecX>& way, long& ccd_queries);
    /// That fraction of a step, and the whole of it of bodies in flight where nothing is in its way.
    VecX part_of(ContactDetection& detection, const VecX& x, const VecX& step, double fraction,
                 const std::vector<char>& flying, long& ccd_queries) const;
    /// Exactly the targets, not the targets up to rounding.
    void set_on_target(VecX& x) const;

    const World& world_;
    const StepInput& input_;
    const VecX x_start_;
    std::vector<Index> moving_;  ///< driven vertices whose target is elsewhere
    std::vector<std::uint8_t> axes_;
    TargetPull pull_;
    bool pulling_ = false;
    int strengthened_ = 0;
    std::array<Index, 4> in_the_way_{-1, -1, -1, -1};  ///< StepBound::stencil of the last try of the rest
};

}  // namespace stiction
