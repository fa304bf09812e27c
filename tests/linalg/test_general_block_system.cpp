#include "stiction/base/error.hpp"
#include "stiction/base/parallel.hpp"

#include "linalg/random_mesh_system.hpp"
#include "support/compare.hpp"
#include <doctest/doctest.h>

#include <limits>
#include <thread>

using namespace stiction;
using namespace stiction::test;

TEST_CASE("general block system: blocks, product and solution against a dense matrix") {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        const Index n = 1 + random_index(random, 60);
        const auto pairs = random_pairs(random, n, static_cast<int>(random_index(random, 300)));
        GeneralBlockSystem system;
        REQUIRE(system.set_pattern(n, pairs));
        const Eigen::MatrixXd dense = fill_general(random, pairs, system);
        for (Index i = 0; i < n; ++i) {
            for (Index j = 0; j < n; ++j) {
                REQUIRE((system.block(i, j) - dense.block<3, 3>(3 * i, 3 * j)).norm() <= 1e-13);
                REQUIRE(system.contains(i, j) == system.contains(j, i));
            }
        }
        const VecX b = random_vector(random, 3 * n);
        VecX y, x;
        system.multiply(b, y);
        CHECK((y - dense * b).norm() <= 1e-13 * dense.norm() * b.norm());
        REQUIRE_MESSAGE(system.factorize(), system.failure());
        CHECK(system.failure().empty());
        system.solve(b, x);
        const Eigen::FullPivLU<Eigen::MatrixXd> lu(dense);
        const VecX reference = lu.solve(b);
        CHECK((dense * x - b).norm() <= 1e-12 * dense.norm() * x.norm());
        CHECK((x - reference).norm() <= 1e-13 / lu.rcond() * reference.norm());
        VecX in_place = b;
        system.solve(in_place, in_place);
        CHECK(same_bits(in_place, x));
        CHECK(system.statistics().nonzeros >= 9.0 * n);
        CHECK(system.statistics().analyses == 1);
    }
}

TEST_CASE("general block system: add writes one ordered block") {
    Random random(7);
    const Mat3 block = random_block(random), other = random_block(random);
    GeneralBlockSystem system;
    system.set_pattern(3, {{1, 0}});
    system.add(0, 1, block);
    CHECK(system.block(0, 1) == block);
    CHECK(system.block(1, 0).isZero(0.0));
    system.add(1, 0, other);
    system.add(1, 1, other);
    system.add_diagonal(1, other);
    CHECK(system.block(0, 1) == block);
    CHECK(system.block(1, 0) == other);
    CHECK(system.block(1, 1) == 2.0 * other);
    system.value(system.entry(0, 1)) += block;
    CHECK(system.block(0, 1) == 2.0 * block);
    CHECK(system.block(0, 2).isZero(0.0));
    CHECK(system.entries() == 5);
    CHECK_THROWS_AS(system.add(0, 2, block), InternalError);
    CHECK_THROWS_AS(system.add(-1, 0, block), InternalError);
    CHECK_THROWS_AS(system.add_diagonal(3, block), InternalError);
    CHECK_THROWS_AS(system.set_pattern(nullptr), InternalError);
}

TEST_CASE("general block system: stencils of any number of nodes, some outside, some twice") {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        const Index n = 12;
        std::vector<std::vector<Index>> stencils;
        std::vector<Edge> pairs;
        for (int k = 0; k < 8; ++k) {
            std::vector<Index> stencil(1 + static_cast<std::size_t>(random_index(random, 7)));
            for (Index& node : stencil) node = random_index(random, n + 1) - 1;
            for (const Index i : stencil) {
                for (const Index j : stencil) {
                    if (i >= 0 && j >= 0) pairs.push_back({i, j});
                }
            }
            stencils.push_back(stencil);
        }
        GeneralBlockSystem system;
        system.set_pattern(n, pairs);
        Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(3 * n, 3 * n);
        for (const auto& stencil : stencils) {
            const auto size = 3 * static_cast<Eigen::Index>(stencil.size());
            Eigen::MatrixXd local(size, size);
            for (auto& value : local.reshaped()) value = uniform(random);
            const double scale = uniform(random);
            for (Eigen::Index r = 0; r < size; ++r) {
                for (Eigen::Index c = 0; c < size; ++c) {
                    const Index i = stencil[r / 3], j = stencil[c / 3];
                    if (i >= 0 && j >= 0) {
                        dense(3 * i + r % 3, 3 * j + c % 3) += scale * local(r, c);
                    } else {
                        local(r, c) = std::numeric_limits<double>::quiet_NaN();
                    }
                }
            }
            system.add_stencil(stencil, local, scale);
        }
        for (Index i = 0; i < n; ++i) {
            for (Index j = 0; j < n; ++j) CHECK((system.block(i, j) - dense.block<3, 3>(3 * i, 3 * j)).norm() <= 1e-14);
        }
        CHECK_THROWS_AS(system.add_stencil(stencils[0], Eigen::MatrixXd::Zero(2, 2)), InternalError);
    }
}

TEST_CASE("general block system: takes the values of a symmetric one") {
    Random random(23);
    const auto pairs = random_pairs(random, 40, 150);
    BlockSystem symmetric;
    symmetric.set_pattern(40, pairs);
    fill_positive_definite(random, pairs, symmetric);
    GeneralBlockSystem shared, own;
    CHECK(shared.set_pattern(symmetric.pattern()));
    CHECK(shared.pattern() == symmetric.pattern());
    own.set_pattern(40, pairs);
    for (GeneralBlockSystem* system : {&shared, &own}) {
        fill_general(random, pairs, *system);  // what was there before is replaced
        system->copy_symmetric(symmetric);
        for (Index i = 0; i < 40; ++i) {
            for (Index j = 0; j < 40; ++j) REQUIRE(system->block(i, j) == symmetric.block(i, j));
        }
    }
    REQUIRE(symmetric.factorize());
    REQUIRE(shared.factorize());
    const VecX b = random_vector(random, 120);
    VecX x, y;
    symmetric.solve(b, x);
    shared.solve(b, y);
    CHECK((x - y).norm() <= 1e-10 * x.norm());
    own.set_pattern(40, {});
    CHECK_THROWS_AS(own.copy_symmetric(symmetric), InternalError);
}

TEST_CASE("general block system: the same pattern keeps values and factor, another drops them") {
    Random random(11);
    const auto pairs = random_pairs(random, 50, 200);
    GeneralBlockSystem system;
    REQUIRE(system.set_pattern(50, pairs));
    const Eigen::MatrixXd before = fill_general(random, pairs, system);
    REQUIRE_MESSAGE(system.factorize(), system.failure());
    const auto values = system.values();
    CHECK_FALSE(system.set_pattern(50, pairs));
    CHECK_FALSE(system.set_pattern(std::make_shared<const BlockPattern>(*system.pattern())));
    CHECK(system.has_factor());
    CHECK(same_bits(system.values(), values));

    // The old factor serves until the next factorize().
    const VecX b = random_vector(random, 150);
    VecX x, old_x;
    system.solve(b, old_x);
    CHECK((before * old_x - b).norm() <= 1e-11 * before.norm() * old_x.norm());
    const Eigen::MatrixXd after = fill_general(random, pairs, system, 3.0);
    system.solve(b, x);
    CHECK(same_bits(x, old_x));
    REQUIRE_MESSAGE(system.factorize(), system.failure());
    system.solve(b, x);
    CHECK((after * x - b).norm() <= 1e-11 * after.norm() * x.norm());
    CHECK(system.statistics().analyses == 1);
    CHECK(system.statistics().factorizations == 2);
    CHECK(system.statistics().solves == 3);

    auto more = pairs;
    for (Index i = 0; i < 49; ++i) more.push_back({i, 49});
    CHECK(system.set_pattern(50, more));
    CHECK_FALSE(system.has_factor());
    for (const Mat3& value : system.values()) CHECK(value.isZero(0.0));
    CHECK_THROWS_AS(system.solve(b, x), InternalError);
    fill_general(random, more, system);
    REQUIRE_MESSAGE(system.factorize(), system.failure());
    CHECK(system.statistics().analyses == 2);
}

TEST_CASE("general block system: the result depends on pattern and values, not on history") {
    Random random(13);
    const auto pairs = random_pairs(random, 300, 900);
    GeneralBlockSystem fresh, used;
    used.set_pattern(200, random_pairs(random, 200, 1500));
    for (Index i = 0; i < 200; ++i) used.add_diagonal(i, Mat3::Identity());
    REQUIRE(used.factorize());
    fresh.set_pattern(300, pairs);
    used.set_pattern(300, pairs);
    CHECK_FALSE(used.factorize());  // zero: a factorisation that fails must leave nothing behind
    Random other(16), first(17), second(17);
    fill_general(other, pairs, used);
    REQUIRE(used.factorize());  // nor the pivots of one that did not
    fill_general(first, pairs, fresh);
    fill_general(second, pairs, used);
    REQUIRE(fresh.factorize());
    REQUIRE(used.factorize());
    const VecX b = random_vector(random, 900);
    VecX x, y;
    fresh.solve(b, x);
    used.solve(b, y);
    CHECK(same_bits(x, y));
}

TEST_CASE("general block system: same bits from repeated factorisations, any number of threads, any place in memory") {
    MeshSystem mesh(9, 5);
    const VecX b = VecX::LinSpaced(3 * mesh.system.nodes(), -1.0, 1.0);
    VecX first_x, first_y;
    REQUIRE_MESSAGE(mesh.system.factorize(), mesh.system.failure());
    mesh.system.solve(b, first_x);
    mesh.system.multiply(b, first_y);
    std::vector<std::vector<char>> ballast;  // moves what is allocated next
    for (const int threads : {1, 2, 1, 2}) {
        CAPTURE(threads);
        set_thread_count(threads);
        ballast.emplace_back(static_cast<std::size_t>(100000 + 16 * threads + 48 * ballast.size()));
        MeshSystem again(9, 5);
        for (GeneralBlockSystem* system : {&mesh.system, &again.system}) {
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

TEST_CASE("general block system: no nodes") {
    GeneralBlockSystem system;
    CHECK(system.factorize());
    VecX b(0), x(5), y;
    system.solve(b, x);
    CHECK(x.size() == 0);
    system.multiply(b, y);
    CHECK(y.size() == 0);
}
