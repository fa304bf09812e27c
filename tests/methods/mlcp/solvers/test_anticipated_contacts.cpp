// Gauss-Seidel over contacts with a block diagonal in place of A, against the same sweeps on dense matrices.
#include "stiction/methods/mlcp/solvers/anticipated_contacts.hpp"

#include "methods/mlcp/random_problem.hpp"
#include <Eigen/Dense>
#include <doctest/doctest.h>

using namespace stiction;
using namespace stiction::mlcp;
using namespace stiction::test;

namespace {

/// L, the inverse of the block diagonal D, and the velocities D^-1 b.
struct AnticipatedProblem {
    Eigen::MatrixXd L, D_inverse;
    std::vector<Mat3> blocks;
    VecX free;
};

AnticipatedProblem anticipated_problem(const RandomProblem& made) {
    const Eigen::Index n = made.problem.rhs.size(), m = 3 * static_cast<Eigen::Index>(made.problem.contacts.size());
    AnticipatedProblem result{Eigen::MatrixXd::Zero(m, n), Eigen::MatrixXd::Zero(n, n), {}, {}};
    for (Eigen::Index at = 0; at < n; at += 3) {
        result.blocks.push_back(made.dense.block<3, 3>(at, at).inverse());
        result.D_inverse.block<3, 3>(at, at) = result.blocks.back();
    }
    for (Eigen::Index k = 0; 3 * k < m; ++k) {
        const ContactConstraint& contact = made.problem.contacts[static_cast<std::size_t>(k)];
        for (std::size_t i = 0; i < contact.node_count(); ++i) {
            result.L.block<3, 3>(3 * k, 3 * contact.nodes[i]) = contact.jacobian[i];
        }
    }
    result.free = result.D_inverse * made.problem.rhs;
    return result;
}

/// Whether a contact moves in fewer than three directions, a rotation alone: rounding decides its friction then.
bool has_singular_contact(const AnticipatedProblem& dense) {
    const Eigen::MatrixXd W = dense.L * dense.D_inverse * dense.L.transpose();
    for (Eigen::Index at = 0; at < W.rows(); at += 3) {
        const Vec3 values = Eigen::SelfAdjointEigenSolver<Mat3>(W.block<3, 3>(at, at)).eigenvalues();
        if (values[0] < 1e-8 * values[2]) return true;
    }
    return false;
}

/// f after sweeps with the dense Delassus operator W = L D^-1 L^T.
Eigen::VectorXd dense_sweeps(const ContactProblem& problem, const AnticipatedProblem& dense, Eigen::VectorXd f,
                             int sweeps) {
    const Eigen::MatrixXd W = dense.L * dense.D_inverse * dense.L.transpose();
    for (int sweep = 0; sweep < sweeps; ++sweep) {
        for (std::size_t k = 0; k < problem.contacts.size(); ++k) {
            const ContactConstraint& contact = problem.contacts[k];
            const auto at = 3 * static_cast<Eigen::Index>(k);
            const Vec3 u = dense.L.middleRows<3>(at) * dense.free + W.middleRows<3>(at) * f - contact.target;
            const Mat3 own = W.block<3, 3>(at, at);
            const CoulombContact law(0.5 * (own + own.transpose()), contact.friction, contact.kinetic_ratio);
            f.segment<3>(at) = law.solve(u - own * f.segment<3>(at));
        }
    }
    return f;
}

}  // namespace

TEST_CASE("sweeps over contacts are those of Gauss-Seidel on the dense Delassus operator") {
    std::size_t contacts = 0;
    for (int seed = 0; seed < 40; ++seed) {
        CAPTURE(seed);
        Random random(static_cast<std::uint64_t>(seed));
        const auto made = random_problem(random, Degeneracy::none, Targets::planted);
        const AnticipatedProblem dense = anticipated_problem(*made);
        if (has_singular_contact(dense)) continue;
        contacts += made->problem.contacts.size();
        const ConstraintMatrix constraints(made->problem.matrix->nodes(), made->problem.contacts);
        const AnticipatedContacts anticipated(constraints,
                                              [&](Index node) { return dense.blocks[static_cast<std::size_t>(node)]; });
        Eigen::VectorXd start = Eigen::VectorXd::Zero(dense.L.rows());
        for (Eigen::Index k = 0; k < start.size(); k += 3) start[k] = uniform(random, 0.0, 1.0);
        for (const int sweeps : {1, 3}) {
            CAPTURE(sweeps);
            VecX w = dense.free + dense.D_inverse * dense.L.transpose() * start, f = start;
            const double made_sweeps = anticipated.solve(0.0, sweeps, w, f);
            CHECK((sweeps == 1 ? made_sweeps == 1.0 : made_sweeps >= 1.0 && made_sweeps <= sweeps));
            const Eigen::VectorXd expected = dense_sweeps(made->problem, dense, start, sweeps);
            CHECK((f - expected).norm() <= 1e-7 * (start.norm() + expected.norm()));
            const VecX moved = dense.free + dense.D_inverse * dense.L.transpose() * f;
            CHECK((w - moved).norm() <= 1e-10 * (moved.norm() + dense.free.norm()));
        }
    }
    CHECK(contacts > 100);
}
