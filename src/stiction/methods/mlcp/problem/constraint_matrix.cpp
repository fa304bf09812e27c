#include "stiction/methods/mlcp/problem/constraint_matrix.hpp"

#include <algorithm>

namespace stiction::mlcp {

void add_compliance(const ActiveSet& rows, double scale, const VecX& m, VecX& u) {
    for (std::size_t k = 0; k < rows.size(); ++k) {
        const auto tangents = 3 * static_cast<Eigen::Index>(k) + 1;
        if (rows[k].count == 2) u.segment<2>(tangents) += scale * rows[k].compliance * m.segment<2>(tangents);
    }
}

ConstraintMatrix::ConstraintMatrix(Index nodes, std::span<const ContactConstraint> contacts)
    : contacts_(contacts), matrices_(contacts.size()) {
    parallel_for(contacts_.size(), [&](std::size_t k) { matrices_[k] = share(contacts_[k]); });
    std::vector<std::size_t> count(static_cast<std::size_t>(nodes), 0);
    for (const auto& contact : contacts_) {
        whole_ = whole_ && contact.share == 1.0;
        for (const Index node : contact.nodes) ++count[static_cast<std::size_t>(node)];
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
        for (std::size_t i = 0; i < contacts_[k].node_count(); ++i)
            entries_[next[static_cast<std::size_t>(contacts_[k].nodes[i])]++] = {static_cast<Index>(k),
                                                                                 static_cast<Index>(i)};
    }
}

double ConstraintMatrix::largest(const VecX& rows) const {
    if (rows.size() == 0) return 0.0;
    if (whole_) return rows.lpNorm<Eigen::Infinity>();
    double largest = 0.0;
    for (std::size_t k = 0; k < contacts_.size(); ++k) {
        const double own = rows.segment<3>(3 * static_cast<Eigen::Index>(k)).lpNorm<Eigen::Infinity>();
        largest = std::max(largest, own / contacts_[k].share);
    }
    return largest;
}

void ConstraintMatrix::multiply(const VecX& v, const ActiveSet& rows, VecX& u) const {
    u.resize(3 * static_cast<Eigen::Index>(contacts_.size()));
    const auto multiply_one = [&](std::size_t k) {
        const Vec3 whole = rows[k].count > 0 ? motion(k, v) : Vec3::Zero();
        u.segment<3>(3 * static_cast<Eigen::Index>(k)) = on_active(rows[k], whole);
    };
    parallel_for(contacts_.size(), multiply_one, grain);
}

ConstraintMatrix::SharedMatrix ConstraintMatrix::share(const ContactConstraint& contact) {
    constexpr double rounding = 4e-16;
    SharedMatrix found;
    const auto& matrices = contact.jacobian;
    const auto largest = std::max_element(matrices.begin(), matrices.end(), [](const Mat3& a, const Mat3& b) {
        return a.squaredNorm() < b.squaredNorm();
    });
    if (largest == matrices.end() || !(largest->squaredNorm() > 0.0)) return found;
    found.matrix = *largest;
    found.shared = true;
    found.weights.resize(matrices.size());
    for (std::size_t i = 0; i < matrices.size(); ++i) {
        found.weights[i] = largest->cwiseProduct(matrices[i]).sum() / largest->squaredNorm();
        const double rest = (matrices[i] - found.weights[i] * *largest).norm();
        found.shared = found.shared && rest <= rounding * largest->norm();
    }
    return found;
}

Vec3 ConstraintMatrix::motion(std::size_t contact, const VecX& v) const {
    const ContactConstraint& whole = contacts_[contact];
    const SharedMatrix& matrix = matrices_[contact];
    Vec3 sum = Vec3::Zero();
    for (std::size_t i = 0; i < whole.node_count(); ++i) {
        const auto part = v.segment<3>(3 * static_cast<Eigen::Index>(whole.nodes[i]));
        if (matrix.shared) {
            sum += matrix.weights[i] * part;
        } else {
            sum += whole.jacobian[i] * part;
        }
    }
    return matrix.shared ? matrix.matrix * sum : sum;
}

std::vector<ContactNodes<Index>> ConstraintMatrix::places_in_touched() const {
    std::vector<ContactNodes<Index>> places(contacts_.size());
    for (std::size_t k = 0; k < places.size(); ++k) places[k].resize(contacts_[k].node_count());
    for (std::size_t t = 0; t < touched_.size(); ++t) {
        for (std::size_t e = begin_[t]; e < begin_[t + 1]; ++e)
            places[static_cast<std::size_t>(entries_[e].contact)][static_cast<std::size_t>(entries_[e].place)] =
                static_cast<Index>(t);
    }
    return places;
}

VecX ConstraintMatrix::shared_forces(const VecX& m) const {
    VecX forces(m.size());
    const auto multiply_one = [&](std::size_t k) {
        const auto at = 3 * static_cast<Eigen::Index>(k);
        if (matrices_[k].shared) forces.segment<3>(at) = matrices_[k].matrix.transpose() * m.segment<3>(at);
    };
    parallel_for(contacts_.size(), multiply_one, grain);
    return forces;
}

void ConstraintMatrix::add_transposed(const VecX& m, VecX& y) const {
    visit_transposed(m,
                     [&](Index node, const Vec3& part) { y.segment<3>(3 * static_cast<Eigen::Index>(node)) += part; });
}

}  // namespace stiction::mlcp
