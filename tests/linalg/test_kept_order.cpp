#include "stiction/base/background_task.hpp"
#include "stiction/base/parallel.hpp"
#include "stiction/linalg/element_scatter.hpp"
#include "stiction/linalg/ordering.hpp"

#include "linalg/random_system.hpp"
#include "support/compare.hpp"
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <numeric>
#include <stdexcept>

using namespace stiction;
using namespace stiction::test;

namespace {

/// Squared numbers of blocks of the columns of L, by eliminating one node after the other.
double slow_work(const BlockPattern& pattern, const std::vector<Index>& order) {
    const auto n = static_cast<Eigen::Index>(pattern.nodes);
    Eigen::Matrix<bool, Eigen::Dynamic, Eigen::Dynamic> left = decltype(left)::Constant(n, n, false);
    for (Index i = 0; i < pattern.nodes; ++i) {
        for (Index e = pattern.row_begin[at(i)]; e < pattern.row_begin[at(i) + 1]; ++e)
            left(i, pattern.row_entries[at(e)].column) = true;
    }
    double work = 0.0;
    std::vector<char> gone(at(pattern.nodes), 0);
    for (const Index node : order) {
        gone[at(node)] = 1;
        std::vector<Index> below;
        for (Index i = 0; i < pattern.nodes; ++i) {
            if (!gone[at(i)] && left(i, node)) below.push_back(i);
        }
        for (const Index i : below) {
            for (const Index j : below) left(i, j) = true;
        }
        work += static_cast<double>((below.size() + 1) * (below.size() + 1));
    }
    return work;
}

/// The pairs of a cube of n^3 nodes, and `links` from one of its sides to the opposite one.
std::vector<Edge> linked_cube(Index n, Index links) {
    std::vector<Edge> pairs = element_pairs(KuhnCube(n).tets);
    for (Index k = 0; k < links; ++k) pairs.push_back({k, n * n * n - 1 - (7 * k) % (n * n)});
    return pairs;
}

BlockPattern pattern_of(Index n, Index links) {
    return BlockPattern::from_pairs(n * n * n, linked_cube(n, links));
}

std::vector<Index> by_number(Index nodes) {
    std::vector<Index> order(at(nodes));
    std::iota(order.begin(), order.end(), 0);
    return order;
}

void fill(BlockSystem& system, const std::vector<Edge>& pairs) {
    Random random(3);
    fill_positive_definite(random, pairs, system);
}

}  // namespace

TEST_CASE("kept order: the work of an order is what elimination by hand takes") {
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        const Index n = 1 + random_index(random, 40);
        const BlockPattern pattern =
            BlockPattern::from_pairs(n, random_pairs(random, n, static_cast<int>(random_index(random, 3 * n))));
        std::vector<Index> order = by_number(n);
        std::shuffle(order.begin(), order.end(), random);
        CHECK(elimination_work(pattern, order) == slow_work(pattern, order));
        const EliminationOrder dissected = dissected_order(pattern);
        CHECK(dissected.nodes == nested_dissection(pattern));
        CHECK(dissected.work == slow_work(pattern, dissected.nodes));
    }
}

TEST_CASE("kept order: a few more pairs leave it, losses add up to a new one") {
    constexpr Index n = 12;
    const BlockPattern few = pattern_of(n, 0), more = pattern_of(n, 2);
    KeptOrder order;
    CHECK_FALSE(order.start(nullptr));
    const std::vector<Index> first = order.next(few);
    CHECK(first == nested_dissection(few));
    CHECK_FALSE(order.is_due());
    CHECK(order.next(more) == first);

    const double loss = elimination_work(more, first) - elimination_work(few, first);
    CHECK(loss > 0.0);
    int factorizations = 0;
    while (!order.is_due()) {
        order.count_factorization();
        REQUIRE(++factorizations < 10000);
    }
    CHECK(factorizations > 1);
    CHECK(order.next(more) == nested_dissection(more));
    CHECK_FALSE(order.is_due());
    for (int k = 0; k < 2 * factorizations; ++k) order.count_factorization();
    CHECK_FALSE(order.is_due());  // it is the pattern's own
}

TEST_CASE("kept order: one that loses too much at once is not taken, nor one of another size") {
    const BlockPattern cube = pattern_of(12, 0);
    const std::vector<Index> numbers = by_number(cube.nodes);
    // Work that it claims to have anyway does not count as lost.
    const double work = elimination_work(cube, numbers);
    KeptOrder order;
    order.start(std::make_shared<const EliminationOrder>(EliminationOrder{numbers, work}));
    CHECK(order.next(cube) == numbers);
    const std::vector<Index> dissected = nested_dissection(cube);
    CHECK(work > 2.0 * elimination_work(cube, dissected));
    order.start(std::make_shared<const EliminationOrder>(EliminationOrder{numbers, 0.0}));
    CHECK(order.next(cube) == dissected);
    const BlockPattern small = pattern_of(5, 0);
    CHECK(order.next(small) == nested_dissection(small));
}

TEST_CASE("kept order: what a system gives depends on what came since the start, never on what came before") {
    constexpr Index n = 8, nodes = n * n * n;
    const std::vector<Edge> few = linked_cube(n, 0), some = linked_cube(n, 10), many = linked_cube(n, 40);
    const BlockPattern elements = BlockPattern::from_pairs(nodes, few);
    const auto first = std::make_shared<const EliminationOrder>(dissected_order(elements));
    const std::vector<Index> numbers = by_number(nodes);
    // An order that nobody takes for one of METIS, and that is never given up.
    const auto odd = std::make_shared<const EliminationOrder>(EliminationOrder{numbers, 1e300});
    const VecX b = VecX::LinSpaced(3 * nodes, -1.0, 1.0);
    const auto solve = [&](BlockSystem& system, const std::vector<Edge>& pairs, bool ahead) {
        system.set_pattern(nodes, pairs);
        if (ahead) system.analyze_ahead();
        fill(system, pairs);
        REQUIRE(system.factorize());
        VecX x, product;
        system.solve(b, x);
        system.multiply(x, product);
        CHECK((product - b).norm() <= 1e-10 * b.norm());
        return x;
    };
    for (const bool has_first : {true, false}) {
        CAPTURE(has_first);
        BlockSystem used, fresh;
        used.keep_order(odd);
        solve(used, many, false);
        const double odd_nonzeros = used.statistics().nonzeros;
        solve(used, few, true);
        for (BlockSystem* system : {&used, &fresh}) system->keep_order(has_first ? first : nullptr);
        for (const auto& pairs : {some, few, many}) {
            const VecX x = solve(fresh, pairs, false);
            CHECK(same_bits(solve(used, pairs, true), x));
        }
        CHECK(fresh.statistics().analyses == 3);
        CHECK(fresh.statistics().nonzeros < odd_nonzeros);
    }
    // Losses do not survive a start either: as many factorisations later as in a fresh system a new order is due.
    const auto costly =
        std::make_shared<const EliminationOrder>(EliminationOrder{numbers, elimination_work(elements, numbers) - 5e5});
    const auto until_due = [&](BlockSystem& system) {
        const int analyses = system.statistics().analyses;
        int count = 0;
        while (system.statistics().analyses <= analyses && count < 100) {
            REQUIRE(system.factorize());
            ++count;
        }
        return count;
    };
    BlockSystem system;
    system.set_pattern(nodes, few);
    fill(system, few);
    system.keep_order(costly);
    REQUIRE(system.factorize());
    for (int k = 0; k < 4; ++k) REQUIRE(system.factorize());
    CHECK(system.statistics().analyses == 1);
    system.keep_order(std::make_shared<const EliminationOrder>(*costly));  // the same again: the analysis stays
    CHECK(until_due(system) == 9);                                         // 8 times 5e5 is 8000 x 512 less 9.6e4
    CHECK(system.statistics().analyses == 2);
}

TEST_CASE("kept order: a loss that adds up is mended without a new pattern") {
    constexpr Index n = 6, nodes = n * n * n;
    const std::vector<Edge> pairs = linked_cube(n, 0);
    BlockSystem system;
    system.keep_order(std::make_shared<const EliminationOrder>(EliminationOrder{by_number(nodes), 0.0}));
    system.set_pattern(nodes, pairs);
    fill(system, pairs);
    REQUIRE(system.factorize());
    const double by_number_nonzeros = system.statistics().nonzeros;
    int factorizations = 1;
    for (; system.statistics().analyses == 1 && factorizations < 100; ++factorizations) REQUIRE(system.factorize());
    CHECK(factorizations > 2);
    CHECK(system.statistics().analyses == 2);
    CHECK(system.statistics().nonzeros < by_number_nonzeros);
}

TEST_CASE("a background task runs once, is waited for, and tells what it threw") {
    for (const int threads : {1, 2}) {
        CAPTURE(threads);
        set_thread_count(threads);
        std::atomic<int> runs = 0;
        {
            BackgroundTask task;
            task.wait();
            task.run([&] { ++runs; });
            task.run([&] { ++runs; });
            task.wait();
            CHECK(runs == 2);
            task.wait();
            task.run([&] { throw std::runtime_error("lost"); });
            CHECK_THROWS_AS(task.wait(), std::runtime_error);
            task.run([&] { ++runs; });
        }
        CHECK(runs == 3);
    }
    set_thread_count(0);
}
