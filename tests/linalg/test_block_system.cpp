#include "stiction/base/error.hpp"
#include "stiction/base/parallel.hpp"
#include "stiction/linalg/blas.hpp"
#include "stiction/linalg/element_scatter.hpp"

#include "linalg/random_system.hpp"
#include "support/compare.hpp"
#include <doctest/doctest.h>

#include <array>
#include <limits>
#include <thread>

using namespace stiction;
using namespace stiction::test;

namespace {

/// A mesh-like system: the tets of a cube, each with a random positive semi-definite Hessian, plus a shift.
struct MeshSystem {
    KuhnCube cube;
    std::vector<Mat12> hessians;
    BlockSystem system;

    MeshSystem(Index n, std::uint64_t seed, double shift = 0.5) : cube(n) {
        Random random(seed);
        for (std::size_t e = 0; e < cube.tets.size(); ++e) {
            Eigen::Matrix<double, 12, 4> factor;
            for (auto& value : factor.reshaped()) value = uniform(random);
            hessians.push_back(factor * factor.transpose());
        }
        system.set_pattern(static_cast<Index>(cube.nodes.size()), element_pairs(cube.tets));
        assemble(shift);
    }
    void assemble(double shift) {
        system.set_zero();
        ElementScatter(system.pattern(), cube.tets).add(hessians, 1.0, system);
        for (Index i = 0; i < system.nodes(); ++i) system.add_diagonal(i, shift * Mat3::Identity());
    }
};

}  // namespace

TEST_CASE("block system: blocks, product and solution against a dense matrix") {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        const Index n = 1 + random_index(random, 60);
        const auto pairs = random_pairs(random, n, static_cast<int>(random_index(random, 300)));
        BlockSystem system;
        REQUIRE(system.set_pattern(n, pairs));
        const Eigen::MatrixXd dense = fill_positive_definite(random, pairs, system);
        for (Index i = 0; i < n; ++i) {
            for (Index j = 0; j < n; ++j)
                REQUIRE((system.block(i, j) - dense.block<3, 3>(3 * i, 3 * j)).norm() <= 1e-13);
        }
        const VecX b = random_vector(random, 3 * n);
        VecX y, x;
        system.multiply(b, y);
        CHECK((y - dense * b).norm() <= 1e-13 * dense.norm() * b.norm());
        REQUIRE(system.factorize());
        CHECK(system.failure().empty());
        system.solve(b, x);
        const VecX reference = dense.llt().solve(b);
        CHECK((x - reference).norm() <= 1e-11 * reference.norm());
        VecX in_place = b;
        system.solve(in_place, in_place);
        CHECK(same_bits(in_place, x));
        CHECK(system.statistics().nonzeros >= 6.0 * n);
        CHECK(system.statistics().analyses == 1);
    }
}

TEST_CASE("block system: a block added as (i, j) is the transpose of the one added as (j, i)") {
    Random random(7);
    const Mat3 block = random_block(random);
    BlockSystem one, other;
    one.set_pattern(2, {{0, 1}});
    other.set_pattern(2, {{1, 0}});
    one.add(0, 1, block);
    other.add(1, 0, block.transpose());
    CHECK(same_bits(one.values(), other.values()));
    CHECK(one.block(0, 1) == block);
    CHECK(one.block(1, 0) == block.transpose());
    CHECK_THROWS_AS(one.add(1, 1, block), InternalError);
    CHECK_THROWS_AS(one.add(0, 2, block), InternalError);
    CHECK_THROWS_AS(one.add_diagonal(2, block), InternalError);
}

TEST_CASE("block system: the same pattern keeps values and factor, another drops them") {
    Random random(11);
    const auto pairs = random_pairs(random, 50, 200);
    BlockSystem system;
    REQUIRE(system.set_pattern(50, pairs));
    fill_positive_definite(random, pairs, system);
    REQUIRE(system.factorize());
    const auto values = system.values();
    CHECK_FALSE(system.set_pattern(50, pairs));
    CHECK(system.has_factor());
    CHECK(same_bits(system.values(), values));
    REQUIRE(system.factorize());
    CHECK(system.statistics().analyses == 1);
    CHECK(system.statistics().factorizations == 2);

    auto more = pairs;
    for (Index i = 0; i < 49; ++i) more.push_back({i, 49});
    CHECK(system.set_pattern(50, more));
    CHECK_FALSE(system.has_factor());
    CHECK(system.contains(3, 49));
    for (const Mat3& value : system.values()) CHECK(value.isZero(0.0));
    VecX b = VecX::Ones(150), x;
    CHECK_THROWS_AS(system.solve(b, x), InternalError);
}

TEST_CASE("block system: the result depends on pattern and values, not on history") {
    Random random(13);
    const auto pairs = random_pairs(random, 300, 900);
    BlockSystem fresh, used;
    used.set_pattern(200, random_pairs(random, 200, 1500));
    Random other(99);
    fill_positive_definite(other, {}, used);
    REQUIRE(used.factorize());
    fresh.set_pattern(300, pairs);
    used.set_pattern(300, pairs);
    Random first(17), second(17);
    fill_positive_definite(first, pairs, fresh);
    fill_positive_definite(second, pairs, used);
    used.value(0)(0, 0) -= 1e3;  // a factorisation that fails must leave nothing behind
    CHECK_FALSE(used.factorize());
    Random third(17);
    fill_positive_definite(third, pairs, used);
    REQUIRE(fresh.factorize());
    REQUIRE(used.factorize());
    const VecX b = random_vector(random, 900);
    VecX x, y;
    fresh.solve(b, x);
    used.solve(b, y);
    CHECK(same_bits(x, y));
}

TEST_CASE("block system: same bits from repeated factorisations, any number of threads, any place in memory") {
    MeshSystem mesh(9, 5);
    const VecX b = VecX::LinSpaced(3 * mesh.system.nodes(), -1.0, 1.0);
    VecX first_x, first_y;
    REQUIRE(mesh.system.factorize());
    mesh.system.solve(b, first_x);
    mesh.system.multiply(b, first_y);
    std::vector<std::vector<char>> ballast;  // moves what is allocated next
    for (const int threads : {1, 2, 1, 2}) {
        CAPTURE(threads);
        set_thread_count(threads);
        ballast.emplace_back(static_cast<std::size_t>(100000 + 16 * threads + 48 * ballast.size()));
        MeshSystem again(9, 5);
        for (BlockSystem* system : {&mesh.system, &again.system}) {
            VecX x, y;
            REQUIRE(system->factorize());
            system->solve(b, x);
            system->multiply(b, y);
            CHECK(same_bits(x, first_x));
            CHECK(same_bits(y, first_y));
        }
    }
    set_thread_count(0);
    std::array<VecX, 2> from_thread;  // two objects at the same time
    std::vector<std::thread> threads;
    for (VecX& x : from_thread) {
        threads.emplace_back([&] {
            MeshSystem again(9, 5);
            if (again.system.factorize()) again.system.solve(b, x);
        });
    }
    for (std::thread& thread : threads) thread.join();
    for (const VecX& x : from_thread) CHECK(same_bits(x, first_x));
}

TEST_CASE("block system: one that is not positive definite is refused, and named") {
    MeshSystem mesh(6, 3);
    REQUIRE(mesh.system.factorize());
    SUBCASE("negative diagonal") {
        mesh.system.add_diagonal(100, -1e4 * Mat3::Identity());
        CHECK_FALSE(mesh.system.factorize());
        CHECK_FALSE(mesh.system.has_factor());
        CHECK(mesh.system.failure().find("not positive definite") != std::string::npos);
    }
    SUBCASE("indefinite through an off-diagonal block") {
        mesh.system.add(0, 1, 1e4 * Mat3::Identity());
        CHECK_FALSE(mesh.system.factorize());
        CHECK(mesh.system.failure().find("not positive definite") != std::string::npos);
    }
    SUBCASE("a node without any stiffness") {
        BlockSystem empty;
        empty.set_pattern(3, {{0, 1}});
        empty.add_diagonal(0, Mat3::Identity());
        empty.add_diagonal(2, Mat3::Identity());
        CHECK_FALSE(empty.factorize());
        CHECK(empty.failure().find("node 1") != std::string::npos);
    }
    SUBCASE("not a number, infinity") {
        for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
            mesh.assemble(0.5);
            mesh.system.value(mesh.system.slot(1, 0))(2, 1) = bad;
            CHECK_FALSE(mesh.system.factorize());
            CHECK(mesh.system.failure().find("block (1, 0)") != std::string::npos);
        }
    }
    mesh.assemble(0.5);
    CHECK(mesh.system.factorize());  // and it recovers
    CHECK(mesh.system.failure().empty());
}

TEST_CASE("block system: singular to rounding is refused") {
    // Eight bodies of springs without any support: the translations of each are free, and their pivots are rounding
    // errors of either sign.
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        Random random(seed);
        const Index bodies = 8, n = 20;
        std::vector<Edge> pairs;
        for (Index body = 0; body < bodies; ++body) {
            for (auto [i, j] : random_pairs(random, n, 60)) {
                if (i != j) pairs.push_back({body * n + i, body * n + j});
            }
            for (Index i = 0; i + 1 < n; ++i) pairs.push_back({body * n + i, body * n + i + 1});
        }
        BlockSystem system;
        system.set_pattern(bodies * n, pairs);
        for (const auto& [i, j] : pairs) {
            const Mat3 root = random_block(random);
            const Mat3 stiffness = root * root.transpose();
            system.add_diagonal(i, stiffness);
            system.add_diagonal(j, stiffness);
            system.add(i, j, -stiffness);
        }
        const bool is_refused = !system.factorize();
        INFO("seed ", seed, ": ", system.failure());
        CHECK(is_refused);
        for (Index i = 0; i < bodies * n; ++i)
            system.add_diagonal(i, 1e-9 * Mat3::Identity());  // badly conditioned is not singular
        CHECK(system.factorize());
    }
}

TEST_CASE("block system: a pivot that lost all digits is refused though positive") {
    // [1 -1; -1 1 + d] in every component: the second pivot is d, exactly.
    constexpr double epsilon = std::numeric_limits<double>::epsilon();
    for (const double d : {0.0, 2 * epsilon, 64 * epsilon, 1e-9}) {
        CAPTURE(d);
        BlockSystem system;
        system.set_pattern(2, {{0, 1}});
        system.add_diagonal(0, Mat3::Identity());
        system.add_diagonal(1, (1.0 + d) * Mat3::Identity());
        system.add(0, 1, -Mat3::Identity());
        CHECK(system.factorize() == (d > smallest_pivot_ratio));
        INFO(system.failure());
        if (d == 2 * epsilon) CHECK(system.failure().find("singular at node") != std::string::npos);
    }
}

TEST_CASE("block system: badly scaled is not singular") {
    // Soft nodes beside stiff ones: pivots are judged against their own diagonal entry.
    BlockSystem system;
    system.set_pattern(40, {});
    for (Index i = 0; i < 40; ++i) system.add_diagonal(i, std::pow(10.0, i - 20) * Mat3::Identity());
    REQUIRE(system.factorize());
    VecX x;
    system.solve(VecX::Ones(120), x);
    for (Index i = 0; i < 40; ++i) CHECK(x[3 * i] == relative(std::pow(10.0, 20 - i), 1e-14));
}

TEST_CASE("block system: no nodes") {
    BlockSystem system;
    CHECK(system.factorize());
    VecX b(0), x(5), y;
    system.solve(b, x);
    CHECK(x.size() == 0);
    system.multiply(b, y);
    CHECK(y.size() == 0);
}

TEST_CASE("BLAS: the optimised one is loaded, with one thread after a factorisation") {
    const BlasInfo info = loaded_blas();
    MESSAGE(info.name << " from " << info.path << ", " << info.threads << " threads");
    CHECK(info.path.size() > 0);
    CHECK(info.is_reference == (blas_warning().find("reference BLAS") != std::string::npos));
    MeshSystem mesh(3, 1);
    REQUIRE(mesh.system.factorize());
    if (use_one_blas_thread()) CHECK(loaded_blas().threads == 1);
}
