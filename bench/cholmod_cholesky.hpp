// CHOLMOD's factorisation, to compare the own one with; STICTION_BENCH_CHOLMOD alone compiles it.
#pragma once

#include "stiction/linalg/sparse_factor.hpp"

#include <memory>
#include <string>

namespace stiction {

/// A = L L^T of a symmetric positive definite matrix, supernodal, on one thread.
std::unique_ptr<SparseFactor> make_cholmod_cholesky();
/// Name, version and licence, for reports.
std::string cholmod_name();

}  // namespace stiction
