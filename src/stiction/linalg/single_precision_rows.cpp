#include "stiction/linalg/single_precision_rows.hpp"

#include "stiction/base/error.hpp"
#include "stiction/base/parallel.hpp"

#include <algorithm>
#include <cstring>

// Uses AVX2 where the machine has it. Contraction is off, so the bits are the same.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define STICTION_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define STICTION_WIDE
#endif

namespace stiction {
namespace {

constexpr std::size_t entries_of_block = 9, rows_at_once = 128;

using Singles = float __attribute__((vector_size(16)));
using Doubles = double __attribute__((vector_size(32)));

/// Rows [begin, end) of the product. A column of a block is read with the number behind it, which is not used.
STICTION_WIDE void multiply_some(const BlockPattern& pattern, const float* entries, std::size_t begin, std::size_t end,
                                 const double* x, double* y) {
    for (std::size_t row = begin; row < end; ++row) {
        Doubles sum = {0.0, 0.0, 0.0, 0.0};
        const auto last = static_cast<std::size_t>(pattern.row_begin[row + 1]);
        for (auto e = static_cast<std::size_t>(pattern.row_begin[row]); e < last; ++e) {
            const float* const block = entries + entries_of_block * e;
            const double* const part = x + 3 * static_cast<std::size_t>(pattern.row_entries[e].column);
            for (std::size_t k = 0; k < 3; ++k) {
                Singles column;
                std::memcpy(&column, block + 3 * k, sizeof(column));
                sum += __builtin_convertvector(column, Doubles) * part[k];
            }
        }
        std::memcpy(y + 3 * row, &sum, 3 * sizeof(double));
    }
}

}  // namespace

void SinglePrecisionRows::fill(const BlockSystem& system) {
    pattern_ = system.pattern();
    const std::vector<Mat3>& values = system.values();
    entries_.resize(entries_of_block * pattern_->row_entries.size() + 1);
    parallel_for(static_cast<std::size_t>(pattern_->nodes), [&](std::size_t row) {
        for (Index e = pattern_->row_begin[row]; e < pattern_->row_begin[row + 1]; ++e) {
            const auto [column, slot] = pattern_->row_entries[static_cast<std::size_t>(e)];
            Eigen::Map<Eigen::Matrix3f> rounded(entries_.data() + entries_of_block * static_cast<std::size_t>(e));
            const Mat3& stored = values[static_cast<std::size_t>(slot)];
            if (static_cast<std::size_t>(column) <= row) {
                rounded = stored.cast<float>();
            } else {
                rounded = stored.transpose().cast<float>();
            }
        }
    });
}

void SinglePrecisionRows::multiply(const VecX& x, VecX& y) const {
    STICTION_CHECK(pattern_ != nullptr && x.size() == 3 * static_cast<Eigen::Index>(pattern_->nodes) && &x != &y,
                   "multiply: vector of another size than the matrix, or x is y");
    y.resize(x.size());
    const auto rows = static_cast<std::size_t>(pattern_->nodes);
    parallel_for((rows + rows_at_once - 1) / rows_at_once,
                 [&](std::size_t b) {
                     const std::size_t begin = b * rows_at_once;
                     multiply_some(*pattern_, entries_.data(), begin, std::min(rows, begin + rows_at_once), x.data(),
                                   y.data());
                 },
                 1);
}

}  // namespace stiction
