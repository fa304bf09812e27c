// The codes behind make_lu(). Internal to linalg/.
#pragma once

#include "stiction/linalg/sparse_factor.hpp"

namespace stiction {

std::unique_ptr<SparseFactor> make_mumps_lu();

}  // namespace stiction
