#include "stiction/base/parallel.hpp"
#include "stiction/linalg/block_cholesky/elimination_tree.hpp"
#include "stiction/linalg/block_cholesky/numeric.hpp"
#include "stiction/linalg/element_scatter.hpp"
#include "stiction/linalg/ordering.hpp"

#include "linalg/random_system.hpp"
#include "support/compare.hpp"
#include <Eigen/SparseCholesky>
#include <doctest/doctest.h>

#include <limits>
#include <numeric>
#include <set>

using namespace stiction;
using namespace stiction::test;

namespace {

std::vector<Index> natural_order(Index nodes) {
    std::vector<Index> order(static_cast<std::size_t>(nodes));
    std::iota(order.begin(), order.end(), 0);
    return order;
}

std::vector<Index> random_order(Random& random, Index nodes) {
    std::vector<Index> order = natural_order(nodes);
    std::shuffle(order.begin(), order.end(), random);
    return order;
}

/// All pairs of [begin, end), and all of them with all of [other_begin, other_end).
void add_clique(Index begin, Index end, Index other_begin, Index other_end, std::vector<Edge>& pairs) {
    for (Index i = begin; i < end; ++i) {
        for (Index j = begin; j < i; ++j) pairs.push_back({i, j});
        for (Index j = other_begin; j < other_end; ++j) pairs.push_back({i, j});
    }
}

/// Two cliques that know each other through a third alone: its front has several tiles, and so have both update
/// matrices that it takes up.
std::vector<Edge> two_wings(Index wing, Index body) {
    std::vector<Edge> pairs;
    add_clique(0, wing, 2 * wing, 2 * wing + body, pairs);
    add_clique(wing, 2 * wing, 2 * wing, 2 * wing + body, pairs);
    add_clique(2 * wing, 2 * wing + body, 0, 0, pairs);
    return pairs;
}

/// Random numbers off the diagonal, a diagonal that outweighs them.
void fill_dominant(std::uint64_t seed, BlockSystem& system) {
    Random random(seed);
    system.set_zero();
    std::vector<double> row_sum(static_cast<std::size_t>(system.nodes()), 1.0);
    for (Index j = 0; j < system.nodes(); ++j) {
        for (Index s = system.pattern()->column_begin[j] + 1; s < system.pattern()->column_begin[j + 1]; ++s) {
            system.value(s) = random_block(random);
            row_sum[j] += 3.0;
            row_sum[system.pattern()->rows[s]] += 3.0;
        }
    }
    for (Index j = 0; j < system.nodes(); ++j) system.add_diagonal(j, row_sum[j] * Mat3::Identity());
}

struct Solved {
    bool is_factored = false;
    std::string failure;
    VecX x;
};

Solved solve_with_own(const BlockSystem& system, const std::vector<Index>& order, const VecX& b,
                      Precision precision = Precision::full) {
    const auto factor = make_cholesky();
    Solved solved;
    REQUIRE(factor->analyze(*system.pattern(), order));
    solved.is_factored = factor->factorize(*system.pattern(), system.values(), precision);
    solved.failure = factor->failure();
    if (solved.is_factored) factor->solve(b, solved.x);
    return solved;
}

std::vector<Edge> random_graph(Random& random, Index n) {
    std::vector<Edge> pairs = random_pairs(random, n, static_cast<int>(random_index(random, 4 * n)));
    switch (random_index(random, 4)) {
        case 0:  // a dense row
            for (Index i = 0; i < n; ++i) pairs.push_back({n / 2, i});
            break;
        case 1:  // everything with everything
            add_clique(0, n, 0, 0, pairs);
            break;
        case 2:  // a chain
            pairs.clear();
            for (Index i = 0; i + 1 < n; ++i) pairs.push_back({i, i + 1});
            break;
        default: break;  // as it came, with nodes that have no neighbour
    }
    return pairs;
}

}  // namespace

TEST_CASE("block Cholesky: random patterns in random orders against a dense factor") {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        const Index n = 1 + random_index(random, 60);
        const auto pairs = random_graph(random, n);
        BlockSystem system;
        system.set_pattern(n, pairs);
        const Eigen::MatrixXd dense = fill_positive_definite(random, pairs, system);
        const VecX b = random_vector(random, 3 * n);
        const VecX reference = dense.llt().solve(b);
        for (const auto& order : {random_order(random, n), nested_dissection(*system.pattern())}) {
            const Solved solved = solve_with_own(system, order, b);
            REQUIRE(solved.is_factored);
            CHECK(solved.failure.empty());
            CHECK((solved.x - reference).norm() <= 1e-11 * reference.norm());
        }
    }
}

TEST_CASE("block Cholesky: a factor in single precision is off by the rounding of floats, and by no more") {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        const Index n = 100 + random_index(random, 300);
        BlockSystem system;
        system.set_pattern(n, random_graph(random, n));
        fill_dominant(seed, system);
        const auto order = random_order(random, n);
        const VecX b = random_vector(random, 3 * n);
        const VecX full = solve_with_own(system, order, b).x;
        const Solved single = solve_with_own(system, order, b, Precision::single);
        REQUIRE(single.is_factored);
        // Diagonally dominant: the condition number is that of the diagonal, below 1e3.
        const double error = (single.x - full).norm() / full.norm();
        CHECK(error < 1e-4);
        CHECK(error > 1e-9);
        set_thread_count(2);
        CHECK(same_bits(solve_with_own(system, order, b, Precision::single).x, single.x));
        set_thread_count(1);
        CHECK(same_bits(solve_with_own(system, order, b, Precision::single).x, single.x));
        set_thread_count(0);
    }
}

TEST_CASE("block Cholesky: what is lost in single precision fails there, and does not in double") {
    // Two nodes and a spring of 1e9 between them, each held by 1: the sum of both is lost in floats.
    BlockSystem system;
    system.set_pattern(2, {{0, 1}});
    system.add_diagonal(0, (1e9 + 1.0) * Mat3::Identity());
    system.add_diagonal(1, (1e9 + 1.0) * Mat3::Identity());
    system.add(0, 1, -1e9 * Mat3::Identity());
    const VecX b = VecX::Ones(6);
    const Solved full = solve_with_own(system, natural_order(2), b);
    REQUIRE(full.is_factored);
    CHECK((full.x - b).norm() == within(0.0, 1e-6));
    const Solved single = solve_with_own(system, natural_order(2), b, Precision::single);
    CHECK_FALSE(single.is_factored);
    CHECK(single.failure.find("node 1, component x") != std::string::npos);
}

TEST_CASE("block Cholesky: no nodes") {
    const auto factor = make_cholesky();
    const BlockPattern pattern;
    VecX x(3);
    REQUIRE(factor->analyze(pattern, {}));
    REQUIRE(factor->factorize(pattern, {}, Precision::full));
    factor->solve(VecX(0), x);
    CHECK(x.size() == 0);
    CHECK(factor->factor_nonzeros() == 0.0);
}

TEST_CASE("block Cholesky: elimination tree and column counts against elimination node by node") {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        const Index n = 1 + random_index(random, 50);
        const BlockPattern pattern = BlockPattern::from_pairs(n, random_graph(random, n));
        const auto tree = block_cholesky::make_elimination_tree(pattern, random_order(random, n));
        std::vector<std::set<Index>> later(static_cast<std::size_t>(n));  // neighbours that are eliminated later
        for (Index node = 0; node < n; ++node) {
            REQUIRE(tree.order[tree.position[node]] == node);
            for (Index e = pattern.row_begin[node]; e < pattern.row_begin[node + 1]; ++e) {
                const Index other = tree.position[pattern.row_entries[e].column];
                if (other > tree.position[node]) later[tree.position[node]].insert(other);
            }
        }
        std::vector<Index> descendants(static_cast<std::size_t>(n), 1);
        for (Index k = 0; k < n; ++k) {
            const std::set<Index> row(later[k]);
            CHECK(tree.count[k] == static_cast<Index>(row.size()) + 1);
            CHECK(tree.parent[k] == (row.empty() ? -1 : *row.begin()));
            for (const Index i : row) later[*row.begin()].insert(i);
            if (row.empty()) continue;
            later[*row.begin()].erase(*row.begin());
            descendants[tree.parent[k]] += descendants[k];
        }
        // In postorder the descendants of a node come right before it.
        for (Index k = 0; k < n; ++k) {
            for (Index inside = k - descendants[k] + 1; inside < k; ++inside) {
                CHECK(tree.parent[inside] > inside);
                CHECK(tree.parent[inside] <= k);
            }
        }
    }
}

TEST_CASE("block Cholesky: Eigen's scalar factorisation gives the same solution on a mesh") {
    const KuhnCube cube(11);
    BlockSystem system;
    system.set_pattern(static_cast<Index>(cube.nodes.size()), element_pairs(cube.tets));
    fill_dominant(3, system);
    const VecX b = VecX::LinSpaced(3 * system.nodes(), -1.0, 1.0);
    const Solved own = solve_with_own(system, nested_dissection(*system.pattern()), b);
    REQUIRE(own.is_factored);
    std::vector<Eigen::Triplet<double>> entries;
    const BlockPattern& pattern = *system.pattern();
    for (Index i = 0; i < system.nodes(); ++i) {
        std::set<Index> columns{i};
        for (Index k = pattern.row_begin[at(i)]; k < pattern.row_begin[at(i) + 1]; ++k)
            columns.insert(pattern.row_entries[at(k)].column);
        for (const Index j : columns) {
            const Mat3 block = system.block(i, j);
            for (int r = 0; r < 3; ++r) {
                for (int c = 0; c < 3; ++c) entries.emplace_back(3 * i + r, 3 * j + c, block(r, c));
            }
        }
    }
    Eigen::SparseMatrix<double> matrix(b.size(), b.size());
    matrix.setFromTriplets(entries.begin(), entries.end());
    const Eigen::SimplicialLLT<Eigen::SparseMatrix<double>> reference(matrix);
    REQUIRE(reference.info() == Eigen::Success);
    const VecX x = reference.solve(b);
    CHECK((own.x - x).norm() <= 1e-13 * x.norm());
}

TEST_CASE("block Cholesky: fronts of many tiles, same bits for any number of threads") {
    // 1320 own rows at the top, 960 of them below either wing; and a mesh.
    BlockSystem wings, mesh;
    wings.set_pattern(600, two_wings(80, 440));
    const KuhnCube cube(13);
    mesh.set_pattern(static_cast<Index>(cube.nodes.size()), element_pairs(cube.tets));
    for (BlockSystem* system : {&wings, &mesh}) {
        CAPTURE(system->nodes());
        fill_dominant(5, *system);
        Random random(7);
        const VecX x = random_vector(random, 3 * system->nodes());
        VecX b, first;
        system->multiply(x, b);
        const auto order = system == &wings ? natural_order(600) : nested_dissection(*system->pattern());
        for (const int threads : {1, 2, 4, 2, 1}) {
            CAPTURE(threads);
            set_thread_count(threads);
            const Solved solved = solve_with_own(*system, order, b);
            REQUIRE(solved.is_factored);
            CHECK((solved.x - x).norm() <= 1e-13 * x.norm());
            if (first.size() == 0) first = solved.x;
            CHECK(same_bits(solved.x, first));
        }
        set_thread_count(0);
    }
}

TEST_CASE("block Cholesky: one object for many patterns and values") {
    const auto used = make_cholesky();
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        const Index n = 1 + random_index(random, seed % 2 == 0 ? 20 : 400);
        BlockSystem system;
        system.set_pattern(n, random_pairs(random, n, 3 * n));
        fill_dominant(seed, system);
        const VecX b = random_vector(random, 3 * n);
        const auto order = nested_dissection(*system.pattern());
        REQUIRE(used->analyze(*system.pattern(), order));
        for (const Precision precision : {Precision::full, Precision::single, Precision::full}) {
            VecX x = b;
            REQUIRE(used->factorize(*system.pattern(), system.values(), precision));
            used->solve(x, x);
            CHECK(same_bits(x, solve_with_own(system, order, b, precision).x));
        }
        auto broken = system.values();
        broken[0](0, 0) = -1.0;
        CHECK_FALSE(used->factorize(*system.pattern(), broken, Precision::full));
        CHECK_FALSE(used->factorize(*system.pattern(), broken, Precision::single));
    }
}

TEST_CASE("block Cholesky: the failure that is named comes first in elimination order, at any number of threads") {
    BlockSystem system;
    Index first = 0;
    std::string expected;
    SUBCASE("many bodies, several of which fail") {
        const KuhnCube cube(4);
        std::vector<Edge> pairs;
        for (Index body = 0; body < 40; ++body) {
            for (const Edge& pair : element_pairs(cube.tets))
                pairs.push_back({pair[0] + 64 * body, pair[1] + 64 * body});
        }
        system.set_pattern(64 * 40, pairs);
        fill_dominant(9, system);
        for (const Index body : {39, 22, 13, 27}) system.add_diagonal(64 * body + 7, -1e4 * Mat3::Identity());
        first = 13 * 64 + 7;
        expected = "not positive definite at node 839, component x";
    }
    SUBCASE("deep inside a large front") {
        system.set_pattern(600, two_wings(80, 440));
        fill_dominant(9, system);
        Mat3 pull = Mat3::Zero();
        pull(1, 1) = -1e6;
        for (const Index node : {599, 420, 301}) system.add_diagonal(node, pull);
        first = 301;
        expected = "not positive definite at node 301, component y";
    }
    SUBCASE("no digit left comes before a negative pivot") {
        std::vector<Edge> pairs = two_wings(80, 440);
        system.set_pattern(600, pairs);
        fill_dominant(9, system);
        // Pivot 0 of the last component of node 1, but for what rounding leaves.
        for (Index s = system.pattern()->column_begin[0]; s < system.pattern()->column_begin[2]; ++s)
            system.value(s).setZero();
        const double epsilon = std::numeric_limits<double>::epsilon();
        system.add_diagonal(0, Mat3::Identity());
        system.add(0, 1, -Mat3::Identity());
        system.add_diagonal(1, Vec3(2.0, 2.0, 1.0 + 2 * epsilon).asDiagonal().toDenseMatrix());
        system.add_diagonal(500, -1e6 * Mat3::Identity());
        first = 1;
        expected = "singular at node 1, component z";
    }
    CAPTURE(first);
    const auto order = natural_order(system.nodes());
    std::string message;
    for (const int threads : {1, 2, 4, 4}) {
        CAPTURE(threads);
        set_thread_count(threads);
        const Solved solved = solve_with_own(system, order, VecX::Ones(3 * system.nodes()));
        CHECK_FALSE(solved.is_factored);
        INFO(solved.failure);
        CHECK(solved.failure.starts_with(expected));
        if (message.empty()) message = solved.failure;
        CHECK(solved.failure == message);
    }
    set_thread_count(0);
}

TEST_CASE("block Cholesky: out of memory is an outcome") {
    CHECK_FALSE(block_cholesky::allocate_memory(std::numeric_limits<std::size_t>::max()).bytes);
    BlockSystem system;
    system.set_pattern(40, two_wings(10, 20));
    fill_dominant(1, system);
    auto symbolic = block_cholesky::analyze(*system.pattern(), natural_order(40));
    block_cholesky::MemoryPool pool;
    std::vector<double> factor(symbolic.value_begin.back());
    using Kind = block_cholesky::Outcome::Kind;
    CHECK(block_cholesky::factorize(symbolic, *system.pattern(), system.values(), factor.data(), pool).kind ==
          Kind::factored);
    symbolic.most_update_numbers = std::numeric_limits<std::size_t>::max() / 4;
    CHECK(block_cholesky::factorize(symbolic, *system.pattern(), system.values(), factor.data(), pool).kind ==
          Kind::out_of_memory);
}

TEST_CASE("block Cholesky: pieces of the pool do not overlap, and come back") {
    constexpr std::size_t most = 4000;
    block_cholesky::MemoryPool pool;
    Random random(21);
    for (int round = 0; round < 3; ++round) {
        CAPTURE(round);
        pool.reset(most * sizeof(double));
        double* const whole = pool.take<double>(most);
        REQUIRE(whole != nullptr);
        pool.give_back(whole);
        struct Piece {
            double* numbers;
            std::size_t size;
            double mark;
        };
        std::vector<Piece> pieces;
        const auto is_intact = [](const Piece& piece) {
            return std::all_of(piece.numbers, piece.numbers + piece.size, [&](double v) { return v == piece.mark; });
        };
        for (int k = 0; k < 400; ++k) {
            if (!pieces.empty() && random_index(random, 2) == 0) {
                const auto at = static_cast<std::size_t>(random_index(random, static_cast<Index>(pieces.size())));
                CHECK(is_intact(pieces[at]));
                pool.give_back(pieces[at].numbers);
                pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(at));
                continue;
            }
            const auto size = static_cast<std::size_t>(1 + random_index(random, 700));  // more than fits, now and then
            pieces.push_back({pool.take<double>(size), size, static_cast<double>(k)});
            REQUIRE(pieces.back().numbers != nullptr);
            std::fill(pieces.back().numbers, pieces.back().numbers + size, pieces.back().mark);
        }
        for (const Piece& piece : pieces) {
            CHECK(is_intact(piece));
            pool.give_back(piece.numbers);
        }
        CHECK(pool.take<double>(most) == whole);  // in one piece again
    }
}
