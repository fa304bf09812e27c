#include "stiction/base/parallel.hpp"
#include "stiction/linalg/element_scatter.hpp"
#include "stiction/linalg/krylov/cg.hpp"
#include "stiction/linalg/krylov/truncated_cg.hpp"

#include "linalg/random_system.hpp"
#include "support/compare.hpp"
#include <doctest/doctest.h>

using namespace stiction;
using namespace stiction::test;

TEST_CASE("dot: agrees with a long double sum, same bits for any number of threads") {
    Random random(3);
    for (const Eigen::Index n : {0, 1, 5, 4096, 4097, 50001}) {
        const VecX x = random_vector(random, n), y = random_vector(random, n);
        long double sum = 0.0L;
        for (Eigen::Index i = 0; i < n; ++i) sum += static_cast<long double>(x[i]) * y[i];
        set_thread_count(1);
        const double one = dot(x, y);
        set_thread_count(2);
        CHECK(dot(x, y) == one);
        CHECK(std::abs(one - static_cast<double>(sum)) <= 1e-13 * static_cast<double>(n));
    }
    set_thread_count(0);
}

namespace {

/// Preconditioner: the diagonal of the matrix.
struct Jacobi {
    VecX diagonal;
    void apply(const VecX& r, VecX& z) const { z = r.cwiseQuotient(diagonal); }
};

Jacobi diagonal_of(const BlockSystem& system) {
    Jacobi jacobi{VecX(3 * system.nodes())};
    for (Index i = 0; i < system.nodes(); ++i) jacobi.diagonal.segment<3>(3 * i) = system.block(i, i).diagonal();
    return jacobi;
}

}  // namespace

TEST_CASE("conjugate gradients agree with the factorisation") {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        const Index n = 200;
        const auto pairs = random_pairs(random, n, 900);
        BlockSystem system;
        system.set_pattern(n, pairs);
        fill_positive_definite(random, pairs, system, 0.01);
        for (Index i = 0; i < n; ++i) system.add_diagonal(i, uniform(random, 0.0, 100.0) * Mat3::Identity());
        const VecX b = random_vector(random, 3 * n);
        REQUIRE(system.factorize());
        VecX direct, x = VecX::Zero(3 * n), plain = VecX::Zero(3 * n);
        system.solve(b, direct);
        const Jacobi jacobi = diagonal_of(system);
        const CgResult result = conjugate_gradient(system, jacobi, b, x, {1e-12, 1000});
        CHECK(result.end == CgResult::End::converged);
        CHECK(result.relative_residual < 1e-11);
        CHECK((x - direct).norm() <= 1e-8 * direct.norm());
        const CgResult without = conjugate_gradient(system, IdentityPreconditioner{}, b, plain, {1e-12, 10000});
        CHECK((plain - direct).norm() <= 1e-8 * direct.norm());
        CHECK(result.iterations < without.iterations);
        const CgResult warm =
            conjugate_gradient(system, jacobi, b, direct, {1e-10, 1000});  // the solution as initial guess
        CHECK(warm.iterations == 0);
    }
}

TEST_CASE("conjugate gradients end in n steps on an n x n system, and at once with the exact preconditioner") {
    Random random(5);
    BlockSystem system;
    const std::vector<Edge> pairs{{0, 1}, {1, 2}};
    system.set_pattern(3, pairs);
    fill_positive_definite(random, pairs, system, 1.0);
    const VecX b = random_vector(random, 9);
    VecX x = VecX::Zero(9);
    const CgResult result = conjugate_gradient(system, IdentityPreconditioner{}, b, x, {1e-10, 100});
    CHECK(result.end == CgResult::End::converged);
    CHECK(result.iterations <= 9);
    REQUIRE(system.factorize());
    struct Direct {
        BlockSystem& system;
        void apply(const VecX& r, VecX& z) const { system.solve(r, z); }
    };
    x.setZero();
    CHECK(conjugate_gradient(system, Direct{system}, b, x, {1e-10, 100}).iterations == 1);
}

TEST_CASE("conjugate gradients name their end") {
    BlockSystem system;
    system.set_pattern(2, {{0, 1}});
    system.add_diagonal(0, Mat3::Identity());
    system.add_diagonal(1, -Mat3::Identity());
    VecX x = VecX::Zero(6);
    const VecX b = VecX::Ones(6);
    CHECK(conjugate_gradient(system, IdentityPreconditioner{}, b, x).end == CgResult::End::not_positive_definite);
    Random random(5);
    fill_positive_definite(random, {{0, 1}}, system, 0.1);
    x.setZero();
    const CgResult cut = conjugate_gradient(system, IdentityPreconditioner{}, b, x, {1e-12, 2});
    CHECK(cut.end == CgResult::End::iteration_limit);
    CHECK(cut.iterations == 2);
    VecX y;
    system.multiply(x, y);
    CHECK(cut.relative_residual == relative((b - y).norm() / b.norm(), 1e-13));
    CHECK(conjugate_gradient(system, IdentityPreconditioner{}, VecX::Zero(6), x).end == CgResult::End::converged);
    CHECK(x.isZero(0.0));
}

namespace {

/// The factor of one matrix as preconditioner of another.
auto factor_of(BlockSystem& system) {
    return [&system](const VecX& r, VecX& z) { system.solve(r, z); };
}

/// Value of x.A x / 2 - b.x.
double model(const BlockSystem& A, const VecX& b, const VecX& x) {
    VecX Ax;
    A.multiply(x, Ax);
    return 0.5 * x.dot(Ax) - b.dot(x);
}

}  // namespace

TEST_CASE("truncated conjugate gradients solve where the matrix is positive definite and descend where it is not") {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        const Index n = 60;
        const auto pairs = random_pairs(random, n, 200);
        BlockSystem A, M;
        A.set_pattern(n, pairs);
        M.set_pattern(n, pairs);
        fill_positive_definite(random, pairs, A, 0.5);
        for (Index slot = 0; slot < A.slots(); ++slot) M.value(slot) = A.values()[static_cast<std::size_t>(slot)];
        for (Index i = 0; i < n; ++i) M.add_diagonal(i, uniform(random, 0.0, 10.0) * Mat3::Identity());
        REQUIRE(A.factorize());
        REQUIRE(M.factorize());
        const VecX b = random_vector(random, 3 * n);
        VecX direct, x, first;
        A.solve(b, direct);
        M.solve(b, first);
        const TruncatedCgResult solved = truncated_conjugate_gradient(A, factor_of(M), b, x, {1e-10, 500, 1e-6});
        CHECK(solved.end == TruncatedCgResult::End::converged);
        CHECK((x - direct).norm() <= 1e-7 * direct.norm());

        for (const double shift : {0.3, 1.0, 3.0, 100.0}) {  // ever more of the spectrum below zero
            CAPTURE(shift);
            for (Index i = 0; i < n; ++i) A.add_diagonal(i, -shift * Mat3::Identity());
            const TruncatedCgResult result = truncated_conjugate_gradient(A, factor_of(M), b, x, {1e-10, 500, 1e-2});
            CHECK(x.dot(b) > 0.0);
            if (result.iterations > 0) CHECK(model(A, b, x) < 0.0);
            if (result.iterations == 0) CHECK(x == first);
        }
        CHECK_FALSE(A.factorize());
        CHECK(truncated_conjugate_gradient(A, factor_of(M), b, x).end == TruncatedCgResult::End::negative_curvature);
    }
}

TEST_CASE("truncated conjugate gradients lengthen a step that the preconditioner keeps too short") {
    BlockSystem A, M;
    A.set_pattern(1, {});
    M.set_pattern(1, {});
    A.add_diagonal(0, 0.05 * Mat3::Identity());
    M.add_diagonal(0, Mat3::Identity());
    REQUIRE(M.factorize());
    VecX x;
    truncated_conjugate_gradient(A, factor_of(M), Vec3(1.0, -2.0, 3.0), x);
    CHECK((x - Vec3(20.0, -40.0, 60.0)).norm() < 1e-12);
    CHECK(truncated_conjugate_gradient(A, factor_of(M), VecX::Zero(3), x).end == TruncatedCgResult::End::converged);
    CHECK(x == VecX::Zero(3));
}

TEST_CASE("truncated conjugate gradients keep all directions conjugate to a first one that is given") {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        const Index n = 12;
        const auto pairs = random_pairs(random, n, 40);
        BlockSystem A, M;
        A.set_pattern(n, pairs);
        M.set_pattern(n, {});
        fill_positive_definite(random, pairs, A, 0.5);
        for (Index i = 0; i < n; ++i) M.add_diagonal(i, uniform(random, 0.5, 5.0) * Mat3::Identity());
        REQUIRE(A.factorize());
        REQUIRE(M.factorize());
        const VecX b = random_vector(random, 3 * n);
        VecX direct, x, first = random_vector(random, 3 * n);
        A.solve(b, direct);
        if (first.dot(b) < 0.0) first = -first;
        const auto solve = [&](const VecX& along, double tolerance) {
            return truncated_conjugate_gradient(A, factor_of(M), b, x, {tolerance, 500, 1e-9}, &along);
        };

        // As many directions as there are unknowns span them all, but for rounding.
        const TruncatedCgResult solved = solve(first, 1e-6);
        CHECK(solved.end == TruncatedCgResult::End::converged);
        CHECK(solved.iterations <= 3 * n + 3);
        CHECK((x - direct).norm() <= 1e-5 * direct.norm());
        // The solution as the first direction leaves nothing to do; half of it is as good.
        CHECK(solve(direct, 1e-6).iterations == 1);
        CHECK(solve(0.5 * direct, 1e-6).iterations == 1);
        CHECK((x - direct).norm() <= 1e-9 * direct.norm());
        // Ended early, x lowers the model at least as far as the minimum along the first direction.
        A.multiply(first, x);
        const VecX lowest = (first.dot(b) / first.dot(x)) * first;
        truncated_conjugate_gradient(A, factor_of(M), b, x, {1e-12, 4, 1e-9}, &first);
        CHECK(model(A, b, x) < model(A, b, lowest));
    }
}

TEST_CASE("a first direction of too little curvature is the result") {
    BlockSystem A, M;
    A.set_pattern(1, {});
    M.set_pattern(1, {});
    A.add_diagonal(0, Vec3(-1.0, 1.0, 1.0).asDiagonal());
    M.add_diagonal(0, Mat3::Identity());
    REQUIRE(M.factorize());
    const VecX b = Vec3(1.0, 1.0, 1.0), first = Vec3(3.0, 1.0, 0.5);
    VecX x;
    const TruncatedCgResult result = truncated_conjugate_gradient(A, factor_of(M), b, x, {}, &first);
    CHECK(result.end == TruncatedCgResult::End::negative_curvature);
    CHECK(result.iterations == 0);
    CHECK(x == first);
}
