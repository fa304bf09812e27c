// The constraints of one time step as plain arrays.
#pragma once

#include "stiction/methods/local_global/contact/rows_view.hpp"

#include <span>
#include <vector>

namespace stiction::local_global {

/// Rows H q + constant over n x 3 unknown positions q. Contact k has the rows 3 k (normal), 3 k + 1 and 3 k + 2
/// (tangents); the bilateral rows follow.
///
/// H = D B^T. A column of the sparse matrix B is a weighted sum of positions, u_c = sum_i w_i q_i. A row takes
/// components of these 3-vectors: contact k has column k and an orthonormal frame, a bilateral row has several columns
/// with a direction for each. A acts on each coordinate alike, and so does B^T A^-1 B, which has one row a contact
/// where W has three.
class ContactRows {
public:
    ContactRows() { clear(); }
    /// Empties all lists and keeps their memory.
    void clear();

    /// Adds a contact; all contacts come before the first bilateral row.
    /// @param unknowns, weights  first side's weights add up to 1, the second's to -1; vertices without unknowns are
    /// left out
    /// @param frame              rows: unit normal, from the second side to the first, and two tangents, orthonormal
    /// @param gap_constant       m: gap = normal . u + gap_constant
    /// @param slip_constant      m: slip of the step = tangents u + slip_constant; from the separation at the start of
    /// the step, and from the motion of vertices without unknowns
    /// @param friction           mu >= 0
    /// @param share              of the tolerance that its residuals are compared with
    void add_contact(std::span<const Index> unknowns, std::span<const double> weights, const Mat3& frame,
                     double gap_constant, const Vec2& slip_constant, double friction, double share = 1.0);
    /// Adds a column for bilateral rows.
    /// @return its number
    Index add_column(std::span<const Index> unknowns, std::span<const double> weights);
    /// Adds a row v = sum_k directions[k] . u_columns[k] + constant + compliance lambda = 0. A one-sided row asks for
    /// v >= 0, lambda >= 0, v lambda = 0 instead.
    /// @param compliance  m/N, 0 = hard
    void add_bilateral(std::span<const Index> columns, std::span<const Vec3> directions, double constant,
                       double compliance, bool one_sided = false);

    Index contact_count() const { return static_cast<Index>(friction.size()); }
    Index bilateral_count() const { return static_cast<Index>(compliance.size()); }
    Index column_count() const { return static_cast<Index>(column_start.size()) - 1; }
    /// The lists by pointers; valid until the next change.
    RowsView view() const;
    Index row_count() const { return 3 * contact_count() + bilateral_count(); }

    /// u_c of every column (column_count x 3) from positions (n x 3).
    void column_values(const double* q, double* u) const;
    /// rows = D u (+ constant if `with_constant`).
    void row_values(const double* u, bool with_constant, double* rows) const;
    /// f = D^T rows: a 3-vector a column.
    void column_forces(const double* rows, double* f) const;
    /// b += B f (n x 3).
    void add_to_unknowns(const double* f, double* b) const;

    std::vector<Index> column_start;  ///< of unknowns and weights, one more than columns
    std::vector<Index> unknowns;
    std::vector<double> weights;
    std::vector<double> frames;      ///< 9 a contact, row-major
    std::vector<double> constants;   ///< one a row, m
    std::vector<double> friction;    ///< mu, one a contact
    std::vector<double> share;       ///< of the tolerance, one a contact
    std::vector<double> compliance;  ///< m/N, one a bilateral row
    std::vector<char> one_sided;     ///< of each bilateral row
    std::vector<Index> term_start;   ///< of term_columns and term_directions, one more than bilateral rows
    std::vector<Index> term_columns;
    std::vector<double> term_directions;  ///< 3 a term
};

}  // namespace stiction::local_global
