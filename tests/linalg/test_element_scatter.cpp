#include "stiction/base/error.hpp"
#include "stiction/base/parallel.hpp"
#include "stiction/linalg/element_scatter.hpp"

#include "linalg/random_system.hpp"
#include <doctest/doctest.h>

#include <algorithm>
#include <map>

using namespace stiction;
using namespace stiction::test;

namespace {

std::vector<Mat12> random_symmetric(Random& random, std::size_t count) {
    std::vector<Mat12> hessians(count);
    for (Mat12& hessian : hessians) {
        for (int c = 0; c < 12; ++c) {
            for (int r = 0; r <= c; ++r) hessian(r, c) = hessian(c, r) = uniform(random);
        }
    }
    return hessians;
}

}  // namespace

TEST_CASE("element scatter: equals adding entry by entry to a dense matrix") {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        const Index n = 2 + random_index(random, 20);
        std::vector<std::array<Index, 4>> elements(40);
        for (auto& nodes : elements) {
            for (Index& node : nodes) node = random_index(random, n + 3) - 3;  // some outside, some twice
            for (Index& node : nodes) node = std::max<Index>(node, -1);
        }
        const auto hessians = random_symmetric(random, elements.size());
        const double scale = uniform(random);
        Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(3 * n, 3 * n);
        for (std::size_t e = 0; e < elements.size(); ++e) {
            for (int r = 0; r < 12; ++r) {
                for (int c = 0; c < 12; ++c) {
                    const Index i = elements[e][r / 3], j = elements[e][c / 3];
                    if (i >= 0 && j >= 0) dense(3 * i + r % 3, 3 * j + c % 3) += scale * hessians[e](r, c);
                }
            }
        }
        BlockSystem system;
        system.set_pattern(n, element_pairs(elements));
        const ElementScatter scatter(system.pattern(), elements);
        scatter.add(hessians, scale, system);
        for (Index i = 0; i < n; ++i) {
            for (Index j = 0; j < n; ++j)
                REQUIRE((system.block(i, j) - dense.block<3, 3>(3 * i, 3 * j)).norm() <= 1e-13);
        }
        scatter.add(hessians, -scale, system);  // adds, not assigns
        for (const Mat3& value : system.values()) CHECK(value.isZero(0.0));
    }
}

TEST_CASE("element scatter: same bits with one and two threads") {
    const KuhnCube cube(12);
    Random random(23);
    const auto hessians = random_symmetric(random, cube.tets.size());
    BlockSystem reference;
    reference.set_pattern(static_cast<Index>(cube.nodes.size()), element_pairs(cube.tets));
    set_thread_count(1);
    ElementScatter(reference.pattern(), cube.tets).add(hessians, 0.3, reference);
    for (int repeat = 0; repeat < 5; ++repeat) {
        set_thread_count(2);
        BlockSystem system;
        system.set_pattern(static_cast<Index>(cube.nodes.size()), element_pairs(cube.tets));
        ElementScatter(system.pattern(), cube.tets).add(hessians, 0.3, system);
        CHECK(same_bits(system.values(), reference.values()));
    }
    set_thread_count(0);
}

TEST_CASE("element scatter: Hessians of thousands of elements, given at once or part by part, add up to the same") {
    const KuhnCube cube(12);
    CHECK(cube.tets.size() > 5000);  // several parts
    Random random(24);
    const auto hessians = random_symmetric(random, cube.tets.size());
    std::map<std::array<Index, 2>, Mat3> expected;
    for (std::size_t e = 0; e < cube.tets.size(); ++e) {
        for (int a = 0; a < 4; ++a) {
            for (int b = 0; b < 4; ++b) {
                const std::array<Index, 2> nodes{cube.tets[e][static_cast<std::size_t>(a)],
                                                 cube.tets[e][static_cast<std::size_t>(b)]};
                expected.try_emplace(nodes, Mat3::Zero()).first->second += 0.3 * hessians[e].block<3, 3>(3 * a, 3 * b);
            }
        }
    }
    BlockSystem at_once, by_parts;
    for (BlockSystem* system : {&at_once, &by_parts})
        system->set_pattern(static_cast<Index>(cube.nodes.size()), element_pairs(cube.tets));
    ElementScatter(at_once.pattern(), cube.tets).add(hessians, 0.3, at_once);
    std::vector<Mat12> scratch;
    std::size_t filled = 0;
    const auto fill = [&](std::span<const Index> elements, Mat12* out) {
        for (std::size_t k = 0; k < elements.size(); ++k) {
            CHECK(static_cast<std::size_t>(elements[k]) == filled);
            out[k] = hessians[filled++];
        }
    };
    ElementScatter(by_parts.pattern(), cube.tets).add(fill, 0.3, by_parts, scratch);
    CHECK(filled == hessians.size());
    CHECK(scratch.size() < hessians.size() / 2);
    CHECK(same_bits(at_once.values(), by_parts.values()));
    for (const auto& [nodes, block] : expected) {
        const double off = (at_once.block(nodes[0], nodes[1]) - block).norm();
        REQUIRE(off <= 1e-13 * block.norm());
    }
}

TEST_CASE("element scatter: what does not fit is refused") {
    BlockSystem system, other;
    system.set_pattern(4, {{0, 1}});
    other.set_pattern(4, {{0, 2}});
    CHECK_THROWS_AS(ElementScatter(system.pattern(), {{0, 1, 2, -1}}), InternalError);
    const ElementScatter scatter(system.pattern(), {{0, -1, 1, -1}});
    CHECK_THROWS_AS(scatter.add({Mat12::Zero()}, 1.0, other), InternalError);
    CHECK_THROWS_AS(scatter.add({}, 1.0, system), InternalError);
}

TEST_CASE("element scatter: Hessians of elements without a node in the system are not asked for") {
    std::vector<std::array<Index, 4>> elements(5000, {-1, -1, -1, -1});
    const std::vector<Index> with_nodes{3, 4, 2047, 2048, 4999};
    for (const Index e : with_nodes) elements[static_cast<std::size_t>(e)] = {0, -1, 1, -1};
    BlockSystem system;
    system.set_pattern(2, {{0, 1}});
    std::vector<Index> asked;
    const auto fill = [&](std::span<const Index> some, Mat12* out) {
        asked.insert(asked.end(), some.begin(), some.end());
        for (std::size_t k = 0; k < some.size(); ++k) out[k] = Mat12::Constant(some[k]);
    };
    std::vector<Mat12> scratch;
    ElementScatter(system.pattern(), elements).add(fill, 1.0, system, scratch);
    CHECK(asked == with_nodes);
    CHECK(system.block(1, 0) == Mat3::Constant(3.0 + 4.0 + 2047.0 + 2048.0 + 4999.0));
    std::vector<Mat12> all(elements.size());
    for (std::size_t e = 0; e < all.size(); ++e) all[e] = Mat12::Constant(static_cast<double>(e));
    system.set_zero();
    ElementScatter(system.pattern(), elements).add(all, 1.0, system);
    CHECK(system.block(1, 0) == Mat3::Constant(3.0 + 4.0 + 2047.0 + 2048.0 + 4999.0));
}

TEST_CASE("element scatter: goes over to a larger pattern, and back, as one made for it") {
    const KuhnCube cube(12);
    const auto nodes = static_cast<Index>(cube.nodes.size());
    Random random(31);
    const auto hessians = random_symmetric(random, cube.tets.size());
    std::vector<Edge> pairs = element_pairs(cube.tets);
    BlockSystem small, large;
    small.set_pattern(nodes, pairs);
    const auto extra = random_pairs(random, nodes, 2000);
    pairs.insert(pairs.end(), extra.begin(), extra.end());
    large.set_pattern(nodes, pairs);
    ElementScatter scatter(small.pattern(), cube.tets);
    for (BlockSystem* system : {&large, &small, &large}) {
        scatter.set_pattern(system->pattern());
        system->set_zero();
        scatter.add(hessians, 0.3, *system);
        const std::vector<Mat3> values = system->values();
        system->set_zero();
        ElementScatter(system->pattern(), cube.tets).add(hessians, 0.3, *system);
        CHECK(same_bits(values, system->values()));
    }
    BlockSystem bare, other;
    bare.set_pattern(nodes, extra);
    CHECK_THROWS_AS(scatter.set_pattern(bare.pattern()), InternalError);
    other.set_pattern(nodes + 1, pairs);
    CHECK_THROWS_AS(scatter.set_pattern(other.pattern()), InternalError);
    CHECK_THROWS_AS(scatter.set_pattern(nullptr), InternalError);
    large.set_zero();
    scatter.add(hessians, 0.3, large);  // a refused pattern changes nothing
    const std::vector<Mat3> values = large.values();
    large.set_zero();
    ElementScatter(large.pattern(), cube.tets).add(hessians, 0.3, large);
    CHECK(same_bits(values, large.values()));
    ElementScatter none(large.pattern(), {});
    none.set_pattern(other.pattern());
    none.add(std::vector<Mat12>{}, 1.0, other);
}
