// The search directions of a Newton solve with the barrier.
#pragma once

#include "stiction/barrier/refinement_rule.hpp"
#include "stiction/barrier/search_domain.hpp"
#include "stiction/barrier/stopping.hpp"
#include "stiction/nonlinear/line_search.hpp"

#include <vector>

namespace stiction {

/// Directions of projected Newton, refined where projection makes them far too short.
class NewtonDirection {
public:
    /// Everything is kept by reference.
    NewtonDirection(const StageModel& model, BarrierPotential& potential, const StoppingRule& stopping, SolveLog& log);

    /// Forgets the moves before: a Newton solve begins.
    void begin();
    /// Forgets the last move: it was one of another potential, or of other unknowns.
    void forget_move() { last_move_ = {}; }

    /// The direction of an iteration, zero where bodies keep still. Sets the gradient of the iterate.
    /// @param iteration  of this Newton solve or in this region, from 0
    /// @param refines    whether the direction is refined in any case
    /// @return whether there is one: if not, the matrix is not positive definite or a number not finite
    bool find(Iterate& iterate, const SearchDomain& domain, int iteration, bool refines, VecX& p);
    /// Whether the last direction was refined.
    bool is_refined() const { return is_refined_; }

    /// How much less curvature the last move of this Newton solve met than the matrix that it came from has, as a part
    /// of the latter: 0 where the slope fell as predicted (and before the first move), 1 where it did not fall.
    /// @param gradient  of the potential at the end of that move
    double softening(const VecX& gradient) const;
    /// Largest multiple of a direction to search: multiple_to_minimum(). It is 1 in regions, where the last move was
    /// not of the same kind, refined or projected, and where an element would cut the longer way to less than p.
    double longest_step(const Iterate& iterate, const SearchDomain& domain, const VecX& p) const;
    /// The same vector, zero where bodies keep still.
    VecX without_still(VecX values) const;
    /// Tells that a part of the direction p was taken, before the iterate moves.
    void moved(const Iterate& from, const SearchDomain& domain, const VecX& p, const LineSearchResult& found);

    /// In a region, refinement begins anew. @return the rule outside
    RefinementRule enter_region();
    /// Back to the whole, with its rule.
    void leave_region(const RefinementRule& outside);

private:
    /// Adds to the pattern of the matrix what the iterate needs.
    void make_room(const Iterate& iterate, const SearchDomain& domain);
    /// p = -H^-1 g with projected local Hessians; false when H is not positive definite.
    bool factorise(const Iterate& iterate, const SearchDomain& domain, VecX& p);
    /// The same with more and more inertia.
    bool factorise_shifted(const Iterate& iterate, const SearchDomain& domain, VecX& p);
    /// Bodies whose part of a direction is below a millionth of the tolerance keep still, and their part of the
    /// gradient is left out: what rounding leaves of a heavy body would decide over the search of a light one.
    void keep_still(Iterate& iterate, VecX& p);
    /// Takes a projected direction on towards the minimum of the quadratic model without projection, by a few conjugate
    /// gradients. Projection makes every local Hessian stiffer than it is. Where the true curvature is small or
    /// negative (soft bodies that slide and buckle in contact) projected steps are full and far too short: hundreds in
    /// a row.
    /// @return whether p is the refined one; the projected one stays where that is no descent
    bool refine(const Iterate& iterate, const SearchDomain& domain, VecX& p);

    const StageModel& model_;
    BarrierPotential& potential_;
    const StoppingRule& stopping_;
    SolveLog& log_;
    struct {
        VecX direction;
        double alpha = 0.0;  ///< multiple of it that was taken
        double slope = 0.0;  ///< of the potential along it, at its start
        bool is_refined = false;
    } last_move_;
    RefinementRule refinement_;
    bool is_refined_ = false;
    double projected_slope_ = 0.0;  ///< of the potential along the present projected direction
    std::vector<char> still_;       ///< bodies that the last direction leaves where they are; empty: none
};

}  // namespace stiction
