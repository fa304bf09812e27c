// The Delassus operator W = H A^-1 H^T of a step.
#pragma once

#include "stiction/linalg/factored_operator.hpp"
#include "stiction/methods/local_global/contact/contact_rows.hpp"
#include "stiction/methods/local_global/contact/gram_matrix.hpp"
#include "stiction/methods/local_global/contact/inverse_modes.hpp"

#include <vector>

namespace stiction::local_global {

/// How products with W are computed.
enum class DelassusKind {
    automatic,  ///< the one that needs fewer operations
    formed,     ///< from a dense matrix: that part of A^-1 which rows meet
    applied,    ///< by a solve with A in every product: no cost is quadratic in the number of contacts
};

/// W = H A^-1 H^T (equations 26 and 27) over the rows of a ContactRows. With H = D B^T, W = D B^T A^-1 B D^T. Where it
/// is formed, a dense matrix G is kept over a *basis*: the unknowns that B meets, G = the entries of A^-1 between them,
/// or, where these are fewer, the columns of B, G = B^T A^-1 B. The bits are the same for any number of threads.
/// Nothing is allocated after a step with as many rows and unknowns in them, but for driven coordinates. W and
/// positions() have A^-1 - Y Y^T in place of A^-1 where there are modes (InverseModes); G has not.
class DelassusOperator {
public:
    /// @param rows, system  kept by pointer until the next call
    /// @param products      expected number of products, by which `automatic` chooses
    /// @param modes         kept by pointer likewise; null: none
    void prepare(const ContactRows& rows, const FactoredOperator& system, DelassusKind kind, int products,
                 const InverseModes* modes = nullptr);
    /// The modes changed.
    void modes_changed();
    bool formed() const { return formed_; }
    Index unknown_count() const { return system_->size(); }
    /// Diagonal of W (1/kg, when A is a mass).
    const std::vector<double>& diagonal() const { return diagonal_; }
    /// Largest eigenvalue of a contact's block of W (1/kg). Without modes the block is a multiple of the identity. 0
    /// where no force changes the gap.
    double block_norm(std::size_t contact) const {
        return mode_rows_.empty() ? diagonal_[3 * contact] : block_norms_[contact];
    }
    /// Diagonal of W in a tangential row of a contact whose tangents are turned into an axis; with modes.
    /// @param axis     cosine and sine, as turn_tangents() takes them
    /// @param tangent  1 or 2
    double turned_diagonal(std::size_t contact, const double* axis, std::size_t tangent) const;
    /// What the modes take from W. multiply() does so; formed_value() does not.
    const ModeRows& mode_rows() const { return mode_rows_; }
    /// out = W z, one number a row; out must not be z.
    void multiply(const double* z, double* out);
    /// q = free + A^-1 H^T z, n x 3; q may be free.
    void positions(const double* free, const double* z, double* q);
    /// Whether the basis's columns of S are kept and have fewer entries than solves read. Products with them then take
    /// the place of half a solve (FactoredOperator::solve_first_half).
    bool keeps_half() const { return keeps_half_; }
    /// rows = H A^-1 b for y = S P b, n x 3; keeps_half() only.
    void values_of_half(const double* y, double* rows);
    /// q = present + P^T S^T (y + S P H^T z), n x 3: present + A^-1 (b + H^T z) for y = S P b. keeps_half() only; q may
    /// be present.
    void positions_of_half(const double* present, const double* y, const double* z, double* q);
    /// The contacts whose rows multiply_selected() may meet: those with a number that is not 0 in one of their rows.
    /// The columns of bilateral rows are always selected.
    void select(const std::vector<double>& rows);
    /// As multiply(), for z that is 0 in all rows that are not selected; `out` is right in the selected rows alone.
    /// After select() since prepare().
    void multiply_selected(const double* z, double* out);

    /// Moves of the basis (values = G P f) under forces f, one 3-vector a column of B; formed() only.
    void formed_values(const double* forces, PlanarColumns& values);
    /// Adds the moves of the basis under the force of one column; formed() only.
    void add_formed(std::size_t column, const Vec3& force, PlanarColumns& values) const;
    /// The move of a column of B that belongs to these moves of the basis; formed() only.
    Vec3 formed_value(const PlanarColumns& values, std::size_t column) const;

private:
    void collect_unknowns();
    ColumnSums sums() const { return {rows_->column_start, column_places_, rows_->weights}; }
    void form();
    void apply();
    bool any_modes() const { return modes_ != nullptr && !modes_->empty(); }
    double block_norm_of(std::size_t contact) const;
    /// (column s) . G (column t)
    double between(std::size_t s, std::size_t t) const;
    /// Diagonal of W in a bilateral row, from the entries of B^T A^-1 B.
    template <class Entry>
    double bilateral_diagonal(Index row, const Entry& entry) const;
    void respond(const double* z, const OperatorPart* part);
    void multiply_applied(const double* z, const OperatorPart& part, double* out);
    template <class Visit>
    void for_each_selected(const std::vector<double>& rows, const Visit& visit) const;
    void select_part(const std::vector<double>& rows);
    void add_basis_forces(const double* forces, double* basis_forces) const;
    void values_to_rows(double* rows);

    const ContactRows* rows_ = nullptr;
    const FactoredOperator* system_ = nullptr;
    const InverseModes* modes_ = nullptr;
    ModeRows mode_rows_;
    bool formed_ = false, keeps_half_ = false;
    std::size_t columns_ = 0;
    std::vector<Index> used_, place_;   ///< unknowns with weights, and the place of each unknown among them (-1: none)
    std::vector<Index> column_places_;  ///< of each entry of B: its unknown's place
    HalfColumns of_unknowns_, of_columns_;
    GramMatrix gram_;
    std::vector<Index> basis_start_, basis_places_;  ///< columns of B as sums over the basis
    std::vector<double> basis_weights_;
    std::vector<double> diagonal_, squares_;
    std::vector<double> plain_diagonal_, block_norms_;  ///< only where there are modes: without them; block_norm()
    std::vector<double> forces_, values_, work_, half_, basis_forces_;
    PlanarColumns moved_, planar_;       ///< moves of the basis, and of what is selected of it
    std::vector<std::size_t> selected_;  ///< of the basis
    std::vector<Index> place_selected_;  ///< of the basis: place among those selected, -1: none
    std::vector<double> selected_matrix_;
    OperatorPart contact_part_, selected_part_;  ///< applied W: of all unknowns that rows meet, and of those selected
    std::vector<Index> selected_unknowns_;
};

}  // namespace stiction::local_global
