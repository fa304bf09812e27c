// Columns of S = L^-1 of a factored operator, and sums of them.
#pragma once

#include "stiction/linalg/factored_operator.hpp"

#include <span>
#include <vector>

namespace stiction::local_global {

/// Sums of columns: sum c is over the terms [start[c], start[c + 1]), each a column's number and a weight.
struct ColumnSums {
    std::span<const Index> start, columns;
    std::span<const double> weights;

    std::size_t count() const { return start.size() - 1; }
};

/// Sparse columns, made in parallel and kept in chunks. The bits are the same for any number of threads. Nothing is
/// allocated after a call for as many columns.
class HalfColumns {
public:
    /// One of the columns: rows (positions in the elimination order, ascending) and values.
    struct Column {
        std::span<const Index> rows;
        const double* values;
    };

    /// Columns S P e_j of these unknowns.
    void set_unknowns(const FactoredOperator& system, std::span<const Index> unknowns);
    /// Sums of the columns of `source`.
    /// @param first_kept  sums before this one are not kept: their columns are empty
    /// @param squares     of each sum, its product with itself
    void set_sums(const HalfColumns& source, const ColumnSums& sums, std::size_t first_kept,
                  std::vector<double>& squares);

    std::size_t count() const { return count_; }
    Column operator[](std::size_t c) const;
    /// Numbers of all columns.
    std::size_t entries() const;

private:
    struct Chunk {
        std::vector<std::size_t> start;
        std::vector<Index> rows;
        std::vector<double> values;
        std::vector<Index> merged_rows;     ///< scratch
        std::vector<double> merged_values;  ///< scratch

        void clear();
        void add(double weight, const Column& column, std::size_t begin);
        void drop(std::size_t begin);
    };

    std::size_t chunk_begin(std::size_t k) const;
    std::size_t chunk_of(std::size_t c) const;
    /// Calls make(c, chunk) for all columns, which appends to the chunk's rows and values.
    template <class Make>
    void make_chunks(std::size_t count, const Make& make);
    /// Reserves in every chunk twice the size of the largest: contacts move from one chunk to another between steps.
    void even_out();

    std::size_t count_ = 0;
    std::vector<Chunk> chunks_;
};

/// Product of two sparse columns.
double sparse_dot(const HalfColumns::Column& a, const HalfColumns::Column& b);

}  // namespace stiction::local_global
