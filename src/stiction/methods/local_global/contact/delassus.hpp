// The Delassus operator W = H A^-1 H^T of a step.
#pragma once

#include "stiction/linalg/factored_operator.hpp"
#include "stiction/methods/local_global/contact/contact_rows.hpp"

#include <vector>

namespace stiction::local_global {

/// How products with W are computed.
enum class DelassusKind {
    automatic,  ///< the one that needs fewer operations
    formed,     ///< from the dense matrix G = B^T A^-1 B = (S B)^T (S B) over the columns of B
    applied,    ///< by a solve with A in every product: no cost is quadratic in the number of contacts
};

/// 3-vectors of columns as three lists, for SIMD.
class PlanarColumns {
public:
    void resize(std::size_t count) {
        for (auto& list : lists_) list.resize(count);
    }
    void set(std::size_t column, const double* value) {
        for (std::size_t k = 0; k < 3; ++k) lists_[k][column] = value[k];
    }
    void set_zero(std::size_t count) {
        for (auto& list : lists_) list.assign(count, 0.0);
    }
    Vec3 operator[](std::size_t column) const { return {lists_[0][column], lists_[1][column], lists_[2][column]}; }
    double* list(std::size_t axis) { return lists_[axis].data(); }
    const double* list(std::size_t axis) const { return lists_[axis].data(); }

private:
    std::vector<double> lists_[3];
};

/// W = H A^-1 H^T (equations 26 and 27) over the rows of a ContactRows, W = D G D^T. The bits are the same for any
/// number of threads. Nothing is allocated after a step with as many rows.
class DelassusOperator {
public:
    /// @param rows, system  kept by pointer until the next call
    /// @param products      expected number of products, by which `automatic` chooses
    void prepare(const ContactRows& rows, const FactoredOperator& system, DelassusKind kind, int products);
    bool formed() const { return formed_; }
    Index unknown_count() const { return system_->size(); }
    /// Diagonal of W (1/kg, when A is a mass).
    const std::vector<double>& diagonal() const { return diagonal_; }
    /// out = W z, one number a row; out must not be z.
    void multiply(const double* z, double* out);
    /// q = free + A^-1 H^T z, n x 3; q may be free.
    void positions(const double* free, const double* z, double* q);
    /// Whether S B is kept and has fewer entries than solves read. Products with it then take the place of half a solve
    /// (FactoredOperator::solve_first_half).
    bool keeps_half() const { return keeps_half_; }
    /// rows = H A^-1 b for y = S P b, n x 3; keeps_half() only.
    void values_of_half(const double* y, double* rows);
    /// q = present + P^T S^T (y + S P H^T z), n x 3: present + A^-1 (b + H^T z) for y = S P b. keeps_half() only; q may
    /// be present.
    void positions_of_half(const double* present, const double* y, const double* z, double* q);
    /// The contacts whose rows multiply_selected() may meet: those with a number that is not 0 in one of their rows.
    /// The columns of bilateral rows are always selected.
    void select(const std::vector<double>& rows);
    /// As multiply(), for z that is 0 in all rows that are not selected; `out` is right in the others alone.
    void multiply_selected(const double* z, double* out);

    /// values = G forces, one 3-vector a column; formed() only.
    void formed_values(const double* forces, PlanarColumns& values);
    /// values += G (the force of one column); formed() only.
    void add_formed(std::size_t column, const Vec3& force, PlanarColumns& values) const;

private:
    /// Some consecutive columns (of S, or of S B) one after the other.
    struct HalfColumns {
        std::vector<std::size_t> start;
        std::vector<Index> rows;
        std::vector<double> values;
        std::vector<Index> merged_rows;     ///< scratch
        std::vector<double> merged_values;  ///< scratch
    };
    /// Rows of S B with entries in the same columns, as one dense block.
    struct Block {
        std::size_t first_column, columns, first_value, rows;
    };

    void respond(const double* z);
    void collect_acting(const double* forces);
    void add_half(const double* z, double* y);
    void collect_unknowns();
    void make_half_columns();
    void combine(Index column, HalfColumns& out) const;
    void make_diagonal();
    double bilateral_diagonal(Index row) const;
    void make_blocks();
    bool same_columns(std::size_t a, std::size_t b) const;
    void form();
    void form_tile(Index begin, Index end, std::vector<double>& scratch);

    const ContactRows* rows_ = nullptr;
    const FactoredOperator* system_ = nullptr;
    bool formed_ = false, keeps_half_ = false;
    Index columns_ = 0;
    std::vector<Index> used_, place_;  ///< unknowns with weights, and the place of each unknown among them (-1: none)
    std::vector<HalfColumns> of_unknowns_, of_columns_;
    std::vector<double> diagonal_, matrix_;
    std::vector<std::size_t> row_start_;  ///< of the transpose of S B
    std::vector<Index> row_columns_;
    std::vector<double> row_values_;
    std::vector<Block> blocks_;
    std::vector<char> continues_;  ///< of each row: whether it belongs to the block of the row before
    std::vector<std::vector<double>> tiles_;
    std::vector<double> forces_, values_, work_, half_;
    PlanarColumns all_values_, planar_;       ///< of all columns, and of those selected
    std::vector<const double*> acting_rows_;  ///< rows of G of the columns with a force
    std::vector<Vec3> acting_forces_;
    std::vector<std::size_t> selected_;  ///< columns
    std::vector<double> selected_matrix_;
};

}  // namespace stiction::local_global
