// The constraints of one time step: contacts, attachments and cables, with their multipliers.
#pragma once

#include "stiction/methods/local_global/bilateral.hpp"
#include "stiction/methods/local_global/contact/contact_solver.hpp"
#include "stiction/methods/local_global/step_contacts.hpp"

namespace stiction::local_global {

/// Finds the constraints of a step, holds their rows H and multipliers lambda, and corrects global steps by them. Keeps
/// its memory from step to step.
class Constraints {
public:
    /// @param world  kept by reference
    /// Throws InputError as BilateralConstraints.
    Constraints(const World& world, const Options& options);

    /// Once a step: collision detection on the way from state.x to `prediction`, rows of all constraints, and the
    /// multipliers that the warm starts of `state` remember for them.
    /// @param guess       first guess of the end of the step (m): cables are linear about it
    /// @param prediction  where the step would end without constraints (m)
    void find(const GlobalSystem& system, const State& state, const StepInput& input, const VecX& guess,
              const VecX& prediction);
    bool any() const { return rows_.row_count() > 0; }
    /// The Delassus operator W = H A^-1 H^T of the rows (equation 27), for the rest of the step.
    /// @param modes  kept by pointer for the step; null: none
    void prepare(const GlobalSystem& system, double h, const InverseModes* modes) {
        solver_.prepare(rows_, system.inverse(), h, system.masses().data(), modes);
    }
    /// After prepare(): the modes changed.
    void modes_changed() { solver_.modes_changed(); }

    /// A global step under constraints (equations 22 and 23): updates lambda.
    /// @param free  A^-1 b: where the unknowns would go without constraints (m, stacked)
    /// @param last  the last iterate (m)
    /// @param end   A^-1 (b + h^2 H^T lambda) (m); its size is set
    void solve(const VecX& free, const VecX& last, VecX& end);
    /// The same from half = S P (b - A last), the first half of a solve; only where takes_half().
    void solve_from_half(const VecX& half, const VecX& last, VecX& end);
    /// Whether the first half of a solve is enough for a global step; it saves the second.
    bool takes_half() const { return solver_.takes_half(); }
    /// H^T lambda of the last solve (N), stacked over the unknowns; its size is set.
    void forces(VecX& out);

    /// For a solver that keeps forces itself: the rows, and the multipliers (N) to start from.
    const ContactRows& rows() const { return rows_; }
    const std::vector<double>& multipliers() const { return lambda_; }
    /// From such a solver at its end: multipliers and the forces of them that act (N), one a row, and how well the
    /// conditions hold.
    void take(const std::vector<double>& lambda, const std::vector<double>& acting, const ContactResidual& residual);

    /// The last solve's forces led to a decrease: they act at the end of the step.
    void accept_forces() { dropped_ = false; }
    /// The last solve's forces led to no decrease: none act, and multipliers start anew from zero.
    void drop_forces();

    /// After the step: forces and contact states of all vertices, warm starts for the next step, and how well the
    /// contact conditions hold. Where `listed`, the contacts too.
    void report(bool listed, StepResult& result);
    /// Error of the contact conditions that a step may have (m): half of what surfaces keep. Residuals are over the
    /// share of it that a pair of bodies has.
    double tolerance() const { return 0.5 * thickness(); }
    /// As StepContacts::prescribed_crossing().
    const ContactPair* prescribed_crossing() const { return contacts_.prescribed_crossing(); }
    /// Whether the last solve's forces led to no decrease, so that none act.
    bool dropped() const { return dropped_; }
    /// Work that attachments and cables did on coordinates that are not driven (J), after report().
    /// @param unknowns  vertices
    /// @param input     of the step
    /// @param start     positions at the start of the step (m)
    double bilateral_work(const std::vector<Index>& unknowns, const StepInput& input, const VecX& start,
                          const StepResult& result);
    /// Distance that touching surfaces of the largest bodies keep, beside their contact thickness (m).
    double thickness() const { return contacts_.thickness(); }
    /// As StepContacts::smallest_gap().
    double smallest_gap(const VecX& x) { return contacts_.smallest_gap(x); }

    /// Copies the warm starts that belong to other methods from one state to the next. Those of this method are left to
    /// report(), which reuses their memory.
    static void carry_over_warm_starts(const State& from, State& to);

private:
    void report_conditions(StepResult& result) const;
    void bilateral_forces(Eigen::Index size);

    StepContacts contacts_;
    BilateralConstraints bilateral_;
    ContactRows rows_;
    ContactSolver solver_;
    std::vector<double> lambda_;            ///< multipliers (N), one a row
    std::vector<double> acting_;            ///< the forces of them that act at the end of the step (N)
    ContactResidual residual_;              ///< of the last solve
    VecX forces_;                           ///< scratch
    std::vector<double> bilateral_acting_;  ///< scratch
    std::vector<double> taken_;             ///< the forces that act, from take(); empty where solver_ has them
    std::vector<double> columns_;           ///< scratch
    bool dropped_ = false;                  ///< the last forces led to no decrease: none act
};

}  // namespace stiction::local_global
