#include "stiction/linalg/supernodal/kernels.hpp"

namespace stiction::supernodal {
namespace {

using Pair = Eigen::Array2d;

Pair load(const double* at) {
    return Eigen::Map<const Pair>(at);
}

/// Forward substitution with `Columns` columns from j on; `block` points to the first of them.
template <int Columns>
void eliminate_forward(const double* block, Index j, Index front, double* values) {
    Pair own[3][Columns];
    for (int k = 0; k < 3; ++k) {
        double* const x = values + k * front + j;
        for (int c = 0; c < Columns; ++c) {
            const double* column = block + c * front + j;
            x[c] /= column[c];
            for (int r = c + 1; r < Columns; ++r) x[r] -= column[r] * x[c];
            own[k][c].setConstant(x[c]);
        }
    }
    Index i = j + Columns;
    for (; i + 2 <= front; i += 2) {
        for (int k = 0; k < 3; ++k) {
            Eigen::Map<Pair> target(values + k * front + i);
            Pair sum = target;
            for (int c = 0; c < Columns; ++c) sum -= load(block + c * front + i) * own[k][c];
            target = sum;
        }
    }
    for (int k = 0; i < front && k < 3; ++k) {
        for (int c = 0; c < Columns; ++c) values[k * front + i] -= block[c * front + i] * own[k][c][0];
    }
}

/// Backward substitution with `Columns` columns from j on, sums in two lanes.
template <int Columns>
void eliminate_backward(const double* block, Index j, Index front, double* values) {
    Pair sums[3][Columns];
    for (auto& row : sums) {
        for (Pair& sum : row) sum.setZero();
    }
    Index i = j + Columns;
    for (; i + 2 <= front; i += 2) {
        const Pair x = load(values + i), y = load(values + front + i), z = load(values + 2 * front + i);
        for (int c = 0; c < Columns; ++c) {
            const Pair entries = load(block + c * front + i);
            sums[0][c] += entries * x;
            sums[1][c] += entries * y;
            sums[2][c] += entries * z;
        }
    }
    for (int k = 0; i < front && k < 3; ++k) {
        for (int c = 0; c < Columns; ++c) sums[k][c][0] += block[c * front + i] * values[k * front + i];
    }
    for (int k = 0; k < 3; ++k) {
        double* const x = values + k * front + j;
        for (int c = Columns; c-- > 0;) {
            const double* column = block + c * front + j;
            double value = x[c] - sums[k][c].sum();
            for (int r = c + 1; r < Columns; ++r) value -= column[r] * x[r];
            x[c] = value / column[c];
        }
    }
}

}  // namespace

void substitute_forward(const double* block, Index width, Index front, double* values) {
    Index j = 0;
    for (; j + 4 <= width; j += 4, block += 4 * front) eliminate_forward<4>(block, j, front, values);
    for (; j < width; ++j, block += front) eliminate_forward<1>(block, j, front, values);
}

void substitute_backward(const double* block, Index width, Index front, double* values) {
    block += static_cast<std::size_t>(width) * static_cast<std::size_t>(front);
    Index j = width;
    for (; j % 4 != 0; --j) eliminate_backward<1>(block -= front, j - 1, front, values);
    for (; j > 0; j -= 4) eliminate_backward<4>(block -= 4 * front, j - 4, front, values);
}

}  // namespace stiction::supernodal
