// The search along a direction: how far it is free, and where on that way the potential falls.
#pragma once

#include "stiction/barrier/confirmation.hpp"

namespace stiction {

/// Backtracking on the potential under CCD (Li et al. 2020, Algorithm 1, lines 11 to 15).
class LineSearch {
public:
    /// Everything is kept by reference.
    LineSearch(const StageModel& model, BarrierPotential& potential, const StoppingRule& stopping,
               NewtonDirection& direction, Confirmation& confirmation, SolveLog& log)
        : model_(model),
          potential_(potential),
          stopping_(stopping),
          direction_(direction),
          confirmation_(confirmation),
          log_(log) {}

    /// Moves the iterate along p, the last direction of `direction`, and tells that and MoveSink. Where no move is
    /// found the log says why.
    bool move(Iterate& iterate, const SearchDomain& domain, const VecX& p, IterationTrace& trace);

private:
    /// Sets trace.step_bound: the largest multiple of p that is free of intersections and inversions.
    bool bound(const Iterate& iterate, const SearchDomain& domain, const VecX& p, IterationTrace& trace);

    const StageModel& model_;
    BarrierPotential& potential_;
    const StoppingRule& stopping_;
    NewtonDirection& direction_;
    Confirmation& confirmation_;
    SolveLog& log_;
};

}  // namespace stiction
