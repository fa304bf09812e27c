// The minimal residual method, a rival of conjugate residuals inside a changing active set.
#pragma once

#include "stiction/methods/mlcp/solvers/preconditioner.hpp"

#include <functional>

namespace stiction::mlcp {

/// The recurrences of Paige and Saunders (1975) for B y = d, in the form of Elman, Silvester and Wathen, Finite
/// Elements and Fast Iterative Solvers, algorithm 4.1. Each iteration is a product with B, as in conjugate residuals.
/// The residual has a recurrence of its own, as contacts are evaluated while iterating.
class MinimalResiduals {
public:
    /// out = B x, or out = P x with a positive definite P.
    using Apply = std::function<void(const SaddleVector& x, SaddleVector& out)>;

    /// @param r  d - B y
    MinimalResiduals(const SaddleVector& r, const Apply& precondition);

    /// One iteration, which moves y and its residual r. False: the recurrences end, solved or broken down.
    bool advance(const Apply& multiply, const Apply& precondition, SaddleVector& y, SaddleVector& r);

private:
    SaddleVector v_, v_old_;    ///< Lanczos vectors, times gamma
    SaddleVector z_;            ///< P v
    SaddleVector w_, w_old_;    ///< directions of y
    SaddleVector Bw_, Bw_old_;  ///< their products with B
    double gamma_ = 0.0, gamma_old_ = 1.0, eta_ = 0.0;
    double sine_ = 0.0, sine_old_ = 0.0, cosine_ = 1.0, cosine_old_ = 1.0;
};

}  // namespace stiction::mlcp
