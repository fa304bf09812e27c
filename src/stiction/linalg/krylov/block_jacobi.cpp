#include "stiction/linalg/krylov/block_jacobi.hpp"

#include "stiction/base/parallel.hpp"

#include <Eigen/Cholesky>

#include <limits>

namespace stiction {

Index BlockJacobi::set(const BlockSystem& system) {
    const BlockPattern& pattern = *system.pattern();
    const auto n = static_cast<std::size_t>(pattern.nodes);
    inverses_.resize(n);
    constexpr double none = std::numeric_limits<double>::infinity();
    std::vector<char> is_bad(n, 0);
    parallel_for(n, [&](std::size_t i) {
        const Eigen::LLT<Mat3> factor(system.values()[pattern.column_begin[i]]);
        is_bad[i] = factor.info() != Eigen::Success;
        inverses_[i] = factor.solve(Mat3::Identity());
    });
    const double first =
        parallel_min(n, none, [&](std::size_t i) { return is_bad[i] ? static_cast<double>(i) : none; });
    return first == none ? -1 : static_cast<Index>(first);
}

void BlockJacobi::apply(const VecX& r, VecX& z) const {
    z.resize(r.size());
    parallel_for(
        inverses_.size(),
        [&](std::size_t i) {
            const auto at = 3 * static_cast<Eigen::Index>(i);
            const Vec3 part = r.segment<3>(at);
            z.segment<3>(at) = inverses_[i] * part;
        },
        1024);
}

}  // namespace stiction
