// Substitution with one supernode on three columns.
#pragma once

#include "stiction/base/types.hpp"

#include <cstddef>

namespace stiction::supernodal {

/// Forward substitution: x_own = L_own^-1 x_own, x_below -= L_below x_own.
/// @param block   front x width, column by column: L_own above L_below
/// @param values  front x 3, column by column; own rows first
void substitute_forward(const double* block, Index width, Index front, double* values);

/// Backward substitution: x_own = L_own^-T (x_own - L_below^T x_below); arguments as above.
void substitute_backward(const double* block, Index width, Index front, double* values);

/// Rows of S times three columns: sums over many arrays stay in registers, in two lanes (even and odd columns of each array).
template <int Rows>
class RowProduct {
public:
    RowProduct() {
        for (auto& row : sums_) {
            for (Pair& sum : row) sum.setZero();
        }
    }

    /// @param block   `Rows` rows of `width` numbers
    /// @param input   `width` numbers of each of three columns that are `stride` apart
    void add(const double* block, Index width, const double* input, Index stride) {
        const double* const x = input;
        const double* const y = x + stride;
        const double* const z = y + stride;
        Index j = 0;
        for (; j + 2 <= width; j += 2) {
            for (int r = 0; r < Rows; ++r) {
                const Pair entry = load(block + r * width + j);
                sums_[r][0] += entry * load(x + j);
                sums_[r][1] += entry * load(y + j);
                sums_[r][2] += entry * load(z + j);
            }
        }
        if (j == width) return;
        for (int r = 0; r < Rows; ++r) {
            const double entry = block[r * width + j];
            sums_[r][0][0] += entry * x[j];
            sums_[r][1][0] += entry * y[j];
            sums_[r][2][0] += entry * z[j];
        }
    }

    /// Row r goes to output[r], of each of three columns.
    void store(double* output, Index stride) const {
        for (int r = 0; r < Rows; ++r) {
            for (int k = 0; k < 3; ++k) output[static_cast<std::size_t>(k) * static_cast<std::size_t>(stride) + static_cast<std::size_t>(r)] = sums_[r][k].sum();
        }
    }

private:
    using Pair = Eigen::Array2d;
    static Pair load(const double* at) { return Eigen::Map<const Pair>(at); }

    Pair sums_[Rows][3];
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
            for (int k = 0; k < 3; ++k) output[3 * static_cast<std::size_t>(unknowns[c]) + static_cast<std::size_t>(k)] = sums_[k][c];
        }
    }

private:
    using Row = Eigen::Array<double, Columns, 1>;

    Row sums_[3] = {Row::Zero(), Row::Zero(), Row::Zero()};
};

}  // namespace stiction::supernodal
