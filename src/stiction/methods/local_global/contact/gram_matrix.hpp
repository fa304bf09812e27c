// The dense products of sparse columns with each other.
#pragma once

#include "stiction/methods/local_global/contact/half_columns.hpp"
#include "stiction/methods/local_global/contact/planar_columns.hpp"

#include <vector>

namespace stiction::local_global {

/// G = C^T C of sparse columns, and products with C and G. Rows of C with entries in the same columns are one dense
/// block. Columns of S in the elimination order make large blocks of columns next to each other, which are read and
/// added to where they stand; others are gathered and scattered. The bits are the same for any number of threads.
/// Nothing is allocated after a call for as many columns with as many entries.
class GramMatrix {
public:
    /// @param row_count  rows of C
    void form(const HalfColumns& columns, Index row_count);

    /// Number of columns of C.
    std::size_t size() const { return size_; }
    const double* row(std::size_t i) const { return matrix_.data() + i * size_; }
    /// Numbers of C.
    std::size_t entries() const { return row_values_.size(); }

    /// values = G forces, a 3-vector a column: from the rows of those columns that have a force.
    void multiply(const double* forces, PlanarColumns& values);
    /// values += G (the force of one column).
    void add(std::size_t column, const Vec3& force, PlanarColumns& values) const;
    /// y += C forces, 3-vectors.
    void add_columns(const double* forces, double* y);
    /// values = C^T y, 3-vectors.
    void products(const double* y, PlanarColumns& values);

private:
    struct Block {
        std::size_t first_row, rows;
        std::size_t first_entry;  ///< in row_columns_ and row_values_: row by row
        std::size_t columns;
        bool adjacent;  ///< its columns stand next to each other
    };
    /// What one task needs to gather and scatter.
    struct Scratch {
        std::vector<double> sums;
        PlanarColumns columns;
    };
    /// Of a block, its columns in a range: those from number `from` to number `to`.
    struct Part {
        const Block& block;
        std::size_t from, to;
    };

    void transpose(const HalfColumns& columns, Index row_count);
    /// Whether the columns of a row with `count` entries stand next to each other.
    bool is_adjacent(std::size_t row, std::size_t count) const {
        return last_column_[row] - first_column_[row] + 1 == count;
    }
    void make_blocks();
    bool same_columns(std::size_t a, std::size_t b) const;
    const Index* columns_of(const Block& block) const { return row_columns_.data() + block.first_entry; }
    const double* values_of(const Block& block) const { return row_values_.data() + block.first_entry; }
    Part part(const Block& block, std::size_t begin, std::size_t end) const;
    void form_tile(std::size_t begin, std::size_t end, Scratch& scratch);
    void add_block(const Block& block, Scratch& scratch, double* y) const;
    void add_products(const Part& part, const double* y, Scratch& scratch, PlanarColumns& values) const;
    void collect_acting(const double* forces);

    std::size_t size_ = 0;
    std::vector<double> matrix_;
    std::vector<std::size_t> row_start_;  ///< of C row after row
    std::vector<std::size_t> first_column_, last_column_, next_;
    std::vector<Index> row_columns_;
    std::vector<double> row_values_;
    std::vector<Block> blocks_;
    std::vector<char> continues_;  ///< of each row: whether it belongs to the block of the row before
    std::vector<Scratch> scratch_;
    PlanarColumns forces_;
    std::vector<const double*> acting_rows_;  ///< rows of G of the columns with a force
    std::vector<Vec3> acting_forces_;
};

}  // namespace stiction::local_global
