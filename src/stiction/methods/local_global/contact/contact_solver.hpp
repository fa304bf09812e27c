// Non-smooth Newton on the contact conditions, inside a local-global iteration.
#pragma once

#include "stiction/methods/local_global/contact/conjugate_residual.hpp"
#include "stiction/methods/local_global/contact/contact_sweep.hpp"
#include "stiction/methods/local_global/contact/ncp.hpp"

#include <vector>

namespace stiction::local_global {

/// What r of the complementarity functions is made of.
enum class ComplementarityScale {
    system_inverse,  ///< r_n = h^2 W_jj, r_f = h W_jj with W = H A^-1 H^T (equation 28)
    mass_inverse,    ///< the same with M in place of A, as in Macklin et al. 2019: for comparison
};

/// How the indicators omega enter.
enum class IndicatorUse {
    newton,      ///< Newton's step for A q = b + h^2 H^T lambda, made symmetric: omega^1/2 on both sides
    as_printed,  ///< Algorithm 4: J = Omega H in A q = b + h^2 J^T lambda too, and rows evaluated at the last iterate;
                 ///< friction by secants
};

/// What Newton takes for the derivative of friction.
enum class FrictionLinearisation {
    secant,      ///< slip + E lambda_f with E kept, of the function chosen (equations 51 and 57)
    projection,  ///< that of lambda_f = P(lambda_f - slip / r), P onto the disk of radius mu lambda_n: sliding contacts
                 ///< have a force of known size
};

/// Of the constraint solver.
struct ContactSolverOptions {
    NcpFunction function = NcpFunction::fischer_burmeister;
    ComplementarityScale scale = ComplementarityScale::system_inverse;
    FrictionLinearisation friction = FrictionLinearisation::projection;
    IndicatorUse indicators = IndicatorUse::newton;
    DelassusKind delassus = DelassusKind::automatic;
    int newton_iterations = 1;        ///< in one solve()
    int linear_iterations = 10;       ///< of conjugate residuals in each of them
    double linear_tolerance = 1e-10;  ///< relative, where they end earlier
    int expected_solves = 5;          ///< in a step: for `automatic`
};

/// How far positions and forces are from the conditions, largest over the rows, in metres.
struct ContactResidual {
    double normal = 0.0;  ///< |min(gap, r lambda_n)|
    double friction =
        0.0;  ///< r |lambda_f - P(lambda_f - slip / r)|, P the projection onto the disk of radius mu lambda_n
    double bilateral =
        0.0;  ///< |H_b q - d_b + E_b lambda_b|; of one-sided rows |min(that without the bars, r lambda_b)|
    double penetration = 0.0;  ///< largest of -gap and 0
    double largest() const { return std::max({normal, friction, bilateral}); }
};

/// What one solve reads and writes.
struct ContactIterate {
    const double* free;  ///< A^-1 b: where the unknowns would go without constraints (m), n x 3
    const double* last;  ///< the last iterate (m), n x 3; only for as_printed, else may be null
    double* lambda;      ///< multipliers (N), one a row: of the last iteration or step on entry, new ones on return
    double* q;           ///< new positions (m), n x 3; may be `free` or `last`
};

/// Solves q = free + h^2 A^-1 H^T lambda with the conditions of the rows, a few iterations at a time. Slips are those
/// of the whole step, h times the paper's velocities, and r h times r_f, so that E / h^2 stands on the diagonal for all
/// rows. Forces that act are admissible: lambda_n >= 0, |lambda_f| <= mu lambda_n. Same bits for any number of threads;
/// no allocation after the first step with as many rows.
///
/// Beyond the paper, but for `as_printed`: sweeps over the contacts come before and after each Newton step. Without
/// them Newton goes to and fro, and further and further, where rows repeat each other. (A search along the step does
/// worse: on the way to a solution errors grow before they fall.)
class ContactSolver {
public:
    explicit ContactSolver(const ContactSolverOptions& options) : options_(options) {}

    /// Once a step.
    /// @param rows, system  kept by pointer for the step
    /// @param h             s
    /// @param masses        kg, one an unknown; only for mass_inverse, else may be null
    void prepare(const ContactRows& rows, const FactoredOperator& system, double h, const double* masses);
    /// Once in each local-global iteration.
    /// @return residual of the new q and lambda
    ContactResidual solve(const ContactIterate& iterate);

    Index unknown_count() const { return delassus_.unknown_count(); }
    /// What acts in each row since the last solve() (N): lambda inside its cone; Omega lambda for as_printed.
    void row_forces(double* out) const;
    /// The same as a force (N) on every unknown, n x 3.
    void forces(double* out);

private:
    void set_scales(const double* masses);
    bool printed() const { return options_.indicators == IndicatorUse::as_printed; }
    bool turns() const { return options_.friction == FrictionLinearisation::projection && !printed(); }
    void drop_adhesion();
    void project_friction(std::vector<double>& z) const;
    void turn(double along, double* rows) const;
    void multiply(const std::vector<double>& in, double* out);
    void values_of(const double* positions, std::vector<double>& values);
    void linearise_secant(std::size_t k, const std::vector<double>& values);
    void linearise_projection(std::size_t k, std::vector<double>& values);
    void linearise(std::vector<double>& values);
    void newton(std::vector<double>& evaluated);
    void sweep(int times);
    Vec2 contact_errors(std::size_t k, const double* z, const double* value) const;
    ContactResidual residual(const double* q);

    ContactSolverOptions options_;
    const ContactRows* rows_ = nullptr;
    DelassusOperator delassus_;
    ConjugateResidual linear_;
    ContactSweep sweep_;
    double h_squared_ = 0.0;
    std::vector<double> scale_;                       ///< r of each row, for z = h^2 lambda (1/kg)
    std::vector<double> z_, force_;                   ///< h^2 lambda, and what of it acts (kg m)
    std::vector<double> omega_, compliance_, value_;  ///< of each row; compliance for z (1/kg)
    std::vector<double> axes_;                        ///< first tangential axis of each contact in its frame, 2 numbers
    std::vector<double> turned_, turned_free_;
    std::vector<double> sigma_, diagonal_, rhs_, step_, weighted_, product_;
    std::vector<double> free_values_, values_, last_values_, columns_;
};

}  // namespace stiction::local_global
