// The collision check of a step: pairs that collide on the straight motion to its end.
#pragma once

#include "stiction/contact/surface_neighbours.hpp"
#include "stiction/dynamics/contact_detection.hpp"
#include "stiction/methods/mlcp/velocity_problem.hpp"

namespace stiction::mlcp {

/// A collision: a pair whose gap falls below the clearance.
struct Collision {
    ContactPair pair;         ///< at the time of the collision, just outside
    double time = 0.0;        ///< fraction of the step, < 1; the pair is proven free before it
    bool prescribed = false;  ///< no force can keep the pair apart, see VelocityProblem::can_separate
};

/// Searches for candidate pairs once a step and checks them for collisions after every solve. Candidates are pairs
/// whose boxes overlap; the boxes hold three times the expected displacements (Verschoor and Jalba 2019, section 5.1).
class CollisionCheck {
public:
    /// @param detection   holds the candidates; kept by reference
    /// @param neighbours  of its surface; kept by reference
    /// @param closed      of every body, see closed_bodies(); kept by reference
    /// @param velocities  of the step; kept by reference
    /// @param x           positions at the start of the step (m); kept by reference
    /// @param move        expected displacements of the step (m)
    CollisionCheck(ContactDetection& detection, const SurfaceNeighbours& neighbours, const std::vector<char>& closed,
                   const VelocityProblem& velocities, const VecX& x, const VecX& move);

    /// Collisions on the straight motion from the start to `end`, sorted by contact, one a contact. A pair collides
    /// when its gap falls below its share of `clearance` (m), or below half of the gap at the start where that is less.
    /// A pair that no force can keep apart may come as near as a thousandth of that. Where collisions share vertices,
    /// only the first ones are kept. Where surfaces meet, pairs of features that are behind a surface or beside a
    /// nearer triangle collide as well: they are left out as long as any others collide. A vertex outside its box
    /// starts a new search.
    std::vector<Collision> find(const VecX& end, double clearance);
    /// Queries of continuous collision detection so far.
    long queries() const { return queries_; }

private:
    void search();
    /// How far a coordinate may leave its box before the search is made anew (m).
    double margin(Eigen::Index coordinate) const;
    void cover(const VecX& move);
    void find_pairs(PairKind kind, const VecX& end, double clearance, std::vector<Collision>& found);
    void keep_proper(const VecX& end, std::vector<Collision>& found) const;
    void find_half_spaces(const VecX& end, double clearance, std::vector<Collision>& found) const;

    ContactDetection& detection_;
    const SurfaceNeighbours& neighbours_;
    const std::vector<char>& closed_;
    const VelocityProblem& velocities_;
    const VecX& start_;
    VecX reach_;  ///< displacements that the boxes hold, stacked
    long queries_ = 0;
};

}  // namespace stiction::mlcp
