// Which pairs would come too near on the straight way of a step.
#pragma once

#include "stiction/contact/contact_pair.hpp"
#include "stiction/dynamics/contact_detection.hpp"

namespace stiction {

/// A pair that comes nearer than allowed.
struct Encounter {
    ContactPair pair;   ///< at the time of it, just outside
    double time = 0.0;  ///< fraction of the step, < 1: before it everything is proven to be all right
};

/// Candidates of one step: pairs whose boxes meet, boxes that hold three times the way of the last velocity (Verschoor
/// and Jalba 2019, section 5.1).
class CollisionCheck {
public:
    /// @param detection  its candidates are made anew here; kept by reference
    /// @param x          start of the step (m)
    /// @param move       expected displacements over the step (m)
    CollisionCheck(ContactDetection& detection, const VecX& x, const VecX& move);

    /// Pairs of candidates and of half-spaces whose gap falls below `floor` (m) between the start and `end`, or below
    /// half of what it is at the start where that is less; sorted by contact, one a contact; of encounters that share
    /// vertices the first ones alone. Candidates are looked for again where a vertex left its box.
    std::vector<Encounter> encounters(const VecX& end, double floor);
    /// Queries of continuous collision detection so far, and searches for candidates.
    long queries() const { return queries_; }
    int searches() const { return searches_; }

private:
    void search();

    ContactDetection& detection_;
    const VecX& start_;
    VecX reach_;  ///< how far the boxes hold, stacked
    long queries_ = 0;
    int searches_ = 0;
};

}  // namespace stiction
