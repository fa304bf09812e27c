// Numeric supernodal Cholesky factorisation of a scalar matrix.
#pragma once

#include "stiction/linalg/supernodal/pattern.hpp"

namespace stiction::supernodal {

/// P A P^T = L L^T.
struct Factor {
    Pattern pattern;
    /// Supernode by supernode its front x width array, column by column. The strictly upper triangle of the first
    /// `width` rows is zero.
    std::vector<double> values;

    const double* block(std::size_t s) const { return values.data() + pattern.value_begin[s]; }
};

/// Multifrontal; parallel over subtrees, same bits for any number of threads.
/// @param matrix  its lower triangle is read, entries that occur twice are added
/// Throws NotPositiveDefinite, naming the unknown that is eliminated first of those that fail.
Factor factorize(const Eigen::SparseMatrix<double>& matrix);

}  // namespace stiction::supernodal
