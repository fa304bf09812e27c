// Signed decompositions of several 3x3 matrices at a time.
#pragma once

#include "stiction/math/svd3.hpp"

#include <cstddef>

namespace stiction {

/// signed_svd() of `count` matrices, four at a time in SIMD registers. The result of each depends on no other.
void signed_svds(const Mat3* F, std::size_t count, SignedSvd* out);

}  // namespace stiction
