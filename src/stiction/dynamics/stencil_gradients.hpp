// Sums of local gradients over stencils of up to four vertices.
#pragma once

#include "stiction/base/types.hpp"

#include <array>
#include <vector>

namespace stiction {

/// Adds a local gradient to the stacked one; only the first `count` vertices of the stencil are used.
inline void add_stencil_gradient(const std::array<Index, 4>& vertices, int count, const Vec12& local, VecX& gradient) {
    for (int k = 0; k < count; ++k)
        gradient.segment<3>(3 * vertices[static_cast<std::size_t>(k)]) += local.segment<3>(3 * k);
}

/// Sum of the absolute entries of all local gradients.
template <class LocalVector>
double absolute_sum(const std::vector<LocalVector>& local) {
    double sum = 0.0;
    for (const LocalVector& entry : local) sum += entry.template lpNorm<1>();
    return sum;
}

}  // namespace stiction
