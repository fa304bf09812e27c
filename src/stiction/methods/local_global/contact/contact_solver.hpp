// Non-smooth Newton on the contact conditions: the constraint solver of a local-global iteration.
#pragma once

#include "stiction/methods/local_global/contact/conjugate_residual.hpp"
#include "stiction/methods/local_global/contact/contact_bodies.hpp"
#include "stiction/methods/local_global/contact/contact_sweep.hpp"

#include <vector>

namespace stiction::local_global {

/// The complementarity preconditioner: where the scales r of the NCP functions come from.
enum class ComplementarityScale {
    system_inverse,  ///< r_n = h^2 W_jj, r_f = h W_jj with W = H A^-1 H^T (equation 28)
    mass_inverse,    ///< the same with M in place of A, as in Macklin et al. (2019), for comparison
};

/// How the non-smooth indicators omega (equation 24) enter Newton's system.
enum class IndicatorUse {
    newton,  ///< the force H^T lambda acts. Newton's matrix Omega W + E is made symmetric by omega^1/2 on both sides
    as_printed,  ///< Algorithm 4, for comparison: the force J^T lambda = H^T Omega lambda acts, and rows are evaluated
                 ///< at the last iterate. Friction by secants
};

/// The derivative of friction in Newton's step.
enum class FrictionLinearisation {
    secant,      ///< slip + E lambda_f with E kept, of the function chosen (equations 51 and 57)
    projection,  ///< derivative of lambda_f - P(lambda_f - slip / r), where P projects onto the disk of radius
                 ///< mu lambda_n. A sliding contact then has a force of known size
};

/// Options of the contact solver.
struct ContactSolverOptions {
    NcpFunction function = NcpFunction::fischer_burmeister;
    ComplementarityScale scale = ComplementarityScale::system_inverse;
    FrictionLinearisation friction = FrictionLinearisation::projection;
    IndicatorUse indicators = IndicatorUse::newton;
    DelassusKind delassus = DelassusKind::automatic;
    int newton_iterations = 1;        ///< in one solve()
    int linear_iterations = 10;       ///< conjugate-residual iterations in a Newton iteration, at most
    double linear_tolerance = 1e-10;  ///< relative residual at which they end
    int expected_solves = 5;          ///< solves in a step, by which `automatic` chooses
};

/// Residuals of the contact conditions in metres: the largest of all rows, those of a contact over its share of the
/// tolerance.
struct ContactResidual {
    double normal = 0.0;       ///< |min(gap, r lambda_n)|
    double friction = 0.0;     ///< r |lambda_f - P(lambda_f - slip / r)|, P onto the disk of radius mu lambda_n
    double bilateral = 0.0;    ///< |v|, v = H_b q - d_b + E_b lambda_b; of a one-sided row |min(v, r lambda_b)|
    double penetration = 0.0;  ///< max(-gap, 0)
    double largest() const { return std::max({normal, friction, bilateral}); }
};

/// What one solve reads and writes.
struct ContactIterate {
    /// A^-1 b: where the unknowns would go without constraints (m), n x 3; null where `half` stands for it
    const double* free;
    const double* last;  ///< the last iterate (m), n x 3; only for as_printed and `half`, else may be null
    double* lambda;      ///< multipliers (N), one a row: of the last iteration or step on entry, new ones on return
    double* q;           ///< new positions (m), n x 3; may be `free` or `last`
    /// S P (b - A last), n x 3, the first half of a solve; only where ContactSolver::takes_half()
    const double* half = nullptr;
};

/// Solves q = free + h^2 A^-1 H^T lambda under the conditions of the rows (equation 22), a few iterations at a time.
///
/// Slips are those of the whole step, h times the paper's velocities, and r_f is h times the paper's. So E / h^2 stands
/// on the diagonal for all rows. Forces that act are admissible: lambda_n >= 0, |lambda_f| <= mu lambda_n. The bits are
/// the same for any number of threads. Nothing is allocated after a step with as many rows.
///
/// Beyond the paper, except for `as_printed`: sweeps over the contacts (ContactSweep) come before and after each Newton
/// step. Newton's steps alone oscillate and diverge where rows are linearly dependent. A line search in place of the
/// sweeps was worse: residuals rise on the way to the solution before they fall.
class ContactSolver {
public:
    explicit ContactSolver(const ContactSolverOptions& options) : options_(options) {}

    /// Once a step: Delassus operator and scales r.
    /// @param rows, system  kept by pointer for the step
    /// @param h             step size (s)
    /// @param masses        lumped mass of each unknown (kg); only for mass_inverse, else may be null
    /// @param modes         kept by pointer likewise; null: none
    void prepare(const ContactRows& rows, const FactoredOperator& system, double h, const double* masses,
                 const InverseModes* modes = nullptr);
    /// Before a solve(): the modes changed.
    void modes_changed();
    /// Once in each local-global iteration.
    /// @return residual of the new q and lambda
    ContactResidual solve(const ContactIterate& iterate);

    Index unknown_count() const { return delassus_.unknown_count(); }
    /// Whether solve() can do with the first half of a solve (ContactIterate::half). It saves the second.
    bool takes_half() const { return delassus_.keeps_half(); }
    /// The force that acts in each row after the last solve() (N): lambda inside its cone, or Omega lambda for
    /// as_printed.
    void row_forces(double* out) const;
    /// The same as a force (N) on every unknown, n x 3.
    void forces(double* out);

private:
    void set_scales();
    bool printed() const { return options_.indicators == IndicatorUse::as_printed; }
    bool turns() const { return options_.friction == FrictionLinearisation::projection && !printed(); }
    void drop_adhesion();
    void project_friction(std::vector<double>& z) const;
    void turn(double along, double* rows) const;
    void multiply(const std::vector<double>& in, double* out);
    void values_of(const double* positions, std::vector<double>& values);
    void leave_out(std::size_t first_row);
    double turned_diagonal(std::size_t j) const;
    void linearise(std::vector<double>& values);
    void values_without_forces(const ContactIterate& iterate);
    void values_under(const std::vector<double>& force, std::vector<double>& out);
    bool step_inactive_rows();
    void assemble(const std::vector<double>& linearised_at, const std::vector<double>& present);
    void newton(std::vector<double>& evaluated);
    void sweep(int times);
    ContactResidual residual(const double* q);

    ContactSolverOptions options_;
    const ContactRows* rows_ = nullptr;
    DelassusOperator delassus_;
    ConjugateResidual linear_;
    ContactSweep sweep_;
    double h_squared_ = 0.0;
    const double* masses_ = nullptr;
    std::vector<double> scale_;                       ///< r of each row, for z = h^2 lambda (1/kg)
    std::vector<double> z_, force_;                   ///< h^2 lambda, and the part of it that acts (kg m)
    std::vector<double> omega_, compliance_, value_;  ///< omega, E and phi of each row; E for z (1/kg)
    std::vector<double> axes_;                        ///< first tangential axis of each contact in its frame, 2 numbers
    std::vector<double> turned_, turned_free_;        ///< in these axes
    std::vector<double> sigma_, diagonal_, rhs_, step_, weighted_, product_;
    std::vector<double> free_values_, values_, last_values_, columns_;
};

}  // namespace stiction::local_global
