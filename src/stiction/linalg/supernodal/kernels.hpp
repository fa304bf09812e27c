// Products of S with three columns.
#pragma once

#include "stiction/base/types.hpp"

#include <cstddef>

namespace stiction::supernodal {

/// Up to `max_rows` rows of S times three columns, summed over many arrays in two lanes (even and odd columns of each
/// array).
class RowProduct {
public:
    static constexpr Index max_rows = 32;

    explicit RowProduct(Index rows) : rows_(rows) {
        for (Index r = 0; r < rows; ++r) {
            for (Pair& sum : sums_[r]) sum.setZero();
        }
    }

    /// @param block   the rows, `width` numbers each
    /// @param input   `width` numbers of each of three columns that are `stride` apart
    void add(const double* block, Index width, const double* input, Index stride) {
        Index r = 0;
        for (; r + 4 <= rows_; r += 4, block += 4 * width) add_rows<4>(r, block, width, input, stride);
        for (; r < rows_; ++r, block += width) add_rows<1>(r, block, width, input, stride);
    }

    /// Row r goes to output[r], of each of three columns.
    void store(double* output, Index stride) const {
        for (Index r = 0; r < rows_; ++r) {
            for (Index k = 0; k < 3; ++k) output[k * stride + r] = sums_[r][k].sum();
        }
    }

private:
    using Pair = Eigen::Array2d;
    static Pair load(const double* at) { return Eigen::Map<const Pair>(at); }

    template <int Rows>
    void add_rows(Index first, const double* block, Index width, const double* input, Index stride) {
        const double* const x = input;
        const double* const y = x + stride;
        const double* const z = y + stride;
        Pair sums[Rows][3];
        for (int r = 0; r < Rows; ++r) {
            for (int k = 0; k < 3; ++k) sums[r][k] = sums_[first + r][k];
        }
        Index j = 0;
        for (; j + 2 <= width; j += 2) {
            const Pair a = load(x + j), b = load(y + j), c = load(z + j);
            for (int r = 0; r < Rows; ++r) {
                const Pair entry = load(block + r * width + j);
                sums[r][0] += entry * a;
                sums[r][1] += entry * b;
                sums[r][2] += entry * c;
            }
        }
        for (int r = 0; j < width && r < Rows; ++r) {
            const double entry = block[r * width + j];
            sums[r][0][0] += entry * x[j];
            sums[r][1][0] += entry * y[j];
            sums[r][2][0] += entry * z[j];
        }
        for (int r = 0; r < Rows; ++r) {
            for (int k = 0; k < 3; ++k) sums_[first + r][k] = sums[r][k];
        }
    }

    Index rows_;
    Pair sums_[max_rows][3];
};

/// Columns of S times three columns, over the rows of a path.
template <int Columns>
class ColumnProduct {
public:
    /// @param block  `rows` rows of `Columns` numbers, `block_stride` apart
    /// @param input  `rows` numbers of each of three columns that are `stride` apart
    void add(const double* block, Index block_stride, Index rows, const double* input, Index stride) {
        const double* const x = input;
        const double* const y = x + stride;
        const double* const z = y + stride;
        for (Index i = 0; i < rows; ++i, block += block_stride) {
            const Eigen::Map<const Row> entries(block);
            sums_[0] += entries * x[i];
            sums_[1] += entries * y[i];
            sums_[2] += entries * z[i];
        }
    }

    /// Column c goes to row unknowns[c] of an n x 3 array, row by row.
    void store(const Index* unknowns, double* output) const {
        for (int c = 0; c < Columns; ++c) {
            for (int k = 0; k < 3; ++k)
                output[3 * static_cast<std::size_t>(unknowns[c]) + static_cast<std::size_t>(k)] = sums_[k][c];
        }
    }

private:
    using Row = Eigen::Array<double, Columns, 1>;

    Row sums_[3] = {Row::Zero(), Row::Zero(), Row::Zero()};
};

}  // namespace stiction::supernodal
