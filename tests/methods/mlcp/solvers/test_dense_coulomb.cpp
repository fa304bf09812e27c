// Coulomb's law of few contacts with a dense Delassus operator, and where that operator comes from.
#include "stiction/methods/mlcp/solvers/contact_responses.hpp"
#include "stiction/methods/mlcp/solvers/dense_coulomb.hpp"

#include "methods/mlcp/dense_reference.hpp"
#include "methods/mlcp/random_problem.hpp"
#include "support/compare.hpp"
#include <doctest/doctest.h>

#include <algorithm>

using namespace stiction;
using namespace stiction::mlcp;
using namespace stiction::test;

namespace {

/// W and q of a random problem, by dense matrices.
struct DenseLaw {
    std::unique_ptr<RandomProblem> made;
    Eigen::MatrixXd W;
    VecX q;
    std::vector<double> friction;

    explicit DenseLaw(std::uint64_t seed, Degeneracy degeneracy = Degeneracy::none) {
        Random random(seed);
        made = random_problem(random, degeneracy, Targets::at_rest);
        const DenseProblem dense = make_dense(made->problem, made->dense);
        const Eigen::LLT<Eigen::MatrixXd> factor(made->dense);
        W = dense.L * factor.solve(dense.L.transpose());
        const VecX free = factor.solve(made->problem.rhs);
        q.resize(W.rows());
        for (std::size_t k = 0; k < made->problem.contacts.size(); ++k)
            q.segment<3>(3 * static_cast<Eigen::Index>(k)) = relative_motion(made->problem.contacts[k], free);
        for (const ContactConstraint& contact : made->problem.contacts) friction.push_back(contact.friction);
    }
    DenseCoulomb law() const { return {W, q, friction}; }

    /// By how far (m) the forces miss Coulomb's law, by its words: no negative gap, no pull, no force across a gap; a
    /// force in the cone; where there is slip, friction of the size mu lambda against it. Forces count by W's diagonal.
    double violation(const VecX& y) const {
        const VecX u = q + W * y;
        double worst = 0.0;
        for (std::size_t k = 0; k < friction.size(); ++k) {
            const auto row = 3 * static_cast<Eigen::Index>(k);
            const double compliance = W.diagonal().segment<3>(row).maxCoeff(), mu = friction[k];
            const Vec3 force = compliance * y.segment<3>(row), motion = u.segment<3>(row);
            const double slip = motion.tail<2>().norm(), pull = force.tail<2>().norm();
            worst = std::max(
                {worst, -motion[0], -force[0], std::min(force[0], motion[0]), pull - mu * force[0],
                 std::min(slip, (force.tail<2>() + mu * force[0] / std::max(slip, 1e-300) * motion.tail<2>()).norm())});
        }
        return worst;
    }
};

}  // namespace

TEST_CASE("Newton's method on Coulomb's law ends at forces that obey it, and says where it does not get there") {
    constexpr double tolerance = 1e-11;
    int solved = 0, swept = 0;
    constexpr int problems = 60;
    for (int seed = 0; seed < problems; ++seed) {
        const DenseLaw dense(static_cast<std::uint64_t>(seed));
        const DenseCoulomb law = dense.law();
        VecX y = VecX::Zero(dense.q.size());
        int steps = 0;
        const auto may_go_on = [&] { return ++steps <= 30; };
        law.newton(tolerance, may_go_on, y);
        CAPTURE(seed);
        if (law.error(y) <= tolerance) {
            ++solved;
            CHECK(dense.violation(y) <= 10.0 * tolerance);
        }
        VecX other = VecX::Zero(dense.q.size());
        for (int round = 0; round < 100 && law.error(other) > tolerance; ++round) law.sweep(20, other);
        if (law.error(other) <= tolerance) {
            ++swept;
            CHECK(dense.violation(other) <= 10.0 * tolerance);
        }
    }
    MESSAGE("by Newton's method from zero ", solved, ", by sweeps ", swept, " of ", problems);
    CHECK(solved >= problems / 2);
    CHECK(swept >= problems * 8 / 10);
}

TEST_CASE("the error of forces is zero at a solution and not elsewhere") {
    const DenseLaw dense(3);
    const DenseCoulomb law = dense.law();
    VecX y = VecX::Zero(dense.q.size());
    for (int round = 0; round < 200; ++round) law.sweep(20, y);
    CHECK(law.error(y) <= 1e-12);
    Random random(5);
    for (Eigen::Index i = 0; i < y.size(); ++i) {
        VecX wrong = y;
        wrong[i] += 0.1 / dense.W(i, i);
        CHECK(law.error(wrong) >= 1e-4);
    }
}

TEST_CASE("responses give W, and a contact that is known costs no solve") {
    for (int seed = 0; seed < 20; ++seed) {
        Random random(static_cast<std::uint64_t>(seed));
        const auto made = random_problem(random, Degeneracy::duplicates, Targets::at_rest);
        const Eigen::LLT<Eigen::MatrixXd> factor(made->dense);
        const auto solve = [&](const VecX& r, VecX& x) { x = factor.solve(r); };
        const auto exact = [&] {
            const DenseProblem dense = make_dense(made->problem, made->dense);
            return Eigen::MatrixXd(dense.L * factor.solve(dense.L.transpose()));
        };
        ContactResponses responses;
        responses.update(made->matrix.nodes(), made->problem.contacts, solve);
        const int contacts = static_cast<int>(made->problem.contacts.size());
        CHECK(responses.solves() == 3 * contacts);
        CHECK((responses.delassus() - exact()).norm() <= 1e-12 * exact().norm());

        // Contacts in another order, one of them turned, and one more: as many solves as there are rows that are new.
        std::vector<ContactConstraint>& list = made->problem.contacts;
        std::reverse(list.begin(), list.end());
        for (std::size_t i = 0; i < list[0].node_count(); ++i) list[0].jacobian[i] *= -0.5;
        list.push_back(list[0]);
        list.back().jacobian[0] *= 0.25;
        responses.update(made->matrix.nodes(), list, solve);
        CHECK(responses.solves() == 3 * contacts + 6);
        CHECK((responses.delassus() - exact()).norm() <= 1e-12 * exact().norm());

        responses.clear();
        responses.update(made->matrix.nodes(), list, solve);
        CHECK(responses.solves() == 6 * contacts + 9);
    }
}
