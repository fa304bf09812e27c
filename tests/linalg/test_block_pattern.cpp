#include "stiction/base/error.hpp"
#include "stiction/linalg/element_scatter.hpp"
#include "stiction/linalg/ordering.hpp"

#include "linalg/random_system.hpp"
#include <doctest/doctest.h>

#include <algorithm>
#include <set>

using namespace stiction;
using namespace stiction::test;

TEST_CASE("block pattern: slots are those of a set of pairs") {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        const Index n = 1 + random_index(random, 40);
        const auto pairs = random_pairs(random, n, static_cast<int>(random_index(random, 200)));
        std::set<std::pair<Index, Index>> reference;  // (column, row): the order of the slots
        for (Index i = 0; i < n; ++i) reference.insert({i, i});
        for (const auto& [i, j] : pairs) reference.insert({std::min(i, j), std::max(i, j)});

        const BlockPattern pattern = BlockPattern::from_pairs(n, pairs);
        REQUIRE(pattern.slots() == static_cast<Index>(reference.size()));
        for (Index i = 0; i < n; ++i) {
            for (Index j = 0; j < n; ++j) {
                const auto found = reference.find({std::min(i, j), std::max(i, j)});
                const Index expected =
                    found == reference.end() ? -1 : static_cast<Index>(std::distance(reference.begin(), found));
                REQUIRE(pattern.slot(i, j) == expected);
            }
        }
        CHECK(pattern.slot(-1, 0) == -1);
        CHECK(pattern.slot(0, n) == -1);
        for (Index row = 0; row < n; ++row) {  // full rows list both triangles in order
            std::vector<Index> columns;
            for (Index e = pattern.row_begin[row]; e < pattern.row_begin[row + 1]; ++e) {
                const auto entry = pattern.row_entries[e];
                CHECK(entry.slot == pattern.slot(row, entry.column));
                columns.push_back(entry.column);
            }
            std::vector<Index> expected;
            for (Index j = 0; j < n; ++j) {
                if (pattern.slot(row, j) >= 0) expected.push_back(j);
            }
            CHECK(columns == expected);
        }
    }
}

TEST_CASE("block pattern: order and repetition of the pairs do not matter") {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        auto pairs = random_pairs(random, 30, 100);
        const BlockPattern pattern = BlockPattern::from_pairs(30, pairs);
        std::shuffle(pairs.begin(), pairs.end(), random);
        for (auto& pair : pairs) {
            if (uniform(random) < 0.0) std::swap(pair[0], pair[1]);
        }
        pairs.insert(pairs.end(), pairs.begin(), pairs.begin() + 40);
        CHECK(BlockPattern::from_pairs(30, pairs) == pattern);
        BlockSystem system;
        CHECK(system.set_pattern(30, pairs));
        CHECK_FALSE(system.set_pattern(30, pairs));
    }
}

TEST_CASE("block pattern: nodes outside the system are refused") {
    CHECK_THROWS_AS(BlockPattern::from_pairs(3, {{0, 3}}), InternalError);
    CHECK_THROWS_AS(BlockPattern::from_pairs(3, {{-1, 2}}), InternalError);
    CHECK(BlockPattern::from_pairs(0, {}).slots() == 0);
}

TEST_CASE("nested dissection: a permutation, the same on every call, of components large, small and isolated") {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        const Index n = 400;
        auto pairs = random_pairs(random, 200, 500);                    // mostly one large component
        for (Index i = 220; i < 230; ++i) pairs.push_back({i, i + 1});  // a chain
        const BlockPattern pattern = BlockPattern::from_pairs(n, pairs);
        const auto order = nested_dissection(pattern);
        CHECK(nested_dissection(pattern) == order);
        std::vector<Index> sorted = order;
        std::sort(sorted.begin(), sorted.end());
        REQUIRE(sorted.size() == static_cast<std::size_t>(n));
        for (Index i = 0; i < n; ++i) REQUIRE(sorted[i] == i);
    }
    CHECK(nested_dissection(BlockPattern::from_pairs(0, {})).empty());
}

TEST_CASE("nested dissection: less fill than the natural order on a cube") {
    const KuhnCube cube(9);
    const BlockPattern pattern =
        BlockPattern::from_pairs(static_cast<Index>(cube.nodes.size()), element_pairs(cube.tets));
    std::vector<Index> natural(cube.nodes.size());
    for (std::size_t i = 0; i < natural.size(); ++i) natural[i] = static_cast<Index>(i);
    const auto dissected = make_cholesky(), plain = make_cholesky();
    REQUIRE(dissected->analyze(pattern, nested_dissection(pattern)));
    REQUIRE(plain->analyze(pattern, natural));
    MESSAGE("entries of L: " << dissected->factor_nonzeros() << " dissected, " << plain->factor_nonzeros()
                             << " natural");
    CHECK(dissected->factor_nonzeros() < 0.7 * plain->factor_nonzeros());
}
