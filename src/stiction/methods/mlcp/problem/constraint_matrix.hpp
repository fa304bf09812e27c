// Products with L, the rows of all contacts, without forming it; and the active set.
#pragma once

#include "stiction/methods/mlcp/problem/contact_problem.hpp"

#include <span>

namespace stiction::mlcp {

/// Active rows of one contact.
struct ActiveRows {
    std::uint8_t count = 0;  ///< 0: none; 1: normal; 2: normal and the tangent `across`; 3: normal and both tangents
    Vec2 across = Vec2::Zero();  ///< unit, in the contact's tangents; used where count is 2
    double compliance = 0.0;     ///< of the row across, >= 0 (m/N): its equation is across . u - compliance m = 0
};
/// The active rows of all contacts.
using ActiveSet = std::vector<ActiveRows>;

/// u += scale E m, where E holds the compliances of the rows across.
void add_compliance(const ActiveSet& rows, double scale, const VecX& m, VecX& u);
/// Projects the 3 entries of a contact onto its active rows.
Vec3 on_active(const ActiveRows& row, const Vec3& entries);

/// L of a list of contacts. Vectors over its rows have 3 entries a contact; entries of inactive rows are zero.
class ConstraintMatrix {
public:
    /// @param contacts  kept by reference: must outlive this object, and not change
    ConstraintMatrix(Index nodes, std::span<const ContactConstraint> contacts);

    std::size_t size() const { return contacts_.size(); }
    std::span<const ContactConstraint> contacts() const { return contacts_; }
    /// u = L v on the active rows, 0 on the others.
    void multiply(const VecX& v, const ActiveSet& rows, VecX& u) const;
    /// y += L^T m; m has to be 0 on inactive rows. Runs in parallel over nodes, and sums in the order of the contacts.
    void add_transposed(const VecX& m, VecX& y) const;
    /// y += diag(D) L^T m with one 3x3 block of D a node.
    void add_transposed(const VecX& m, std::span<const Mat3> scale, VecX& y) const;

private:
    struct Entry {
        Index contact;
        Index place;  ///< of the node in the contact's list
    };
    template <class Add>
    void for_each_node(const VecX& m, const Add& add) const;

    std::span<const ContactConstraint> contacts_;
    std::vector<Index> touched_;      ///< nodes with contacts, ascending
    std::vector<std::size_t> begin_;  ///< touched + 1 entries into entries_
    std::vector<Entry> entries_;
};

}  // namespace stiction::mlcp
