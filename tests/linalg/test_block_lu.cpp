// LU of our own against MUMPS and dense matrices.
#include "stiction/base/parallel.hpp"
#include "stiction/linalg/block_cholesky/numeric.hpp"
#include "stiction/linalg/block_cholesky/triangular_solves.hpp"
#include "stiction/linalg/general_block_system.hpp"
#include "stiction/linalg/ordering.hpp"

#include "linalg/random_general_system.hpp"
#include "support/compare.hpp"
#include <doctest/doctest.h>

#include <limits>

using namespace stiction;
using namespace stiction::test;

namespace {

/// Two cliques that know each other through a third alone: fronts with pivots and rows of several tiles.
std::vector<Edge> cliques(Index wing, Index body) {
    std::vector<Edge> pairs;
    for (Index i = 0; i < 2 * wing + body; ++i) {
        for (Index j = 0; j < i; ++j) {
            const bool same_wing = i < 2 * wing && i / wing == j / wing;
            if (same_wing || i >= 2 * wing) pairs.push_back({i, j});
        }
    }
    return pairs;
}

/// The own factor alone, in the precision of Number, without scaling, refinement or rescue.
template <class Number>
struct OwnFactor {
    block_cholesky::Symbolic symbolic;
    std::vector<Number> numbers;
    std::vector<int> pivots;

    explicit OwnFactor(const GeneralBlockSystem& system)
        : symbolic(block_cholesky::analyze(*system.pattern(), nested_dissection(*system.pattern()))),
          numbers(2 * symbolic.value_begin.back()),
          pivots(3 * static_cast<std::size_t>(system.nodes())) {
        block_cholesky::MemoryPool pool;
        const auto entries = block_cholesky::slot_entries(*system.pattern());
        const auto outcome =
            block_cholesky::factorize_general(symbolic, entries, system.values(), numbers.data(), pivots.data(), pool);
        REQUIRE(outcome.kind == block_cholesky::Outcome::Kind::factored);
    }

    VecX solve(const VecX& b) const {
        std::vector<Number> fronts;
        VecX x;
        block_cholesky::solve_general(symbolic, numbers.data(), pivots.data(), b, x, fronts);
        return x;
    }

    /// Number of rows that were exchanged.
    std::ptrdiff_t exchanges() const {
        std::ptrdiff_t count = 0;
        for (std::size_t s = 0; s < symbolic.supernodes(); ++s) {
            const std::ptrdiff_t first = 3 * symbolic.column_begin[s], w = 3 * symbolic.width(s);
            for (std::ptrdiff_t j = 0; j < w; ++j) count += pivots[static_cast<std::size_t>(first + j)] != j + 1;
        }
        return count;
    }
};

/// Diagonal blocks whose rows are turned round: large entries stand beside the diagonal.
void add_turned_diagonal(double size, GeneralBlockSystem& system) {
    Mat3 turned;
    turned << 0, 1, 0, 0, 0, 1, 1, 0, 0;
    for (Index i = 0; i < system.nodes(); ++i) system.add_diagonal(i, size * turned);
}

struct LuSolved {
    bool is_factored = false;
    VecX x, rough;
};

LuSolved lu_solve_with(LuCode code, const GeneralBlockSystem& system, const VecX& b) {
    const auto factor = make_lu(code);
    LuSolved solved;
    REQUIRE(factor->analyze(*system.pattern(), nested_dissection(*system.pattern())));
    solved.is_factored = factor->factorize(*system.pattern(), system.values(), Precision::full);
    if (!solved.is_factored) return solved;
    factor->solve(b, solved.x);
    factor->solve_to(1e-3, b, solved.rough);
    return solved;
}

}  // namespace

TEST_CASE("block LU: random matrices without symmetry against a dense factor") {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        const Index n = 1 + random_index(random, 80);
        const auto pairs = random_pairs(random, n, 4 * n);
        GeneralBlockSystem system;
        system.set_pattern(n, pairs);
        const Eigen::MatrixXd dense = fill_general(random, pairs, system, seed % 3 == 0 ? 0.0 : 20.0);
        const VecX b = random_vector(random, 3 * n);
        const VecX expected = dense.fullPivLu().solve(b);
        const LuSolved own = lu_solve_with(LuCode::own, system, b);
        REQUIRE(own.is_factored);
        const double condition = dense.norm() * dense.inverse().norm();
        CHECK((own.x - expected).norm() <= 1e-14 * condition * expected.norm());
        CHECK((own.rough - expected).norm() <= 1e-3 * expected.norm());
    }
}

TEST_CASE("block LU: the own factor alone, with exchanges, against a dense factor") {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        const Index n = 30 + random_index(random, 60);
        const auto pairs = random_pairs(random, n, 2 * n);
        GeneralBlockSystem system;
        system.set_pattern(n, pairs);
        Eigen::MatrixXd dense = fill_general(random, pairs, system, 0.0);
        add_turned_diagonal(50.0, system);
        for (Index i = 0; i < n; ++i) dense.block<3, 3>(3 * i, 3 * i) = system.block(i, i);
        CHECK(OwnFactor<double>(system).exchanges() > n);
        const VecX b = random_vector(random, 3 * n);
        const VecX expected = dense.partialPivLu().solve(b);
        CHECK((OwnFactor<double>(system).solve(b) - expected).norm() <= 1e-12 * expected.norm());
        const double error = (OwnFactor<float>(system).solve(b) - expected).norm() / expected.norm();
        CHECK(error <= 1e-4);
        CHECK(error >= 1e-9);
    }
}

TEST_CASE("block LU: the own factor alone, with exchanges over several tiles of pivots and rows below them") {
    const Index wing = 150, body = 280;  // a body's square has 840 rows, a wing's 450 and 840 below
    GeneralBlockSystem system;
    const auto pairs = cliques(wing, body);
    system.set_pattern(2 * wing + body, pairs);
    Random random(9);
    fill_general(random, pairs, system, 0.0);
    add_turned_diagonal(1000.0, system);
    CHECK(OwnFactor<double>(system).exchanges() > system.nodes());
    const VecX expected = random_vector(random, 3 * system.nodes());
    VecX b;
    system.multiply(expected, b);
    for (const int threads : {1, 2}) {
        set_thread_count(threads);
        CHECK((OwnFactor<double>(system).solve(b) - expected).norm() <= 1e-11 * expected.norm());
        CHECK((OwnFactor<float>(system).solve(b) - expected).norm() <= 1e-3 * expected.norm());
    }
    set_thread_count(0);
}

TEST_CASE("block LU: a right-hand side beyond the range of floats") {
    GeneralBlockSystem system;
    const auto pairs = cliques(3, 4);
    system.set_pattern(10, pairs);
    Random random(11);
    fill_general(random, pairs, system, 20.0);
    const VecX expected = random_vector(random, 30);
    for (const double size : {1e-200, 1e-42, 1.0, 1e60}) {
        CAPTURE(size);
        VecX b;
        system.multiply(VecX(size * expected), b);
        const LuSolved solved = lu_solve_with(LuCode::own, system, b);
        CHECK((solved.x / size - expected).norm() <= 1e-12 * expected.norm());
        CHECK((solved.rough / size - expected).norm() <= 1e-3 * expected.norm());
    }
}

TEST_CASE("block LU: one object for many patterns, after rescues too, and a result that no earlier solve changes") {
    const auto used = make_lu();
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        const Index n = random_index(random, 60);
        const auto pairs = n > 0 ? random_pairs(random, n, 2 * n) : std::vector<Edge>{};
        GeneralBlockSystem system;
        system.set_pattern(n, pairs);
        // Without a dominant diagonal rows may have to be exchanged beyond a supernode.
        fill_general(random, pairs, system, seed % 2 == 0 ? 0.0 : 20.0);
        const VecX b = random_vector(random, 3 * n);
        REQUIRE(used->analyze(*system.pattern(), nested_dissection(*system.pattern())));
        REQUIRE(used->factorize(*system.pattern(), system.values(), Precision::full));
        const LuSolved fresh = lu_solve_with(LuCode::own, system, b);
        VecX x;
        used->solve_to(1e-3, b, x);
        CHECK(same_bits(x, fresh.rough));
        used->solve(VecX::Constant(3 * n, std::numeric_limits<double>::quiet_NaN()), x);
        used->solve(b, x);
        CHECK(same_bits(x, fresh.x));
    }
}

TEST_CASE("block LU: pivots and rows of several tiles, same bits for any number of threads") {
    const Index wing = 200, body = 300;
    GeneralBlockSystem system;
    const auto pairs = cliques(wing, body);
    system.set_pattern(2 * wing + body, pairs);
    Random random(5);
    fill_general(random, pairs, system, 1000.0);
    const VecX b = random_vector(random, 3 * system.nodes());
    const LuSolved mumps = lu_solve_with(LuCode::mumps, system, b);
    REQUIRE(mumps.is_factored);
    set_thread_count(1);
    const LuSolved one = lu_solve_with(LuCode::own, system, b);
    REQUIRE(one.is_factored);
    CHECK((one.x - mumps.x).norm() <= 1e-11 * mumps.x.norm());
    // Single precision without refinement: MUMPS would have been exact.
    CHECK((one.rough - mumps.x).norm() <= 1e-3 * mumps.x.norm());
    CHECK((one.rough - mumps.x).norm() >= 1e-10 * mumps.x.norm());
    for (const int threads : {2, 4}) {
        set_thread_count(threads);
        const LuSolved more = lu_solve_with(LuCode::own, system, b);
        CHECK(same_bits(one.x, more.x));
        CHECK(same_bits(one.rough, more.rough));
    }
    set_thread_count(0);
}

TEST_CASE("block LU: rows are exchanged within the pivots of a supernode, beyond them MUMPS takes over") {
    // [0 1; 1 0] in each node needs an exchange within; coupled nodes with zero diagonal blocks may need one beyond.
    for (const bool is_beyond : {false, true}) {
        CAPTURE(is_beyond);
        GeneralBlockSystem system;
        system.set_pattern(40, {{0, 39}, {1, 38}, {2, 37}});
        Mat3 turned;
        turned << 0, 2, 0, 0, 0, 3, 1, 0, 0;
        for (Index i = 0; i < 40; ++i) system.add_diagonal(i, is_beyond && i < 3 ? Mat3::Zero() : turned);
        for (Index i = 0; i < 3; ++i) {
            system.add(i, 39 - i, 5.0 * Mat3::Identity());
            system.add(39 - i, i, -7.0 * Mat3::Identity());
        }
        Random random(3);
        const VecX expected = random_vector(random, 120);
        VecX b;
        system.multiply(expected, b);
        const LuSolved own = lu_solve_with(LuCode::own, system, b);
        REQUIRE(own.is_factored);
        CHECK((own.x - expected).norm() <= 1e-13 * expected.norm());
    }
}

TEST_CASE("block LU: a matrix beyond single precision is solved in double") {
    // A spring of 1e9 between two nodes, each held by 1: floats lose what holds them.
    GeneralBlockSystem system;
    system.set_pattern(2, {{0, 1}});
    for (Index i = 0; i < 2; ++i) {
        system.add_diagonal(i, (1e9 + 1.0) * Mat3::Identity());
        system.add(i, 1 - i, -1e9 * Mat3::Identity());
    }
    const LuSolved own = lu_solve_with(LuCode::own, system, VecX::Ones(6));
    REQUIRE(own.is_factored);
    CHECK((own.x - VecX::Ones(6)).norm() == within(0.0, 1e-6));
    CHECK(same_bits(own.rough, own.x));  // MUMPS refines nothing
}
