// Products with the rows of contacts against dense matrices.
#include "stiction/methods/mlcp/problem/constraint_matrix.hpp"

#include "methods/mlcp/random_problem.hpp"
#include <doctest/doctest.h>

using namespace stiction;
using namespace stiction::mlcp;
using namespace stiction::test;

namespace {

Eigen::MatrixXd dense_rows(const ContactProblem& problem, Index nodes) {
    Eigen::MatrixXd L = Eigen::MatrixXd::Zero(3 * static_cast<Eigen::Index>(problem.contacts.size()), 3 * nodes);
    for (std::size_t k = 0; k < problem.contacts.size(); ++k) {
        const ContactConstraint& contact = problem.contacts[k];
        for (std::size_t i = 0; i < contact.node_count(); ++i)
            L.block<3, 3>(3 * static_cast<Eigen::Index>(k), 3 * contact.nodes[i]) += contact.jacobian[i];
    }
    return L;
}

/// Whether all matrices of a contact are multiples of the first.
bool has_one_matrix(const ContactConstraint& contact) {
    for (std::size_t i = 1; i < contact.node_count(); ++i) {
        const Mat3 &first = contact.jacobian[0], &other = contact.jacobian[i];
        const double weight = first.cwiseProduct(other).sum() / first.squaredNorm();
        if ((other - weight * first).norm() > 1e-12 * first.norm()) return false;
    }
    return true;
}

}  // namespace

TEST_CASE("products with the rows of contacts, deformable and rigid, are those of the dense matrix") {
    int with_one_matrix = 0, with_several = 0;
    for (int seed = 0; seed < 60; ++seed) {
        CAPTURE(seed);
        Random random(static_cast<std::uint64_t>(seed));
        const auto made = random_problem(random, Degeneracy::none, Targets::planted);
        const ContactProblem& problem = made->problem;
        for (const ContactConstraint& contact : problem.contacts)
            ++(has_one_matrix(contact) ? with_one_matrix : with_several);
        const Index nodes = made->matrix.nodes();
        const ConstraintMatrix constraints(nodes, problem.contacts);
        const Eigen::MatrixXd L = dense_rows(problem, nodes);
        ActiveSet rows(problem.contacts.size());
        for (ActiveRows& row : rows) row.count = static_cast<std::uint8_t>(random_index(random, 2) == 0 ? 0 : 3);
        const VecX v = random_vector(random, 3 * nodes);
        VecX u, m = random_vector(random, L.rows()), forces = random_vector(random, 3 * nodes);
        constraints.multiply(v, rows, u);
        Eigen::VectorXd expected = L * v;
        for (std::size_t k = 0; k < rows.size(); ++k) {
            if (rows[k].count > 0) continue;
            expected.segment<3>(3 * static_cast<Eigen::Index>(k)).setZero();
            m.segment<3>(3 * static_cast<Eigen::Index>(k)).setZero();
        }
        CHECK((u - expected).norm() <= 1e-14 * L.norm() * v.norm());
        const Eigen::VectorXd before = forces;
        constraints.add_transposed(m, forces);
        CHECK((forces - before - L.transpose() * m).norm() <= 1e-14 * (L.norm() * m.norm() + before.norm()));
    }
    CHECK(with_one_matrix > 100);
    CHECK(with_several > 100);
}
