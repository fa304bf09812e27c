#include "stiction/base/parallel.hpp"
#include "stiction/linalg/element_scatter.hpp"
#include "stiction/linalg/general_block_system.hpp"
#include "stiction/linalg/krylov/bicgstab.hpp"
#include "stiction/linalg/krylov/cg.hpp"

#include "linalg/random_system.hpp"
#include "support/compare.hpp"
#include <Eigen/LU>
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using namespace stiction;
using namespace stiction::test;

namespace {

struct Dense {
    Eigen::MatrixXd matrix;
    void multiply(const VecX& x, VecX& y) const { y.noalias() = matrix * x; }
};

/// Inverse of the diagonal blocks.
struct DiagonalBlocks {
    std::vector<Mat3> inverse;
    explicit DiagonalBlocks(const GeneralBlockSystem& system) {
        for (Index i = 0; i < system.nodes(); ++i) inverse.push_back(system.block(i, i).inverse());
    }
    void apply(const VecX& r, VecX& z) const {
        z.resize(r.size());
        for (std::size_t i = 0; i < inverse.size(); ++i) {
            const auto at = 3 * static_cast<Eigen::Index>(i);
            z.segment<3>(at) = inverse[i] * r.segment<3>(at);
        }
    }
};

template <class System>
struct Factor {
    System& system;
    void apply(const VecX& r, VecX& z) const { system.solve(r, z); }
};

/// Diffusion (symmetric) and upwind convection along (1, 2, 3) on a grid of tets, plus a skew coupling of components as
/// friction has it.
struct ConvectionDiffusion {
    KuhnCube cube;
    BlockSystem diffusion;
    GeneralBlockSystem system;

    ConvectionDiffusion(Index n, double convection) : cube(n) {
        const auto pairs = element_pairs(cube.tets);
        diffusion.set_pattern(static_cast<Index>(cube.nodes.size()), pairs);
        for (const auto& [i, j] : pairs) {
            diffusion.add_diagonal(i, Mat3::Identity());
            diffusion.add_diagonal(j, Mat3::Identity());
            diffusion.add(i, j, -Mat3::Identity());
        }
        for (Index i = 0; i < diffusion.nodes(); ++i) diffusion.add_diagonal(i, 0.05 * Mat3::Identity());
        system.set_pattern(diffusion.pattern());
        system.copy_symmetric(diffusion);
        Mat3 skew;
        skew << 0, 1, 0, -1, 0, 0.5, 0, -0.5, 0;
        for (const auto& [a, b] : pairs) {
            const double flow = Vec3(1, 2, 3).dot(cube.nodes[b] - cube.nodes[a]) * (n - 1);
            const Index up = flow > 0 ? a : b, down = flow > 0 ? b : a;
            const Mat3 rate = convection * std::abs(flow) * (Mat3::Identity() + 0.3 * skew);
            system.add_diagonal(down, rate);
            system.add(down, up, -rate);
        }
    }
};

using End = BicgstabResult::End;

double true_relative_residual(const GeneralBlockSystem& system, const VecX& b, const VecX& x) {
    VecX y;
    system.multiply(x, y);
    return (b - y).norm() / b.norm();
}

}  // namespace

TEST_CASE("BiCGSTAB agrees with the factorisation on diagonally dominant systems") {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        const Index n = 200;
        const auto pairs = random_pairs(random, n, 800);
        GeneralBlockSystem system;
        system.set_pattern(n, pairs);
        for (const auto& [i, j] : pairs) {
            system.add(i, j, random_block(random));
            if (i != j) system.add(j, i, random_block(random));
        }
        for (Index i = 0; i < n; ++i) {  // of either sign: diagonally dominant, indefinite
            Vec3 sum = Vec3::Ones();
            for (Index j = 0; j < n; ++j) sum += system.block(i, j).cwiseAbs().rowwise().sum();
            system.add_diagonal(i, (random_index(random, 2) == 0 ? 2.2 : -2.2) * Mat3(sum.asDiagonal()));
        }
        const VecX b = random_vector(random, 3 * n);
        REQUIRE_MESSAGE(system.factorize(), system.failure());
        VecX direct, x = VecX::Zero(3 * n);
        system.solve(b, direct);
        const BicgstabResult result = bicgstab(system, DiagonalBlocks(system), b, x, {1e-11, 500});
        CHECK(result.end == End::converged);
        CHECK(result.relative_residual <= 1e-11);
        CHECK(result.relative_residual == relative(true_relative_residual(system, b, x), 1e-3));
        CHECK((x - direct).norm() <= 1e-9 * direct.norm());
        CHECK(result.products <= 2 * result.iterations + 2 + 2 * result.restarts);
        const BicgstabResult warm = bicgstab(system, DiagonalBlocks(system), b, direct, {1e-10, 500});
        CHECK(warm.end == End::converged);
        CHECK(warm.iterations == 0);  // the solution as initial guess
    }
}

TEST_CASE("BiCGSTAB on convection and diffusion, with preconditioners from nothing to exact") {
    for (const double convection : {0.1, 2.0, 30.0}) {
        CAPTURE(convection);
        ConvectionDiffusion problem(9, convection);
        GeneralBlockSystem& system = problem.system;
        Random random(3);
        const VecX b = random_vector(random, 3 * system.nodes());
        REQUIRE_MESSAGE(system.factorize(), system.failure());
        REQUIRE(problem.diffusion.factorize());
        VecX direct;
        system.solve(b, direct);
        const auto run = [&](const auto& preconditioner) {
            VecX x = VecX::Zero(b.size());
            const BicgstabResult result = bicgstab(system, preconditioner, b, x, {1e-10, 2000});
            CHECK(result.end == End::converged);
            CHECK(true_relative_residual(system, b, x) <= 1.001e-10);
            CHECK((x - direct).norm() <= 1e-7 * direct.norm());
            return result.iterations;
        };
        const int plain = run(IdentityPreconditioner{});
        const int jacobi = run(DiagonalBlocks(system));
        const int symmetric_part = run(Factor<BlockSystem>{problem.diffusion});
        const int exact = run(Factor<GeneralBlockSystem>{system});
        MESSAGE("convection " << convection << ": iterations plain " << plain << ", diagonal blocks " << jacobi
                              << ", diffusion " << symmetric_part << ", exact " << exact);
        CHECK(exact == 1);
        if (convection < 1.0) CHECK(symmetric_part < jacobi);
    }
}

TEST_CASE("BiCGSTAB stops on the true residual whatever the preconditioner") {
    // Scaled so that a residual preconditioned from the left would be small long before that of the system is.
    ConvectionDiffusion problem(6, 1.0);
    struct Skewed {
        void apply(const VecX& r, VecX& z) const {
            z = 1e-8 * r;
            z.head(30) *= 30.0;
        }
    };
    Random random(9);
    const VecX b = random_vector(random, 3 * problem.system.nodes());
    for (const double tolerance : {0.5, 1e-1, 1e-3, 1e-6}) {
        VecX x = VecX::Zero(b.size());
        const BicgstabResult result = bicgstab(problem.system, Skewed{}, b, x, {tolerance, 5000});
        CHECK(result.end == End::converged);
        CHECK(true_relative_residual(problem.system, b, x) <= tolerance * (1 + 1e-12));
    }
}

TEST_CASE("BiCGSTAB goes on after a breakdown, and counts it") {
    struct Example {
        Eigen::MatrixXd matrix;
        VecX b;
    };
    const std::vector<Example> examples{
        {Eigen::MatrixXd{{-1, -2, -2}, {0, 1, 0}, {1, 1, -1}}, Vec3(0, 1, 0)},
        {Eigen::MatrixXd{{-2, -1, -2}, {2, -1, 0}, {0, -1, 1}}, Vec3(0, 0, -1)},
        {Eigen::MatrixXd{{-1, 2, 0}, {-1, -1, 1}, {0, 2, -2}}, Vec3(0, 0, 1)},
        {Eigen::MatrixXd{{1, 0, -2}, {-1, 0, -2}, {0, 2, 1}}, Vec3(-1, 0, 1)},
    };
    for (const auto& [matrix, b] : examples) {
        VecX x = VecX::Zero(3);
        const BicgstabResult result = bicgstab(Dense{matrix}, IdentityPreconditioner{}, b, x, {1e-10, 100});
        CHECK(result.end == End::converged);
        CHECK(result.restarts >= 1);
        CHECK((matrix * x - b).norm() <= 1e-10 * b.norm());
        VecX without = VecX::Zero(3);
        const BicgstabResult none = bicgstab(Dense{matrix}, IdentityPreconditioner{}, b, without, {1e-10, 100, 0});
        CHECK(none.end == End::breakdown);
        CHECK(none.restarts == 0);
    }
    // r.A r = 0 in the first step of all.
    const Eigen::MatrixXd matrix{{1, 3}, {1, -5}};
    VecX x = VecX::Zero(2);
    const VecX b{{1, 1}};
    REQUIRE(b.dot(matrix * b) == 0.0);
    CHECK(bicgstab(Dense{matrix}, IdentityPreconditioner{}, b, x, {1e-10, 100}).end == End::converged);
    CHECK((matrix * x - b).norm() <= 1e-10 * b.norm());
}

TEST_CASE("BiCGSTAB names a breakdown that it cannot get over") {
    SUBCASE("skew: A s is orthogonal to s for every s") {
        const Dense rotation{Eigen::MatrixXd{{0, 1}, {-1, 0}}};
        const VecX b = VecX::Ones(2);
        VecX x = VecX::Zero(2);
        const BicgstabResult result = bicgstab(rotation, IdentityPreconditioner{}, b, x);
        CHECK(result.end == End::breakdown);
        CHECK(result.restarts == BicgstabOptions{}.max_restarts);
        CHECK(result.relative_residual <= 1.0);
        CHECK((b - rotation.matrix * x).norm() / b.norm() == relative(result.relative_residual, 1e-13));
    }
    SUBCASE("A r = 0") {
        const Dense matrix{Eigen::MatrixXd{{0, 0}, {1, 0}}};
        VecX x = VecX::Zero(2);
        const BicgstabResult result = bicgstab(matrix, IdentityPreconditioner{}, VecX{{0, 1}}, x);
        CHECK(result.end == End::breakdown);
        CHECK(result.iterations == 1);
        CHECK(result.relative_residual == 1.0);
        CHECK(x == VecX::Zero(2));
    }
    SUBCASE("singular, b outside its range") {
        const Dense matrix{Eigen::MatrixXd{{1, 0}, {0, 0}}};
        VecX x = VecX::Zero(2);
        const BicgstabResult result = bicgstab(matrix, IdentityPreconditioner{}, VecX::Ones(2), x, {1e-10, 100});
        CHECK(result.end != End::converged);
        CHECK(result.relative_residual >= std::sqrt(0.5) * (1 - 1e-12));
        CHECK(x.allFinite());
    }
}

TEST_CASE("BiCGSTAB: odd ends") {
    ConvectionDiffusion problem(5, 1.0);
    Random random(13);
    const VecX b = random_vector(random, 3 * problem.system.nodes());
    SUBCASE("zero right-hand side") {
        VecX x = b;
        const BicgstabResult result = bicgstab(problem.system, IdentityPreconditioner{}, VecX::Zero(b.size()), x);
        CHECK(result.end == End::converged);
        CHECK(x.isZero(0.0));
    }
    SUBCASE("iteration limit: the best iterate comes back") {
        double last = 1.0;
        for (const int limit : {0, 1, 2, 4, 8, 16}) {
            VecX x = VecX::Zero(b.size());
            const BicgstabResult result = bicgstab(problem.system, IdentityPreconditioner{}, b, x, {1e-14, limit});
            CHECK(result.end == End::iteration_limit);
            CHECK(result.iterations == limit);
            CHECK(result.relative_residual == relative(true_relative_residual(problem.system, b, x), 1e-13));
            CHECK(result.relative_residual <= last * (1 + 1e-12));
            last = result.relative_residual;
        }
    }
    SUBCASE("a tolerance beyond reach") {
        VecX x = VecX::Zero(b.size());
        const BicgstabResult result = bicgstab(problem.system, DiagonalBlocks(problem.system), b, x, {1e-17, 1000});
        CHECK(result.end != End::converged);
        CHECK(true_relative_residual(problem.system, b, x) < 1e-13);
    }
    SUBCASE("not a number") {
        problem.system.value(0)(1, 1) = std::numeric_limits<double>::quiet_NaN();
        VecX x = VecX::Zero(b.size());
        CHECK(bicgstab(problem.system, IdentityPreconditioner{}, b, x).end == End::not_finite);
    }
}

TEST_CASE("BiCGSTAB: same bits for any number of threads") {
    ConvectionDiffusion problem(12, 3.0);
    const VecX b = VecX::LinSpaced(3 * problem.system.nodes(), -1.0, 1.0);
    VecX first;
    for (const int threads : {1, 2, 1}) {
        set_thread_count(threads);
        VecX x = VecX::Zero(b.size());
        CHECK(bicgstab(problem.system, DiagonalBlocks(problem.system), b, x, {1e-8, 500}).end == End::converged);
        if (first.size() == 0) first = x;
        CHECK(same_bits(x, first));
    }
    set_thread_count(0);
}
