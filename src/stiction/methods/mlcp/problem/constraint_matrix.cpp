#include "stiction/methods/mlcp/problem/constraint_matrix.hpp"

#include "stiction/base/parallel.hpp"

namespace stiction::mlcp {

void add_compliance(const ActiveSet& rows, double scale, const VecX& m, VecX& u) {
    for (std::size_t k = 0; k < rows.size(); ++k) {
        const auto tangents = 3 * static_cast<Eigen::Index>(k) + 1;
        if (rows[k].count == 2) u.segment<2>(tangents) += scale * rows[k].compliance * m.segment<2>(tangents);
    }
}

Vec3 on_active(const ActiveRows& row, const Vec3& entries) {
    Vec3 seen = Vec3::Zero();
    if (row.count > 0) seen[0] = entries[0];
    if (row.count == 2) seen.tail<2>() = row.across.dot(entries.tail<2>()) * row.across;
    if (row.count == 3) seen.tail<2>() = entries.tail<2>();
    return seen;
}

ConstraintMatrix::ConstraintMatrix(Index nodes, std::span<const ContactConstraint> contacts) : contacts_(contacts) {
    std::vector<std::size_t> count(static_cast<std::size_t>(nodes), 0);
    for (const auto& contact : contacts_) {
        for (int i = 0; i < contact.node_count; ++i)
            ++count[static_cast<std::size_t>(contact.nodes[static_cast<std::size_t>(i)])];
    }
    begin_.push_back(0);
    std::vector<std::size_t> next(count.size());
    for (std::size_t node = 0; node < count.size(); ++node) {
        if (count[node] == 0) continue;
        touched_.push_back(static_cast<Index>(node));
        next[node] = begin_.back();
        begin_.push_back(begin_.back() + count[node]);
    }
    entries_.resize(begin_.back());
    for (std::size_t k = 0; k < contacts_.size(); ++k) {
        for (int i = 0; i < contacts_[k].node_count; ++i) {
            entries_[next[static_cast<std::size_t>(contacts_[k].nodes[static_cast<std::size_t>(i)])]++] = {
                static_cast<Index>(k), i};
        }
    }
}

void ConstraintMatrix::multiply(const VecX& v, const ActiveSet& rows, VecX& u) const {
    u.resize(3 * static_cast<Eigen::Index>(contacts_.size()));
    parallel_for(contacts_.size(), [&](std::size_t k) {
        Vec3 motion = Vec3::Zero();
        if (rows[k].count > 0) {
            const ContactConstraint& contact = contacts_[k];
            for (int i = 0; i < contact.node_count; ++i) {
                motion += contact.jacobian[static_cast<std::size_t>(i)] *
                          v.segment<3>(3 * contact.nodes[static_cast<std::size_t>(i)]);
            }
        }
        u.segment<3>(3 * static_cast<Eigen::Index>(k)) = on_active(rows[k], motion);
    });
}

template <class Add>
void ConstraintMatrix::for_each_node(const VecX& m, const Add& add) const {
    parallel_for(touched_.size(), [&](std::size_t t) {
        Vec3 sum = Vec3::Zero();
        for (std::size_t e = begin_[t]; e < begin_[t + 1]; ++e) {
            const Entry entry = entries_[e];
            sum += contacts_[static_cast<std::size_t>(entry.contact)]
                       .jacobian[static_cast<std::size_t>(entry.place)]
                       .transpose() *
                   m.segment<3>(3 * entry.contact);
        }
        add(touched_[t], sum);
    });
}

void ConstraintMatrix::add_transposed(const VecX& m, VecX& y) const {
    for_each_node(m, [&](Index node, const Vec3& sum) { y.segment<3>(3 * node) += sum; });
}

void ConstraintMatrix::add_transposed(const VecX& m, std::span<const Mat3> scale, VecX& y) const {
    for_each_node(
        m, [&](Index node, const Vec3& sum) { y.segment<3>(3 * node) += scale[static_cast<std::size_t>(node)] * sum; });
}

}  // namespace stiction::mlcp
