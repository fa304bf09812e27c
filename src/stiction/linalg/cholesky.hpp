// The codes behind make_cholesky(), one a file.
#pragma once

#include "stiction/linalg/sparse_factor.hpp"

namespace stiction {

std::unique_ptr<SparseFactor> make_block_cholesky();
std::string block_cholesky_name();

/// Only in a build with CHOLMOD.
std::unique_ptr<SparseFactor> make_cholmod_cholesky();
std::string cholmod_name();

std::unique_ptr<SparseFactor> make_mumps_cholesky();
std::string mumps_cholesky_name();

}  // namespace stiction
