// Block Gauss-Seidel over the contacts: stabilises Newton's steps where rows are linearly dependent.
#pragma once

#include "stiction/methods/local_global/contact/delassus.hpp"

#include <vector>

namespace stiction::local_global {

/// Improves multipliers z of the contact problem: value = W z + free value, 0 <= gap, 0 <= z_n, gap z_n = 0, friction
/// against the slip and at most mu z_n.
///
/// With a formed W a sweep is block Gauss-Seidel: each contact is solved while the others are held (Jean 1999). Without
/// modes this is exact and a closed form, for its block of W is a multiple of the identity. With modes the sweep uses
/// the largest eigenvalue of the block, and solves the contact in part. With an applied W a sweep is block Jacobi with
/// a line search on 1/2 z.Wz + z.free. Neither diverges. Both converge slowly where forces have to propagate over many
/// contacts. The bits are the same for any number of threads.
class ContactSweep {
public:
    /// @param rows, delassus  kept by pointer until the next call
    /// @param h_squared       squared step size (s^2): compliances are divided by it
    void prepare(const ContactRows& rows, DelassusOperator& delassus, double h_squared);
    /// @param free  values of the rows without multipliers (m)
    /// @param z     h^2 times multipliers (kg m), admissible; stays so
    /// @param times  sweeps
    void run(const std::vector<double>& free, std::vector<double>& z, int times = 1);

private:
    void one_by_one(const std::vector<double>& free, std::vector<double>& z);
    void all_at_once(const std::vector<double>& free, std::vector<double>& z);
    void change_force(std::size_t column, const Vec3& force);
    void solve_one(std::size_t contact, const std::vector<double>& free, double* z);
    double step_of(std::size_t b, double value, double z) const;

    const ContactRows* rows_ = nullptr;
    DelassusOperator* delassus_ = nullptr;
    double h_squared_ = 0.0;
    std::vector<double> forces_;  ///< of the columns, 3 each
    PlanarColumns moved_;         ///< what they move the columns by, G forces_
    ModeRows::Sums mode_sums_;    ///< what z makes of the modes
    std::vector<double> value_, direction_, image_;
};

}  // namespace stiction::local_global
