// Products with L, the rows of all contacts, without forming it; and the active set.
#pragma once

#include "stiction/base/parallel.hpp"
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
inline Vec3 on_active(const ActiveRows& row, const Vec3& entries) {
    if (row.count == 3) return entries;
    Vec3 seen(row.count > 0 ? entries[0] : 0.0, 0.0, 0.0);
    if (row.count == 2) seen.tail<2>() = row.across.dot(entries.tail<2>()) * row.across;
    return seen;
}

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
    /// L v of one contact, all of its rows.
    Vec3 motion(std::size_t contact, const VecX& v) const;
    /// Largest of `rows`, 3 entries a contact, those of each contact over its share.
    double largest(const VecX& rows) const;
    /// visit(place, part) for every node of a contact; part (Vec3) is the node's part of L^T f, for a force f of the
    /// contact. `place` is that of the node in the contact's list.
    template <class Visit>
    void visit_forces(std::size_t contact, const Vec3& f, const Visit& visit) const;
    /// L D^-1 L^T of one contact, where inverse(place) is the block of D^-1 of a node.
    template <class Inverse>
    Mat3 response(std::size_t contact, const Inverse& inverse) const;
    /// Nodes with contacts, ascending.
    std::span<const Index> touched() const { return touched_; }
    /// For every contact, where its nodes are in touched().
    std::vector<ContactNodes<Index>> places_in_touched() const;
    /// visit(node, part) for every node with contacts, in parallel; part (Vec3) is the node's part of L^T m.
    template <class Visit>
    void visit_transposed(const VecX& m, const Visit& visit) const;

private:
    static constexpr std::size_t grain = 512;  ///< contacts or nodes that are worth a task
    struct Entry {
        Index contact;
        Index place;  ///< of the node in the contact's list
    };
    /// Where all matrices of a contact are multiples of one, as between deformable bodies, that one and the multiples
    /// say the same in a third of the bytes.
    struct SharedMatrix {
        bool shared = false;
        Mat3 matrix;
        ContactNodes<double> weights;
    };
    static SharedMatrix share(const ContactConstraint& contact);
    /// The forces on nodes of weight 1: the shared matrices' transposes times m.
    VecX shared_forces(const VecX& m) const;

    std::span<const ContactConstraint> contacts_;
    bool whole_ = true;  ///< every share is 1
    std::vector<SharedMatrix> matrices_;
    std::vector<Index> touched_;      ///< nodes with contacts, ascending
    std::vector<std::size_t> begin_;  ///< touched + 1 entries into entries_
    std::vector<Entry> entries_;
};

template <class Visit>
void ConstraintMatrix::visit_forces(std::size_t contact, const Vec3& f, const Visit& visit) const {
    const ContactConstraint& whole = contacts_[contact];
    const SharedMatrix& matrix = matrices_[contact];
    const std::size_t count = whole.node_count();
    if (!matrix.shared) {
        for (std::size_t i = 0; i < count; ++i) visit(i, Vec3(whole.jacobian[i].transpose() * f));
        return;
    }
    const Vec3 force = matrix.matrix.transpose() * f;
    for (std::size_t i = 0; i < count; ++i) visit(i, Vec3(matrix.weights[i] * force));
}

template <class Inverse>
Mat3 ConstraintMatrix::response(std::size_t contact, const Inverse& inverse) const {
    const ContactConstraint& whole = contacts_[contact];
    const SharedMatrix& matrix = matrices_[contact];
    Mat3 sum = Mat3::Zero();
    for (std::size_t i = 0; i < whole.node_count(); ++i) {
        if (matrix.shared) {
            sum += matrix.weights[i] * matrix.weights[i] * inverse(i);
        } else {
            sum += whole.jacobian[i] * inverse(i) * whole.jacobian[i].transpose();
        }
    }
    return matrix.shared ? Mat3(matrix.matrix * sum * matrix.matrix.transpose()) : sum;
}

template <class Visit>
void ConstraintMatrix::visit_transposed(const VecX& m, const Visit& visit) const {
    const VecX forces = shared_forces(m);
    const auto visit_one = [&](std::size_t t) {
        Vec3 sum = Vec3::Zero();
        for (std::size_t e = begin_[t]; e < begin_[t + 1]; ++e) {
            const auto contact = static_cast<std::size_t>(entries_[e].contact);
            const auto place = static_cast<std::size_t>(entries_[e].place);
            const auto at = 3 * static_cast<Eigen::Index>(contact);
            if (matrices_[contact].shared) {
                sum += matrices_[contact].weights[place] * forces.segment<3>(at);
            } else {
                sum += contacts_[contact].jacobian[place].transpose() * m.segment<3>(at);
            }
        }
        visit(touched_[t], sum);
    };
    parallel_for(touched_.size(), visit_one, grain);
}

}  // namespace stiction::mlcp
