// The directions that generalised conjugate residuals keep.
#pragma once

#include "stiction/methods/mlcp/solvers/preconditioner.hpp"

#include <vector>

namespace stiction::mlcp {

/// Generalised conjugate residuals (Eisenstat, Elman and Schultz 1983) keep directions p with Bp that are orthogonal to
/// each other in the inner product of a positive definite matrix D. B need not be symmetric. Only the last few are
/// kept.
class DirectionSpace {
public:
    /// @param depth  number of directions
    explicit DirectionSpace(std::size_t depth) : depth_(depth) {}

    void clear() { directions_.clear(), next_ = 0; }
    /// Takes the parts along the directions out of p and Bp. DBp is D Bp.
    void orthogonalise(const SaddleVector& DBp, SaddleVector& p, SaddleVector& Bp) const;
    /// Keeps p; the oldest direction leaves where there are too many.
    /// @param length  Bp . D Bp, positive
    void add(const SaddleVector& p, const SaddleVector& Bp, double length);

private:
    struct Direction {
        SaddleVector p, Bp;
        double length = 0.0;
    };
    std::size_t depth_, next_ = 0;
    std::vector<Direction> directions_;
};

}  // namespace stiction::mlcp
