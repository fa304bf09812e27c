// Contacts one after the other: what keeps Newton's steps honest where rows repeat each other.
#pragma once

#include "stiction/methods/local_global/contact/delassus.hpp"

#include <vector>

namespace stiction::local_global {

/// Brings multipliers z nearer to those with value = W z + free value, 0 <= z_n, 0 <= gap, gap z_n = 0, friction within
/// mu z_n against the slip. A formed W is swept by block Gauss-Seidel: each contact is solved exactly with the others
/// held (Jean 1999), which is simple as its block of W is a number. An applied one takes all of these solutions at
/// once, as far as 1/2 z.Wz + z.free falls along them. Never diverges, but goes slowly where forces have to travel.
/// Same bits for any number of threads.
class ContactSweep {
public:
    /// @param rows, delassus  kept by pointer until the next call
    /// @param h_squared       s^2: compliances are divided by it
    void prepare(const ContactRows& rows, DelassusOperator& delassus, double h_squared);
    /// @param free  values of the rows without multipliers (m)
    /// @param z     h^2 times multipliers (kg m), admissible; stays so
    void run(const std::vector<double>& free, std::vector<double>& z);

private:
    void one_by_one(const std::vector<double>& free, std::vector<double>& z);
    void all_at_once(const std::vector<double>& free, std::vector<double>& z);
    void solve_contact(std::size_t k, const Vec3& value, double* z) const;
    Vec3 column_value(std::size_t column) const;
    double bilateral_step(std::size_t b, double value, double z) const;

    const ContactRows* rows_ = nullptr;
    DelassusOperator* delassus_ = nullptr;
    double h_squared_ = 0.0;
    std::vector<double> forces_;  ///< of the columns, 3 each
    std::vector<double> value_, direction_, image_;
};

}  // namespace stiction::local_global
