#include "stiction/methods/mlcp/solvers/contact_responses.hpp"

#include <algorithm>
#include <utility>

namespace stiction::mlcp {
namespace {

bool same_rows(const ContactConstraint& a, const ContactConstraint& b) {
    return a.nodes == b.nodes && a.jacobian == b.jacobian;
}

}  // namespace

ContactResponses::Response ContactResponses::solve_for(Index nodes, const ContactConstraint& contact,
                                                       const Preconditioner::Solve& solve) {
    Response response{contact, {}};
    response.columns.setZero(3 * static_cast<Eigen::Index>(nodes), 3);
    if (contact.nodes.empty()) return response;
    VecX rhs, x;
    for (int row = 0; row < 3; ++row) {
        rhs.setZero(3 * static_cast<Eigen::Index>(nodes));
        for (std::size_t i = 0; i < contact.node_count(); ++i)
            rhs.segment<3>(3 * static_cast<Eigen::Index>(contact.nodes[i])) = contact.jacobian[i].row(row).transpose();
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
        const auto same = [&](const Response& response) {
            return response.columns.size() > 0 && same_rows(response.contact, contacts[k]);
        };
        const auto found = std::find_if(known_.begin(), known_.end(), same);
        if (found == known_.end()) {
            missing.push_back(k);
            continue;
        }
        next[k] = std::exchange(*found, {});
    }
    known_.clear();  // before more memory is taken
    for (const std::size_t k : missing) next[k] = solve_for(nodes, contacts[k], solve);
    known_ = std::move(next);
    const auto size = 3 * static_cast<Eigen::Index>(contacts.size());
    delassus_.setZero(size, size);
    for (std::size_t k = 0; k < contacts.size(); ++k) {
        for (std::size_t i = 0; i < contacts[k].node_count(); ++i) {
            const auto node = 3 * static_cast<Eigen::Index>(contacts[k].nodes[i]);
            for (std::size_t l = 0; l < contacts.size(); ++l)
                delassus_.block<3, 3>(3 * static_cast<Eigen::Index>(k), 3 * static_cast<Eigen::Index>(l)) +=
                    contacts[k].jacobian[i] * known_[l].columns.middleRows<3>(node);
        }
    }
    delassus_ = (0.5 * (delassus_ + delassus_.transpose())).eval();
}

}  // namespace stiction::mlcp
