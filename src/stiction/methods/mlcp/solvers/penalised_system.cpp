#include "stiction/methods/mlcp/solvers/penalised_system.hpp"

namespace stiction::mlcp {

PenalisedSystem::PenalisedSystem(const ContactProblem& problem) : problem_(problem) {
    const VelocityMatrix& matrix = *problem.matrix;
    std::vector<Edge> pairs;
    const BlockPattern* elastic = matrix.elastic_nodes() > 0 ? matrix.elastic->pattern().get() : nullptr;
    const auto for_each_elastic_slot = [&](const auto& visit) {
        if (elastic == nullptr) return;
        for (Index column = 0; column < elastic->nodes; ++column) {
            const auto end = elastic->column_begin[static_cast<std::size_t>(column) + 1];
            for (Index slot = elastic->column_begin[static_cast<std::size_t>(column)]; slot < end; ++slot)
                visit(elastic->rows[static_cast<std::size_t>(slot)], column);
        }
    };
    for_each_elastic_slot([&](Index row, Index column) { pairs.push_back({row, column}); });
    for (const ContactConstraint& contact : problem.contacts) {
        for (std::size_t i = 0; i < contact.node_count(); ++i)
            for (std::size_t j = 0; j < i; ++j) pairs.push_back({contact.nodes[i], contact.nodes[j]});
    }
    system_.set_pattern(matrix.nodes(), pairs);
    for_each_elastic_slot([&](Index row, Index column) { elastic_slots_.push_back(system_.slot(row, column)); });
    if (matrix.rank_one != nullptr) rank_one_ = matrix.rank_one->padded(3 * static_cast<Eigen::Index>(matrix.nodes()));
}

void PenalisedSystem::add_contact(std::size_t k, const Mat3& stiffness) {
    const ContactConstraint& contact = problem_.contacts[k];
    for (std::size_t a = 0; a < contact.node_count(); ++a) {
        const Mat3 left = contact.jacobian[a].transpose() * stiffness;
        system_.add_diagonal(contact.nodes[a], left * contact.jacobian[a]);
        for (std::size_t b = 0; b < a; ++b) system_.add(contact.nodes[a], contact.nodes[b], left * contact.jacobian[b]);
    }
}

bool PenalisedSystem::factorise(std::span<const Mat3> stiffness) {
    const VelocityMatrix& matrix = *problem_.matrix;
    system_.set_zero();
    for (std::size_t slot = 0; slot < elastic_slots_.size(); ++slot)
        system_.value(elastic_slots_[slot]) = matrix.elastic->values()[slot];
    for (std::size_t i = 0; i < matrix.rigid.size(); ++i)
        system_.add_diagonal(matrix.elastic_nodes() + static_cast<Index>(i), matrix.rigid[i]);
    for (std::size_t k = 0; k < stiffness.size(); ++k)
        if (!stiffness[k].isZero(0.0)) add_contact(k, stiffness[k]);
    if (!system_.factorize()) return false;
    return rank_one_.terms() == 0 || rank_one_.factorize([this](const VecX& b, VecX& x) { system_.solve(b, x); });
}

void PenalisedSystem::solve(const VecX& r, VecX& x) {
    if (rank_one_.terms() == 0) {
        system_.solve(r, x);
        return;
    }
    rank_one_.solve([this](const VecX& b, VecX& y) { system_.solve(b, y); }, r, x);
}

}  // namespace stiction::mlcp
