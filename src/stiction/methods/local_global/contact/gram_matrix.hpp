// The dense products of sparse columns with each other.
#pragma once

#include "stiction/methods/local_global/contact/half_columns.hpp"
#include "stiction/methods/local_global/contact/planar_columns.hpp"

#include <vector>

namespace stiction::local_global {

/// G = C^T C of sparse columns C, and products with C and G. The bits are the same for any number of threads. Nothing
/// is allocated after a call for as many columns with as many entries.
class GramMatrix {
public:
    /// @param columns    kept by pointer until the next call
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
    void add_columns(const double* forces, double* y) const;
    /// values = C^T y, 3-vectors.
    void products(const double* y, double* values) const;

private:
    /// Rows of C with entries in the same columns, as one dense block.
    struct Block {
        std::size_t first_column, columns, first_value, rows;
    };

    void transpose(Index row_count);
    void make_blocks();
    bool same_columns(std::size_t a, std::size_t b) const;
    void form_tile(std::size_t begin, std::size_t end, std::vector<double>& scratch);
    void collect_acting(const double* forces);

    const HalfColumns* columns_ = nullptr;
    std::size_t size_ = 0;
    std::vector<double> matrix_;
    std::vector<std::size_t> row_start_;  ///< of C row after row
    std::vector<Index> row_columns_;
    std::vector<double> row_values_;
    std::vector<Block> blocks_;
    std::vector<char> continues_;  ///< of each row: whether it belongs to the block of the row before
    std::vector<std::vector<double>> tiles_;
    std::vector<const double*> acting_rows_;  ///< rows of G of the columns with a force
    std::vector<Vec3> acting_forces_;
};

}  // namespace stiction::local_global
