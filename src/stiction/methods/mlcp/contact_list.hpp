// The contacts of one step: pair, what each of them does, and what is carried from step to step.
#pragma once

#include "stiction/methods/mlcp/collision_check.hpp"
#include "stiction/methods/mlcp/options.hpp"
#include "stiction/methods/mlcp/velocity_problem.hpp"

#include <string>

namespace stiction {

/// One contact.
struct ContactRow {
    ContactPair pair;
    Vec3 free_slip =
        Vec3::Zero();  ///< motion of the sides past each other before they met: friction does not act on it (m)
    Vec3 slip_error =
        Vec3::Zero();        ///< what a sticking contact slipped so far, as tolerances let it: to be taken back (m)
    int linearisations = 0;  ///< in this step
    int repeats = 0;         ///< solves of this step that were repeated for what the row left out
    double tangential_compliance = 0.0;  ///< of the last solve (m/N)
    double sliding_coefficient = 0.0;    ///< mu while it slides, of the last solve
    ContactUnknowns unknowns;
};

/// Rows grow during a step and are never dropped in it, so that adding ends.
class ContactList {
public:
    /// Touching pairs at the start of a step, with what `warm_start` remembers of them.
    ContactList(const World& world, const ContactSet& touching, const VecX& x, const MlcpLimits& limits,
                const std::string& warm_start);

    std::vector<ContactRow>& rows() { return rows_; }
    const std::vector<ContactRow>& rows() const { return rows_; }
    /// Pairs that met: new rows, or known ones turned to where they met.
    void add(const std::vector<Encounter>& encounters, const VecX& x_start, const VecX& x_end);
    /// Turns the rows that push although their pair is not within the tolerance at x_end, and asks for another solve
    /// where rows leave out too much of how rigid bodies turn. False when there is nothing to do.
    bool linearise_again(const VecX& x_end);

    /// The rows as constraints on the nodes, linear around velocities v that lead to x_end.
    /// @param speeds  of all vertices as the step begins: slow ones have static friction
    void fill(const VelocityProblem& velocities, const State& start, const VecX& speeds, const VecX& v,
              const VecX& x_end, std::vector<ContactConstraint>& constraints) const;
    /// After the step: what is remembered of rows that push. Friction of sliding ones is brought up to date, so that
    /// what tolerances postpone in one step is there in the next.
    std::string warm_start(const VecX& x_start, const VecX& x_end) const;
    /// Forces (N) on every vertex, stacked, and what the vertices do.
    void fill_forces(StepResult& result, Index vertex_count) const;

private:
    std::array<Index, 2> bodies(const ContactPair& pair) const;
    void turn(const ContactPair& wanted, ContactRow& row) const;

    const World& world_;
    double distance_tolerance_, kinetic_velocity_;
    std::vector<double> inverse_mass_;
    std::vector<ContactRow> rows_;
};

}  // namespace stiction
