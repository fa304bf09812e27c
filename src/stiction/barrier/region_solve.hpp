// Newton iterations of a barrier solve in a part of the scene.
#pragma once

#include "stiction/barrier/line_search.hpp"
#include "stiction/barrier/workspace.hpp"

#include <functional>
#include <optional>

namespace stiction {

/// Where a direction moves a small part of the scene alone, goes on with Newton's method there while all else stands
/// still: systems are small, and a cut step holds up nothing else. Contacts that slip or buckle one by one take many
/// iterations of their neighbourhood, and few of the whole (nonlinear elimination: Lanzkron, Rose, Wilkes, SIAM J. Sci.
/// Comput. 17, 1996). The energy falls in every move; whether the stage is solved is decided outside.
class RegionSolve {
public:
    /// Everything is kept by reference.
    RegionSolve(const StageModel& model, BarrierWorkspace& workspace, const BarrierPotential& potential,
                const StoppingRule& stopping, NewtonDirection& direction, LineSearch& line_search, SolveLog& log)
        : model_(model),
          detection_(workspace.detection),
          assembly_(workspace.assembly),
          region_assembly_(workspace.region_assembly),
          potential_(potential),
          stopping_(stopping),
          direction_(direction),
          line_search_(line_search),
          log_(log) {}

    /// Moves what the direction p moves, until its own directions are short.
    /// @param p         the direction of the whole that was searched last
    /// @param residual  its |p|_inf / s (m/s)
    void solve(Iterate& iterate, const SearchDomain& whole, const VecX& p, double residual);
    /// Where the direction is short and only the balance is missing, and by little, moves the surroundings of the
    /// vertices that miss it.
    /// @return whether the whole has it now and the tolerance of velocity is no smaller; nothing if there is no region
    std::optional<bool> balance(Iterate& iterate, const SearchDomain& whole);
    /// Whether single precision did not suffice in a region: later ones begin in double precision.
    bool gave_up_single() const { return gave_up_single_; }

private:
    /// Newton's method in a region, until `enough` says so of a direction before it is searched. @return whether it was
    bool move(Iterate& iterate, const SearchDomain& whole, const Region& region,
              const std::function<bool(const VecX& p)>& enough);
    bool iterate_until(Iterate& iterate, const SearchDomain& domain, const std::function<bool(const VecX& p)>& enough);

    const StageModel& model_;
    ContactDetection& detection_;
    const HessianAssembly& assembly_;
    HessianAssembly& region_assembly_;
    const BarrierPotential& potential_;
    const StoppingRule& stopping_;
    NewtonDirection& direction_;
    LineSearch& line_search_;
    SolveLog& log_;
    bool gave_up_single_ = false;
};

}  // namespace stiction
