// A sparse matrix of small dense blocks, row by row, and its products.
#pragma once

#include "stiction/base/error.hpp"
#include "stiction/base/parallel.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace stiction {

/// A matrix of R x C blocks in compressed rows, columns ascending within a row.
template <int R, int C>
struct BlockRows {
    using Block = Eigen::Matrix<double, R, C>;

    Index rows = 0, columns = 0;           ///< counted in blocks
    std::vector<std::size_t> begin = {0};  ///< rows + 1 entries: row i owns blocks [begin[i], begin[i + 1])
    std::vector<Index> column;             ///< of each block
    std::vector<Block> value;

    /// y = A x; y must not be x. Parallel over rows, each summed in column order.
    void multiply(const VecX& x, VecX& y) const {
        STICTION_CHECK(x.size() == C * static_cast<Eigen::Index>(columns) && &x != &y, "multiply: wrong vector");
        y.resize(R * static_cast<Eigen::Index>(rows));
        parallel_for(static_cast<std::size_t>(rows), [&](std::size_t row) {
            Eigen::Matrix<double, R, 1> sum = Eigen::Matrix<double, R, 1>::Zero();
            for (std::size_t k = begin[row]; k < begin[row + 1]; ++k)
                sum.noalias() += value[k] * x.template segment<C>(C * static_cast<Eigen::Index>(column[k]));
            y.template segment<R>(R * static_cast<Eigen::Index>(row)) = sum;
        });
    }

    BlockRows<C, R> transposed() const {
        BlockRows<C, R> result;
        result.rows = columns;
        result.columns = rows;
        result.begin.assign(at(columns) + 1, 0);
        for (const Index j : column) ++result.begin[at(j) + 1];
        for (std::size_t j = 0; j < at(columns); ++j) result.begin[j + 1] += result.begin[j];
        std::vector<std::size_t> cursor(result.begin.begin(), result.begin.end() - 1);
        result.column.resize(column.size());
        result.value.resize(column.size());
        for (Index i = 0; i < rows; ++i) {
            for (std::size_t k = begin[at(i)]; k < begin[at(i) + 1]; ++k) {
                const std::size_t place = cursor[at(column[k])]++;
                result.column[place] = i;
                result.value[place] = value[k].transpose();
            }
        }
        return result;
    }

    /// Memory of the arrays.
    double bytes() const {
        return static_cast<double>(begin.size() * sizeof(std::size_t) + column.size() * sizeof(Index) +
                                   value.size() * sizeof(Block));
    }
};

/// A B by Gustavson's row algorithm (1978), one tile of rows at a time: every block is summed in the order of the
/// blocks of A's row, whatever the number of threads.
template <int R, int K, int C>
BlockRows<R, C> product(const BlockRows<R, K>& A, const BlockRows<K, C>& B) {
    STICTION_CHECK(A.columns == B.rows, "product of matrices of different sizes");
    constexpr std::size_t tile_rows = 64;
    const std::size_t rows = at(A.rows), tiles = (rows + tile_rows - 1) / tile_rows;
    BlockRows<R, C> result;
    result.rows = A.rows;
    result.columns = B.columns;
    result.begin.assign(rows + 1, 0);
    std::vector<std::vector<Index>> tile_columns(tiles);
    const auto find_columns = [&](std::size_t tile) {
        std::vector<Index> last_row(at(B.columns), -1);
        for (std::size_t i = tile * tile_rows; i < std::min(rows, (tile + 1) * tile_rows); ++i) {
            const std::size_t first = tile_columns[tile].size();
            for (std::size_t a = A.begin[i]; a < A.begin[i + 1]; ++a) {
                for (std::size_t b = B.begin[at(A.column[a])]; b < B.begin[at(A.column[a]) + 1]; ++b) {
                    if (last_row[at(B.column[b])] == static_cast<Index>(i)) continue;
                    last_row[at(B.column[b])] = static_cast<Index>(i);
                    tile_columns[tile].push_back(B.column[b]);
                }
            }
            std::sort(tile_columns[tile].begin() + static_cast<std::ptrdiff_t>(first), tile_columns[tile].end());
            result.begin[i + 1] = tile_columns[tile].size() - first;
        }
    };
    parallel_for(tiles, find_columns, 1);
    for (std::size_t i = 0; i < rows; ++i) result.begin[i + 1] += result.begin[i];
    result.column.resize(result.begin.back());
    result.value.resize(result.begin.back());
    const auto fill = [&](std::size_t tile) {
        std::copy(tile_columns[tile].begin(), tile_columns[tile].end(),
                  result.column.begin() + static_cast<std::ptrdiff_t>(result.begin[tile * tile_rows]));
        std::vector<std::size_t> place(at(B.columns));
        for (std::size_t i = tile * tile_rows; i < std::min(rows, (tile + 1) * tile_rows); ++i) {
            for (std::size_t k = result.begin[i]; k < result.begin[i + 1]; ++k) {
                place[at(result.column[k])] = k;
                result.value[k].setZero();
            }
            for (std::size_t a = A.begin[i]; a < A.begin[i + 1]; ++a) {
                for (std::size_t b = B.begin[at(A.column[a])]; b < B.begin[at(A.column[a]) + 1]; ++b)
                    result.value[place[at(B.column[b])]].noalias() += A.value[a] * B.value[b];
            }
        }
    };
    parallel_for(tiles, fill, 1);
    return result;
}

}  // namespace stiction
