#include "stiction/base/parallel.hpp"
#include "stiction/linalg/element_scatter.hpp"
#include "stiction/linalg/krylov/block_jacobi.hpp"
#include "stiction/linalg/krylov/cg.hpp"

#include "linalg/random_system.hpp"
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
        BlockJacobi jacobi;
        REQUIRE(jacobi.set(system) == -1);
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
    BlockJacobi jacobi;
    CHECK(jacobi.set(system) == 1);
    Random random(5);
    fill_positive_definite(random, {{0, 1}}, system, 0.1);
    x.setZero();
    const CgResult cut = conjugate_gradient(system, IdentityPreconditioner{}, b, x, {1e-12, 2});
    CHECK(cut.end == CgResult::End::iteration_limit);
    CHECK(cut.iterations == 2);
    VecX y;
    system.multiply(x, y);
    CHECK(cut.relative_residual == doctest::Approx((b - y).norm() / b.norm()));
    CHECK(conjugate_gradient(system, IdentityPreconditioner{}, VecX::Zero(6), x).end == CgResult::End::converged);
    CHECK(x.isZero(0.0));
}
