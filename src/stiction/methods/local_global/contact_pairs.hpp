// What may touch in a step: pairs found once, at its start, as rows of the contact solver.
#pragma once

#include "stiction/contact/contact_key.hpp"
#include "stiction/methods/local_global/contact/contact_rows.hpp"
#include "stiction/methods/local_global/global_system.hpp"
#include "stiction/methods/local_global/step_candidates.hpp"
#include "stiction/methods/local_global/surface_neighbours.hpp"

#include <cmath>

namespace stiction::local_global {

/// Closest features at the start of the step, held fixed in it: gap = normal . sum_i weights_i x_i - distance.
struct StepContact {
    ContactKey key;
    int count = 0;                                      ///< vertices in use
    Eigen::Vector4d weights = Eigen::Vector4d::Zero();  ///< 1 in sum on the first side, -1 on the second
    Mat3 frame = Mat3::Identity();  ///< rows: unit normal, from the second side to the first where both are where they
                                    ///< belong; two tangents
    double distance = 0.0;          ///< m: what the surfaces keep
    double friction = 0.0;          ///< mu

    /// Whether friction of these forces (N: normal, two tangents) is less than it can be.
    bool sticks(const double* force) const {
        return friction > 0.0 && std::hypot(force[1], force[2]) < (1.0 - 1e-6) * friction * force[0];
    }
};

/// Finds the pairs of a step, writes them as rows, and remembers their forces. Solid bodies and closed obstacles have
/// an inside: what is up to ten thicknesses deep in there is pushed out the shortest way. Sheets and open obstacles
/// have none: what has gone through one stays behind it.
class ContactPairs {
public:
    /// @param thickness  m: distance that touching surfaces keep, beside their contact thickness
    ContactPairs(const World& world, double thickness);

    /// Pairs that are nearer than one more thickness at state.x, or that the predicted motion to `prediction` brings
    /// there.
    void find(const State& state, const VecX& prediction);
    /// Rows of the pairs, and the forces (N) that `warm_start` remembers for them. What no unknown takes part in is
    /// left out.
    void fill(const GlobalSystem& system, const State& state, const VecX& target, const std::string& warm_start,
              ContactRows& rows, std::vector<double>& lambda);
    /// Forces of the rows (N, as fill() ordered them) on all vertices, obstacles included; contact states.
    void spread(const std::vector<double>& forces, StepResult& result) const;
    /// Forces of contacts that are closed, as bytes for the next step.
    void warm_start(const std::vector<double>& forces, std::string& bytes) const;

    /// Vertices that are held to a body do not touch it: (vertex, body) of each.
    void leave_out(std::vector<std::array<Index, 2>> held);

    const std::vector<StepContact>& pairs() const { return pairs_; }
    double thickness() const { return thickness_; }
    /// Smallest gap (m) at x, looked for anew; where nothing is within two thicknesses, that of what is a little
    /// farther, or of half-spaces, or infinity.
    double smallest_gap(const VecX& x);

private:
    void add(const Contact& contact, const VecX& x, const VecX& prediction);
    bool held_together(const ContactKey& key, int first, int count) const;
    void keep_shallowest();
    void remember(const std::string& bytes);

    /// Normal force and friction in the world's frame (N), as the last step left them.
    struct Remembered {
        ContactKey key;
        double normal = 0.0;
        std::array<double, 3> friction{};
    };
    /// A point in a body, and how deep.
    struct Inside {
        std::array<Index, 2> point_and_body{};
        double depth = 0.0;
        auto operator<=>(const Inside&) const = default;
    };

    const World& world_;
    double thickness_;
    StepCandidates candidates_;
    ContactSearch search_;
    std::vector<Remembered> remembered_;  ///< by key
    std::vector<Inside> inside_;
    SurfaceNeighbours neighbours_;
    std::vector<StepContact> pairs_;
    std::vector<std::array<Index, 2>> held_;  ///< sorted
    std::vector<double> depth_;  ///< of each pair: how deep its point is in a body (m); 0 where it is outside
};

}  // namespace stiction::local_global
