#include "stiction/methods/mlcp/solvers/contact_responses.hpp"

#include <algorithm>
#include <utility>

namespace stiction::mlcp {
namespace {

bool same_rows(const ContactConstraint& a, const ContactConstraint& b) {
    const auto count = static_cast<std::size_t>(a.node_count);
    return a.node_count == b.node_count &&
           std::equal(a.nodes.begin(), a.nodes.begin() + a.node_count, b.nodes.begin()) &&
           std::equal(a.jacobian.begin(), a.jacobian.begin() + static_cast<std::ptrdiff_t>(count), b.jacobian.begin());
}

}  // namespace

ContactResponses::Response ContactResponses::solve_for(Index nodes, const ContactConstraint& contact,
                                                       const Preconditioner::Solve& solve) {
    Response response{contact, {}};
    response.columns.setZero(3 * static_cast<Eigen::Index>(nodes), 3);
    if (contact.node_count == 0) return response;
    VecX rhs, x;
    for (int row = 0; row < 3; ++row) {
        rhs.setZero(3 * static_cast<Eigen::Index>(nodes));
        for (int i = 0; i < contact.node_count; ++i) {
            const auto place = static_cast<std::size_t>(i);
            rhs.segment<3>(3 * static_cast<Eigen::Index>(contact.nodes[place])) =
                contact.jacobian[place].row(row).transpose();
        }
        solve(rhs, x);
        response.columns.col(row) = x;
        ++solves_;
    }
    return response;
}

void ContactResponses::update(Index nodes, std::span<const ContactConstraint> contacts,
                              const Preconditioner::Solve& solve) {
    std::vector<Response> next(contacts.size());
    std::vector<std::size_t> missing;
    for (std::size_t k = 0; k < contacts.size(); ++k) {
        const auto same = [&](const Response& response) { return same_rows(response.contact, contacts[k]); };
        const auto found = std::find_if(known_.begin(), known_.end(), same);
        if (found == known_.end()) {
            missing.push_back(k);
            continue;
        }
        next[k] = std::move(*found);
        found->contact.node_count = -1;  // it is empty now
    }
    known_.clear();  // before more memory is taken
    for (const std::size_t k : missing) next[k] = solve_for(nodes, contacts[k], solve);
    known_ = std::move(next);
    const auto size = 3 * static_cast<Eigen::Index>(contacts.size());
    delassus_.setZero(size, size);
    for (std::size_t k = 0; k < contacts.size(); ++k) {
        for (int i = 0; i < contacts[k].node_count; ++i) {
            const auto place = static_cast<std::size_t>(i);
            const auto node = 3 * static_cast<Eigen::Index>(contacts[k].nodes[place]);
            for (std::size_t l = 0; l < contacts.size(); ++l)
                delassus_.block<3, 3>(3 * static_cast<Eigen::Index>(k), 3 * static_cast<Eigen::Index>(l)) +=
                    contacts[k].jacobian[place] * known_[l].columns.middleRows<3>(node);
        }
    }
    delassus_ = (0.5 * (delassus_ + delassus_.transpose())).eval();
}

}  // namespace stiction::mlcp
