// Random and degenerate contact problems, judged with dense matrices: nothing that is called converged may be anything
// but a solution.
#include "methods/mlcp/random_survey.hpp"
#include <doctest/doctest.h>

using namespace stiction;
using namespace stiction::mlcp;
using namespace stiction::test;

namespace {

constexpr Degeneracy feasible_kinds[] = {Degeneracy::none, Degeneracy::duplicates, Degeneracy::rank_deficient,
                                         Degeneracy::extreme_masses};

void check_sound(const Survey& found) {
    INFO(found.first_fault);
    CHECK(found.false_converged == 0);
    CHECK(found.impossible == 0);
    CHECK(found.different == 0);
}

}  // namespace

TEST_CASE("the judge accepts planted solutions, and nothing that is a little beside them") {
    for (int seed = 0; seed < 200; ++seed) {
        Random random(static_cast<std::uint64_t>(seed));
        const auto made = random_problem(random, Degeneracy::none, Targets::planted);
        const DenseProblem dense = make_dense(made->problem, made->dense);
        const auto accepts = [&](const ContactSolution& solution) {
            return find_faults(dense, solution.v, forces_of(solution), judged_slip)
                .within(survey_tolerance, survey_distance, judged_turn);
        };
        REQUIRE(accepts(made->planted));
        const auto k = static_cast<std::size_t>(random_index(random, static_cast<Index>(dense.contacts())));
        ContactSolution beside = made->planted;
        beside.contacts[k].normal += 1.1 * survey_distance / dense.compliance[3 * static_cast<Eigen::Index>(k)] +
                                     10.0 * survey_tolerance * dense.b.norm() / 1e-2;
        CHECK_FALSE(accepts(beside));
        beside = made->planted;
        beside.v[random_index(random, static_cast<Index>(beside.v.size()))] += 1e-3;
        CHECK_FALSE(accepts(beside));
        beside = made->planted;
        beside.contacts[k].sliding = Eigen::Rotation2Dd(0.1) * beside.contacts[k].sliding;
        CHECK(accepts(beside) == (beside.contacts[k].sliding.norm() == 0.0));
    }
}

TEST_CASE("without friction the velocities are those of a pivoting method") {
    for (const auto degeneracy : feasible_kinds) {
        for (const bool wrong : {false, true}) {
            for (const auto targets : {Targets::at_rest, Targets::feasible}) {
                const Survey found = survey({degeneracy, targets, true, wrong}, 0, 100, 5000, Existence::by_reference,
                                            conjugate_residuals(PreconditionerKind::full));
                check_sound(found);
                CHECK(found.solvable == found.problems);
                CHECK(found.solved_solvable >= found.solvable - 1);
            }
        }
    }
}

TEST_CASE("rows that contradict each other are never called solved") {
    for (const bool frictionless : {true, false}) {
        for (const bool wrong : {false, true}) {
            const Survey found =
                survey({Degeneracy::contradictory, Targets::feasible, frictionless, wrong}, 0, frictionless ? 100 : 20,
                       2000, Existence::by_reference, conjugate_residuals(PreconditionerKind::full));
            check_sound(found);
            CHECK(found.solvable == 0);
            CHECK(found.converged == 0);
            if (frictionless)
                CHECK(found.ends[static_cast<std::size_t>(SolverEnd::over_constrained)] == found.problems);
        }
    }
}

TEST_CASE("with friction what converges satisfies Coulomb's law, and nearly all that has a solution converges") {
    for (const auto degeneracy : feasible_kinds) {
        for (const bool wrong : {false, true}) {
            const Survey at_rest = survey({degeneracy, Targets::at_rest, false, wrong}, 0, 50, 3000,
                                          Existence::by_class, conjugate_residuals(PreconditionerKind::full));
            check_sound(at_rest);
            CHECK(at_rest.fraction() >= 0.92);
        }
    }
}

TEST_CASE("most planted solutions with friction are found, those of plain problems nearly all") {
    const double least[] = {0.96, 0.8, 0.5, 0.6};
    for (std::size_t i = 0; i < 4; ++i) {
        const Survey planted = survey({feasible_kinds[i], Targets::planted, false, false}, 0, 25, 3000,
                                      Existence::by_class, conjugate_residuals(PreconditionerKind::full));
        check_sound(planted);
        CHECK(planted.fraction() >= least[i]);
    }
}

TEST_CASE("an exact Gauss-Seidel on the dense Delassus operator solves little that conjugate residuals do not") {
    const Survey found = survey({Degeneracy::none, Targets::feasible, false, false}, 0, 100, 3000,
                                Existence::by_reference, conjugate_residuals(PreconditionerKind::full));
    check_sound(found);
    CHECK(found.solvable > 80);
    CHECK(found.fraction() >= 0.96);
}
